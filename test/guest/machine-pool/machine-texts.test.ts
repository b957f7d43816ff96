import { Size } from 'cdk8s';
import { stringify } from 'yaml';
import { fieldsOf, PoolProgram, refusal } from './_pools';
import { notesOf } from '../../../src/core/construct/object-notes';
import { SecretValue } from '../../../src/core/value/secret-value';
import { MACHINE_TEXTS, MachineText } from '../../../src/guest/machine-config/machine-text.check';
import { AdoptedMachinePool, MachinePool } from '../../../src/guest/machine-pool/machine-pool';
import { VmAffinity } from '../../../src/harvester/affinity/vm-affinity';
import { CloudInit } from '../../../src/harvester/cloud-init/cloud-init';
import { CloudInitCommand, GuestAgent } from '../../../src/harvester/cloud-init/cloud-init-props';
import { NetworkData } from '../../../src/harvester/cloud-init/network-data';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { Disk, DiskBus } from '../../../src/harvester/machine/disk';
import { InterfaceModel, Nic } from '../../../src/harvester/machine/nic';
import { VGpu } from '../../../src/harvester/machine/vgpu';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { HarvesterStorageClass } from '../../../src/harvester/storage/harvester-storage-class';
import { fc } from '../../support/properties';

type Props = (program: PoolProgram) => Partial<MachinePool>;

const FULL: Props = ({ image, network, harvester }) => ({
  disks: [
    Disk.image(image, Size.gibibytes(40)),
    Disk.empty(Size.gibibytes(100), {
      storageClass: HarvesterStorageClass.fromName(harvester, 'ssd', { name: 'ssd' }),
    }),
  ],
  networks: undefined,
  nics: [Nic.network(network)],
  vgpus: [VGpu.nvidia('A2-2Q')],
  affinity: VmAffinity.onNodes({ disk: 'ssd', zone: 'a/"b"' }),
  cloudInit: CloudInit.of({
    timezone: 'UTC',
    packages: ['jq'],
    runCommands: [CloudInitCommand.shell('echo "$$ is 0644: #1"')],
  }),
  networkData: NetworkData.v2({ ethernets: { enp1s0: { dhcp4: true, mtu: 9000 } } }),
});

/** A pool with these texts, next to what it is without them. */
function poolWith(
  adopted: AdoptedMachinePool,
  props: Props = FULL,
): { fields: { [field: string]: string }; outdated: readonly string[] } {
  const program = new PoolProgram();
  const { config } = program.add({ ...props(program), adopted });
  return { fields: fieldsOf(config), outdated: notesOf(config).outdated!.map(({ path }) => path) };
}

const own = poolWith({}).fields;

/** A value as JSON in another layout: order of keys, white space, escapes. */
function jsonOf(value: unknown, pick: (max: number) => number): string {
  const blank = (): string => ['', ' ', '\n', '\t  ', '\r\n'][pick(4)];
  const wrap = (items: readonly string[], [open, close]: string): string =>
    `${open}${blank()}${items.join(`${blank()},${blank()}`)}${blank()}${close}`;
  if (Array.isArray(value)) {
    return wrap(
      value.map((item) => jsonOf(item, pick)),
      '[]',
    );
  }
  if (typeof value === 'object' && value !== null) {
    return wrap(
      shuffled(Object.entries(value), pick).map(
        ([key, item]) => `${textOf(key, pick)}${blank()}:${blank()}${jsonOf(item, pick)}`,
      ),
      '{}',
    );
  }
  return typeof value === 'string' ? textOf(value, pick) : JSON.stringify(value);
}

function textOf(text: string, pick: (max: number) => number): string {
  return `"${[...text].map((char) => (pick(3) === 0 ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}` : JSON.stringify(char).slice(1, -1))).join('')}"`;
}

