import { App } from 'cdk8s';
import { Deployment, LabelExpression, LabelSelector } from 'cdk8s-plus-28';
import { Construct, IConstruct } from 'constructs';
import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { KindDescription } from '../../../src/core/kind/kind';
import { kindOf } from '../../../src/core/kind/kinds';
import { LateSource, LateValue } from '../../../src/core/value/late-value';
import {
  ExternalTrafficPolicy,
  HarvesterLoadBalancer,
  HarvesterLoadBalancerProps,
  IpFamily,
  IpFamilyPolicy,
  LoadBalancerProtocol,
} from '../../../src/guest/balancer/harvester-load-balancer';
import { IGuestLoadBalancer, Ipam } from '../../../src/guest/balancer/service-address';
import { GuestChart } from '../../../src/guest/guest-chart';
import { GuestNamespace } from '../../../src/guest/guest-namespace';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { IpPool, IpPoolScope } from '../../../src/harvester/ip-pool/ip-pool';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { messageOf } from '../../support/message-of';
import { configMap, newApp, newHarvester, newRancher } from '../../support/programs';
import { assemblyOf } from '../../support/written';

const PROPS: HarvesterLoadBalancerProps = {
  ipam: Ipam.pool(),
  ports: [{ port: 443 }],
  selector: { app: 'web' },
};

function newGuest(app: App, id = 'shop'): GuestChart {
  return new GuestChart(app, id, { version: 'v1.34.10+rke2r1' });
}

function serviceOf(props: Partial<HarvesterLoadBalancerProps> = {}, namespace?: string): any {
  const app = newApp();
  const shop = newGuest(app);
  new HarvesterLoadBalancer(shop, 'web', {
    ...PROPS,
    ...props,
    ...(namespace === undefined
      ? {}
      : { namespace: GuestNamespace.fromName(shop, 'namespace', { name: namespace }) }),
  });
  app.synth();
  return shop.toJson().find(({ kind }) => kind === 'Service');
}

const assembly = (app: HarvesterApp): any => {
  app.synth();
  return assemblyOf(app);
};
const annotations = (props: Partial<HarvesterLoadBalancerProps>) =>
  serviceOf(props).metadata.annotations;

