import { Duration, Size } from 'cdk8s';
import { PoolProgram, refusal } from './_pools';
import { TaintEffect } from '../../../src/core/manifest/taint';
import { problemText } from '../../../src/core/problem/problem';
import { SecretValue } from '../../../src/core/value/secret-value';
import {
  checkEveryRole,
  checkMachinePools,
} from '../../../src/guest/machine-pool/checks/check-machine-pools';
import {
  MachineAutoscaler,
  MachineOs,
  MachineRoles,
} from '../../../src/guest/machine-pool/machine-pool';
import { VmAffinity, VmSelector } from '../../../src/harvester/affinity/vm-affinity';
import { CloudInit } from '../../../src/harvester/cloud-init/cloud-init';
import { NetworkData } from '../../../src/harvester/cloud-init/network-data';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { Disk, DiskBus } from '../../../src/harvester/machine/disk';
import { Nic } from '../../../src/harvester/machine/nic';
import { VGpu } from '../../../src/harvester/machine/vgpu';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { CloudCredential } from '../../../src/rancher/credential/cloud-credential';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { messageOf } from '../../support/message-of';
import { SERVER, newHarvester } from '../../support/programs';

describe('the entry of a pool', () => {
  test('is that of the UI', () => {
    expect(new PoolProgram().add({ quantity: 3 }).entry).toEqual({
      name: 'all',
      quantity: 3,
      controlPlaneRole: true,
      etcdRole: true,
      workerRole: true,
      drainBeforeDelete: true,
      unhealthyNodeTimeout: '0s',
      machineConfigRef: { kind: 'HarvesterConfig', name: 'nc-shop-all' },
    });
  });

  test('has every setting of a pool', () => {
    const program = new PoolProgram();
    const credential = CloudCredential.fromName(program.rancher, 'credential', { name: 'cc-own' });
    expect(
      program.add({
        roles: MachineRoles.of({ worker: true }),
        quantity: 0,
        credential,
        machineConfigName: 'workers',
        machineOs: MachineOs.LINUX,
        hostnameLengthLimit: 40,
        nodeLabels: { tier: 'web' },
        taints: [
          { key: 'dedicated', value: 'web', effect: TaintEffect.NO_SCHEDULE },
          { key: 'a/b', effect: TaintEffect.NO_EXECUTE },
        ],
        machineDeploymentLabels: { a: 'b' },
        machineDeploymentAnnotations: { 'example.com/c': 'any text' },
        drainBeforeDelete: false,
        drainBeforeDeleteTimeout: Duration.minutes(90),
        unhealthyNodeTimeout: Duration.minutes(5),
        nodeStartupTimeout: Duration.seconds(45),
        maxUnhealthy: '50%',
        unhealthyRange: '[1-3]',
        rollingUpdate: { maxSurge: '0', maxUnavailable: '25%' },
        paused: true,
      }).entry,
    ).toEqual({
      name: 'all',
      quantity: 0,
      workerRole: true,
      cloudCredentialSecretName: 'cattle-global-data:cc-own',
      machineConfigRef: { kind: 'HarvesterConfig', name: 'workers' },
      machineOS: 'linux',
      hostnameLengthLimit: 40,
      labels: { tier: 'web' },
      taints: [
        { key: 'dedicated', value: 'web', effect: 'NoSchedule' },
        { key: 'a/b', value: undefined, effect: 'NoExecute' },
      ],
      machineDeploymentLabels: { a: 'b' },
      machineDeploymentAnnotations: { 'example.com/c': 'any text' },
      // as Go prints a duration, so that Rancher has nothing to rewrite
      drainBeforeDelete: false,
      drainBeforeDeleteTimeout: '1h30m0s',
      unhealthyNodeTimeout: '5m0s',
      nodeStartupTimeout: '45s',
      maxUnhealthy: '50%',
      unhealthyRange: '[1-3]',
      rollingUpdate: { maxSurge: 0, maxUnavailable: '25%' },
      paused: true,
    });
  });

  test('leaves the quantity to the autoscaler', () => {
    const { entry } = new PoolProgram().add({ autoscaling: { min: 1, max: 5 } });
    expect(entry).toMatchObject({ autoscalingMinSize: 1, autoscalingMaxSize: 5 });
    expect(entry).not.toHaveProperty('quantity');
  });

  test('bounds the autoscaler by annotations before Rancher 2.13, the only way there', () => {
    const { entry } = new PoolProgram({ rancher: '2.12.3' }).add({
      autoscaling: { min: 1, max: 5 },
      machineDeploymentAnnotations: { a: 'b' },
    });
    expect(entry).not.toHaveProperty('autoscalingMinSize');
    expect(entry.machineDeploymentAnnotations).toEqual({
      'a': 'b',
      'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size': '1',
      'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size': '5',
    });
  });
});

