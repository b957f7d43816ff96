import { Manifest } from '../../src/core/manifest/manifest';
import { guest, machineConfig } from '../support/guest';
import { Placed, judgePlaced } from '../support/judging';

const RULES = ['machine-config/references', 'virtual-machine/network'];
const NAD = 'network-attachment-definitions.k8s.cni.cncf.io';

const network = (name: string, namespace = 'default'): Manifest => ({
  apiVersion: 'k8s.cni.cncf.io/v1',
  kind: 'NetworkAttachmentDefinition',
  metadata: { name, namespace },
  spec: {},
});
const image = (name: string, spec: object = {}, labels?: { [key: string]: string }): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'VirtualMachineImage',
  metadata: { name, namespace: 'default', ...(labels ? { labels } : {}) },
  spec: { displayName: name, ...spec },
});
const machine = (networkName: string): Manifest => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'a', namespace: 'vms' },
  spec: { template: { spec: { networks: [{ name: 'nic-1', multus: { networkName } }] } } },
});
const pools = (networkName: string, imageName = 'default/noble'): Manifest[] => [
  guest(),
  machineConfig({
    networkInfo: JSON.stringify({ interfaces: [{ networkName }] }),
    diskInfo: JSON.stringify({ disks: [{ imageName, size: 40, bootOrder: 1 }] }),
  }),
];

const findings = (placed: Placed, live?: Placed): string[] => judgePlaced(RULES, placed, { live });

describe('a network that a pool or a virtual machine names', () => {
  test('is reported if the manifests declare others on that Harvester cluster', () => {
    expect(
      findings({ rancher: pools('default/nosuch'), dc1: [network('prod'), machine('nosuch')] }),
    ).toEqual([
      `warning machine-config/references nc-shop networkInfo: does not match any known NetworkAttachmentDefinition of dc1, got "default/nosuch" (the server: "${NAD} "nosuch" not found"). ` +
        'Fix: declare it, or correct the name',
      'warning virtual-machine/network a spec.template.spec.networks[0].multus.networkName: does not match any known NetworkAttachmentDefinition of dc1, got "nosuch" ' +
        `(the server: "${NAD} "nosuch" not found"). Fix: declare it, or correct the name`,
    ]);
  });

  test('is refused if all networks of the cluster are known', () => {
    const live = { dc1: [network('prod')] };
    expect(
      findings({ rancher: pools('default/nosuch'), dc1: [machine('default/nosuch')] }, live),
    ).toEqual([
      expect.stringContaining(
        'error machine-config/references nc-shop networkInfo: must exist on dc1, got "default/nosuch"',
      ),
      expect.stringContaining(
        'error virtual-machine/network a spec.template.spec.networks[0].multus.networkName: must exist on dc1',
      ),
    ]);
    expect(findings({ rancher: pools('default/prod'), dc1: [machine('prod')] }, live)).toEqual([]);
  });

  test('may be in another namespace', () => {
    expect(
      findings({ rancher: pools('prod'), dc1: [network('prod'), machine('vms/prod')] }),
    ).toEqual(
      [
        expect.stringContaining('got "prod": prod is in the namespace default'),
        expect.stringContaining('got "vms/prod": prod is in the namespace default'),
      ].map((text) => text),
    );
    expect(findings({ rancher: pools('prod'), dc1: [network('prod')] })[0]).toContain(
      'Fix: write default/prod',
    );
  });

  test('is accepted if nothing is known of the networks there', () => {
    expect(
      findings({
        rancher: pools('default/nosuch'),
        dc1: [machine('default/nosuch'), image('noble')],
        dc2: [network('prod')],
      }),
    ).toEqual([]);
  });
});

describe('an image that a pool names', () => {
  const ISO = 'must be a cloud image, got';

  test.each<[string, string, Manifest[]]>([
    ['the name of the reference', 'default/ubuntu-24.04-live-server-amd64.iso', []],
    ['its display name', 'default/noble', [image('noble', { displayName: 'noble.iso' })]],
    ['its URL', 'default/noble', [image('noble', { url: 'https://example.com/noble.iso?x=1' })]],
    ['its label', 'default/noble', [image('noble', {}, { 'harvesterhci.io/image-type': 'iso' })]],
  ])('is not an ISO, by %s', (_, name, dc1) => {
    expect(
      findings({ rancher: pools('default/prod', name), dc1: [...dc1, network('prod')] }),
    ).toEqual([
      expect.stringContaining(`warning machine-config/references nc-shop diskInfo: ${ISO}`),
    ]);
  });

  test('is one of the cluster if all images are known', () => {
    expect(
      findings({ rancher: pools('default/prod', 'default/nosuch'), dc1: [network('prod')] }),
    ).toEqual([]);
    expect(
      findings(
        { rancher: pools('default/prod', 'default/nosuch'), dc1: [network('prod')] },
        { dc1: [image('noble')] },
      ),
    ).toEqual([
      expect.stringContaining(
        'error machine-config/references nc-shop diskInfo: must exist on dc1, got "default/nosuch" (the server: "virtualmachineimages.harvesterhci.io "nosuch" not found")',
      ),
    ]);
  });
});

describe('a StorageClass whose volumes cannot migrate', () => {
  const storageClass = (parameters: object, provisioner = 'driver.longhorn.io'): Manifest => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'pods' },
    provisioner,
    parameters,
  });
  const pool = [
    guest(),
    machineConfig({
      diskInfo: JSON.stringify({
        disks: [
          { imageName: 'default/noble', size: 40, bootOrder: 1 },
          { storageClassName: 'pods', size: 10, bootOrder: 2 },
        ],
      }),
    }),
  ];
  const claims = (accessMode: string): Manifest => ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: {
      name: 'a',
      namespace: 'vms',
      annotations: {
        'harvesterhci.io/volumeClaimTemplates': JSON.stringify([
          {
            metadata: { name: 'a-0' },
            spec: { accessModes: [accessMode], storageClassName: 'pods' },
          },
        ]),
      },
    },
    spec: {},
  });
  const judged = (accessMode: string, parameters: object, provisioner?: string): string[] =>
    judgePlaced(['machine-config/references', 'virtual-machine/migratable'], {
      rancher: pool,
      dc1: [storageClass(parameters, provisioner), claims(accessMode)],
    });

  test('is not for machines of pools and virtual machines', () => {
    const text = 'must be a StorageClass with migratable "true", got';
    expect(judged('ReadWriteMany', { migratable: 'false' })).toEqual([
      expect.stringContaining(
        `warning machine-config/references nc-shop diskInfo.disks[1].storageClassName: ${text} "pods": the VM cannot migrate live with a volume of pods, which is for pods. ` +
          'Fix: use another StorageClass, e.g. harvester-longhorn',
      ),
      expect.stringContaining(
        `warning virtual-machine/migratable a metadata.annotations[harvesterhci.io/volumeClaimTemplates]: ${text}`,
      ),
    ]);
  });

  test.each<[string, object, string | undefined, number]>([
    ['ReadWriteOnce', { migratable: 'false' }, undefined, 1],
    ['ReadWriteMany', { migratable: 'true' }, undefined, 0],
    ['ReadWriteMany', {}, undefined, 0],
    ['ReadWriteMany', { migratable: 'false', dataEngine: 'v2' }, undefined, 0],
    ['ReadWriteMany', { migratable: 'false' }, 'nfs.csi.k8s.io', 0],
  ])('is otherwise accepted: %s, %j, %s', (mode, parameters, provisioner, count) => {
    expect(judged(mode, parameters, provisioner)).toHaveLength(count);
  });
});
