import { Size } from 'cdk8s';
import { parse } from 'yaml';
import { notesOf } from '../../../src/core/construct/object-notes';
import { KindDescription } from '../../../src/core/kind/kind';
import { kindOf } from '../../../src/core/kind/kinds';
import { LateSource, LateValue } from '../../../src/core/value/late-value';
import { SecretValue } from '../../../src/core/value/secret-value';
import { VmAffinity } from '../../../src/harvester/affinity/vm-affinity';
import { CloudInit } from '../../../src/harvester/cloud-init/cloud-init';
import { CloudInitCommand, GuestAgent } from '../../../src/harvester/cloud-init/cloud-init-props';
import { NetworkData } from '../../../src/harvester/cloud-init/network-data';
import { Disk, DiskBus } from '../../../src/harvester/machine/disk';
import { InterfaceModel, Nic } from '../../../src/harvester/machine/nic';
import { VGpu } from '../../../src/harvester/machine/vgpu';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { assemblyOf } from '../../support/written';
import { PoolProgram, fieldsOf } from '../machine-pool/_pools';

const GIB = Size.gibibytes(1);
const SECRET = ({ harvester: target }: PoolProgram): LateSource =>
  LateSource.secretKey('token', {
    target,
    apiVersion: 'v1',
    kind: 'Secret',
    name: 'a',
    namespace: 'b',
  });

describe('a machine configuration', () => {
  test('has the fields of the UI, each byte of them a contract', () => {
    const { config } = new PoolProgram().add();
    expect(config.toJson()).toEqual({
      apiVersion: 'rke-machine-config.cattle.io/v1',
      kind: 'HarvesterConfig',
      metadata: { name: 'nc-shop-all', namespace: 'fleet-default' },
      vmNamespace: 'payments',
      cpuCount: '4',
      memorySize: '8',
      diskInfo: '{"disks":[{"imageName":"default/ubuntu","bootOrder":1,"size":40}]}',
      networkInfo: '{"interfaces":[{"networkName":"default/prod","macAddress":""}]}',
      userData:
        '#cloud-config\npackage_update: true\npackages:\n  - qemu-guest-agent\nruncmd:\n  - - systemctl\n    - enable\n    - --now\n    - qemu-guest-agent.service\n',
    });
  });

  test("has every field of the node driver that is a user's to set", () => {
    const program = new PoolProgram();
    expect(
      program.config({
        reservedMemory: Size.mebibytes(512),
        cpuModel: 'host-passthrough',
        cpuPinning: true,
        isolateEmulatorThread: true,
        efi: true,
        secureBoot: true,
        tpm: true,
        vgpus: [VGpu.nvidia('NVIDIA A2-2Q'), VGpu.of('nvidia.com/GRID_T4-1B')],
        disks: [
          Disk.image(program.image, Size.gibibytes(40), { bus: DiskBus.SCSI }),
          Disk.empty(Size.tebibytes(1), { hotPluggable: true, bootOrder: 3 }),
          Disk.cdRom(program.image, GIB, { bootOrder: 2 }),
        ],
        networks: undefined,
        nics: [
          Nic.network(program.network, {
            model: InterfaceModel.E1000,
            macAddress: '52:54:00:AA:BB:CC',
          }),
          Nic.network(
            VmNetwork.fromName(program.harvester, 'storage', { name: 'storage', namespace: 'net' }),
          ),
        ],
        affinity: VmAffinity.onNodes({ 'topology.kubernetes.io/zone': 'a' }),
        sshUser: 'ubuntu',
        sshPassword: SecretValue.unsafePlainText('Very-Secret_1'),
        sshPort: 2222,
        cloudInit: CloudInit.of({ guestAgent: GuestAgent.preinstalled(), packages: ['vim'] }),
        networkData: NetworkData.v2({ ethernets: { enp1s0: { dhcp4: true } } }),
      }),
    ).toEqual({
      vmNamespace: 'payments',
      cpuCount: '4',
      memorySize: '8',
      reservedMemorySize: '512',
      cpuModel: 'host-passthrough',
      cpuPinning: true,
      isolateEmulatorThread: true,
      enableEfi: true,
      enableSecureBoot: true,
      enableTpm: true,
      diskInfo:
        '{"disks":[{"imageName":"default/ubuntu","bootOrder":1,"size":40,"bus":"scsi"},' +
        '{"storageClassName":"harvester-longhorn","bootOrder":3,"size":1024,"hotPlugAble":true},' +
        '{"imageName":"default/ubuntu","bootOrder":2,"size":1,"bus":"sata","type":"cd-rom"}]}',
      networkInfo:
        '{"interfaces":[{"networkName":"default/prod","macAddress":"52:54:00:aa:bb:cc","model":"e1000"},{"networkName":"net/storage","macAddress":""}]}',
      vgpuInfo:
        '{"vGPURequests":[{"name":"provisioned","deviceName":"nvidia.com/NVIDIA_A2-2Q"},{"name":"provisioned","deviceName":"nvidia.com/GRID_T4-1B"}]}',
      vmAffinity:
        '{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":' +
        '[{"key":"topology.kubernetes.io/zone","operator":"In","values":["a"]}]}]}},' +
        '"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":100,"podAffinityTerm":{"labelSelector":{"matchExpressions":' +
        '[{"key":"harvesterhci.io/creator","operator":"Exists"}]},"topologyKey":"kubernetes.io/hostname"}}]}}',
      sshUser: 'ubuntu',
      sshPassword: 'Very-Secret_1',
      sshPort: '2222',
      userData: '#cloud-config\n# qemu-guest-agent is in the image\npackages:\n  - vim\n',
      networkData: 'version: 2\nethernets:\n  enp1s0:\n    dhcp4: true\n',
    });
  });

  test("has no field for what is the driver's default", () => {
    const fields = new PoolProgram().config({
      cpuPinning: false,
      efi: false,
      tpm: false,
      sshPort: 22,
      vgpus: [],
    });
    expect(Object.keys(fields).sort()).toEqual([
      'cpuCount',
      'diskInfo',
      'memorySize',
      'networkInfo',
      'userData',
      'vmNamespace',
    ]);
  });

  test('lists the fields that others write, without those written here', () => {
    const { config } = new PoolProgram().add({ sshUser: 'ubuntu' });
    const { writtenByOthers, deletion } = kindOf<KindDescription>(config)!;
    expect(writtenByOthers).toEqual(
      expect.arrayContaining([
        'metadata.annotations[ownerBindingsCreated]',
        'metadata.ownerReferences',
        'diskSize',
        'sshPort',
        'vgpuInfo',
      ]),
    );
    expect(notesOf(config).othersWrite).toBeUndefined();
    expect(deletion).toMatchObject({ policy: 'delete' });
  });

  test('waits for image and network', () => {
    const program = new PoolProgram();
    program.add();
    program.app.synth();
    const { edges } = assemblyOf(program.app);
    const from = edges
      .filter((edge: any) => edge.from.includes('nc-shop-all'))
      .map((edge: any) => `${edge.type} ${edge.to}`);
    expect(from).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^ready .*ubuntu/),
        expect.stringMatching(/^applied .*prod/),
      ]),
    );
  });
});

