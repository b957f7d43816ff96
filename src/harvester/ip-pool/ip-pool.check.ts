import {
  printRange,
  readRange,
  sizeOfAll,
  ANY_OF_SCOPE,
  PoolScope,
  isGlobal,
  readPool,
  poolScopesOf,
  scopesOverlap,
} from './pool-selection.facts';
import { overlaps } from '../../core/go/go-ip';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, valueAt, itemsAt } from '../../core/manifest/manifest';
import { NAMESPACED_NAME, RFC1123_LABEL } from '../../core/manifest/names';
import { Problem } from '../../core/problem/problem';
import { ObjectFact } from '../../core/rule/kit/object-fact';

const RANGES = 'spec.ranges';
const SELECTOR = 'spec.selector';
/** `<cluster ID>/<project>`: Rancher creates a Namespace for both names. */
const PROJECT = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?\/[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const MAX_PRIORITY = 2147483647;

/** Checks the ranges of a pool. */
function checkPoolRanges(manifest: Manifest): Problem[] {
  const ranges = valueAt(manifest, 'spec', 'ranges') ?? [];
  // the rule on types of fields reports other types
  if (!Array.isArray(ranges)) {
    return [];
  }
  if (ranges.length === 0) {
    return [
      {
        path: RANGES,
        message: 'must contain a range',
        fix: 'add at least one subnet',
        says: "range can't be empty",
      },
    ];
  }
  const read = ranges.map((entry, index) => readRange(`${RANGES}[${index}]`, entry));
  const shared = read.flatMap(({ range }, index): Problem[] => {
    const other = range
      ? read
          .slice(0, index)
          .findIndex((candidate) => candidate.range && overlaps(candidate.range, range))
      : -1;
    if (other < 0) {
      return [];
    }
    return [
      {
        path: `${RANGES}[${index}]`,
        value: printRange(range!),
        message: `cannot overlap ranges[${other}], ${printRange(read[other].range!)}`,
        fix: 'change one of the ranges, so that every address is in one range',
        says: 'there are overlaps between range',
      },
    ];
  });
  return [...read.flatMap(({ problems }) => problems), ...shared];
}

/** Checks for ranges whose start is after their end. */
function checkReversedRanges(manifest: Manifest): Problem[] {
  return itemsAt(manifest, 'spec', 'ranges').flatMap((entry, index): Problem[] => {
    const { range } = readRange('', entry);
    if (range?.reversed !== true) {
      return [];
    }
    return [
      {
        path: `${RANGES}[${index}].rangeStart`,
        value: valueAt(entry, 'rangeStart'),
        level: 'warning',
        message:
          'must be rangeEnd or earlier: the server accepts the range, but allocates no address of it',
        fix: 'swap the start and the end of the range',
      },
    ];
  });
}

/** Checks for a pool whose only address is the gateway. */
function checkPoolSize(manifest: Manifest): Problem[] {
  const { ranges, complete } = readPool(manifest);
  if (
    !complete ||
    ranges.length === 0 ||
    ranges.some(({ reversed }) => reversed) ||
    sizeOfAll(ranges) > 0n
  ) {
    return [];
  }
  return [
    {
      path: RANGES,
      message: 'must contain an address other than the gateway, which is never allocated',
      fix: 'add addresses, or set a gateway outside of the range; it is the first host of the subnet by default',
      says: 'no available IP',
    },
  ];
}

/** Checks the selector of a pool. */
function checkPoolSelector(manifest: Manifest): Problem[] {
  const selector = valueAt(manifest, 'spec', 'selector');
  if (!isRecord(selector)) {
    return [];
  }
  const { network, priority } = selector;
  return [
    ...checkNetwork(network),
    ...checkPriority(priority),
    ...checkScopeOverlap(poolScopesOf(manifest)),
  ];
}

function checkNetwork(network: unknown): Problem[] {
  if (
    network === undefined ||
    network === '' ||
    typeof network !== 'string' ||
    isLate(network) ||
    NAMESPACED_NAME.test(network)
  ) {
    return [];
  }
  return [
    {
      path: `${SELECTOR}.network`,
      value: network,
      message: 'must be <namespace>/<name>',
      fix: 'set the namespace and name of a NetworkAttachmentDefinition',
      says: `invalid network ${network}`,
    },
  ];
}

function checkPriority(priority: unknown): Problem[] {
  if (
    typeof priority !== 'number' ||
    (Number.isInteger(priority) && priority >= 0 && priority <= MAX_PRIORITY)
  ) {
    return [];
  }
  return [
    {
      path: `${SELECTOR}.priority`,
      value: priority,
      message: `must be a whole number from 0 to ${MAX_PRIORITY}`,
      fix: 'set a priority; the higher one wins',
    },
  ];
}

function checkScopeOverlap(scope: readonly PoolScope[]): Problem[] {
  if (isGlobal(scope)) {
    return [];
  }
  return scope.flatMap((tuple, index): Problem[] => {
    const other = scope.slice(0, index).findIndex((candidate) => scopesOverlap(candidate, tuple));
    if (other < 0) {
      return [];
    }
    return [
      {
        path: `${SELECTOR}.scope[${index}]`,
        value: tuple,
        message: `cannot overlap scope[${other}]`,
        fix: `remove one of them; "${ANY_OF_SCOPE}" matches everything`,
        says: 'scope overlaps',
      },
    ];
  });
}

/** Checks for projects in the scope of a pool that never match a load balancer. */
function checkPoolProjects(manifest: Manifest): Problem[] {
  return poolScopesOf(manifest).flatMap(({ project }, index): Problem[] => {
    if (project === '' || project === ANY_OF_SCOPE || isLate(project) || PROJECT.test(project)) {
      return [];
    }
    const colon = project.includes(':');
    return [
      {
        path: `${SELECTOR}.scope[${index}].project`,
        value: project,
        ...(colon ? {} : { level: 'warning' as const }),
        message:
          'must be <cluster ID>/<project>: the server accepts other texts, but they never match',
        fix: colon
          ? `set ${JSON.stringify(project.replace(':', '/'))}`
          : `set the management cluster ID, a slash and the name of the Project object, or "${ANY_OF_SCOPE}"`,
        says: 'no matched IPPool with requirement',
      },
    ];
  });
}

/** Checks for namespaces in the scope of a pool that never match a load balancer. */
function checkPoolNamespaces(manifest: Manifest): Problem[] {
  return poolScopesOf(manifest).flatMap(({ namespace }, index): Problem[] => {
    if (namespace === ANY_OF_SCOPE || isLate(namespace) || RFC1123_LABEL.test(namespace)) {
      return [];
    }
    return [
      {
        path: `${SELECTOR}.scope[${index}].namespace`,
        ...(namespace === '' ? {} : { value: namespace }),
        level: 'warning',
        message:
          namespace === ''
            ? 'is empty, which matches no namespace'
            : 'must be the name of a namespace: the server accepts other texts, but they never match',
        fix: `set a namespace, or "${ANY_OF_SCOPE}" for all`,
        says: 'no matched IPPool with requirement',
      },
    ];
  });
}

/** Where Harvester's webhook judges a pool. */
export const POOL_VALIDATOR = 'harvester/load-balancer-harvester:pkg/webhook/ippool/validator.go';
const ALLOCATOR = 'harvester/load-balancer-harvester:pkg/ipam/allocator.go';
const SELECTION = 'harvester/load-balancer-harvester:pkg/ipam/selector.go';

/** What holds for an IP pool on its own. */
export const IP_POOL_FACTS: readonly ObjectFact[] = [
  {
    id: 'ip-pool/ranges',
    what: 'a pool has ranges whose start, end and gateway are host addresses of their subnet, and that do not overlap',
    says: "can't create IP pool",
    source: `${POOL_VALIDATOR} checkRange; ${ALLOCATOR} MakeRange`,
    check: checkPoolRanges,
  },
  {
    id: 'ip-pool/reversed',
    level: 'warning',
    what: 'a range starts with its lower address',
    source: 'seen on load-balancer-harvester 1.9-dev; its source puts the ends in order',
    check: checkReversedRanges,
  },
  {
    id: 'ip-pool/no-address',
    what: 'a pool has an address other than its gateway, which is never allocated',
    says: 'no available IP',
    source: `${ALLOCATOR} countIP`,
    check: checkPoolSize,
  },
  {
    id: 'ip-pool/selector',
    what: 'the selector of a pool has a network as namespace/name, a valid priority, and scopes that do not overlap',
    source: `${POOL_VALIDATOR} checkSelectorItself`,
    check: checkPoolSelector,
  },
  {
    id: 'ip-pool/project',
    what: 'a project in the scope of a pool is <cluster ID>/<project> with a slash; with a colon it is accepted, but never matches',
    says: 'no matched IPPool with requirement',
    source:
      'harvester/load-balancer-harvester:pkg/webhook/loadbalancer/mutator.go findProject; seen on load-balancer-harvester 1.9-dev',
    check: checkPoolProjects,
  },
  {
    id: 'ip-pool/namespace',
    level: 'warning',
    what: 'a namespace in the scope of a pool is that of a load balancer, or "*"; an empty one matches none',
    says: 'no matched IPPool with requirement',
    source: `${SELECTION} isMatch`,
    check: checkPoolNamespaces,
  },
];
