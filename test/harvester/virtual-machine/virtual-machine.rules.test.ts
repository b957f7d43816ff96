import { Manifest } from '../../../src/core/manifest/manifest';
import { claim, findings, machine, messages, told, volume } from '../../support/machines';

const CLAIMS = 'metadata.annotations[harvesterhci.io/volumeClaimTemplates]';
const claims = (...list: object[]): object => ({ 'harvesterhci.io/volumeClaimTemplates': JSON.stringify(list) });
const DOMAIN = 'spec.template.spec.domain';

test('a machine as Harvester\'s UI writes it raises nothing', () => {
  expect(findings([machine('web')])).toEqual([]);
});

test('on a guest cluster with KubeVirt of its own nothing is said', () => {
  expect(told([machine('web', { domain: { resources: {} } })], { kind: 'guest' })).toEqual([]);
});

describe('what Harvester and KubeVirt refuse', () => {
  test.each<[string, Manifest, string, string]>([
    ['no memory', machine('a', { domain: { resources: {} } }), DOMAIN, 'either memory.guest or resources.limits.memory must be set'],
    ['a reserve as large as the memory', machine('a', { annotations: { 'harvesterhci.io/reservedMemory': '1Gi' } }), 'metadata.annotations[harvesterhci.io/reservedMemory]', 'reservedMemory cannot be equal or greater than limits.memory'],
    ['a negative reserve', machine('a', { annotations: { 'harvesterhci.io/reservedMemory': '-1Gi' } }), 'metadata.annotations[harvesterhci.io/reservedMemory]', 'reservedMemory cannot be less than 0'],
    ['a reserve that is none', machine('a', { annotations: { 'harvesterhci.io/reservedMemory': 'much' } }), 'metadata.annotations[harvesterhci.io/reservedMemory]', 'quantities must match the regular expression'],
    ['running and runStrategy', machine('a', { spec: { running: true } }), 'spec.running', 'Running and RunStrategy are mutually exclusive'],
    ['neither of them', machine('a', { spec: { runStrategy: undefined } }), 'spec.runStrategy', 'One of Running or RunStrategy must be specified'],
    ['an unknown run strategy', machine('a', { spec: { runStrategy: 'Often' } }), 'spec.runStrategy', 'Invalid RunStrategy (Often)'],
    ['a negative grace period', machine('a', { instance: { terminationGracePeriodSeconds: -1 } }), 'spec.template.spec.terminationGracePeriodSeconds', 'Termination grace period can\'t be negative'],
    ['an isolated thread alone', machine('a', { domain: { cpu: { isolateEmulatorThread: true } } }), `${DOMAIN}.cpu.isolateEmulatorThread`, 'IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement'],
    ['EFI that is secure by default', machine('a', { domain: { firmware: { bootloader: { efi: {} } } } }), `${DOMAIN}.firmware.bootloader.efi.secureBoot`, 'has EFI SecureBoot enabled. SecureBoot requires SMM, which is currently disabled.'],
    ['a disk without a volume', machine('a', { instance: { volumes: [] }, annotations: claims() }), `${DOMAIN}.devices.disks[0].name`, `${DOMAIN}.devices.disks[0].Name 'a' not found.`],
    ['a card without a network', machine('a', { instance: { networks: [] } }), `${DOMAIN}.devices.interfaces[0].name`, `${DOMAIN}.devices.interfaces[0].name 'nic-0' not found.`],
    ['a network without a card', machine('a', { devices: { interfaces: [] } }), 'spec.template.spec.networks[0].name', 'spec.template.spec.networks[0].name \'nic-0\' not found.'],
    ['masquerade on a bridge', machine('a', { devices: { interfaces: [{ name: 'nic-0', masquerade: {}, macAddress: '52:54:00:00:00:01' }] } }), `${DOMAIN}.devices.interfaces[0].masquerade`, 'Masquerade interface only implemented with pod network'],
    ['a bad address', machine('a', { devices: { interfaces: [{ name: 'nic-0', bridge: {}, macAddress: 'x' }] } }), `${DOMAIN}.devices.interfaces[0].macAddress`, 'has malformed MAC address'],
    ['claims that are no JSON', machine('a', { annotations: { 'harvesterhci.io/volumeClaimTemplates': '[{' } }), CLAIMS, 'the volumeClaimTemplates annotaion is invalid: invalid character'],
    ['a claim without a name', machine('a', { annotations: claims({ metadata: {} }) }), CLAIMS, 'the volumeClaimTemplates annotaion is invalid: PVC name is required'],
    ['too much user data', machine('a', { instance: { volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'a-a' } }, { name: 'c', cloudInitNoCloud: { userData: 'x'.repeat(2049) } }] } }), 'spec.template.spec.volumes[1].cloudInitNoCloud.userData', 'exceeds 2048 byte limit'],
    ['a volume without a source', machine('a', { instance: { volumes: [{ name: 'a' }] }, annotations: claims() }), 'spec.template.spec.volumes[0]', 'spec.template.spec.volumes[0] must have exactly one source type set'],
    ['a volume with two sources', machine('a', { instance: { volumes: [{ name: 'a', emptyDisk: {}, containerDisk: { image: 'x' } }] }, annotations: claims() }), 'spec.template.spec.volumes[0]', 'spec.template.spec.volumes[0] must have exactly one source type set'],
    ['a network of three parts', machine('a', { instance: { networks: [{ name: 'nic-0', multus: { networkName: 'a/b/c' } }] } }), 'spec.template.spec.networks[0].multus.networkName', 'invalid network name a/b/c'],
  ])('%s', (_, manifest, path, says) => {
    const [finding, ...others] = findings([manifest]);
    expect(finding).toMatchObject({ level: 'error', path });
    expect(finding!.message).toContain(`(the server: "${says}")`);
    expect(others).toEqual([]);
  });

  test.each<[string, Manifest]>([
    ['memory for the guest alone', machine('a', { domain: { resources: {}, memory: { guest: '1Gi' } } })],
    ['memory of an instance type', machine('a', { domain: { resources: {} }, spec: { instancetype: { name: 'u1.small' } } })],
    ['running without a strategy', machine('a', { spec: { runStrategy: undefined, running: true } })],
    ['EFI that is not secure', machine('a', { domain: { firmware: { bootloader: { efi: { secureBoot: false } } } } })],
    ['an empty CD-ROM', machine('a', { devices: { disks: [{ name: 'a', disk: {} }, { name: 'cd', cdrom: {} }] } })],
    ['no claims at all', machine('a', { annotations: { 'harvesterhci.io/volumeClaimTemplates': '' } })],
    ['late claims', machine('a', { annotations: { 'harvesterhci.io/volumeClaimTemplates': '${late:x}' } })],
  ])('but not %s', (_, manifest) => {
    expect(told([manifest])).toEqual([]);
  });

  test('user data never shows in a message', () => {
    const secret = `password: hunter2${'x'.repeat(2048)}`;
    const volumes = [{ name: 'a', persistentVolumeClaim: { claimName: 'a-a' } }, { name: 'c', cloudInitNoCloud: { userData: secret } }];
    expect(JSON.stringify(findings([machine('a', { instance: { volumes } })]))).not.toContain('hunter2');
  });
});

