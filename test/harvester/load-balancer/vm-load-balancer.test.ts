import { Duration } from 'cdk8s';
import {
  HarvesterLoadBalancer,
  LoadBalancerProtocol,
} from '../../../src/guest/balancer/harvester-load-balancer';
import { Ipam } from '../../../src/guest/balancer/service-address';
import { GuestChart } from '../../../src/guest/guest-chart';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { IpPool } from '../../../src/harvester/ip-pool/ip-pool';
import {
  VmListener,
  VmLoadBalancer,
  VmLoadBalancerProps,
} from '../../../src/harvester/load-balancer/vm-load-balancer';
import { messageOf } from '../../support/message-of';
import { newApp, newHarvester } from '../../support/programs';
import { assemblyOf } from '../../support/written';

const PROPS: VmLoadBalancerProps = {
  ipam: Ipam.dhcp(),
  listeners: [{ port: 443 }],
  backendSelector: { app: ['web'] },
};
const SHARED = Ipam.shareWith(
  HarvesterLoadBalancer.fromName(
    new GuestChart(newApp(), 'shop', { version: 'v1.33.6+rke2r1' }),
    'a',
    { name: 'a' },
  ),
);

function balancerOf(props: Partial<VmLoadBalancerProps> = {}): any {
  const app = newApp();
  const dc1 = newHarvester(app);
  new VmLoadBalancer(dc1, 'web', { ...PROPS, ...props });
  app.synth();
  return dc1.toJson()[0];
}

test('writes listeners by protocol and port, without a health check', () => {
  expect(balancerOf()).toEqual({
    apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
    kind: 'LoadBalancer',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      workloadType: 'vm',
      ipam: 'dhcp',
      listeners: [{ name: 'tcp-443', port: 443, protocol: 'TCP', backendPort: 443 }],
      backendServerSelector: { app: ['web'] },
    },
  });
});

test('writes the description for both the form and the list of the UI', () => {
  const { metadata, spec } = balancerOf({ description: 'the shop' });
  expect([metadata.annotations, spec.description]).toEqual([
    { 'field.cattle.io/description': 'the shop' },
    'the shop',
  ]);
});

test('writes the thresholds that the server would fill in', () => {
  const listeners = [
    { port: 80, backendPort: 8080 },
    { port: 53, protocol: LoadBalancerProtocol.UDP, name: 'dns' },
  ];
  const { spec } = balancerOf({ listeners, healthCheck: { port: 8080 } });
  expect(spec.listeners[1]).toEqual({ name: 'dns', port: 53, protocol: 'UDP', backendPort: 53 });
  expect(spec.healthCheck).toEqual({
    port: 8080,
    successThreshold: 2,
    failureThreshold: 2,
    periodSeconds: 1,
    timeoutSeconds: 1,
  });
  const own = {
    port: 8080,
    successThreshold: 1,
    failureThreshold: 3,
    period: Duration.minutes(1),
    timeout: Duration.seconds(3),
  };
  expect(balancerOf({ listeners, healthCheck: own }).spec.healthCheck).toEqual({
    port: 8080,
    successThreshold: 1,
    failureThreshold: 3,
    periodSeconds: 60,
    timeoutSeconds: 3,
  });
});

test('refers to its pool, and waits for it and its namespace', () => {
  const app = newApp();
  const dc1 = newHarvester(app);
  const pool = IpPool.singleAddress(dc1, 'one', { address: '10.0.0.5' });
  const lb = new VmLoadBalancer(dc1, 'lb', {
    ...PROPS,
    ipam: Ipam.pool(pool),
    namespace: new HarvesterNamespace(dc1, 'vms'),
  });
  expect(lb.address).toBe('${late:dc1.lb.address}');
  expect(lb.address).toBe(lb.address);
  app.synth();
  expect(dc1.toJson().find(({ kind }) => kind === 'LoadBalancer')).toMatchObject({
    metadata: { name: 'lb', namespace: 'vms' },
    spec: { ipam: 'pool', ipPool: 'one' },
  });
  const { edges, lateValues } = assemblyOf(app);
  expect(edges).toEqual(
    expect.arrayContaining(
      ['IPPool//one', '/Namespace//vms'].map((to) =>
        expect.objectContaining({
          from: 'dc1/loadbalancer.harvesterhci.io/LoadBalancer/vms/lb',
          to: expect.stringContaining(to),
        }),
      ),
    ),
  );
  expect(lateValues[0].source).toMatchObject({
    resolver: 'field',
    kind: 'LoadBalancer',
    namespace: 'vms',
    name: 'lb',
    path: 'status.address',
  });
});

