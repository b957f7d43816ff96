import { cdk8s, lib, refusalOf } from './library';
import { tempFolder } from '../support/temp';

/**
 * Programs in plain JavaScript, and each line of the message. Without checks, each of them is
 * silent, or fails where nothing names the mistake.
 */
const PROGRAMS: {
  readonly [part: string]: readonly (readonly [program: string, ...lines: string[]])[];
} = {
  'network': [
    [
      "new VmNetwork(dc1, 'prod', { clusterNetwork: mgmt, vlanId: 100 })",
      '[dc1/prod] vlanId: is not a prop of VmNetworkProps. Fix: use vlan if that is what you mean',
    ],
    [
      "new VmNetwork(dc1, 'prod', { clusterNetwork: 'mgmt', vlan: 100 })",
      '[dc1/prod] clusterNetwork: must be an IClusterNetwork, got text. Fix: use ClusterNetwork.fromName, ClusterNetwork.mgmt or new ClusterNetwork',
    ],
    [
      "new VmNetwork(dc1, 'prod', { vlan: 100 })",
      '[dc1/prod] clusterNetwork: must be set. Fix: use ClusterNetwork.fromName, ClusterNetwork.mgmt or new ClusterNetwork',
    ],
    [
      'new VmNetwork(dc1, { clusterNetwork: mgmt })',
      '[dc1] VmNetwork: id: must be text, got an object. Fix: set text',
    ],
    [
      "new VmNetwork(dc1, 'prod', { clusterNetwork: { ...mgmt }, vlan: 100 })",
      '[dc1/prod] clusterNetwork: must be an IClusterNetwork, got an object. Fix: use ClusterNetwork.fromName, ClusterNetwork.mgmt or new ClusterNetwork',
    ],
    [
      "new VmNetwork(dc1, 'prod', { clusterNetwork: mgmt, valn: 100 })",
      '[dc1/prod] valn: is not a prop of VmNetworkProps. Fix: use vlan if that is what you mean',
    ],
    [
      '[network].map(Nic.network)',
      'Nic.network: cannot take the index and the list that methods such as map pass. Fix: call it in an arrow function: (each) => …(each)',
    ],
    [
      "new VmNetwork(dc1, 'prod', { clusterNetwork: mgmt, vlan: 100, labels: { site: 5 } })",
      '[dc1/prod] labels.site: must be text, got a number. Fix: put it in quotes',
    ],
    [
      "VmNetwork.fromName(dc1, 'prod', 'prod')",
      '[dc1/prod] options: must be an object with props of ExistingNamespacedResourceOptions, got text. Fix: set an object with name',
    ],
    [
      "new VlanConfig(dc1, 'bond', { clusterNetwork: fabric, nics: 'eno1' })",
      '[dc1/bond] nics: must be a list, got text. Fix: put it in brackets: [ ]',
    ],
    [
      "new ClusterNetwork(dc1, 'storage', { labels: ['site=a'] })",
      '[dc1/storage] labels: must be an object, got a list. Fix: set an object of keys and values',
    ],
  ],
  'IP pool': [
    [
      "new IpPool(dc1, 'web', { ranges: [{ subnet: '10.10.0.0/24', first: '10.10.0.20' }] })",
      '[dc1/web] ranges[0].first: is not a prop of IpPoolRange. Fix: use subnet, end, gateway or start',
    ],
    [
      "new IpPool(dc1, 'web', { ranges: { subnet: '10.10.0.0/24' } })",
      '[dc1/web] ranges: must be a list, got an object. Fix: put it in brackets: [ ]',
    ],
    [
      "new IpPool(dc1, 'web', { range: [{ subnet: '10.10.0.0/24' }] })",
      '[dc1/web] range: is not a prop of IpPoolProps. Fix: use ranges if that is what you mean',
    ],
    [
      "new IpPool(dc1, 'web', { ranges: [{ subnet: '10.10.0.0/24' }], network: 'team-vms/prod' })",
      '[dc1/web] network: must be an IVmNetwork, got text. Fix: use new OverlayNetwork, VmNetwork.fromName or new VmNetwork',
    ],
  ],
  'image': [
    [
      "VmImage.download(dc1, 'noble', { url: 'https://example.com/noble.img', checkSum: '9f86d081884c' })",
      '[dc1/noble] checkSum: is not a prop of DownloadedImageProps. Fix: use checksum if that is what you mean',
    ],
    [
      "new VmImage(dc1, 'noble', { url: 'https://example.com/noble.img' })",
      'VmImage: cannot be created with new. Fix: use VmImage.clone, VmImage.download, VmImage.exportOf or VmImage.upload',
    ],
    [
      "VmImage.fromName(dc1, 'noble', 'noble')",
      '[dc1/noble] options: must be an object with props of ExistingVmImageOptions, got text. Fix: set an object with name',
    ],
  ],
  'tenant': [
    [
      "new TenantProject(rancher, 'payments', { cluster: harvester, quotas: { limitsCpu: Cpu.units(4) } })",
      '[rancher/payments] quotas: is not a prop of TenantProjectProps. Fix: use quota if that is what you mean',
    ],
    [
      "new TenantProject(rancher, 'payments', { cluster: harvester, quota: { limitsCpu: 4 } })",
      '[rancher/payments] quota.limitsCpu: must be a Cpu, got a number. Fix: use Cpu.millis or Cpu.units',
    ],
    [
      "new TenantProject(rancher, 'payments', { cluster: harvester, namespaces: ['payments-vms'] })",
      '[rancher/payments] namespaces: is not a prop of TenantProjectProps. Fix: use tenantNamespaces if that is what you mean',
    ],
    [
      "new TenantProject(rancher, 'payments', { cluster: harvester, tenantNamespaces: ['payments-vms'] })",
      '[rancher/payments] tenantNamespaces[0]: must be an object with props of TenantNamespaceProps, got text. Fix: set an object with name',
    ],
    [
      "new TenantProject(rancher, 'payments', { cluster: dc1 })",
      '[rancher/payments] cluster: must be an IManagedCluster, got a HarvesterChart. Fix: use new CustomCluster, GuestCluster.fromName, new GuestCluster, HarvesterImport.fromClusterId, HarvesterImport.fromDisplayName, new HarvesterImport, ImportedCluster.fromClusterId or another one',
    ],
    [
      "new TenantProject(rancher, 'payments', { cluster: harvester, members: ['local://u-ana'] })",
      '[rancher/payments] members[0]: must be a ProjectMember, got text. Fix: use ProjectMember.member, ProjectMember.of, ProjectMember.owner or ProjectMember.readOnly',
    ],
    [
      "project.addNamespace('orders', { quotas: {} })",
      '[rancher/team] addNamespace: quotas: is not a prop of TenantNamespaceOptions. Fix: use quota if that is what you mean',
    ],
    [
      "new TenantTeam(rancher, 'checkout', { cluster: harvester, owners: [Principal.user('local://u-ana'), undefined] })",
      '[rancher/checkout] owners[1]: must be a Principal, got undefined. Fix: remove it from the list',
    ],
    [
      "new TenantTeam(rancher, 'checkout', { cluster: harvester, isolation: true })",
      '[rancher/checkout] isolation: is not a prop of TenantTeamProps. Fix: use networkIsolation if that is what you mean',
    ],
  ],
  'guest cluster': [
    [
      "new GuestCluster(rancher, 'web', { ...cluster, pools: [{ ...pool, memory: '8Gi' }] })",
      '[rancher/web] pools[0].memory: must be a Size, got text. Fix: use Size.gibibytes, Size.kibibytes, Size.mebibytes, Size.pebibyte or Size.tebibytes',
    ],
    [
      "new GuestCluster(rancher, 'web', { ...cluster, pools: [{ ...pool, taint: [] }] })",
      '[rancher/web] pools[0].taint: is not a prop of MachinePool. Fix: use taints if that is what you mean',
    ],
    [
      "new GuestCluster(rancher, 'web', { ...cluster, pools: [{ ...pool, role: MachineRoles.WORKER }] })",
      '[rancher/web] pools[0].role: is not a prop of MachinePool. Fix: remove it, since roles is set',
    ],
    [
      "new GuestCluster(rancher, 'web', { ...cluster, pools: pool })",
      '[rancher/web] pools: must be a list, got an object. Fix: put it in brackets: [ ]',
    ],
    [
      "new GuestCluster(rancher, 'web', { ...cluster, cpus: 4 })",
      '[rancher/web] cpus: is not a prop of GuestClusterProps. Fix: set pools[].cpus',
    ],
    [
      "new GuestCluster(rancher, 'web', { ...cluster, upgradeStrategy: { workerDrain: { timeout: 60 } } })",
      '[rancher/web] upgradeStrategy.workerDrain.timeout: must be a Duration, got a number. Fix: use Duration.days, Duration.hours, Duration.millis, Duration.minutes, Duration.parse or Duration.seconds',
    ],
    [
      "new GuestCluster(rancher, 'web', { ...cluster, kubernetes: Kubernetes.rke2('v1.34.6+rke2r1', { cni: 'Cilium' }) })",
      'Kubernetes.rke2: cni: must be a Rke2Cni, got "Cilium". Fix: use Rke2Cni.CILIUM',
    ],
    [
      "Kubernetes.rke2('v1.34.6+rke2r1', { disabledComponents: 'rke2-ingress-nginx' })",
      'Kubernetes.rke2: disabledComponents: must be a list, got text. Fix: put it in brackets: [ ]',
    ],
    [
      "Kubernetes.k3s('v1.34.6+k3s1', { tlsSAN: ['k8s.example.com'] })",
      'Kubernetes.k3s: tlsSAN: is not a prop of K3sOptions. Fix: use tlsSans if that is what you mean',
    ],
    [
      "new GuestChart(app, 'edge', { version: 'v1.34.6+rke2r1', provisioning: 'edge' })",
      '[edge] provisioning: is not a prop of GuestChartProps. Fix: use provisioningCluster if that is what you mean',
    ],
  ],
  'virtual machine': [
    [
      'Disk.image(image, 40)',
      'Disk.image: size: must be a Size, got a number. Fix: use Size.gibibytes, Size.kibibytes, Size.mebibytes, Size.pebibyte or Size.tebibytes',
    ],
    [
      'new Disk(image)',
      'Disk: cannot be created with new. Fix: use Disk.cdRom, Disk.container, Disk.containerCdRom, Disk.empty, Disk.emptyCdRom, Disk.image or Disk.volume',
    ],
    [
      "new VirtualMachine(dc1, 'db', { ...machine, runstrategy: 'Always' })",
      '[dc1/db] runstrategy: is not a prop of VirtualMachineProps. Fix: use runStrategy if that is what you mean',
    ],
    [
      "new VirtualMachine(dc1, 'db', { ...machine, network: [network] })",
      '[dc1/db] network: is not a prop of VirtualMachineProps. Fix: remove it, since networks is set',
    ],
    [
      "new VirtualMachine(dc1, 'db', { ...machine, disks: [image] })",
      '[dc1/db] disks[0]: must be a Disk, got a VmImage. Fix: use Disk.cdRom, Disk.container, Disk.containerCdRom, Disk.empty, Disk.emptyCdRom, Disk.image or Disk.volume',
    ],
    [
      "new VirtualMachine(dc1, 'db', { ...machine, sshKeys: ['ssh-ed25519 AAAA'] })",
      '[dc1/db] sshKeys[0]: must be an IKeyPair, got text. Fix: use KeyPair.fromName or new KeyPair',
    ],
    [
      "new HarvesterVolume(dc1, 'data', { size: '40Gi' })",
      '[dc1/data] size: must be a Size, got text. Fix: use Size.gibibytes, Size.kibibytes, Size.mebibytes, Size.pebibyte or Size.tebibytes',
    ],
    [
      "new ScheduleVmBackup(dc1, 'nightly', { schedule: '0 2 * * *', virtualMachine: 'db' })",
      '[dc1/nightly] virtualMachine: must be an IVirtualMachine, got text. Fix: use VirtualMachine.fromName or new VirtualMachine',
    ],
  ],
  'cloud-init': [
    [
      "CloudInit.of({ package: ['qemu-guest-agent'] })",
      'CloudInit.of: package: is not a prop of CloudInitProps. Fix: use packages if that is what you mean',
    ],
    [
      "CloudInit.of({ packages: 'qemu-guest-agent' })",
      'CloudInit.of: packages: must be a list, got text. Fix: put it in brackets: [ ]',
    ],
    [
      "CloudInit.of({ users: [{ name: 'ana', sshKeys: ['ssh-ed25519 AAAA'] }] })",
      'CloudInit.of: users[0].sshKeys: is not a prop of CloudInitUser. Fix: use sshAuthorizedKeys if that is what you mean',
    ],
    [
      "CloudInit.of({ users: [{ name: 'ana', passwordHash: '$6$secret' }] })",
      'CloudInit.of: users[0].passwordHash: must be a SecretValue, got text. Fix: use SecretValue.fromEnv, SecretValue.fromFile, SecretValue.fromLate or SecretValue.unsafePlainText',
    ],
    [
      "CloudInit.combine(CloudInit.of({}), '#cloud-config')",
      'CloudInit.combine: parts[1]: must be a CloudInit, got text. Fix: use CloudInit.combine, CloudInit.fromYaml, CloudInit.none or CloudInit.of',
    ],
  ],
  'setting': [
    [
      "HarvesterSetting.httpProxy(dc1, 'proxy', { httpProxy: 'http://proxy:3128', noProxy: 'localhost' })",
      '[dc1/proxy] noProxy: must be a list, got text. Fix: put it in brackets: [ ]',
    ],
    [
      "HarvesterSetting.ntpServers(dc1, 'ntp', ['0.pool.ntp.org', undefined])",
      '[dc1/ntp] servers[1]: must be text, got undefined. Fix: remove it from the list',
    ],
    [
      "HarvesterSetting.backupTarget(dc1, 'backup', { endpoint: 'nfs://10.0.0.5:/backup' })",
      '[dc1/backup] target: must be a BackupTarget, got an object. Fix: use BackupTarget.nfs or BackupTarget.s3',
    ],
    [
      "HarvesterSetting.logLevel(dc1, 'log', 'verbose')",
      '[dc1/log] level: must be a HarvesterLogLevel, got "verbose". Fix: use HarvesterLogLevel.PANIC, HarvesterLogLevel.FATAL, HarvesterLogLevel.ERROR, HarvesterLogLevel.WARN, HarvesterLogLevel.INFO, HarvesterLogLevel.DEBUG or HarvesterLogLevel.TRACE',
    ],
    [
      "RancherSetting.sessionLifetime(rancher, 'session', 60)",
      '[rancher/session] lifetime: must be a Duration, got a number. Fix: use Duration.days, Duration.hours, Duration.millis, Duration.minutes, Duration.parse or Duration.seconds',
    ],
  ],
  'delivery': [
    [
      "new HarvesterApp({ outDir: 'manifests' })",
      'HarvesterApp: outDir: is not a prop of HarvesterAppProps. Fix: use outdir if that is what you mean',
    ],
    [
      "new HarvesterApp({ delivery: 'flux' })",
      'HarvesterApp: delivery: must be a Delivery, got text. Fix: use Delivery.argoCd, Delivery.fleet, Delivery.flux or Delivery.none',
    ],
    [
      "Delivery.flux({ sourceName: 'platform', interval: '10m' })",
      'Delivery.flux: interval: must be a Duration, got text. Fix: use Duration.days, Duration.hours, Duration.millis, Duration.minutes, Duration.parse or Duration.seconds',
    ],
    [
      "Delivery.argoCd({ repository: 'https://git.example.com/platform', targetRevision: 'main' })",
      'Delivery.argoCd: targetRevision: is not a prop of ArgoCdDeliveryProps. Fix: use revision if that is what you mean',
    ],
    [
      "SecretDelivery.sops({ recipients: 'age1qyyappls469vacyphhuhw3m02mpjxqglxwr6gr40k67tpvfwr5dqw2vdh3' })",
      'SecretDelivery.sops: recipients: must be a list, got text. Fix: put it in brackets: [ ]',
    ],
  ],
  'credential': [
    [
      "SecretValue.fromEnv('X', 'default')",
      'SecretValue.fromEnv: cannot take 2 arguments. Fix: set name only',
    ],
    [
      "new LocalUser(rancher, 'ana', { userName: 'ana' })",
      '[rancher/ana] userName: is not a prop of LocalUserProps. Fix: use username if that is what you mean',
    ],
    [
      "new LocalUser(rancher, 'ana', { password: 'hunter2' })",
      '[rancher/ana] password: must be a HashedPassword, got text. Fix: use HashedPassword.fromText',
    ],
    [
      "SecretValue.fromEnv(['TOKEN'])",
      'SecretValue.fromEnv: name: must be text, got a list. Fix: set text',
    ],
    [
      "new ServiceAccountKubeconfig(dc1, 'ci', { namespaces: namespace })",
      '[dc1/ci] namespaces: is not a prop of ServiceAccountKubeconfigProps. Fix: use namespace if that is what you mean',
    ],
  ],
  'app': [
    [
      "app.synth('elsewhere')",
      'HarvesterApp.synth: cannot take an argument. Fix: call it without arguments',
    ],
    [
      "new HarvesterImport(rancher, 'import-dc2', { cluster: dc2 })",
      '[rancher/import-dc2] cluster: is not a prop of HarvesterImportProps. Fix: use harvester if that is what you mean',
    ],
    [
      "new RancherChart(app, 'rancher2', { version: '2.13.8', serverUrl: 'https://r2.example.com', caCertificate: 'PEM' })",
      '[rancher2] caCertificate: is not a prop of RancherChartProps. Fix: use caCertificates if that is what you mean',
    ],
    [
      "new HarvesterChart(undefined, 'dc3', { version: '1.7.2' })",
      'HarvesterChart: scope: must be a construct, got undefined. Fix: set a construct',
    ],
    [
      "new HarvesterChart(app, 'dc3', { version: '1.7.2', VIP: '10.10.0.10' })",
      '[dc3] VIP: is not a prop of HarvesterChartProps. Fix: use vip if that is what you mean',
    ],
    ["new HarvesterChart(app, 'dc3')", '[dc3] version: must be set. Fix: set text'],
    [
      "new HarvesterImport(rancher, 'import-dc2', { harvester: dc2, clusterAgent: { toleration: [] }, agentEnvVars: ['PROXY=x'] })",
      '[rancher/import-dc2] clusterAgent.toleration: is not a prop of AgentDeployment. Fix: use tolerations if that is what you mean',
      '[rancher/import-dc2] agentEnvVars: must be an object, got a list. Fix: set an object of keys and values',
    ],
    [
      "new HarvesterImport(rancher, 'import-dc2', { harvester: dc2 }, { register: false })",
      '[rancher/import-dc2] cannot take 4 arguments. Fix: set scope, id, props only',
    ],
  ],
  'chart': [
    [
      "new HelmChartAddon(shop.chart, 'nginx', { chart: 'nginx', repository: 'https://charts.example.com', set: { replicas: 3 } })",
      '[rancher/shop/Chart/nginx] set.replicas: must be text, got a number. Fix: put it in quotes',
    ],
    [
      "new HelmChartAddon(shop.chart, 'nginx', { chart: 'nginx', repository: 'https://charts.example.com', valuesYaml: 'a: b' })",
      '[rancher/shop/Chart/nginx] valuesYaml: is not a prop of HelmChartAddonProps. Fix: use values if that is what you mean',
    ],
    [
      "new HarvesterLoadBalancer(shop.chart, 'web', { ipam: 'pool', ports: [{ port: 443 }], selector: { app: 'web' } })",
      '[rancher/shop/Chart/web] ipam: must be an Ipam, got text. Fix: use Ipam.dhcp, Ipam.pool, Ipam.shareWith or Ipam.unset',
    ],
    [
      "new HarvesterLoadBalancer(shop.chart, 'web', { ipam: Ipam.pool(), ports: [443], selector: { app: 'web' } })",
      '[rancher/shop/Chart/web] ports[0]: must be an object with props of LoadBalancerPort, got a number. Fix: set an object with port',
    ],
    [
      "new HarvesterLoadBalancer(shop.chart, 'web', { ipam: Ipam.pool(), ports: [{ port: 443, protocol: 'tcp', target: 8443 }], selector: { app: 'web' } })",
      '[rancher/shop/Chart/web] ports[0].protocol: must be a LoadBalancerProtocol, got "tcp". Fix: use LoadBalancerProtocol.TCP',
      '[rancher/shop/Chart/web] ports[0].target: is not a prop of LoadBalancerPort. Fix: use targetPort if that is what you mean',
    ],
  ],
};