describe('pools of a cluster', () => {
  const program = new PoolProgram();
  const problems = (...pools: [string, MachineRoles][]): string[] =>
    checkMachinePools(
      program.context,
      pools.map(([name, roles]) => program.pool({ name, roles })),
    ).map(problemText);

  test('have every role together', () => {
    expect(problems(['a', MachineRoles.CONTROL_PLANE_ETCD], ['b', MachineRoles.WORKER])).toEqual(
      [],
    );
    const pool = program.pool({ name: 'a', roles: MachineRoles.CONTROL_PLANE });
    expect(checkEveryRole([pool]).map(problemText)).toEqual([
      'pools: must have every role: no pool has the role etcd or worker, so the cluster never becomes ready (the server: "waiting for at least one control plane, etcd, and worker node to be registered"). Fix: ' +
        'give each role to at least one pool',
    ]);
  });

  test('have names of their own', () => {
    expect(problems(['a', MachineRoles.ALL], ['a', MachineRoles.ALL])).toEqual([
      'pools[a].name: must be unique in the cluster, got "a" (the server: "duplicate machinePool name [a] used"). Fix: give each pool another name',
    ]);
  });

  test('are one at least', () => {
    expect(problems()).toEqual([
      'pools: must have at least one pool. Fix: add one, e.g. with MachineRoles.ALL, or use a CustomCluster',
    ]);
  });
});

const MIB = Size.mebibytes(4000);

test('a missing secret is reported with the pool that uses it', () => {
  const program = new PoolProgram();
  program.add({ sshPassword: SecretValue.fromEnv('NO_SUCH_VARIABLE') });
  expect(messageOf(() => program.app.synth())).toMatch(
    /the secret from environment variable NO_SUCH_VARIABLE is not set\n.*\n {2}at: rancher\/shop/,
  );
});

test('what is wrong with several pools comes as one error', () => {
  const program = new PoolProgram();
  const pools = [program.pool({ name: 'a', cpus: 0 }), program.pool({ name: 'b', sshPort: 0 })];
  expect(checkMachinePools(program.context, pools).map(({ path }) => path)).toEqual([
    'pools[a].cpus',
    'pools[b].sshPort',
  ]);
});