describe('volumes', () => {
  test('of two machines are told, of the one that is new', () => {
    const other = machine('b', { instance: { volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'a-a' } }] }, annotations: claims() });
    expect(told([machine('a'), other])).toEqual(['error virtual-machine/volume-twice spec.template.spec.volumes[0].persistentVolumeClaim.claimName']);
    expect(messages([other], { live: [machine('a')] })[0]).toContain('(the server: "PVC default/a-a is already used by other VM, please use a shareable RWX volume.")');
    expect(messages([other], { live: [machine('a')], version: '1.6.1' })[0]).toContain('the volume a-a is already used by VM default/a');
  });

  test('are shared by machines whose disks say so, from Harvester 1.7.0 on', () => {
    const disks = (shareable: boolean) => ({ devices: { disks: [{ name: 'a', disk: { bus: 'virtio' }, shareable }] } });
    const other = (shareable: boolean) => machine('b', { ...disks(shareable), instance: { volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'a-a' } }] }, annotations: claims() });
    const twice = (first: Manifest, second: Manifest, version = '1.7.2', live: Manifest[] = []) => told([first, second], { version, live }).filter((text) => text.includes('volume-twice')).length;
    expect(twice(machine('a', disks(true)), other(true))).toBe(0);
    expect(twice(machine('a', disks(false)), other(false))).toBe(1);
    expect(twice(machine('a', disks(true)), other(true), '1.6.1')).toBe(1);
    const claimOf = (storageClassName?: string): Manifest => volume('a-a', { storageClassName });
    const storageClass = (name: string, provisioner: string): Manifest => ({ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name }, provisioner });
    expect(twice(machine('a'), other(false), '1.7.2', [claimOf('nfs'), storageClass('nfs', 'nfs.csi.k8s.io')])).toBe(0);
    expect(twice(machine('a'), other(false), '1.7.2', [claimOf('fast'), storageClass('fast', 'driver.longhorn.io')])).toBe(1);
    expect(twice(machine('a'), other(false), '1.7.2', [claimOf('harvester-longhorn')])).toBe(1);
    expect(twice(machine('a'), other(false), '1.6.1', [claimOf('nfs'), storageClass('nfs', 'nfs.csi.k8s.io')])).toBe(1);
  });

  test('keep their StorageClass, which Harvester refuses to change from 1.7.0 on', () => {
    const of = (storageClassName?: string) => machine('a', { annotations: claims(claim('a-a', { storageClassName })) });
    const edit = (version: string) => messages([of('fast')], { version, before: [of('slow')] });
    const words = 'storage class names for the volumes in the harvesterhci.io/volumeClaimTemplates annotation cannot be changed; new name fast in volume a-a;';
    expect(edit('1.7.2')).toEqual([expect.stringContaining(`(the server: "${words}")`)]);
    expect(told([of('fast')], { version: '1.7.2', before: [of('slow')] })).toEqual([`error virtual-machine/volume-change ${CLAIMS}`]);
    expect(told([of('fast')], { version: '1.6.1', before: [of('slow')] })).toEqual([`warning virtual-machine/volume-change ${CLAIMS}`]);
    expect(told([of('fast')], { version: '1.7.2', before: [of()] })).toEqual([`warning virtual-machine/volume-change ${CLAIMS}`]);
  });

  test('grow while a machine runs from Harvester 1.6.0 on, so that nothing is quoted', () => {
    const of = (size: string) => machine('a', { annotations: claims(claim('a-a', { size })) });
    const grown = (version: string) => messages([of('20Gi')], { version, before: [of('10Gi')] })[0];
    expect(grown('1.5.2')).toContain('please stop the VM before resizing volumes');
    expect(grown('1.7.2')).not.toContain('the server');
  });

  test('a card in the network of the storage is a warning: Harvester accepts it', () => {
    const networks = [{ name: 'nic-0', multus: { networkName: 'harvester-system/storagenetwork-abc' } }];
    expect(told([machine('a', { instance: { networks } })])).toEqual(['warning virtual-machine/network spec.template.spec.networks[0].multus.networkName']);
  });

  test('of one name in two namespaces are two', () => {
    const other = machine('a', { devices: { interfaces: [{ name: 'nic-0', bridge: {}, macAddress: '52:54:00:00:00:02' }] } });
    expect(told([machine('a'), { ...other, metadata: { ...other.metadata, namespace: 'b' } }])).toEqual([]);
  });

  test('that are no disk, are twice, or lack the class of their image are told', () => {
    const own = claim('a-a', { imageId: 'default/noble' });
    expect(messages([machine('a', { annotations: claims(own, claim('a-a'), claim('x')) })])).toEqual([
      expect.stringContaining('names the image default/noble and no StorageClass: with the default class the volume is empty'),
      expect.stringContaining('is the name of two claims, of which the first is made'),
      expect.stringContaining('is made, and is no volume of the machine'),
    ]);
  });

  test('with another class than that of their image are told', () => {
    const image = (fields: object): Manifest => ({ apiVersion: 'harvesterhci.io/v1beta1', kind: 'VirtualMachineImage', metadata: { name: 'noble', namespace: 'default' }, ...fields });
    const wrong = machine('a', { annotations: claims(claim('a-a', { imageId: 'default/noble', storageClassName: 'harvester-longhorn' })) });
    expect(told([wrong, image({ spec: {} })])).toEqual([`warning virtual-machine/image ${CLAIMS}`]);
    expect(told([wrong, image({ spec: { backend: 'cdi' } })])).toEqual([]);
    expect(told([wrong])).toEqual([]);
    const right = machine('a', { annotations: claims(claim('a-a', { imageId: 'default/noble', storageClassName: 'longhorn-noble' })) });
    expect(told([right, image({ spec: {} })])).toEqual([]);
    expect(messages([right, image({ spec: {}, status: { storageClassName: 'lh-1' } })])[0]).toContain('give lh-1');
  });
});

