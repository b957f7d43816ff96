import { Size } from 'cdk8s';
import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { Retention } from '../../../src/core/program/retention';
import { Finding } from '../../../src/core/rule/finding';
import { textReport } from '../../../src/core/rule/report';
import { Delivery } from '../../../src/delivery/delivery';
import { lintPaths } from '../../../src/engine/read/lint';
import { GuestCluster } from '../../../src/guest/cluster/guest-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { IpPool, IpPoolScope } from '../../../src/harvester/ip-pool/ip-pool';
import { KeyPair } from '../../../src/harvester/key-pair/key-pair';
import { Disk } from '../../../src/harvester/machine/disk';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { TokenSource } from '../../../src/rancher/import/registration-token';
import { AuthProvider, Principal } from '../../../src/rancher/members/principal';
import { ProjectMember } from '../../../src/rancher/project/tenant-namespace';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import { Cpu } from '../../../src/rancher/quota/cpu';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { GlobalPermission } from '../../../src/rancher/role/roles';
import { LocalUser } from '../../../src/rancher/user/user';
import { messageOf } from '../../support/message-of';
import { newApp, newHarvester, newRancher } from '../../support/programs';
import { tempFolder } from '../../support/temp';

interface Tenant {
  readonly id: string;
  readonly name?: string;
  readonly groups?: readonly string[];
}

/** A program with tenants, each of a project, a namespace, members and a network. */
function program(
  outdir: string,
  tenants: readonly Tenant[],
  more: (app: HarvesterApp) => void = () => undefined,
): HarvesterApp {
  const app = newApp({ outdir });
  const rancher = newRancher(app);
  const dc1 = newHarvester(app);
  const cluster = new HarvesterImport(rancher, 'import-dc1', {
    harvester: dc1,
    clusterId: ClusterId.fixed('c-m-harvdc01'),
    registrationToken: TokenSource.secret(),
  });
  for (const { id, name = id, groups = ['ops', 'devs'] } of tenants) {
    const quota = { limitsCpu: Cpu.units(8), limitsMemory: Size.gibibytes(32) };
    new TenantProject(rancher, id, {
      cluster,
      ...(name === id ? {} : { name }),
      quota,
      tenantNamespaces: [{ name }],
      members: groups.map((group) =>
        ProjectMember.member(Principal.groupOf(AuthProvider.OKTA, group)),
      ),
    });
    new VmNetwork(dc1, `${id}-net`, {
      namespace: HarvesterNamespace.fromName(dc1, `ns-${id}`, { name }),
      clusterNetwork: ClusterNetwork.mgmt(dc1),
      vlan: 100,
      ...(name === id ? {} : { name: `${name}-net` }),
    });
  }
  more(app);
  return app;
}

/** Synthesizes one program after another to a folder; the findings of the last one. */
function after(
  before: readonly Tenant[],
  now: readonly Tenant[],
  more?: (app: HarvesterApp) => void,
) {
  const outdir = tempFolder();
  program(outdir, before).synth();
  const app = program(outdir, now, more);
  let error = '';
  try {
    app.synth();
  } catch (thrown) {
    error = (thrown as Error).message;
  }
  return { error, left: app.findings.filter(({ rule }) => rule === 'output/gone') };
}

const PUBLIC_KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhcwd/x9Ho4Oi0xP1PjZNdXnTnFHMy9jKxKEHYJvVZa ana';

const [SHOP, CHOREO]: Tenant[] = [{ id: 'shop' }, { id: 'choreo' }];

/** The IDs of what holds something of a tenant. */
const idsOf = (name: string): string[] => [
  `dc1//Namespace//${name}`,
  `rancher/management.cattle.io/Project/c-m-harvdc01/${name}`,
];

const acceptanceOf = (name: string): string =>
  idsOf(name)
    .map((id) => `app.acceptRemoval('${id}', '<why>')`)
    .join(' and ');

