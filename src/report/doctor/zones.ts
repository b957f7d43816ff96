import { Check, Symptom } from './diagnosis';
import { LiveWorld, SeenTarget, listOf, textAt } from './live-world';
import { isRecord, valueAt } from '../../core/manifest/manifest';
import { LiveObject } from '../../engine/cluster/cluster';
import { NODE_LABEL } from '../../harvester/node/node.check';

/** The host of a virtual machine. */
interface Host {
  readonly harvester: string;
  readonly node: LiveObject;
}

/** Prefix of the provider ID of a node, before the UID of its virtual machine. @see harvester/cloud-provider-harvester:pkg/cloud-controller-manager/instances.go */
const PROVIDER_ID = 'harvester://';

const HOSTS = new WeakMap<LiveWorld, ReadonlyMap<string, Host>>();

/** The hosts of all running virtual machines, by the UID of the VirtualMachine. */
function hostsIn(world: LiveWorld): ReadonlyMap<string, Host> {
  let hosts = HOSTS.get(world);
  if (!hosts) {
    hosts = new Map(world.ofKind('harvester').flatMap((seen) => {
      const nodes = new Map(listOf(seen, 'nodes').map((node) => [node.metadata.name, node]));
      return listOf(seen, 'instances').flatMap((instance): [string, Host][] => {
        const node = nodes.get(textAt(instance, 'status', 'nodeName'));
        const owners: unknown = valueAt(instance, 'metadata', 'ownerReferences');
        const uid = textAt(Array.isArray(owners) ? owners.find((owner) => isRecord(owner) && owner.kind === 'VirtualMachine') : undefined, 'uid');
        return node && uid !== '' ? [[uid, { harvester: seen.target.name, node }]] : [];
      });
    }));
    HOSTS.set(world, hosts);
  }
  return hosts;
}

const ZONE: Check = {
  id: 'node/zone',
  level: 'warning',
  what: 'nodes of a guest cluster have the zone and the region of the Harvester node that they run on',
  source: 'harvester/cloud-provider-harvester:pkg/controller/virtualmachineinstance/controller.go',
  on: ['guest'],
  needs: ['nodes'],
  *look(seen: SeenTarget, world: LiveWorld): Iterable<Symptom> {
    const hosts = hostsIn(world);
    for (const object of listOf(seen, 'nodes')) {
      const id = textAt(object, 'spec', 'providerID');
      const host = id.startsWith(PROVIDER_ID) ? hosts.get(id.slice(PROVIDER_ID.length)) : undefined;
      if (!host) { continue; }
      const differences = Object.values(NODE_LABEL).flatMap((label) => {
        const [own, ofHost] = [object, host.node].map(({ metadata: { labels } }) => labels?.[label]);
        return own === ofHost ? [] : [`${label} is ${own ?? 'not set'}, that of its host is ${ofHost ?? 'not set'}`];
      });
      if (differences.length === 0) { continue; }
      yield {
        object,
        message: `runs on ${host.node.metadata.name} of ${host.harvester}: ${differences.join('; ')}`,
        fix: 'migrate the virtual machine, or restart it: the cloud provider copies the labels when a node registers and after a migration; '
          + 'it needs RKE2 v1.22.12, v1.23.9, v1.24.3 or later, or its chart 0.1.4',
      };
    }
  },
};

/** Checks of zones and regions. */
export const ZONE_CHECKS: readonly Check[] = [ZONE];
