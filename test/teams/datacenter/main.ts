import { readdirSync, readFileSync } from 'fs';
import { basename, join } from 'path';
import { Duration, Size } from 'cdk8s';
import {
  CloudInit,
  CloudInitCommand,
  CloudInitFile,
  CloudInitSecret,
  ClusterNetwork,
  Disk,
  GuestCluster,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  HarvesterNamespace,
  HarvesterUiExtension,
  HelmChartConfig,
  IKeyPair,
  IVmImage,
  IVmNetwork,
  Ipam,
  IpPool,
  KeyPair,
  Kubernetes,
  MachineRoles,
  Nic,
  RancherChart,
  SecretValue,
  VirtualMachine,
  VmImage,
  VmLoadBalancer,
  VmNetwork,
  VmRunStrategy,
} from 'cdk8s-harvester';
import { RancherFeature } from 'cdk8s-harvester/settings';

/** A data center: a Harvester, with the Rancher that runs on it. */
interface Site {
  readonly harvester: { readonly version: string; readonly vip: string };
  readonly rancher: { readonly version: string; readonly host: string; readonly nodes: number };
  readonly idSalt: string;
  readonly addresses: {
    readonly subnet: string;
    readonly start: string;
    readonly end: string;
    readonly gateway: string;
  };
  readonly vlan: number;
  /** Databases by name, with the number of their machines. */
  readonly databases: { readonly [name: string]: number };
  readonly tenants: readonly {
    readonly name: string;
    readonly kubernetes: string;
    readonly workers: number;
  }[];
}

/** What all machines of a data center share. */
interface Base {
  readonly image: IVmImage;
  readonly admin: IKeyPair;
  readonly network: IVmNetwork;
}

const SITES = join(__dirname, 'sites');

/** Writes one data center to an output folder of its own. */
function writeSite(name: string): void {
  const site = JSON.parse(readFileSync(join(SITES, `${name}.json`), 'utf8')) as Site;
  const app = new HarvesterApp({ outdir: join('dist', name), idSalt: site.idSalt });
  const dc = new HarvesterChart(app, 'dc', site.harvester);
  const base = {
    image: VmImage.download(dc, 'jammy', {
      url: 'https://cloud-images.ubuntu.com/jammy/current/jammy-server-cloudimg-amd64.img',
    }),
    admin: new KeyPair(dc, 'rancher-ssh-key', {
      publicKey:
        'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa admin@example.com',
    }),
    network: new VmNetwork(dc, 'servers', {
      clusterNetwork: ClusterNetwork.mgmt(dc),
      vlan: site.vlan,
    }),
  };
  addRancher(dc, site, base);
  for (const [database, nodes] of Object.entries(site.databases)) {
    addDatabase(dc, base, database, nodes);
  }
  const rancher = new RancherChart(app, 'rancher', {
    version: site.rancher.version,
    serverUrl: `https://${site.rancher.host}`,
  });
  new RancherFeature(rancher, 'harvester-baremetal-container-workload', { enabled: true });
  new HarvesterUiExtension(rancher, 'ui');
  const cluster = new HarvesterImport(rancher, 'import-dc', { harvester: dc });
  for (const tenant of site.tenants) {
    addTenant(rancher, dc, cluster, tenant, base);
  }
  app.synth();
}

/** Rancher on machines of the Harvester that it imports, behind one address. */
function addRancher(dc: HarvesterChart, { rancher, addresses }: Site, base: Base): void {
  const cloudInit = new CloudInitSecret(dc, 'rancher-cloudinit', {
    cloudInit: CloudInit.of({
      packages: ['qemu-guest-agent', 'curl'],
      files: [
        CloudInitFile.secret('/etc/rancher/bootstrap', SecretValue.fromEnv('RANCHER_PASSWORD')),
      ],
      runCommands: [
        CloudInitCommand.shell(
          `curl -sfL https://get.rke2.io | sh - && systemctl enable --now rke2-server && install-rancher ${rancher.host}`,
        ),
      ],
    }),
  });
  for (let index = 0; index < rancher.nodes; index++) {
    new VirtualMachine(dc, `rancher-${index}`, {
      cpus: 4,
      memory: Size.gibibytes(16),
      disks: [Disk.image(base.image, Size.gibibytes(40))],
      nics: [Nic.management()],
      sshKeys: [base.admin],
      cloudInitSecret: cloudInit,
      runStrategy: VmRunStrategy.RERUN_ON_FAILURE,
      instanceLabels: { app: 'rancher' },
    });
  }
  new VmLoadBalancer(dc, 'rancher-lb', {
    backendSelector: { app: ['rancher'] },
    ipam: Ipam.pool(new IpPool(dc, 'rancher-ips', { ranges: [addresses] })),
    listeners: [{ port: 443 }, { port: 80 }],
    healthCheck: {
      port: 443,
      period: Duration.seconds(10),
      timeout: Duration.seconds(5),
      successThreshold: 1,
      failureThreshold: 3,
    },
  });
  // machines and pods of the Harvester find Rancher by its name
  const hosts = `${addresses.start} ${rancher.host}\nfallthrough`;
  new HelmChartConfig(dc, 'rke2-coredns', {
    values: {
      servers: [
        { zones: [{ zone: '.' }], port: 53, plugins: [{ name: 'hosts', configBlock: hosts }] },
      ],
    },
  });
}

/** A database on several machines, of which the first one is the primary. */
function addDatabase(dc: HarvesterChart, base: Base, name: string, nodes: number): void {
  const password = SecretValue.fromEnv(`${name.toUpperCase()}_PASSWORD`);
  for (let index = 0; index < nodes; index++) {
    new VirtualMachine(dc, `${name}-node-${index}`, {
      cpus: 2,
      memory: Size.gibibytes(8),
      disks: [Disk.image(base.image, Size.gibibytes(60))],
      networks: [base.network],
      sshKeys: [base.admin],
      runStrategy: VmRunStrategy.RERUN_ON_FAILURE,
      cloudInit: CloudInit.of({
        packages: ['qemu-guest-agent', 'postgresql'],
        files: [CloudInitFile.secret('/etc/postgresql/password', password)],
        runCommands: [
          CloudInitCommand.exec('setup-postgresql', index === 0 ? 'primary' : 'standby'),
        ],
      }),
    });
  }
}

function addTenant(
  rancher: RancherChart,
  dc: HarvesterChart,
  cluster: HarvesterImport,
  { name, kubernetes, workers }: Site['tenants'][number],
  { image, network }: Base,
): void {
  const machines = {
    cpus: 2,
    memory: Size.gibibytes(4),
    disks: [Disk.image(image, Size.gibibytes(40))],
    networks: [network],
  };
  new GuestCluster(rancher, name, {
    harvesterImport: cluster,
    vmNamespace: new HarvesterNamespace(dc, `${name}-vms`),
    kubernetes: Kubernetes.rke2(kubernetes),
    pools: [
      { name: 'control', quantity: 1, roles: MachineRoles.CONTROL_PLANE_ETCD, ...machines },
      { name: 'workers', quantity: workers, roles: MachineRoles.WORKER, ...machines },
    ],
  });
}

for (const name of readdirSync(SITES)
  .map((file) => basename(file, '.json'))
  .sort()) {
  writeSite(name);
}
