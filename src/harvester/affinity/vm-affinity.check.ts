import { isLate } from '../../core/late/late-token';
import { Fields, isRecord, records, valueAt } from '../../core/manifest/manifest';
import {
  LABEL_NAME_FIX,
  checkLabelSelector,
  labelNameFault,
  labelValueFault,
} from '../../core/problem/label';
import { Problem } from '../../core/problem/problem';
import { textOrEmpty } from '../../core/text/plain-text';
import { jsonOf } from '../../core/text/values';
import { LABEL_MACHINE_SET, LABEL_NODE_POOL } from '../../guest/machine-config/machine-config.kind';
import { driverText } from '../../guest/machine-config/machine-json.facts';

export const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
export const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/**
 * Checks a list of tolerations as Rancher's webhook does: keys must be valid label names. The
 * webhook also refuses the empty key, which in Kubernetes tolerates every taint.
 * @see rancher/webhook:pkg/resources/common/deployment_customization.go ValidateAppendTolerations
 */
export function* checkTolerations(path: string, tolerations: unknown): Iterable<Problem> {
  for (const [index, toleration] of records(tolerations)) {
    const key = toleration.key ?? '';
    const says = typeof key === 'string' && !isLate(key) ? labelNameFault(key) : undefined;
    if (says === undefined) {
      continue;
    }
    yield key === ''
      ? {
          path: `${path}[${index}].key`,
          message: 'must be the key of a taint: Rancher refuses tolerations of all taints',
          says,
          fix: 'write one toleration for each taint, with its key',
        }
      : {
          path: `${path}[${index}].key`,
          value: key,
          message: 'must be a valid label name',
          fix: LABEL_NAME_FIX,
          says,
        };
  }
}

/**
 * Checks an affinity as Rancher's webhook does: label names and selectors must be valid.
 * @see rancher/webhook:pkg/resources/common/deployment_customization.go ValidateAffinity
 */
export function* checkAffinity(path: string, affinity: unknown): Iterable<Problem> {
  if (!isRecord(affinity)) {
    return;
  }
  if (isRecord(affinity.nodeAffinity)) {
    yield* checkNodeAffinity(`${path}.nodeAffinity`, affinity.nodeAffinity);
  }
  for (const kind of ['podAffinity', 'podAntiAffinity']) {
    const pods = affinity[kind];
    if (!isRecord(pods)) {
      continue;
    }
    for (const [index, term] of records(pods[REQUIRED])) {
      yield* checkPodTerm(`${path}.${kind}.${REQUIRED}[${index}]`, term);
    }
    for (const [index, term] of records(pods[PREFERRED])) {
      yield* checkPodTerm(
        `${path}.${kind}.${PREFERRED}[${index}].podAffinityTerm`,
        term.podAffinityTerm,
      );
    }
  }
}

function* checkNodeAffinity(
  path: string,
  affinity: { readonly [field: string]: unknown },
): Iterable<Problem> {
  for (const [index, term] of records(affinity[PREFERRED])) {
    yield* checkNodeTerm(`${path}.${PREFERRED}[${index}].preference`, term.preference);
  }
  const required = affinity[REQUIRED];
  if (!isRecord(required)) {
    return;
  }
  for (const [index, term] of records(required.nodeSelectorTerms)) {
    yield* checkNodeTerm(`${path}.${REQUIRED}.nodeSelectorTerms[${index}]`, term);
  }
}

function* checkNodeTerm(path: string, term: unknown): Iterable<Problem> {
  if (!isRecord(term)) {
    return;
  }
  for (const field of ['matchFields', 'matchExpressions']) {
    for (const [index, { key }] of records(term[field])) {
      const says = labelNameFault(textOrEmpty(key));
      if (says) {
        yield {
          path: `${path}.${field}[${index}].key`,
          value: key,
          message: 'must be a valid label name',
          fix: LABEL_NAME_FIX,
          says,
        };
      }
    }
  }
}

function* checkPodTerm(path: string, term: unknown): Iterable<Problem> {
  if (!isRecord(term)) {
    return;
  }
  yield* checkLabelSelector(`${path}.labelSelector`, term.labelSelector);
  yield* checkLabelSelector(`${path}.namespaceSelector`, term.namespaceSelector);
}

const PARTS = ['nodeAffinity', 'podAffinity', 'podAntiAffinity'];
const ADD_ANTI_AFFINITY =
  'add a podAntiAffinity: preferred, weight 100, label harvesterhci.io/creator Exists, topologyKey kubernetes.io/hostname';

/**
 * Checks the affinity of a machine: a Kubernetes affinity as JSON, plain or in base64.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/create.go Create
 */