test('the removal of a tenant is one finding, and the objects that it names accept it', () => {
  const { error, left } = after([SHOP, CHOREO], [SHOP]);
  expect(left).toHaveLength(5);
  expect(new Set(left.map(({ cause }) => cause))).toEqual(
    new Set([
      'Project c-m-harvdc01/choreo on rancher and what belongs to it are no longer declared',
    ]),
  );
  expect(new Set(left.map(({ fix }) => fix))).toEqual(
    new Set([`declare them again; to let them go, add ${acceptanceOf('choreo')}`]),
  );
  expect(error).toMatch(/\n\n1 error, 0 warnings, from 5 findings$/);
  const accepted = after([SHOP, CHOREO], [SHOP], (app) => {
    for (const id of idsOf('choreo')) {
      app.acceptRemoval(id, 'the team left');
    }
  });
  expect([accepted.error, textReport(accepted.left)]).toEqual([
    '',
    '0 errors, 0 warnings, 5 accepted: the team left',
  ]);
});

test('the removal of two tenants is two findings', () => {
  const { left } = after([SHOP, CHOREO, { id: 'lab' }], [SHOP]);
  expect(
    new Set(left.map(({ cause, fix }) => `${cause!.split(' on ')[0]}: ${fix.split(', add ')[1]}`)),
  ).toEqual(
    new Set(['choreo', 'lab'].map((name) => `Project c-m-harvdc01/${name}: ${acceptanceOf(name)}`)),
  );
});

test('what is renamed is one finding, and the names that it gives keep the objects', () => {
  const { left } = after([SHOP, CHOREO], [SHOP, { id: 'koreo' }]);
  expect(left).toHaveLength(5);
  expect(new Set(left.map(({ cause, fix }) => `${cause}. ${fix}`))).toEqual(
    new Set([
      'Project c-m-harvdc01/choreo on rancher is renamed: Project c-m-harvdc01/koreo is another object, as is all that belongs to it. ' +
        "to keep the objects, set the prop name to 'choreo' for Project c-m-harvdc01/koreo and Namespace koreo, 'choreo-net' for NetworkAttachmentDefinition koreo/koreo-net; " +
        `displayName changes only what the UI shows; to let them go, add ${acceptanceOf('choreo')}`,
    ]),
  );
  const kept = after([SHOP, CHOREO], [SHOP, { id: 'koreo', name: 'choreo' }]);
  expect([
    kept.error,
    kept.left.filter(({ object }) => object?.kind !== 'ProjectRoleTemplateBinding'),
  ]).toEqual(['', []]);
});

test('a tenant that is replaced by a new one of the same kinds is not renamed', () => {
  const { left } = after([SHOP, CHOREO], [SHOP, { id: 'koreo', groups: ['ops', 'koreo'] }]);
  expect(new Set(left.map(({ cause, fix }) => `${cause}. ${fix}`))).toEqual(
    new Set([
      'Project c-m-harvdc01/choreo on rancher and what belongs to it are no longer declared. ' +
        `declare them again; to let them go, add ${acceptanceOf('choreo')}`,
    ]),
  );
  // at the same place of the program, it is the same tenant
  const renamed = after(
    [SHOP, CHOREO],
    [SHOP, { id: 'choreo', name: 'koreo', groups: ['ops', 'koreo'] }],
  ).left;
  expect(renamed[0]!.cause).toContain('is renamed: Project c-m-harvdc01/koreo');
});

test('a tenant that is replaced by another one of other objects is not renamed', () => {
  const { left } = after([SHOP, CHOREO], [SHOP], (app) => {
    new HarvesterNamespace(app.node.findChild('dc1'), 'koreo');
  });
  expect(left[0].cause).toContain('no longer declared');
});

