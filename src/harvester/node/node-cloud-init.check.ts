import { PROTECTED_OEM_FILES } from './node-cloud-init.kind';
import { isLate } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { LABEL_NAME_FIX, LABEL_VALUE_FIX, labelNameFault, labelValueFault } from '../../core/text/label';
import { given } from '../../core/text/plain-text';
import { NoYaml, readYaml } from '../../core/yaml/yaml-reader';

const EXTENSION = /\.ya?ml$/;

/**
 * The name of the file that Harvester makes of the one that a CloudInit names: no folders, and an extension.
 * @see harvester/node-manager:pkg/mutator/cloudinit.go patchFilenameIfNecessary
 */
export function oemFileOf(filename: string): string {
  const base = filename.replace(/\/+$/, '').split('/').pop()!;
  return EXTENSION.test(base) ? base : `${base}.yaml`;
}

/**
 * What Harvester refuses in a CloudInit of its nodes, and what it takes and changes.
 * @see harvester/node-manager:pkg/admitter/cloudinit.go; pkg/mutator/cloudinit.go
 */
export function* checkNodeCloudInit(spec: { readonly [field: string]: unknown }): Iterable<Problem> {
  yield* checkFilename(spec.filename);
  yield* checkContents(spec.contents);
  if (spec.matchSelector === undefined || spec.matchSelector === null) {
    yield { path: 'spec.matchSelector', message: 'is missing', fix: 'give labels of nodes, {} for all', says: 'spec.matchSelector: Required value' };
  }
  for (const [label, value] of Object.entries(isRecord(spec.matchSelector) ? spec.matchSelector : {})) {
    const path = `spec.matchSelector[${label}]`;
    const nameFault = labelNameFault(label);
    const valueFault = typeof value === 'string' && !isLate(value) ? labelValueFault(value) : undefined;
    // the server takes any text, and no node ever matches
    if (nameFault) { yield { path, level: 'warning', message: 'is no name of a label, so no node has it', fix: LABEL_NAME_FIX }; }
    if (valueFault) { yield { path, value, level: 'warning', message: 'is no value of a label, so no node has it', fix: LABEL_VALUE_FIX }; }
  }
}

function* checkFilename(filename: unknown): Iterable<Problem> {
  const path = 'spec.filename';
  if (isLate(filename)) { return; }
  if (typeof filename !== 'string' || filename === '') {
    yield { path, ...given(filename), message: 'is missing', fix: 'name a file, e.g. 99_ntp.yaml', says: 'spec.filename: Required value' };
    return;
  }
  const file = oemFileOf(filename);
  if (PROTECTED_OEM_FILES.includes(file) || PROTECTED_OEM_FILES.includes(filename)) {
    yield { path, value: filename, message: 'is a file of Harvester\'s own', fix: 'use another name, e.g. 99_custom-ntp.yaml', says: 'filename conflicts with a critical system-owned file' };
  } else if (filename.includes('/')) {
    // a missing extension it appends without harm
    yield { path, value: filename, level: 'warning', message: `becomes ${file}: the file lies in /oem, whatever folder is named`, fix: `give ${file}` };
  }
}

function* checkContents(contents: unknown): Iterable<Problem> {
  const path = 'spec.contents';
  if (isLate(contents)) { return; }
  if (typeof contents !== 'string') {
    yield { path, message: contents === undefined || contents === null ? 'is missing' : 'must be text', fix: 'give an Elemental cloud config: YAML with stages', says: 'spec.contents: Required value' };
    return;
  }
  let documents: unknown[];
  try {
    documents = readYaml(contents);
  } catch (error) {
    if (!(error instanceof NoYaml)) { throw error; }
    yield { path, message: `is no YAML: ${error.message}`, fix: 'give an Elemental cloud config: YAML with stages', says: 'could not parse document as yaml' };
    return;
  }
  const filled = documents.filter((document) => document !== null && document !== undefined);
  if (filled.length > 0 && !isRecord(filled[0])) {
    yield { path, message: 'is no map', fix: 'give an Elemental cloud config: YAML with stages', says: 'could not parse document as yaml' };
  } else if (contents.trimStart().startsWith('#cloud-config') && isRecord(filled[0]) && !isRecord(filled[0].stages)) {
    // what it is for virtual machines it is not for the nodes
    yield { path, level: 'warning', message: 'looks like cloud-init of a virtual machine: Harvester\'s nodes run the stages of Elemental', fix: 'give name and stages, e.g. stages: {network: [{commands: [...]}]}' };
  }
}
