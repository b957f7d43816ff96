import { Manifest } from '../../../src/core/manifest/manifest';

/** Values of a field of a HarvesterConfig; undefined removes it. */
type Values = readonly (string | boolean | undefined)[];

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const disks = (...list: readonly object[]): string => JSON.stringify({ disks: list });
const interfaces = (...list: readonly object[]): string => JSON.stringify({ interfaces: list });
const gpus = (...list: readonly object[]): string => JSON.stringify({ vGPURequests: list });

const DISK = { imageName: 'default/ubuntu', size: 40, bootOrder: 1 };
const NIC = { networkName: 'default/prod', macAddress: '' };

const WHOLE_NUMBERS: Values = [
  ...['', '1', '+3', '0', '-1', '2.5', ' 4', '4 ', '1e1', '4Gi', 'four', '0x10', '010', '08'],
  ...['1_0', '99999999999999999999'],
];

const USER_DATA: Values = [
  undefined,
  '',
  '#cloud-config\n',
  '#cloud-config\n{}\n',
  'packages: [a]\n',
  'null',
  '# only a comment\n',
  '#!/bin/sh\necho hello\n',
  '#include\nhttps://example.com/user-data\n',
  'Content-Type: multipart/mixed; boundary="x"\nMIME-Version: 1.0\n\n--x\n',
  '- a\n- b\n',
  '#cloud-config\nruncmd: [\n',
  '#cloud-config\n\truncmd: []\n',
  '#cloud-config\npackages: [a]\npackages: [b]\n',
  '#cloud-config\npackages: [a]\n---\npackages: [b]\n',
  '#cloud-config\r\npackages: [a]\r\n',
  '## template: jinja\n#cloud-config\npackages: [a]\n',
  '##template:jinja\n#cloud-config\npackages: [a]\n',
  '#cloud-config\nx: &a [b]\ny: *a\n',
  '#cloud-config\n1: a\n',
  '#cloud-config\ntrue: a\n',
  '#cloud-config\nhostname: 5\n',
  ...['runcmd', 'write_files', 'packages', 'ssh_authorized_keys', 'bootcmd', 'users'].flatMap(
    (key) => [
      `#cloud-config\n${key}: a\n`,
      `#cloud-config\n${key}: {a: b}\n`,
      `#cloud-config\n${key}:\n`,
    ],
  ),
  base64('#cloud-config\npackages: [a]\n'),
  base64('#!/bin/sh\n'),
  base64('\xff\xfe'),
];

const v1 = (...config: readonly object[]): string =>
  JSON.stringify({ network: { version: 1, config } });
const physical = (...subnets: readonly object[]): object => ({
  type: 'physical',
  name: 'a',
  subnets,
});
const DHCP = { type: 'dhcp' };
const STATIC = { type: 'static', address: '10.0.0.5/24' };
const GATEWAY = { ...STATIC, gateway: '10.0.0.1' };
const NAMESERVER = { type: 'nameserver', address: ['10.0.0.2'] };

const NETWORK_DATA: Values = [
  '',
  'version: 2\n',
  'version: "2"\n',
  'version: 3\n',
  'version: two\n',
  'ethernets: {}\n',
  'network: {}\n',
  'network:\n',
  'network: []\n',
  'network: {version: 2}\n',
  'network: {version: "1", config: []}\n',
  '[]',
  'x: [\n',
  base64('version: 2\nethernets: {enp1s0: {dhcp4: true}}\n'),
  v1(),
  v1(physical(DHCP)),
  v1(physical(STATIC)),
  v1(physical(GATEWAY)),
  v1(physical(GATEWAY), NAMESERVER),
  v1(physical(GATEWAY), physical(GATEWAY), NAMESERVER),
  v1(physical(GATEWAY), { type: 'nameserver', address: [] }),
  v1(physical(GATEWAY), { type: 'nameserver', address: '10.0.0.2' }),
  v1(physical(GATEWAY), { type: 'nameserver' }),
  v1({ type: 'physical', name: 'a' }),
  v1({ type: 'physical', name: 'a', subnets: DHCP }),
  v1({ name: 'a' }),
  v1({ type: 'bond', name: 'a' }),
  v1({ type: 'dhcp6' }),
  v1(physical({})),
  v1(physical({ ...STATIC, gateway: 5 }), NAMESERVER),
  'network: {version: 1}\n',
  'network: {version: 1, config: {}}\n',
  'network: {version: 1, config: [a]}\n',
];

