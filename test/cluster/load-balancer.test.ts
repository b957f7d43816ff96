import { Duration } from 'cdk8s';
import { Client } from './client';
import { clientOf, describeCluster } from './clusters';
import { newestDefinition } from './definitions';
import { HarvesterApp } from '../../src/core/app/harvester-app';
import { Manifest } from '../../src/core/manifest/manifest';
import {
  ExternalTrafficPolicy,
  HarvesterLoadBalancer,
  LoadBalancerProtocol,
} from '../../src/guest/balancer/harvester-load-balancer';
import {
  IngressController,
  IngressLoadBalancer,
} from '../../src/guest/balancer/ingress-load-balancer';
import { Ipam } from '../../src/guest/balancer/service-address';
import { GuestChart } from '../../src/guest/guest-chart';
import { ClusterNetwork } from '../../src/harvester/cluster-network/cluster-network';
import { HarvesterChart } from '../../src/harvester/harvester-chart';
import { IpPool, IpPoolScope } from '../../src/harvester/ip-pool/ip-pool';
import {
  IPAM_MODES,
  WORKLOAD_CLUSTER,
  WORKLOAD_VM,
} from '../../src/harvester/load-balancer/load-balancer.kind';
import { VmLoadBalancer } from '../../src/harvester/load-balancer/vm-load-balancer';
import { VmNetwork } from '../../src/harvester/network/vm-network';
import { tempFolder } from '../support/temp';

/** Creates, without leaving anything. */
async function create(client: Client, manifest: Manifest): Promise<string> {
  const path = (await client.pathOf(manifest)).replace(/\/[^/]+$/, '');
  const { status, body } = await client.request('POST', path, {
    query: { dryRun: 'All', fieldValidation: 'Strict' },
    body: manifest,
  });
  return status < 300 ? 'taken' : body.message;
}

function platform(): { harvester: Manifest[]; guest: Manifest[] } {
  const app = new HarvesterApp({ outdir: tempFolder(), printWarnings: false });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.9.0' });
  const shop = new GuestChart(app, 'shop', { version: 'v1.34.10+rke2r1' });
  const network = new VmNetwork(dc1, 'vlan10', {
    clusterNetwork: ClusterNetwork.mgmt(dc1),
    vlan: 10,
  });
  const pool = new IpPool(dc1, 'pool', {
    description: 'all fields',
    ranges: [{ subnet: '10.0.0.0/24', start: '10.0.0.10', end: '10.0.0.20', gateway: '10.0.0.1' }],
    network,
    scopes: [IpPoolScope.of({ project: 'c-m-a/p', namespace: 'vms', guestCluster: 'shop' })],
    priority: 3,
  });
  IpPool.singleAddress(dc1, 'one', { address: '10.1.0.5' });
  IpPool.globalPool(dc1, 'all', { ranges: [{ subnet: '10.2.0.0/24' }] });
  new VmLoadBalancer(dc1, 'lb', {
    ipam: Ipam.pool(pool),
    description: 'all fields',
    listeners: [
      { port: 80, backendPort: 8080, name: 'http' },
      { port: 53, protocol: LoadBalancerProtocol.UDP },
    ],
    backendSelector: { app: ['web', 'front'] },
    healthCheck: {
      port: 8080,
      successThreshold: 1,
      failureThreshold: 1,
      period: Duration.seconds(5),
      timeout: Duration.seconds(3),
    },
  });
  const ports = [
    { port: 80, targetPortName: 'http' },
    { port: 53, protocol: LoadBalancerProtocol.UDP, nodePort: 30053 },
  ];
  const web = new HarvesterLoadBalancer(shop, 'web', {
    ipam: Ipam.pool(pool),
    network,
    ports,
    selector: { app: 'web' },
    description: 'all fields',
    externalTrafficPolicy: ExternalTrafficPolicy.LOCAL,
  });
  new HarvesterLoadBalancer(shop, 'shared', {
    ipam: Ipam.shareWith(web),
    ports: [{ port: 81 }],
    selector: { app: 'web' },
  });
  for (const controller of [IngressController.RKE2_NGINX, IngressController.RKE2_TRAEFIK]) {
    new IngressLoadBalancer(shop, controller.chart, { controller, ipam: Ipam.dhcp() });
  }
  return { harvester: dc1.toJson(), guest: shop.toJson() };
}

describeCluster('load balancers and pools', () => {
  const objects = platform();

  test.each(
    objects.harvester.map((manifest) => [manifest.kind, manifest.metadata.name, manifest] as const),
  )('a Harvester takes %s %s, every field of it', async (_, __, manifest) => {
    expect(await create(clientOf('harvester'), manifest)).toBe('taken');
  });

  test.each(
    objects.guest.map((manifest) => [manifest.kind, manifest.metadata.name, manifest] as const),
  )('a guest cluster takes %s %s, every field of it', async (_, __, manifest) => {
    expect(await create(clientOf('guest'), manifest)).toBe('taken');
  });

  test('the ways to get an address, and what is balanced, are those of the definition', () => {
    const [version] = newestDefinition('loadbalancer.harvesterhci.io/v1beta1/LoadBalancer').spec
      .versions;
    const { properties } = version.schema.openAPIV3Schema.properties.spec;
    expect(properties.ipam.enum).toEqual(IPAM_MODES);
    expect(properties.workloadType.enum).toEqual([WORKLOAD_VM, WORKLOAD_CLUSTER]);
  });

  test('another way to get an address is refused in the words of the rule', async () => {
    const lb = objects.harvester.find(({ kind }) => kind === 'LoadBalancer') as Manifest & {
      spec: object;
    };
    expect(
      await create(clientOf('harvester'), { ...lb, spec: { ...lb.spec, ipam: 'ippool' } }),
    ).toContain('spec.ipam: Unsupported value: "ippool": supported values: "pool", "dhcp"');
  });

  test('the scope of the documentation, a mapping, is refused', async () => {
    const pool = objects.harvester.find(({ kind }) => kind === 'IPPool') as Manifest & {
      spec: object;
    };
    const message = await create(clientOf('harvester'), {
      ...pool,
      spec: { ...pool.spec, selector: { scope: { project: 'product' } } },
    });
    expect(message).toContain('spec.selector.scope');
  });
});