/** What a program may use. */
function context(outdir: string): object {
  const app = new lib.HarvesterApp({ outdir });
  const rancher = new lib.RancherChart(app, 'rancher', {
    version: '2.13.8',
    serverUrl: 'https://rancher.example.com',
  });
  const [dc1, dc2] = ['dc1', 'dc2'].map(
    (id, index) => new lib.HarvesterChart(app, id, { version: '1.7.2', vip: `10.10.${index}.10` }),
  );
  const harvester = new lib.HarvesterImport(rancher, 'import-dc1', { harvester: dc1 });
  const [fabric, mgmt] = [new lib.ClusterNetwork(dc1, 'fabric'), lib.ClusterNetwork.mgmt(dc1)];
  const project = new lib.TenantProject(rancher, 'team', {
    cluster: harvester,
    tenantNamespaces: [{ name: 'team-vms' }],
  });
  const namespace = project.declaredNamespace('team-vms');
  const image = lib.VmImage.download(dc1, 'image', { url: 'https://example.com/noble.img' });
  const network = new lib.VmNetwork(dc1, 'network', { clusterNetwork: mgmt, vlan: 100 });
  const machine = {
    cpus: 4,
    memory: cdk8s.Size.gibibytes(8),
    disks: [lib.Disk.image(image, cdk8s.Size.gibibytes(40))],
    networks: [network],
  };
  const pool = { name: 'all', quantity: 3, roles: lib.MachineRoles.ALL, ...machine };
  const cluster = {
    harvesterImport: harvester,
    vmNamespace: namespace,
    kubernetes: lib.Kubernetes.rke2('v1.34.6+rke2r1'),
    pools: [pool],
  };
  const shop = new lib.GuestCluster(rancher, 'shop', cluster);
  const { Size } = cdk8s;
  return {
    Size,
    app,
    rancher,
    dc1,
    dc2,
    harvester,
    fabric,
    mgmt,
    project,
    namespace,
    image,
    network,
    machine,
    pool,
    cluster,
    shop,
  };
}

const outdir = tempFolder();

function run(program: string): unknown {
  const names = {
    ...context(outdir),
    ...Object.fromEntries(Object.keys(lib as object).map((name) => [name, lib[name]])),
  };
  return new Function(...Object.keys(names), program)(...Object.values(names));
}

describe.each(Object.entries(PROGRAMS))('a program with a mistake in: %s', (_, programs) => {
  test.each(programs)('is refused: %s', (program, ...lines) => {
    expect(refusalOf(() => run(program))?.split('\n')).toEqual(lines);
  });
});