/** Changes of one field of a HarvesterConfig, by the field. */
const CHANGES: { readonly [field: string]: Values } = {
  cpuCount: [undefined, ...WHOLE_NUMBERS],
  memorySize: [undefined, ...WHOLE_NUMBERS],
  reservedMemorySize: [...WHOLE_NUMBERS, '4096', '8192', '9000'],
  sshPort: WHOLE_NUMBERS,
  diskInfo: [
    ...[undefined, '', '{}', '[]', 'null', 'x', '"x"', '{"disks":null}', '{"disks":[]}'],
    ...['{"disks":{}}', '{"disks":[1]}', '{"disks":[null]}', '{"disks":[{}]}'],
    `${disks(DISK)} x`,
    base64(disks(DISK)),
    '{"Disks":[{"IMAGENAME":"default/ubuntu","SIZE":40}]}',
    '{"disks":[],"disks":[{"imageName":"default/ubuntu","size":40}]}',
    disks({ ...DISK, size: 0 }),
    disks({ ...DISK, size: -1 }),
    disks({ ...DISK, size: 1.5 }),
    disks({ ...DISK, size: '40' }),
    disks({ ...DISK, size: 1e3 }),
    disks({ ...DISK, size: null }),
    disks({ ...DISK, size: undefined }),
    disks({ ...DISK, bootOrder: -1 }),
    disks({ ...DISK, bootOrder: 1.5 }),
    disks({ ...DISK, bootOrder: '1' }),
    disks({ ...DISK, bootOrder: 0 }),
    disks({ ...DISK, hotPlugAble: 'true' }),
    disks({ ...DISK, hotPluggable: true }),
    disks({ ...DISK, bus: 'ide' }),
    disks({ ...DISK, bus: 5 }),
    disks({ ...DISK, type: 'floppy' }),
    disks({ ...DISK, imageName: '' }),
    disks({ ...DISK, imageName: 'ubuntu' }),
    disks({ ...DISK, imageName: 'a/b/c' }),
    disks({ ...DISK, imageName: '/ubuntu' }),
    disks({ ...DISK, imageName: 'default/' }),
    disks({ ...DISK, imageName: 'default/Ubuntu 24.04' }),
    disks({ size: 10, storageClassName: 'longhorn' }),
    disks({ size: 10, storageClassName: 'Long Horn' }),
    disks(DISK, { ...DISK, bootOrder: 1 }),
    disks(DISK, { size: 10, storageClassName: 'longhorn' }),
  ],
  networkInfo: [
    ...[undefined, '', '{}', '[]', 'null', 'x', '{"interfaces":null}', '{"interfaces":[]}'],
    ...['{"interfaces":{}}', '{"interfaces":[null]}', '{"interfaces":[{}]}'],
    base64(interfaces(NIC)),
    '{"Interfaces":[{"NETWORKNAME":"default/prod"}]}',
    interfaces({ ...NIC, networkName: 'prod' }),
    interfaces({ ...NIC, networkName: 'a/b/c' }),
    interfaces({ ...NIC, networkName: '/prod' }),
    interfaces({ ...NIC, networkName: 5 }),
    interfaces({ ...NIC, macAddress: 'x' }),
    interfaces({ ...NIC, macAddress: null }),
    interfaces({ ...NIC, macAddress: '52:54:00:12:34:56' }),
    interfaces({ ...NIC, model: 'x' }),
    interfaces({ ...NIC, type: 'masquerade' }),
    interfaces({ ...NIC, type: 'x' }),
    interfaces(NIC, NIC),
  ],
  vgpuInfo: [
    ...['', 'x', '{}', 'null', '[]', '{"vGPURequests":null}', '{"vGPURequests":{}}'],
    gpus({}),
    gpus({ name: 'provisioned', deviceName: 'nvidia.com/NVIDIA_A2-2Q' }),
    gpus({ name: 5, deviceName: 'nvidia.com/NVIDIA_A2-2Q' }),
    base64(gpus({ name: 'provisioned', deviceName: 'nvidia.com/NVIDIA_A2-2Q' })),
  ],
  vmAffinity: [
    ...[
      '',
      'x',
      'null',
      '{}',
      '[]',
      '"x"',
      '5',
      '{"podAntiAffinity":null}',
      '{"podAntiAffinity":{}}',
    ],
    ...['{"podAffinity":{}}', '{"podAffinity":[]}', '{"nodeAffinity":{}}', '{"unknown":{}}'],
    '{"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":"5"}]}}',
    '{"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":5}]}}',
    '{"PodAntiAffinity":{"preferredduringschedulingignoredduringexecution":[]}}',
    base64('{"podAntiAffinity":{}}'),
    base64('null'),
  ],
  userData: USER_DATA,
  networkData: NETWORK_DATA,
  enableSecureBoot: [true, false],
  enableEfi: [true],
  enableTpm: [true],
  cpuPinning: [true],
  isolateEmulatorThread: [true],
  cpuModel: ['host-passthrough', 'x y'],
  keyPairName: ['default/ana', 'ana'],
  sshPrivateKeyPath: ['/etc/hostname', '/no/file'],
  cloudConfig: ['/no/file', '#cloud-config'],
  sshUser: [undefined, '', 'ubuntu', 'a b'],
  sshPassword: [
    ...['secret', 'a: b', '#x', "it's", '"x', '123', 'yes', '{x', '[x', '*x', '&x', '!x', '%x'],
    ...['@x', '`x', 'x #y', ' x', 'x\ny', '- x', '|', '>', 'null', '~', 'a:b', '- ', '\\n', '0x1f'],
  ],
  vmNamespace: [undefined, '', 'Payments', 'a/b'],
  clusterName: ['other'],
  clusterId: ['c-m-abcdefgh'],
  imageName: ['default/ubuntu'],
  diskSize: ['40', 'x'],
  networkName: ['default/prod'],
  networkType: ['x'],
};

