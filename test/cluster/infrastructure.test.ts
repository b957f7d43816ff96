import { Client } from './client';
import { clientOf, describeCluster } from './clusters';
import { Manifest } from '../../src/core/manifest/manifest';
import { Finding } from '../../src/core/rule/finding';
import { judge } from '../../src/core/rule/judge';
import { World } from '../../src/core/rule/rule';
import { SHAPE_RULES } from '../../src/core/shape/shape.rules';
import { SecretValue } from '../../src/core/value/secret-value';
import { Addon, BundledAddon } from '../../src/harvester/addon/addon';
import { CloudInit } from '../../src/harvester/cloud-init/cloud-init';
import { CloudInitTemplate } from '../../src/harvester/cloud-init/cloud-init-secret';
import { ClusterNetwork } from '../../src/harvester/cluster-network/cluster-network';
import {
  HostAddresses,
  HostNetworkConfig,
} from '../../src/harvester/cluster-network/host-network-config';
import { VlanConfig } from '../../src/harvester/cluster-network/vlan-config';
import { HarvesterNamespace } from '../../src/harvester/harvester-namespace';
import { ImageCryptoOperation, VmImage, VmImageBackend } from '../../src/harvester/image/vm-image';
import { KeyPair } from '../../src/harvester/key-pair/key-pair';
import { OsType } from '../../src/harvester/machine/os-type';
import { OverlayNetwork, VmNetwork, VmNetworkRoute } from '../../src/harvester/network/vm-network';
import { HarvesterNode, NodeCloudInit } from '../../src/harvester/node/node';
import {
  HarvesterStorageClass,
  LonghornEngine,
  LvmType,
  StorageDriver,
} from '../../src/harvester/storage/harvester-storage-class';
import {
  CdiCloneStrategy,
  VolumeAccessMode,
  VolumeMode,
} from '../../src/harvester/storage/storage.data';
import { VolumeEncryption } from '../../src/harvester/storage/volume-encryption';
import { HarvesterVolume } from '../../src/harvester/volume/volume';
import { INFRASTRUCTURE_RULES } from '../support/infrastructure';
import { newApp, newHarvester } from '../support/programs';

const NAMESPACE = 'infrastructure-test';
const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa ana@host';

/** One of everything that this family writes. */
function everything(): Manifest[] {
  const dc1 = newHarvester(newApp(), '1.8.2');
  const namespace = new HarvesterNamespace(dc1, NAMESPACE);
  const network = new ClusterNetwork(dc1, 'infra', { description: 'uplinks of tenants' });
  new VlanConfig(dc1, 'infra-all', {
    clusterNetwork: network,
    nics: ['enp2s0', 'enp3s0'],
    mtu: 9000,
    bondMiimon: 100,
    txQueueLength: -1,
  });
  new VmNetwork(dc1, 'tagged', {
    clusterNetwork: network,
    vlan: 100,
    route: VmNetworkRoute.manual('10.0.0.0/24', '10.0.0.1'),
    namespace,
  });
  new VmNetwork(dc1, 'untagged', {
    clusterNetwork: network,
    namespace,
    route: VmNetworkRoute.auto(),
  });
  new VmNetwork(dc1, 'trunk', {
    clusterNetwork: network,
    trunk: [{ first: 100, last: 200 }, { first: 300 }],
    namespace,
  });
  new OverlayNetwork(dc1, 'overlay', { namespace });
  const node = new HarvesterNode(dc1, 'node1', {
    name: 'infra-node-1',
    zone: 'rack-a',
    region: 'dc1',
    labels: { gpu: 'yes' },
  });
  new HostNetworkConfig(dc1, 'infra-hosts', {
    clusterNetwork: network,
    vlan: 12,
    addresses: HostAddresses.fixed([{ node, address: '10.1.0.11/24' }]),
    nodeSelector: { zone: 'a' },
  });
  const encryption = new VolumeEncryption(dc1, 'disks', {
    passphrase: SecretValue.unsafePlainText('correct horse'),
    namespace,
  });
  const encrypted = new HarvesterStorageClass(dc1, 'infra-encrypted', {
    driver: StorageDriver.longhorn({ encryption, diskTags: ['ssd', 'nvme'] }),
  });
  new HarvesterStorageClass(dc1, 'infra-v2', {
    driver: StorageDriver.longhorn({ engine: LonghornEngine.V2 }),
    cdi: { cloneStrategy: CdiCloneStrategy.COPY, filesystemOverhead: 0.055 },
  });
  new HarvesterStorageClass(dc1, 'infra-lvm', {
    driver: StorageDriver.lvm({
      node: HarvesterNode.fromName(dc1, 'lvm-node', { name: 'node1' }),
      volumeGroup: 'vg1',
      type: LvmType.DM_THIN,
    }),
  });
  new HarvesterStorageClass(dc1, 'infra-csi', {
    driver: StorageDriver.csi('csi.example.com', { parameters: { pool: 'a' } }),
    cdi: { accessModes: { [VolumeMode.BLOCK]: [VolumeAccessMode.READ_WRITE_MANY] } },
    allowedTopologies: [{ key: 'zone', values: ['a'] }],
  });
  const image = VmImage.download(dc1, 'ubuntu', {
    url: 'https://images.example.com/noble.img',
    checksum: 'a'.repeat(128),
    retries: 5,
    osType: OsType.UBUNTU,
    namespace,
  });
  VmImage.download(dc1, 'cdi', {
    url: 'https://images.example.com/noble.img',
    backend: VmImageBackend.CDI,
    storageClass: encrypted,
    namespace,
  });
  VmImage.upload(dc1, 'upload', { namespace });
  VmImage.exportOf(dc1, 'export', {
    volume: HarvesterVolume.fromName(dc1, 'disk', { name: 'disk-0', namespace: namespace.name }),
    namespace,
  });
  VmImage.clone(dc1, 'clone', {
    source: image,
    operation: ImageCryptoOperation.ENCRYPT,
    storageClass: encrypted,
    namespace,
  });
  new KeyPair(dc1, 'ana', { publicKey: KEY, namespace });
  new Addon(dc1, 'mine', {
    repository: 'https://charts.example.com',
    chart: 'mine',
    version: '1.0.0',
    values: { a: 1 },
    experimental: true,
    namespace,
  });
  CloudInitTemplate.user(dc1, 'template', CloudInit.of(), { namespace });
  new NodeCloudInit(dc1, 'infra-ntp', { stages: { network: [{ commands: ['true'] }] } });
  return dc1.toJson() as Manifest[];
}

