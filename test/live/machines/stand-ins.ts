import { setTimeout as sleep } from 'node:timers/promises';
import { Manifest, objectLabel } from '../../../src/core/manifest/manifest';
import {
  MachineFields,
  machineField,
} from '../../../src/guest/machine-config/machine-config.check';
import { machineReferences } from '../../../src/guest/machine-config/machine-json.facts';
import { Client } from '../../cluster/client';
import { removeInstance, setInstanceStatus } from '../balancers/guest-nodes';

/** What KubeVirt makes of a machine that runs. */
const KIND_INSTANCE = 'VirtualMachineInstance';

/** The address of every machine. */
const ADDRESS = '192.0.2.10';

/** The version that the Harvester claims. The driver refuses only those before 0.2. */
const SERVER_VERSION = 'v1.8.2';

/** How long an object may take that is being deleted. */
const WAIT_MS = 60_000;
const LOOK_MS = 500;

/** A VLAN of the network that every Harvester has. */
const BRIDGE = {
  cniVersion: '0.3.1',
  type: 'bridge',
  bridge: 'mgmt-br',
  promiscMode: true,
  vlan: 100,
  ipam: {},
};

/** Objects that tests borrow on a Harvester, which are deleted when they are done. */
export class StandIns {
  private readonly made: Manifest[] = [];

  public constructor(private readonly client: Client) {}

  /** Creates what a HarvesterConfig refers to, as far as it is missing. */
  public async addReferences(config: MachineFields): Promise<void> {
    const namespace = machineField(config, 'vmNamespace') ?? 'default';
    const { images, networks, disks } = machineReferences(config);
    const named = (name: string): readonly [string, string] =>
      name.includes('/') ? (name.split('/') as [string, string]) : [namespace, name];
    await this.add({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await this.addVersion();
    const legacy = (field: string): string[] => [machineField(config, field) ?? []].flat();
    for (const image of [...images, ...legacy('imageName')]) {
      await this.addImage(...named(image));
    }
    for (const network of [...networks, ...legacy('networkName')]) {
      await this.addNetwork(...named(network));
    }
    for (const { storageClassName } of disks) {
      if (storageClassName) {
        await this.add({
          apiVersion: 'storage.k8s.io/v1',
          kind: 'StorageClass',
          metadata: { name: storageClassName },
          provisioner: 'driver.longhorn.io',
        } as Manifest);
      }
    }
  }

  /** Creates what KubeVirt would create of a machine: it runs, and has an address. */
  public async addInstance(namespace: string, name: string): Promise<void> {
    const instance = {
      apiVersion: 'kubevirt.io/v1',
      kind: KIND_INSTANCE,
      metadata: { namespace, name },
      // KubeVirt's own webhooks, where they run, ask for both
      spec: {
        architecture: 'amd64',
        domain: { devices: {}, resources: { requests: { memory: '1Gi' } } },
      },
    };
    await this.add(instance);
    const interfaces = [{ ipAddress: ADDRESS }];
    await setInstanceStatus(this.client, instance, { phase: 'Running', interfaces });
  }

  /** Deletes an object that a program under test made. */
  public own(object: Manifest): void {
    this.made.push(object);
  }

  public async remove(): Promise<void> {
    for (const object of this.made.splice(0).reverse()) {
      if (object.kind === KIND_INSTANCE) {
        await removeInstance(this.client, object);
      } else {
        await this.client.delete(object);
      }
    }
  }

  private async addVersion(): Promise<void> {
    const version = {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Setting',
      metadata: { name: 'server-version' },
      value: SERVER_VERSION,
    };
    await this.add(version);
  }

  private async addImage(namespace: string, name: string): Promise<void> {
    await this.addNamespace(namespace);
    await this.add(
      {
        apiVersion: 'harvesterhci.io/v1beta1',
        kind: 'VirtualMachineImage',
        metadata: { namespace, name },
        spec: {
          displayName: name,
          sourceType: 'download',
          url: 'https://images.example.com/a.img',
        },
      },
      { storageClassName: `lh-${name}` },
    );
  }

  private async addNetwork(namespace: string, name: string): Promise<void> {
    await this.addNamespace(namespace);
    await this.add({
      apiVersion: 'k8s.cni.cncf.io/v1',
      kind: 'NetworkAttachmentDefinition',
      metadata: { namespace, name },
      spec: { config: JSON.stringify({ ...BRIDGE, name }) },
    });
  }

  private async addNamespace(name: string): Promise<void> {
    await this.add({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }

  /** Whether the server has an object. Waits for one that is being deleted, such as a Namespace. */
  private async isThere(object: Manifest): Promise<boolean> {
    for (const end = Date.now() + WAIT_MS; ; await sleep(LOOK_MS)) {
      const { status, body } = await this.client.read(object);
      if (status !== 200 || body.metadata.deletionTimestamp === undefined) {
        return status === 200;
      }
      if (Date.now() > end) {
        throw new Error(`${objectLabel(object)} is still being deleted`);
      }
    }
  }

  /** Creates an object, unless it is there, and sets its status as a controller does. */
  private async add(object: Manifest, status?: object): Promise<void> {
    if (await this.isThere(object)) {
      return;
    }
    const path = await this.client.pathOf(object);
    const created = await this.client.request('POST', path.replace(/\/[^/]+$/, ''), {
      body: { ...object, ...(status ? { status } : {}) },
    });
    if (created.status >= 300) {
      throw new Error(`${objectLabel(object)}: ${created.body?.message}`);
    }
    this.made.push(object);
    if (status) {
      const body = { status };
      const contentType = 'application/merge-patch+json';
      // not every definition has the subresource
      await this.client.request('PATCH', `${path}/status`, { body, contentType });
    }
  }
}
