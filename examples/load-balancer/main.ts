import {
  ClusterNetwork,
  GuestChart,
  HarvesterApp,
  HarvesterChart,
  HarvesterLoadBalancer,
  HarvesterNamespace,
  IpPool,
  IpPoolScope,
  Ipam,
  VlanConfig,
  VmLoadBalancer,
  VmNetwork,
} from 'cdk8s-harvester';

const app = new HarvesterApp();
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.8.2', vip: '10.10.0.10' });
// an existing guest cluster; its machines are in namespace shop-vms, on network shop-vms/vlan100
const shop = new GuestChart(app, 'shop', {
  version: 'v1.34.10+rke2r1',
  provisioningCluster: 'fleet-default/shop',
});

const vms = new HarvesterNamespace(dc1, 'shop-vms');
const prod = new ClusterNetwork(dc1, 'prod');
new VlanConfig(dc1, 'prod-uplinks', { clusterNetwork: prod, nics: ['eno2'] });
const vlan100 = new VmNetwork(dc1, 'vlan100', { clusterNetwork: prod, vlan: 100, namespace: vms });

// addresses for the load balancers of guest clusters in that namespace
const shared = new IpPool(dc1, 'vlan100-shop', {
  network: vlan100,
  ranges: [
    { subnet: '10.100.0.0/24', start: '10.100.0.50', end: '10.100.0.99', gateway: '10.100.0.1' },
  ],
  scopes: [IpPoolScope.namespace(vms)],
});
// a fixed address for one load balancer
const fixed = IpPool.singleAddress(dc1, 'database-address', { address: '10.10.0.20' });

new HarvesterLoadBalancer(shop, 'web', {
  ipam: Ipam.pool(shared),
  ports: [
    { port: 80, targetPort: 8080 },
    { port: 443, targetPort: 8443 },
  ],
  selector: { app: 'web' },
});
new HarvesterLoadBalancer(shop, 'dns', {
  ipam: Ipam.dhcp(),
  ports: [{ port: 53 }],
  selector: { app: 'dns' },
});

new VmLoadBalancer(dc1, 'database', {
  ipam: Ipam.pool(fixed),
  namespace: vms,
  listeners: [{ port: 5432 }],
  backendSelector: { app: ['postgres'] },
  healthCheck: { port: 5432 },
});

app.synth();