describe('the Service', () => {
  test('always sets the source of its address', () => {
    expect(serviceOf()).toEqual({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name: 'web',
        namespace: 'default',
        annotations: { 'cloudprovider.harvesterhci.io/ipam': 'pool' },
      },
      spec: {
        type: 'LoadBalancer',
        selector: { app: 'web' },
        ports: [{ port: 443, targetPort: 443, protocol: 'TCP' }],
      },
    });
    expect(annotations({ ipam: Ipam.dhcp() })).toEqual({
      'cloudprovider.harvesterhci.io/ipam': 'dhcp',
    });
  });

  test('has names for its ports where there are several', () => {
    const ports = [
      { port: 80, targetPort: 8080 },
      { port: 53, protocol: LoadBalancerProtocol.UDP, targetPortName: 'dns' },
      { port: 22, name: 'ssh', nodePort: 30022 },
    ];
    expect(serviceOf({ ports }).spec.ports).toEqual([
      { name: 'tcp-80', port: 80, targetPort: 8080, protocol: 'TCP' },
      { name: 'udp-53', port: 53, targetPort: 'dns', protocol: 'UDP' },
      { name: 'ssh', port: 22, targetPort: 22, protocol: 'TCP', nodePort: 30022 },
    ]);
  });

  test('asks DHCP for an address', () => {
    expect(
      annotations({
        ipam: Ipam.dhcp({ requestedIp: '10.0.0.5', macAddress: '00:00:6c:4f:18:68' }),
      }),
    ).toEqual({
      'cloudprovider.harvesterhci.io/ipam': 'dhcp',
      'kube-vip.io/requestedIP': '10.0.0.5',
      'kube-vip.io/hwaddr': '00:00:6c:4f:18:68',
    });
  });

  test('has what else is asked for', () => {
    const service = serviceOf(
      {
        name: 'front',
        labels: { a: 'b' },
        annotations: { 'example.com/x': 'y' },
        description: 'the shop',
        externalTrafficPolicy: ExternalTrafficPolicy.LOCAL,
        ipFamilyPolicy: IpFamilyPolicy.PREFER_DUAL_STACK,
        ipFamilies: [IpFamily.IPV4, IpFamily.IPV6],
      },
      'shop',
    );
    expect(service.metadata).toEqual({
      name: 'front',
      namespace: 'shop',
      labels: { a: 'b' },
      annotations: {
        'example.com/x': 'y',
        'cloudprovider.harvesterhci.io/ipam': 'pool',
        'field.cattle.io/description': 'the shop',
      },
    });
    expect(service.spec).toMatchObject({
      externalTrafficPolicy: 'Local',
      ipFamilyPolicy: 'PreferDualStack',
      ipFamilies: ['IPv4', 'IPv6'],
    });
  });

  test('is for the pods of a workload, with labels that come later', () => {
    const app = newApp();
    const shop = newGuest(app);
    const workload = new Deployment(shop, 'web', {
      containers: [{ image: 'nginx' }],
      metadata: { namespace: 'shop' },
    });
    const lb = new HarvesterLoadBalancer(shop, 'lb', {
      ipam: Ipam.pool(),
      ports: [{ port: 80 }],
      workload,
    });
    expect(lb.serviceId).toBe('shop/lb');
    const [deployment, service] = shop.toJson();
    expect(service.spec.selector).toEqual(deployment.spec.selector.matchLabels);
    expect(Object.keys(service.spec.selector)).toHaveLength(1);
  });

  test('refuses a construct that is not a workload, and one that selects its pods by expressions', () => {
    const shop = newGuest(newApp());
    const props: HarvesterLoadBalancerProps = { ipam: Ipam.pool(), ports: [{ port: 80 }] };
    const balancer = (id: string, workload: IConstruct) => () =>
      new HarvesterLoadBalancer(shop, id, { ...props, workload });
    expect(balancer('a', new Construct(shop, 'plain'))).toThrow(
      '[shop/a] workload: must be a workload of cdk8s-plus, which has matchLabels, got "shop/plain"',
    );
    const picky = new Deployment(shop, 'picky', { containers: [{ image: 'nginx' }] });
    picky.select(LabelSelector.of({ expressions: [LabelExpression.exists('tier')] }));
    expect(balancer('b', picky)).toThrow(
      '[shop/b] workload: cannot select pods by expressions, got "shop/picky": a Service matches labels only',
    );
  });

  test.each<[Partial<HarvesterLoadBalancerProps>, string, string]>([
    [{ ports: [] }, 'ports: must contain a port', 'at least one port'],
    [
      { ports: [{ port: 70000 }] },
      'ports[0].port: must be a port from 1 to 65535, got 70000',
      '[shop/web] ports[0].port: must be a port from 1 to 65535, got 70000',
    ],
    [
      { ports: [{ port: 80, targetPort: 1, targetPortName: 'http' }] },
      'ports[0].targetPortName: cannot be combined with targetPort, got "http"',
      '[shop/web] ports[0].targetPortName: cannot be combined with targetPort, got "http"',
    ],
    [
      {
        ports: [
          { port: 80, name: 'a' },
          { port: 81, name: 'a' },
        ],
      },
      'ports[1].name: must be unique, got "a"',
      '[shop/web] ports[1].name: must be unique, got "a": another port has this name',
    ],
    [
      { ports: [{ port: 80 }, { port: 80 }] },
      'ports[1].port: must be unique per protocol, got 80',
      '[shop/web] ports[1].port: must be unique per protocol, got 80: another port has this number',
    ],
    [
      { ports: [{ port: 80, targetPortName: 'a--b' }] },
      'ports[0].targetPortName: must be a valid name of a container port, got "a--b"',
      '[shop/web] ports[0].targetPortName: must be a valid name of a container port, got "a--b"',
    ],
    [{ selector: {} }, 'selector: must select pods', 'the labels of the pods'],
    [{ name: '1web' }, 'name: must be the name of a Service, got "1web"', 'a letter first'],
    [
      { annotations: { 'cloudprovider.harvesterhci.io/ipam': 'dhcp' } },
      'annotations[cloudprovider.harvesterhci.io/ipam]: cannot be set, got "dhcp"',
      'use ipam',
    ],
    [
      { ipam: Ipam.dhcp({ requestedIp: 'x' }) },
      'ipam.requestedIp: must be an IP address, got "x"',
      '[shop/web] ipam.requestedIp: must be an IP address, got "x"',
    ],
    [
      { ipam: Ipam.dhcp({ macAddress: 'x' }) },
      'ipam.macAddress: must be a MAC address, got "x"',
      'must be a MAC address',
    ],
  ])('with %j is refused', (props, what, fix) => {
    expect(() => serviceOf(props)).toThrow(`[shop/web] ${what}`);
    expect(() => serviceOf(props)).toThrow(fix);
  });

  test('with several of these is refused with all of them at once', () => {
    const props = {
      name: '1web',
      ports: [{ port: 70000 }],
      selector: {},
      ipam: Ipam.dhcp({ requestedIp: 'x' }),
      annotations: { 'cloudprovider.harvesterhci.io/network': 'a/b' },
    };
    expect(
      messageOf(() => serviceOf(props))
        .split('\n')
        .map((line) => /^\[shop\/web\] (\S+):/.exec(line)?.[1]),
    ).toEqual([
      'name',
      'ports[0].port',
      'selector',
      'annotations[cloudprovider.harvesterhci.io/network]',
      'ipam.requestedIp',
    ]);
  });

  test('has a literal name in a literal namespace', () => {
    const late = new LateValue(newRancher(newApp()), 'late', {
      source: LateSource.text('a'),
      description: 'a name',
    }).token;
    expect(() => serviceOf({ name: late })).toThrow(/web\] name: must be a literal string/);
    const shop = newGuest(newApp());
    const inNamespace = (namespace: string) => () =>
      new HarvesterLoadBalancer(shop, namespace, {
        ipam: Ipam.pool(),
        ports: [{ port: 80 }],
        workload: new Deployment(shop, `${namespace}-pods`, {
          containers: [{ image: 'nginx' }],
          metadata: { namespace },
        }),
      });
    expect(inNamespace(late)).toThrow(/namespace: must be a literal string/);
    expect(inNamespace('a.b')).toThrow(
      '[shop/a.b] namespace: must have at most 63 characters of a-z, 0-9 and hyphens, got "a.b"',
    );
  });

  test('must be below the chart of a guest', () => {
    expect(() => new HarvesterLoadBalancer(newHarvester(newApp()), 'web', PROPS)).toThrow(
      '[dc1/web] HarvesterLoadBalancer must be in a guest target',
    );
  });
});

