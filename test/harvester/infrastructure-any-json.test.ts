import * as fc from 'fast-check';
import { Manifest, isManifest, isRecord } from '../../src/core/manifest/manifest';
import { judge } from '../../src/core/rule/judge';
import { JudgedObject, World } from '../../src/core/rule/rule';
import { ALL_RULES } from '../../src/registry/all-rules';
import { addressTable, printAddresses } from '../../src/report/addresses/address-table';
import { GUEST, HARVESTER_1_9, RANCHER, guest, on, pool, service, vmBalancer, vmNamespace } from '../support/balancers';
import { clusterNetwork, hostNetwork, image, network, node, storageClass, vlanConfig } from '../support/infrastructure';

const FAMILIES = new RegExp(`^(object|${[
  'addon', 'cluster-network', 'encryption-secret', 'host-network', 'image', 'ip-pool', 'key-pair', 'load-balancer', 'network-attachment', 'node-cloud-init',
  'service', 'snapshot-quota', 'storage-class', 'vlan-config',
].join('|')})/`);
const RULES = ALL_RULES.filter(({ id }) => FAMILIES.test(id));
const made = (apiVersion: string, kind: string, name: string, fields: object, metadata: object = { namespace: 'default' }): Manifest => ({
  apiVersion, kind, metadata: { name, ...metadata }, ...fields,
});
const CRYPTO = { 'encrypted': 'true', 'csi.storage.k8s.io/provisioner-secret-name': 'key', 'csi.storage.k8s.io/provisioner-secret-namespace': 'default' };

const OBJECTS: readonly JudgedObject[] = [
  ...on(RANCHER, ...guest('shop', { chartValues: { global: { cattle: { clusterName: 'shop' } }, extraArgs: ['--management-network=vlan10'] } })),
  ...on(GUEST, ...[
    service('web', { 'ipam': 'pool', 'network': 'default/vlan10', 'kube-vip.io/loadbalancerIPs': '10.0.0.1' }, { externalTrafficPolicy: 'Local' }),
    service('dns', { 'primary-service': 'default/web' }, { ports: [{ port: 53 }] }),
    made('helm.cattle.io/v1', 'HelmChartConfig', 'rke2-traefik', { spec: { valuesContent: 'service: {type: LoadBalancer}' } }, { namespace: 'kube-system' }),
  ]),
  ...on(HARVESTER_1_9, ...[
    vmNamespace('c-m-a:pay'),
    pool('p', [{ subnet: '10.0.0.0/24', rangeStart: '10.0.0.9', rangeEnd: '10.0.0.99', gateway: '10.0.0.1' }], { priority: 3, network: 'default/vlan10', scope: [{ namespace: 'vms' }] }, {
      status: { allocated: { '10.0.0.9': 'vms/a' }, allocatedHistory: { '10.0.0.10': 'vms/b' } },
    }),
    vmBalancer('lb', { ipPool: 'p', healthCheck: { port: 8080 } }),
    made('kubevirt.io/v1', 'VirtualMachine', 'vm', {
      spec: { template: { metadata: { labels: { app: 'web' } }, spec: { networks: [{ multus: { networkName: 'vlan10' } }] } } },
    }, { namespace: 'vms', annotations: { 'harvesterhci.io/volumeClaimTemplates': '[]' } }),
    image('image', { retry: 3, checksum: '', securityParameters: { cryptoOperation: 'encrypt', sourceImageName: 'a', sourceImageNamespace: 'default' } }, { annotations: { 'harvesterhci.io/storageClassName': 'fast' } }),
    made('harvesterhci.io/v1beta1', 'KeyPair', 'key', { spec: { publicKey: 'ssh-ed25519 AAAA' } }),
    clusterNetwork('prod', { 'network.harvesterhci.io/uplink-mtu': '1500' }),
    vlanConfig('a', 'prod', { nodeSelector: { rack: 'a' }, uplink: { nics: ['e1'], linkAttributes: { mtu: 1500 }, bondOptions: { mode: '802.3ad', miimon: 100 } } }),
    network('vlan10', { bridge: 'prod-br', vlan: 10, vlanTrunk: [{ minID: 1, maxID: 2 }] }, { annotations: { 'network.harvesterhci.io/route': '{"mode":"auto"}' } }),
    hostNetwork('host', { mode: 'static', ips: { n1: '10.0.0.1/24' }, nodeSelector: { matchLabels: { rack: 'a' } } }),
    node('n1', { rack: 'a' }),
    storageClass('fast', { parameters: CRYPTO, allowedTopologies: [{ matchLabelExpressions: [{ key: 'a', values: ['b'] }] }] }, { 'cdi.harvesterhci.io/filesystemOverhead': '0.1' }),
    made('v1', 'Secret', 'key', { data: { CRYPTO_KEY_VALUE: 'YQ==' }, stringData: { CRYPTO_KEY_CIPHER: 'x' } }),
    made('harvesterhci.io/v1beta1', 'Addon', 'a', { spec: { repo: 'r', chart: 'c', version: '1', enabled: true, valuesContent: 'a: b' } }),
    made('harvesterhci.io/v1beta1', 'ResourceQuota', 'default-resource-quota', { spec: { snapshotLimit: { vmTotalSnapshotSizeQuota: { a: 1 } } } }),
    made('node.harvesterhci.io/v1beta1', 'CloudInit', 'ntp', { spec: { matchSelector: { a: 'b' }, filename: 'a.yaml', contents: 'stages: {}' } }, {}),
  ]),
];

