import { addressesOf } from './machine-addresses.facts';
import { isLate } from '../../core/late/late-token';
import { Manifest, sameValue } from '../../core/manifest/manifest';
import { joinedProblems, problemsOf } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { World } from '../../core/rule/rule';
import { byObject } from '../../core/text/values';
import { poolGiving } from '../../harvester/load-balancer/address-plan.facts';
import {
  ClusterPool,
  configOf,
  deletesFirst,
  poolsOf,
  usersOf,
} from '../cluster/cluster-reader.facts';
import {
  GROUP_MACHINE_CONFIG,
  HARVESTER_CONFIG_KIND,
  MACHINE_CONFIG_KINDS,
} from '../machine-config/machine-config.kind';
import { leastMachinesOf } from '../machine-pool/machine-pool.rules';

/** The first machine configuration with each address, by Harvester, network and address. */
const ownersIn = byObject((world: World): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const config of world.ofKind(GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND)) {
    const { addresses, harvester, network } = addressesOf(config, world);
    if (harvester === undefined || network === undefined || isLate(network)) {
      continue;
    }
    for (const address of addresses) {
      const key = `${harvester} ${network} ${address}`;
      if (!found.has(key)) {
        found.set(key, config.manifest.metadata.name);
      }
    }
  }
  return found;
});

/** Whether a pool replaces its machines with etcd, each deleted before the new one is created. */
function isEtcdFirst({ fields }: ClusterPool): boolean {
  return fields.etcdRole === true && fields.paused !== true && deletesFirst(fields);
}

/** Whether an edit changes the machines of a configuration. */
function replaces(
  { metadata: _, ...now }: Manifest,
  { metadata: __, ...before }: Manifest,
): boolean {
  return !sameValue(now, before);
}

/** Rules for the fixed addresses of machines. */
export const CONFIG_ADDRESS_RULES = rules({ kinds: MACHINE_CONFIG_KINDS }, [
  {
    id: 'machine-config/address',
    fields: ['networkData'],
    what: 'a fixed address belongs to one machine of a network, and to no load balancer',
    source:
      'harvester/load-balancer-harvester:pkg/ipam/allocator.go: addresses of machines are not reserved',
    judge: (config, world) => {
      const { addresses, harvester, network } = addressesOf(config, world);
      return problemsOf(addresses, (value) => {
        const at = { path: 'networkData', value };
        const owner =
          network === undefined
            ? undefined
            : ownersIn(world).get(`${harvester} ${network} ${value}`);
        const taken = poolGiving(value, harvester, world);
        return joinedProblems(
          owner !== undefined &&
            owner !== config.manifest.metadata.name && {
              ...at,
              message: `cannot be the address of these machines: those of ${owner} have it in the same network`,
              fix: 'use another address',
            },
          taken && {
            ...at,
            level: 'warning',
            message: `is an address of IP pool ${taken.name}, which gives it to a load balancer, too`,
            fix: 'use an address outside of its ranges, or reserve addresses by a pool without scopes: FixedAddresses.pool',
          },
        );
      });
    },
  },
  {
    id: 'machine-config/etcd-at-once',
    level: 'warning',
    what: 'an edit leaves etcd a majority of its machines while others are replaced',
    source:
      'kubernetes-sigs/cluster-api:internal/controllers/machinedeployment: each pool is rolled out by itself; ' +
      'rancher/rancher:pkg/controllers/capr/bootstrap/controller.go: a machine is held back only until its member has left etcd (unconfirmed)',
    judgeUpdate: (config, before, world) =>
      replaces(config.manifest, before) &&
      problemsOf(usersOf(config, world), ({ cluster, pool }) => {
        if (!isEtcdFirst(pool)) {
          return undefined;
        }
        const pools = poolsOf(cluster.manifest).filter(({ fields }) => fields.etcdRole === true);
        const total = pools.reduce((sum, each) => sum + leastMachinesOf(each), 0);
        const replaced = pools.filter((each) => {
          const own =
            isEtcdFirst(each) && leastMachinesOf(each) > 0
              ? configOf(cluster, each, world)
              : undefined;
          const old = own && world.beforeOf(own);
          return own && old && replaces(own.manifest, old);
        });
        const left = total - replaced.length;
        // once for each Cluster
        return (
          replaced.length > 1 &&
          replaced[0].name === pool.name &&
          left <= total / 2 && {
            path: '',
            message:
              `replaces machines of the pools ${replaced.map(({ name }) => name).join(', ')} at the same time, each deleted before its replacement starts: ` +
              `${left} of ${total} machines with etcd remain`,
            fix: 'replace one after the other: set rollOut of fixedAddresses to one address, or paused on the other pools, apply and wait, and go on with the next',
          }
        );
      }),
  },
]);
