import { Size } from 'cdk8s';
import { Platform, RKE2, platform, poolsOn } from './_clusters';
import { TaintEffect } from '../../../src/core/manifest/taint';
import { CloudProvider } from '../../../src/guest/cloud-provider/cloud-provider';
import { GuestCluster, GuestClusterProps } from '../../../src/guest/cluster/guest-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { MachinePool, MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { VmAffinity, VmSelector } from '../../../src/harvester/affinity/vm-affinity';
import { CloudInit } from '../../../src/harvester/cloud-init/cloud-init';
import {
  CloudInitCommand,
  CloudInitFile,
} from '../../../src/harvester/cloud-init/cloud-init-props';
import { NetworkData } from '../../../src/harvester/cloud-init/network-data';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { IVmImage, VmImage } from '../../../src/harvester/image/vm-image';
import { Disk, DiskBus } from '../../../src/harvester/machine/disk';
import { InterfaceModel, Nic } from '../../../src/harvester/machine/nic';
import { VGpu } from '../../../src/harvester/machine/vgpu';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { CloudCredential } from '../../../src/rancher/credential/cloud-credential';
import { written } from '../../support/written';

const TEXTS = ['diskInfo', 'networkInfo', 'vgpuInfo', 'vmAffinity', 'userData', 'networkData'];

type Change = (pool: MachinePool, all: Platform) => Partial<MachinePool>;
type Props = Partial<GuestClusterProps> | ((all: Platform) => Partial<GuestClusterProps>);

/**
 * The content of the HarvesterConfigs of the cluster `shop` and of others, by name; `more` adds
 * clusters, and gives more pools of `shop`.
 */
function configs(
  change: Change = () => ({}),
  props: Props = {},
  more: (all: Platform, image: IVmImage) => MachinePool[] = () => [],
): { [name: string]: any } {
  const all = platform({ rancher: '2.14.1' });
  const [pool] = poolsOn(all.dc1, { name: 'all' });
  const image = VmImage.fromName(all.dc1, 'image', { name: 'image-x7k2p' });
  const full: MachinePool = {
    ...pool,
    disks: [
      Disk.image(image, Size.gibibytes(40)),
      Disk.empty(Size.gibibytes(100), { bus: DiskBus.SCSI, hotPluggable: true }),
    ],
    networks: undefined,
    nics: [
      Nic.network(VmNetwork.fromName(all.dc1, 'net', { name: 'prod', namespace: 'net' }), {
        model: InterfaceModel.VIRTIO,
      }),
    ],
    vgpus: [VGpu.nvidia('A2-2Q')],
    affinity: VmAffinity.of({
      requiredNodes: [{ labels: [{ key: 'zone', values: ['a', 'b'] }] }],
      preferredApart: [{ vms: VmSelector.labels({ b: '2', a: '1' }) }],
    }),
    cloudInit: CloudInit.of({
      packages: ['vim'],
      files: [CloudInitFile.text('/etc/motd', 'hello\n')],
      runCommands: [CloudInitCommand.exec('true')],
      other: { swap: { size: 0, filename: '/swap' }, locale: 'C' },
    }),
    networkData: NetworkData.v2({
      ethernets: { enp2s0: { dhcp4: true }, enp1s0: { dhcp6: true, dhcp4: false } },
    }),
  };
  new GuestCluster(all.rancher, 'shop', {
    harvesterImport: all.harvester,
    vmNamespace: all.namespace,
    kubernetes: Kubernetes.rke2(RKE2),
    ...(typeof props === 'function' ? props(all) : props),
    pools: [{ ...full, ...change(full, all) }, ...more(all, image)],
  });
  const objects = written(all.app);
  return Object.fromEntries(
    Object.entries(objects)
      .filter(([, { kind }]) => kind === 'HarvesterConfig')
      .map(([, object]) => {
        const { apiVersion, kind, metadata, ...fields } = object;
        return [metadata.name, fields];
      }),
  );
}

test('every byte of the texts that Rancher compares', () => {
  const config = configs()['nc-shop-all'];
  expect(Object.fromEntries(TEXTS.map((field) => [field, config[field]]))).toEqual({
    diskInfo:
      '{"disks":[{"imageName":"default/image-x7k2p","bootOrder":1,"size":40},{"storageClassName":"harvester-longhorn","bootOrder":2,"size":100,"bus":"scsi","hotPlugAble":true}]}',
    networkInfo: '{"interfaces":[{"networkName":"net/prod","macAddress":"","model":"virtio"}]}',
    vgpuInfo: '{"vGPURequests":[{"name":"provisioned","deviceName":"nvidia.com/A2-2Q"}]}',
    vmAffinity:
      '{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["a","b"]}]}]}},' +
      '"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":100,"podAffinityTerm":{"labelSelector":{"matchLabels":{"a":"1","b":"2"}},"topologyKey":"kubernetes.io/hostname"}},' +
      '{"weight":100,"podAffinityTerm":{"labelSelector":{"matchExpressions":[{"key":"harvesterhci.io/creator","operator":"Exists"}]},"topologyKey":"kubernetes.io/hostname"}}]}}',
    userData:
      '#cloud-config\nwrite_files:\n  - content: |\n      hello\n    path: /etc/motd\npackage_update: true\npackages:\n  - qemu-guest-agent\n  - vim\n' +
      'runcmd:\n  - - systemctl\n    - enable\n    - --now\n    - qemu-guest-agent.service\n  - - "true"\nlocale: C\nswap:\n  filename: /swap\n  size: 0\n',
    networkData:
      'version: 2\nethernets:\n  enp1s0:\n    dhcp4: false\n    dhcp6: true\n  enp2s0:\n    dhcp4: true\n',
  });
});

