import { harvesterHas } from './harvester-gates';
import { isPoolKnown } from './ip-pool-relations';
import { addressPlan } from './load-balancer-plan';
import { BALANCER_POOL_RULES } from './load-balancer-pools';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { labelsOf } from '../model/checks/metadata-maps';
import { plainText } from '../model/checks/plain-text';
import { isLate } from '../model/late-token';
import { checkBackendSelector, checkHealthCheck, checkListeners, isClusterBalancer, selectorMatches } from '../model/load-balancer/check-balancer';
import { checkBalancerFields, checkBalancerService } from '../model/load-balancer/check-balancer-fields';
import { API_LOAD_BALANCER, IPAM_DHCP, LABEL_OWN_SERVICE, WORKLOAD_CLUSTER } from '../model/load-balancer/names';
import { isRecord, Manifest, valueAt } from '../model/manifest';
import { Problem } from '../model/problem';
import { GateId } from '../versions/gate-id';

const KINDS = ['loadbalancer.harvesterhci.io/LoadBalancer'];
const VALIDATOR = 'harvester/load-balancer-harvester:pkg/webhook/loadbalancer/validator.go';

const FIELDS: Rule = {
  id: 'load-balancer/fields',
  level: 'error',
  kinds: KINDS,
  what: 'a load balancer has an ipam and a workloadType that there are, and every listener its ports and a protocol',
  says: 'Unsupported value: "DHCP": supported values: "pool", "dhcp"',
  source: 'harvester/load-balancer-harvester: the definition of LoadBalancer',
  judge: ({ manifest }: JudgedObject) => checkBalancerFields(manifest),
};

const SERVICE: Rule = {
  id: 'load-balancer/service',
  level: 'warning',
  kinds: KINDS,
  what: 'the Service that Harvester makes of a load balancer of virtual machines, of its name and with its listeners, is a valid one and nobody else\'s',
  source: 'harvester/load-balancer-harvester:pkg/lb/servicelb/manager.go constructService',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    yield* checkBalancerService(object.manifest);
    const { name, namespace = 'default' } = object.manifest.metadata;
    const taken = isClusterBalancer(object.manifest) ? undefined : world.find(object, '', 'Service', namespace, name)?.manifest;
    if (!taken || labelsOf(taken)[LABEL_OWN_SERVICE] !== undefined) { return; }
    yield {
      path: 'metadata.name',
      value: name,
      message: `is that of the Service ${namespace}/${name}, whose ports Harvester overwrites with the listeners`,
      fix: 'give the load balancer, or the Service, another name',
    };
  },
};

const LISTENERS: Rule = {
  id: 'load-balancer/listeners',
  level: 'error',
  kinds: KINDS,
  what: 'a load balancer of virtual machines has listeners with names, ports and backend ports of their own',
  says: 'the loadbalancer needs to have at least one listener',
  source: `${VALIDATOR} checkListeners`,
  judge: ({ manifest }: JudgedObject) => checkListeners(manifest),
};

const HEALTH_CHECK: Rule = {
  id: 'load-balancer/health-check',
  level: 'error',
  kinds: KINDS,
  what: 'a health check asks the backend port of a TCP listener',
  says: 'is not in listener backend port list',
  source: `${VALIDATOR} checkHealthyCheck`,
  judge: ({ manifest }: JudgedObject) => checkHealthCheck(manifest),
};

const FIXED: Rule = {
  id: 'load-balancer/fixed',
  level: 'error',
  kinds: KINDS,
  what: 'a load balancer keeps its ipam and its workloadType',
  says: 'can\'t change the IPAM from pool to dhcp',
  source: `${VALIDATOR} checkIPAM, checkWorkloadType (Harvester 1.4.0 and later)`,
  *judgeUpdate({ manifest, target }: JudgedObject, before: Manifest): Iterable<Problem> {
    const level = harvesterHas(target, GateId.LOAD_BALANCER_IPAM_FIXED) === false ? { level: 'warning' as const } : {};
    for (const [field, words, special] of [['ipam', 'IPAM', IPAM_DHCP], ['workloadType', 'WorkloadType', WORKLOAD_CLUSTER]] as const) {
      const [was, is] = [before, manifest].map((state) => valueAt(state, 'spec', field));
      if ((was === special) === (is === special) || isLate(was) || isLate(is)) { continue; }
      yield {
        path: `spec.${field}`,
        value: is,
        ...level,
        message: `was ${JSON.stringify(was ?? '')} and can not change`,
        fix: 'delete the load balancer and create it anew; it gets another address',
        says: `can't change the ${words} from ${plainText(was ?? '')} to ${plainText(is ?? '')}`,
      };
    }
  },
};

