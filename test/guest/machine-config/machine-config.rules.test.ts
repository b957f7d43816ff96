import { ApiObject, JsonPatch } from 'cdk8s';
import { DISKS, NETWORKS, findingsOf, machineConfig, told } from '../../support/guest';
import { brief } from '../../support/judging';
import { guestCluster } from '../cluster/_clusters';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const one = (fields: object, version?: string) =>
  told([machineConfig(fields)], version === undefined ? {} : { version });
const disk = (fields: object) =>
  JSON.stringify({ disks: [{ imageName: 'default/noble', size: 40, ...fields }] });

test('a machine configuration as the UI writes it is fine, plain and in base64', () => {
  expect(one({})).toEqual([]);
  expect(one({ userData: base64('#cloud-config\npackages: [qemu-guest-agent]\n') })).toEqual([]);
  // what a server fills in
  expect(
    one({
      cloudConfig: '',
      clusterId: '',
      keyPairName: '',
      imageName: '',
      diskSize: '0',
      reservedMemorySize: '-1',
      enableEfi: false,
      vmAffinity: null,
    }),
  ).toEqual([]);
});

test('fields below spec are dropped, and the message describes the resulting machine', () => {
  expect(
    told([
      {
        ...machineConfig(),
        diskInfo: undefined,
        networkInfo: undefined,
        userData: undefined,
        vmNamespace: undefined,
        spec: { cpuCount: '8', diskInfo: DISKS },
      },
    ]),
  ).toEqual([
    'error machine-config/spec spec: cannot be set: the server drops it with cpuCount, diskInfo, so that machines have 2 CPUs, 4 GiB and no disk ' +
      '(the server: ".spec: field not declared in schema"). Fix: move the fields to the top level, next to metadata',
  ]);
});

describe('numbers', () => {
  test.each([
    [
      { memorySize: '4Gi' },
      'error machine-config/numbers memorySize: must be a whole number, got "4Gi" ' +
        '(the server: "invalid value "4Gi" for flag -harvester-memory-size: parse error"). Fix: write only the number of GiB: "4"',
    ],
    [{ memorySize: '8192Mi' }, 'write only the number of GiB: "8"'],
    [
      { cpuCount: '2.5' },
      'error machine-config/numbers cpuCount: must be a whole number, got "2.5"',
    ],
    [{ reservedMemorySize: '1Gi' }, 'write only the number of MiB: "1024"'],
    [
      { memorySize: '4096' },
      'warning machine-config/numbers memorySize: must be in GiB, not MiB, got "4096": each machine would have 4096 GiB of memory. Fix: write "4" for 4096 MiB',
    ],
    [
      { memorySize: '0' },
      'error machine-config/numbers memorySize: must be at least 1, got "0" (the server: "either memory.guest or resources.limits.memory must be set")',
    ],
    [{ cpuCount: '-1' }, 'error machine-config/numbers cpuCount: must be at least 1, got "-1"'],
    [{ cpuCount: '0' }, 'warning machine-config/numbers cpuCount: must be at least 1, got "0"'],
    [
      { reservedMemorySize: '2' },
      'warning machine-config/numbers reservedMemorySize: must be in MiB, not GiB, got "2": it reserves 2 MiB. Fix: write "2048" for 2 GiB, or remove it',
    ],
    [
      { reservedMemorySize: '8192' },
      'error machine-config/numbers reservedMemorySize: must be less than memorySize, 8 GiB, and in MiB, got "8192" ' +
        '(the server: "reservedMemory cannot be equal or greater than limits.memory")',
    ],
  ])('%j', (fields, text) => {
    expect(one(fields)).toEqual([expect.stringContaining(text)]);
  });

  test('leaves a number in place of text to the rule on types, and does not judge late values', () => {
    expect(one({ cpuCount: 4, memorySize: '${late:memory}' })).toEqual([]);
  });
});