describe('hardware addresses', () => {
  const withMac = (name: string, network: string, macAddress = '52:54:00:00:00:01'): Manifest => machine(name, {
    devices: { interfaces: [{ name: 'nic-0', bridge: {}, macAddress }] }, instance: { networks: [{ name: 'nic-0', multus: { networkName: network } }] },
  });
  const nad = (name: string, carrier: string): Manifest => ({
    apiVersion: 'k8s.cni.cncf.io/v1', kind: 'NetworkAttachmentDefinition', metadata: { name, namespace: 'default', labels: { 'network.harvesterhci.io/clusternetwork': carrier } }, spec: {},
  });

  test('that are twice on a network are told', () => {
    expect(told([withMac('a', 'prod'), withMac('b', 'default/prod', '52:54:00:00:00:01')])).toEqual([`error virtual-machine/mac-twice ${DOMAIN}.devices.interfaces[0].macAddress`]);
  });

  test('that are twice on a cluster network are told, where it is known', () => {
    const machines = [withMac('a', 'prod'), withMac('b', 'test')];
    expect(told(machines)).toEqual([]);
    expect(told([...machines, nad('prod', 'infra'), nad('test', 'infra')])).toHaveLength(1);
    expect(told([...machines, nad('prod', 'infra'), nad('test', 'mgmt')])).toEqual([]);
  });

  test('of groups and of two cards of a machine are told', () => {
    const cards = [{ name: 'nic-0', bridge: {}, macAddress: '53:54:00:00:00:01' }, { name: 'b', bridge: {}, macAddress: '52:54:00:00:00:02' }, { name: 'c', bridge: {}, macAddress: '52:54:00:00:00:02' }];
    const networks = cards.map(({ name }) => ({ name, multus: { networkName: 'prod' } }));
    expect(messages([machine('a', { devices: { interfaces: cards }, instance: { networks } })])).toEqual([
      expect.stringContaining('is an address of a group of cards'), expect.stringContaining('is the address of two cards'),
    ]);
  });
});