type Way = readonly (string | number)[];

function waysIn(value: unknown): Way[] {
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : isRecord(value) ? Object.entries(value) : [];
  return [[], ...entries.flatMap(([key, inner]) => waysIn(inner).map((way) => [key, ...way]))];
}

function withValue(value: unknown, [first, ...rest]: Way, other: unknown): unknown {
  if (first === undefined) { return other; }
  const copy: any = Array.isArray(value) ? [...value] : { ...(value as object) };
  copy[first] = withValue(copy[first], rest, other);
  return copy;
}

function judgeAll(index: number, odd: Manifest): void {
  const odds = OBJECTS.map((object, at) => (at === index ? { ...object, manifest: odd } : object));
  judge(RULES, new World(odds));
  // an edit concerns the object that is edited; the others are there to be looked up
  const others = OBJECTS.filter((__, at) => at !== index);
  judge(RULES, new World([OBJECTS[index]!], others, [odds[index]!]));
  judge(RULES, new World([odds[index]!], others, [OBJECTS[index]!]));
  judge(RULES, new World([], others, [odds[index]!]));
  printAddresses(addressTable(new World(OBJECTS.slice(0, 3), odds)), 'text');
}

// a name and a namespace of text is what reading a file sees to
const isReadable = (odd: unknown): odd is Manifest => isManifest(odd) && ['string', 'undefined'].includes(typeof odd.metadata.namespace);

test.each(OBJECTS.map(({ manifest }, index) => [`${manifest.kind} ${manifest.metadata.name}`, index] as const))('does not throw for any changed value of %s', (_, index) => {
  let count = 0;
  // String() of the last one throws
  for (const junk of ['x', '', 5, -1.5, true, null, [], [null, 'a'], {}, { a: null }, [{ toString: 1, valueOf: 1 }]]) {
    for (const way of waysIn(OBJECTS[index]!.manifest)) {
      const odd = withValue(OBJECTS[index]!.manifest, way, junk);
      if (isReadable(odd)) { judgeAll(index, odd); count++; }
    }
  }
  expect(count).toBeGreaterThan(20);
});

test('accepts any JSON in any field without throwing', () => {
  const places = OBJECTS.flatMap(({ manifest }, index) => waysIn(manifest).map((way) => [index, way] as const));
  fc.assert(fc.property(fc.constantFrom(...places), fc.jsonValue(), ([index, way], json) => {
    const odd = withValue(OBJECTS[index]!.manifest, way, json);
    if (isReadable(odd)) { judgeAll(index, odd); }
  }), { numRuns: 400 });
});