describe('what needs another field, or cannot be set: Rancher sets it', () => {
  test.each([
    [
      { enableSecureBoot: true },
      'error machine-config/switches enableSecureBoot: cannot be set without enableEfi (the server: "enable secure boot requires enable EFI")',
    ],
    [
      { isolateEmulatorThread: true },
      'error machine-config/switches isolateEmulatorThread: cannot be set without cpuPinning',
    ],
    [
      { keyPairName: 'default/ana' },
      'error machine-config/filled-by-rancher keyPairName: cannot be set, got "default/ana": it needs sshPrivateKeyPath, a file that Rancher does not have ' +
        '(the server: "must specify the ssh private key path of the harvester key pair"). Fix: remove both fields and write the public key into the user data (ssh_authorized_keys)',
    ],
    [
      { keyPairName: 'default/ana', sshPrivateKeyPath: '/key' },
      'error machine-config/filled-by-rancher sshPrivateKeyPath: cannot be set, got "/key": Rancher does not put this file into the pod that creates the machine (the server: "open /key: no such file or directory")',
    ],
    [
      { cloudConfig: '#cloud-config' },
      'error machine-config/filled-by-rancher cloudConfig: must be empty: rancher-machine reads it as the path of a file and writes its own user data there',
    ],
    [
      { kubeconfigContent: 'hunter2' },
      'error machine-config/filled-by-rancher kubeconfigContent: must be a kubeconfig: the node driver creates no machine with another text',
    ],
    [
      { kubeconfigContent: '{"clusters":[],"contexts":[],"users":[]}' },
      'warning machine-config/filled-by-rancher kubeconfigContent: cannot be set: everyone who can read machine configurations gets access to Harvester',
    ],
    [
      { clusterId: 'c-m-abcdefgh' },
      'warning machine-config/filled-by-rancher clusterId: cannot be set, got "c-m-abcdefgh": Rancher sets it. Fix: remove it',
    ],
  ])('%j', (fields, text) => {
    const all = one(fields);
    expect(all).toEqual([expect.stringContaining(text)]);
    expect(all.join()).not.toContain('hunter2');
  });
});

describe('disks, networks and GPUs', () => {
  test.each([
    [
      { diskInfo: undefined },
      'diskInfo: must be set (the server: "must specify harvester image name")',
    ],
    [
      { diskInfo: undefined, imageName: 'default/noble' },
      'diskSize: must be set together with imageName (the server: "must specify harvester disk size")',
    ],
    [{ diskInfo: '{"disks":[]}' }, 'diskInfo: must have at least one disk'],
    [{ diskInfo: 'disks' }, 'must be a list of disks, got "disks": must be JSON'],
    [{ diskInfo: disk({ size: '40' }) }, 'disks[0].size must be a whole number'],
    [
      { diskInfo: disk({ size: 0 }) },
      'diskInfo.disks[0].size: must be a number of GiB of 1 or more, got 0 (the server: "must specify disk size in harvester disk info")',
    ],
    [
      { diskInfo: disk({ imageName: 'a/b/c' }) },
      'must have at most one slash, got "a/b/c" (the server: "unexpected namespacedName format ("a/b/c"), expected "namespace/name" or "name". "',
    ],
    [
      { diskInfo: '{"disks":[{"size":4},{"imageName":"default/noble","size":4}]}' },
      'diskInfo.disks[0]: must have an image or a storage class (the server: "must specify image name or storageClass name in harvester disk info")',
    ],
    [
      { diskInfo: '{"disks":[{"storageClassName":"ssd","size":4}]}' },
      'warning machine-config/disks diskInfo: must have a disk with an image, from which the machine boots',
    ],
    [
      { diskInfo: disk({ bus: 'ide' }) },
      'error machine-config/disks diskInfo.disks[0].bus: must be one of virtio, scsi, sata, usb, got "ide" (the server: "IDE bus is not supported")',
    ],
    [
      { diskInfo: disk({ sizeGb: 4 }) },
      'warning machine-config/disks diskInfo.disks[0].sizeGb: has no effect: the node driver does not know it',
    ],
    [
      { imageName: 'default/noble' },
      'warning machine-config/disks imageName: has no effect together with diskInfo, got "default/noble"',
    ],
    [
      { networkInfo: '' },
      'networkInfo: must be set (the server: "must specify harvester network name")',
    ],
    [
      { networkInfo: '{"interfaces":[]}' },
      'error machine-config/networks networkInfo: must have at least one interface: otherwise the machine gets no address',
    ],
    [
      { networkInfo: '{"interfaces":[{"model":"virtio"}]}' },
      'networkInfo.interfaces[0].networkName: must be set: machines cannot use the management network (the server: "must specify network name in harvester network info")',
    ],
    [
      { networkInfo: '{"interfaces":[{"networkName":"a/b","macAddress":"52:54"}]}' },
      'must be a MAC address, got "52:54" (the server: "Invalid MAC address format.")',
    ],
    [
      { networkInfo: '{"interfaces":[{"networkName":"a/b","macAddress":"52:54:00:00:00:01"}]}' },
      'warning machine-config/networks networkInfo.interfaces[0].macAddress',
    ],
    [
      { vgpuInfo: 'a2' },
      'error machine-config/vgpus vgpuInfo: must be a list of GPUs as JSON, got "a2" (the server: "error unmarshalling vgpuInfo string")',
    ],
    [
      { vgpuInfo: '{"vGPURequests":[{"name":"x"}]}' },
      'vgpuInfo.vGPURequests[0].deviceName: must be set',
    ],
  ])('%j', (fields, text) => {
    expect(one(fields)).toEqual([expect.stringContaining(text)]);
  });

  test('does not judge late values', () => {
    expect(one({ diskInfo: '${late:disks}', networkInfo: '${late:networks}' })).toEqual([]);
    expect(
      one({
        diskInfo: DISKS.replace('default/noble', '${late:image}'),
        networkInfo: NETWORKS.replace('default/prod', '${late:network}'),
      }),
    ).toEqual([]);
  });
});

