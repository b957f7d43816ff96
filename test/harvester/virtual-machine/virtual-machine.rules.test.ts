import { Manifest } from '../../../src/core/manifest/manifest';
import { Around, claim, findings, machine, messages, told, volume } from '../../support/machines';

const CLAIMS = 'metadata.annotations[harvesterhci.io/volumeClaimTemplates]';
const claims = (...list: object[]): object => ({
  'harvesterhci.io/volumeClaimTemplates': JSON.stringify(list),
});
const DOMAIN = 'spec.template.spec.domain';

test("accepts a VM as Harvester's UI writes it", () => {
  expect(findings([machine('web')])).toEqual([]);
});

test('ignores VMs of a guest cluster with its own KubeVirt', () => {
  expect(told([machine('web', { domain: { resources: {} } })], { kind: 'guest' })).toEqual([]);
});

describe('a virtual machine', () => {
  test.each<[string, Manifest, string, string]>([
    [
      'no memory',
      machine('a', { domain: { resources: {} } }),
      DOMAIN,
      'either memory.guest or resources.limits.memory must be set',
    ],
    [
      'a reserve as large as the memory',
      machine('a', { annotations: { 'harvesterhci.io/reservedMemory': '1Gi' } }),
      'metadata.annotations[harvesterhci.io/reservedMemory]',
      'reservedMemory cannot be equal or greater than limits.memory',
    ],
    [
      'a negative reserve',
      machine('a', { annotations: { 'harvesterhci.io/reservedMemory': '-1Gi' } }),
      'metadata.annotations[harvesterhci.io/reservedMemory]',
      'reservedMemory cannot be less than 0',
    ],
    [
      'an invalid reserve',
      machine('a', { annotations: { 'harvesterhci.io/reservedMemory': 'much' } }),
      'metadata.annotations[harvesterhci.io/reservedMemory]',
      'quantities must match the regular expression',
    ],
    [
      'running and runStrategy',
      machine('a', { spec: { running: true } }),
      'spec.running',
      'Running and RunStrategy are mutually exclusive',
    ],
    [
      'neither of them',
      machine('a', { spec: { runStrategy: undefined } }),
      'spec.runStrategy',
      'One of Running or RunStrategy must be specified',
    ],
    [
      'an unknown run strategy',
      machine('a', { spec: { runStrategy: 'Often' } }),
      'spec.runStrategy',
      'Invalid RunStrategy (Often)',
    ],
    [
      'a negative grace period',
      machine('a', { instance: { terminationGracePeriodSeconds: -1 } }),
      'spec.template.spec.terminationGracePeriodSeconds',
      "Termination grace period can't be negative",
    ],
    [
      'an isolated thread alone',
      machine('a', { domain: { cpu: { isolateEmulatorThread: true } } }),
      `${DOMAIN}.cpu.isolateEmulatorThread`,
      'IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement',
    ],
    [
      'EFI that is secure by default',
      machine('a', { domain: { firmware: { bootloader: { efi: {} } } } }),
      `${DOMAIN}.firmware.bootloader.efi.secureBoot`,
      'has EFI SecureBoot enabled. SecureBoot requires SMM, which is currently disabled.',
    ],
    [
      'a disk without a volume',
      machine('a', { instance: { volumes: [] }, annotations: claims() }),
      `${DOMAIN}.devices.disks[0].name`,
      `${DOMAIN}.devices.disks[0].Name 'a' not found.`,
    ],
    [
      'a NIC without a network',
      machine('a', { instance: { networks: [] } }),
      `${DOMAIN}.devices.interfaces[0].name`,
      `${DOMAIN}.devices.interfaces[0].name 'nic-0' not found.`,
    ],
    [
      'a network without a NIC',
      machine('a', { devices: { interfaces: [] } }),
      'spec.template.spec.networks[0].name',
      "spec.template.spec.networks[0].name 'nic-0' not found.",
    ],
    [
      'masquerade on a bridge',
      machine('a', {
        devices: {
          interfaces: [{ name: 'nic-0', masquerade: {}, macAddress: '52:54:00:00:00:01' }],
        },
      }),
      `${DOMAIN}.devices.interfaces[0].masquerade`,
      'Masquerade interface only implemented with pod network',
    ],
    [
      'a bad address',
      machine('a', { devices: { interfaces: [{ name: 'nic-0', bridge: {}, macAddress: 'x' }] } }),
      `${DOMAIN}.devices.interfaces[0].macAddress`,
      'has malformed MAC address',
    ],
    [
      'claims that are not valid JSON',
      machine('a', { annotations: { 'harvesterhci.io/volumeClaimTemplates': '[{' } }),
      CLAIMS,
      'the volumeClaimTemplates annotaion is invalid: invalid character',
    ],
    [
      'a claim without a name',
      machine('a', { annotations: claims({ metadata: {} }) }),
      CLAIMS,
      'the volumeClaimTemplates annotaion is invalid: PVC name is required',
    ],
    [
      'too much user data',
      machine('a', {
        instance: {
          volumes: [
            { name: 'a', persistentVolumeClaim: { claimName: 'a-a' } },
            { name: 'c', cloudInitNoCloud: { userData: 'x'.repeat(2049) } },
          ],
        },
      }),
      'spec.template.spec.volumes[1].cloudInitNoCloud.userData',
      'exceeds 2048 byte limit',
    ],
    [
      'a volume without a source',
      machine('a', { instance: { volumes: [{ name: 'a' }] }, annotations: claims() }),
      'spec.template.spec.volumes[0]',
      'spec.template.spec.volumes[0] must have exactly one source type set',
    ],
    [
      'a volume with two sources',
      machine('a', {
        instance: { volumes: [{ name: 'a', emptyDisk: {}, containerDisk: { image: 'x' } }] },
        annotations: claims(),
      }),
      'spec.template.spec.volumes[0]',
      'spec.template.spec.volumes[0] must have exactly one source type set',
    ],
    [
      'a network of three parts',
      machine('a', {
        instance: { networks: [{ name: 'nic-0', multus: { networkName: 'a/b/c' } }] },
      }),
      'spec.template.spec.networks[0].multus.networkName',
      'invalid network name a/b/c',
    ],
  ])('refuses %s', (_, manifest, path, says) => {
    const [finding, ...others] = findings([manifest]);
    expect(finding).toMatchObject({ level: 'error', path });
    expect(finding!.message).toContain(`(the server: "${says}")`);
    expect(others).toEqual([]);
  });

  test.each<[string, Manifest]>([
    [
      'memory for the guest alone',
      machine('a', { domain: { resources: {}, memory: { guest: '1Gi' } } }),
    ],
    [
      'memory of an instance type',
      machine('a', { domain: { resources: {} }, spec: { instancetype: { name: 'u1.small' } } }),
    ],
    [
      'running without a strategy',
      machine('a', { spec: { runStrategy: undefined, running: true } }),
    ],
    [
      'EFI that is not secure',
      machine('a', { domain: { firmware: { bootloader: { efi: { secureBoot: false } } } } }),
    ],
    [
      'an empty CD-ROM',
      machine('a', {
        devices: {
          disks: [
            { name: 'a', disk: {} },
            { name: 'cd', cdrom: {} },
          ],
        },
      }),
    ],
    [
      'no claims at all',
      machine('a', { annotations: { 'harvesterhci.io/volumeClaimTemplates': '' } }),
    ],
    [
      'late claims',
      machine('a', { annotations: { 'harvesterhci.io/volumeClaimTemplates': '${late:x}' } }),
    ],
  ])('accepts %s', (_, manifest) => {
    expect(told([manifest], { version: '1.6.1' })).toEqual([]);
  });

  test('never shows user data in a message', () => {
    const secret = `password: hunter2${'x'.repeat(2048)}`;
    const volumes = [
      { name: 'a', persistentVolumeClaim: { claimName: 'a-a' } },
      { name: 'c', cloudInitNoCloud: { userData: secret } },
    ];
    expect(JSON.stringify(findings([machine('a', { instance: { volumes } })]))).not.toContain(
      'hunter2',
    );
  });
});

