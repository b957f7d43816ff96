import { oneLine } from '../../../src/core/problem/problem';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { RKE2, guestCluster } from '../../guest/cluster/_clusters';
import { findingsOf, guest } from '../../support/guest';
import { findings, network } from '../../support/infrastructure';
import { messageOf } from '../../support/message-of';
import { newApp, newHarvester } from '../../support/programs';

const dc1 = newHarvester(newApp());
const vmNetwork = (vlan: number) =>
  messageOf(() => new VmNetwork(dc1, 'a', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan }));
const attachment = (vlan: number) => findings([network('a', { bridge: 'mgmt-br', vlan })]);
const rke2 = (config: { readonly [key: string]: unknown }) =>
  messageOf(() => guestCluster({ kubernetes: Kubernetes.rke2(RKE2, { config }) }));
const nodeConfig = (config: { readonly [key: string]: unknown }) =>
  findingsOf([guest({ machineGlobalConfig: config })]);
const providerOf = (name: string) =>
  findingsOf([
    guest(
      {
        additionalManifest: JSON.stringify({
          apiVersion: 'helm.cattle.io/v1',
          kind: 'HelmChart',
          metadata: { name: 'harvester-cloud-provider', namespace: 'kube-system' },
          spec: {
            chart: 'harvester-cloud-provider',
            version: '0.2.12',
            valuesContent: `global: {cattle: {clusterName: ${name}}}\n`,
          },
        }),
      },
      { kubernetesVersion: 'v1.33.6+k3s1' },
      { name },
    ),
  ]);

/** The constraint in a text, without where, the server's own words and the fix. */
const constraintOf = (text: string): string =>
  /must .*?(?=\.? Fix:| \(the server|;|$)/m.exec(text)?.[0] ?? text;

// what a construct throws for a value, and what lint reports for a manifest with it
test.each([
  ['a VLAN ID that is too large', 'must be 1 to 4094, got 4095', vmNetwork(4095), attachment(4095)],
  [
    'a number in the configuration of nodes',
    'must be a string, a boolean or a list',
    rke2({ debug: 5 }),
    nodeConfig({ debug: 5 }),
  ],
  [
    'a map in the configuration of nodes',
    'must be a string, a boolean or a list',
    rke2({ debug: { a: 'b' } }),
    nodeConfig({ debug: { a: 'b' } }),
  ],
  [
    'the default cluster name of the cloud provider',
    'must not be the default name',
    messageOf(() => guestCluster({ name: 'kubernetes' })),
    providerOf('kubernetes'),
  ],
])('a construct and lint report %s in the same words', (_, words, refusal, reported) => {
  expect(constraintOf(refusal)).toContain(words);
  expect(reported.map((finding) => constraintOf(oneLine(finding)))).toContain(
    constraintOf(refusal),
  );
});