test.each([
  [
    { listeners: [] },
    'listeners: must contain a listener',
    'the loadbalancer needs to have at least one listener',
  ],
  [
    { listeners: [{ port: 0 }] },
    'listeners[0].port: must be a port from 1 to 65535, got 0',
    'listener port 0 must >= 1',
  ],
  [
    { listeners: [{ port: 80 }, { port: 80 }] },
    'listeners[1].port: must be unique per protocol, got 80',
    'listener tcp-80 has duplicate port TCP:80 with listener tcp-80',
  ],
  [
    { healthCheck: { port: 80 } },
    'healthCheck.port: must be the backend port of a TCP listener, got 80',
    'healthcheck port 80 is not in listener backend port list',
  ],
  [
    { healthCheck: { port: 443, successThreshold: 0 } },
    'healthCheck.successThreshold: must be a whole number of 1 or more, got 0',
    'must be a whole number of 1 or more',
  ],
  [
    { healthCheck: { port: 443, period: Duration.millis(500) } },
    'healthCheck.period: must be a whole number of 1 or more, got 0.5',
    'must be a whole number of 1 or more',
  ],
  [
    { ipam: SHARED },
    'ipam: cannot share the address of a Service',
    'use Ipam.pool() or Ipam.dhcp()',
  ],
  [
    { ipam: Ipam.dhcp({ requestedIp: '10.0.0.5' }) },
    'ipam: cannot request an address from DHCP, got {"requestedIp":"10.0.0.5"}',
    'without options',
  ],
  [
    { name: '1web' },
    'name: must be a valid name of a Service, since Harvester creates one of that name, got "1web"',
    'with a letter first',
  ],
  [
    { listeners: [{ port: 80, name: 'HTTP' }] },
    'listeners[0].name: must be a valid name of a port, since Harvester creates a port of a Service for it, got "HTTP"',
    'use at most 63',
  ],
  [
    { listeners: [{ port: 80, protocol: 'http' as LoadBalancerProtocol }] },
    'listeners[0].protocol: must be a protocol of a Service, got "http"',
    'set TCP or UDP',
  ],
  [
    { listeners: [{} as VmListener] },
    'listeners[0].port: must be set',
    'set port and backendPort of every listener',
  ],
  [
    { backendSelector: { app: [] } },
    'backendSelector[app]: must contain a value',
    'add the values of the label',
  ],
  [
    { backendSelector: { 'a b': ['web'] } },
    'backendSelector[a b]: must be a valid label name',
    'otherwise no VM matches',
  ],
])('refuses %j', (props, what, fix) => {
  expect(() => balancerOf(props)).toThrow(`[dc1/web] ${what.split(':')[0]}`);
  expect(() => balancerOf(props)).toThrow(what);
  expect(() => balancerOf(props)).toThrow(fix);
});

test('reports each problem of a mode or a number once', () => {
  const wrong = { ipam: SHARED, healthCheck: { port: 443, failureThreshold: -1 } };
  expect(messageOf(() => balancerOf(wrong)).split('\n')).toEqual([
    expect.stringContaining('[dc1/web] ipam: cannot share'),
    expect.stringContaining(
      '[dc1/web] healthCheck.failureThreshold: must be a whole number of 1 or more, got -1',
    ),
  ]);
});

test('accepts an empty selector, which a rule warns of', () => {
  expect(balancerOf({ backendSelector: {} }).spec.backendServerSelector).toEqual({});
});

test('refuses a pool of another Harvester', () => {
  const app = newApp();
  const [dc1, dc2] = ['dc1', 'dc2'].map((id) => newHarvester(app, '1.7.2', id));
  const pool = IpPool.fromName(dc2, 'p', { name: 'prod' });
  expect(() => new VmLoadBalancer(dc1, 'lb', { ...PROPS, ipam: Ipam.pool(pool) })).toThrow(
    'ipam: must be on the same Harvester, dc1, got "prod": it is on dc2',
  );
});

test('refers to an existing load balancer and its address', () => {
  const app = newApp();
  const dc1 = newHarvester(app);
  const balancer = VmLoadBalancer.fromName(dc1, 'web', { name: 'shop', namespace: 'vms' });
  expect(balancer.address).toBe(balancer.address);
  app.synth();
  expect(dc1.toJson()).toEqual([]);
  expect(assemblyOf(app).lateValues).toMatchObject([
    {
      description: 'address of load balancer vms/shop',
      source: {
        target: 'dc1',
        kind: 'LoadBalancer',
        namespace: 'vms',
        name: 'shop',
        path: 'status.address',
      },
    },
  ]);
});