function shuffled<T>(items: readonly T[], pick: (max: number) => number): T[] {
  const left = [...items];
  return items.map(() => left.splice(pick(left.length - 1), 1)[0]);
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A value as YAML in another layout, whose header the driver ignores. */
function yamlOf(value: object, pick: (max: number) => number): string {
  const sorted = Object.fromEntries(shuffled(Object.entries(value), pick));
  const text =
    pick(3) === 0
      ? jsonOf(sorted, pick).replace(/\t/g, ' ')
      : stringify(sorted, {
          indent: 2 + pick(3),
          collectionStyle: (['any', 'block', 'flow'] as const)[pick(2)],
          defaultStringType: (['PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE'] as const)[pick(2)],
          lineWidth: pick(1) * 40,
          version: '1.1',
        }).replace(/: 9000$/m, [': 9000', ': 9_000', ': 0x2328', ': 021450'][pick(3)]);
  return `${['', '#cloud-config\n', '#cloud-config\n# by hand\n\n'][pick(2)]}${text}`;
}

const VALUES: { readonly [field in MachineText]: object } = {
  diskInfo: JSON.parse(own.diskInfo),
  networkInfo: JSON.parse(own.networkInfo),
  vgpuInfo: JSON.parse(own.vgpuInfo),
  vmAffinity: JSON.parse(own.vmAffinity),
  userData: {
    timezone: 'UTC',
    package_update: true,
    packages: ['qemu-guest-agent', 'jq'],
    runcmd: [['systemctl', 'enable', '--now', 'qemu-guest-agent.service'], 'echo "$$ is 0644: #1"'],
  },
  networkData: { version: 2, ethernets: { enp1s0: { dhcp4: true, mtu: 9000 } } },
};

describe('texts that a live HarvesterConfig has', () => {
  test('are written byte for byte, whatever the layout of the same value', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 400, maxLength: 400 }), (numbers) => {
        let at = 0;
        const pick = (max: number): number => numbers[at++ % numbers.length] % (max + 1);
        const texts = Object.fromEntries(
          MACHINE_TEXTS.map((field): [string, string] => {
            const isYaml = field === 'userData' || field === 'networkData';
            const text = (isYaml ? yamlOf : jsonOf)(VALUES[field], pick);
            return [
              field,
              (isYaml || field === 'vmAffinity') && pick(1) === 1 ? base64(text) : text,
            ];
          }),
        );
        const { fields, outdated } = poolWith(texts);
        expect({ outdated, ...fields }).toEqual({ outdated: [], ...own, ...texts });
      }),
      { numRuns: 60 },
    );
  });

  test.each<[string, MachineText, string, Props?]>([
    [
      'a bus, a type and a position that are the defaults of the driver',
      'diskInfo',
      '{"disks":[{"imageName":"image-x7k2p","bus":"virtio","type":"disk","hotPlugAble":false,"size":40,"bootOrder":1,"storageClassName":"ignored"}]}',
      ({ harvester }) => ({
        disks: [
          Disk.image(
            VmImage.fromName(harvester, 'there', { name: 'image-x7k2p', namespace: 'payments' }),
            Size.gibibytes(40),
          ),
        ],
      }),
    ],
    [
      'names in the namespace of the machines',
      'networkInfo',
      '{"interfaces":[{"networkName":"prod","macAddress":"52:54:00:AA:BB:CC","model":"virtio","type":"bridge"}]}',
      ({ harvester }) => ({
        networks: undefined,
        nics: [
          Nic.network(
            VmNetwork.fromName(harvester, 'there', { name: 'prod', namespace: 'payments' }),
            { macAddress: '52:54:00:aa:bb:cc' },
          ),
        ],
      }),
    ],
    [
      'empty parts of an affinity',
      'vmAffinity',
      '{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[]},"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":' +
        '[{"weight":100,"podAffinityTerm":{"namespaces":null,"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{},"matchExpressions":[{"key":"harvesterhci.io/creator",' +
        '"operator":"Exists"}]}}}]},"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"In","values":["b"]}]}]}}}',
      () => ({ affinity: VmAffinity.onNodes({ a: 'b' }) }),
    ],
  ])('are written with %s', (_, field, text, props) => {
    const { fields, outdated } = poolWith({ [field]: text }, props);
    expect([fields[field], outdated]).toEqual([text, []]);
  });

  test.each<[string, Props, readonly MachineText[]]>([
    ['cpus', () => ({ cpus: 8, memory: Size.gibibytes(64), efi: true }), []],
    ['disks', ({ image }) => ({ disks: [Disk.image(image, Size.gibibytes(41))] }), ['diskInfo']],
    [
      'a switch of a disk',
      ({ image, harvester }) => ({
        disks: [
          Disk.image(image, Size.gibibytes(40), { hotPluggable: true }),
          Disk.empty(Size.gibibytes(100), {
            storageClass: HarvesterStorageClass.fromName(harvester, 'ssd-again', { name: 'ssd' }),
          }),
        ],
      }),
      ['diskInfo'],
    ],
    [
      'nics',
      ({ network }) => ({ nics: [Nic.network(network), Nic.network(network)] }),
      ['networkInfo'],
    ],
    ['vgpus', () => ({ vgpus: undefined }), ['vgpuInfo']],
    ['affinity', () => ({ affinity: VmAffinity.onNodes({ disk: 'hdd' }) }), ['vmAffinity']],
    ['no affinity', () => ({ affinity: undefined }), ['vmAffinity']],
    [
      'cloudInit',
      () => ({ cloudInit: CloudInit.of({ timezone: 'UTC', packages: ['jq', 'vim'] }) }),
      ['userData'],
    ],
    [
      'a jinja template',
      () => ({
        cloudInit: CloudInit.fromYaml(
          `## template: jinja\n#cloud-config\n${stringify(VALUES.userData)}`,
          { guestAgent: GuestAgent.preinstalled() },
        ),
      }),
      ['userData'],
    ],
    [
      'networkData',
      () => ({
        networkData: NetworkData.v2({ ethernets: { enp1s0: { dhcp4: true, mtu: 1500 } } }),
      }),
      ['networkData'],
    ],
  ])('are left out after an edit of %s, and no others', (_, edit, dropped) => {
    const texts = Object.fromEntries(
      MACHINE_TEXTS.map((field) => [
        field,
        `${field.endsWith('Data') ? stringify(VALUES[field]) : ` ${JSON.stringify(VALUES[field], null, 3)}`}\n`,
      ]),
    );
    const edited: Props = (program) => ({ ...FULL(program), ...edit(program) });
    const { fields, outdated } = poolWith(texts, edited);
    const kept = Object.fromEntries(
      Object.entries(texts).filter(([field]) => !dropped.includes(field as MachineText)),
    );
    expect({ outdated, fields }).toEqual({
      outdated: dropped,
      fields: { ...poolWith({}, edited).fields, ...kept },
    });
  });

  test('are reported where they have no effect', () => {
    const program = new PoolProgram();
    program.add({
      ...FULL(program),
      adopted: { networkInfo: '{"interfaces":[]}', vgpuInfo: own.vgpuInfo },
    });
    program.app.synth();
    expect(program.app.findings.filter(({ rule }) => rule === 'object/outdated-text')).toEqual([
      expect.objectContaining({
        level: 'warning',
        construct: 'rancher/shop/MachineConfig-nc-shop-all',
        object: expect.objectContaining({ kind: 'HarvesterConfig', name: 'nc-shop-all' }),
        path: 'networkInfo',
        message:
          'is written from the other props of pool all: the text in adopted.networkInfo means something else and has no effect',
        fix: 'remove adopted.networkInfo; `cdk8s-harvester impact` prints the machines that are replaced',
      }),
    ]);
  });

  test('may contain secrets of the program, which are compared', () => {
    const secret = SecretValue.unsafePlainText('a:\tb # "quoted"');
    const props: Props = () => ({
      cloudInit: CloudInit.of({
        guestAgent: GuestAgent.preinstalled(),
        other: { chpasswd: { list: `${secret}` } },
      }),
    });
    const text = (value: string): string => JSON.stringify({ chpasswd: { list: value } });
    expect(poolWith({ userData: text(`${secret}`) }, props).outdated).toEqual([]);
    expect(poolWith({ userData: text('another one') }, props).outdated).toEqual(['userData']);
    const whole = SecretValue.unsafePlainText(base64(text('a:\tb # "quoted"')));
    expect(poolWith({ userData: whole.token }, props)).toMatchObject({
      outdated: [],
      fields: { userData: whole.token },
    });
  });

  test('keep the values that only a live cluster knows as they are', () => {
    const file = (content: string): AdoptedMachinePool => ({
      userData: `#cloud-config\n${stringify({
        write_files: [
          { path: '/etc/a', content, encoding: 'b64', owner: 'root:root', permissions: '0644' },
        ],
      })}`,
    });
    const add = (adopted: AdoptedMachinePool): readonly unknown[] => {
      const program = new PoolProgram();
      const { config } = program.add(
        { cloudInit: CloudInit.of({ guestAgent: GuestAgent.preinstalled() }), adopted },
        [{ path: '/etc/a', content: '${late:account.kubeconfig|base64}', encoding: 'b64' }],
      );
      return [notesOf(config).outdated, fieldsOf(config).userData === adopted.userData];
    };
    expect(add(file('QUJD'))).toEqual([[], true]);
    expect(add({ userData: file('QUJD').userData!.replace('/etc/a', '/etc/b') })).toEqual([
      [expect.objectContaining({ path: 'userData' })],
      false,
    ]);
  });

  test.each<[AdoptedMachinePool, string]>([
    [
      { diskInfo: '{"disks":[' },
      'pools[all].adopted.diskInfo: must be a text that the node driver can read: must be JSON. Fix: copy the text of the live object, or remove it',
    ],
    [{ diskInfo: '{"disks":[{"size":"40"}]}' }, 'disks[0].size must be a whole number'],
    [
      { vmAffinity: base64('{}').replace(/=+$/, '') },
      'adopted.vmAffinity: must be a text that the node driver can read: must be JSON, plain or in base64',
    ],
    [
      { userData: 'a: [' },
      'adopted.userData: must be a text that the node driver can read: is not valid YAML',
    ],
    [{ userData: '#!/bin/sh\necho' }, 'must be a YAML map'],
    [{ networkData: '' }, 'must be a YAML map'],
  ])('are refused where the node driver cannot read them: %j', (adopted, message) => {
    expect(refusal((program) => ({ ...FULL(program), adopted }))).toContain(message);
  });
});