describe('volumes', () => {
  test('refuses a volume of two VMs, on the new one', () => {
    const other = machine('b', {
      instance: { volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'a-a' } }] },
      annotations: claims(),
    });
    expect(told([machine('a'), other])).toEqual([
      'error virtual-machine/volume-twice spec.template.spec.volumes[0].persistentVolumeClaim.claimName',
    ]);
    expect(messages([other], { live: [machine('a')] })[0]).toContain(
      '(the server: "PVC default/a-a is already used by other VM, please use a shareable RWX volume.")',
    );
    expect(messages([other], { live: [machine('a')], version: '1.6.1' })[0]).toContain(
      'the volume a-a is already used by VM default/a',
    );
  });

  test('accepts volumes that shareable disks share, from Harvester 1.7.0 on', () => {
    const disks = (shareable: boolean) => ({
      devices: { disks: [{ name: 'a', disk: { bus: 'virtio' }, shareable }] },
    });
    const other = (shareable: boolean) =>
      machine('b', {
        ...disks(shareable),
        instance: { volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'a-a' } }] },
        annotations: claims(),
      });
    const twice = (first: Manifest, second: Manifest, version = '1.7.2', live: Manifest[] = []) =>
      told([first, second], { version, live }).filter((text) => text.includes('volume-twice'))
        .length;
    expect(twice(machine('a', disks(true)), other(true))).toBe(0);
    expect(twice(machine('a', disks(false)), other(false))).toBe(1);
    expect(twice(machine('a', disks(true)), other(true), '1.6.1')).toBe(1);
    const claimOf = (storageClassName?: string): Manifest => volume('a-a', { storageClassName });
    const storageClass = (name: string, provisioner: string): Manifest => ({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name },
      provisioner,
    });
    expect(
      twice(machine('a'), other(false), '1.7.2', [
        claimOf('nfs'),
        storageClass('nfs', 'nfs.csi.k8s.io'),
      ]),
    ).toBe(0);
    expect(
      twice(machine('a'), other(false), '1.7.2', [
        claimOf('fast'),
        storageClass('fast', 'driver.longhorn.io'),
      ]),
    ).toBe(1);
    expect(twice(machine('a'), other(false), '1.7.2', [claimOf('harvester-longhorn')])).toBe(1);
    expect(
      twice(machine('a'), other(false), '1.6.1', [
        claimOf('nfs'),
        storageClass('nfs', 'nfs.csi.k8s.io'),
      ]),
    ).toBe(1);
  });

  test('refuses a change of StorageClass from Harvester 1.7.0 on', () => {
    const of = (storageClassName?: string) =>
      machine('a', { annotations: claims(claim('a-a', { storageClassName })) });
    const edit = (version: string) => messages([of('fast')], { version, before: [of('slow')] });
    const words =
      'storage class names for the volumes in the harvesterhci.io/volumeClaimTemplates annotation cannot be changed; new name fast in volume a-a;';
    expect(edit('1.7.2')).toEqual([expect.stringContaining(`(the server: "${words}")`)]);
    expect(told([of('fast')], { version: '1.7.2', before: [of('slow')] })).toEqual([
      `error virtual-machine/volume-change ${CLAIMS}`,
    ]);
    expect(told([of('fast')], { version: '1.6.1', before: [of('slow')] })).toEqual([
      `warning virtual-machine/volume-change ${CLAIMS}`,
    ]);
    expect(told([of('fast')], { version: '1.7.2', before: [of()] })).toEqual([
      `warning virtual-machine/volume-change ${CLAIMS}`,
    ]);
  });

  test('quotes no server message for expanding an attached volume from Harvester 1.6.0 on', () => {
    const of = (size: string) => machine('a', { annotations: claims(claim('a-a', { size })) });
    const grown = (version: string) => messages([of('20Gi')], { version, before: [of('10Gi')] })[0];
    expect(grown('1.5.2')).toContain('please stop the VM before resizing volumes');
    expect(grown('1.7.2')).not.toContain('the server');
  });

  test('warns of a NIC in the storage network, which Harvester accepts', () => {
    const networks = [
      { name: 'nic-0', multus: { networkName: 'harvester-system/storagenetwork-abc' } },
    ];
    expect(told([machine('a', { instance: { networks } })])).toEqual([
      'warning virtual-machine/network spec.template.spec.networks[0].multus.networkName',
    ]);
  });

  test('accepts two volumes of one name in different namespaces', () => {
    const other = machine('a', {
      devices: { interfaces: [{ name: 'nic-0', bridge: {}, macAddress: '52:54:00:00:00:02' }] },
    });
    expect(
      told([machine('a'), { ...other, metadata: { ...other.metadata, namespace: 'b' } }]),
    ).toEqual([]);
  });

  test('warns of claims that are not a disk, duplicates, or without the class of their image', () => {
    const own = claim('a-a', { imageId: 'default/noble' });
    expect(
      messages([machine('a', { annotations: claims(own, claim('a-a'), claim('x')) })]),
    ).toEqual([
      expect.stringContaining(
        'must have the StorageClass of the image default/noble: with the default class the volume is empty',
      ),
      expect.stringContaining(
        'must be unique: two claims have this name, and only the first is created',
      ),
      expect.stringContaining('must be a volume of the VM: the claim is created, but not used'),
    ]);
  });

  test('warns of a class other than that of the image', () => {
    const image = (fields: object): Manifest => ({
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'VirtualMachineImage',
      metadata: { name: 'noble', namespace: 'default' },
      ...fields,
    });
    const wrong = machine('a', {
      annotations: claims(
        claim('a-a', { imageId: 'default/noble', storageClassName: 'harvester-longhorn' }),
      ),
    });
    expect(told([wrong, image({ spec: {} })])).toEqual([`warning virtual-machine/image ${CLAIMS}`]);
    expect(told([wrong, image({ spec: { backend: 'cdi' } })])).toEqual([]);
    expect(told([wrong])).toEqual([]);
    const right = machine('a', {
      annotations: claims(
        claim('a-a', { imageId: 'default/noble', storageClassName: 'longhorn-noble' }),
      ),
    });
    expect(told([right, image({ spec: {} })])).toEqual([]);
    expect(
      messages([right, image({ spec: {}, status: { storageClassName: 'lh-1' } })])[0],
    ).toContain('set lh-1');
  });
});

