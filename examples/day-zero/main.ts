import { Size } from 'cdk8s';
import {
  CloudInit,
  CloudInitCommand,
  CloudInitFile,
  ClusterNetwork,
  Disk,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  HarvesterNamespace,
  Ipam,
  IpPool,
  IpPoolScope,
  KeyPair,
  ClusterId,
  RancherChart,
  VirtualMachine,
  VmImage,
  VmLoadBalancer,
  VmNetwork,
} from 'cdk8s-harvester';
import { HarvesterSetting } from 'cdk8s-harvester/settings';

const app = new HarvesterApp();
const dc1 = new HarvesterChart(app, 'dc1', { version: '1.8.2', vip: '10.10.0.10' });

// 1. what an empty Harvester needs first: `apply --target dc1`
HarvesterSetting.ntpServers(dc1, 'ntp', ['0.pool.ntp.org', '1.pool.ntp.org']);
const namespace = new HarvesterNamespace(dc1, 'platform');
const network = new VmNetwork(dc1, 'platform-net', {
  namespace,
  clusterNetwork: ClusterNetwork.mgmt(dc1),
  vlan: 10,
});
const image = VmImage.download(dc1, 'noble', {
  url: 'https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img',
});
const admin = new KeyPair(dc1, 'admin', {
  namespace,
  publicKey:
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa admin@example.com',
});

// 2. a machine that installs K3s and Rancher, and an address for it; the name rancher.example.com is
// the address of the load balancer
const pool = new IpPool(dc1, 'platform-addresses', {
  network,
  ranges: [
    {
      subnet: '10.10.10.0/24',
      start: '10.10.10.20',
      end: '10.10.10.29',
      gateway: '10.10.10.1',
    },
  ],
  scopes: [IpPoolScope.namespace(namespace)],
});
// K3s installs the charts of the folder with this file
const charts = `apiVersion: helm.cattle.io/v1
kind: HelmChart
metadata: { name: cert-manager, namespace: kube-system }
spec:
  repo: https://charts.jetstack.io
  chart: cert-manager
  version: v1.18.2
  targetNamespace: cert-manager
  createNamespace: true
  set: { crds.enabled: "true" }
---
apiVersion: helm.cattle.io/v1
kind: HelmChart
metadata: { name: rancher, namespace: kube-system }
spec:
  repo: https://releases.rancher.com/server-charts/stable
  chart: rancher
  version: 2.15.0
  targetNamespace: cattle-system
  createNamespace: true
  set: { hostname: rancher.example.com, replicas: "1" }
`;
new VirtualMachine(dc1, 'rancher-vm', {
  namespace,
  cpus: 4,
  memory: Size.gibibytes(16),
  disks: [Disk.image(image, Size.gibibytes(80))],
  networks: [network],
  sshKeys: [admin],
  instanceLabels: { app: 'rancher' },
  cloudInit: CloudInit.of({
    files: [CloudInitFile.text('/var/lib/rancher/k3s/server/manifests/rancher.yaml', charts)],
    runCommands: [
      CloudInitCommand.shell(
        'curl -sfL https://get.k3s.io | INSTALL_K3S_VERSION=v1.33.6+k3s1 sh -s - --tls-san rancher.example.com',
      ),
    ],
  }),
});
new VmLoadBalancer(dc1, 'rancher-lb', {
  namespace,
  backendSelector: { app: ['rancher'] },
  ipam: Ipam.pool(pool),
  listeners: [{ port: 80 }, { port: 443 }, { port: 6443 }],
});

// 3. once Rancher answers: `apply`, which imports the Harvester that Rancher runs on
const rancher = new RancherChart(app, 'rancher', {
  version: '2.15.0',
  serverUrl: 'https://rancher.example.com',
});
new HarvesterImport(rancher, 'import-dc1', {
  harvester: dc1,
  clusterId: ClusterId.fixed('c-m-harvdc01'),
});

app.synth();
