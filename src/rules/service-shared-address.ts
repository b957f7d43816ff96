import { addressPlan, Balancer } from './load-balancer-plan';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { isLate } from '../model/late-token';
import { ANNOTATION_PRIMARY_SERVICE, NAMESPACED_NAME } from '../model/load-balancer/names';
import { isLoadBalancer, portsOf, primaryOf } from '../model/load-balancer/service';
import { Manifest } from '../model/manifest';
import { Problem } from '../model/problem';

const KINDS = ['/Service', 'helm.cattle.io/HelmChartConfig'];
const SOURCE = 'harvester/cloud-provider-harvester:pkg/cloud-controller-manager/loadbalancer.go';
const PATH = `metadata.annotations[${ANNOTATION_PRIMARY_SERVICE}]`;

/** Who shares an address: the Service that has it, as `<target> <namespace>/<name>`, and all that name it. */
type Sharers = ReadonlyMap<string, readonly Balancer[]>;

const SHARERS = new WeakMap<World, Sharers>();

function sharersOf(world: World): Sharers {
  let sharers = SHARERS.get(world);
  if (!sharers) {
    const found = new Map<string, Balancer[]>();
    for (const balancer of addressPlan(world).balancers) {
      if (balancer.manifest.kind !== 'Service') { continue; }
      const key = `${balancer.object.target.name} ${balancer.primary ?? labelOf(balancer.manifest)}`;
      const list = found.get(key) ?? [];
      // the one that has the address comes first
      if (balancer.primary === undefined) { list.unshift(balancer); } else { list.push(balancer); }
      found.set(key, list);
    }
    sharers = found;
    SHARERS.set(world, sharers);
  }
  return sharers;
}

function labelOf({ metadata: { namespace, name } }: Manifest): string {
  return `${namespace ?? 'default'}/${name}`;
}

const PRIMARY: Rule = {
  id: 'service/primary',
  level: 'error',
  kinds: KINDS,
  what: 'a Service shares the address of one that is of type LoadBalancer and shares none itself',
  source: `${SOURCE} getPrimaryService`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { primary } = addressPlan(world).balancerOf(object) ?? {};
    if (primary === undefined || isLate(primary) || !NAMESPACED_NAME.test(primary)) { return; }
    const at = { path: PATH, value: primary };
    const made = sharersOf(world).get(`${object.target.name} ${primary}`)?.find((balancer) => labelOf(balancer.manifest) === primary)?.manifest;
    const [namespace, name] = primary.split('/');
    const manifest = world.find(object, '', 'Service', namespace, name)?.manifest ?? made;
    if (primary === labelOf(object.manifest)) {
      yield {
        ...at,
        message: 'is the Service itself',
        fix: 'name another Service, or leave it out',
        says: `service ${primary} is not a primary service`,
      };
    } else if (!manifest) {
      yield {
        ...at,
        level: 'warning',
        message: 'is no Service of this cluster as far as is known',
        fix: 'declare it or correct the name',
        says: `get service ${primary} failed`,
      };
    } else if (!isLoadBalancer(manifest)) {
      yield { ...at, message: 'is not of type LoadBalancer, so it has no address to share', fix: 'name a Service of type LoadBalancer' };
    } else if (primaryOf(manifest) !== undefined) {
      yield {
        ...at,
        message: 'shares the address of another itself',
        fix: `name that one: ${primaryOf(manifest)}`,
        says: `service ${primary} is not a primary service`,
      };
    }
  },
};

const PORT: Rule = {
  id: 'service/shared-port',
  level: 'error',
  kinds: KINDS,
  what: 'Services that share an address have port numbers of their own, whatever their protocols',
  says: 'has been used in service',
  source: `${SOURCE} checkPortOverlap`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const balancer = addressPlan(world).balancerOf(object);
    if (balancer?.primary === undefined) { return; }
    const taken = takenPorts(world, `${object.target.name} ${balancer.primary}`);
    for (const [index, port] of portsOf(balancer.manifest).entries()) {
      const other = taken.get(port);
      if (other === undefined || other === balancer) { continue; }
      yield {
        path: object.manifest === balancer.manifest ? `spec.ports[${index}].port` : 'spec.valuesContent',
        value: port,
        message: `is a port of Service ${labelOf(other.manifest)}, which has the same address; the protocol does not count`,
        fix: 'give another port, or an address of its own',
        says: `port ${port} has been used in service ${labelOf(other.manifest)}`,
      };
    }
  },
};

const TAKEN = new WeakMap<World, Map<string, ReadonlyMap<number, Balancer>>>();

// who has a port first; found once an address, however many share it
function takenPorts(world: World, key: string): ReadonlyMap<number, Balancer> {
  const known = TAKEN.get(world) ?? new Map<string, ReadonlyMap<number, Balancer>>();
  TAKEN.set(world, known);
  let ports = known.get(key);
  if (!ports) {
    const found = new Map<number, Balancer>();
    for (const balancer of sharersOf(world).get(key) ?? []) {
      for (const port of portsOf(balancer.manifest)) { if (!found.has(port)) { found.set(port, balancer); } }
    }
    ports = found;
    known.set(key, ports);
  }
  return ports;
}

const PRIMARY_GONE: Rule = {
  id: 'service/primary-gone',
  level: 'error',
  kinds: KINDS,
  what: 'a Service is deleted after those that share its address',
  says: 'is still used by other services',
  source: `${SOURCE} EnsureLoadBalancerDeleted`,
  *judgeDeletion({ manifest, target }: JudgedObject, world: World): Iterable<Problem> {
    if (manifest.kind !== 'Service' || !isLoadBalancer(manifest)) { return; }
    const using = (sharersOf(world).get(`${target.name} ${labelOf(manifest)}`) ?? []).map((balancer) => labelOf(balancer.manifest));
    if (using.length === 0) { return; }
    yield {
      path: '',
      message: `is taken away while ${using.join(', ')} share${using.length === 1 ? 's' : ''} its address: the deletion would hang`,
      fix: 'delete those first, or give them an ipam of their own',
      says: `could not delete load balancer for service ${labelOf(manifest)}: service is still used by other services [${using.join(' ')}]`,
    };
  },
};

/** Rules for Services that share an address. */
export const SHARED_ADDRESS_RULES: readonly Rule[] = [PRIMARY, PORT, PRIMARY_GONE];
