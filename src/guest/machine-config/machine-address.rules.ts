import { addressesOf } from './machine-config-references.rules';
import { isLate } from '../../core/late/late-token';
import { Manifest, kindKey, sameValue, valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { byObject } from '../../core/text/values';
import { poolGiving } from '../../harvester/load-balancer/address-plan.facts';
import { Pool, configOf, poolsOf, usersOf } from '../cluster/cluster-reader.facts';
import { GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND } from '../cluster/cluster.kind';
import { machinesOf } from '../machine-pool/machine-pool.rules';

const KINDS = [kindKey(GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND)];

/** The first machine configuration with each address, by Harvester, network and address. */
const ownersIn = byObject((world: World): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const config of world.ofKind(GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND)) {
    const { addresses, harvester, network } = addressesOf(config, world);
    if (harvester === undefined || network === undefined || isLate(network)) { continue; }
    for (const address of addresses) {
      const key = `${harvester} ${network} ${address}`;
      if (!found.has(key)) { found.set(key, config.manifest.metadata.name); }
    }
  }
  return found;
});

const ADDRESS: Rule = {
  id: 'machine-config/address',
  level: 'error',
  kinds: KINDS,
  fields: ['networkData'],
  what: 'a fixed address belongs to one machine of a network, and to no load balancer',
  source: 'harvester/load-balancer-harvester:pkg/ipam/allocator.go: addresses of machines are not reserved',
  *judge(config: JudgedObject, world: World): Iterable<Problem> {
    const { addresses, harvester, network } = addressesOf(config, world);
    const { name } = config.manifest.metadata;
    for (const address of addresses) {
      const owner = network === undefined ? undefined : ownersIn(world).get(`${harvester} ${network} ${address}`);
      if (owner !== undefined && owner !== name) {
        yield { path: 'networkData', value: address, message: `cannot be the address of these machines: those of ${owner} have it in the same network`, fix: 'use another address' };
      }
      const taken = poolGiving(address, harvester, world);
      if (taken) {
        yield {
          path: 'networkData',
          value: address,
          level: 'warning',
          message: `is an address of IP pool ${taken.name}, which gives it to a load balancer, too`,
          fix: 'use an address outside of its ranges, or reserve addresses by a pool without scopes: FixedAddresses.pool',
        };
      }
    }
  },
};

/** Whether a pool deletes its machine before it creates the new one, and replaces machines at all. */
function goesFirst({ fields }: Pool): boolean {
  return fields.paused !== true && ['0', '0%'].includes(plainText(valueAt(fields.rollingUpdate, 'maxSurge') ?? ''));
}

/** Whether an edit changes the machines of a configuration. */
function replaces({ metadata: _, ...now }: Manifest, { metadata: __, ...before }: Manifest): boolean {
  return !sameValue(now, before);
}

const ETCD_AT_ONCE: Rule = {
  id: 'machine-config/etcd-at-once',
  level: 'warning',
  kinds: KINDS,
  what: 'an edit leaves etcd a majority of its machines while others are replaced',
  source: 'kubernetes-sigs/cluster-api:internal/controllers/machinedeployment: each pool is rolled out by itself; '
    + 'rancher/rancher:pkg/controllers/capr/bootstrap/controller.go: a machine is held back only until its member has left etcd (unconfirmed)',
  *judgeUpdate(config: JudgedObject, before: Manifest, world: World): Iterable<Problem> {
    if (!replaces(config.manifest, before)) { return; }
    for (const { cluster, pool } of usersOf(config, world)) {
      if (pool.fields.etcdRole !== true || !goesFirst(pool)) { continue; }
      const pools = poolsOf(cluster.manifest).filter(({ fields }) => fields.etcdRole === true);
      const total = pools.reduce((sum, each) => sum + machinesOf(each), 0);
      const replaced = pools.filter((each) => {
        const own = goesFirst(each) && machinesOf(each) > 0 ? configOf(cluster, each, world) : undefined;
        const old = own && world.beforeOf(own);
        return own && old && replaces(own.manifest, old);
      });
      // once for each Cluster
      if (replaced.length < 2 || replaced[0].name !== pool.name || total - replaced.length > total / 2) { continue; }
      yield {
        path: '',
        message: `replaces machines of the pools ${replaced.map(({ name }) => name).join(', ')} at the same time, each deleted before its replacement starts: `
          + `${total - replaced.length} of ${total} machines with etcd remain`,
        fix: 'replace one after the other: set rollOut of fixedAddresses to one address, or paused on the other pools, apply and wait, and go on with the next',
      };
    }
  },
};

/** Rules for the fixed addresses of machines. */
export const MACHINE_ADDRESS_RULES: readonly Rule[] = [ADDRESS, ETCD_AT_ONCE];
