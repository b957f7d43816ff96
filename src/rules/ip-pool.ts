import { POOL_RELATION_RULES } from './ip-pool-relations';
import { POOL_UPDATE_RULES } from './ip-pool-updates';
import { JudgedObject, Rule } from './rule';
import {
  checkPoolNamespaces, checkPoolProjects, checkPoolRanges, checkPoolSelector, checkPoolSize, checkReversedRanges,
} from '../model/load-balancer/check-pool';
import { API_LOAD_BALANCER } from '../model/load-balancer/names';
import { Problem } from '../model/problem';

const KINDS = ['loadbalancer.harvesterhci.io/IPPool'];
const VALIDATOR = 'harvester/load-balancer-harvester:pkg/webhook/ippool/validator.go';
const ALLOCATOR = 'harvester/load-balancer-harvester:pkg/ipam/allocator.go';
const SELECTION = 'harvester/load-balancer-harvester:pkg/ipam/selector.go';

const API_GROUP: Rule = {
  id: 'ip-pool/api-group',
  level: 'error',
  kinds: ['networking.harvesterhci.io/IPPool'],
  what: 'an IPPool is of the group loadbalancer.harvesterhci.io; the one in the examples of the documentation does not exist',
  source: 'harvester/load-balancer-harvester:manifests of IPPool; harvester/docs:docs/networking/ippool.md',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    yield {
      path: 'apiVersion',
      value: manifest.apiVersion,
      message: 'is the group of the documentation, which no Harvester has',
      fix: `write ${API_LOAD_BALANCER}`,
      says: `no matches for kind "IPPool" in version "${manifest.apiVersion}"`,
    };
  },
};

const RANGES: Rule = {
  id: 'ip-pool/ranges',
  level: 'error',
  kinds: KINDS,
  what: 'a pool has ranges whose ends and gateway are host addresses of their subnet, and none overlaps another',
  says: 'can\'t create IP pool',
  source: `${VALIDATOR} checkRange; ${ALLOCATOR} MakeRange`,
  judge: ({ manifest }: JudgedObject) => checkPoolRanges(manifest),
};

const REVERSED: Rule = {
  id: 'ip-pool/reversed',
  level: 'warning',
  kinds: KINDS,
  what: 'a range begins with its lower address',
  source: 'seen on load-balancer-harvester 1.9-dev; its source puts the ends in order',
  judge: ({ manifest }: JudgedObject) => checkReversedRanges(manifest),
};

const NO_ADDRESS: Rule = {
  id: 'ip-pool/no-address',
  level: 'error',
  kinds: KINDS,
  what: 'a pool has an address beside its gateway, which is never given out',
  says: 'no available IP',
  source: `${ALLOCATOR} countIP`,
  judge: ({ manifest }: JudgedObject) => checkPoolSize(manifest),
};

const SELECTOR: Rule = {
  id: 'ip-pool/selector',
  level: 'error',
  kinds: KINDS,
  what: 'the selector of a pool names a network as namespace/name, a priority, and a list of scopes that do not overlap',
  source: `${VALIDATOR} checkSelectorItself`,
  judge: ({ manifest }: JudgedObject) => checkPoolSelector(manifest),
};

const PROJECT: Rule = {
  id: 'ip-pool/project',
  level: 'error',
  kinds: KINDS,
  what: 'a project in the scope of a pool is <cluster id>/<project> with a slash; with a colon it is accepted and never matches',
  says: 'no matched IPPool with requirement',
  source: 'harvester/load-balancer-harvester:pkg/webhook/loadbalancer/mutator.go findProject; seen on load-balancer-harvester 1.9-dev',
  judge: ({ manifest }: JudgedObject) => checkPoolProjects(manifest),
};

const NAMESPACE: Rule = {
  id: 'ip-pool/namespace',
  level: 'warning',
  kinds: KINDS,
  what: 'a namespace in the scope of a pool is that of a load balancer, or "*"; an empty one matches nothing',
  says: 'no matched IPPool with requirement',
  source: `${SELECTION} isMatch`,
  judge: ({ manifest }: JudgedObject) => checkPoolNamespaces(manifest),
};

/** Rules for the pools that load balancers take their addresses from. */
export const IP_POOL_RULES: readonly Rule[] = [
  API_GROUP, RANGES, REVERSED, NO_ADDRESS, SELECTOR, PROJECT, NAMESPACE, ...POOL_RELATION_RULES, ...POOL_UPDATE_RULES,
];
