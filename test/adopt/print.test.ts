import { adopt } from '../../src/adopt/adopt';
import { programFiles } from '../../src/adopt/print/program';
import { layOut, literal } from '../../src/adopt/print/text';
import { TargetKind } from '../../src/core/construct/target';
import { FoundCluster } from '../../src/core/draft/draft';

const VLAN = (name: string, vlan: number, namespace = 'default'): unknown => ({
  apiVersion: 'k8s.cni.cncf.io/v1',
  kind: 'NetworkAttachmentDefinition',
  metadata: {
    name,
    namespace,
    labels: {
      'network.harvesterhci.io/clusternetwork': 'mgmt',
      'network.harvesterhci.io/type': 'L2VlanNetwork',
      'network.harvesterhci.io/vlan-id': String(vlan),
    },
  },
  spec: {
    config: JSON.stringify({
      cniVersion: '0.3.1',
      name,
      type: 'bridge',
      bridge: 'mgmt-br',
      promiscMode: true,
      vlan,
      ipam: {},
    }),
  },
});

function harvester(...objects: unknown[]): FoundCluster {
  return {
    name: 'dc1',
    kind: TargetKind.HARVESTER,
    version: '1.8.2',
    vip: '10.10.0.10',
    unread: [],
    objects: objects.map((manifest) => ({
      target: 'dc1',
      manifest: manifest as FoundCluster['objects'][number]['manifest'],
      from: 'a test',
    })),
  };
}

function printed(...objects: unknown[]): string {
  const clusters = [harvester(...objects)];
  return programFiles(clusters, adopt(clusters)).get('dc1.ts')!;
}

test('prints statements as a person writes them', () => {
  expect(printed(VLAN('prod', 100)))
    .toBe(`import { ClusterNetwork, VmNetwork } from 'cdk8s-harvester';
import { dc1 } from './clusters';

const mgmt = ClusterNetwork.mgmt(dc1);

new VmNetwork(dc1, 'prod', { clusterNetwork: mgmt, vlan: 100 });
`);
});

test('prints what repeats as a loop', () => {
  const text = printed(...[1, 2, 3, 4].map((number) => VLAN(`net-${number}`, 100 + number)));
  expect(text).toContain(`for (const { id, vlan } of [
  { id: 'net-1', vlan: 101 },
  { id: 'net-2', vlan: 102 },
  { id: 'net-3', vlan: 103 },
  { id: 'net-4', vlan: 104 },
]) {
  new VmNetwork(dc1, id, { clusterNetwork: mgmt, vlan });
}
`);
});

test('keeps labels, annotations, and fields that no prop sets', () => {
  const pool = {
    apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
    kind: 'IPPool',
    metadata: {
      name: 'web',
      labels: { team: 'web' },
      annotations: { 'example.com/owner': "the web's" },
    },
    spec: { ranges: [{ subnet: '10.0.0.0/24' }], selector: {}, newer: { field: 'x' } },
  };
  expect(printed(pool)).toContain(`const web = new IpPool(dc1, 'web', {
  ranges: [{ subnet: '10.0.0.0/24' }],
  labels: { team: 'web' },
  annotations: { 'example.com/owner': 'the web\\'s' },
});
web.apiObject.addJsonPatch(JsonPatch.add('/spec/newer', { field: 'x' }));
`);
});

test('accepts errors of what the cluster runs with', () => {
  const text = printed(
    {
      apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
      kind: 'IPPool',
      metadata: { name: 'web' },
      spec: { ranges: [{ subnet: '10.0.0.0/24' }], selector: { network: 'default/gone' } },
    },
    { ...(VLAN('odd', 7) as object), spec: { config: '{' } },
  );
  expect(text).toMatch(
    /Suppressions\.of\(odd\)\.suppress\(\s*'[\w-]+\/[\w-]+',\s*'adopted as it is on the cluster: /s,
  );
});

test('chooses other IDs for objects of one name', () => {
  const text = printed(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'prod' } },
    VLAN('prod', 7, 'prod'),
  );
  expect(text).toContain("const prod = new HarvesterNamespace(dc1, 'prod');");
  expect(text).toContain(
    "new VmNetwork(dc1, 'prod-vm-network', { name: 'prod', namespace: prod, clusterNetwork: mgmt, vlan: 7 });",
  );
});

test('declares an object without a construct as it is', () => {
  expect(
    printed({
      apiVersion: 'example.com/v1',
      kind: 'Device',
      metadata: { name: 'a', uid: 'x', resourceVersion: '1' },
      spec: { on: true },
      status: {},
    }),
  ).toContain(
    "new ApiObject(dc1, 'a', { apiVersion: 'example.com/v1', kind: 'Device', metadata: { name: 'a' }, spec: { on: true } });",
  );
});

test.each(['a', "it's", 'a\\b', 'a\nb`${c}\\', 'tab\there', '\u2028', 'ends\n'])(
  'writes %j as a literal of the same text',
  (text) => {
    // eslint-disable-next-line no-eval
    expect(eval(literal(text))).toBe(text);
  },
);

test('breaks what is too long, and only that', () => {
  const list = { open: '[', items: ["'a'", "'b'"], close: ']' };
  expect(layOut(list, 0, 0)).toBe("['a', 'b']");
  expect(layOut(list, 115, 2)).toBe("[\n    'a',\n    'b',\n  ]");
});
