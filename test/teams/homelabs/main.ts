import { ApiObject, Size } from 'cdk8s';
import {
  ArgoCdDecryption,
  CloudInit,
  CloudInitFile,
  ClusterNetwork,
  Delivery,
  Disk,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  HarvesterNamespace,
  HelmChartAddon,
  Ipam,
  IpPool,
  IpPoolScope,
  KeyPair,
  ClusterId,
  Principal,
  ProjectMember,
  RancherChart,
  SecretDelivery,
  SecretValue,
  TenantProject,
  TokenSource,
  VirtualMachine,
  VmImage,
  VmLoadBalancer,
  VmNetwork,
} from 'cdk8s-harvester';

/** What differs between the two labs. */
interface Lab {
  readonly name: string;
  readonly version: string;
  readonly vip: string;
  readonly clusterId: string;
  readonly domain: string;
  readonly vlan: number;
  readonly subnet: string;
}

const LABS: readonly Lab[] = [
  {
    name: 'home',
    version: '1.8.2',
    vip: '10.1.0.10',
    clusterId: 'c-m-homelab1',
    domain: 'home.example.com',
    vlan: 10,
    subnet: '10.1.10',
  },
  {
    name: 'garage',
    version: '1.7.2',
    vip: '10.2.0.10',
    clusterId: 'c-m-garage01',
    domain: 'garage.example.com',
    vlan: 20,
    subnet: '10.2.20',
  },
];

// Argo CD runs next to Rancher, with KSOPS in its repo server; the age key of it is in no repository
const app = new HarvesterApp({
  delivery: Delivery.argoCd({
    repository: 'https://git.example.com/labs.git',
    revision: 'main',
    namePrefix: 'labs-',
    decryption: ArgoCdDecryption.ksops(),
  }),
  secrets: SecretDelivery.sops({
    recipients: ['age1qyyappls469vacyphhuhw3m02mpjxqglxwr6gr40k67tpvfwr5dqw2vdh3'],
  }),
});
const rancher = new RancherChart(app, 'rancher', {
  version: '2.15.0',
  serverUrl: 'https://rancher.example.com',
});

for (const lab of LABS) {
  addLab(lab);
}

function addLab({ name, version, vip, clusterId, domain, vlan, subnet }: Lab): void {
  const harvester = new HarvesterChart(app, name, { version, vip });
  const cluster = new HarvesterImport(rancher, `import-${name}`, {
    harvester,
    clusterId: ClusterId.fixed(clusterId),
    registrationToken: TokenSource.value(SecretValue.fromEnv(`${name.toUpperCase()}_TOKEN`)),
  });
  new TenantProject(rancher, `apps-${name}`, {
    cluster,
    tenantNamespaces: [{ name: 'apps' }],
    members: [ProjectMember.owner(Principal.user('github_user://1234567'))],
  });
  addIngress(harvester, domain);
  addPhotos(harvester, vlan, subnet);
}

/** Certificates by DNS, and an ingress, on the Harvester itself. */
function addIngress(harvester: HarvesterChart, domain: string): void {
  const manager = new HelmChartAddon(harvester, 'cert-manager', {
    repository: 'https://charts.jetstack.io',
    chart: 'cert-manager',
    version: 'v1.19.1',
    targetNamespace: 'cert-manager',
    createNamespace: true,
    values: { crds: { enabled: true } },
  });
  new HelmChartAddon(harvester, 'traefik', {
    repository: 'https://traefik.github.io/charts',
    chart: 'traefik',
    version: '37.0.0',
    targetNamespace: 'traefik',
    createNamespace: true,
    values: {
      additionalArguments: [`--entrypoints.websecure.http.tls.domains[0].main=*.${domain}`],
      service: { type: 'ClusterIP' },
    },
  });
  const namespace = 'apps';
  const token = new ApiObject(harvester, 'cloudflare-api', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'cloudflare-api', namespace },
    stringData: { 'api-token': SecretValue.fromEnv('CLOUDFLARE_TOKEN').token },
  });
  const issuer = new ApiObject(harvester, 'issuer', {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Issuer',
    metadata: { name: 'letsencrypt', namespace },
    spec: {
      acme: {
        server: 'https://acme-v02.api.letsencrypt.org/directory',
        privateKeySecretRef: { name: 'letsencrypt-account' },
        solvers: [
          { dns01: { cloudflare: { apiTokenSecretRef: { name: token.name, key: 'api-token' } } } },
        ],
      },
    },
  });
  issuer.node.addDependency(manager);
}

/** A virtual machine for photos, whose backup key is in its user data. */
function addPhotos(harvester: HarvesterChart, vlan: number, subnet: string): void {
  const namespace = new HarvesterNamespace(harvester, 'photos');
  const network = new VmNetwork(harvester, 'lan', {
    namespace,
    clusterNetwork: ClusterNetwork.mgmt(harvester),
    vlan,
  });
  const admin = new KeyPair(harvester, 'admin', {
    namespace,
    publicKey:
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa admin@example.com',
  });
  new VirtualMachine(harvester, 'photos-vm', {
    namespace,
    cpus: 2,
    memory: Size.gibibytes(4),
    disks: [
      Disk.image(
        VmImage.fromName(harvester, 'noble', { name: 'noble', namespace: 'default' }),
        Size.gibibytes(100),
      ),
    ],
    networks: [network],
    sshKeys: [admin],
    instanceLabels: { app: 'photos' },
    cloudInit: CloudInit.of({
      packages: ['restic'],
      files: [CloudInitFile.secret('/etc/restic/password', SecretValue.fromEnv('RESTIC_PASSWORD'))],
    }),
  });
  const pool = new IpPool(harvester, 'lan-addresses', {
    network,
    ranges: [
      {
        subnet: `${subnet}.0/24`,
        start: `${subnet}.200`,
        end: `${subnet}.219`,
        gateway: `${subnet}.1`,
      },
    ],
    scopes: [IpPoolScope.namespace(namespace)],
  });
  new VmLoadBalancer(harvester, 'photos-lb', {
    namespace,
    backendSelector: { app: ['photos'] },
    ipam: Ipam.pool(pool),
    listeners: [{ port: 443, backendPort: 8443 }],
  });
}

app.synth();