test('a node of a guest cluster lacks labels or a card with a name that counts', () => {
  const node = { 'guestcluster.harvesterhci.io/name': 'orders', 'harvesterhci.io/creator': 'docker-machine-driver-harvester' };
  expect(told([machine('a', { labels: node, template: { labels: node } })])).toEqual([]);
  const card = { devices: { interfaces: [{ name: 'default', bridge: {}, macAddress: '52:54:00:00:00:01' }] }, instance: { networks: [{ name: 'default', multus: { networkName: 'prod' } }] } };
  expect(told([machine('a', { labels: { ...node, 'harvesterhci.io/creator': 'harvester' }, ...card })])).toEqual([
    'warning virtual-machine/guest-labels metadata.labels[harvesterhci.io/creator]',
    'warning virtual-machine/guest-labels spec.template.metadata.labels[guestcluster.harvesterhci.io/name]',
    'warning virtual-machine/guest-labels spec.template.metadata.labels[harvesterhci.io/creator]',
    'warning virtual-machine/guest-labels spec.template.spec.domain.devices.interfaces',
  ]);
});

test('a strategy for maintenance that Harvester does not know is told', () => {
  const label = 'harvesterhci.io/maintain-mode-strategy';
  expect(told([machine('a', { labels: { [label]: 'Wait' } }), machine('b', { labels: { [label]: 'Shutdown' } })])).toEqual([`warning virtual-machine/maintenance metadata.labels[${label}]`]);
});

test('a Secret of cloud-init that is missing, or has another key, is told', () => {
  const secret = (name: string, data: object): Manifest => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'default' }, data } as Manifest);
  const volumes = [{ name: 'a', persistentVolumeClaim: { claimName: 'a-a' } }, { name: 'c', cloudInitNoCloud: { secretRef: { name: 'init' } } }];
  const vm = machine('a', { instance: { volumes } });
  expect(told([vm])).toEqual([]);
  expect(messages([vm, secret('other', {})])[0]).toContain('is no Secret of the namespace default that is known here');
  expect(messages([vm, secret('init', { cloudInit: '' })])[0]).toContain('has no key userdata');
  expect(told([vm, secret('init', { userdata: '' })])).toEqual([]);
});

