import { driverText } from './driver-text';
import { goJsonFault } from './machine-json';
import { isRecord } from '../manifest';
import { Problem } from '../problem';

const PARTS = ['nodeAffinity', 'podAffinity', 'podAntiAffinity'];
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const ADD_ANTI_AFFINITY = 'add a podAntiAffinity: preferred, weight 100, label harvesterhci.io/creator Exists, topologyKey kubernetes.io/hostname';

/**
 * What is wrong with the affinity of a machine: the content of a Kubernetes affinity as JSON, plain or in base64.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/create.go Create
 */
export function* checkVmAffinity(path: string, text: string): Iterable<Problem> {
  let affinity: unknown;
  try {
    affinity = JSON.parse(driverText(text));
  } catch {
    yield { path, message: 'is no JSON, plain or in base64', fix: 'write the content of an affinity as JSON', says: goJsonFault(driverText(text)) };
    return;
  }
  if (affinity === null) {
    yield { path, message: 'is null, which crashes the node driver', fix: 'leave the field out, or write an affinity' };
    return;
  }
  if (!isRecord(affinity)) {
    yield {
      path,
      message: 'is no affinity',
      fix: `write a map with ${PARTS.join(', ')}`,
      says: 'json: cannot unmarshal into Go value of type v1.Affinity',
    };
    return;
  }
  for (const key of Object.keys(affinity)) {
    if (!PARTS.includes(key)) {
      yield {
        path: `${path}.${key}`,
        level: 'warning',
        message: 'is no part of an affinity and is dropped',
        fix: key === 'affinity' ? 'write what stands below it at the top' : `use ${PARTS.join(', ')}`,
      };
    }
  }
  yield* checkPods(`${path}.podAffinity`, affinity.podAffinity);
  yield* checkPods(`${path}.podAntiAffinity`, affinity.podAntiAffinity);
  if (!isRecord(affinity.podAntiAffinity)) {
    yield {
      path,
      level: 'warning',
      message: 'has no podAntiAffinity: with an affinity of its own a machine loses the default that spreads machines over the hosts',
      fix: ADD_ANTI_AFFINITY,
    };
  }
}

function* checkPods(path: string, part: unknown): Iterable<Problem> {
  if (!isRecord(part)) { return; }
  for (const [index, preferred] of entries(part[PREFERRED])) {
    const at = `${path}.${PREFERRED}[${index}]`;
    const { weight } = preferred;
    if (!Number.isInteger(weight) || Number(weight) < 1 || Number(weight) > 100) {
      yield { path: `${at}.weight`, value: weight, message: 'is no weight', fix: 'use 1 to 100', says: 'must be in the range 1-100' };
    }
    yield* checkTopology(`${at}.podAffinityTerm`, preferred.podAffinityTerm);
  }
  for (const [index, term] of entries(part[REQUIRED])) { yield* checkTopology(`${path}.${REQUIRED}[${index}]`, term); }
}

function* checkTopology(path: string, term: unknown): Iterable<Problem> {
  if (!isRecord(term) || typeof term.topologyKey !== 'string' || term.topologyKey === '') {
    yield {
      path: `${path}.topologyKey`,
      message: 'is missing',
      fix: 'name a label of the hosts, e.g. kubernetes.io/hostname',
      says: 'Required value: can not be empty',
    };
  }
}

function* entries(list: unknown): Iterable<[number, { readonly [field: string]: unknown }]> {
  for (const [index, item] of (Array.isArray(list) ? list : []).entries()) {
    if (isRecord(item)) { yield [index, item]; }
  }
}