describe('a shared address', () => {
  const sharing = (other: IGuestLoadBalancer) => ({
    ...PROPS,
    ipam: Ipam.shareWith(other),
    ports: [{ port: 80 }],
  });

  test('is asked for without an ipam, after the Service that has it', () => {
    const app = newApp();
    const shop = newGuest(app);
    const first = new HarvesterLoadBalancer(shop, 'b', {
      ...PROPS,
      namespace: new GuestNamespace(shop, 'front'),
    });
    const second = new HarvesterLoadBalancer(shop, 'a', sharing(first));
    expect([first.sharesAddress, second.sharesAddress]).toEqual([false, true]);
    const { edges, objects } = assembly(app);
    expect(
      shop.toJson().find(({ metadata }) => metadata.name === 'a').metadata.annotations,
    ).toEqual({ 'cloudprovider.harvesterhci.io/primary-service': 'front/b' });
    expect(edges).toContainEqual({
      from: 'shop//Service/default/a',
      to: 'shop//Service/front/b',
      type: 'ready',
    });
    expect(
      kindOf<KindDescription>(objects.find(({ name }: any) => name === 'a'))!.writtenByOthers,
    ).toContain('metadata.annotations');
    expect(edges).toContainEqual({
      from: 'shop//Service/front/b',
      to: 'shop//Namespace//front',
      type: 'applied',
    });
  });

  test('is that of a Service that the program does not declare', () => {
    const app = newApp();
    const shop = newGuest(app);
    const theirs = HarvesterLoadBalancer.fromName(shop, 'theirs', {
      name: 'web',
      namespace: 'front',
    });
    new HarvesterLoadBalancer(shop, 'mine', sharing(theirs));
    configMap(shop, 'dns', { address: theirs.address });
    const { lateValues, objects } = assembly(app);
    expect(shop.toJson().find(({ kind }) => kind === 'Service').metadata.annotations).toEqual({
      'cloudprovider.harvesterhci.io/primary-service': 'front/web',
    });
    expect(lateValues[0].source).toMatchObject({
      kind: 'Service',
      namespace: 'front',
      name: 'web',
    });
    expect(objects.map(({ kind }: any) => kind).sort()).toEqual(['ConfigMap', 'Service']);
  });

  test('has each port once, over the whole program', () => {
    const app = newApp();
    const shop = newGuest(app);
    const first = new HarvesterLoadBalancer(shop, 'a', PROPS);
    new HarvesterLoadBalancer(shop, 'b', {
      ...sharing(first),
      ports: [{ port: 443, protocol: LoadBalancerProtocol.UDP }],
    });
    expect(() => app.synth()).toThrow(
      /service\/shared-port.*port 443 has been used in service default\/a/s,
    );
  });

  test('is that of a Service with one of its own, in the same cluster', () => {
    const app = newApp();
    const shop = newGuest(app);
    const first = new HarvesterLoadBalancer(shop, 'a', PROPS);
    const second = new HarvesterLoadBalancer(shop, 'b', sharing(first));
    expect(() => new HarvesterLoadBalancer(shop, 'c', sharing(second))).toThrow(
      '[shop/c] ipam: must have its own address, got "default/b": it shares the address of another Service',
    );
    expect(() => new HarvesterLoadBalancer(newGuest(app, 'other'), 'd', sharing(first))).toThrow(
      '[other/d] ipam: must be in the same guest cluster, "other", got "default/a": it is in "shop"',
    );
  });
});

