import { Duration, Size } from 'cdk8s';
import { PoolProgram, refusal } from './pools';
import { SecretValue } from '../../../src/core/late/secret-value';
import { problemText } from '../../../src/core/rule/problem';
import { Disk, DiskBus, VGpu } from '../../../src/guest/machine-pool/machine-devices';
import { MachineRoles, MachineTaintEffect } from '../../../src/guest/machine-pool/machine-pool';
import { checkMachinePools } from '../../../src/guest/machine-pool/machine-pool-checks';
import { addMachinePools } from '../../../src/guest/machine-pool/machine-pool-objects';
import { VmAffinity, VmSelector } from '../../../src/guest/machine-pool/vm-affinity';
import { CloudInit } from '../../../src/harvester/cloud-init/cloud-init';
import { NetworkData } from '../../../src/harvester/cloud-init/network-data';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { CloudCredential } from '../../../src/rancher/credential/cloud-credential';
import { RancherChart } from '../../../src/rancher/rancher-chart';
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
    const credential = CloudCredential.fromName(program.rancher, 'credential', 'cattle-global-data:cc-own');
    expect(program.add({
      roles: MachineRoles.of({ worker: true }),
      quantity: 0,
      credential,
      machineConfigName: 'workers',
      machineOs: 'linux',
      hostnameLengthLimit: 40,
      labels: { tier: 'web' },
      taints: [{ key: 'dedicated', value: 'web', effect: MachineTaintEffect.NO_SCHEDULE }, { key: 'a/b', effect: MachineTaintEffect.NO_EXECUTE }],
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
    }).entry).toEqual({
      name: 'all',
      quantity: 0,
      workerRole: true,
      cloudCredentialSecretName: 'cattle-global-data:cc-own',
      machineConfigRef: { kind: 'HarvesterConfig', name: 'workers' },
      machineOS: 'linux',
      hostnameLengthLimit: 40,
      labels: { tier: 'web' },
      taints: [{ key: 'dedicated', value: 'web', effect: 'NoSchedule' }, { key: 'a/b', value: undefined, effect: 'NoExecute' }],
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
    const { entry } = new PoolProgram({ rancher: '2.12.3' }).add({ autoscaling: { min: 1, max: 5 }, machineDeploymentAnnotations: { a: 'b' } });
    expect(entry).not.toHaveProperty('autoscalingMinSize');
    expect(entry.machineDeploymentAnnotations).toEqual({
      'a': 'b', 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size': '1', 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size': '5',
    });
  });
});

describe('pools of a cluster', () => {
  const program = new PoolProgram();
  const problems = (...pools: [string, MachineRoles][]): string[] =>
    checkMachinePools(pools.map(([name, roles]) => program.pool({ name, roles }))).map(problemText);

  test('have every role together', () => {
    expect(problems(['a', MachineRoles.CONTROL_PLANE_ETCD], ['b', MachineRoles.WORKER])).toEqual([]);
    expect(problems(['a', MachineRoles.CONTROL_PLANE])).toEqual([
      'pools: have no etcd and no worker, so the cluster never starts (the server: "waiting for at least one control plane, etcd, and worker node to be registered"); '
      + 'give each role to one pool at least, e.g. by MachineRoles.ALL',
    ]);
  });

  test('have names of their own', () => {
    expect(problems(['a', MachineRoles.ALL], ['a', MachineRoles.ALL])).toEqual([
      'pools[a].name: got "a", is the name of several pools (the server: "duplicate machinePool name [a] used"); give each pool a name of its own',
    ]);
  });

  test('are one at least', () => {
    expect(problems()).toEqual(['pools: has no pool; give one pool at least, e.g. with MachineRoles.ALL, or make a CustomCluster']);
  });
});

const MIB = Size.mebibytes(4000);

test('a secret that is not there is told with the pool that asks for it', () => {
  expect(refusal({ sshPassword: SecretValue.fromEnv('NO_SUCH_VARIABLE') })).toBe(
    '[rancher/shop] pools[all]: the secret from environment variable NO_SUCH_VARIABLE is empty; set it before synthesis',
  );
});

test('what is wrong with several pools comes as one error', () => {
  const program = new PoolProgram();
  const pools = [program.pool({ name: 'a', cpus: 0 }), program.pool({ name: 'b', sshPort: 0 })];
  expect(() => addMachinePools(program.context, pools, [])).toThrow(/^\[rancher\/shop\] pools\[a\]\.cpus: .*\n\[rancher\/shop\] pools\[b\]\.sshPort: /);
});

