import { Manifest } from '../../../src/core/manifest/manifest';
import { judgePlaced } from '../../support/judging';

const pool = (range: object, network?: string): Manifest => ({
  apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
  kind: 'IPPool',
  metadata: { name: 'web' },
  spec: { ranges: [range], selector: network ? { network } : {} },
});
const network = (
  name: string,
  vlan: number,
  {
    cidr,
    namespace = 'default',
    bridge = 'mgmt-br',
  }: { cidr?: string; namespace?: string; bridge?: string } = {},
): Manifest => ({
  apiVersion: 'k8s.cni.cncf.io/v1',
  kind: 'NetworkAttachmentDefinition',
  metadata: {
    name,
    namespace,
    ...(cidr
      ? {
          annotations: {
            'network.harvesterhci.io/route': JSON.stringify({ mode: 'manual', cidr }),
          },
        }
      : {}),
  },
  spec: { config: JSON.stringify({ cniVersion: '0.3.1', name, type: 'bridge', bridge, vlan }) },
});
const findings = (...dc1: Manifest[]): string[] =>
  judgePlaced(
    ['ip-pool/management-address', 'ip-pool/network-range', 'network-attachment/vlan-twice'],
    { dc1 },
  );

test('refuses a pool with the management address of its Harvester cluster', () => {
  expect(
    findings(pool({ subnet: '10.10.0.0/24', rangeStart: '10.10.0.5', rangeEnd: '10.10.0.50' })),
  ).toEqual([
    'error ip-pool/management-address web spec.ranges: must not contain 10.10.0.10, the management address of the Harvester cluster, got "10.10.0.5-10.10.0.50": a load balancer would get it. ' +
      'Fix: exclude it by the start and end of the range',
  ]);
  expect(
    findings(pool({ subnet: '10.10.0.0/24', rangeStart: '10.10.0.11', rangeEnd: '10.10.0.50' })),
  ).toEqual([]);
});

test('reports addresses that are not in the range of their network', () => {
  const range = { subnet: '10.11.0.0/24', rangeStart: '10.11.0.5', rangeEnd: '10.11.0.50' };
  expect(
    findings(network('prod', 100, { cidr: '10.50.0.0/24' }), pool(range, 'default/prod')),
  ).toEqual([
    expect.stringContaining(
      'warning ip-pool/network-range web spec.ranges: must be in 10.50.0.0/24, the range of the network default/prod, got "10.11.0.5-10.11.0.50"',
    ),
  ]);
  expect(
    findings(network('prod', 100, { cidr: '10.11.0.0/16' }), pool(range, 'default/prod')),
  ).toEqual([]);
  expect(findings(network('prod', 100), pool(range, 'default/prod'), pool(range))).toEqual([]);
});

test('reports two networks of one namespace with one VLAN', () => {
  expect(findings(network('a', 100), network('b', 100))).toEqual([
    'warning network-attachment/vlan-twice b spec.config.vlan: is also the VLAN of the network a, got 100. Fix: correct the VLAN, or use one network',
  ]);
  expect(
    findings(
      network('a', 100),
      network('b', 101),
      network('c', 100, { namespace: 'other' }),
      network('d', 100, { bridge: 'prod-br' }),
      network('e', 0),
      network('f', 0),
    ),
  ).toEqual([]);
});
