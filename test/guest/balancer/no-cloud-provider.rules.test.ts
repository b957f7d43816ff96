import { Manifest } from '../../../src/core/manifest/manifest';
import { guest, machineConfig } from '../../support/guest';
import { judgePlaced } from '../../support/judging';

const service = (annotations?: { [key: string]: string }, spec: object = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default', ...(annotations ? { annotations } : {}) },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }], ...spec },
});
const IPAM = { 'cloudprovider.harvesterhci.io/ipam': 'pool' };
const chart = (name: string): Manifest => ({
  apiVersion: 'helm.cattle.io/v1',
  kind: 'HelmChart',
  metadata: { name, namespace: 'kube-system' },
  spec: { chart: name },
});
const none = (rkeConfig: object = {}, spec: object = {}): Manifest =>
  guest({ machineSelectorConfig: [], ...rkeConfig }, spec);
const findings = (cluster: Manifest, ...shop: Manifest[]): string[] =>
  judgePlaced(['service/no-cloud-provider'], { rancher: [cluster, machineConfig()], shop });
const K3S = { kubernetesVersion: 'v1.33.6+k3s1' };

test('reports load balancers in a guest cluster without a cloud provider', () => {
  const rest =
    'gets no address: the guest cluster shop has no Harvester cloud provider. Fix: set its cloud provider to harvester, or install the chart harvester-cloud-provider';
  expect(findings(none(), service(IPAM))).toEqual([
    `warning service/no-cloud-provider web metadata.annotations[cloudprovider.harvesterhci.io/ipam]: ${rest}`,
  ]);
  expect(findings(none(), service())).toEqual([
    `warning service/no-cloud-provider web spec.type: ${rest}`,
  ]);
  expect(
    findings(none({ machineGlobalConfig: { disable: ['servicelb'] } }, K3S), service()),
  ).toHaveLength(1);
  // annotations of Harvester mean its cloud provider, whatever else runs
  expect(findings(none({}, K3S), service(IPAM), chart('metallb'))).toHaveLength(1);
});

test.each<[string, Manifest, Manifest[]]>([
  ['the bundled cloud provider', guest(), [service(IPAM)]],
  [
    'the chart in additionalManifest',
    none({ additionalManifest: 'spec: {chart: harvester-cloud-provider}' }),
    [service(IPAM)],
  ],
  ['the chart in the cluster', none(), [service(IPAM), chart('harvester-cloud-provider')]],
  ['another load balancer', none(), [service(), chart('metallb')]],
  [
    'a class of load balancers',
    none(),
    [service(undefined, { loadBalancerClass: 'example.com/lb' })],
  ],
  ['the load balancer of K3s', none({}, K3S), [service()]],
  [
    'another cloud provider',
    none({ machineGlobalConfig: { 'cloud-provider-name': 'external' } }),
    [service()],
  ],
  ['another type', none(), [service(undefined, { type: 'ClusterIP' })]],
])('accepts %s', (_, cluster, shop) => {
  expect(findings(cluster, ...shop)).toEqual([]);
});

test('accepts a Service without annotations where the machines are not known to be on Harvester', () => {
  expect(
    judgePlaced(['service/no-cloud-provider'], {
      rancher: [none({ machinePools: [] })],
      shop: [service()],
    }),
  ).toEqual([]);
});