const SINGLE = { singleFields: true };

test('writes the only disk and NIC into fields of their own', () => {
  const { fields, outdated } = poolWith(SINGLE, ({ image, network }) => ({
    disks: [Disk.image(image, Size.gibibytes(40), { bus: DiskBus.SCSI })],
    networks: undefined,
    nics: [Nic.network(network, { model: InterfaceModel.E1000 })],
  }));
  const { diskInfo, networkInfo, imageName, diskSize, diskBus, networkName, networkModel } = fields;
  expect({ diskInfo, networkInfo, diskSize, diskBus, networkModel, outdated }).toEqual({
    diskSize: '40',
    diskBus: 'scsi',
    networkModel: 'e1000',
    outdated: [],
  });
  expect([imageName, networkName].every((name) => /^[a-z0-9-]+\/[a-z0-9-]+$/.test(name))).toBe(
    true,
  );
});

test.each<[string, Props]>([
  ['several disks', FULL],
  [
    'an address',
    ({ image, network }) => ({
      disks: [Disk.image(image, Size.gibibytes(40))],
      networks: undefined,
      nics: [Nic.network(network, { macAddress: '52:54:00:00:00:01' })],
    }),
  ],
])('writes lists for a machine with %s, and reports it', (_, props) => {
  const { fields, outdated } = poolWith(SINGLE, props);
  expect(fields).toEqual(poolWith({}, props).fields);
  expect(outdated).toEqual(['diskInfo']);
});