function findings(manifest: Manifest): Finding[] {
  return judge(
    [...INFRASTRUCTURE_RULES, ...SHAPE_RULES],
    new World([
      { manifest, target: { name: 'dc1', kind: 'harvester', harvesterVersion: '1.8.2' } },
    ]),
  );
}

async function dryRun(
  client: Client,
  manifest: Manifest,
): Promise<{ status: number; message: string }> {
  const path = (await client.pathOf(manifest)).replace(/\/[^/]+$/, '');
  const { status, body } = await client.request('POST', path, {
    query: { dryRun: 'All', fieldValidation: 'Strict' },
    body: manifest,
  });
  return { status, message: status >= 300 ? String(body.message) : '' };
}

const host = (spec: object): Manifest => ({
  apiVersion: 'network.harvesterhci.io/v1beta1',
  kind: 'HostNetworkConfig',
  metadata: { name: 'one' },
  spec: { clusterNetwork: 'mgmt', vlanID: 5, mode: 'dhcp', ...spec },
});
const image = (spec: object): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'VirtualMachineImage',
  metadata: { name: 'one', namespace: 'default' },
  spec: { displayName: 'one', sourceType: 'upload', ...spec },
});
const vlan = (spec: object): Manifest => ({
  apiVersion: 'network.harvesterhci.io/v1beta1',
  kind: 'VlanConfig',
  metadata: { name: 'one' },
  spec: { clusterNetwork: 'infra', uplink: { nics: ['eth1'] }, ...spec },
});
const quota = (limit: object): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'ResourceQuota',
  metadata: { name: 'default-resource-quota', namespace: 'default' },
  spec: { snapshotLimit: limit },
});
const addon = (spec: object): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'Addon',
  metadata: { name: 'one', namespace: 'default' },
  spec,
});
const cloudInit = (spec: object): Manifest => ({
  apiVersion: 'node.harvesterhci.io/v1beta1',
  kind: 'CloudInit',
  metadata: { name: 'one' },
  spec,
});
const storageClass = (fields: object): Manifest => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'one' },
  provisioner: 'driver.longhorn.io',
  ...fields,
});