describe('user data of machines', () => {
  const file = {
    path: '/etc/kubernetes/cloud-config',
    content: 'a3ViZQ==',
    encoding: 'b64' as const,
  };

  test("has the files of the cluster, in the form of Harvester's scripts", () => {
    expect(
      new PoolProgram().config(
        { cloudInit: CloudInit.of({ guestAgent: GuestAgent.preinstalled() }) },
        [file],
      ).userData,
    ).toBe(
      '#cloud-config\n# qemu-guest-agent is in the image\nwrite_files:\n  - encoding: b64\n    content: a3ViZQ==\n    owner: root:root\n    path: /etc/kubernetes/cloud-config\n    permissions: "0644"\n',
    );
  });

  test('holds late values as they are', () => {
    const program = new PoolProgram();
    const late = new LateValue(program.rancher, 'Token', {
      description: 'a token',
      source: SECRET(program),
    });
    expect(
      parse(program.config({}, [{ ...file, content: late.base64 }]).userData).write_files[0]
        .content,
    ).toBe(late.base64);
  });

  const SHELL = 'echo $$ > /run/pid';

  test('is in base64 where Kubernetes would change it on its way to the driver', () => {
    const text = new PoolProgram().config({
      cloudInit: CloudInit.of({ runCommands: [CloudInitCommand.shell(SHELL)] }),
    }).userData;
    expect(parse(Buffer.from(text, 'base64').toString()).runcmd[1]).toBe(SHELL);
    const plain = 'echo $(hostname) $HOME ${HOME}';
    const cloudInit = CloudInit.of({ runCommands: [CloudInitCommand.shell(plain)] });
    expect(parse(new PoolProgram().config({ cloudInit }).userData).runcmd[1]).toBe(plain);
  });

  test('with late values is in base64 as a whole then', () => {
    const program = new PoolProgram();
    const late = new LateValue(program.rancher, 'Token', {
      description: 'a token',
      source: SECRET(program),
    });
    const cloudInit = CloudInit.of({
      runCommands: [CloudInitCommand.shell(`${SHELL} ${late.token}`)],
    });
    expect(program.config({ cloudInit }).userData).toMatch(
      /^\$\{late:[a-z0-9.-]+userdata[a-z0-9.-]*\|base64\}$/,
    );
    program.app.synth();
    const { lateValues } = assemblyOf(program.app);
    expect(lateValues.map(({ source }: any) => source.resolver).sort()).toEqual([
      'secret-key',
      'text',
    ]);
  });
});

describe('pools that share a machine configuration', () => {
  test('have one object', () => {
    const program = new PoolProgram();
    const [one, other] = ['a', 'b'].map((name) =>
      program.add({ name, machineConfigName: 'small' }),
    );
    expect(other.config).toBe(one.config);
    expect([one, other].map(({ entry }) => entry.machineConfigRef)).toEqual(
      Array(2).fill({ kind: 'HarvesterConfig', name: 'small' }),
    );
    expect(fieldsOf(one.config).cpuCount).toBe('4');
  });

  test('are refused where their machines differ', () => {
    const program = new PoolProgram();
    program.add({ name: 'a', machineConfigName: 'small' });
    expect(() =>
      program.add({ name: 'b', machineConfigName: 'small', cpus: 8, efi: true }),
    ).toThrow(
      '[rancher/shop] pools[b].machineConfigName: cannot be shared with another pool, whose machines differ in cpuCount, enableEfi, got "small". Fix: ' +
        'make the machines equal, or use another machineConfigName for each pool',
    );
  });
});