describe('its address', () => {
  test('is a late value for others to use', () => {
    const app = newApp();
    const shop = newGuest(app);
    const lb = new HarvesterLoadBalancer(shop, 'web', PROPS);
    expect(lb.address).toBe('${late:shop.web.address}');
    configMap(shop, 'dns', { address: lb.address });
    const { lateValues, edges } = assembly(app);
    expect(lateValues).toEqual([
      expect.objectContaining({
        id: 'shop.web.address',
        source: expect.objectContaining({
          resolver: 'field',
          target: 'shop',
          kind: 'Service',
          namespace: 'default',
          name: 'web',
          path: 'status.loadBalancer.ingress.0.ip',
        }),
      }),
    ]);
    expect(edges).toContainEqual({
      from: 'shop//ConfigMap/default/dns',
      to: 'late:shop.web.address',
      type: 'value',
    });
  });

  test('is not a late value unless it is used', () => {
    const app = newApp();
    new HarvesterLoadBalancer(newGuest(app), 'web', PROPS);
    expect(assembly(app).lateValues).toEqual([]);
  });

  test('waits for the pool that is meant, on another cluster', () => {
    const app = newApp();
    const pool = IpPool.globalPool(newHarvester(app), 'all', {
      ranges: [{ subnet: '10.0.0.0/24' }],
    });
    new HarvesterLoadBalancer(newGuest(app), 'web', { ...PROPS, ipam: Ipam.pool(pool) });
    expect(assembly(app).edges).toContainEqual({
      from: 'shop//Service/default/web',
      to: 'dc1/loadbalancer.harvesterhci.io/IPPool//all',
      type: 'applied',
    });
  });

  test('is of a network from Harvester 1.9 on', () => {
    const build = (version: string, ipam = PROPS.ipam) => {
      const app = newApp();
      const dc1 = newHarvester(app, version);
      const network = new VmNetwork(dc1, 'vlan20', {
        clusterNetwork: ClusterNetwork.mgmt(dc1),
        vlan: 20,
      });
      new IpPool(dc1, 'pool', {
        ranges: [{ subnet: '10.0.0.0/24' }],
        network,
        scopes: [IpPoolScope.of({ namespace: 'vms' })],
      });
      const shop = newGuest(app);
      new HarvesterLoadBalancer(shop, 'web', { ...PROPS, ipam, network });
      return shop.toJson()[0].metadata.annotations;
    };
    expect(build('1.9.0')).toEqual({
      'cloudprovider.harvesterhci.io/ipam': 'pool',
      'cloudprovider.harvesterhci.io/network': 'default/vlan20',
    });
    expect(() => build('1.8.2')).toThrow(/network: .*1\.9\.0 or later, got 1\.8\.2/);
    expect(build('1.8.2', Ipam.dhcp())).toEqual({
      'cloudprovider.harvesterhci.io/ipam': 'dhcp',
      'cloudprovider.harvesterhci.io/network': 'default/vlan20',
    });
  });
});

