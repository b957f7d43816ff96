import { isUnrecorded } from './leftovers';
import {
  DoctorCheck,
  Symptom,
  LiveWorld,
  SeenTarget,
  liveCondition,
  listOf,
  liveTextAt,
} from './live-world';
import { isRecord, valueAt, itemsAt } from '../../core/manifest/manifest';
import { TARGET_KINDS } from '../../core/output/assembly';
import { byObject, jsonOf } from '../../core/text/values';
import { wordsOf } from '../../engine/agents/agent-pods';
import { LiveObject } from '../../engine/cluster/cluster';
import { readinessOf, readyContext } from '../../engine/ready/wait-ready';
import { NODE_LABEL } from '../../harvester/node/node.kind';
import { CONDITION, FINALIZER_NAMESPACE_AUTH } from '../../rancher/cluster/cluster.facts';

const MINUTE = 60_000;

/** How long a deletion, or becoming ready, may take before it is reported. */
const PATIENCE = 10 * MINUTE;

const NOT_CONFIGURED: DoctorCheck = {
  id: 'setting/not-configured',
  level: 'error',
  what: 'Harvester applied its settings',
  source: 'harvester/harvester:pkg/controller/master/setting/handler.go; seen on 1.7.2',
  on: ['harvester'],
  needs: ['settings'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    for (const object of listOf(seen, 'settings')) {
      // an empty value that is applied has the status False too, without a message, and so does one
      // that no controller reads any longer
      const { state, why } = readinessOf(object, readyContext(seen.target));
      if (state === 'failing') {
        yield {
          object,
          message: `configured=False: ${wordsOf(why, object)}`,
          fix: 'correct its value; Harvester retries indefinitely, with growing pauses',
        };
      }
    }
  },
};

const NO_BACKING_NAMESPACE: DoctorCheck = {
  id: 'project/no-namespace',
  level: 'error',
  what: 'each Project has its namespace on Rancher, which holds its members',
  source:
    'rancher/rancher:pkg/apis/management.cattle.io/v3/authz_types.go GetProjectBackingNamespace',
  on: ['rancher'],
  needs: ['projects', 'namespaces'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    const there = new Set(listOf(seen, 'namespaces').map(({ metadata }) => metadata.name));
    for (const object of listOf(seen, 'projects')) {
      const name = liveTextAt(object, 'status', 'backingNamespace') || object.metadata.name;
      if (object.metadata.deletionTimestamp !== undefined || there.has(name)) {
        continue;
      }
      const condition = liveCondition(object, 'BackingNamespaceCreated');
      yield {
        object,
        message: `its namespace ${name} does not exist, so no member can be bound${condition?.message ? `: ${wordsOf(condition.message, object)}` : ''}`,
        fix: 'delete the Project and apply it again; never write that namespace yourself',
      };
    }
  },
};

const TERMINATING: DoctorCheck = {
  id: 'namespace/terminating',
  level: 'warning',
  what: 'deleted namespaces are removed',
  source: 'harvester/harvester#8321, rancher/rancher#36450',
  on: TARGET_KINDS,
  needs: ['namespaces'],
  *look(seen: SeenTarget, world: LiveWorld): Iterable<Symptom> {
    for (const object of listOf(seen, 'namespaces')) {
      const since = world.since(object.metadata.deletionTimestamp);
      if (since === undefined || since < PATIENCE) {
        continue;
      }
      const held = finalizersOf(object);
      const says = [
        'NamespaceFinalizersRemaining',
        'NamespaceContentRemaining',
        'NamespaceDeletionDiscoveryFailure',
      ].flatMap((type) => {
        const condition = liveCondition(object, type);
        return condition?.status === 'True' ? [wordsOf(condition.message, object)] : [];
      });
      yield {
        object,
        message: `has been Terminating for ${Math.floor(since / MINUTE)} minutes; held by ${[...held, ...says].join('; ') || 'an unknown holder'}`,
        fix: held.includes(FINALIZER_NAMESPACE_AUTH)
          ? `connect the cluster to Rancher again, whose controller takes ${FINALIZER_NAMESPACE_AUTH} off; only where Rancher is gone for good, take it off by hand`
          : 'find who is to take these off and let it run; taking a finalizer off by hand leaves behind what it was there for',
      };
    }
  },
};

