import { Duration, Size } from 'cdk8s';
import * as library from '../../../src';
import { Cpu } from '../../../src/rancher/quota/cpu';

/** A team of the platform. */
export interface Team {
  /** The ID of its construct, if it is not its name. */
  readonly id?: string;
  readonly site: string;
  readonly owners: readonly string[];
  readonly creators?: readonly string[];
  readonly namespaces: readonly string[];
  readonly cpus: number;
}

/** A guest cluster of a team. */
export interface Guest {
  readonly team: string;
  readonly namespace: string;
  readonly kubernetes: string;
  readonly workers: number;
  readonly memory?: number;
}

/** A virtual machine. */
export interface Machine {
  readonly site: string;
  readonly namespace: string;
  readonly memory: number;
  readonly isBackedUp: boolean;
}

/** What a commit of the program can change. */
export interface Platform {
  readonly rancher: string;
  readonly idSalt?: string;
  readonly sites: { readonly [name: string]: string };
  readonly teams: { readonly [name: string]: Team };
  readonly guests: { readonly [name: string]: Guest };
  readonly machines: { readonly [name: string]: Machine };
  readonly accepted?: readonly string[];
  /** More of the program. */
  readonly more?: (app: library.HarvesterApp, charts: Charts) => void;
  readonly delivery?: library.Delivery;
}

/** The charts of a platform. */
export interface Charts {
  readonly rancher: library.RancherChart;
  readonly sites: { readonly [name: string]: library.HarvesterChart };
}

const sso = (group: string): library.Principal =>
  library.Principal.groupOf(library.AuthProvider.KEYCLOAK_OIDC, group);

/** Two Harvesters, four teams, two guest clusters, machines with backups, and a login. */
export const PLATFORM: Platform = {
  rancher: '2.14.4',
  sites: { fra: '1.7.2', ber: '1.7.2' },
  teams: {
    plant: { site: 'fra', owners: ['plant-leads'], namespaces: ['plant'], cpus: 64 },
    ml: { site: 'fra', owners: ['ml-leads'], creators: ['ml'], namespaces: ['ml'], cpus: 96 },
    search: {
      site: 'fra',
      owners: ['search-leads'],
      namespaces: ['search', 'search-dev'],
      cpus: 32,
    },
    office: { site: 'ber', owners: ['office-leads'], namespaces: ['office'], cpus: 16 },
  },
  guests: {
    shop: { team: 'plant', namespace: 'plant', kubernetes: 'v1.33.6+rke2r1', workers: 2 },
    vision: { team: 'ml', namespace: 'ml', kubernetes: 'v1.33.6+rke2r1', workers: 3 },
  },
  machines: {
    'plc-gateway': { site: 'fra', namespace: 'plant', memory: 8, isBackedUp: true },
    'files': { site: 'ber', namespace: 'office', memory: 16, isBackedUp: true },
  },
};

/** Writes the output of a platform, and returns its folder. */
export function written(platform: Platform, outdir: string): string {
  const app = new library.HarvesterApp({
    outdir,
    printWarnings: false,
    idSalt: platform.idSalt,
    delivery: platform.delivery,
  });
  declare(app, platform);
  app.synth();
  return outdir;
}

