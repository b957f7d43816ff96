import { setTimeout as sleep } from 'node:timers/promises';
import { Manifest, objectLabel } from '../../../src/core/manifest/manifest';
import { Client } from '../../cluster/client';

const MERGE_PATCH = 'application/merge-patch+json';
const LOOK_MS = 1000;

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

/** What KubeVirt creates of a VirtualMachine that runs. */
export function instanceOfMachine({ name, namespace, network, cluster }: GuestMachine): Manifest {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name, namespace, labels: { [CREATOR]: NODE_DRIVER, [GUEST_CLUSTER]: cluster } },
    spec: {
      domain: { devices: { interfaces: [{ name: 'nic-0', bridge: {} }] } },
      networks: [{ name: 'nic-0', multus: { networkName: network } }],
    },
    status: {
      phase: 'Running',
      interfaces: [
        {
          name: 'nic-0',
          interfaceName: 'enp1s0',
          ipAddress: MACHINE_ADDRESS,
          ipAddresses: [MACHINE_ADDRESS],
        },
      ],
    },
  } as Manifest;
}

/**
 * Deletes what `instanceOfMachine` is of, as KubeVirt does before it lets a VirtualMachine go.
 *
 * Without the VirtualMachine, Harvester never removes its finalizer.
 *
 * @see harvester/harvester:pkg/controller/master/virtualmachine/vmi_network_controller.go BackfillObservedNetworkMacAddress
 */
export async function removeInstance(harvester: Client, instance: Manifest): Promise<void> {
  await harvester.delete(instance);
  const machine = await harvester.read({ ...instance, kind: 'VirtualMachine' });
  if (machine.status === 404) {
    const path = await harvester.pathOf(instance);
    const body = { metadata: { finalizers: null } };
    await harvester.request('PATCH', path, { body, contentType: MERGE_PATCH });
  }
  for (let looked = 0; (await harvester.read(instance)).status !== 404; looked++) {
    if (looked > 30) {
      throw new Error(`${objectLabel(instance)} is still there`);
    }
    await sleep(LOOK_MS);
  }
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