const STUCK: DoctorCheck = {
  id: 'object/terminating',
  level: 'warning',
  what: 'deleted Clusters and Projects are removed',
  source: 'rancher/rancher:pkg/controllers/provisioningv2/cluster/remove.go',
  on: ['rancher'],
  needs: ['clusters', 'projects'],
  *look(seen: SeenTarget, world: LiveWorld): Iterable<Symptom> {
    for (const object of [...listOf(seen, 'clusters'), ...listOf(seen, 'projects')]) {
      const since = world.since(object.metadata.deletionTimestamp);
      if (since === undefined || since < PATIENCE) {
        continue;
      }
      yield {
        object,
        message: `its deletion started ${Math.floor(since / MINUTE)} minutes ago; held by ${finalizersOf(object).join(', ') || 'no finalizer'}`,
        fix:
          'machines of a guest cluster can only be deleted while its cloud credential and its Harvester exist: restore them; ' +
          'removing finalizers leaves virtual machines behind',
      };
    }
  },
};

function finalizersOf(object: LiveObject): string[] {
  const own = valueAt(object, 'spec', 'finalizers');
  return [
    ...(object.metadata.finalizers ?? []),
    ...(object.kind === 'Namespace' && Array.isArray(own)
      ? own.map(String).filter((name) => name !== 'kubernetes')
      : []),
  ];
}

const ORPHAN_MACHINE_CONFIG: DoctorCheck = {
  id: 'machine-config/orphan',
  level: 'info',
  what: 'machine configs are used by a pool of a Cluster',
  source:
    'rancher/rancher:pkg/controllers/provisioningv2/provisioningcluster/template.go takeOwnership: it is deleted with the Cluster that owns it',
  on: ['rancher'],
  needs: ['machine-configs', 'clusters'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    const used = new Set(
      listOf(seen, 'clusters').flatMap((cluster) => {
        return itemsAt(cluster, 'spec', 'rkeConfig', 'machinePools').map(
          (pool) => `${cluster.metadata.namespace}/${liveTextAt(pool, 'machineConfigRef', 'name')}`,
        );
      }),
    );
    for (const object of listOf(seen, 'machine-configs')) {
      const { namespace, name } = object.metadata;
      if (!used.has(`${namespace}/${name}`)) {
        yield {
          object,
          message: 'no machine pool of a Cluster uses it',
          fix: 'delete it unless it is kept for later',
        };
      }
    }
  },
};

const LOAD_BALANCER: DoctorCheck = {
  id: 'load-balancer/not-ready',
  level: 'error',
  what: 'load balancers have an address',
  source: 'harvester/load-balancer-harvester:pkg/apis/loadbalancer.harvesterhci.io/v1beta1/type.go',
  on: ['harvester'],
  needs: ['load-balancers'],
  *look(seen: SeenTarget, world: LiveWorld): Iterable<Symptom> {
    for (const object of listOf(seen, 'load-balancers')) {
      const ready = liveCondition(object, CONDITION.READY);
      if (
        object.metadata.deletionTimestamp !== undefined ||
        (ready?.status === 'True' && liveTextAt(object, 'status', 'address') !== '') ||
        // reported by a check of its own
        isUnrecorded(object)
      ) {
        continue;
      }
      const age = world.since(object.metadata.creationTimestamp) ?? Infinity;
      yield {
        object,
        level: ready?.status === 'False' && age >= PATIENCE ? 'error' : 'warning',
        message:
          `has ${liveTextAt(object, 'status', 'address') === '' ? 'no address' : 'an address, but is not ready'}` +
          (ready?.message ? `: ${wordsOf(ready.message, object)}` : ''),
        fix:
          'with pool: an IPPool whose scope takes its project, namespace and cluster must have a free address; with DHCP: its network must have a server; ' +
          'and its selector must meet virtual machines that run',
      };
    }
  },
};

const RESTART: DoctorCheck = {
  id: 'virtual-machine/restart',
  level: 'info',
  what: 'no change of a virtual machine waits for its restart',
  source: 'kubevirt/kubevirt:pkg/virt-controller/watch/vm/vm.go setRestartRequired',
  on: ['harvester'],
  needs: ['machines'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    for (const object of listOf(seen, 'machines')) {
      const condition = liveCondition(object, 'RestartRequired');
      if (condition?.status !== 'True') {
        continue;
      }
      const { namespace, name } = object.metadata;
      yield {
        object,
        message: `waits for a restart${condition.message ? `: ${wordsOf(condition.message, object)}` : ''}`,
        fix: `restart it when convenient: virtctl restart ${name} -n ${namespace}, or Restart in the UI`,
      };
    }
  },
};

