import { NetworkData } from '../../../src/harvester/cloud-init/network-data';

describe('version 2', () => {
  test('is written as netplan reads it', () => {
    const data = NetworkData.v2({
      ethernets: {
        enp1s0: {
          addresses: ['10.0.0.5/24'],
          routes: [{ to: 'default', via: '10.0.0.1' }],
          nameservers: ['10.0.0.2'],
          searchDomains: ['example.com'],
          mtu: 9000,
          macAddress: '52:54:00:AA:BB:CC',
        },
        enp2s0: { dhcp4: true, dhcp6: false },
      },
    });
    expect(data.toText()).toBe(`version: 2
ethernets:
  enp1s0:
    match:
      macaddress: 52:54:00:aa:bb:cc
    addresses:
      - 10.0.0.5/24
    routes:
      - to: default
        via: 10.0.0.1
    nameservers:
      addresses:
        - 10.0.0.2
      search:
        - example.com
    mtu: 9000
  enp2s0:
    dhcp4: true
    dhcp6: false
`);
    expect(data._isStatic).toBe(true);
    expect(NetworkData.v2({ ethernets: { eth0: { dhcp4: true } } })._isStatic).toBe(false);
  });

  test('is refused without an interface', () => {
    expect(() => NetworkData.v2({ ethernets: {} })).toThrow(
      'NetworkData.v2: ethernets: must contain an interface: otherwise none gets an address. Fix: add an interface, or remove the network data',
    );
  });
});

describe('version 1', () => {
  test('is written as the node driver judges it', () => {
    const data = NetworkData.v1({
      interfaces: [
        {
          name: 'enp1s0',
          subnets: [{ address: '10.0.0.5/24', gateway: '10.0.0.1' }],
          macAddress: '52:54:00:AA:BB:CC',
          mtu: 1500,
        },
        { name: 'enp2s0' },
      ],
      nameservers: ['10.0.0.2'],
      searchDomains: ['example.com'],
    });
    expect(data.toText()).toBe(`version: 1
config:
  - type: physical
    name: enp1s0
    mac_address: 52:54:00:aa:bb:cc
    mtu: 1500
    subnets:
      - type: static
        address: 10.0.0.5/24
        gateway: 10.0.0.1
  - type: physical
    name: enp2s0
    subnets:
      - type: dhcp
  - type: nameserver
    address:
      - 10.0.0.2
    search:
      - example.com
`);
    expect(data._isStatic).toBe(true);
  });

  test.each([
    [
      'no way out',
      {
        interfaces: [{ name: 'a', subnets: [{ address: '10.0.0.5/24' }] }],
        nameservers: ['10.0.0.2'],
      },
      'static gateway or dhcp is not configured',
    ],
    [
      'no name server',
      { interfaces: [{ name: 'a', subnets: [{ address: '10.0.0.5/24', gateway: '10.0.0.1' }] }] },
      'nameserver is not configured',
    ],
    [
      'two gateways',
      {
        interfaces: ['a', 'b'].map((name) => ({
          name,
          subnets: [{ address: '10.0.0.5/24', gateway: '10.0.0.1' }],
        })),
        nameservers: ['10.0.0.2'],
      },
      'the number of default gateway cannot greater than 1, but get: 2',
    ],
    [
      'a gateway together with DHCP',
      { interfaces: [{ name: 'a', subnets: [{}, { gateway: '10.0.0.1' }] }] },
      'interfaces[0].subnets[1].gateway: has no effect without address, got "10.0.0.1": DHCP sets its own gateway. Fix: set address too, or remove gateway',
    ],
  ])('is refused with %s in the words of the driver', (_, config, says) => {
    expect(() => NetworkData.v1(config)).toThrow(says);
  });
});

describe('text', () => {
  test('is kept unchanged', () => {
    const text = 'network:\n  version: 2   # netplan\n  ethernets: {eth0: {dhcp4: true}}\n';
    expect(NetworkData.fromYaml(text).toText()).toBe(text);
  });

  test.each([
    ['without a version', 'ethernets: {}', 'missing section: version'],
    ['that is not a map', '[]', 'must be a YAML map'],
  ])('%s is refused', (_, text, message) => {
    expect(() => NetworkData.fromYaml(text)).toThrow(message);
  });
});