describe('user data', () => {
  test.each([
    [
      '#!/bin/sh\necho\n',
      'error machine-config/user-data userData: must be a YAML map, not a script: the node driver parses it',
    ],
    [
      'Content-Type: multipart/mixed\n\nx',
      'error machine-config/user-data userData: must be a YAML map, not a MIME archive: the node driver parses it',
    ],
    ['#cloud-config\n- a\n', 'error machine-config/user-data userData: must be a YAML map'],
    [
      '#cloud-config\na: [',
      'error machine-config/user-data userData: is not valid YAML: bad indent at line 2, column 5',
    ],
    [
      '#cloud-config\npackages: qemu-guest-agent\n',
      'error machine-config/user-data userData.packages: must be a list: otherwise cloud-init installs nothing',
    ],
    [
      '#cloud-config\npackages: [qemu-guest-agent]\nruncmd: reboot\n',
      'error machine-config/user-data userData.runcmd: must be a list (the server: "cannot append two slices with different type")',
    ],
    [
      'packages: [qemu-guest-agent]\n',
      'warning machine-config/user-data userData: must begin with #cloud-config, got "packages: [qemu-guest-agent]". Fix: add #cloud-config as the first line',
    ],
    [
      '#cloud-config\npackages: [qemu-guest-agent]\nhostname: web\n',
      'warning machine-config/user-data userData.hostname: overrides the name from Rancher, got "web": all machines of the pool get this one, and the cloud provider cannot find the VM of a node',
    ],
    [
      '#cloud-config\npackages: [vim]\n',
      'warning machine-config/user-data userData: must install qemu-guest-agent: without it the machine reports no address, and Rancher replaces it after ten minutes',
    ],
    [
      '',
      'warning machine-config/user-data userData: must install qemu-guest-agent: without it the machine reports no address, and Rancher replaces it after ten minutes',
    ],
    [
      '#cloud-config\npackages: [qemu-guest-agent]\nwrite_files: [{path: /a, permissions: 0644}]\n',
      "userData.write_files[0].permissions: must be a string, got 420: cloud-init does not read a number as octal. Fix: write it in quotes: '0644'",
    ],
    [
      `#cloud-config\npackages: [qemu-guest-agent]\nx: ${'a'.repeat(140_000)}\n`,
      'warning machine-config/user-data userData: must have at most 131072 bytes, got 140047: one argument of a process cannot contain more',
    ],
  ])('%j', (userData, text) => {
    expect(one({ userData })).toEqual([expect.stringContaining(text)]);
    if (userData !== '') {
      expect(one({ userData: base64(userData) })).toEqual([expect.stringContaining(text)]);
    }
  });

  test('late values in it do not hinder', () => {
    expect(
      one({
        userData:
          '#cloud-config\npackages: [qemu-guest-agent]\nwrite_files: [{path: /a, content: "${late:kubeconfig|base64}"}]\n',
      }),
    ).toEqual([]);
  });

  test('reports text that Kubernetes would expand', () => {
    expect(
      one({
        userData: '#cloud-config\npackages: [qemu-guest-agent]\nruncmd: ["echo $(HOSTNAME)"]\n',
      }),
    ).toEqual([
      'warning machine-config/expanded userData: must not contain $$ or $(NAME), which Kubernetes may change on the way to the machine. Fix: encode the text in base64',
    ]);
  });
});

