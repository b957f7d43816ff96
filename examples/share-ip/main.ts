import {
  GuestChart,
  HarvesterApp,
  HarvesterChart,
  HarvesterLoadBalancer,
  IngressController,
  IngressLoadBalancer,
  IpPool,
  Ipam,
} from 'cdk8s-harvester';

const app = new HarvesterApp();
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.8.2', vip: '10.10.0.10' });
const shop = new GuestChart(app, 'shop', {
  version: 'v1.34.10+rke2r1',
  provisioningCluster: 'fleet-default/shop',
});

const pool = IpPool.globalPool(dc1, 'all', {
  ranges: [
    { subnet: '10.100.0.0/24', start: '10.100.0.50', end: '10.100.0.99', gateway: '10.100.0.1' },
  ],
});

// the bundled ingress controller of RKE2 gets the address, for ports 80 and 443
const ingress = new IngressLoadBalancer(shop, 'ingress', {
  controller: IngressController.RKE2_NGINX,
  ipam: Ipam.pool(pool),
});

// these Services share it: each port number once, whatever the protocol
new HarvesterLoadBalancer(shop, 'git', {
  ipam: Ipam.shareWith(ingress),
  ports: [{ port: 22, targetPort: 2222 }],
  selector: { app: 'git' },
});
new HarvesterLoadBalancer(shop, 'mail', {
  ipam: Ipam.shareWith(ingress),
  ports: [{ port: 25 }, { port: 587 }],
  selector: { app: 'mail' },
});

app.synth();
