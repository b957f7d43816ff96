import { setTimeout as sleep } from 'node:timers/promises';
import { Manifest, objectLabel } from '../../../src/core/manifest/manifest';
import { Client, Impersonated } from '../../cluster/client';

const MERGE_PATCH = 'application/merge-patch+json';
const LOOK_MS = 1000;
const REMOVE_MS = 60_000;

/** The taint of a Node that no cloud provider knows yet. @see kubernetes/cloud-provider:api/well_known_taints.go TaintExternalCloudProvider */
export const UNINITIALIZED = 'node.cloudprovider.kubernetes.io/uninitialized';

/** The label by which the node driver marks machines of a guest cluster. @see harvester/docker-machine-driver-harvester:harvester/create.go */
const GUEST_CLUSTER = 'guestcluster.harvesterhci.io/name';
/** @see harvester/load-balancer-harvester:pkg/utils/const.go LabelKeyHarvesterCreator */
const CREATOR = 'harvesterhci.io/creator';
const NODE_DRIVER = 'docker-machine-driver-harvester';

/** The address of the machines on their network. */
export const MACHINE_ADDRESS = '198.18.10.21';

/** A machine of a guest cluster on the Harvester, on one network. */
export interface GuestMachine {
  readonly name: string;
  readonly namespace: string;
  /** `<namespace>/<name>`. */
  readonly network: string;
  /** The name of the guest cluster. */
  readonly cluster: string;
}

/** The VirtualMachine of a machine, as far as the cloud provider reads it; it is halted. */
export function virtualMachineOf({ name, namespace, cluster }: GuestMachine): Manifest {
  const labels = { [CREATOR]: NODE_DRIVER, [GUEST_CLUSTER]: cluster };
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace, labels },
    spec: {
      runStrategy: 'Halted',
      template: {
        metadata: { labels },
        spec: {
          domain: {
            cpu: { cores: 1 },
            memory: { guest: '1Gi' },
            resources: { limits: { cpu: '1', memory: '1Gi' } },
            devices: {},
          },
        },
      },
    },
  } as Manifest;
}

/** What KubeVirt creates of a VirtualMachine that runs. Its webhooks, where they run, ask for memory. */
export function instanceOfMachine({ name, namespace, network, cluster }: GuestMachine): Manifest {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name, namespace, labels: { [CREATOR]: NODE_DRIVER, [GUEST_CLUSTER]: cluster } },
    spec: {
      architecture: 'amd64',
      domain: {
        devices: { interfaces: [{ name: 'nic-0', bridge: {} }] },
        resources: { requests: { memory: '1Gi' } },
      },
      networks: [{ name: 'nic-0', multus: { networkName: network } }],
    },
  } as Manifest;
}

/** The status of a VirtualMachineInstance that runs, and has an address. */
export const RUNNING = {
  phase: 'Running',
  interfaces: [
    {
      name: 'nic-0',
      interfaceName: 'enp1s0',
      ipAddress: MACHINE_ADDRESS,
      ipAddresses: [MACHINE_ADDRESS],
    },
  ],
};

/**
 * Who may write the status of a VirtualMachineInstance: KubeVirt's webhook begins each with
 * `Pending`, and restores what it had where anyone else changes it.
 *
 * @see kubevirt/kubevirt:pkg/virt-api/webhooks/mutating-webhook/mutators/vmi-mutator.go Mutate, pkg/virt-api/webhooks/serviceaccounts.go (1.7.0)
 */
const KUBEVIRT: Impersonated = {
  user: 'system:serviceaccount:harvester-system:kubevirt-controller',
  // a Harvester without KubeVirt has no role for it
  group: 'system:masters',
};

/** Writes the status of a VirtualMachineInstance as KubeVirt does. Throws where it is another one. */
export async function setInstanceStatus(
  harvester: Client,
  instance: Manifest,
  status: { readonly phase: string; readonly interfaces: readonly object[] },
): Promise<void> {
  const path = await harvester.pathOf(instance);
  // definitions of KubeVirt have no subresource for it; those of others may
  for (const place of [path, `${path}/status`]) {
    const patched = await harvester.request('PATCH', place, {
      body: { status },
      contentType: MERGE_PATCH,
      as: KUBEVIRT,
    });
    if (patched.body?.status?.phase === status.phase) {
      return;
    }
  }
  throw new Error(`${objectLabel(instance)} does not become ${status.phase}`);
}

/** What KubeVirt's webhook gives each VirtualMachineInstance, and its controller removes. @see kubevirt/kubevirt:api/core/v1/types.go VirtualMachineInstanceFinalizer (1.7.0) */
const KUBEVIRT_FINALIZER = /^(kubevirt\.io\/)?foregroundDeleteVirtualMachine$/;

/**
 * Deletes what `instanceOfMachine` is of, as KubeVirt does before it lets a VirtualMachine go.
 *
 * Without the VirtualMachine, Harvester never removes its finalizer.
 *
 * @see harvester/harvester:pkg/controller/master/virtualmachine/vmi_network_controller.go BackfillObservedNetworkMacAddress
 */
export async function removeInstance(harvester: Client, instance: Manifest): Promise<void> {
  await harvester.delete(instance);
  const path = await harvester.pathOf(instance);
  for (const end = Date.now() + REMOVE_MS; ; await sleep(LOOK_MS)) {
    const { status, body } = await harvester.read(instance);
    if (status === 404) {
      return;
    }
    if (Date.now() > end) {
      throw new Error(`${objectLabel(instance)} is still there`);
    }
    // asked each time: a VirtualMachine that is being deleted is there for some seconds
    const machine = await harvester.read({ ...instance, kind: 'VirtualMachine' });
    const kept = ((body.metadata.finalizers ?? []) as string[]).filter(
      (finalizer) => machine.status !== 404 && !KUBEVIRT_FINALIZER.test(finalizer),
    );
    await harvester.request('PATCH', path, {
      body: { metadata: { finalizers: kept.length > 0 ? kept : null } },
      contentType: MERGE_PATCH,
      as: KUBEVIRT,
    });
  }
}

/**
 * Changes an annotation of a VirtualMachineInstance. The cloud provider skips those without any, and
 * learns the networks of its machines when one changes whose Node it knows.
 *
 * @see harvester/cloud-provider-harvester:pkg/controller/virtualmachineinstance/controller.go OnVmiChanged (0.2.7)
 */
export async function annotateInstance(harvester: Client, instance: Manifest): Promise<void> {
  await harvester.request('PATCH', await harvester.pathOf(instance), {
    body: { metadata: { annotations: { 'live.example.com/changed': String(Date.now()) } } },
    contentType: MERGE_PATCH,
  });
}

/** Registers a machine as a Node, as the kubelet of RKE2 with `cloud-provider-name: harvester`. */
export async function registerNode(guest: Client, name: string): Promise<void> {
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'node-role.kubernetes.io/control-plane': 'true',
        'node-role.kubernetes.io/etcd': 'true',
      },
    },
    spec: { taints: [{ key: UNINITIALIZED, value: 'true', effect: 'NoSchedule' }] },
  };
  const created = await guest.request('POST', '/api/v1/nodes', { body: node });
  if (created.status >= 300) {
    throw new Error(`Node ${name}: ${created.body?.message}`);
  }
  const now = new Date().toISOString().replace(/\.\d+Z/, 'Z');
  await guest.request('PATCH', `/api/v1/nodes/${name}/status`, {
    contentType: MERGE_PATCH,
    body: {
      status: {
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            reason: 'KubeletReady',
            message: '',
            lastHeartbeatTime: now,
            lastTransitionTime: now,
          },
        ],
      },
    },
  });
}