describe('MAC addresses', () => {
  const withMac = (name: string, network: string, macAddress = '52:54:00:00:00:01'): Manifest =>
    machine(name, {
      devices: { interfaces: [{ name: 'nic-0', bridge: {}, macAddress }] },
      instance: { networks: [{ name: 'nic-0', multus: { networkName: network } }] },
    });
  const nad = (name: string, carrier: string): Manifest => ({
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: {
      name,
      namespace: 'default',
      labels: { 'network.harvesterhci.io/clusternetwork': carrier },
    },
    spec: {},
  });

  test('refuses a duplicate on a network', () => {
    expect(told([withMac('a', 'prod'), withMac('b', 'default/prod', '52:54:00:00:00:01')])).toEqual(
      [`error virtual-machine/mac-twice ${DOMAIN}.devices.interfaces[0].macAddress`],
    );
  });

  test('refuses a duplicate on a known cluster network', () => {
    const machines = [withMac('a', 'prod'), withMac('b', 'test')];
    expect(told(machines)).toEqual([]);
    expect(told([...machines, nad('prod', 'infra'), nad('test', 'infra')])).toHaveLength(1);
    expect(told([...machines, nad('prod', 'infra'), nad('test', 'mgmt')])).toEqual([]);
  });

  test('warns of multicast addresses and of two equal ones in a VM', () => {
    const nics = [
      { name: 'nic-0', bridge: {}, macAddress: '53:54:00:00:00:01' },
      { name: 'b', bridge: {}, macAddress: '52:54:00:00:00:02' },
      { name: 'c', bridge: {}, macAddress: '52:54:00:00:00:02' },
    ];
    const networks = nics.map(({ name }) => ({ name, multus: { networkName: 'prod' } }));
    expect(
      messages([machine('a', { devices: { interfaces: nics }, instance: { networks } })]),
    ).toEqual([
      expect.stringContaining('must be a unicast address'),
      expect.stringContaining('must be unique: another NIC has this address'),
    ]);
  });
});

