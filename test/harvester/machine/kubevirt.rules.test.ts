import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { World } from '../../../src/core/rule/rule';
import { KUBEVIRT_RULES } from '../../../src/harvester/machine/kubevirt.rules';

const TARGET = { name: 'dc1', kind: 'harvester', harvesterVersion: '1.8.2' } as const;

const DISK = { name: 'a', disk: { bus: 'virtio' } };
const CLAIM = { name: 'a', persistentVolumeClaim: { claimName: 'a' } };

/** A machine with parts of its template. */
function machine(instance: object = {}, devices: object = {}, domain: object = {}): Manifest {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'one', namespace: 'default' },
    spec: {
      template: {
        metadata: { labels: { app: 'one' } },
        spec: {
          domain: { devices: { disks: [DISK], ...devices }, ...domain },
          volumes: [CLAIM],
          ...instance,
        },
      },
    },
  } as Manifest;
}

const withDisk = (disk: object): Manifest => machine({}, { disks: [{ ...DISK, ...disk }] });
const withNic = (nic: object): Manifest => machine({}, { interfaces: [{ name: 'n', ...nic }] });
const withInput = (input: object): Manifest => machine({}, { inputs: [{ name: 't', ...input }] });
const withCloudInit = (data: object): Manifest =>
  machine({ volumes: [CLAIM, { name: 'c', cloudInitNoCloud: data }] });
const withKey = (sshPublicKey: object): Manifest =>
  machine({ accessCredentials: [{ sshPublicKey }] });
const withTerm = (term: object, weight = 1): Manifest =>
  machine({
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: term }],
      },
    },
  });
const withMetadata = (metadata: object): Manifest => {
  const one = machine();
  const { template } = one.spec as { template: object };
  return { ...one, spec: { template: { ...template, metadata } } };
};

function found(manifest: Manifest): string[] {
  return judge(KUBEVIRT_RULES, new World([{ manifest, target: TARGET }])).map(
    ({ level, path }) => `${level} ${path}`,
  );
}

const AT = 'error spec.template.spec';
const DISKS = `${AT}.domain.devices.disks[0]`;
const NIC = `${AT}.domain.devices.interfaces[0]`;
const INPUT = `${AT}.domain.devices.inputs[0]`;
const TOPOLOGY = { topologyKey: 'kubernetes.io/hostname' };
const SECRET = { secret: { secretName: 's' } };

test.each<[what: string, manifest: Manifest]>([
  ['a disk', machine()],
  ['modes of a disk', withDisk({ cache: 'none', io: 'native', errorPolicy: 'stop' })],
  ['a LUN of a claim', withDisk({ disk: undefined, lun: {} })],
  ['a model of a NIC', withNic({ model: 'e1000e', pciAddress: '0000:81:01.0' })],
  ['a tablet', withInput({ type: 'tablet', bus: 'usb' })],
  ['user data in a Secret', withCloudInit({ secretRef: { name: 's' } })],
  ['user data in base64', withCloudInit({ userDataBase64: 'YQ==' })],
  ['a probe', machine({ readinessProbe: { guestAgentPing: {} } })],
  ['a key', withKey({ source: SECRET, propagationMethod: { noCloud: {} } })],
  ['an eviction', machine({ evictionStrategy: 'LiveMigrateIfPossible', startStrategy: 'Paused' })],
  ['an architecture', machine({ architecture: 'arm64' })],
  ['a term', withTerm({ ...TOPOLOGY, labelSelector: { matchLabels: { a: 'b' } } })],
])('accepts %s', (_, manifest) => {
  expect(found(manifest)).toEqual([]);
});