describe('a pool is refused', () => {
  test('with memory in MiB that is not a whole number of GiB', () => {
    expect(refusal({ memory: MIB })).toBe(
      '[rancher/shop] pools[all].memory: must be a whole number of GiB, at least 1, got "4000Mi": Rancher\'s node driver accepts nothing else. Fix: use Size.gibibytes(4)',
    );
  });

  test('with all that is wrong at once', () => {
    expect(refusal({ cpus: 0, memory: MIB, disks: [] }).split('\n')).toHaveLength(3);
  });

  test.each<[string, Parameters<typeof refusal>[0], string]>([
    [
      'no roles',
      { roles: MachineRoles.of({}) },
      'pools[all].roles: must have at least one role (the server: "at least one role of etcd, control-plane or worker must be assigned to machinePool [all]"). Fix: set roles, e.g. to MachineRoles.ALL',
    ],
    [
      'half a CPU',
      { cpus: 0.5 },
      'pools[all].cpus: must be a whole number of 1 or more, got 0.5. Fix: set cpus to 1 or more',
    ],
    [
      'a broken quantity',
      { quantity: 1.5 },
      'pools[all].quantity: must be a whole number of 0 or more, got 1.5. Fix: set quantity to 0 or more',
    ],
    [
      'a quantity that the autoscaler sets',
      { quantity: 1, autoscaling: { min: 1, max: 2 } },
      'pools[all].quantity: cannot be set together with autoscaling, got 1: each apply would undo the work of the autoscaler. Fix: remove quantity',
    ],
    [
      'bounds the wrong way round',
      { autoscaling: { min: 3, max: 2 } },
      'pools[all].autoscaling.min: must be at most autoscaling.max, 2, got 3',
    ],
    [
      'no etcd left',
      { autoscaling: { min: 0, max: 2 } },
      'pools[all].autoscaling.min: must be at least 1 for a pool with the role etcd, got 0',
    ],
    [
      'more reserved than there is',
      { reservedMemory: Size.gibibytes(8) },
      'pools[all].reservedMemory: must be less than memory, 8 GiB, and in MiB, got "8192" (the server: "reservedMemory cannot be equal or greater than limits.memory")',
    ],
    [
      'secure boot without EFI',
      { secureBoot: true },
      'pools[all].secureBoot: cannot be set without efi (the server: "enable secure boot requires enable EFI"). Fix: set efi to true, too',
    ],
    [
      'an isolated thread alone',
      { isolateEmulatorThread: true },
      'pools[all].isolateEmulatorThread: cannot be set without cpuPinning',
    ],
    [
      'a GPU that is none',
      { vgpus: [VGpu.of('A2')] },
      'pools[all].vgpus[0]: must be a resource name, <vendor>/<type>, got "A2". Fix: use VGpu.nvidia, or a name such as nvidia.com/NVIDIA_A2-2Q',
    ],
    [
      'a port that is none',
      { sshPort: 70000 },
      'pools[all].sshPort: must be a port, got 70000. Fix: use 1 to 65535',
    ],
    [
      'a user that is none',
      { sshUser: 'My User' },
      'pools[all].sshUser: must be a login name, got "My User". Fix: use the user of the image, e.g. ubuntu',
    ],
    [
      'half a disk',
      ({ image }) => ({ disks: [Disk.image(image, Size.mebibytes(500))] }),
      'pools[all].disks[0].size: must be a whole number of GiB, at least 1, got "500Mi": Rancher\'s node driver accepts nothing else. Fix: use Size.gibibytes(1)',
    ],
    [
      'no disk',
      { disks: [] },
      'pools[all].disks: must have at least one disk. Fix: add a disk with a cloud image: Disk.image(image, Size.gibibytes(40))',
    ],
    [
      'an empty disk to start from',
      { disks: [Disk.empty(Size.gibibytes(10))] },
      'pools[all].disks[0]: must be a disk with a cloud image, since machines boot from it: it is empty. Fix: use a cloud image (qcow2 or raw) for the first disk: Disk.image(image, size)',
    ],
    [
      'a CD-ROM to start from',
      ({ image }) => ({ disks: [Disk.cdRom(image, Size.gibibytes(1))] }),
      'pools[all].disks[0]: must be a disk with a cloud image, since machines boot from it: it is a CD-ROM',
    ],
    [
      'a CD-ROM on virtio',
      ({ image }) => ({
        disks: [
          Disk.image(image, Size.gibibytes(10)),
          Disk.cdRom(image, Size.gibibytes(1), { bus: DiskBus.VIRTIO }),
        ],
      }),
      'pools[all].disks[1].bus: must be sata or scsi for a CD-ROM, got "virtio" (the server: "Bus type virtio is invalid for CD-ROM device"). Fix: use sata or scsi',
    ],
    [
      'two disks at one place',
      ({ image }) => ({
        disks: [
          Disk.image(image, Size.gibibytes(10)),
          Disk.empty(Size.gibibytes(1), { bootOrder: 1 }),
        ],
      }),
      'pools[all].disks[1].bootOrder: must be unique, got 1: another disk has the same position',
    ],
    [
      'no network',
      { networks: [] },
      'pools[all].networks: must have at least one interface: otherwise the machine gets no address. Fix: add a VmNetwork on which machines get an IPv4 address',
    ],
    [
      'networks twice',
      ({ network }) => ({ nics: [Nic.network(network)] }),
      'pools[all].nics: cannot be set together with networks. Fix: set one of the two',
    ],
    [
      'a hardware address that is none',
      ({ network }) => ({
        networks: undefined,
        nics: [Nic.network(network, { macAddress: '52-54-00-12-34-56' })],
      }),
      'pools[all].nics[0].macAddress: must be a MAC address, got "52-54-00-12-34-56" (the server: "Invalid MAC address format."). Fix: write six pairs of hexadecimal digits with colons, e.g. 52:54:00:12:34:56',
    ],
    [
      'a hardware address of a group',
      ({ network }) => ({
        networks: undefined,
        nics: [Nic.network(network, { macAddress: '53:54:00:12:34:56' })],
      }),
      'must be the address of one card, got "53:54:00:12:34:56": it is a multicast address. Fix: start with an even number, e.g. 52',
    ],
    [
      'one hardware address for several',
      ({ network }) => ({
        quantity: 2,
        networks: undefined,
        nics: [Nic.network(network, { macAddress: '52:54:00:12:34:56' })],
      }),
      'cannot be set for a pool of several machines',
    ],
    [
      'one address for several',
      {
        quantity: 2,
        networkData: NetworkData.v2({ ethernets: { a: { addresses: ['10.0.0.5/24'] } } }),
      },
      'pools[all].networkData: cannot set a fixed address for several machines, which would all have it, got 2. Fix: use one pool with its own machine configuration for each machine, or DHCP',
    ],
    [
      'a name for its machines',
      { cloudInit: CloudInit.of({ hostname: 'web' }) },
      'pools[all].cloudInit: overrides the name from Rancher, got "hostname": all machines of the pool get this one',
    ],
    [
      'a name for its machines in text',
      { cloudInit: CloudInit.fromYaml('fqdn: web.example.com') },
      'pools[all].cloudInit: overrides the name from Rancher, got "fqdn"',
    ],
    [
      'the name of its image',
      { cloudInit: CloudInit.fromYaml('preserve_hostname: true') },
      'pools[all].cloudInit: overrides the name from Rancher, got "preserve_hostname"',
    ],
    [
      'a label that is none',
      { nodeLabels: { 'a b': 'c' } },
      'pools[all].nodeLabels: must be a valid label name, got "a b"',
    ],
    [
      'a taint that is none',
      { taints: [{ key: 'a', value: 'b c', effect: TaintEffect.NO_SCHEDULE }] },
      'pools[all].taints[0].value: must be a valid label value, got "b c"',
    ],
    [
      'an amount that is none',
      { maxUnhealthy: 'half' },
      'pools[all].maxUnhealthy: must be a number or a percentage of machines, got "half". Fix: write it as text, e.g. 1 or 25%',
    ],
    [
      'a roll that cannot replace a machine',
      { rollingUpdate: { maxSurge: '0' } },
      'pools[all].rollingUpdate: maxSurge and maxUnavailable cannot both be 0: no machine could be replaced. Fix: set maxUnavailable to 1 if maxSurge is 0',
    ],
    [
      'a range that is none',
      { unhealthyRange: '3-5' },
      'pools[all].unhealthyRange: must be a range of numbers, got "3-5". Fix: write it as [3-5]',
    ],
    [
      'a limit that Rancher ignores',
      { hostnameLengthLimit: 64 },
      'pools[all].hostnameLengthLimit: must be a whole number from 10 to 63, got 64. Fix: set it to 10 to 63, or remove it',
    ],
    [
      'a broken second',
      { nodeStartupTimeout: Duration.millis(1500) },
      'pools[all].nodeStartupTimeout: must be whole seconds, got "1.5 seconds". Fix: round it',
    ],
    [
      'an affinity without terms',
      { affinity: VmAffinity.of({ spread: false }) },
      'pools[all].affinity: must name nodes or virtual machines. Fix: add a term, or remove affinity',
    ],
    [
      'a name in capitals',
      { name: 'Workers' },
      'pools[Workers].name: must be an RFC 1123 label, got "Workers". Fix: use a-z, 0-9 and hyphens, with a letter or digit at both ends',
    ],
  ])('with %s', (_, props, message) => {
    expect(refusal(props)).toContain(message);
  });

  test('with a name that is too long for the names of its machines, one character less is taken', () => {
    const name = 'a'.repeat(46);
    expect(refusal({ name: `${name}a` })).toContain(`"shop-${name}a-xxxxx-xxxxx" (64 characters)`);
    expect(refusal({ name: `${name}a` })).toContain(
      'use at most 46 characters, or a shorter name for the cluster',
    );
    expect(() => refusal({ name })).toThrow('nothing was thrown');
  });

  test.each(['abc: def', '12345', 'yes', 'a$$b', '# x'])(
    'with a password that the driver would break (%j), without showing it',
    (password) => {
      const message = refusal({ sshPassword: SecretValue.unsafePlainText(password) });
      expect(message).toContain(
        'pools[all].sshPassword: must be text that YAML reads without quotes',
      );
      expect(message).not.toContain(password);
    },
  );

  test('with image, network and storage of another Harvester', () => {
    const message = refusal(({ app }) => {
      const other = newHarvester(app, '1.7.2', 'dc2');
      return {
        disks: [
          Disk.image(VmImage.fromName(other, 'image', { name: 'image-x' }), Size.gibibytes(10)),
        ],
        networks: [VmNetwork.fromName(other, 'net', { name: 'net' })],
        affinity: VmAffinity.of({
          preferredNear: [
            {
              vms: VmSelector.any(),
              namespaces: [HarvesterNamespace.fromName(other, 'ns', { name: 'ns' })],
            },
          ],
        }),
      };
    });
    expect(message).toContain(
      'pools[all].disks[0]: must be an image of dc1, where the machines run, got "default/image-x": it is one of dc2. Fix: use an image of dc1',
    );
    expect(message).toContain(
      'affinity.namespaces: must be on the Harvester of the machines, dc1, got "ns": it is on dc2',
    );
    expect(message).toContain(
      'pools[all].networks[0]: must be a network of dc1, where the machines run, got "default/net": it is one of dc2. Fix: use a network of dc1',
    );
  });

  test('with a credential of another Rancher', () => {
    expect(
      refusal(({ app }) => {
        const other = new RancherChart(app, 'rancher-2', { version: '2.14.1', serverUrl: SERVER });
        return { credential: CloudCredential.fromName(other, 'credential', { name: 'cc-x' }) };
      }),
    ).toContain(
      'pools[all].credential: must be a credential of the Rancher of the cluster, rancher, got "cattle-global-data:cc-x": it is one of rancher-2. Fix: use a credential of the same Rancher',
    );
  });

  test('with an image that is an installer', () => {
    expect(
      refusal(({ harvester }) => ({
        disks: [
          Disk.image(
            VmImage.download(harvester, 'iso', { url: 'https://example.com/install.ISO' }),
            Size.gibibytes(10),
          ),
        ],
      })),
    ).toContain(
      'pools[all].disks[0]: must be a disk with a cloud image, since machines boot from it, got "default/iso": it is an ISO, which holds an installer',
    );
  });
});