describe('network data', () => {
  const v1 = (config: string) => `network:\n  version: 1\n  config:\n${config}`;
  const physical = (subnet: string) => `  - {type: physical, name: eth0, subnets: [${subnet}]}\n`;
  test.each([
    [
      'ethernets: {}\n',
      'networkData.version: must be set (the server: "missing section: version"). Fix: write version: 1 or version: 2',
    ],
    [
      'version: "2"\n',
      'networkData.version: must be a number, got "2": otherwise the node driver crashes',
    ],
    [
      v1('  []\n').replace('config:\n  []', 'config: {}'),
      'networkData.config: must be set, in a valid form: otherwise the node driver crashes',
    ],
    [v1('  - {name: eth0}\n') + physical('{type: dhcp}'), 'missing section: type'],
    [v1('  - {type: physical}\n') + physical('{type: dhcp}'), 'missing section: subnets'],
    [
      v1(
        physical('{type: static, address: 10.0.0.2/24}') +
          '  - {type: nameserver, address: [1.1.1.1]}\n',
      ),
      'static gateway or dhcp is not configured',
    ],
    [
      v1(physical('{type: static, address: 10.0.0.2/24, gateway: 10.0.0.1}')),
      'nameserver is not configured',
    ],
    [
      v1(
        physical('{type: static, gateway: 10.0.0.1}, {type: static, gateway: 10.0.1.1}') +
          '  - {type: nameserver, address: [1.1.1.1]}\n',
      ),
      'the number of default gateway cannot greater than 1, but get: 2',
    ],
    ['- a\n', 'error machine-config/network-data networkData: must be a YAML map'],
    [
      'a: [',
      'error machine-config/network-data networkData: is not valid YAML: bad indent at line 1, column 5',
    ],
  ])('%j', (networkData, text) => {
    expect(one({ networkData })).toEqual([expect.stringContaining(text)]);
  });

  test('DHCP counts as gateway and name server; version 2 is not judged', () => {
    expect(one({ networkData: v1(physical('{type: dhcp}')) })).toEqual([]);
    expect(one({ networkData: 'version: 2\nethernets: {eth0: {dhcp4: true}}\n' })).toEqual([]);
  });
});

describe('affinity', () => {
  const anti = {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 100, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname' } },
      ],
    },
  };
  test.each([
    ['{', 'must be JSON'],
    ['[]', 'vmAffinity: must be a Kubernetes affinity'],
    [
      '{"nodeAffinity":{}}',
      'warning machine-config/affinity vmAffinity: must have a podAntiAffinity: an affinity replaces the default of the node driver, which spreads machines over the hosts. Fix: ' +
        'add a podAntiAffinity: preferred, weight 100, label harvesterhci.io/creator Exists, topologyKey kubernetes.io/hostname',
    ],
    [
      JSON.stringify({ ...anti, tolerations: [] }),
      'warning machine-config/affinity vmAffinity.tolerations: is not a field of an affinity and is dropped',
    ],
    [
      JSON.stringify(anti).replace('100', '0'),
      'must be a whole number from 1 to 100, got 0 (the server: "must be in the range 1-100")',
    ],
    [JSON.stringify(anti).replace('kubernetes.io/hostname', ''), 'topologyKey: must be set'],
  ])('%s', (text, says) => {
    expect(one({ vmAffinity: text })).toEqual([expect.stringContaining(says)]);
    expect(one({ vmAffinity: base64(text) })).toEqual([expect.stringContaining(says)]);
  });

  test('null crashes the driver; written plainly it is taken for base64', () => {
    expect(one({ vmAffinity: base64('null') })).toEqual([
      expect.stringContaining(
        'error machine-config/affinity vmAffinity: must not be null, which crashes the node driver. Fix: remove the field, or write an affinity',
      ),
    ]);
    expect(one({ vmAffinity: 'null' })).toEqual([
      expect.stringContaining('vmAffinity: must be JSON, plain or in base64'),
    ]);
  });

  test('an affinity that spreads machines is fine', () => {
    expect(one({ vmAffinity: JSON.stringify(anti) })).toEqual([]);
  });
});