test.each<[what: string, manifest: Manifest, ...paths: string[]]>([
  ['two targets of a disk', withDisk({ cdrom: {} }), DISKS],
  ['a cache that does not exist', withDisk({ cache: 'a' }), `${DISKS}.cache`],
  ['an error policy that does not exist', withDisk({ errorPolicy: '' }), `${DISKS}.errorPolicy`],
  [
    'a LUN that is not of a claim',
    machine({ volumes: [{ name: 'a', emptyDisk: {} }] }, { disks: [{ name: 'a', lun: {} }] }),
    `${DISKS}.lun`,
  ],
  ['a model that does not exist', withNic({ model: 'virtiox' }), `${NIC}.model`],
  ['an address that is not one of PCI', withNic({ pciAddress: 'a' }), `${NIC}.pciAddress`],
  ['a NIC whose feature gate is off', withNic({ macvtap: {} }), `${NIC}.macvtap`],
  [
    'an input that is not a tablet',
    withInput({ type: 'mouse', bus: 'ps2' }),
    `${INPUT}.type`,
    `${INPUT}.bus`,
  ],
  ['two bindings of a NIC', withNic({ bridge: {}, sriov: {} }), NIC],
  [
    'pages without a size',
    machine({}, {}, { memory: { hugepages: {} } }),
    `${AT}.domain.memory.hugepages.pageSize`,
  ],
  ['a state of a NIC that does not exist', withNic({ state: 'a' }), `${NIC}.state`],
  ['a device whose feature gate is off', machine({}, { video: {} }), `${AT}.domain.devices.video`],
  [
    'real time without pinned CPUs',
    machine({}, {}, { cpu: { realtime: {} } }),
    `${AT}.domain.cpu.realtime`,
  ],
  [
    'security without a type',
    machine({}, {}, { launchSecurity: {} }),
    `${AT}.domain.launchSecurity`,
  ],
  ['a network without a type', machine({ networks: [{ name: 'n' }] }), `${AT}.networks[0]`],
  ['a probe without a type', machine({ livenessProbe: {} }), `${AT}.livenessProbe`],
  ['an eviction that does not exist', machine({ evictionStrategy: '' }), `${AT}.evictionStrategy`],
  ['an architecture that does not exist', machine({ architecture: 'a' }), `${AT}.architecture`],
  [
    'a key without a source and a method',
    withKey({ source: {}, propagationMethod: {} }),
    `${AT}.accessCredentials[0].sshPublicKey.source`,
    `${AT}.accessCredentials[0].sshPublicKey.propagationMethod`,
  ],
  [
    'no data of cloud-init',
    withCloudInit({ secretRef: { name: '' } }),
    `${AT}.volumes[1].cloudInitNoCloud`,
  ],
  [
    'data of cloud-init in two ways',
    withCloudInit({ userData: 'a', secretRef: { name: 's' } }),
    `${AT}.volumes[1].cloudInitNoCloud`,
  ],
  [
    'data that is not base64',
    withCloudInit({ userDataBase64: 'a' }),
    `${AT}.volumes[1].cloudInitNoCloud.userDataBase64`,
  ],
  [
    'a weight past the limit',
    withTerm(TOPOLOGY, 101),
    `${AT}.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight`,
  ],
  ['labels that are null', withMetadata({ labels: null }), 'error spec.template.metadata.labels'],
  [
    'an annotation that is null',
    withMetadata({ annotations: { a: null } }),
    'error spec.template.metadata.annotations[a]',
  ],
  [
    'an instance type without a name',
    { ...machine(), spec: { ...(machine().spec as object), instancetype: {} } },
    'error spec.instancetype',
  ],
])('refuses %s', (_, manifest, ...paths) => {
  expect(found(manifest).sort()).toEqual(paths.sort());
});

test('never shows user data', () => {
  const findings = judge(
    KUBEVIRT_RULES,
    new World([{ manifest: withCloudInit({ userDataBase64: 'my-secret!' }), target: TARGET }]),
  );
  expect(findings).toHaveLength(1);
  expect(JSON.stringify(findings)).not.toContain('my-secret');
});

test.each([
  [-1, ['error spec.vm.spec.template.spec.domain.cpu.cores']],
  [4, []],
])('judges %s cores of a template', (cores, paths) => {
  const version = {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'VirtualMachineTemplateVersion',
    metadata: { name: 'one', namespace: 'default' },
    spec: { vm: { spec: { template: { spec: { domain: { cpu: { cores } } } } } } },
  } as Manifest;
  expect(found(version)).toEqual(paths);
});
