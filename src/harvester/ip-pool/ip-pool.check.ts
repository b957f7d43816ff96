import { printRange, rangesOverlap, readRange, sizeOfAll } from './ip-range';
import { ANY, PoolScope, isGlobal, readPool, scopeOf, scopesOverlap } from './pool-selection';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { NAMESPACED_NAME, RFC1123_LABEL } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';

const RANGES = 'spec.ranges';
const SELECTOR = 'spec.selector';
/** `<cluster id>/<project>`: both are names that Rancher makes Namespaces of. */
const PROJECT = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?\/[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const MAX_PRIORITY = 2147483647;

/** What the server refuses in the ranges of a pool by themselves. */
export function checkPoolRanges(manifest: Manifest): Problem[] {
  const ranges = valueAt(manifest, 'spec', 'ranges') ?? [];
  // another type is told where all kinds are judged by their definitions
  if (!Array.isArray(ranges)) { return []; }
  if (ranges.length === 0) {
    return [{ path: RANGES, message: 'are missing', fix: 'give at least one subnet', says: 'range can\'t be empty' }];
  }
  const read = ranges.map((entry, index) => readRange(`${RANGES}[${index}]`, entry));
  const overlaps = read.flatMap(({ range }, index): Problem[] => {
    const other = range ? read.slice(0, index).findIndex((candidate) => candidate.range && rangesOverlap(candidate.range, range)) : -1;
    return other < 0 ? [] : [{
      path: `${RANGES}[${index}]`,
      value: printRange(range!),
      message: `overlaps ranges[${other}], ${printRange(read[other].range!)}`,
      fix: 'give every address to one range',
      says: 'there are overlaps between range',
    }];
  });
  return [...read.flatMap(({ problems }) => problems), ...overlaps];
}

/** Ranges whose start lies after their end. */
export function checkReversedRanges(manifest: Manifest): Problem[] {
  const ranges = valueAt(manifest, 'spec', 'ranges');
  return (Array.isArray(ranges) ? ranges : []).flatMap((entry, index): Problem[] => {
    const { range } = readRange('', entry);
    return range?.reversed !== true ? [] : [{
      path: `${RANGES}[${index}].rangeStart`,
      value: valueAt(entry, 'rangeStart'),
      level: 'warning',
      message: 'lies after the end of the range: a running server took it and gave out no address, and the range still collides with others',
      fix: 'give the lower address as rangeStart',
    }];
  });
}

/** A pool that gives out nothing, since its one address is the gateway. */
export function checkPoolSize(manifest: Manifest): Problem[] {
  const { ranges, complete } = readPool(manifest);
  if (!complete || ranges.length === 0 || ranges.some(({ reversed }) => reversed) || sizeOfAll(ranges) > 0n) { return []; }
  return [{
    path: RANGES,
    message: 'hold no address but the gateway, which is never given out',
    fix: 'give more addresses, or as gateway an address outside of the range; without one it is the first host of the subnet',
    says: 'no available IP',
  }];
}

/** What the server refuses in the selector of a pool by itself. */
export function checkPoolSelector(manifest: Manifest): Problem[] {
  const selector = valueAt(manifest, 'spec', 'selector');
  if (!isRecord(selector)) { return []; }
  const { network, priority } = selector;
  return [...checkNetwork(network), ...checkPriority(priority), ...checkScopeOverlap(scopeOf(manifest))];
}

function checkNetwork(network: unknown): Problem[] {
  if (network === undefined || network === '' || typeof network !== 'string' || isLate(network) || NAMESPACED_NAME.test(network)) { return []; }
  return [{
    path: `${SELECTOR}.network`,
    value: network,
    message: 'is no network',
    fix: 'give <namespace>/<name> of a NetworkAttachmentDefinition',
    says: `invalid network ${network}`,
  }];
}

function checkPriority(priority: unknown): Problem[] {
  if (typeof priority !== 'number' || (Number.isInteger(priority) && priority >= 0 && priority <= MAX_PRIORITY)) { return []; }
  return [{
    path: `${SELECTOR}.priority`,
    value: priority,
    message: 'is no priority',
    fix: `give a whole number from 0 to ${MAX_PRIORITY}; the higher one wins`,
  }];
}

function checkScopeOverlap(scope: readonly PoolScope[]): Problem[] {
  if (isGlobal(scope)) { return []; }
  return scope.flatMap((tuple, index): Problem[] => {
    const other = scope.slice(0, index).findIndex((candidate) => scopesOverlap(candidate, tuple));
    return other < 0 ? [] : [{
      path: `${SELECTOR}.scope[${index}]`,
      value: tuple,
      message: `overlaps scope[${other}]`,
      fix: `leave one of them out; "${ANY}" on either side matches everything`,
      says: 'scope overlaps',
    }];
  });
}

/** Projects in the scope of a pool that no load balancer is ever in. */
export function checkPoolProjects(manifest: Manifest): Problem[] {
  return scopeOf(manifest).flatMap(({ project }, index): Problem[] => {
    if (project === '' || project === ANY || isLate(project) || PROJECT.test(project)) { return []; }
    const colon = project.includes(':');
    return [{
      path: `${SELECTOR}.scope[${index}].project`,
      value: project,
      ...(colon ? {} : { level: 'warning' as const }),
      message: 'is accepted and never matches: the load balancer of a namespace says <cluster id>/<project>',
      fix: colon
        ? `write ${JSON.stringify(project.replace(':', '/'))}`
        : `give the id of the cluster in Rancher, a slash and the name of the Project object, or "${ANY}"`,
      says: 'no matched IPPool with requirement',
    }];
  });
}

/** Namespaces in the scope of a pool that no load balancer is ever in. */
export function checkPoolNamespaces(manifest: Manifest): Problem[] {
  return scopeOf(manifest).flatMap(({ namespace }, index): Problem[] => {
    if (namespace === ANY || isLate(namespace) || RFC1123_LABEL.test(namespace)) { return []; }
    return [{
      path: `${SELECTOR}.scope[${index}].namespace`,
      ...(namespace === '' ? {} : { value: namespace }),
      level: 'warning',
      message: namespace === '' ? 'is empty, which matches no namespace' : 'is accepted and never matches: it is no name of a namespace',
      fix: `name a namespace, or give "${ANY}" for all`,
      says: 'no matched IPPool with requirement',
    }];
  });
}