describeCluster('what virtual machines need', () => {
  const client = () => clientOf('harvester');

  test('is taken by a strict server, and a second time changes nothing', async () => {
    const objects = everything();
    expect(new Set(objects.map(({ kind }) => kind)).size).toBe(13);
    try {
      for (const object of objects) {
        const { status, body } = await client().apply(object);
        expect({
          kind: object.kind,
          name: object.metadata.name,
          status,
          message: status >= 300 ? body.message : '',
        }).toMatchObject({ status: expect.any(Number), message: '' });
        // the server's own controllers write to namespaces, and to a Node that is created
        if (['Namespace', 'Node'].includes(object.kind)) {
          continue;
        }
        const again = await client().apply(object);
        expect(again.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
      }
    } finally {
      for (const object of [...objects].reverse()) {
        await client().delete(object);
      }
    }
  });

  test("a bundled add-on changes two fields of the one that is there, and leaves it Harvester's", async () => {
    const [part] = chartOf('1.7.2', (dc1) =>
      BundledAddon.monitoring(dc1, 'monitoring', {
        replaceValues: { grafana: { enabled: false } },
      }),
    );
    const namespace: Manifest = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'cattle-monitoring-system' },
    };
    const own: Manifest = {
      ...part!,
      spec: {
        repo: 'http://harvester-cluster-repo.cattle-system.svc/charts',
        chart: 'rancher-monitoring',
        version: '105.1.2',
        enabled: false,
        valuesContent: 'a: 1\n',
      },
    };
    const path = '/apis/harvesterhci.io/v1beta1/namespaces/cattle-monitoring-system/addons';
    await client().apply(namespace);
    expect((await client().apply(part!)).body.message).toContain('spec.chart: Required value');
    expect((await client().request('POST', path, { body: own })).status).toBe(201);
    try {
      const forced = await client().request('PATCH', `${path}/rancher-monitoring`, {
        query: { fieldManager: 'cdk8s-harvester', fieldValidation: 'Strict', force: 'true' },
        contentType: 'application/apply-patch+yaml',
        body: part,
      });
      expect(forced.status).toBe(200);
      expect(forced.body.spec).toEqual({
        ...(own.spec as object),
        enabled: true,
        valuesContent: 'grafana:\n  enabled: false\n',
      });
    } finally {
      await client().delete(own);
    }
  });

  test.each<[string, Manifest]>([
    ['static without addresses', host({ mode: 'static' })],
    ['static with no CIDR', host({ mode: 'static', ips: { a: '10.0.0.1' } })],
    ['VLAN 0', host({ vlanID: 0 })],
    ['VLAN 4095', host({ vlanID: 4095 })],
    ['an unknown mode', host({ mode: 'auto' })],
    ['no cluster network', host({ clusterNetwork: '' })],
    ['eleven retries', image({ retry: 11 })],
    ['an unknown source', image({ sourceType: 'copy' })],
    ['an unknown backend', image({ backend: 'ceph' })],
    [
      'a clone without a source image',
      image({ sourceType: 'clone', securityParameters: { cryptoOperation: 'decrypt' } }),
    ],
    ['an unknown bond', vlan({ uplink: { nics: ['a'], bondOptions: { mode: 'lacp' } } })],
    ['a negative MTU', vlan({ uplink: { nics: ['a'], linkAttributes: { mtu: -1 } } })],
    ['no uplink', vlan({ uplink: undefined })],
    ['a negative quota', quota({ namespaceTotalSnapshotSizeQuota: -1 })],
    ['an add-on without a chart', addon({ enabled: true })],
    ['a file without contents', cloudInit({ filename: 'a.yaml', matchSelector: {} })],
    ['a class without a provisioner', storageClass({ provisioner: undefined })],
    [
      'a class with a parameter that is not a string',
      storageClass({ parameters: { migratable: true } }),
    ],
    ['a class with a parameter outside of parameters', storageClass({ migratable: 'true' })],
    ['a class with an unknown reclaim policy', storageClass({ reclaimPolicy: 'Recycle!' })],
    ['a class with an unknown binding mode', storageClass({ volumeBindingMode: 'Later' })],
  ])('the server refuses %s, and so do we', async (_, manifest) => {
    const { status, message } = await dryRun(
      client(),
      JSON.parse(JSON.stringify(manifest)) as Manifest,
    );
    const errors = findings(manifest).filter(({ level }) => level === 'error');
    expect({ refused: status >= 400, message, errors: errors.length > 0 }).toMatchObject({
      refused: true,
      errors: true,
    });
  });

  test.each<[string, Manifest]>([
    ['dhcp', host({})],
    ['static', host({ mode: 'static', ips: { a: '10.0.0.1/24', b: '10.0.0.2/24' } })],
    ['IPv6', host({ mode: 'static', ips: { a: 'fd00::1/64' } })],
    ['VLAN 4094', host({ vlanID: 4094 })],
    ['ten retries', image({ retry: 10 })],
    [
      'a VlanConfig with everything',
      vlan({
        description: 'a',
        nodeSelector: { a: 'b' },
        uplink: {
          nics: ['a'],
          linkAttributes: { mtu: 0, txQLen: -1 },
          bondOptions: { mode: '802.3ad', miimon: -1 },
        },
      }),
    ],
    ['a quota', quota({ namespaceTotalSnapshotSizeQuota: 0, vmTotalSnapshotSizeQuota: { a: 1 } })],
    ['an add-on', addon({ enabled: false, repo: '', chart: 'a', version: '1', valuesContent: '' })],
    ['a class', storageClass({ parameters: { migratable: 'true' }, reclaimPolicy: 'Retain' })],
  ])('the server takes %s, and so do we', async (_, manifest) => {
    expect(await dryRun(client(), manifest)).toEqual({ status: 201, message: '' });
    expect(findings(manifest).filter(({ level }) => level === 'error')).toEqual([]);
  });
});

function chartOf(
  version: string,
  write: (dc1: ReturnType<typeof newHarvester>) => void,
): Manifest[] {
  const dc1 = newHarvester(newApp(), version);
  write(dc1);
  return dc1.toJson() as Manifest[];
}
