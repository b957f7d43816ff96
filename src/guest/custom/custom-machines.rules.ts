import { isLate } from '../../core/late/late-token';
import { labelsOf, Manifest, valueAt, groupOf, objectLabel } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { problemsOf } from '../../core/problem/problem';
import { ResolvedEdges, waitingForReady } from '../../core/program/edges';
import { Program, ProgramObject, programFinding } from '../../core/program/program';
import { Finding } from '../../core/rule/finding';
import { rules } from '../../core/rule/kit/fact';
import { errorIf } from '../../core/rule/kit/relations';
import { MACHINES_WAIT } from '../../core/rule/program-rules';
import { JudgedObject, World } from '../../core/rule/rule';
import { named } from '../../core/rule/world-lookup';
import { byObject } from '../../core/text/values';
import { nodeNameIn } from '../../harvester/cloud-init/cloud-init.check';
import {
  GROUP_KUBEVIRT,
  KIND_VIRTUAL_MACHINE,
  instanceOf,
  isHarvesters,
  MACHINE_KINDS,
} from '../../harvester/virtual-machine/machine-manifest.facts';
import { cloudInitOfMachine } from '../../harvester/virtual-machine/virtual-machine.rules';
import { kubeconfigOfSecret } from '../cloud-provider/cloud-config-secret.rules';
import { GuestHarvesters } from '../cloud-provider/guest-harvester.facts';
import { cloudConfigsOf, hasProvider, rkeConfigOf } from '../cluster/cluster-reader.facts';
import {
  SYSTEM_AGENT_INSTALL_PATH,
  VM_LABEL_GUEST_CLUSTER,
  isCluster,
} from '../cluster/cluster.kind';

const CLOUD_PROVIDER =
  'harvester/cloud-provider-harvester:pkg/cloud-controller-manager/instance.go getVM';

/** The guest cluster that a virtual machine is a node of, by its label. */
function clusterNameOf({ manifest }: JudgedObject): string | undefined {
  const name =
    labelsOf(manifest)[VM_LABEL_GUEST_CLUSTER] ??
    valueAt(manifest, 'spec', 'template', 'metadata', 'labels', VM_LABEL_GUEST_CLUSTER);
  return typeof name === 'string' && name !== '' && !isLate(name) ? name : undefined;
}

/** The Cluster of that name; undefined if there is none, or several. */
function clusterOf(name: string, world: World): JudgedObject | undefined {
  const clusters = named(world, GROUPS.PROVISIONING, 'Cluster', name).filter(({ manifest }) =>
    rkeConfigOf(manifest),
  );
  return clusters.length === 1 ? clusters[0] : undefined;
}

/** The guest cluster of a virtual machine. */
interface Membership {
  /** The Cluster, if it is known. */
  readonly cluster?: JudgedObject;
  /**
   * Whether labels name the cluster; otherwise only a registration command in user data shows that
   * the machine is a node.
   */
  readonly labeled: boolean;
}

/**
 * The guest cluster that a virtual machine is a node of: by its label, otherwise the only one that
 * a registration command in user data can be for.
 */
function membershipOf(machine: JudgedObject, world: World): Membership | undefined {
  if (!isHarvesters(machine)) {
    return undefined;
  }
  const name = clusterNameOf(machine);
  if (name !== undefined) {
    return { cluster: clusterOf(name, world), labeled: true };
  }
  const clusters = customClusters(world);
  if (
    clusters.length === 0 ||
    !cloudInitOfMachine(machine, world, 'userData').some(({ text }) =>
      text.includes(SYSTEM_AGENT_INSTALL_PATH),
    )
  ) {
    return undefined;
  }
  return { ...(clusters.length === 1 ? { cluster: clusters[0] } : {}), labeled: false };
}

/** The custom clusters of a world with the cloud provider. */
const customClusters = byObject((world: World): readonly JudgedObject[] =>
  world
    .ofKind(GROUPS.PROVISIONING, 'Cluster')
    .filter(({ manifest }) => isCustomCluster(manifest) && hasProvider(manifest)),
);

/** Where the machines of a cluster are looked for. */
interface Place {
  readonly target?: string;
  readonly namespace?: string;
  readonly by: string;
}

/** The first machine of each guest cluster, computed once a world. */
const firstMachines = byObject((world: World): ReadonlyMap<string, JudgedObject> => {
  const first = new Map<string, JudgedObject>();
  for (const machine of world.ofKind(GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE)) {
    const cluster = clusterNameOf(machine);
    if (cluster !== undefined && !first.has(cluster)) {
      first.set(cluster, machine);
    }
  }
  return first;
});

function placeOf(cluster: JudgedObject, machine: JudgedObject, world: World): Place {
  const config = cloudConfigsOf(cluster.manifest)
    .map((reference) => kubeconfigOfSecret(cluster, reference, world))
    .find((each) => each !== undefined);
  const view = config === 'none' ? undefined : config;
  const host =
    view?.server !== undefined && URL.canParse(view.server)
      ? new URL(view.server).hostname
      : undefined;
  const harvesters = GuestHarvesters.in(world);
  const byAddress =
    host === undefined
      ? undefined
      : [...harvesters.targets.values()].find(({ vip }) => vip === host);
  const target = (byAddress ?? harvesters.of(cluster))?.name;
  if (view) {
    return {
      ...(target === undefined ? {} : { target }),
      namespace: view.namespace ?? 'default',
      by: 'where the cloud config of the cluster looks',
    };
  }
  const first = firstMachines(world).get(cluster.manifest.metadata.name) ?? machine;
  return {
    target: target ?? first.target.name,
    namespace: namespaceOf(first.manifest),
    by: `as for ${first.manifest.metadata.name}`,
  };
}

