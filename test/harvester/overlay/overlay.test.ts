import { OverlayNetwork } from '../../../src/harvester/network/vm-network';
import { OverlaySubnet, OverlaySubnetProps } from '../../../src/harvester/overlay/overlay-subnet';
import { OverlayVpc } from '../../../src/harvester/overlay/overlay-vpc';
import { OVERLAY_DESCRIPTIONS } from '../../../src/harvester/overlay/overlay.kind';
import { newApp, newHarvester } from '../../support/programs';

const newPlace = () => {
  const dc1 = newHarvester(newApp());
  return { dc1, apps: new OverlayNetwork(dc1, 'apps'), db: new OverlayNetwork(dc1, 'db') };
};
const specOf = (construct: OverlayVpc | OverlaySubnet): unknown =>
  (construct.apiObject.toJson() as { readonly spec: unknown }).spec;

test('gives an overlay network its addresses', () => {
  const { dc1, apps } = newPlace();
  const subnet = new OverlaySubnet(dc1, 'team-a-apps', {
    network: apps,
    vpc: new OverlayVpc(dc1, 'team-a'),
    cidr: '10.20.0.0/24,fd00:10::/64',
    gateway: '10.20.0.1,fd00:10::1',
    excludedAddresses: ['10.20.0.1..10.20.0.9'],
    dnsServers: ['10.0.0.2', '10.0.0.3', 'fd00::2'],
  });
  expect(specOf(subnet)).toEqual({
    vpc: 'team-a',
    provider: 'apps.default.ovn',
    protocol: 'Dual',
    cidrBlock: '10.20.0.0/24,fd00:10::/64',
    gateway: '10.20.0.1,fd00:10::1',
    excludeIps: ['10.20.0.1..10.20.0.9'],
    enableDHCP: true,
    dhcpV4Options: 'dns_server={10.0.0.2;10.0.0.3}',
    dhcpV6Options: 'dns_server={fd00::2}',
  });
});

test('connects two VPCs, with routes to the Subnets of the other one', () => {
  const { dc1, apps, db } = newPlace();
  const [blue, green] = [
    new OverlayVpc(dc1, 'blue', { routes: [{ cidr: '0.0.0.0/0', nextHop: '10.20.0.254' }] }),
    new OverlayVpc(dc1, 'green'),
  ];
  blue.peerWith(green, '169.254.0.0/30');
  new OverlaySubnet(dc1, 'blue-apps', { network: apps, vpc: blue, cidr: '10.20.0.0/24' });
  new OverlaySubnet(dc1, 'green-db', { network: db, vpc: green, cidr: '10.21.0.0/24' });
  expect(specOf(blue)).toEqual({
    staticRoutes: [
      { policy: 'policyDst', cidr: '0.0.0.0/0', nextHopIP: '10.20.0.254' },
      { policy: 'policyDst', cidr: '10.21.0.0/24', nextHopIP: '169.254.0.2' },
    ],
    vpcPeerings: [{ remoteVpc: 'green', localConnectIP: '169.254.0.1/30' }],
  });
  expect(specOf(green)).toEqual({
    staticRoutes: [{ policy: 'policyDst', cidr: '10.20.0.0/24', nextHopIP: '169.254.0.1' }],
    vpcPeerings: [{ remoteVpc: 'blue', localConnectIP: '169.254.0.2/30' }],
  });
  expect(() => {
    blue.peerWith(green, '169.254.1.0/31');
  }).toThrow(
    /cidr: must be a network in CIDR form with at least four addresses, got "169.254.1.0\/31"[^]*other: must be another VPC of dc1 that is not a peer yet, got "green"/,
  );
});

test.each<[string, Partial<OverlaySubnetProps>, string]>([
  [
    'addresses that are not a network',
    { cidr: '10.20.0.0' },
    'cidr: must be a network in CIDR form, lower case, or one of IPv4 and one of IPv6 with a comma, got "10.20.0.0"',
  ],
  [
    'a gateway outside of it',
    { gateway: '10.21.0.1' },
    'gateway: must be an address of 10.20.0.0/24, got "10.21.0.1" (the server: "10.21.0.1 is not in cidr 10.20.0.0/24")',
  ],
  [
    'a range that ends before it begins',
    { excludedAddresses: ['10.20.0.9..10.20.0.1'] },
    'excludedAddresses[0]: must be an address, or a range',
  ],
  [
    'DNS servers without DHCP',
    { dnsServers: ['10.0.0.2'], dhcp: false },
    'dnsServers: requires dhcp',
  ],
  [
    'a DNS server that is a name',
    { dnsServers: ['dns'] },
    'dnsServers[0]: must be an IP address, got "dns"',
  ],
  [
    'allowed Subnets of one that is not isolated',
    { allowedSubnets: ['10.30.0.0/24'] },
    'allowedSubnets: requires isolated',
  ],
  [
    'the name of a Subnet of Kube-OVN',
    { name: 'join' },
    'name: cannot be that of a Subnet of Kube-OVN itself, got "join"',
  ],
])('refuses %s', (_, props, message) => {
  const { dc1, apps } = newPlace();
  expect(
    () => new OverlaySubnet(dc1, 'subnet', { network: apps, cidr: '10.20.0.0/24', ...props }),
  ).toThrow(message);
});

test('refuses NAT in a VPC of its own, and the names of what Kube-OVN makes', () => {
  const { dc1, apps } = newPlace();
  const vpc = new OverlayVpc(dc1, 'team-a');
  expect(
    () =>
      new OverlaySubnet(dc1, 'subnet', {
        network: apps,
        cidr: '10.20.0.0/24',
        vpc,
        natOutgoing: true,
      }),
  ).toThrow('natOutgoing: has no effect in the VPC team-a, got true');
  expect(() => new OverlayVpc(dc1, 'ovn-cluster')).toThrow(
    'name: cannot be that of the VPC that Kube-OVN creates',
  );
  expect(() => new OverlayVpc(dc1, 'routes', { routes: [{ cidr: 'x', nextHop: 'y' }] })).toThrow(
    /routes\[0\].cidr: must be a network[^]*routes\[0\].nextHop: must be an IP address/,
  );
});

test('knows the names of the resources of Kube-OVN, which are not the plurals of their kinds', () => {
  expect(
    Object.fromEntries(
      OVERLAY_DESCRIPTIONS.flatMap(({ kind, resource }) =>
        resource === undefined ? [] : [[kind, resource]],
      ),
    ),
  ).toEqual({
    ProviderNetwork: 'provider-networks',
    VpcNatGateway: 'vpc-nat-gateways',
    IptablesEIP: 'iptables-eips',
    IptablesDnatRule: 'iptables-dnat-rules',
    IptablesSnatRule: 'iptables-snat-rules',
    IptablesFIPRule: 'iptables-fip-rules',
  });
});