describe('a pool is refused', () => {
  test('with memory in MiB that is no whole number of GiB', () => {
    expect(refusal({ memory: MIB })).toBe(
      '[rancher/shop] pools[all].memory: got "4000Mi", is no whole number of GiB, which is all that Rancher\'s node driver takes; give Size.gibibytes(4), that is 4096 MiB',
    );
  });

  test('with all that is wrong at once', () => {
    expect(refusal({ cpus: 0, memory: MIB, disks: [] }).split('\n')).toHaveLength(3);
  });

  test.each<[string, Parameters<typeof refusal>[0], string]>([
    ['no roles', { roles: MachineRoles.of({}) }, 'pools[all].roles: are none (the server: "at least one role of etcd, control-plane or worker must be assigned to machinePool [all]"); give one role at least'],
    ['half a CPU', { cpus: 0.5 }, 'pools[all].cpus: got 0.5, is no number of CPUs; give a whole number from 1'],
    ['a broken quantity', { quantity: 1.5 }, 'pools[all].quantity: got 1.5, is no number of machines; give a whole number from 0'],
    ['a quantity that the autoscaler sets', { quantity: 1, autoscaling: { min: 1, max: 2 } }, 'pools[all].quantity: got 1, would be set back with each apply against the autoscaler; leave quantity out'],
    ['bounds the wrong way round', { autoscaling: { min: 3, max: 2 } }, 'pools[all].autoscaling: got {"min":3,"max":2}, has more for the least than for the largest number'],
    ['no etcd left', { autoscaling: { min: 0, max: 2 } }, 'pools[all].autoscaling.min: got 0, would leave the cluster without control plane or etcd; give 1 or more'],
    ['more reserved than there is', { reservedMemory: Size.gibibytes(8) }, 'pools[all].reservedMemory: got "8Gi", leaves nothing of 8Gi (the server: "reservedMemory cannot be equal or greater than limits.memory")'],
    ['secure boot without EFI', { secureBoot: true }, 'pools[all].secureBoot: needs efi (the server: "enable secure boot requires enable EFI"); set efi too'],
    ['an isolated thread alone', { isolateEmulatorThread: true }, 'pools[all].isolateEmulatorThread: needs cpuPinning'],
    ['a GPU that is none', { vgpus: [VGpu.ofDevice('A2')] }, 'pools[all].vgpus[0]: got "A2", is no resource of a virtual GPU; give <vendor>/<type>, e.g. nvidia.com/NVIDIA_A2-2Q, or use VGpu.nvidia'],
    ['a port that is none', { sshPort: 70000 }, 'pools[all].sshPort: got 70000, is no port; give 1 to 65535'],
    ['a user that is none', { sshUser: 'My User' }, 'pools[all].sshUser: got "My User", is no login name; give the user of the image, e.g. ubuntu'],
    ['half a disk', ({ image }) => ({ disks: [Disk.image(image, Size.mebibytes(500))] }), 'pools[all].disks[0].size: got "500Mi", is no whole number of GiB, which is all that Rancher\'s node driver takes; give Size.gibibytes(1)'],
    ['no disk', { disks: [] }, 'pools[all].disks: has no disk (the server: "must specify harvester image name"); give one from a cloud image: Disk.image(image, Size.gibibytes(40))'],
    ['an empty disk to start from', { disks: [Disk.empty(Size.gibibytes(10))] }, 'pools[all].disks[0]: is empty, and the machine starts from it; give the first disk a cloud image (qcow2 or raw): Disk.image(image, size)'],
    ['a CD-ROM to start from', ({ image }) => ({ disks: [Disk.cdRom(image, Size.gibibytes(1))] }), 'pools[all].disks[0]: is a CD-ROM, and no system would be installed from it'],
    ['a CD-ROM on virtio', ({ image }) => ({ disks: [Disk.image(image, Size.gibibytes(10)), Disk.cdRom(image, Size.gibibytes(1), { bus: DiskBus.VIRTIO })] }),
      'pools[all].disks[1].bus: got "virtio", is no bus for a CD-ROM (the server: "Bus type virtio is invalid for CD-ROM device"); use SATA or SCSI'],
    ['two disks at one place', ({ image }) => ({ disks: [Disk.image(image, Size.gibibytes(10)), Disk.empty(Size.gibibytes(1), undefined, { bootOrder: 1 })] }),
      'pools[all].disks[1].bootOrder: got 1, is the place of two disks; give each disk another place'],
    ['no network', { networks: [] }, 'pools[all].networks: has no network, and machines of the node driver can not use the management network (the server: "must specify network name in harvester network info")'],
    ['networks twice', ({ network }) => ({ interfaces: [{ network }] }), 'pools[all].interfaces: is given beside networks; give one of both'],
    ['a hardware address that is none', ({ network }) => ({ networks: undefined, interfaces: [{ network, macAddress: '52-54-00-12-34-56' }] }),
      'pools[all].interfaces[0].macAddress: got "52-54-00-12-34-56", is no hardware address; give six pairs of hexadecimal digits with colons, e.g. 52:54:00:12:34:56'],
    ['a hardware address of a group', ({ network }) => ({ networks: undefined, interfaces: [{ network, macAddress: '53:54:00:12:34:56' }] }), 'is an address of a group of cards; begin with an even number, e.g. 52'],
    ['one hardware address for several', ({ network }) => ({ quantity: 2, networks: undefined, interfaces: [{ network, macAddress: '52:54:00:12:34:56' }] }), 'is one address for several machines'],
    ['one address for several', { quantity: 2, networkData: NetworkData.v2({ ethernets: { a: { addresses: ['10.0.0.5/24'] } } }) },
      'pools[all].networkData: gives a fixed address to each machine of a pool of several; make one pool a machine, each with quantity 1 and its own address, or use DHCP'],
    ['a name for its machines', { cloudInit: CloudInit.of({ hostname: 'web' }) }, 'pools[all].cloudInit: got "hostname", settles the host name: every machine of the pool would have the same'],
    ['a name for its machines in text', { cloudInit: CloudInit.fromYaml('fqdn: web.example.com') }, 'pools[all].cloudInit: got "fqdn", settles the host name'],
    ['the name of its image', { cloudInit: CloudInit.fromYaml('preserve_hostname: true') }, 'pools[all].cloudInit: got "preserve_hostname", settles the host name'],
    ['a label that is none', { labels: { 'a b': 'c' } }, 'pools[all].labels: got "a b", is no name of a label'],
    ['a taint that is none', { taints: [{ key: 'a', value: 'b c', effect: MachineTaintEffect.NO_SCHEDULE }] }, 'pools[all].taints[0].value: got "b c", is no value of a label'],
    ['an amount that is none', { maxUnhealthy: 'half' }, 'pools[all].maxUnhealthy: got "half", is no amount of machines; give a number or a percentage, e.g. 1 or 25%'],
    ['a roll that can not move', { rollingUpdate: { maxSurge: '0' } }, 'pools[all].rollingUpdate: lets no machine be exchanged: neither one more nor one fewer is allowed; give maxUnavailable 1 with maxSurge 0'],
    ['a range that is none', { unhealthyRange: '3-5' }, 'pools[all].unhealthyRange: got "3-5", is no range; write it like [3-5]'],
    ['a limit that Rancher ignores', { hostnameLengthLimit: 64 }, 'pools[all].hostnameLengthLimit: got 64, is no limit that Rancher takes; give 10 to 63'],
    ['a broken second', { nodeStartupTimeout: Duration.millis(1500) }, 'pools[all].nodeStartupTimeout: got "1.5 seconds", must be whole seconds; round it'],
    ['another system', { machineOs: 'bsd' }, 'pools[all].machineOs: got "bsd", is no operating system that Rancher knows; use linux or windows'],
    ['an affinity that says nothing', { affinity: VmAffinity.of({ spread: false }) }, 'pools[all].affinity: says nothing; leave it out, or name nodes or virtual machines'],
    ['a name in capitals', { name: 'Workers' }, 'pools[Workers].name: got "Workers", is no name of a pool; use a-z, 0-9 and hyphens, beginning and ending with a letter or digit'],
  ])('with %s', (_, props, message) => {
    expect(refusal(props)).toContain(message);
  });

  test('with a name that is too long for the names of its machines, one character less is taken', () => {
    const name = 'a'.repeat(46);
    expect(refusal({ name: `${name}a` })).toContain(`"shop-${name}a-xxxxx-xxxxx" of more than 63 characters`);
    expect(refusal({ name: `${name}a` })).toContain('use up to 46 characters, or a shorter name of the cluster');
    expect(() => refusal({ name })).toThrow('nothing was thrown');
  });

  test.each(['abc: def', '12345', 'yes', 'a$$b', '# x'])('with a password that the driver would break (%j), without showing it', (password) => {
    const message = refusal({ sshPassword: SecretValue.unsafePlainText(password) });
    expect(message).toContain('pools[all].sshPassword: holds what the node driver can not pass on');
    expect(message).not.toContain(password);
  });

  test('with image, network and storage of another Harvester', () => {
    const message = refusal(({ app }) => {
      const other = newHarvester(app, '1.7.2', 'dc2');
      return { disks: [Disk.image(VmImage.fromName(other, 'image', 'image-x'), Size.gibibytes(10))], networks: [VmNetwork.fromName(other, 'net', 'net')] };
    });
    expect(message).toContain('pools[all].disks[0]: got "default/image-x", is an image of the Harvester dc2, the machines run on dc1; give an image of dc1');
    expect(message).toContain('pools[all].networks[0]: got "default/net", is a network of the Harvester dc2, the machines run on dc1; give a network of dc1');
  });

  test('with a credential of another Rancher', () => {
    expect(refusal(({ app }) => {
      const other = new RancherChart(app, 'rancher-2', { version: '2.14.1', serverUrl: SERVER });
      return { credential: CloudCredential.fromName(other, 'credential', 'cc-x') };
    })).toContain('pools[all].credential: got "cc-x", belongs to another Rancher, rancher-2; give one of the same Rancher');
  });

  test('with an image that is an installer', () => {
    expect(refusal(({ harvester }) => ({
      disks: [Disk.image(VmImage.download(harvester, 'iso', { url: 'https://example.com/install.ISO' }), Size.gibibytes(10))],
    }))).toContain('pools[all].disks[0]: got "default/iso", is an ISO, which has an installer and no installed system');
  });
});