describe('versions', () => {
  test.each<[string, Parameters<typeof refusal>[0], string, string]>([
    [
      'cpuModel',
      { cpuModel: 'host-model' },
      '2.13.8',
      'pools[all].cpuModel: cpuModel of a machine needs Rancher 2.14.0 or later, got 2.13.8',
    ],
    [
      'reservedMemory',
      { reservedMemory: Size.mebibytes(256) },
      '2.11.3',
      'pools[all].reservedMemory: reservedMemorySize of a machine needs Rancher 2.12.0',
    ],
    ['tpm', { tpm: true }, '2.10.3', 'pools[all].tpm: a machine with a TPM needs Rancher 2.11.0'],
    [
      'cpuPinning',
      { cpuPinning: true },
      '2.10.3',
      'pools[all].cpuPinning: a machine with pinned CPUs or an isolated emulator thread needs Rancher 2.11.0',
    ],
    [
      'efi',
      { efi: true },
      '2.8.2',
      'pools[all].efi: a machine with EFI or secure boot needs Rancher',
    ],
    [
      'vgpus',
      { vgpus: [VGpu.nvidia('NVIDIA A2-2Q')] },
      '2.8.2',
      'pools[all].vgpus: a machine with a virtual GPU needs Rancher',
    ],
    [
      'labels of the driver',
      { affinity: VmAffinity.of({ preferredApart: [{ vms: VmSelector.sameCluster() }] }) },
      '2.10.3',
      'pools[all].affinity: guest cluster labels on the virtual machines needs Rancher 2.11.0',
    ],
    [
      'hostnameLengthLimit',
      { hostnameLengthLimit: 40 },
      '2.7.4',
      'pools[all].hostnameLengthLimit: machinePoolDefaults and hostnameLengthLimit needs Rancher 2.7.5',
    ],
    [
      'disks',
      {},
      '2.7.1',
      'pools[all].disks: a machine with several disks or networks (diskInfo, networkInfo) needs Rancher',
    ],
  ])('that lack %s are refused', (_, props, rancher, message) => {
    expect(refusal(props, { rancher })).toContain(message);
  });

  test.each([
    ['2.6.11', '1.2.0'],
    ['2.7.2', '1.2.0'],
    ['2.7.6', '1.2.0'],
  ])('that have several disks: Rancher %s with Harvester %s', (rancher, harvester) => {
    const program = new PoolProgram({ rancher, harvester });
    const { diskInfo } = program.config({
      disks: [
        Disk.image(program.image, Size.gibibytes(40)),
        Disk.image(program.image, Size.gibibytes(10)),
      ],
    });
    expect(JSON.parse(diskInfo).disks).toHaveLength(2);
  });

  test('of Harvester count too', () => {
    expect(refusal({ cpuPinning: true }, { harvester: '1.3.2' })).toContain(
      'pools[all].cpuPinning: the CPU manager, which pinned CPUs need needs Harvester 1.4.0',
    );
    expect(refusal({ affinity: VmAffinity.spreadOverZones() }, { harvester: '1.1.2' })).toContain(
      'pools[all].affinity: an affinity of guest machines to other virtual machines needs Harvester 1.2.0',
    );
    expect(() =>
      refusal({ affinity: VmAffinity.onNodes({ a: 'b' }) }, { harvester: '1.1.2' }),
    ).toThrow('nothing was thrown');
  });
});