describe('a guest cluster', () => {
  /** A program with guest clusters in one namespace, the first of which has a tenant. */
  function guests(
    names: readonly string[],
    outdir = tempFolder(),
    more: (app: HarvesterApp) => void = () => undefined,
  ): HarvesterApp {
    const app = newApp({ outdir });
    const rancher = newRancher(app);
    const dc1 = newHarvester(app);
    const vmNamespace = new HarvesterNamespace(dc1, 'vms');
    const image = VmImage.download(dc1, 'noble', { url: 'https://images.example.com/noble.img' });
    const network = new VmNetwork(dc1, 'prod', {
      clusterNetwork: ClusterNetwork.mgmt(dc1),
      vlan: 100,
    });
    const harvesterImport = new HarvesterImport(rancher, 'import-dc1', {
      harvester: dc1,
      clusterId: ClusterId.fixed('c-m-harvdc01'),
      registrationToken: TokenSource.secret(),
    });
    const clusters = names.map(
      (name) =>
        new GuestCluster(rancher, name, {
          harvesterImport,
          vmNamespace,
          kubernetes: Kubernetes.rke2('v1.33.6+rke2r1'),
          pools: [
            {
              name: 'all',
              roles: MachineRoles.ALL,
              cpus: 4,
              memory: Size.gibibytes(8),
              disks: [Disk.image(image, Size.gibibytes(40))],
              networks: [network],
            },
          ],
        }),
    );
    new TenantProject(rancher, 'billing', {
      cluster: clusters[0]!,
      tenantNamespaces: [{ name: 'invoices' }],
      name: `billing-${names[0]!}`,
    });
    more(app);
    return app;
  }

  /** The findings of a second synthesis, by their causes, with their fix. */
  function left(
    before: readonly string[],
    now: readonly string[],
    more?: (app: HarvesterApp) => void,
  ): ReadonlyMap<string, { readonly objects: readonly string[]; readonly fix: string }> {
    const outdir = tempFolder();
    guests(before, outdir).synth();
    const app = guests(now, outdir, more);
    try {
      app.synth();
    } catch {
      /* the findings are errors */
    }
    const open = app.findings.filter(
      ({ rule, suppressed }) => rule === 'output/gone' && suppressed === undefined,
    );
    const causes = new Set(open.map(({ cause = 'none' }) => cause));
    return new Map(
      [...causes].map((cause) => {
        const own = open.filter((finding) => (finding.cause ?? 'none') === cause);
        return [
          cause,
          {
            objects: own.map(({ object }) => `${object!.kind} ${object!.name}`).sort(),
            fix: own[0]!.fix,
          },
        ];
      }),
    );
  }

  const PARTS = [
    'ClusterRoleBinding vms-lab',
    'HarvesterConfig nc-lab-all',
    'RoleBinding vms-lab',
    // waits for the token of the account
    'Secret harvesterconfig-lab',
    'Secret lab-token',
    'ServiceAccount lab',
  ];
  const LAB = 'rancher/provisioning.cattle.io/Cluster/fleet-default/lab';

  test('that leaves is one finding with its machine configurations and its account on Harvester, and accepting the Cluster accepts them', () => {
    expect([...left(['shop', 'lab'], ['shop'])]).toEqual([
      [
        'Cluster fleet-default/lab on rancher and what belongs to it are no longer declared',
        {
          objects: ['Cluster lab', ...PARTS],
          fix: `declare them again; to let them go, add app.acceptRemoval('${LAB}', '<why>')`,
        },
      ],
    ]);
    expect([
      ...left(['shop', 'lab'], ['shop'], (app) => {
        app.acceptRemoval(LAB, 'moved');
      }),
    ]).toEqual([]);
  });

  test('that is renamed is one finding, with the name that keeps it', () => {
    const [[cause, { objects, fix }], ...others] = [...left(['shop', 'lab'], ['shop', 'test'])];
    expect([cause, objects, others]).toEqual([
      'Cluster fleet-default/lab on rancher is renamed: Cluster fleet-default/test is another object, as is all that belongs to it',
      ['Cluster lab', ...PARTS],
      [],
    ]);
    expect(fix).toContain(
      "to keep the objects, set the prop name to 'lab' for Cluster fleet-default/test; ",
    );
  });

  test('that is renamed is the cause of what its chart holds, under the target of its new name', () => {
    const [[cause, { objects }], ...others] = [...left(['shop', 'lab'], ['store', 'lab'])];
    expect([cause, objects, others]).toEqual([
      expect.stringContaining('is renamed'),
      expect.arrayContaining(['Cluster shop', 'Namespace invoices', 'Project billing-shop']),
      [],
    ]);
  });

  test('is one finding for lint, with what rules find about the deletion, and accepted with it', () => {
    const [before, now] = [guests(['shop', 'lab']), program(tempFolder(), [])];
    for (const app of [before, now]) {
      app.synth();
    }
    const found = lintPaths([now.outdir], { before: [before.outdir] }).filter(
      ({ object }) => object?.name === 'invoices',
    );
    expect(found.map(({ rule }) => rule).sort()).toEqual([
      'output/gone',
      'tenant-namespace/deleted',
    ]);
    expect(new Set(found.map(({ cause, fix }) => `${cause}: ${fix}`)).size).toBe(1);
    const accepting = program(tempFolder(), [], (app) => {
      app.acceptRemoval('shop//Namespace//invoices', 'moved');
    });
    accepting.synth();
    const accepted = lintPaths([accepting.outdir], { before: [before.outdir] }).filter(
      ({ object }) => object?.name === 'invoices',
    );
    expect(accepted.map(({ suppressed }) => suppressed)).toEqual(['moved', 'moved']);
  });
});

