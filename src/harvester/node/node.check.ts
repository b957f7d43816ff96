import { NODE_LABEL, PROTECTED_OEM_FILES, oemFileOf } from './node.kind';
import { isLate } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import {
  LABEL_NAME_FIX,
  LABEL_VALUE_FIX,
  labelNameFault,
  labelValueFault,
} from '../../core/problem/label';
import { Problem } from '../../core/problem/problem';
import { tryYaml } from '../../core/yaml/yaml-reader';

/**
 * Labels that the kubelet, RKE2 and Harvester write.
 * @see https://kubernetes.io/docs/reference/labels-annotations-taints/; harvester/harvester:pkg/util/constants.go
 */
const OF_OTHERS =
  /^(?:(?:beta\.)?kubernetes\.io\/(?:hostname|os|arch|instance-type)|node\.kubernetes\.io\/instance-type|node-role\.(?:kubernetes|harvesterhci)\.io\/.*|harvesterhci\.io\/managed)$/;

/** The props that set a label. */
const LABEL_PROPS: ReadonlyMap<string, string> = new Map([
  [NODE_LABEL.ZONE, 'zone'],
  [NODE_LABEL.REGION, 'region'],
]);

interface NodeLabels {
  readonly zone?: string;
  readonly region?: string;
  readonly labels?: { readonly [key: string]: string };
}

/** Checks the labels that a program sets on a node. */
export function* checkNodeLabels({ zone, region, labels = {} }: NodeLabels): Iterable<Problem> {
  for (const [path, value] of Object.entries({ zone, region })) {
    if (value === '') {
      yield { path, value, message: 'must not be empty', fix: `remove ${path}, or set it` };
    }
    yield* checkValue(path, value);
  }
  for (const [key, value] of Object.entries(labels)) {
    yield* checkValue(`labels[${key}]`, value);
    const says = labelNameFault(key);
    if (says) {
      yield {
        path: 'labels',
        value: key,
        message: 'must be a valid label name',
        fix: LABEL_NAME_FIX,
        says,
      };
    }
    const prop = LABEL_PROPS.get(key);
    if (prop) {
      yield {
        path: `labels[${key}]`,
        message: `cannot be set: ${prop} sets it`,
        fix: `use ${prop}`,
      };
    }
    if (OF_OTHERS.test(key)) {
      yield {
        path: `labels[${key}]`,
        message: 'cannot be set: the node or Harvester writes it',
        fix: 'use another label',
      };
    }
  }
}

function* checkValue(path: string, value: string | undefined): Iterable<Problem> {
  const says = value === undefined ? undefined : labelValueFault(value);
  if (says) {
    yield { path, value, message: 'must be a valid label value', fix: LABEL_VALUE_FIX, says };
  }
}

/** Checks that the file of a NodeCloudInit is given once. */
export function* checkNodeFile({
  stages,
  title,
  contents,
}: {
  readonly stages?: object;
  readonly title?: string;
  readonly contents?: string;
}): Iterable<Problem> {
  if (stages === undefined && contents === undefined) {
    yield {
      path: 'stages',
      message: 'must be set if contents is not',
      fix: 'set stages or contents',
    };
  }
  if (contents === undefined) {
    return;
  }
  for (const [path, value] of Object.entries({ stages, title })) {
    if (value !== undefined) {
      yield {
        path,
        message: 'cannot be set together with contents, which is the whole file',
        fix: `remove ${path} or contents`,
      };
    }
  }
}

/**
 * Checks a CloudInit of Harvester's nodes.
 * @see harvester/node-manager:pkg/admitter/cloudinit.go; pkg/mutator/cloudinit.go
 */
export function* checkNodeCloudInit(spec: {
  readonly [field: string]: unknown;
}): Iterable<Problem> {
  yield* checkFilename(spec.filename);
  yield* checkContents(spec.contents);
  for (const [label, value] of Object.entries(
    isRecord(spec.matchSelector) ? spec.matchSelector : {},
  )) {
    const path = `spec.matchSelector[${label}]`;
    const nameFault = labelNameFault(label);
    const valueFault =
      typeof value === 'string' && !isLate(value) ? labelValueFault(value) : undefined;
    // the server accepts any text, but no node ever matches
    if (nameFault) {
      yield {
        path,
        level: 'warning',
        message: 'must be a valid label name: otherwise no node matches',
        fix: LABEL_NAME_FIX,
      };
    }
    if (valueFault) {
      yield {
        path,
        value,
        level: 'warning',
        message: 'must be a valid label value: otherwise no node matches',
        fix: LABEL_VALUE_FIX,
      };
    }
  }
}

function* checkFilename(filename: unknown): Iterable<Problem> {
  const path = 'spec.filename';
  if (typeof filename !== 'string' || isLate(filename)) {
    return;
  }
  if (filename === '') {
    yield { path, message: 'must be set', fix: 'set a file name, e.g. 99_ntp.yaml' };
    return;
  }
  const file = oemFileOf(filename);
  if (PROTECTED_OEM_FILES.includes(file) || PROTECTED_OEM_FILES.includes(filename)) {
    yield {
      path,
      value: filename,
      message: 'cannot be a file that belongs to Harvester',
      fix: 'choose a different name, e.g. 99_custom-ntp.yaml',
      says: 'filename conflicts with a critical system-owned file',
    };
  } else if (filename.includes('/')) {
    // the server appends a missing extension without harm
    yield {
      path,
      value: filename,
      level: 'warning',
      message: `must be a file name without folders: the file is always in /oem, as ${file}`,
      fix: `set ${file}`,
    };
  }
}

function* checkContents(contents: unknown): Iterable<Problem> {
  const path = 'spec.contents';
  if (typeof contents !== 'string' || isLate(contents)) {
    return;
  }
  const { documents, fault } = tryYaml(contents);
  if (!documents) {
    yield {
      path,
      message: `is not valid YAML: ${fault}`,
      fix: 'set an Elemental cloud config: YAML with stages',
      says: 'could not parse document as yaml',
    };
    return;
  }
  const filled = documents.filter((document) => document !== null && document !== undefined);
  if (filled.length > 0 && !isRecord(filled[0])) {
    yield {
      path,
      message: 'must be a map',
      fix: 'set an Elemental cloud config: YAML with stages',
      says: 'could not parse document as yaml',
    };
  } else if (
    contents.trimStart().startsWith('#cloud-config') &&
    isRecord(filled[0]) &&
    !isRecord(filled[0].stages)
  ) {
    // cloud-init of virtual machines does not work on the nodes
    yield {
      path,
      level: 'warning',
      message: 'must have the stages of Elemental: it looks like cloud-init of a virtual machine',
      fix: 'set name and stages, e.g. stages: {network: [{commands: [...]}]}',
    };
  }
}
