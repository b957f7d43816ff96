import {
  ExternalTrafficPolicy,
  HarvesterLoadBalancer,
} from '../../../src/guest/balancer/harvester-load-balancer';
import {
  IngressController,
  IngressLoadBalancer,
  IngressLoadBalancerProps,
} from '../../../src/guest/balancer/ingress-load-balancer';
import { Ipam } from '../../../src/guest/balancer/service-address';
import { GuestChart } from '../../../src/guest/guest-chart';
import { filesIn, newApp } from '../../support/programs';
import { assemblyOf } from '../../support/written';

function configOf(props: IngressLoadBalancerProps, version = 'v1.34.10+rke2r1'): any {
  const app = newApp();
  const shop = new GuestChart(app, 'shop', { version });
  new IngressLoadBalancer(shop, 'ingress', props);
  app.synth();
  return shop.toJson()[0];
}

test('of ingress-nginx turns its Service on and publishes its address', () => {
  const config = configOf({
    controller: IngressController.RKE2_NGINX,
    ipam: Ipam.pool(),
    externalTrafficPolicy: ExternalTrafficPolicy.LOCAL,
  });
  expect(config).toEqual({
    apiVersion: 'helm.cattle.io/v1',
    kind: 'HelmChartConfig',
    metadata: { name: 'rke2-ingress-nginx', namespace: 'kube-system' },
    spec: { valuesContent: expect.any(String) },
  });
  expect(config.spec.valuesContent).toBe(`controller:
  publishService:
    enabled: true
  service:
    enabled: true
    type: LoadBalancer
    annotations:
      cloudprovider.harvesterhci.io/ipam: pool
    externalTrafficPolicy: Local
`);
});

test.each([
  [IngressController.RKE2_TRAEFIK, 'rke2-traefik', 'v1.34.10+rke2r1'],
  [IngressController.K3S_TRAEFIK, 'traefik', 'v1.34.4+k3s1'],
])('of Traefik gives its Service a type', (controller, name, version) => {
  const config = configOf(
    { controller, ipam: Ipam.dhcp(), externalTrafficPolicy: ExternalTrafficPolicy.LOCAL },
    version,
  );
  expect(config.metadata.name).toBe(name);
  expect(config.spec.valuesContent).toBe(`service:
  type: LoadBalancer
  annotations:
    cloudprovider.harvesterhci.io/ipam: dhcp
  spec:
    externalTrafficPolicy: Local
`);
});

test('takes further values of the chart, but not its own', () => {
  const props = { controller: IngressController.RKE2_TRAEFIK, ipam: Ipam.pool() };
  expect(
    configOf({
      ...props,
      values: { logs: { general: { level: 'INFO' } }, service: { labels: { a: 'b' } } },
    }).spec.valuesContent,
  ).toBe(`logs:
  general:
    level: INFO
service:
  labels:
    a: b
  type: LoadBalancer
  annotations:
    cloudprovider.harvesterhci.io/ipam: pool
`);
  expect(() => configOf({ ...props, values: { service: { type: 'NodePort' } } })).toThrow(
    '[shop/ingress] values.service.type: cannot be set, got "NodePort": this construct sets it. Fix: remove it',
  );
});

test('is of the distribution that the guest runs', () => {
  expect(() => configOf({ controller: IngressController.K3S_TRAEFIK, ipam: Ipam.pool() })).toThrow(
    'controller: must be an ingress controller of rke2, since the guest cluster runs v1.34.10+rke2r1, got "traefik". Fix: use one of rke2',
  );
});

test('can share its address, and exposes it', () => {
  const app = newApp();
  const shop = new GuestChart(app, 'shop', { version: 'v1.34.10+rke2r1' });
  const ingress = new IngressLoadBalancer(shop, 'ingress', {
    controller: IngressController.RKE2_NGINX,
    ipam: Ipam.pool(),
  });
  expect([ingress.serviceId, ingress.address, ingress.sharesAddress]).toEqual([
    'kube-system/rke2-ingress-nginx-controller',
    '${late:shop.ingress.address}',
    false,
  ]);
  const share = (port: number) =>
    new HarvesterLoadBalancer(shop, `port-${port}`, {
      ipam: Ipam.shareWith(ingress),
      ports: [{ port }],
      selector: { app: 'ssh' },
    });
  share(22);
  app.synth();
  // the configuration of a chart is there long before its Service has an address
  expect(assemblyOf(app).edges).toEqual([
    {
      from: 'late:shop.ingress.address',
      to: 'shop/helm.cattle.io/HelmChartConfig/kube-system/rke2-ingress-nginx',
      type: 'applied',
    },
    { from: 'shop//Service/default/port-22', to: 'late:shop.ingress.address', type: 'value' },
  ]);
  expect(filesIn(app.outdir)['shop/60-service.yaml']).toContain('name: port-22');
  share(443);
  expect(() => app.synth()).toThrow(
    /port 443 has been used in service kube-system\/rke2-ingress-nginx-controller/,
  );
});

test('is declared once for a chart', () => {
  const app = newApp();
  const shop = new GuestChart(app, 'shop', { version: 'v1.34.10+rke2r1' });
  for (const id of ['a', 'b']) {
    new IngressLoadBalancer(shop, id, {
      controller: IngressController.RKE2_NGINX,
      ipam: Ipam.pool(),
    });
  }
  expect(() => app.synth()).toThrow(/object\/duplicate/);
});