describe('objects of another cluster are refused', () => {
  const app = newApp();
  const [harvester, other] = [newHarvester(app, '1.9.0'), newHarvester(app, '1.9.0', 'dc2')];
  const shop = new GuestChart(app, 'shop', { version: 'v1.34.10+rke2r1', harvester });
  const problem = (id: string, props: Partial<HarvesterLoadBalancerProps>): string =>
    messageOf(() => new HarvesterLoadBalancer(shop, id, { ...PROPS, ...props }));

  test('a pool', () => {
    expect(
      problem('a', { ipam: Ipam.pool(IpPool.fromName(other, 'pool', { name: 'public' })) }),
    ).toBe(
      '[shop/a] ipam: must be on the same Harvester, dc1, got "public": it is on dc2. Fix: use one on dc1',
    );
  });
  test('a network', () => {
    expect(problem('b', { network: VmNetwork.fromName(other, 'net', { name: 'lan' }) })).toBe(
      '[shop/b] network: must be on the same Harvester, dc1, got "default/lan": it is on dc2. Fix: use one on dc1',
    );
  });
  test('a workload', () => {
    const workload = new Deployment(newGuest(app, 'elsewhere'), 'web', {
      containers: [{ image: 'web' }],
    });
    expect(problem('c', { selector: undefined, workload })).toBe(
      '[shop/c] workload: must be in the same guest cluster, shop, got "elsewhere/web": it is in elsewhere. Fix: use one in shop',
    );
  });
});

test('lets in some networks only, and opens no ports on nodes', () => {
  expect(
    serviceOf({ sourceRanges: ['10.0.0.0/8'], allocateLoadBalancerNodePorts: false }).spec,
  ).toMatchObject({
    loadBalancerSourceRanges: ['10.0.0.0/8'],
    allocateLoadBalancerNodePorts: false,
  });
  expect(messageOf(() => serviceOf({ sourceRanges: ['10.0.0.0/8', '10.0.0.1'] }))).toContain(
    'sourceRanges[1]: must be a CIDR, got "10.0.0.1"',
  );
});