describe('what follows from something that leaves', () => {
  interface Edit {
    /** The name of the user. */
    readonly user: string;
    readonly role?: 'owner' | 'readOnly';
    readonly roleId?: string;
  }

  /** What leaves when an edit follows another one: a user who is a member of a project. */
  function edited(before: Edit, now: Edit): { readonly left: readonly Finding[] } {
    const outdir = tempFolder();
    const of = ({ user, role = 'owner' }: Edit): HarvesterApp =>
      program(outdir, [SHOP!], (app) => {
        const rancher = app.node.findChild('rancher') as RancherChart;
        const ana = new LocalUser(rancher, 'ana', {
          name: user,
          username: 'ana',
          permissions: [GlobalPermission.USER],
        });
        const shop = rancher.node.findChild('shop') as TenantProject;
        shop.grant(ProjectMember[role](Principal.localUser(ana)));
      });
    of(before).synth();
    const app = of(now);
    app.synth();
    return { left: app.findings.filter(({ rule }) => rule === 'output/gone') };
  }

  test('a renamed user is the cause of its binding in a project that remains', () => {
    const { left } = edited({ user: 'u-ana' }, { user: 'u-ann' });
    expect(left.map(({ object }) => object?.kind).sort()).toEqual([
      'GlobalRoleBinding',
      'ProjectRoleTemplateBinding',
      'User',
    ]);
    expect(new Set(left.map(({ cause }) => cause))).toEqual(
      new Set([
        'User u-ana on rancher is renamed: User u-ann is another object, as is all that belongs to it',
      ]),
    );
    const binding = left.find(({ object }) => object?.kind === 'ProjectRoleTemplateBinding')!;
    expect(binding.message).toMatch(
      /; the program declares ProjectRoleTemplateBinding \S+ now, which is another object$/,
    );
    expect(binding.fix).toContain("set the prop name to 'u-ana' for User u-ann");
  });

  test('a member with another role is another binding, whose role can be restored', () => {
    const { left } = edited({ user: 'u-ana' }, { user: 'u-ana', role: 'readOnly' });
    expect(left).toHaveLength(1);
    expect(left[0]!.message).toMatch(/the program declares ProjectRoleTemplateBinding \S+ now/);
    expect(left[0]!.fix).toMatch(/^to keep it, restore its role and its member; to let it go, /);
  });
});

