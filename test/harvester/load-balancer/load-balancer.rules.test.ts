import { Manifest } from '../../../src/core/manifest/manifest';
import { oneLine } from '../../../src/core/problem/problem';
import {
  ALL_SCOPE,
  GUEST,
  HARVESTER,
  HARVESTER_1_9,
  RANCHER,
  brief,
  findings,
  guest,
  on,
  pool,
  service,
  vmBalancer,
  vmNamespace,
} from '../../support/balancers';
import { machineConfig } from '../../support/guest';

const judged = (...objects: Manifest[]) => findings(on(HARVESTER, ...objects));
const listener = (fields: object = {}) => ({
  name: 'a',
  port: 80,
  protocol: 'TCP',
  backendPort: 8080,
  ...fields,
});
const one = (manifest: Manifest) => {
  const list = judged(manifest);
  expect(brief(list)).toHaveLength(1);
  return list[0];
};

describe('a load balancer of virtual machines', () => {
  test('is accepted if it is valid', () => {
    expect(judged(vmBalancer('lb', { healthCheck: { port: 8080 } }))).toEqual([]);
  });

  test.each([
    [[], 'spec.listeners', 'the loadbalancer needs to have at least one listener'],
    [
      [listener(), listener({ port: 81, backendPort: 81 })],
      'spec.listeners[1].name',
      'listener has duplicate name a',
    ],
    [
      [listener(), listener({ name: 'b', backendPort: 81 })],
      'spec.listeners[1].port',
      'listener b has duplicate port TCP:80 with listener a',
    ],
    [
      [listener(), listener({ name: 'b', port: 81 })],
      'spec.listeners[1].backendPort',
      'listener b has duplicate backend port TCP:8080 with listener a',
    ],
    [[listener({ port: 0 })], 'spec.listeners[0].port', 'listener port 0 must >= 1'],
    [[listener({ port: 65536 })], 'spec.listeners[0].port', 'listener port 65536 must <= 65535'],
    [
      [listener({ backendPort: 70000 })],
      'spec.listeners[0].backendPort',
      'listener backend port 70000 must <= 65535',
    ],
  ])('is refused with listeners %j', (listeners, path, says) => {
    const finding = one(vmBalancer('lb', { listeners }));
    expect([
      finding.rule,
      finding.path,
      finding.message.includes(`(the server: "${says}")`),
    ]).toEqual(['load-balancer/listeners', path, true]);
  });

  test('does not compare ports that are missing', () => {
    const listeners = [
      listener({ port: undefined }),
      listener({ name: 'b', port: undefined, backendPort: 81 }),
    ];
    expect(
      judged(vmBalancer('lb', { listeners })).map(({ message }) => message),
    ).not.toContainEqual(expect.stringContaining('must be unique'));
  });

  test('accepts one port with two protocols', () => {
    expect(
      judged(
        vmBalancer('lb', { listeners: [listener(), listener({ name: 'b', protocol: 'UDP' })] }),
      ),
    ).toEqual([]);
  });

  test.each([
    [80, 'is not in listener backend port list'],
    [53, 'can only be a TCP backend port'],
  ])('checks the health of a backend port of TCP, not of %d', (port, says) => {
    const finding = one(
      vmBalancer('lb', {
        listeners: [
          listener(),
          listener({ name: 'dns', port: 53, protocol: 'UDP', backendPort: 53 }),
        ],
        healthCheck: { port },
      }),
    );
    expect([finding.path, finding.message.includes(says)]).toEqual(['spec.healthCheck.port', true]);
  });

  // seen on Harvester 1.8.2
  test('without ipam has an address that is never released', () => {
    const { message } = one(vmBalancer('lb', { ipam: undefined }));
    expect(message).toContain("can't delete pool before releasing all the allocated IP");
    expect(judged(vmBalancer('lb', { ipam: 'dhcp' }))).toEqual([]);
  });

  test('cannot change ipam and workloadType, with pool and vm as defaults', () => {
    const edit = (before: object, now: object) =>
      brief(
        findings(on(HARVESTER, vmBalancer('lb', now)), [], on(HARVESTER, vmBalancer('lb', before))),
      );
    expect(edit({ ipam: 'pool' }, { ipam: 'dhcp' })).toEqual([
      'error load-balancer/fixed spec.ipam',
    ]);
    expect(edit({ ipam: undefined }, { ipam: 'pool' })).toEqual([]);
    expect(edit({ workloadType: undefined }, { workloadType: 'vm' })).toEqual([]);
    expect(edit({ workloadType: 'cluster' }, { workloadType: 'vm' })).toEqual([
      'error load-balancer/fixed spec.workloadType',
    ]);
    const old = { ...HARVESTER, harvesterVersion: '1.3.2' };
    expect(
      brief(findings(on(old, vmBalancer('lb', { ipam: 'dhcp' })), [], on(old, vmBalancer('lb')))),
    ).toEqual(['warning load-balancer/fixed spec.ipam']);
  });

  test('refers to an existing pool by name only', () => {
    const pools = [pool('p', ['10.0.0.0/24'], {})];
    expect(judged(...pools, vmBalancer('lb', { ipPool: 'p' }))).toEqual([]);
    expect(brief(judged(pool('p', ['10.0.0.0/24']), vmBalancer('lb', { ipPool: 'q' })))).toEqual([
      'warning load-balancer/pool spec.ipPool',
    ]);
    expect(brief(judged(vmBalancer('lb', { ipPool: 'default/p' })))).toEqual([
      'warning load-balancer/pool spec.ipPool',
    ]);
    expect(brief(judged(vmBalancer('lb', { ipPool: 'p', ipam: 'dhcp' })))).toEqual([
      'warning load-balancer/pool spec.ipPool',
    ]);
  });

  test('matches VMs in its namespace by the labels of their templates', () => {
    const machine = (namespace: string, app: string): Manifest => ({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { name: 'vm', namespace },
      spec: { template: { metadata: { labels: { app } } } },
    });
    expect(judged(vmBalancer('lb'), machine('vms', 'web'))).toEqual([]);
    expect(judged(vmBalancer('lb'), machine('other', 'db'))).toEqual([]);
    const list = judged(vmBalancer('lb'), machine('vms', 'db'));
    expect(brief(list)).toEqual(['warning load-balancer/backends spec.backendServerSelector']);
    expect(list[0].message).toContain('none of the 1 known virtual machines of namespace vms');
    expect(list[0].message).toContain('(the server: "no running backend servers")');
  });

  test.each([
    [{}, '', 'is empty, so that every virtual machine of namespace vms receives traffic', ''],
    [undefined, '', 'is empty, so that every virtual machine', ''],
    [
      { app: [] },
      '[app]',
      'must contain a value',
      "for 'in', 'notin' operators, values set can't be empty",
    ],
    [{ 'a b': ['x'] }, '[a b]', 'must be a valid label name: otherwise no VM matches', ''],
    [{ app: ['a', 'b c'] }, '[app]', 'must be a valid label value, got "b c"', ''],
  ])('is reported with the selector %j', (backendServerSelector, path, message, says) => {
    const finding = one(vmBalancer('lb', { backendServerSelector }));
    expect([finding.level, finding.rule, finding.path]).toEqual([
      'warning',
      'load-balancer/backends',
      `spec.backendServerSelector${path}`,
    ]);
    expect(oneLine(finding)).toContain(message);
    expect(finding.message.includes('(the server:')).toBe(says !== '');
    expect(finding.message).toContain(says);
  });

  test('of the first API version is not checked for backends', () => {
    expect(
      judged({
        ...vmBalancer('lb', { backendServerSelector: undefined, backendServers: ['10.0.0.9'] }),
        apiVersion: 'loadbalancer.harvesterhci.io/v1alpha1',
      }),
    ).toEqual([]);
  });

  test.each([
    [
      { ipam: 'DHCP' },
      'spec.ipam',
      'spec.ipam: Unsupported value: "DHCP": supported values: "pool", "dhcp"',
    ],
    [
      { workloadType: 'VM' },
      'spec.workloadType',
      'spec.workloadType: Unsupported value: "VM": supported values: "vm", "cluster"',
    ],
    [
      { listeners: [listener({ backendPort: null })] },
      'spec.listeners[0].backendPort',
      'spec.listeners[0].backendPort: Required value',
    ],
    [
      { healthCheck: { port: 8080, timeoutSeconds: -1 } },
      'spec.healthCheck.timeoutSeconds',
      'cannot unmarshal number -1 into Go struct field HealthCheck.timeoutSeconds of type uint',
    ],
  ])('is refused by the definition with %j', (spec, path, says) => {
    const finding = one(vmBalancer('lb', spec));
    const rule = says.includes('Unsupported value') ? 'object/field-value' : 'load-balancer/fields';
    expect([finding.level, finding.rule, finding.path, finding.message.includes(says)]).toEqual([
      'error',
      rule,
      path,
      true,
    ]);
  });

  test('has the protocol TCP without one', () => {
    const spec = {
      listeners: [{ name: 'a', port: 80, backendPort: 80 }],
      healthCheck: { port: 80, timeoutSeconds: 1 },
    };
    expect(judged(vmBalancer('lb', spec))).toEqual([]);
  });

  test.each([
    ['web.prod', {}, 'metadata.name', 'must be a valid name of a Service'],
    ['1web', {}, 'metadata.name', 'must be a valid name of a Service'],
    [
      'lb',
      { listeners: [listener({ name: 'HTTP' })] },
      'spec.listeners[0].name',
      'must be a valid name of a port',
    ],
    [
      'lb',
      { listeners: [listener({ protocol: 'tcp' })] },
      'spec.listeners[0].protocol',
      'supported values: "SCTP", "TCP", "UDP"',
    ],
  ])('%s is reported without a valid Service: %j', (name, spec, path, message) => {
    const finding = one(vmBalancer(name, spec));
    expect([finding.level, finding.rule, finding.path, finding.message.includes(message)]).toEqual([
      'warning',
      'load-balancer/service',
      path,
      true,
    ]);
  });

  test('cannot have the name of another Service', () => {
    const taken = service('lb', {}, { type: 'ClusterIP' }, 'vms');
    const list = judged(vmBalancer('lb'), taken);
    expect(brief(list)).toEqual(['warning load-balancer/service metadata.name']);
    expect(list[0].message).toBe(
      'cannot be the name of the Service vms/lb: Harvester overwrites its ports with the listeners',
    );
    expect(
      judged(vmBalancer('lb'), {
        ...taken,
        metadata: {
          ...taken.metadata,
          labels: { 'loadbalancer.harvesterhci.io/servicelb': 'true' },
        },
      }),
    ).toEqual([]);
    expect(judged(vmBalancer('lb'), service('lb', {}, {}, 'other'))).toEqual([]);
  });

  test('cannot be of type cluster, unless it comes from a server', () => {
    const cluster = vmBalancer('lb', {
      workloadType: 'cluster',
      listeners: [],
      backendServerSelector: {},
    });
    expect(brief(judged(cluster))).toEqual([
      'warning load-balancer/cluster-type spec.workloadType',
    ]);
    expect(judged({ ...cluster, metadata: { ...cluster.metadata, uid: 'x' } })).toEqual([]);
  });
});

