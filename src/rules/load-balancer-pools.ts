import { addressPlan, networkOn } from './load-balancer-plan';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { CNI } from '../model/infrastructure-names';
import { printRequirement } from '../model/load-balancer/select-pool';
import { valueAt } from '../model/manifest';
import { netConfOf } from '../model/networks/attachment-check';
import { Problem } from '../model/problem';

const MAX_SHOWN = 5;
const KINDS = ['/Service', 'helm.cattle.io/HelmChartConfig', 'loadbalancer.harvesterhci.io/LoadBalancer'];

const NO_POOL: Rule = {
  id: 'load-balancer/no-pool',
  level: 'warning',
  kinds: KINDS,
  what: 'a load balancer that asks for an address of a pool is in the scope of one',
  says: 'no matched IPPool with requirement',
  source: 'harvester/load-balancer-harvester:pkg/controller/loadbalancer/controller.go selectIPPool',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const plan = addressPlan(world);
    const balancer = plan.balancerOf(object);
    // a pool by name is told by another rule; and a world without pools is one of Services alone
    if (balancer?.selection?.kind !== 'none' || balancer.named !== undefined) { return; }
    const pools = plan.poolsOn(balancer.harvester);
    if (pools.length === 0) { return; }
    const names = pools.slice(0, MAX_SHOWN).map(({ pool }) => pool.name).join(', ');
    const more = pools.length > MAX_SHOWN ? ` and ${pools.length - MAX_SHOWN} more` : '';
    yield {
      path: '',
      message: `gets no address: none of the pools of ${balancer.harvester} (${names}${more}) takes ${printRequirement(balancer.requirement)}`,
      fix: 'give a pool that network and a scope for it, or declare a global pool',
      says: 'no matched IPPool with requirement',
    };
  },
};

const EXHAUSTED: Rule = {
  id: 'load-balancer/pool-exhausted',
  level: 'error',
  kinds: KINDS,
  what: 'a pool has an address for every load balancer that gets one of it',
  says: 'no available IP',
  source: 'harvester/load-balancer-harvester:pkg/controller/loadbalancer/controller.go allocateIPFromPool',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const plan = addressPlan(world);
    const balancer = plan.balancerOf(object);
    if (!balancer?.exhausted || balancer.selection?.kind !== 'pool') { return; }
    const { pool } = balancer.selection;
    const { size, asking } = plan.plannedOf(pool)!;
    const given = pool.allocated.size > 0 ? `, of which ${pool.allocated.size} are given out` : '';
    yield {
      path: '',
      // there may be other pools that are not known, of a higher priority
      ...(balancer.named === undefined ? { level: 'warning' as const } : {}),
      message: `gets no address: pool ${pool.name} has ${size}${given}, and ${asking} load balancers ask for one`,
      fix: 'add a range to the pool, scope another pool for some of them, or share an address between Services',
      says: 'no available IP',
    };
  },
};

const OVERLAY: Rule = {
  id: 'load-balancer/overlay-network',
  level: 'warning',
  kinds: ['/Service', 'helm.cattle.io/HelmChartConfig'],
  what: 'the network of a load balancer of a guest cluster is no overlay network of Kube-OVN',
  source: 'harvester/docs v1.8 networking/harvester-network.md',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const plan = addressPlan(world);
    const { harvester, requirement } = plan.balancerOf(object) ?? {};
    const target = harvester === undefined ? undefined : plan.harvesters.get(harvester);
    const network = target && requirement?.network ? networkOn(target, requirement.network, world) : undefined;
    const config = network && netConfOf(valueAt(network, 'spec', 'config'));
    if (config?.type !== CNI.KUBE_OVN) { return; }
    yield {
      path: '',
      message: `gets no address: its network ${requirement!.network} is an overlay network, on which there are no load balancers`,
      fix: 'put the machines first on a VLAN or untagged network, or expose it another way',
    };
  },
};

/** Rules for load balancers of every kind and the pools that they get their addresses from. */
export const BALANCER_POOL_RULES: readonly Rule[] = [NO_POOL, EXHAUSTED, OVERLAY];