describe('a pool that kubernetes/autoscaler scales with the provider rancher', () => {
  const { RANCHER } = MachineAutoscaler;
  const annotation = (name: string): string => `cluster.provisioning.cattle.io/autoscaler-${name}`;

  test.each(['2.12.3', '2.13.8'])(
    'has bounds in annotations, and a quantity, on Rancher %s',
    (rancher) => {
      const { entry } = new PoolProgram({ rancher }).add({
        autoscaling: { min: 2, max: 6, autoscaler: RANCHER },
        machineDeploymentAnnotations: { a: 'b' },
      });
      expect(entry.quantity).toBe(2);
      expect(entry).not.toHaveProperty('autoscalingMinSize');
      expect(entry.machineDeploymentAnnotations).toEqual({
        a: 'b',
        [annotation('min-size')]: '2',
        [annotation('max-size')]: '6',
      });
    },
  );

  test('shows what a node has, and takes other amounts of the program', () => {
    const { entry } = new PoolProgram().add({
      quantity: 3,
      cpus: 4,
      memory: Size.gibibytes(8),
      autoscaling: { min: 1, max: 6, autoscaler: RANCHER, ephemeralStorage: Size.gibibytes(30) },
      machineDeploymentAnnotations: { [annotation('resource-memory')]: '7Gi' },
    });
    expect(entry.quantity).toBe(3);
    expect(entry.machineDeploymentAnnotations).toEqual({
      [annotation('resource-cpu')]: '4',
      [annotation('resource-memory')]: '7Gi',
      [annotation('resource-ephemeral-storage')]: '30Gi',
      [annotation('min-size')]: '1',
      [annotation('max-size')]: '6',
    });
  });

  test('begins within its bounds, and shows resources to no other autoscaler', () => {
    const errors = (props: object): string => {
      try {
        new PoolProgram().add(props);
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(errors({ quantity: 7, autoscaling: { min: 1, max: 6, autoscaler: RANCHER } })).toContain(
      'pools[all].quantity: must be within the bounds of autoscaling, 1 to 6, got 7',
    );
    expect(
      errors({ autoscaling: { min: 1, max: 6, ephemeralStorage: Size.gibibytes(9) } }),
    ).toContain('pools[all].autoscaling.ephemeralStorage: cannot be set without autoscaler');
  });
});
