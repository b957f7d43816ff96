import { Manifest } from '../../../src/core/manifest/manifest';
import { secret } from '../../support/guest';
import { judgePlaced } from '../../support/judging';

const data = (address: string): string =>
  `version: 2\nethernets:\n  eth0:\n    addresses: [${address}/24]\n`;

function machine(
  name: string,
  cloudInit: object,
  networks: readonly string[] = ['default/prod'],
): Manifest {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: 'vms' },
    spec: {
      template: {
        spec: {
          domain: {
            devices: {
              interfaces: networks.map((_, index) => ({ name: `nic-${index}`, bridge: {} })),
            },
          },
          networks: networks.map((networkName, index) => ({
            name: `nic-${index}`,
            multus: { networkName },
          })),
          volumes: [{ name: 'cloudinitdisk', cloudInitNoCloud: cloudInit }],
        },
      },
    },
  };
}

const pool: Manifest = {
  apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
  kind: 'IPPool',
  metadata: { name: 'prod' },
  spec: {
    ranges: [
      {
        subnet: '10.0.0.0/24',
        rangeStart: '10.0.0.100',
        rangeEnd: '10.0.0.110',
        gateway: '10.0.0.1',
      },
    ],
    selector: { scope: [{ project: '*', namespace: '*', guestCluster: '*' }] },
  },
};

const findings = (...dc1: Manifest[]): string[] =>
  judgePlaced(['virtual-machine/address'], { dc1 });

test('refuses one address for two machines of a network, inline and in a Secret', () => {
  const found = findings(
    machine('a', { networkData: data('10.0.0.5') }),
    machine('b', { networkDataSecretRef: { name: 'net' } }, ['prod']),
    secret('net', 'vms', { networkdata: data('10.0.0.5') }),
  );
  expect(found).toEqual([
    'error virtual-machine/address b spec.template.spec.volumes[0].cloudInitNoCloud.networkDataSecretRef: ' +
      'cannot be the address of this machine, got "10.0.0.5": vms/a has it in the same network. Fix: use another address',
  ]);
});

test.each<[string, Manifest]>([
  ['another address', machine('b', { networkData: data('10.0.0.6') })],
  ['another network', machine('b', { networkData: data('10.0.0.5') }, ['default/test'])],
  [
    'several networks, of which any may have it',
    machine('b', { networkData: data('10.0.0.5') }, ['default/prod', 'default/test']),
  ],
  [
    'no fixed address',
    machine('b', { networkData: 'version: 2\nethernets:\n  eth0:\n    dhcp4: true\n' }),
  ],
])('accepts a machine with %s', (_, other) => {
  expect(findings(machine('a', { networkData: data('10.0.0.5') }), other)).toEqual([]);
});

test('warns of an address that a pool gives to load balancers', () => {
  expect(findings(machine('a', { networkData: data('10.0.0.105') }), pool)).toEqual([
    expect.stringContaining(
      'warning virtual-machine/address a spec.template.spec.volumes[0].cloudInitNoCloud.networkData: is an address of IP pool prod, which gives it to a load balancer, too',
    ),
  ]);
  expect(findings(machine('a', { networkData: data('10.0.0.99') }), pool)).toEqual([]);
});
