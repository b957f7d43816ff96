import { readFileSync } from 'fs';
import { join } from 'path';
import { ApiObject, Size } from 'cdk8s';
import { Flux } from './flux';
import { REPOSITORY, kustomization } from './objects';
import { HarvesterApp } from '../../../../src/core/app/harvester-app';
import { Manifest } from '../../../../src/core/manifest/manifest';
import { Delivery } from '../../../../src/delivery/delivery';
import { readAssembly } from '../../../../src/engine/read/load-assembly';
import { ClusterNetwork } from '../../../../src/harvester/cluster-network/cluster-network';
import { HarvesterNamespace } from '../../../../src/harvester/harvester-namespace';
import { VmImage } from '../../../../src/harvester/image/vm-image';
import { KeyPair } from '../../../../src/harvester/key-pair/key-pair';
import { Disk } from '../../../../src/harvester/machine/disk';
import { Nic } from '../../../../src/harvester/machine/nic';
import { VmNetwork } from '../../../../src/harvester/network/vm-network';
import { HarvesterSetting } from '../../../../src/harvester/settings/harvester-setting';
import { HarvesterStorageClass } from '../../../../src/harvester/storage/harvester-storage-class';
import { VirtualMachine } from '../../../../src/harvester/virtual-machine/virtual-machine';
import { tempFolder } from '../../../support/temp';
import { Client } from '../../client';
import { describeCluster } from '../../clusters';
import { Platform } from '../../doubles/platform';
import { writeObjects } from '../../doubles/program';
import { merge } from '../bed/write';

const PASSWORD = 'hunter2-hunter2-hunter2';
const PUBLIC_KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl test@example.com';
const HARVESTER = 'harvesterhci.io/v1beta1';

const KEY_PAIR: Manifest = {
  apiVersion: HARVESTER,
  kind: 'KeyPair',
  metadata: { name: 'ops', namespace: 'default' },
};
const MACHINE: Manifest = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'web', namespace: 'shop-vms' },
};
const BACKUP: Manifest = {
  apiVersion: HARVESTER,
  kind: 'VirtualMachineBackup',
  metadata: { name: 'web-before', namespace: 'shop-vms' },
};
const NTP: Manifest = { apiVersion: HARVESTER, kind: 'Setting', metadata: { name: 'ntp-servers' } };
const NAMESPACE: Manifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop-vms' } };
const LOGIN: Manifest = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'login', namespace: 'default' },
};

interface Shop {
  readonly harvester?: string;
  readonly hasKeyPair?: boolean;
  readonly hasTenant?: boolean;
  readonly ntpServer?: string;
  /** Objects that may leave the program. */
  readonly accepted?: readonly string[];
}

const TENANT = [
  'harvesterhci.io/VirtualMachineBackup/shop-vms/web-before',
  '/Namespace//shop-vms',
  'kubevirt.io/VirtualMachine/shop-vms/web',
].map((id) => `dc1/${id}`);