export function* checkVmAffinity(path: string, text: string): Iterable<Problem> {
  const affinity = jsonOf(driverText(text));
  if (affinity === undefined) {
    yield {
      path,
      message: 'must be JSON, plain or in base64',
      fix: 'write a Kubernetes affinity as JSON',
    };
    return;
  }
  if (affinity === null) {
    yield {
      path,
      message: 'must not be null, which crashes the node driver',
      fix: 'remove the field, or write an affinity',
    };
    return;
  }
  if (!isRecord(affinity)) {
    yield {
      path,
      message: 'must be a Kubernetes affinity',
      fix: `write a map with ${PARTS.join(', ')}`,
      says: `json: cannot unmarshal ${jsonType(affinity)} into Go value of type v1.Affinity`,
    };
    return;
  }
  for (const key of Object.keys(affinity)) {
    if (!PARTS.includes(key)) {
      yield {
        path: `${path}.${key}`,
        level: 'warning',
        message: 'is not a field of an affinity and is dropped',
        fix: key === 'affinity' ? 'move its fields one level up' : `use ${PARTS.join(', ')}`,
      };
    }
  }
  yield* checkParts(path, affinity);
  yield* checkPods(`${path}.podAffinity`, affinity.podAffinity);
  yield* checkPods(`${path}.podAntiAffinity`, affinity.podAntiAffinity);
  if (!isRecord(affinity.podAntiAffinity)) {
    yield {
      path,
      level: 'warning',
      message:
        'must have a podAntiAffinity: an affinity replaces the default of the node driver, which spreads machines over the hosts',
      fix: ADD_ANTI_AFFINITY,
    };
  }
}

/** Reports parts that the driver cannot read. */
function* checkParts(path: string, affinity: Fields): Iterable<Problem> {
  for (const part of PARTS) {
    const value = affinity[part] ?? {};
    if (!isRecord(value)) {
      yield {
        path: `${path}.${part}`,
        value,
        message: 'must be a map',
        fix: `write a map with ${REQUIRED} or ${PREFERRED}, or remove it`,
        says: `json: cannot unmarshal ${jsonType(value)} into Go struct field Affinity.${part}`,
      };
    }
  }
}

/** The type of a JSON value, as Go's errors name it. */
function jsonType(value: unknown): string {
  const type = Array.isArray(value) ? 'array' : typeof value;
  return type === 'boolean' ? 'bool' : type;
}

function* checkPods(path: string, part: unknown): Iterable<Problem> {
  if (!isRecord(part)) {
    return;
  }
  for (const [index, preferred] of records(part[PREFERRED])) {
    const at = `${path}.${PREFERRED}[${index}]`;
    const { weight } = preferred;
    if (!Number.isInteger(weight) || Number(weight) < 1 || Number(weight) > 100) {
      yield {
        path: `${at}.weight`,
        value: weight,
        message: 'must be a whole number from 1 to 100',
        fix: 'use 1 to 100',
        says: 'must be in the range 1-100',
      };
    }
    yield* checkTopology(`${at}.podAffinityTerm`, preferred.podAffinityTerm);
    yield* checkPoolLabel(`${at}.podAffinityTerm`, preferred.podAffinityTerm);
  }
  for (const [index, term] of records(part[REQUIRED])) {
    yield* checkTopology(`${path}.${REQUIRED}[${index}]`, term);
    yield* checkPoolLabel(`${path}.${REQUIRED}[${index}]`, term);
  }
}

/** Reports a selector by the label that sounds like that of a pool, and is none. */
function* checkPoolLabel(path: string, term: unknown): Iterable<Problem> {
  const selector = valueAt(term, 'labelSelector');
  const byExpression = records(selector, 'matchExpressions')
    .filter(([, { key, operator }]) => key === LABEL_NODE_POOL && operator !== 'Exists')
    .map(([index]) => `matchExpressions[${index}]`);
  const value = valueAt(selector, 'matchLabels', LABEL_NODE_POOL);
  const byLabel = value === undefined ? [] : [`matchLabels[${LABEL_NODE_POOL}]`];
  for (const field of [...byLabel, ...byExpression]) {
    yield {
      path: `${path}.labelSelector.${field}`,
      ...(value === undefined ? {} : { value }),
      level: 'warning',
      message:
        'must not select by this label: it is <pool>-xxxxx, and another one whenever the machines of the pool are replaced',
      fix: `select by ${LABEL_MACHINE_SET}: <namespace>-<cluster>-<pool>`,
    };
  }
}

function* checkTopology(path: string, term: unknown): Iterable<Problem> {
  if (!isRecord(term) || typeof term.topologyKey !== 'string' || term.topologyKey === '') {
    yield {
      path: `${path}.topologyKey`,
      message: 'must be set',
      fix: 'set it to a label of the hosts, e.g. kubernetes.io/hostname',
      says: 'Required value: can not be empty',
    };
  }
}

/**
 * The value of the label `harvesterhci.io/machineSetName` of the machines of a pool.
 *
 * The node driver derives it from the name of the machine, in which Rancher replaces dots by
 * hyphens.
 * @see harvester/docker-machine-driver-harvester:harvester/create.go Create
 */
export function machineSetName(vmNamespace: string, cluster: string, pool: string): string {
  const name = `${vmNamespace}-${`${cluster}-${pool}`.replace(/\./g, '-')}`;
  return labelValueFault(name) ? `hash_${fnv32a(name).toString('base64url')}_z` : name;
}

/**
 * The hash that the node driver writes instead of text that is not a valid label value.
 * @see harvester/docker-machine-driver-harvester:harvester/labels.go formatLabelValue
 */
function fnv32a(text: string): Buffer {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) {
    // eslint-disable-next-line no-bitwise
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(hash);
  return bytes;
}