const POOL: Rule = {
  id: 'load-balancer/pool',
  level: 'warning',
  kinds: KINDS,
  what: 'a pool that a load balancer names exists, by its name alone, and is not given together with dhcp',
  source: 'harvester/load-balancer-harvester:pkg/controller/loadbalancer/controller.go requestIP',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const [pool, ipam] = ['ipPool', 'ipam'].map((field) => valueAt(object.manifest, 'spec', field));
    if (typeof pool !== 'string' || pool === '' || isLate(pool)) { return; }
    const at = { path: 'spec.ipPool', value: pool };
    if (ipam === IPAM_DHCP) {
      yield { ...at, message: 'does nothing beside ipam dhcp', fix: 'leave one of them out' };
    } else if (pool.includes('/')) {
      yield { ...at, message: 'has a slash: pools are cluster-scoped', fix: 'give the name alone', says: `fail to get allocator ${pool}` };
    } else if (!isPoolKnown(object, world, pool) && addressPlan(world).poolsOn(object.target.name).length > 0) {
      yield {
        ...at,
        message: 'is no pool of this Harvester as far as is known',
        fix: 'declare the pool or correct the name',
        says: `fail to get allocator ${pool}`,
      };
    }
  },
};

const BACKENDS: Rule = {
  id: 'load-balancer/backends',
  level: 'warning',
  kinds: KINDS,
  what: 'the selector of a load balancer finds virtual machines in its own namespace, by the labels of their templates; an empty one finds all of them',
  source: 'harvester/load-balancer-harvester:pkg/lb/servicelb/manager.go getServiceBackendServers; pkg/utils/selector.go',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = object;
    // the older version of the API lists its backends by address
    if (isClusterBalancer(manifest) || manifest.apiVersion !== API_LOAD_BALANCER) { return; }
    const selector = valueAt(manifest, 'spec', 'backendServerSelector');
    const problems = checkBackendSelector(manifest);
    yield* problems;
    if (problems.length > 0 || !isRecord(selector)) { return; }
    const machines = machinesIn(object, world);
    if (machines.length === 0 || machines.some((labels) => selectorMatches(selector, labels))) { return; }
    yield {
      path: 'spec.backendServerSelector',
      value: selector,
      message: `finds none of the ${machines.length} known virtual machines of namespace ${manifest.metadata.namespace ?? 'default'}`,
      fix: 'give labels of spec.template.metadata of virtual machines in that namespace; those of the VirtualMachine itself do not count',
      says: 'no running backend servers',
    };
  },
};

const MACHINES = new WeakMap<World, ReadonlyMap<string, readonly { readonly [key: string]: unknown }[]>>();

// the labels of the machines by target and namespace: an instance has those of its template
function machinesIn({ target, manifest }: JudgedObject, world: World): readonly { readonly [key: string]: unknown }[] {
  let machines = MACHINES.get(world);
  if (!machines) {
    const found = new Map<string, { readonly [key: string]: unknown }[]>();
    for (const machine of world.ofKind('kubevirt.io', 'VirtualMachine')) {
      const labels = valueAt(machine.manifest, 'spec', 'template', 'metadata', 'labels');
      const key = `${machine.target.name} ${machine.manifest.metadata.namespace ?? 'default'}`;
      const list = found.get(key) ?? [];
      list.push(isRecord(labels) ? labels : {});
      found.set(key, list);
    }
    machines = found;
    MACHINES.set(world, machines);
  }
  return machines.get(`${target.name} ${manifest.metadata.namespace ?? 'default'}`) ?? [];
}

const CLUSTER_TYPE: Rule = {
  id: 'load-balancer/cluster-type',
  level: 'warning',
  kinds: KINDS,
  what: 'load balancers of workloadType cluster are written by the cloud provider of a guest cluster',
  source: 'harvester/cloud-provider-harvester:pkg/cloud-controller-manager/loadbalancer.go constructLB',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (!isClusterBalancer(object.manifest) || world.exists(object)) { return; }
    yield {
      path: 'spec.workloadType',
      value: WORKLOAD_CLUSTER,
      message: 'is for the cloud provider: such a load balancer has no listeners and nothing behind it',
      fix: 'declare a Service of type LoadBalancer in the guest cluster, or give "vm"',
    };
  },
};

/** Rules for load balancers on a Harvester. */
export const LOAD_BALANCER_RULES: readonly Rule[] = [
  FIELDS, LISTENERS, HEALTH_CHECK, FIXED, POOL, BACKENDS, SERVICE, CLUSTER_TYPE, ...BALANCER_POOL_RULES,
];