test('warns of a node without its labels or a NIC named nic-<number>', () => {
  const node = {
    'guestcluster.harvesterhci.io/name': 'orders',
    'harvesterhci.io/creator': 'docker-machine-driver-harvester',
  };
  expect(told([machine('a', { labels: node, template: { labels: node } })])).toEqual([]);
  const nic = {
    devices: { interfaces: [{ name: 'default', bridge: {}, macAddress: '52:54:00:00:00:01' }] },
    instance: { networks: [{ name: 'default', multus: { networkName: 'prod' } }] },
  };
  expect(
    told([machine('a', { labels: { ...node, 'harvesterhci.io/creator': 'harvester' }, ...nic })]),
  ).toEqual([
    'warning virtual-machine/guest-labels metadata.labels[harvesterhci.io/creator]',
    'warning virtual-machine/guest-labels spec.template.metadata.labels[guestcluster.harvesterhci.io/name]',
    'warning virtual-machine/guest-labels spec.template.metadata.labels[harvesterhci.io/creator]',
    'warning virtual-machine/guest-labels spec.template.spec.domain.devices.interfaces',
  ]);
});

test('refuses an unknown maintenance strategy from Harvester 1.8 on, and warns before, or where it is kept', () => {
  const label = 'harvesterhci.io/maintain-mode-strategy';
  const [wait, other] = ['Wait', 'Other'].map((value) =>
    machine('a', { labels: { [label]: value } }),
  );
  const level = (options: Around) => told([wait!], options).map((line) => line.split(' ')[0]);
  expect([
    level({ version: '1.8.0' }),
    level({ version: '1.8.0', before: [other!] }),
    level({ version: '1.8.0', before: [wait!] }),
    level({ version: '1.7.2' }),
  ]).toEqual([['error'], ['error'], ['warning'], ['warning']]);
  expect(
    told([
      machine('a', { labels: { [label]: 'Wait' } }),
      machine('b', { labels: { [label]: 'Shutdown' } }),
    ]),
  ).toEqual([`warning virtual-machine/maintenance metadata.labels[${label}]`]);
});

