import {
  isLoadBalancer,
  portsOf,
  primaryOf,
  sharesItself,
  ANNOTATION_PRIMARY_SERVICE,
} from './load-balancer-service.check';
import { isLate } from '../../core/late/late-token';
import { namespacedName } from '../../core/manifest/manifest';
import { NAMESPACED_NAME } from '../../core/manifest/names';
import { problemsOf } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { errorIf } from '../../core/rule/kit/relations';
import { World } from '../../core/rule/rule';
import { byObject } from '../../core/text/values';
import { Balancer, addressPlan } from '../../harvester/load-balancer/address-plan.facts';

const SOURCE = 'harvester/cloud-provider-harvester:pkg/cloud-controller-manager/loadbalancer.go';
const PATH = `metadata.annotations[${ANNOTATION_PRIMARY_SERVICE}]`;

/** A Service that shares an address, or has it, with the object that creates it. */
type Sharer = Pick<Balancer, 'object' | 'manifest' | 'primary'>;

const NO_SHARERS: readonly Sharer[] = [];

/**
 * The Services that share an address, by `<target> <namespace>/<name>` of the Service that has it.
 * That one comes first, then those that the cluster has: the cloud provider refuses later ones.
 */
const sharersIn = byObject((world: World): ReadonlyMap<string, readonly Sharer[]> => {
  const found = new Map<string, Sharer[]>();
  for (const balancer of addressPlan(world).balancers) {
    if (balancer.manifest.kind !== 'Service') {
      continue;
    }
    const key = `${balancer.object.target.name} ${balancer.primary ?? namespacedName(balancer.manifest)}`;
    const list = found.get(key) ?? [];
    list.push(balancer);
    found.set(key, list);
  }
  return new Map([...found].map(([key, list]) => [key, inOrder(list, world)]));
});

/** The Service that has the address, those that the cluster has, and the others. */
function inOrder(list: readonly Sharer[], world: World): readonly Sharer[] {
  const all = [...unannotatedPrimary(list, world), ...list];
  return all.sort((a, b) => rankOf(a, world) - rankOf(b, world));
}

/** The Service whose address is shared, where no annotation shows that a Harvester gives it one. */
function unannotatedPrimary(list: readonly Sharer[], world: World): Sharer[] {
  const [{ object, primary }] = list;
  if (primary === undefined || list.some((each) => each.primary === undefined)) {
    return [];
  }
  const [namespace, name] = primary.split('/');
  const found = world.find(object, '', 'Service', namespace, name);
  return found && isLoadBalancer(found.manifest) && primaryOf(found.manifest) === undefined
    ? [{ object: found, manifest: found.manifest }]
    : [];
}

function rankOf({ object, primary }: Sharer, world: World): number {
  if (primary === undefined) {
    return 0;
  }
  return world.exists(object) ? 1 : 2;
}

/** The Services that share the address of a Service, which is among them. */
function sharersOf(target: string, service: string, world: World): readonly Sharer[] {
  return sharersIn(world).get(`${target} ${service}`) ?? NO_SHARERS;
}

/** The first Service with each port, among those that share an address. */
const takenPorts = byObject(
  (sharers: readonly Sharer[]): ReadonlyMap<number, Sharer> =>
    // of entries with the same key, a map keeps the last
    new Map(
      [...sharers]
        .reverse()
        .flatMap((balancer) => portsOf(balancer.manifest).map((port) => [port, balancer] as const)),
    ),
);

/** Rules for Services that share an address. */
export const SHARED_ADDRESS_RULES = rules(
  { kinds: ['/Service', 'helm.cattle.io/HelmChartConfig'] },
  [
    {
      id: 'service/primary',
      what: 'a Service shares the address of a Service of type LoadBalancer with its own address',
      source: `${SOURCE} getPrimaryService`,
      judge: (object, world) => {
        const { primary } = addressPlan(world).balancerOf(object) ?? {};
        if (primary === undefined || isLate(primary) || !NAMESPACED_NAME.test(primary)) {
          return undefined;
        }
        const at = { path: PATH, value: primary };
        if (primary === namespacedName(object.manifest)) {
          return {
            ...at,
            message: 'must be another Service',
            fix: 'use another Service, or remove it',
            says: `service ${primary} is not a primary service`,
          };
        }
        const [namespace, name] = primary.split('/');
        const manifest =
          world.find(object, '', 'Service', namespace, name)?.manifest ??
          sharersOf(object.target.name, primary, world).find(
            (balancer) => namespacedName(balancer.manifest) === primary,
          )?.manifest;
        if (!manifest) {
          return {
            ...at,
            level: errorIf(world.isListed(object, '', 'Service', namespace)),
            message: 'does not match any known Service of this cluster',
            fix: 'declare it or correct the name',
            says: `get service ${primary} failed`,
          };
        } else if (!isLoadBalancer(manifest)) {
          return {
            ...at,
            message: 'must be of type LoadBalancer to share an address',
            fix: 'use a Service of type LoadBalancer',
          };
        }
        return (
          primaryOf(manifest) !== undefined && sharesItself(PATH, primary, primaryOf(manifest))
        );
      },
    },
    {
      id: 'service/shared-port',
      what: 'Services that share an address have different port numbers, whatever their protocols',
      says: 'has been used in service',
      source: `${SOURCE} checkPortOverlap`,
      judge: (object, world) => {
        const balancer = addressPlan(world).balancerOf(object);
        if (balancer?.primary === undefined) {
          return undefined;
        }
        const taken = takenPorts(sharersOf(object.target.name, balancer.primary, world));
        return problemsOf(portsOf(balancer.manifest), (port, index) => {
          const other = taken.get(port);
          return (
            other !== undefined &&
            other.object !== object && {
              path:
                object.manifest === balancer.manifest
                  ? `spec.ports[${index}].port`
                  : 'spec.valuesContent',
              value: port,
              message: `must differ from the ports of Service ${namespacedName(other.manifest)}, which shares the address, even with another protocol`,
              fix: 'use another port, or an own address',
              says: `port ${port} has been used in service ${namespacedName(other.manifest)}`,
            }
          );
        });
      },
    },
    {
      id: 'service/primary-gone',
      what: 'a Service is kept while other Services share its address',
      says: 'is still used by other services',
      source: `${SOURCE} EnsureLoadBalancerDeleted`,
      when: ({ manifest }) => manifest.kind === 'Service' && isLoadBalancer(manifest),
      judgeDeletion: ({ manifest, target }, world) => {
        const using = sharersOf(target.name, namespacedName(manifest), world).map((balancer) =>
          namespacedName(balancer.manifest),
        );
        return (
          using.length > 0 && {
            message: `must not be deleted while ${using.join(', ')} share${using.length === 1 ? 's' : ''} its address: the deletion would hang`,
            fix: 'delete those first, or set their own ipam',
            says: `could not delete load balancer for service ${namespacedName(manifest)}: service is still used by other services [${using.join(' ')}]`,
          }
        );
      },
    },
  ],
);