describe('the pool of a load balancer', () => {
  const VLAN = 'default/vlan10';
  const shop = on(RANCHER, ...guest());
  const web = on(GUEST, service('web'));
  const inShop = { network: VLAN, scope: [{ ...ALL_SCOPE, guestCluster: 'shop' }] };

  test('matches by network and scope', () => {
    expect(
      findings([
        ...shop,
        ...web,
        ...on(HARVESTER, vmNamespace(), pool('p', ['10.0.0.0/24'], inShop)),
      ]),
    ).toEqual([]);
  });

  test.each([
    ['network', { ...inShop, network: 'default/other' }],
    ['cluster', { network: VLAN, scope: [{ ...ALL_SCOPE, guestCluster: 'other' }] }],
    ['namespace', { network: VLAN, scope: [{ ...ALL_SCOPE, namespace: 'other' }] }],
    ['project', { network: VLAN, scope: [{ ...ALL_SCOPE, project: 'c-m-a/other' }] }],
  ])('does not match with a different %s', (_, selector) => {
    const list = findings([
      ...shop,
      ...web,
      ...on(HARVESTER, vmNamespace('c-m-a:pay'), pool('p', ['10.0.0.0/24'], selector)),
    ]);
    expect(brief(list)).toEqual(['warning load-balancer/no-pool']);
    expect(list[0].message).toContain(
      'none of the pools of dc1 (p) matches network default/vlan10, project c-m-a/pay, namespace vms, guest cluster shop',
    );
    expect(list[0].message).toContain('no matched IPPool with requirement');
  });

  test('is not reported if a field is not known', () => {
    const selector = { network: VLAN, scope: [{ ...ALL_SCOPE, project: 'c-m-a/other' }] };
    expect(
      findings([...shop, ...web, ...on(HARVESTER, pool('p', ['10.0.0.0/24'], selector))]),
    ).toEqual([]);
    expect(findings([...web, ...on(HARVESTER, pool('p', ['10.0.0.0/24'], selector))])).toEqual([]);
  });

  test('with only a namespace matches guest clusters from Harvester 1.7 on', () => {
    const objects = (version: string) => [
      ...shop,
      ...web,
      ...on(
        { ...HARVESTER, harvesterVersion: version },
        vmNamespace('c-m-a:pay'),
        pool('p', ['10.0.0.0/24'], { network: VLAN, scope: [{ namespace: 'vms' }] }),
      ),
    ];
    expect(findings(objects('1.7.2'))).toEqual([]);
    expect(brief(findings(objects('1.6.1')))).toEqual(['warning load-balancer/no-pool']);
  });

  test('matches the network of the Service from Harvester 1.9 on', () => {
    const objects = (target: typeof HARVESTER) => [
      ...shop,
      ...on(GUEST, service('web', { ipam: 'pool', network: 'default/other' })),
      ...on(target, vmNamespace(), pool('p', ['10.0.0.0/24'], inShop)),
    ];
    expect(brief(findings(objects(HARVESTER)))).not.toContain('warning load-balancer/no-pool');
    expect(brief(findings(objects(HARVESTER_1_9)))).toContain('warning load-balancer/no-pool');
  });

  test.each([
    [
      'the name that the cloud provider gets',
      { chartValues: { global: { cattle: { clusterName: 'other' } } } },
      'guest cluster other',
    ],
    [
      'the network that the cloud provider gets',
      { chartValues: { extraArgs: ['--v=2', '--management-network=vlan20'] } },
      'network default/vlan20',
    ],
    [
      'the same with its namespace',
      { chartValues: { extraArgs: ['--management-network=infra/vlan20'] } },
      'network infra/vlan20',
    ],
    ['a network without a namespace, as a text', { network: 'vlan10' }, 'network vlan10,'],
  ])('gets its requirement from %s', (_, how, asked) => {
    const list = findings([
      ...on(RANCHER, ...guest('shop', how)),
      ...web,
      ...on(HARVESTER, vmNamespace(), pool('p', ['10.0.0.0/24'], inShop)),
    ]);
    expect(brief(list)).toEqual(['warning load-balancer/no-pool']);
    expect(list[0].message).toContain(asked);
  });

  test('is not known if machines are on several networks, or have an invalid configuration', () => {
    const [cluster, machines, credential] = guest();
    const pools = [
      { name: 'a', machineConfigRef: { kind: 'HarvesterConfig', name: 'nc-shop' } },
      { name: 'b', machineConfigRef: { kind: 'HarvesterConfig', name: 'nc-b' } },
    ];
    const two = {
      ...cluster,
      spec: { ...(cluster.spec as object), rkeConfig: { machinePools: pools } },
    };
    const other = {
      ...machines,
      metadata: { ...machines.metadata, name: 'nc-b' },
      networkInfo: '{"interfaces":[{"networkName":"default/vlan20"}]}',
    };
    const selector = { network: 'default/vlan30', scope: inShop.scope };
    const judge = (...list: Manifest[]) =>
      findings([
        ...on(RANCHER, credential, ...list),
        ...web,
        ...on(HARVESTER, vmNamespace(), pool('p', ['10.0.0.0/24'], selector)),
      ]);
    expect(judge(two, machines, other)).toEqual([]);
    expect(judge(cluster, { ...machines, networkInfo: '{' })).toEqual([]);
    expect(brief(judge(two, machines, { ...other, networkInfo: machines.networkInfo }))).toEqual([
      'warning load-balancer/no-pool',
    ]);
  });

  test('matches load balancers of virtual machines by their namespace', () => {
    const inVms = (network?: string) =>
      pool('p', ['10.0.0.0/24'], { network, scope: [{ ...ALL_SCOPE, namespace: 'vms' }] });
    expect(judged(inVms(), vmBalancer('lb'))).toEqual([]);
    expect(brief(judged(inVms(VLAN), vmBalancer('lb')))).toEqual(['warning load-balancer/no-pool']);
    expect(brief(judged(inVms(), vmBalancer('lb', {}, 'other')))).toEqual([
      'warning load-balancer/no-pool',
    ]);
  });

  test('with one address is exhausted by two, on the later one', () => {
    const services = on(GUEST, service('b'), service('a'));
    const list = findings([
      ...shop,
      ...services,
      ...on(HARVESTER, pool('p', ['10.0.0.9/32'], inShop)),
    ]);
    expect(brief(list)).toEqual(['warning load-balancer/pool-exhausted']);
    expect([list[0].object?.name, list[0].message]).toEqual([
      'b',
      expect.stringContaining('pool p has 1, and 2 load balancers use it'),
    ]);
    expect(
      findings([
        ...shop,
        ...services,
        ...on(
          HARVESTER,
          pool(
            'p',
            [{ subnet: '10.0.0.0/24', rangeStart: '10.0.0.8', rangeEnd: '10.0.0.9' }],
            inShop,
          ),
        ),
      ]),
    ).toEqual([]);
  });

  test('that two refer to is an error if it is exhausted', () => {
    expect(
      brief(
        judged(
          pool('p', ['10.0.0.9/32'], {}),
          vmBalancer('a', { ipPool: 'p' }),
          vmBalancer('b', { ipPool: 'p' }),
        ),
      ),
    ).toEqual(['error load-balancer/pool-exhausted']);
  });

  test('counts machines with a fixed address in it, as a warning', () => {
    const two = [{ subnet: '10.0.0.0/24', rangeStart: '10.0.0.8', rangeEnd: '10.0.0.9' }];
    const config = machineConfig({
      networkData: 'version: 2\nethernets: {enp1s0: {addresses: [10.0.0.9/24]}}\n',
    });
    const objects = on(
      HARVESTER,
      pool('p', two, {}),
      vmBalancer('a', { ipPool: 'p' }),
      vmBalancer('b', { ipPool: 'p' }),
    );
    const list = findings([...objects, ...on(RANCHER, config)]);
    expect(brief(list)).toEqual(['warning load-balancer/pool-exhausted']);
    expect(list[0].message).toContain(
      'gets no address of its own: pool p has 2, and 2 load balancers and 1 fixed addresses of machines use it',
    );
    expect(findings(objects)).toEqual([]);
  });

  test('counts addresses allocated to others', () => {
    const two = [{ subnet: '10.0.0.0/24', rangeStart: '10.0.0.8', rangeEnd: '10.0.0.9' }];
    const given = (allocated: object) =>
      on(HARVESTER, pool('p', two, inShop, { status: { allocated } }));
    const services = on(GUEST, service('a'), service('b'));
    expect(
      findings(
        [...shop, ...services],
        given({
          '10.0.0.8': 'vms/shop-default-a-0a1b2c3d',
          '10.0.0.9': 'vms/shop-default-b-0a1b2c3d',
        }),
      ),
    ).toEqual([]);
    expect(
      brief(
        findings([...shop, ...services], given({ '10.0.0.8': 'vms/other-default-a-0a1b2c3d' })),
      ),
    ).toEqual(['warning load-balancer/pool-exhausted']);
  });

  test('is not used by DHCP and shared addresses', () => {
    const services = on(
      GUEST,
      service('a'),
      service('b', { ipam: 'dhcp' }),
      service('c', { 'primary-service': 'default/a' }, { ports: [{ port: 81 }] }),
    );
    expect(
      findings([...shop, ...services, ...on(HARVESTER, pool('p', ['10.0.0.9/32'], inShop))]),
    ).toEqual([]);
  });
});