describe('a change', () => {
  const sized = (size: string, parts: object = {}): Manifest => machine('a', { annotations: claims(claim('a-a', { size, storageClassName: 'fast' })), ...parts });

  test('may not let a volume shrink', () => {
    expect(messages([sized('5Gi')], { before: [sized('10Gi')] })[0]).toContain('a-a PVC requests storage can\'t be less than previous value');
    expect(told([sized('10240Mi')], { before: [sized('10Gi')] })).toEqual([]);
  });

  test('lets a volume grow while the machine is stopped', () => {
    expect(told([sized('20Gi')], { before: [sized('10Gi')] })).toEqual([`warning virtual-machine/resize ${CLAIMS}`]);
    expect(told([sized('20Gi', { spec: { runStrategy: 'Halted' } })], { before: [sized('10Gi')] })).toEqual([]);
  });

  test('of image or class does nothing to a volume that is there', () => {
    const was = machine('a', { annotations: claims(claim('a-a', { imageId: 'default/jammy', storageClassName: 'longhorn-jammy' })) });
    const now = machine('a', { annotations: claims(claim('a-a', { imageId: 'default/noble', storageClassName: 'longhorn-noble' })) });
    expect(messages([now], { before: [was] })).toHaveLength(2);
    expect(messages([now], { before: [was], version: '1.6.1' })).toEqual([expect.stringContaining('is another image than default/jammy for the volume a-a, which is there and stays as it is')]);
    const moved = machine('a', { annotations: claims(claim('a-a', { storageClassName: 'slow' })) });
    expect(messages([moved], { before: [sized('10Gi')] })[0]).toContain('is another StorageClass than fast');
  });

  test('from Halted takes the strategy of the annotation', () => {
    const halted = machine('a', { spec: { runStrategy: 'Halted' } });
    const always = (annotations: object = {}): Manifest => machine('a', { spec: { runStrategy: 'Always' }, annotations });
    expect(messages([always()], { before: [halted] })[0]).toContain('becomes RerunOnFailure on the server; write the annotation harvesterhci.io/vmRunStrategy: Always too');
    expect(told([always({ 'harvesterhci.io/vmRunStrategy': 'Always' })], { before: [halted] })).toEqual([]);
    expect(told([machine('a')], { before: [halted] })).toEqual([]);
  });

  test('of hardware counts from the next start, and a quantity in another form is none', () => {
    const small = machine('a', { domain: { cpu: { cores: 1, sockets: 1 }, resources: { limits: { memory: '1Gi' } } } });
    const large = machine('a', { domain: { cpu: { cores: 2, sockets: 1 }, resources: { limits: { memory: '1Gi' } } } });
    expect(told([large], { before: [small] })).toEqual([`warning virtual-machine/restart ${DOMAIN}`]);
    expect(told([machine('a', { domain: { resources: { limits: { memory: '1024Mi' } } } })], { before: [small] })).toEqual([]);
    const card = { name: 'nic-0', bridge: {}, macAddress: '52:54:00:00:00:01' };
    const { macAddress: _, ...bare } = card;
    const without = told([machine('a', { devices: { interfaces: [bare] } })], { before: [machine('a', { devices: { interfaces: [card] } })] });
    expect(without).toEqual([`warning virtual-machine/mac-address ${DOMAIN}.devices.interfaces[0].macAddress`]);
    expect(told([machine('a', { devices: { gpus: [{ name: 'a', deviceName: 'b/c' }] } })], { before: [machine('a')] })).toEqual([`warning virtual-machine/restart ${DOMAIN}`]);
  });
});

test('a machine that is gone is told with what becomes of its volumes', () => {
  const volumes = ['a', 'b'].map((name) => ({ name, persistentVolumeClaim: { claimName: `a-${name}` } }));
  const gone = machine('a', { instance: { volumes }, annotations: { 'harvesterhci.io/removedPersistentVolumeClaims': 'a-b' } });
  expect(messages([], { before: [gone] })).toEqual(['is gone: it is deleted, and with it the data of the volumes a-b; the volumes a-a stay; keep it, or back up what is on it']);
});