describeCluster('Flux, with a program that changes', () => {
  const folder = tempFolder();
  let platform: Platform;
  let flux: Flux;
  let client: Client;

  beforeAll(async () => {
    platform = await Platform.start({ audit: true });
    client = platform.clients.harvester;
    flux = await Flux.start(platform);
    await flux.connect('harvester', 'dc1-kubeconfig');
    await flux.apply([REPOSITORY, kustomization('platform', './dist-shop/flux')]);
    await deliver({});
  });

  afterAll(async () => {
    await flux?.stop();
    await platform?.stop();
  });

  /** Synthesizes, pushes, and waits until it has arrived. */
  async function deliver({
    harvester,
    hasKeyPair = true,
    hasTenant = true,
    ntpServer = '0.pool.ntp.org',
    accepted = [],
  }: Shop): Promise<void> {
    writeObjects(
      folder,
      'shop',
      (dc1) => {
        HarvesterSetting.ntpServers(dc1, 'ntp', [ntpServer]);
        if (hasKeyPair) {
          new KeyPair(dc1, 'ops', { name: 'ops', publicKey: PUBLIC_KEY });
        }
        new ApiObject(dc1, 'login', { ...LOGIN, ...{ stringData: { password: PASSWORD } } });
        // with a storage class that is known, since a machine of an image that is yet to be
        // imported waits for a late value
        const image = VmImage.fromName(dc1, 'noble', {
          name: 'noble',
          namespace: 'default',
          volumeStorageClass: HarvesterStorageClass.fromName(dc1, 'noble-class', {
            name: 'longhorn-noble',
          }),
        });
        const network = new VmNetwork(dc1, 'prod', {
          clusterNetwork: ClusterNetwork.mgmt(dc1),
          vlan: 100,
        });
        if (!hasTenant) {
          for (const id of accepted) {
            (dc1.node.root as HarvesterApp).acceptRemoval(id, 'the shop is closed');
          }
          return;
        }
        const namespace = new HarvesterNamespace(dc1, 'shop-vms');
        new VirtualMachine(dc1, 'web', {
          name: 'web',
          namespace,
          cpus: 1,
          memory: Size.gibibytes(1),
          disks: [Disk.image(image, Size.gibibytes(10))],
          nics: [Nic.network(network)],
        });
        new ApiObject(dc1, 'backup', {
          ...BACKUP,
          spec: {
            type: 'backup',
            source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' },
          },
        });
      },
      {
        harvester,
        delivery: Delivery.flux({ sourceName: REPOSITORY.metadata.name, path: 'dist-shop' }),
      },
    );
    await flux.push(folder);
    await flux.untilReady();
  }

  const live = async (
    manifest: Manifest,
  ): Promise<(Manifest & { readonly [field: string]: any }) | undefined> => {
    const { status, body } = await client.read(manifest);
    return status === 200 ? (body as Manifest) : undefined;
  };

  test('restores what is changed or deleted by hand', async () => {
    await merge(client, NTP, { value: JSON.stringify({ ntpServers: ['changed.example.com'] }) });
    await client.delete(KEY_PAIR);
    await flux.reconcile();
    expect((await live(NTP))!.value).toContain('0.pool.ntp.org');
    expect((await live(KEY_PAIR))!.metadata).not.toHaveProperty('deletionTimestamp');
  });

  test('delivers an edit, and nothing else', async () => {
    flux.forgetWrites();
    await deliver({ ntpServer: '1.pool.ntp.org' });
    expect((await live(NTP))!.value).toContain('1.pool.ntp.org');
    expect(flux.writes('harvester')).toEqual(['patch settings ntp-servers']);
  });

  test('deletes a key pair that leaves the program', async () => {
    await deliver({ hasKeyPair: false });
    expect(await live(KEY_PAIR)).toBeUndefined();
  });

  test('keeps the machine when the version of Harvester changes', async () => {
    const before = await live(MACHINE);
    await deliver({ harvester: '1.8.2' });
    expect((await live(MACHINE))!.metadata.uid).toBe(before!.metadata.uid);
    expect((await live(MACHINE))!.spec.template).toEqual(before!.spec.template);
  });

  test('is not even synthesized when a tenant leaves the program unnoticed', async () => {
    await expect(deliver({ hasTenant: false })).rejects.toThrow(
      /1 error, 1 warning, from 4 findings/,
    );
  });

  test('keeps machines, backups, and the namespace of a tenant that leaves the program', async () => {
    await deliver({ hasTenant: false, accepted: TENANT });
    for (const kept of [NAMESPACE, MACHINE, BACKUP]) {
      expect((await live(kept))!.metadata).not.toHaveProperty('deletionTimestamp');
    }
  });

  test('shows no secret in its log, its events, or the status of its objects', async () => {
    const { body } = await platform.clients.rancher.list(
      'kustomize.toolkit.fluxcd.io/v1',
      'Kustomization',
    );
    const texts = [flux.log, ...(await flux.events()), JSON.stringify(body)].join('\n');
    expect(texts).toContain('login');
    expect(texts).not.toContain(PASSWORD);
    expect(texts).not.toContain(Buffer.from(PASSWORD).toString('base64'));
    // the password is where it belongs
    expect(readFileSync(join(folder, 'dist-shop', await secretFile()), 'utf8')).toContain(PASSWORD);
    expect(Buffer.from((await live(LOGIN))!.data.password as string, 'base64').toString()).toBe(
      PASSWORD,
    );
  });

  /** The file that holds the Secret. */
  async function secretFile(): Promise<string> {
    const { objects } = readAssembly(join(folder, 'dist-shop'));
    return objects.find(({ kind, name }) => kind === 'Secret' && name === 'login')!.file!;
  }
});
