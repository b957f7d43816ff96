import { adoptPlatform } from '../../src/adopt/project/run-adopt';
import { TargetKind } from '../../src/core/construct/target';
import { Manifest } from '../../src/core/manifest/manifest';

/** What people write by hand, without what Harvester's UI or a construct adds. */
const LB = 'loadbalancer.harvesterhci.io/v1beta1';
const HARVESTER = 'harvesterhci.io/v1beta1';
const NETWORK = 'network.harvesterhci.io/v1beta1';

function adopted(kind: TargetKind, ...manifests: readonly Manifest[]): readonly [string, unknown] {
  const version = kind === TargetKind.GUEST ? 'v1.33.6+rke2r1' : '1.7.2';
  const objects = manifests.map((manifest) => ({ target: 'dc1', manifest, from: 'file.yaml:1' }));
  const { files, differences, errors, clusters } = adoptPlatform({
    clusters: [{ name: 'dc1', kind, version, objects, unread: [] }],
  });
  const text = [...files].map(([, each]) => each).join('\n');
  const [{ constructs, patched, apiObjects }] = clusters;
  return [text, { differences, errors, constructs, patched, apiObjects }];
}

const clean = (constructs = 1): object => ({
  differences: [],
  errors: [],
  constructs,
  patched: 0,
  apiObjects: 0,
});

const DESCRIBED: readonly (readonly [string, Manifest])[] = [
  [
    'new IpPool',
    {
      apiVersion: LB,
      kind: 'IPPool',
      metadata: { name: 'web' },
      spec: { description: 'web servers', ranges: [{ subnet: '10.0.0.0/24' }] },
    },
  ],
  [
    'new VmLoadBalancer',
    {
      apiVersion: LB,
      kind: 'LoadBalancer',
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        description: 'web servers',
        ipam: 'dhcp',
        listeners: [{ name: 'http', port: 80, protocol: 'TCP', backendPort: 80 }],
        backendServerSelector: { app: ['web'] },
      },
    },
  ],
  [
    'new VirtualMachineTemplate',
    {
      apiVersion: HARVESTER,
      kind: 'VirtualMachineTemplate',
      metadata: { name: 'web', namespace: 'default' },
      spec: { description: 'web servers' },
    },
  ],
  [
    'new VlanConfig',
    {
      apiVersion: NETWORK,
      kind: 'VlanConfig',
      metadata: { name: 'web' },
      spec: {
        description: 'web servers',
        clusterNetwork: 'prod',
        uplink: { nics: ['eno1'], linkAttributes: {} },
      },
    },
  ],
];

test.each(DESCRIBED)('keeps a description that is in the field alone: %s', (type, manifest) => {
  const [text, counts] = adopted(TargetKind.HARVESTER, manifest);
  expect(text).toContain(type);
  expect(text).toMatch(/description: 'web servers'/);
  expect(text).toMatch(/adopted: \{ asWritten: true \}/);
  expect(counts).toEqual(clean());
  // with the annotation of the UI, nothing remains to write
  const annotations = { 'field.cattle.io/description': 'web servers' };
  const bond = { bondOptions: { mode: 'active-backup' } };
  const { spec, metadata } = manifest as any;
  const full = {
    ...manifest,
    metadata: { ...metadata, annotations },
    spec: {
      ...spec,
      selector: {},
      ...(spec.uplink ? { uplink: { ...spec.uplink, ...bond } } : {}),
    },
  };
  expect(adopted(TargetKind.HARVESTER, full as Manifest)[0]).not.toMatch(/asWritten/);
});

test('keeps memory, tolerations, and annotations of a VM without patches', () => {
  const [text, counts] = adopted(TargetKind.HARVESTER, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      runStrategy: 'Always',
      template: {
        metadata: { annotations: { 'example.com/owner': 'web' } },
        spec: {
          tolerations: [{ key: 'gpu', operator: 'Exists', effect: 'NoSchedule' }],
          priorityClassName: 'system-cluster-critical',
          domain: {
            cpu: { cores: 2 },
            memory: { guest: '4Gi' },
            resources: { requests: { memory: '5Gi' } },
            devices: {
              disks: [{ name: 'root', disk: { bus: 'virtio' } }],
              interfaces: [{ name: 'default', masquerade: {} }],
            },
          },
          networks: [{ name: 'default', pod: {} }],
          volumes: [{ name: 'root', containerDisk: { image: 'registry.example.com/web:1' } }],
        },
      },
    },
  } as Manifest);
  expect(text).toContain(
    'resources: { memoryRequest: Size.gibibytes(5), guestMemory: Size.gibibytes(4) }',
  );
  expect(text).toContain(
    "tolerations: [{ key: 'gpu', operator: TolerationOperator.EXISTS, effect: TaintEffect.NO_SCHEDULE }]",
  );
  expect(text).toContain("instanceAnnotations: { 'example.com/owner': 'web' }");
  expect(counts).toEqual(clean());
});

test('keeps a Service without ipam, and ports without defaults', () => {
  const [text, counts] = adopted(TargetKind.GUEST, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'default' },
    spec: { type: 'LoadBalancer', selector: { app: 'web' }, ports: [{ port: 443 }] },
  } as Manifest);
  expect(text).toContain('ipam: Ipam.unset()');
  expect(counts).toEqual(clean());
});

test('keeps a claim of a device without an owner, and mount options', () => {
  const [text, counts] = adopted(
    TargetKind.HARVESTER,
    {
      apiVersion: 'devices.harvesterhci.io/v1beta1',
      kind: 'PCIDeviceClaim',
      metadata: { name: 'node1-000004000' },
      spec: { address: '0000:04:00.0', nodeName: 'node1', userName: 'admin' },
    } as Manifest,
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'nfs' },
      provisioner: 'nfs.csi.k8s.io',
      allowVolumeExpansion: true,
      mountOptions: ['nfsvers=4.1'],
    } as Manifest,
  );
  expect(text).toContain('adopted: { owned: false }');
  expect(text).toContain("mountOptions: ['nfsvers=4.1']");
  expect(counts).toEqual(clean(2));
});

test('leaves out a live version of a template, which Harvester never updates', () => {
  const manifest = {
    apiVersion: HARVESTER,
    kind: 'VirtualMachineTemplateVersion',
    metadata: { name: 'web-v1', namespace: 'default', uid: 'u-1' },
    spec: { templateId: 'default/web', vm: { spec: {} } },
  } as Manifest;
  const objects = [{ target: 'dc1', manifest, from: 'context dc1' }];
  const { leftOut, clusters } = adoptPlatform({
    clusters: [{ name: 'dc1', kind: TargetKind.HARVESTER, version: '1.8.2', objects, unread: [] }],
  });
  expect(leftOut).toEqual([
    {
      target: 'dc1',
      reason:
        'is a version that Harvester never updates: it remains as it is until its template is deleted',
      objects: ['VirtualMachineTemplateVersion default/web-v1'],
    },
  ]);
  expect(clusters[0].leftOut).toBe(1);
});