describe('versions', () => {
  test.each([
    [
      { cpuModel: 'host-passthrough' },
      '2.13.8',
      'cpuModel of a machine needs Rancher 2.14.0 or later, got 2.13.8',
    ],
    [
      { reservedMemorySize: '256' },
      '2.11.3',
      'reservedMemorySize of a machine needs Rancher 2.12.0 or later, got 2.11.3',
    ],
    [
      { enableTpm: true },
      '2.10.5',
      'a machine with a TPM needs Rancher 2.11.0 or later, got 2.10.5',
    ],
    [{ cpuPinning: true }, '2.10.5', 'needs Rancher 2.11.0'],
    [{ enableEfi: true }, '2.8.2', 'a machine with EFI or secure boot needs Rancher'],
  ])('%j on %s', (fields, version, text) => {
    expect(one(fields, version)).toEqual([
      expect.stringMatching(new RegExp(`^warning machine-config/version .*${text}`)),
    ]);
    expect(one(fields, '2.15.0')).toEqual([]);
  });

  test('a field of a later driver has no effect in pools of an earlier one', () => {
    expect(
      brief(
        findingsOf([machineConfig({ cpuModel: 'host-model' })], {
          version: '2.14.0',
          before: [machineConfig()],
        }),
      ),
    ).toEqual(['warning machine-config/added-field cpuModel']);
    const both = ['control', 'work'].map((name) => machineConfig({ metadata: { name } }));
    const added = both.map((config) => ({ ...config, cpuModel: 'host-model' }));
    const causes = findingsOf(added, { version: '2.14.0', before: both })
      .filter(({ rule }) => rule === 'machine-config/added-field')
      .map(({ cause }) => cause);
    expect(causes).toHaveLength(2);
    expect(new Set(causes)).toEqual(
      new Set(['added fields may have no effect on pools of an older node driver']),
    );
    expect(
      findingsOf([machineConfig({ memorySize: '16' })], { before: [machineConfig()] }),
    ).toEqual([]);
  });
});

const patchedConfig = (change: (config: ApiObject) => void) => {
  const { app, cluster } = guestCluster();
  change(
    cluster.node.children.find(
      (child): child is ApiObject =>
        ApiObject.isApiObject(child) && child.kind === 'HarvesterConfig',
    )!,
  );
  return app
    .validate()
    .filter(({ rule }) => rule.startsWith('machine-config/'))
    .map(({ rule, path }) => `${rule} ${path}`);
};

test('judges a HarvesterConfig as it was patched', () => {
  expect(patchedConfig(() => {})).toEqual([]);
  expect(
    patchedConfig((config) => {
      config.addJsonPatch(JsonPatch.replace('/memorySize', '8Gi'));
    }),
  ).toEqual(['machine-config/numbers memorySize']);
  expect(
    patchedConfig((config) => {
      config.addJsonPatch(JsonPatch.add('/diskInfo', '{"disks":[]}'));
    }),
  ).toEqual(['machine-config/disks diskInfo']);
  expect(
    patchedConfig((config) => {
      config.addJsonPatch(JsonPatch.add('/imageName', 'vms/other'));
    }),
  ).toEqual(['machine-config/disks imageName']);
  expect(
    patchedConfig((config) => {
      config.addJsonPatch(JsonPatch.remove('/diskInfo'));
    }),
  ).toEqual(['machine-config/disks diskInfo']);
});