describe('the same bytes', () => {
  const before = configs();

  test('in a second synthesis', () => {
    expect(configs()).toEqual(before);
  });

  test('with the keys of maps in another order, and the props too', () => {
    expect(
      configs(({ disks }) => ({
        networkData: NetworkData.v2({
          ethernets: { enp1s0: { dhcp4: false, dhcp6: true }, enp2s0: { dhcp4: true } },
        }),
        cloudInit: CloudInit.of({
          other: { locale: 'C', swap: { filename: '/swap', size: 0 } },
          runCommands: [CloudInitCommand.exec('true')],
          files: [CloudInitFile.text('/etc/motd', 'hello\n')],
          packages: ['vim'],
        }),
        affinity: VmAffinity.of({
          preferredApart: [{ vms: VmSelector.labels({ a: '1', b: '2' }) }],
          requiredNodes: [{ labels: [{ values: ['a', 'b'], key: 'zone' }] }],
        }),
        disks,
      })),
    ).toEqual(before);
    const nodes = (labels: { [key: string]: string }) =>
      configs(() => ({ affinity: VmAffinity.onNodes(labels) }));
    expect(nodes({ b: '2', a: '1' })).toEqual(nodes({ a: '1', b: '2' }));
  });

  test.each<[string, Partial<MachinePool>]>([
    ['quantity', { quantity: 5 }],
    ['labels', { nodeLabels: { tier: 'web' } }],
    ['taints', { taints: [{ key: 'a', effect: TaintEffect.NO_SCHEDULE }] }],
    ['roles', { roles: MachineRoles.ALL }],
    [
      'health',
      {
        drainBeforeDelete: false,
        maxUnhealthy: '40%',
        paused: true,
        rollingUpdate: { maxSurge: '0', maxUnavailable: '1' },
      },
    ],
    ['autoscaling', { quantity: undefined, autoscaling: { min: 1, max: 3 } }],
  ])('with every value of the pool for %s', (_, change) => {
    expect(configs(() => change)).toEqual(before);
  });

  test.each<[string, Partial<GuestClusterProps>]>([
    [
      'the release of Kubernetes',
      {
        kubernetes: Kubernetes.rke2('v1.34.2+rke2r1', {
          tlsSans: ['a.example.com'],
          kubeletArgs: ['max-pods=200'],
        }),
      },
    ],
    ['snapshots', { etcd: { retention: 9 } }],
    [
      'registries',
      { registries: { mirrors: { 'docker.io': { endpoints: ['https://mirror.example.com'] } } } },
    ],
    ['its cloud provider', { cloudProvider: CloudProvider.none() }],
    ['its labels', { labels: { a: 'b' }, description: 'the shop' }],
  ])('with every value of the cluster for %s', (_, props) => {
    expect(configs(undefined, props)).toEqual(before);
  });

  test('with another credential, of the pool or of the cluster', () => {
    const own = ({ rancher }: Platform) =>
      CloudCredential.fromName(rancher, 'own', { name: 'cc-own' });
    expect(configs((_, all) => ({ credential: own(all) }))).toEqual(before);
    expect(configs(undefined, (all) => ({ credential: own(all) }))).toEqual(before);
  });

  test('next to another pool, another cluster and another namespace', () => {
    const small = ({ dc1 }: Platform, image: IVmImage): MachinePool => ({
      name: 'small',
      roles: MachineRoles.WORKER,
      cpus: 1,
      memory: Size.gibibytes(1),
      disks: [Disk.image(image, Size.gibibytes(1))],
      networks: [VmNetwork.fromName(dc1, 'other', { name: 'other' })],
    });
    const after = configs(undefined, {}, (all, image) => {
      const { rancher, harvester, dc1 } = all;
      const namespace = new HarvesterNamespace(dc1, 'bank-vms');
      const pool = small(all, image);
      new GuestCluster(rancher, 'bank', {
        harvesterImport: harvester,
        vmNamespace: namespace,
        kubernetes: Kubernetes.rke2('v1.34.2+rke2r1'),
        pools: [{ ...pool, roles: MachineRoles.ALL }],
      });
      return [pool];
    });
    expect(Object.keys(after).sort()).toEqual(['nc-bank-small', 'nc-shop-all', 'nc-shop-small']);
    expect(after['nc-shop-all']).toEqual(before['nc-shop-all']);
  });
});