test('warns of a cloud-init Secret that is missing or lacks its key', () => {
  const secret = (name: string, data: object): Manifest =>
    ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: 'default' },
      data,
    }) as Manifest;
  const volumes = [
    { name: 'a', persistentVolumeClaim: { claimName: 'a-a' } },
    { name: 'c', cloudInitNoCloud: { secretRef: { name: 'init' } } },
  ];
  const vm = machine('a', { instance: { volumes } });
  expect(told([vm])).toEqual([]);
  expect(messages([vm, secret('other', {})])[0]).toContain(
    'is not a known Secret in the namespace default',
  );
  expect(messages([vm, secret('init', { cloudInit: '' })])[0]).toContain(
    'must have the key userdata',
  );
  expect(told([vm, secret('init', { userdata: '' })])).toEqual([]);
});

describe('an update', () => {
  const sized = (size: string, parts: object = {}): Manifest =>
    machine('a', {
      annotations: claims(claim('a-a', { size, storageClassName: 'fast' })),
      ...parts,
    });

  test('cannot shrink a volume', () => {
    expect(messages([sized('5Gi')], { before: [sized('10Gi')] })[0]).toContain(
      "a-a PVC requests storage can't be less than previous value",
    );
    expect(told([sized('10240Mi')], { before: [sized('10Gi')] })).toEqual([]);
  });

  test('can expand a volume while the VM is stopped', () => {
    expect(told([sized('20Gi')], { before: [sized('10Gi')] })).toEqual([
      `warning virtual-machine/resize ${CLAIMS}`,
    ]);
    expect(
      told([sized('20Gi', { spec: { runStrategy: 'Halted' } })], { before: [sized('10Gi')] }),
    ).toEqual([]);
  });

  test('cannot replace the image or class of an existing volume', () => {
    const was = machine('a', {
      annotations: claims(
        claim('a-a', { imageId: 'default/jammy', storageClassName: 'longhorn-jammy' }),
      ),
    });
    const now = machine('a', {
      annotations: claims(
        claim('a-a', { imageId: 'default/noble', storageClassName: 'longhorn-noble' }),
      ),
    });
    expect(messages([now], { before: [was] })).toHaveLength(2);
    expect(messages([now], { before: [was], version: '1.6.1' })).toEqual([
      expect.stringContaining(
        'cannot replace the image default/jammy of the volume a-a, which exists and is kept unchanged',
      ),
    ]);
    const moved = machine('a', { annotations: claims(claim('a-a', { storageClassName: 'slow' })) });
    expect(messages([moved], { before: [sized('10Gi')] })[0]).toContain(
      'cannot replace the StorageClass fast',
    );
  });

  test('from Halted uses the strategy of the annotation', () => {
    const halted = machine('a', { spec: { runStrategy: 'Halted' } });
    const always = (annotations: object = {}): Manifest =>
      machine('a', { spec: { runStrategy: 'Always' }, annotations });
    expect(messages([always()], { before: [halted] })[0]).toContain(
      'becomes RerunOnFailure on the server. Fix: set the annotation harvesterhci.io/vmRunStrategy: Always too',
    );
    expect(
      told([always({ 'harvesterhci.io/vmRunStrategy': 'Always' })], { before: [halted] }),
    ).toEqual([]);
    expect(told([machine('a')], { before: [halted] })).toEqual([]);
  });

  test('of hardware takes effect at the next start, and an equal quantity in another form is not an update', () => {
    const small = machine('a', {
      domain: { cpu: { cores: 1, sockets: 1 }, resources: { limits: { memory: '1Gi' } } },
    });
    const large = machine('a', {
      domain: { cpu: { cores: 2, sockets: 1 }, resources: { limits: { memory: '1Gi' } } },
    });
    expect(told([large], { before: [small] })).toEqual([
      `warning virtual-machine/restart ${DOMAIN}`,
    ]);
    expect(
      told([machine('a', { domain: { resources: { limits: { memory: '1024Mi' } } } })], {
        before: [small],
      }),
    ).toEqual([]);
    const nic = { name: 'nic-0', bridge: {}, macAddress: '52:54:00:00:00:01' };
    const { macAddress: _, ...bare } = nic;
    const without = told([machine('a', { devices: { interfaces: [bare] } })], {
      before: [machine('a', { devices: { interfaces: [nic] } })],
    });
    expect(without).toEqual([
      `warning virtual-machine/mac-address ${DOMAIN}.devices.interfaces[0].macAddress`,
    ]);
    expect(
      told([machine('a', { devices: { gpus: [{ name: 'a', deviceName: 'b/c' }] } })], {
        before: [machine('a')],
      }),
    ).toEqual([`warning virtual-machine/restart ${DOMAIN}`]);
  });
});

test('warns of a removed VM, and names the volumes that are deleted and kept', () => {
  const volumes = ['a', 'b'].map((name) => ({
    name,
    persistentVolumeClaim: { claimName: `a-${name}` },
  }));
  const gone = machine('a', {
    instance: { volumes },
    annotations: { 'harvesterhci.io/removedPersistentVolumeClaims': 'a-b' },
  });
  expect(messages([], { before: [gone] })).toEqual([
    'is no longer declared: when it is deleted, the data of the volumes a-b is lost; the volumes a-a are kept. Fix: keep the VM, or back up its data',
  ]);
});