const namespaceOf = ({ metadata }: Manifest): string => metadata.namespace ?? 'default';

/** Rules for virtual machines that are nodes of a guest cluster. */
export const CUSTOM_MACHINE_RULES = rules({ kinds: MACHINE_KINDS }, [
  {
    id: 'virtual-machine/node-name',
    what: 'the node name in the registration command of a virtual machine is the name of the machine, by which the cloud provider looks it up',
    source: CLOUD_PROVIDER,
    judge: (machine, world) => {
      const membership = membershipOf(machine, world);
      const { name } = machine.manifest.metadata;
      if (!membership || isLate(name)) {
        return undefined;
      }
      const { cluster, labeled } = membership;
      return (
        !(cluster && !hasProvider(cluster.manifest)) &&
        problemsOf(cloudInitOfMachine(machine, world, 'userData'), ({ path, text }) => {
          const given = nodeNameIn(text);
          // a guest agent that reports this host name lets later cloud providers find the machine
          const hostname =
            valueAt(instanceOf(machine.manifest), 'hostname') ??
            /^(?:hostname|fqdn): *["']?([^"'\s#]+)/m.exec(text)?.[1];
          return (
            given !== undefined &&
            given !== name &&
            given !== hostname && {
              path,
              value: given,
              level: errorIf(cluster && labeled),
              message: `must register the node as ${name}, the name of the virtual machine: otherwise the cloud provider does not find it, and the node is removed`,
              fix: `write --node-name ${name}, or leave it out`,
            }
          );
        })
      );
    },
  },
  {
    id: 'virtual-machine/guest-place',
    what: 'all virtual machines of a guest cluster are on one Harvester cluster, in the namespace of its cloud config',
    source: `${CLOUD_PROVIDER}; harvester/docs rancher/csi-driver.md (Prerequisites)`,
    judge: (machine, world) => {
      const { cluster, labeled } = membershipOf(machine, world) ?? {};
      if (!cluster || !hasProvider(cluster.manifest)) {
        return undefined;
      }
      const { name } = cluster.manifest.metadata;
      const { target, namespace, by } = placeOf(cluster, machine, world);
      const own = namespaceOf(machine.manifest);
      if (target !== undefined && target !== machine.target.name) {
        return {
          level: errorIf(labeled),
          message: `must be on ${target}, ${by}: the cloud provider and the CSI driver of ${name} find machines on only one Harvester cluster`,
          fix: `create it on ${target}`,
        };
      }
      return (
        namespace !== undefined &&
        namespace !== own &&
        !isLate(namespace) &&
        !isLate(own) && {
          path: 'metadata.namespace',
          value: own,
          level: errorIf(labeled),
          message: `must be ${namespace}, ${by}: the cloud provider and the CSI driver of ${name} find machines in only one namespace`,
          fix: `use the namespace ${namespace}`,
        }
      );
    },
  },
  {
    id: 'virtual-machine/guest-unlabeled',
    level: 'warning',
    what: 'a virtual machine that registers as a node of a custom cluster has the labels of its nodes',
    source:
      'https://docs.harvesterhci.io/latest/rancher/cloud-provider; harvester/harvester:pkg/controller/master/virtualmachineinstance',
    judge: (machine, world) => {
      const membership = membershipOf(machine, world);
      const cluster = membership?.cluster
        ? `Cluster ${membership.cluster.manifest.metadata.name}`
        : 'its Cluster';
      return (
        membership &&
        !membership.labeled && {
          path: `metadata.labels[${VM_LABEL_GUEST_CLUSTER}]`,
          message: `must be the name of ${cluster}: the virtual machine registers as a node, but Harvester and the cloud provider do not treat it as one`,
          fix: 'set guestCluster of the machine, or write the labels of a node',
        }
      );
    },
  },
]);

/**
 * Virtual machines that wait until a custom cluster is ready, which becomes ready only through
 * them: apply would wait indefinitely.
 *
 * If one machine does not wait, the others may: they are nodes that join later.
 */
export function waitingMachines({ objects }: Program, edges: ResolvedEdges): Finding[] {
  const byCluster = new Map<unknown, ProgramObject[]>();
  for (const object of objects.filter(
    ({ manifest }) =>
      manifest.kind === KIND_VIRTUAL_MACHINE && groupOf(manifest.apiVersion) === GROUP_KUBEVIRT,
  )) {
    const name = labelsOf(object.manifest)[VM_LABEL_GUEST_CLUSTER];
    byCluster.set(name, [...(byCluster.get(name) ?? []), object]);
  }
  if (byCluster.size === 0) {
    return [];
  }
  return objects
    .filter(({ manifest }) => isCustomCluster(manifest))
    .flatMap((cluster) => {
      const machines = byCluster.get(cluster.manifest.metadata.name);
      if (!machines) {
        return [];
      }
      const waiting = waitingForReady(edges, cluster.id);
      if (!machines.every(({ id }) => waiting.has(id))) {
        return [];
      }
      return machines.map((machine) =>
        programFinding(
          MACHINES_WAIT,
          machine.construct,
          {
            path: '',
            message:
              `waits until ${objectLabel(cluster.manifest)} is ready, as do all its virtual machines here, and it becomes ready only through them: ` +
              'apply would wait indefinitely',
            fix: 'set guestCluster of the machine, which makes it wait for the Cluster itself, and remove the edge to the cluster or to objects in it',
          },
          machine,
        ),
      );
    });
}

/** Whether an object is a custom cluster, which machines join by themselves. */
function isCustomCluster(manifest: Manifest): boolean {
  const config = isCluster(manifest) ? rkeConfigOf(manifest) : undefined;
  const pools = config && (config.machinePools ?? []);
  return Array.isArray(pools) && pools.length === 0;
}