test('a machine that moves to a new namespace is in another place, not removed', () => {
  const outdir = tempFolder();
  const write = (isMoved: boolean) => {
    const app = newApp({ outdir });
    const dc1 = newHarvester(app);
    const old = new HarvesterNamespace(dc1, 'old');
    const now = isMoved ? new HarvesterNamespace(dc1, 'now') : old;
    new KeyPair(dc1, 'ops', { namespace: now, publicKey: PUBLIC_KEY });
    app.synth();
    return app.findings.filter(({ rule }) => rule === 'output/gone');
  };
  write(false);
  const [left, ...others] = write(true);
  expect(others).toEqual([]);
  expect(left!.message).toContain('its construct writes KeyPair now/ops now');
  expect(left!.fix).toMatch(/^declare it again where it was; to let it go, /);
});

describe('an identity that changes', () => {
  /** Two projects whose order by ID differs from that of the program, and one that uses the other. */
  function edited(before: { target?: string; salt?: string }, now: typeof before) {
    const outdir = tempFolder();
    const of = ({ target = 'dc1', salt }: typeof before): HarvesterApp => {
      const app = newApp({ outdir, idSalt: salt });
      const rancher = newRancher(app);
      const dc1 = new HarvesterChart(app, 'harvester', { version: '1.7.2', targetName: target });
      const cluster = new HarvesterImport(rancher, 'import', {
        harvester: dc1,
        registrationToken: TokenSource.secret(),
      });
      for (const name of ['shop', 'ai', 'plant']) {
        new TenantProject(rancher, name, {
          cluster,
          tenantNamespaces: [{ name }],
          members: [ProjectMember.member(Principal.groupOf(AuthProvider.OKTA, name))],
        });
      }
      return app;
    };
    of(before).synth();
    const app = of(now);
    messageOf(() => app.synth());
    return app.findings.filter(({ rule }) => rule === 'output/gone');
  }

  const pairsIn = (left: readonly Finding[]): (string | undefined)[][] =>
    left
      .filter(({ object }) => object?.kind === 'Project')
      .map(({ object, message }) => [
        object?.name,
        /writes Project \S+\/(\S+) now/.exec(message)?.[1],
      ]);

  test('pairs each project with itself, after another salt', () => {
    const left = edited({}, { salt: 'another-salt-of-this-program' });
    expect(new Set(left.map(({ cause }) => cause))).toEqual(
      new Set([expect.stringMatching(/^the management cluster ID changed: /)]),
    );
    expect(pairsIn(left).sort()).toEqual([
      ['ai', 'ai'],
      ['plant', 'plant'],
      ['shop', 'shop'],
    ]);
  });

  test('is one cause where the name of a target changes, with the cluster that is named after it', () => {
    const left = edited({}, { target: 'site1' });
    expect(new Set(left.map(({ cause }) => cause))).toEqual(
      new Set(['the target changed: dc1 is site1 now']),
    );
    expect(pairsIn(left).sort()).toEqual([
      ['ai', 'ai'],
      ['plant', 'plant'],
      ['shop', 'shop'],
    ]);
  });
});