describe('versions', () => {
  test.each<[string, Parameters<typeof refusal>[0], string, string]>([
    ['cpuModel', { cpuModel: 'host-model' }, '2.13.8', 'pools[all].cpuModel: cpuModel of a machine needs Rancher 2.14.0 or later; the chart names 2.13.8'],
    ['reservedMemory', { reservedMemory: Size.mebibytes(256) }, '2.11.3', 'pools[all].reservedMemory: reservedMemorySize of a machine needs Rancher 2.12.0'],
    ['tpm', { tpm: true }, '2.10.3', 'pools[all].tpm: a machine with a TPM needs Rancher 2.11.0'],
    ['cpuPinning', { cpuPinning: true }, '2.10.3', 'pools[all].cpuPinning: a machine with pinned CPUs or an isolated emulator thread needs Rancher 2.11.0'],
    ['efi', { efi: true }, '2.8.2', 'pools[all].efi: a machine with EFI or secure boot needs Rancher'],
    ['vgpus', { vgpus: [VGpu.nvidia('NVIDIA A2-2Q')] }, '2.8.2', 'pools[all].vgpus: a machine with a virtual GPU needs Rancher'],
    ['labels of the driver', { affinity: VmAffinity.of({ preferredApart: [{ vms: VmSelector.sameCluster() }] }) }, '2.10.3', 'pools[all].affinity: guest cluster labels on the virtual machines needs Rancher 2.11.0'],
    ['hostnameLengthLimit', { hostnameLengthLimit: 40 }, '2.7.4', 'pools[all].hostnameLengthLimit: machinePoolDefaults and hostnameLengthLimit needs Rancher 2.7.5'],
    ['disks', {}, '2.7.1', 'pools[all].disks: a machine with several disks or networks (diskInfo, networkInfo) needs Rancher'],
  ])('that lack %s are told so', (_, props, rancher, message) => {
    expect(refusal(props, { rancher })).toContain(message);
  });

  test.each([['2.6.11', '1.2.0'], ['2.7.2', '1.2.0'], ['2.7.6', '1.2.0']])('that have several disks: Rancher %s with Harvester %s', (rancher, harvester) => {
    const program = new PoolProgram({ rancher, harvester });
    const { diskInfo } = program.config({ disks: [Disk.image(program.image, Size.gibibytes(40)), Disk.image(program.image, Size.gibibytes(10))] });
    expect(JSON.parse(diskInfo).disks).toHaveLength(2);
  });

  test('of Harvester count too', () => {
    expect(refusal({ cpuPinning: true }, { harvester: '1.3.2' })).toContain('pools[all].cpuPinning: the CPU manager, which pinned CPUs need needs Harvester 1.4.0');
    expect(refusal({ affinity: VmAffinity.spreadOverZones() }, { harvester: '1.1.2' })).toContain('pools[all].affinity: an affinity of guest machines to other virtual machines needs Harvester 1.2.0');
    expect(() => refusal({ affinity: VmAffinity.onNodes({ a: 'b' }) }, { harvester: '1.1.2' })).toThrow('nothing was thrown');
  });
});
