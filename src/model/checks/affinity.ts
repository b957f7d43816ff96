import { isLate } from '../late-token';
import { isRecord } from '../manifest';
import { Problem } from '../problem';
import { LABEL_NAME_FIX, labelNameFault } from './label-name';
import { checkLabelSelector } from './label-selector';

const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/**
 * What Rancher's webhook refuses in a list of tolerations: a key that is no name of a label. The empty key, which Kubernetes itself takes to
 * tolerate every taint, is refused too.
 * @see rancher/webhook:pkg/resources/common/deployment_customization.go ValidateAppendTolerations
 */
export function* checkTolerations(path: string, tolerations: unknown): Iterable<Problem> {
  for (const [index, toleration] of records(tolerations)) {
    const key = toleration.key ?? '';
    const says = typeof key === 'string' && !isLate(key) ? labelNameFault(key) : undefined;
    if (says === undefined) { continue; }
    yield key === ''
      ? {
        path: `${path}[${index}].key`,
        message: 'names no taint; Rancher refuses a toleration of every taint',
        says,
        fix: 'write one toleration for each taint, with its key',
      }
      : { path: `${path}[${index}].key`, value: key, message: 'is no key of a taint', fix: LABEL_NAME_FIX, says };
  }
}

/**
 * What Rancher's webhook refuses in an affinity: label names and selectors that are none.
 * @see rancher/webhook:pkg/resources/common/deployment_customization.go ValidateAffinity
 */
export function* checkAffinity(path: string, affinity: unknown): Iterable<Problem> {
  if (!isRecord(affinity)) { return; }
  if (isRecord(affinity.nodeAffinity)) { yield* checkNodeAffinity(`${path}.nodeAffinity`, affinity.nodeAffinity); }
  for (const kind of ['podAffinity', 'podAntiAffinity']) {
    const pods = affinity[kind];
    if (!isRecord(pods)) { continue; }
    for (const [index, term] of records(pods[REQUIRED])) { yield* checkPodTerm(`${path}.${kind}.${REQUIRED}[${index}]`, term); }
    for (const [index, term] of records(pods[PREFERRED])) {
      yield* checkPodTerm(`${path}.${kind}.${PREFERRED}[${index}].podAffinityTerm`, term.podAffinityTerm);
    }
  }
}

function* checkNodeAffinity(path: string, affinity: { readonly [field: string]: unknown }): Iterable<Problem> {
  for (const [index, term] of records(affinity[PREFERRED])) { yield* checkNodeTerm(`${path}.${PREFERRED}[${index}].preference`, term.preference); }
  const required = affinity[REQUIRED];
  if (!isRecord(required)) { return; }
  for (const [index, term] of records(required.nodeSelectorTerms)) {
    yield* checkNodeTerm(`${path}.${REQUIRED}.nodeSelectorTerms[${index}]`, term);
  }
}

function* checkNodeTerm(path: string, term: unknown): Iterable<Problem> {
  if (!isRecord(term)) { return; }
  for (const field of ['matchFields', 'matchExpressions']) {
    for (const [index, { key }] of records(term[field])) {
      const says = labelNameFault(typeof key === 'string' ? key : '');
      if (says) { yield { path: `${path}.${field}[${index}].key`, value: key, message: 'is no name of a label', fix: LABEL_NAME_FIX, says }; }
    }
  }
}

function* checkPodTerm(path: string, term: unknown): Iterable<Problem> {
  if (!isRecord(term)) { return; }
  yield* checkLabelSelector(`${path}.labelSelector`, term.labelSelector);
  yield* checkLabelSelector(`${path}.namespaceSelector`, term.namespaceSelector);
}

function* records(list: unknown): Iterable<[number, { readonly [field: string]: unknown }]> {
  if (!Array.isArray(list)) { return; }
  for (const [index, item] of list.entries()) {
    if (isRecord(item)) { yield [index, item]; }
  }
}