describe('a cluster that is found by its ID, and was found by its display name', () => {
  /** The findings once the ID is written, and those that are left with some removals accepted. */
  function edited({ delivery, isRetained = false, accepted = [] }: Edit): readonly Finding[] {
    const outdir = tempFolder();
    const of = (isFixed: boolean): HarvesterApp => {
      const app = newApp({ outdir, delivery });
      const rancher = newRancher(app);
      const harvester = newHarvester(app);
      const cluster = isFixed
        ? HarvesterImport.fromClusterId(rancher, 'import', { clusterId: 'c-m-harvdc01', harvester })
        : HarvesterImport.fromDisplayName(rancher, 'import', { displayName: 'dc1', harvester });
      const shop = new TenantProject(rancher, 'shop', {
        cluster,
        members: [ProjectMember.member(Principal.groupOf(AuthProvider.OKTA, 'devs'))],
      });
      if (isRetained) {
        Retention.of(shop).retain();
      }
      return app;
    };
    of(false).synth();
    const app = of(true);
    accepted.forEach((id) => app.acceptRemoval(id, 'the same project'));
    try {
      app.synth();
    } catch {
      // the findings are what is asked for
    }
    return app.findings.filter(({ rule, suppressed }) => rule === 'output/gone' && !suppressed);
  }

  interface Edit {
    readonly delivery?: Delivery;
    readonly isRetained?: boolean;
    readonly accepted?: readonly string[];
  }

  const PROJECT = 'rancher/management.cattle.io/Project/${late:rancher.import.name}/shop';
  const flux = Delivery.flux({ sourceName: 'platform' });

  test('is fixed by a removal to accept, as apply keeps the projects', () => {
    const fixes = new Set(edited({}).map(({ fix }) => fix));
    expect([...fixes]).toEqual([
      'to keep all objects, find the cluster as before, e.g. with fromDisplayName; ' +
        'if c-m-harvdc01 is the ID of the same cluster, accept the removals: apply keeps the projects, and bindings of members get other names; ' +
        'if nothing of the program is applied yet, delete the output folder and synthesize again; ' +
        `to let them go, add app.acceptRemoval('${PROJECT}', '<why>')`,
    ]);
    expect(edited({ accepted: [PROJECT] })).toEqual([]);
  });

  test('is fixed by retention where an engine delivers', () => {
    expect(edited({ delivery: flux })[0]!.fix).toContain(
      'if c-m-harvdc01 is the ID of the same cluster, deliver Retention.of(<tenant>).retain() first, then this change: projects remain, and bindings of members get other names; ',
    );
    const levels = edited({ delivery: flux, isRetained: true }).map(({ level }) => level);
    expect(new Set(levels)).toEqual(new Set(['warning']));
  });
});

describe('a pool that has another name, with the same addresses', () => {
  function renamed(delivery: Delivery): readonly Finding[] {
    const outdir = tempFolder();
    const of = (name: string): HarvesterApp => {
      const app = newApp({ outdir, delivery });
      newRancher(app);
      const dc1 = newHarvester(app);
      new IpPool(dc1, 'pool', {
        name,
        ranges: [{ subnet: '10.99.100.0/24', start: '10.99.100.200', end: '10.99.100.219' }],
        network: VmNetwork.fromName(dc1, 'prod', { name: 'prod' }),
        scopes: [IpPoolScope.everything()],
      });
      return app;
    };
    of('old').synth();
    const app = of('now');
    try {
      app.synth();
    } catch {
      // what it reports is in the findings
    }
    return app.findings.filter(({ rule }) => rule === 'output/gone');
  }

  test('is an error where an engine creates before it deletes: Harvester refuses the new one', () => {
    const [left, ...others] = renamed(
      Delivery.argoCd({ repository: 'https://git.example.com/p.git' }),
    );
    expect(others).toEqual([]);
    expect(left!.level).toBe('error');
    expect(left!.message).toMatch(
      /While it exists, the server refuses IPPool now, which needs .*addresses 10\.99\.100\.200/,
    );
    expect(left!.fix).toMatch(
      /^make two commits: first remove IPPool old, and wait until it is gone; then declare IPPool now; /,
    );
  });

  test('is a warning with apply, which deletes the previous one first', () => {
    expect(renamed(Delivery.none()).map(({ level, fix }) => `${level} ${fix}`)).toEqual([
      expect.stringMatching(/^warning to keep it, set the prop name to 'old' for IPPool now; /),
    ]);
  });
});