function declare(app: library.HarvesterApp, platform: Platform): void {
  const rancher = new library.RancherChart(app, 'rancher', {
    version: platform.rancher,
    serverUrl: 'https://rancher.example.com',
  });
  new library.auth.OidcAuthConfig(rancher, 'sso', {
    provider: library.AuthProvider.KEYCLOAK_OIDC,
    clientId: 'rancher',
    issuer: 'https://sso.example.com/realms/platform',
    access: library.auth.AuthAccess.RESTRICTED,
    allowedPrincipals: [sso('platform'), ...Object.keys(platform.teams).map(sso)],
    groupSearchEnabled: true,
  });
  const sites = Object.fromEntries(
    Object.entries(platform.sites).map(([name, version], index) => [
      name,
      new library.HarvesterChart(app, name, { version, vip: `10.1${index}.0.10` }),
    ]),
  );
  const imports = Object.fromEntries(
    Object.entries(sites).map(([name, harvester]) => [
      name,
      new library.HarvesterImport(rancher, `import-${name}`, { harvester }),
    ]),
  );
  const shared = Object.fromEntries(
    Object.entries(sites).map(([name, harvester]) => {
      library.settings.HarvesterSetting.ntpServers(harvester, 'ntp', [
        '0.pool.ntp.org',
        '1.pool.ntp.org',
      ]);
      library.settings.HarvesterSetting.backupTarget(
        harvester,
        'backup-target',
        library.settings.BackupTarget.nfs('nfs://10.10.0.5:/backups', {
          refreshInterval: Duration.minutes(5),
        }),
      );
      const network = new library.VmNetwork(harvester, 'machines', {
        clusterNetwork: library.ClusterNetwork.mgmt(harvester),
        vlan: 100,
      });
      const image = library.VmImage.download(harvester, 'noble', {
        displayName: 'ubuntu-24.04',
        url: 'https://images.example.com/noble.img',
      });
      return [name, { network, image }];
    }),
  );
  const teams = Object.fromEntries(
    Object.entries(platform.teams).map(([name, team]) => [
      name,
      new library.TenantTeam(rancher, team.id ?? name, {
        name,
        cluster: imports[team.site]!,
        owners: team.owners.map(sso),
        creators: (team.creators ?? []).map(sso),
        tenantNamespaces: team.namespaces.map((namespace) => ({ name: namespace })),
        quota: {
          limitsCpu: Cpu.units(team.cpus),
          limitsMemory: Size.gibibytes(team.cpus * 4),
        },
        namespaceQuota: {
          limitsCpu: Cpu.units(team.cpus / team.namespaces.length),
          limitsMemory: Size.gibibytes((team.cpus * 4) / team.namespaces.length),
        },
      }),
    ]),
  );
  for (const [name, guest] of Object.entries(platform.guests)) {
    const team = teams[guest.team]!;
    const { site } = platform.teams[guest.team]!;
    const { network, image } = shared[site]!;
    const pool = {
      cpus: 4,
      memory: Size.gibibytes(guest.memory ?? 8),
      disks: [library.Disk.image(image, Size.gibibytes(40))],
      networks: [network],
    };
    new library.GuestCluster(rancher, name, {
      harvesterImport: imports[site],
      vmNamespace: team.namespaces.find((each) => each.name === guest.namespace)!,
      kubernetes: library.Kubernetes.rke2(guest.kubernetes),
      pools: [
        {
          ...pool,
          name: 'control',
          quantity: 3,
          roles: library.MachineRoles.CONTROL_PLANE_ETCD,
        },
        {
          ...pool,
          name: 'work',
          quantity: guest.workers,
          roles: library.MachineRoles.WORKER,
        },
      ],
    });
  }
  for (const [name, { site, namespace, memory, isBackedUp }] of Object.entries(platform.machines)) {
    const { network, image } = shared[site]!;
    const team = Object.values(teams).find(({ namespaces }) =>
      namespaces.some((each) => each.name === namespace),
    )!;
    const machine = new library.VirtualMachine(sites[site]!, name, {
      namespace: team.namespaces.find((each) => each.name === namespace)!,
      cpus: 4,
      memory: Size.gibibytes(memory),
      disks: [library.Disk.image(image, Size.gibibytes(40))],
      networks: [network],
    });
    if (isBackedUp) {
      new library.ScheduleVmBackup(sites[site]!, `${name}-nightly`, {
        virtualMachine: machine,
        schedule: '0 3 * * *',
        retention: 14,
      });
    }
  }
  for (const pattern of platform.accepted ?? []) {
    app.acceptRemoval(pattern, 'reviewed');
  }
  platform.more?.(app, { rancher, sites });
}