/** Changes of several fields: those of one disk and one interface in fields of their own. */
const SINGLE: readonly { readonly [field: string]: string | undefined }[] = [
  { diskInfo: undefined, imageName: 'default/ubuntu', diskSize: '40' },
  { diskInfo: undefined, imageName: 'default/ubuntu' },
  { diskInfo: undefined, imageName: 'default/ubuntu', diskSize: '0' },
  { diskInfo: undefined, imageName: 'default/ubuntu', diskSize: '-1' },
  { diskInfo: undefined, imageName: 'default/ubuntu', diskSize: '40Gi' },
  { diskInfo: undefined, imageName: 'default/ubuntu', diskSize: '40', diskBus: 'x' },
  { networkInfo: undefined, networkName: 'default/prod' },
  { networkInfo: undefined, networkName: 'default/prod', networkType: 'x', networkModel: 'x' },
  { networkInfo: undefined, networkName: 'a/b/c' },
];

/** A HarvesterConfig with a change. */
export interface DriverChange {
  readonly title: string;
  readonly config: Manifest;
}

/** All changes of a HarvesterConfig. */
export function driverChanges(base: Manifest): readonly DriverChange[] {
  const changed = (fields: { readonly [field: string]: unknown }): DriverChange => {
    const config = { ...base, ...fields };
    const kept = Object.entries(config).filter(([, value]) => value !== undefined);
    const title = Object.entries(fields)
      .map(([field, value]) => `${field}: ${JSON.stringify(value) ?? '(removed)'}`)
      .join(', ');
    return { title, config: Object.fromEntries(kept) as unknown as Manifest };
  };
  const single = Object.entries(CHANGES).flatMap(([field, values]) =>
    values.map((value) => changed({ [field]: value })),
  );
  return [...single, ...SINGLE.map(changed)];
}