const QUOTA: DoctorCheck = {
  id: 'namespace/quota',
  level: 'warning',
  what: 'the quotas of namespaces fit into the quota of their project',
  source:
    'rancher/rancher: annotation cattle.io/status; seen on 2.13.8: the quota is applied in full all the same',
  on: ['harvester', 'guest'],
  needs: ['namespaces'],
  *look(seen: SeenTarget): Iterable<Symptom> {
    for (const object of listOf(seen, 'namespaces')) {
      const failed = statusConditions(object).find(
        ({ Type, Status }) => Type === 'ResourceQuotaValidated' && Status === 'False',
      );
      if (!failed) {
        continue;
      }
      yield {
        object,
        message: `${String(failed.Message ?? 'its quota was not validated')}; its ResourceQuota still has the full size`,
        fix: 'increase the quota of the project, or lower the quotas of its namespaces',
      };
    }
  },
};

// Rancher's own form: {"Conditions":[{"Type":…,"Status":…,"Message":…}]}
function statusConditions(object: LiveObject): readonly { readonly [field: string]: unknown }[] {
  return itemsAt(jsonOf(object.metadata.annotations?.['cattle.io/status']), 'Conditions').filter(
    isRecord,
  );
}

/** The host of a virtual machine. */
interface Host {
  readonly harvester: string;
  readonly node: LiveObject;
}

/**
 * Prefix of the provider ID of a node, before the UID of its virtual machine.
 * @see harvester/cloud-provider-harvester:pkg/cloud-controller-manager/instances.go
 */
const PROVIDER_ID = 'harvester://';

/** The hosts of all running virtual machines, by the UID of the VirtualMachine. */
const hostsIn = byObject(
  (world: LiveWorld): ReadonlyMap<string, Host> =>
    new Map(
      world.ofKind('harvester').flatMap((seen) => {
        const nodes = new Map(listOf(seen, 'nodes').map((node) => [node.metadata.name, node]));
        return listOf(seen, 'instances').flatMap((instance): [string, Host][] => {
          const node = nodes.get(liveTextAt(instance, 'status', 'nodeName'));
          const uid = liveTextAt(
            itemsAt(instance, 'metadata', 'ownerReferences').find(
              (owner) => isRecord(owner) && owner.kind === 'VirtualMachine',
            ),
            'uid',
          );
          return node && uid !== '' ? [[uid, { harvester: seen.target.name, node }]] : [];
        });
      }),
    ),
);

const ZONE: DoctorCheck = {
  id: 'node/zone',
  level: 'warning',
  what: 'nodes of a guest cluster have the zone and the region of the Harvester node that they run on',
  source: 'harvester/cloud-provider-harvester:pkg/controller/virtualmachineinstance/controller.go',
  on: ['guest'],
  needs: ['nodes'],
  *look(seen: SeenTarget, world: LiveWorld): Iterable<Symptom> {
    const hosts = hostsIn(world);
    for (const object of listOf(seen, 'nodes')) {
      const id = liveTextAt(object, 'spec', 'providerID');
      const host = id.startsWith(PROVIDER_ID) ? hosts.get(id.slice(PROVIDER_ID.length)) : undefined;
      if (!host) {
        continue;
      }
      const differences = Object.values(NODE_LABEL).flatMap((label) => {
        const [own, ofHost] = [object, host.node].map(({ metadata }) => metadata.labels?.[label]);
        return own === ofHost
          ? []
          : [`${label} is ${own ?? 'not set'}, that of its host is ${ofHost ?? 'not set'}`];
      });
      if (differences.length === 0) {
        continue;
      }
      yield {
        object,
        message: `runs on ${host.node.metadata.name} of ${host.harvester}: ${differences.join('; ')}`,
        fix:
          'migrate the virtual machine, or restart it: the cloud provider copies the labels when a node registers and after a migration; ' +
          'it needs RKE2 v1.22.12, v1.23.9, v1.24.3 or later, or its chart 0.1.4',
      };
    }
  },
};

export const OBJECT_CHECKS: readonly DoctorCheck[] = [
  NOT_CONFIGURED,
  NO_BACKING_NAMESPACE,
  TERMINATING,
  STUCK,
  ORPHAN_MACHINE_CONFIG,
  LOAD_BALANCER,
  QUOTA,
  ZONE,
  RESTART,
];
