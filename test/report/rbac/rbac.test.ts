import { readFileSync } from 'fs';
import { join } from 'path';
import { parseAllDocuments } from 'yaml';
import { readLive } from '../../../src/adopt/read/live';
import { TargetKind } from '../../../src/core/construct/target';
import { Manifest, groupOf } from '../../../src/core/manifest/manifest';
import {
  AssemblyLateValue,
  AssemblyObject,
  AssemblyTarget,
} from '../../../src/core/output/assembly';
import { appOf } from '../../../src/engine/fields/apply-set';
import { resourceOf } from '../../../src/engine/preflight/grants';
import { LoadedAssembly, loadAssembly } from '../../../src/engine/read/load-assembly';
import { RbacOptions, rbacOf } from '../../../src/report/rbac/rbac';
import { FakeCluster } from '../../support/fake-cluster';
import { runCli } from '../../support/run-cli';
import { tempFolder } from '../../support/temp';

const RANCHER: AssemblyTarget = {
  name: 'rancher',
  kind: 'rancher',
  version: '2.13.8',
  folder: 'rancher',
  construct: 'rancher',
  properties: {},
};
const DC1: AssemblyTarget = {
  name: 'dc1',
  kind: 'harvester',
  version: '1.7.2',
  folder: 'dc1',
  construct: 'dc1',
  properties: { vip: '10.0.0.1' },
};
const SHOP: AssemblyTarget = {
  name: 'shop',
  kind: 'guest',
  version: 'v1.33.6+rke2r1',
  folder: 'shop',
  construct: 'shop',
  properties: { rancher: 'rancher', provisioningCluster: 'fleet-default/shop' },
};

type Declared = Manifest & {
  readonly policy?: 'delete' | 'reset' | 'keep';
  readonly target?: string;
};

function program(
  declared: readonly Declared[],
  lateValues: readonly AssemblyLateValue[] = [],
): LoadedAssembly {
  const objects = declared.map(
    ({
      apiVersion,
      kind,
      metadata: { name, namespace },
      policy,
      target = 'rancher',
    }): AssemblyObject => ({
      id: `${target}/${groupOf(apiVersion)}/${kind}/${namespace ?? ''}/${name}`,
      target,
      apiVersion,
      kind,
      namespace,
      name,
      construct: name,
      ...(policy ? { deletion: { policy, reason: '' } } : {}),
    }),
  );
  return {
    folder: 'dist',
    digest: 'x',
    manifests: new Map(objects.map(({ id }, index) => [id, declared[index]])),
    assembly: {
      schemaVersion: '3',
      targets: [RANCHER, DC1, SHOP],
      objects,
      groups: [],
      edges: [],
      lateValues,
      findings: [],
    },
  };
}

function config(name: string, namespace = 'team'): Declared {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } };
}

/** The rules by namespace; the ClusterRole's are under the empty one. One line a rule. */
function rulesOf(
  declared: readonly Declared[],
  target = RANCHER,
  options: Partial<RbacOptions> = {},
  late: readonly AssemblyLateValue[] = [],
): { [namespace: string]: string[] } {
  const { manifests } = rbacOf(program(declared, late), target, { app: appOf(), ...options });
  return Object.fromEntries(
    manifests
      .filter(({ kind }) => /^(Cluster)?Role$/.test(kind))
      .map(({ metadata, rules }) => [
        metadata.namespace ?? '',
        (rules as any[]).map(
          ({ apiGroups, resources, resourceNames, verbs }) =>
            `${apiGroups[0]}/${resources[0]}[${(resourceNames ?? ['*']).join(',')}] ${verbs.join(',')}`,
        ),
      ]),
  );
}

test('objects are allowed by name, in their namespace', () => {
  expect(rulesOf([config('a'), config('b')]).team).toEqual([
    '/configmaps[a,b] get,create,patch,delete',
  ]);
});

test('without the permission to delete', () => {
  const rules = rulesOf([config('a')], RANCHER, { canDelete: false });
  expect(rules.team).toEqual(['/configmaps[a] get,create,patch']);
});

test('Settings are neither created nor deleted, what is kept is not deleted', () => {
  const rules = rulesOf(
    [
      {
        apiVersion: 'harvesterhci.io/v1beta1',
        kind: 'Setting',
        metadata: { name: 'ntp-servers' },
        policy: 'reset',
        target: 'dc1',
      },
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'kept' },
        policy: 'keep',
        target: 'dc1',
      },
    ],
    DC1,
  )[''];
  expect(rules).toContain('harvesterhci.io/settings[ntp-servers] get,patch');
  expect(rules).toContain('/namespaces[kept] get,create,patch');
});

test('writes permissions in a namespace that the program or Rancher creates to the ClusterRole: a Role could not be written before', () => {
  const cluster: Declared = {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: {
      name: 'dc1',
      namespace: 'fleet-default',
      annotations: { 'provisioning.cattle.io/management-cluster-name': 'c-m-a' },
    },
  };
  const project: Declared = {
    apiVersion: 'management.cattle.io/v3',
    kind: 'Project',
    metadata: { name: 'pay', namespace: 'c-m-a' },
  };
  const rules = rulesOf([
    cluster,
    project,
    config('in-cluster', 'c-m-a'),
    config('in-project', 'c-m-a-pay'),
    config('plain', 'team'),
  ]);
  expect(rules['']).toContain('/configmaps[in-cluster,in-project] get,create,patch,delete');
  expect(rules['']).toContain('management.cattle.io/projects[pay] get,create,patch,delete');
  expect(rules.team).toEqual(['/configmaps[plain] get,create,patch,delete']);
  expect(Object.keys(rules).sort()).toEqual([
    '',
    'default',
    'fleet-default',
    'kube-system',
    'team',
  ]);
});

test('the inventory, the lock on one target, and the look at what a cluster is', () => {
  expect(rulesOf([])['kube-system']).toEqual([
    '/configmaps[cdk8s-harvester-default] get,create,patch,delete',
    'coordination.k8s.io/leases[cdk8s-harvester-default] get,create,patch,delete',
  ]);
  const harvester = rulesOf([], DC1);
  expect(harvester['kube-system']).toEqual([
    '/configmaps[cdk8s-harvester-default] get,create,patch,delete',
  ]);
  // where earlier versions kept the inventory: it is moved
  expect(harvester.default).toEqual(['/configmaps[cdk8s-harvester-default] get,delete']);
  expect(harvester['']).toEqual([
    '/namespaces[kube-system] get',
    'harvesterhci.io/settings[server-version] get',
  ]);
  expect(harvester['harvester-system']).toEqual(['/configmaps[vip] get']);
});

test('the kubeconfig of guests is read from their Rancher', () => {
  expect(rulesOf([])['fleet-default']).toEqual([
    '/secrets[shop-kubeconfig] get',
    'provisioning.cattle.io/clusters[shop] get',
  ]);
});

test('grants to read late values from their sources, with the token of a registration URL', () => {
  const late: AssemblyLateValue = {
    id: 'url',
    description: '',
    type: 'url',
    sensitive: true,
    construct: 'x',
    source: {
      resolver: 'registration-url',
      target: 'rancher',
      apiVersion: 'management.cattle.io/v3',
      kind: 'ClusterRegistrationToken',
      namespace: 'c-m-a',
      name: 'default-token',
      path: 'status.manifestUrl',
    },
  };
  expect(rulesOf([], RANCHER, {}, [late])['c-m-a']).toEqual([
    '/secrets[crt-token-default-token] get',
    'management.cattle.io/clusterregistrationtokens[default-token] get',
  ]);
  expect(rulesOf([], DC1, {}, [late])['c-m-a']).toBeUndefined();
});

test('grants to list the kind of an object that is looked up by a field, and notes it', () => {
  const found = (id: string, kind: string, namespace?: string): AssemblyLateValue => ({
    id,
    description: '',
    type: 'name',
    sensitive: false,
    construct: 'x',
    source: {
      resolver: 'matched-field',
      target: 'rancher',
      apiVersion: 'management.cattle.io/v3',
      kind,
      ...(namespace ? { namespace } : {}),
      name: 'spec.displayName=Payments',
      path: 'metadata.name',
    },
  });
  // eslint-disable-next-line no-template-curly-in-string
  const late = [
    found('a', 'Cluster'),
    found('b', 'Project', 'c-m-a'),
    found('c', 'RoleTemplate'),
    found('d', 'GlobalRole', '${late:a}'),
  ];
  const rules = rulesOf([], RANCHER, {}, late);
  expect(rules['c-m-a']).toEqual(['management.cattle.io/projects[*] list']);
  expect(rules['']).toEqual(
    expect.arrayContaining(
      ['clusters', 'roletemplates', 'globalroles'].map(
        (kind) => `management.cattle.io/${kind}[*] list`,
      ),
    ),
  );
  // the key of the digests that show that another object is found
  expect(rules['kube-system'].join()).toContain(
    '/secrets[cdk8s-harvester-default] get,create,patch,delete',
  );
  const notes = (target: AssemblyTarget): string =>
    rbacOf(program([], late), target, { app: appOf() }).notes.join();
  expect(notes(RANCHER)).toContain(
    'it may list all objects of the kinds Cluster, GlobalRole, Project, RoleTemplate',
  );
  expect(notes(DC1)).not.toContain('looks up');
});

test('a name that is late is allowed without a name, and the other names need none then', () => {
  // eslint-disable-next-line no-template-curly-in-string
  const rules = rulesOf([config('${late:a.b}'), config('b')]);
  expect(rules.team).toEqual(['/configmaps[*] get,create,patch,delete']);
});

test("grants what Rancher's webhook requires besides the permission to write", () => {
  const rules = rulesOf(
    [
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        target: 'dc1',
        metadata: {
          name: 'vms',
          annotations: { 'field.cattle.io/projectId': 'c-m-a:pay' },
          labels: { 'pod-security.kubernetes.io/enforce': 'baseline' },
        },
      },
    ],
    DC1,
  )[''];
  expect(rules).toContain('management.cattle.io/projects[pay] manage-namespaces');
  expect(rules).toContain('management.cattle.io/projects[*] updatepsa');
  const cluster: Declared = {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: { name: 'x', namespace: 'fleet-default' },
    spec: { cloudCredentialSecretName: 'cattle-global-data:cc-harv' },
  };
  expect(rulesOf([cluster])['cattle-global-data']).toEqual(['/secrets[cc-harv] get']);
  const imported: Declared = {
    apiVersion: 'management.cattle.io/v3',
    kind: 'Cluster',
    metadata: { name: 'c-edge1' },
    spec: { fleetWorkspaceName: 'fleet-default' },
  };
  expect(rulesOf([imported])['']).toContain(
    'management.cattle.io/fleetworkspaces[fleet-default] fleetaddcluster',
  );
});

test('the guards of deletion look at who needs a Secret or the machines in a Namespace', () => {
  const secret: Declared = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'team' },
  };
  expect(rulesOf([secret])['']).toContain('provisioning.cattle.io/clusters[*] list');
  expect(rulesOf([secret], RANCHER, { canDelete: false })[''].join()).not.toContain('list');
  expect(
    rulesOf(
      [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'vms' }, target: 'dc1' }],
      DC1,
    )[''],
  ).toContain('kubevirt.io/virtualmachines[*] list');
});

test('grants the deletion of what is no longer declared with --before', () => {
  expect(
    rulesOf([config('a')], RANCHER, { before: program([config('a'), config('old')]) }).team,
  ).toEqual(['/configmaps[a] get,create,patch,delete', '/configmaps[old] get,delete']);
});

test('doctor reads lists, and Secrets in few namespaces only', () => {
  const rules = rulesOf([], RANCHER, { doctor: true });
  expect(rules['cattle-global-data']).toEqual(['/secrets[*] list']);
  expect(rules[''].filter((rule) => rule.includes('secrets'))).toEqual([]);
  expect(rules['']).toContain('management.cattle.io/tokens[*] list');
  expect(rules['cattle-ui-plugin-system']).toEqual(['catalog.cattle.io/uiplugins[*] list']);
  const { notes } = rbacOf(program([]), RANCHER, { app: appOf(), doctor: true });
  expect(notes.join()).toContain(
    '(cattle-ui-plugin-system, those of clusters): if one does not exist yet',
  );
});

describe('a program that grants roles', () => {
  const RBAC = 'rbac.authorization.k8s.io';
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
  const bindingsOf = (
    declared: readonly Declared[],
    options: Partial<RbacOptions> = {},
  ): Manifest[] =>
    rbacOf(program(declared), RANCHER, { app: appOf(), ...options }).manifests.filter(
      ({ metadata: { name } }) => name.includes('-grants-'),
    );
  const subjects = [
    { kind: 'ServiceAccount', name: 'cdk8s-harvester-default', namespace: 'kube-system' },
  ];

  test('gets a binding of the identity to the role, where the program binds it', () => {
    expect(
      bindingsOf([
        {
          apiVersion: `${RBAC}/v1`,
          kind: 'RoleBinding',
          metadata: { name: 'x', namespace: 'team' },
          roleRef: { kind: 'ClusterRole', name: 'harvesterhci.io:cloudprovider' },
        },
        {
          apiVersion: `${RBAC}/v1`,
          kind: 'RoleBinding',
          metadata: { name: 'y', namespace: 'team' },
          roleRef: { kind: 'ClusterRole', name: 'harvesterhci.io:cloudprovider' },
        },
        {
          apiVersion: `${RBAC}/v1`,
          kind: 'ClusterRoleBinding',
          metadata: { name: 'z' },
          roleRef: { kind: 'ClusterRole', name: 'view' },
        },
      ]),
    ).toEqual([
      {
        apiVersion: `${RBAC}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name: 'cdk8s-harvester-default-grants-view' },
        roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'view' },
        subjects,
      },
      {
        apiVersion: `${RBAC}/v1`,
        kind: 'RoleBinding',
        metadata: {
          name: 'cdk8s-harvester-default-grants-harvesterhci.io:cloudprovider',
          namespace: 'team',
        },
        roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'harvesterhci.io:cloudprovider' },
        subjects,
      },
    ]);
  });

  test('gets the permissions of its own roles by a role that is there before the first apply', () => {
    const found = bindingsOf([
      {
        apiVersion: `${RBAC}/v1`,
        kind: 'Role',
        metadata: { name: 'own', namespace: 'team' },
        rules,
      },
      {
        apiVersion: `${RBAC}/v1`,
        kind: 'RoleBinding',
        metadata: { name: 'x', namespace: 'team' },
        roleRef: { kind: 'Role', name: 'own' },
      },
    ]);
    expect(found).toEqual([
      {
        apiVersion: `${RBAC}/v1`,
        kind: 'Role',
        metadata: { name: 'cdk8s-harvester-default-grants-own', namespace: 'team' },
        rules,
      },
      {
        apiVersion: `${RBAC}/v1`,
        kind: 'RoleBinding',
        metadata: { name: 'cdk8s-harvester-default-grants-own', namespace: 'team' },
        roleRef: { apiGroup: RBAC, kind: 'Role', name: 'cdk8s-harvester-default-grants-own' },
        subjects,
      },
    ]);
  });

  test('notes that an administrator must apply roles of Rancher, and may escalate nothing', () => {
    const { notes, manifests } = rbacOf(
      program([
        {
          apiVersion: 'management.cattle.io/v3',
          kind: 'ProjectRoleTemplateBinding',
          metadata: { name: 'm', namespace: 'team' },
          roleTemplateName: 'project-owner',
        },
      ]),
      RANCHER,
      { app: appOf() },
    );
    expect(notes.join()).toContain('the program grants roles of Rancher (project-owner)');
    expect(JSON.stringify(manifests)).not.toMatch(/escalate|"bind"|impersonate|"\*"|-grants-/);
  });
});

test('an identity of its own only reads, and is bound to no role that the program grants', () => {
  const declared: Declared[] = [
    config('a'),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'vms' } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'x', namespace: 'team' },
      roleRef: { kind: 'ClusterRole', name: 'admin' },
    },
  ];
  const { manifests, notes } = rbacOf(program(declared), RANCHER, {
    app: appOf(),
    readOnly: true,
    doctor: true,
  });
  expect(manifests[0].metadata.name).toBe('cdk8s-harvester-default-reader');
  const verbs = manifests.flatMap(({ rules = [] }) =>
    (rules as { verbs: string[] }[]).flatMap((rule) => rule.verbs),
  );
  expect([...new Set(verbs)].sort()).toEqual(['get', 'list']);
  expect(JSON.stringify(manifests)).not.toContain('-grants-');
  expect(notes.join()).toContain('plan needs --no-dry-run');
  expect(rulesOf(declared, RANCHER, { readOnly: true }).team).toContain('/configmaps[a] get');
});

test('another app has another identity', () => {
  const { manifests } = rbacOf(program([]), RANCHER, { app: appOf('team-a'), namespace: 'ops' });
  expect(manifests[0]).toEqual({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'cdk8s-harvester-team-a', namespace: 'ops' },
  });
});

test.each([
  ['networking.k8s.io/v1', 'Ingress', 'ingresses'],
  ['networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies'],
  ['v1', 'Endpoints', 'endpoints'],
  ['k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', 'network-attachment-definitions'],
  ['harvesterhci.io/v1beta1', 'KeyPair', 'keypairs'],
  ['storage.k8s.io/v1', 'StorageClass', 'storageclasses'],
  ['loadbalancer.harvesterhci.io/v1beta1', 'IPPool', 'ippools'],
])('the resource of %s %s is %s', (apiVersion, kind, resource) => {
  expect(resourceOf(apiVersion, kind)).toBe(resource);
});

test('the command prints every target but guests, or writes a file for each', async () => {
  const dist = join(__dirname, '..', '..', '..', 'examples', 'quickstart', 'dist');
  const { stdout, exitCode } = await runCli('rbac', dist);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /^# target dc1 \(harvester 1\.7\.2\): apply this as an administrator of that cluster$/m,
  );
  const documents = parseAllDocuments(stdout).map((document) => document.toJS());
  expect(documents.filter(({ kind }) => kind === 'ServiceAccount')).toHaveLength(2);
  expect(loadAssembly(dist).assembly.targets).toHaveLength(2);
  const file = join(tempFolder(), 'rbac', 'dc1.yaml');
  expect(
    (await runCli('rbac', dist, '--target', 'dc1', '--output-dir', join(file, '..'))).stdout,
  ).toBe(`wrote ${file}\n`);
  expect(readFileSync(file, 'utf8')).toContain('kind: ClusterRole');
  expect(await runCli('rbac', dist, '--target', 'dc9')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('must be a target of the program: dc1, rancher, got dc9'),
  });
});

test('the command reports why a guest cluster is omitted, unless targets are named', async () => {
  const dist = join(__dirname, '..', '..', '..', 'examples', 'rke2-production', 'dist');
  const guests = loadAssembly(dist)
    .assembly.targets.filter(({ kind }) => kind === 'guest')
    .map(({ name }) => name);
  expect(guests).not.toEqual([]);
  const lines = guests.map(
    (name) =>
      `${name}: omitted, since a guest cluster is reached with the kubeconfig that Rancher keeps. Set --target ${name} to print its permissions\n`,
  );
  expect((await runCli('rbac', dist, '--read-only')).stderr).toBe(lines.join(''));
  expect((await runCli('rbac', dist, '--read-only', '--target', guests[0])).stderr).toBe('');
});

test.each(Object.values(TargetKind))(
  '--accept-existing %s allows exactly the lists with which adopt reads such a cluster',
  async (kind) => {
    const { stdout, exitCode } = await runCli('rbac', '--for-adopt', kind);
    expect(exitCode).toBe(0);
    const manifests = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
    expect(manifests.map((manifest) => manifest.kind)).toEqual([
      'ServiceAccount',
      'ClusterRole',
      'ClusterRoleBinding',
    ]);
    const rules = (manifests[1].rules as any[]).flatMap(
      ({ apiGroups, resources, verbs, ...rest }) => {
        expect([verbs, rest]).toEqual([['list'], {}]);
        return `${apiGroups[0]}/${resources[0]}`;
      },
    );
    const cluster = new FakeCluster({
      paths: { '/version': { gitVersion: 'v1.34.4+rke2r1' } },
      missing: new Set(
        kind === TargetKind.HARVESTER
          ? []
          : [
              'harvesterhci.io/Setting',
              ...(kind === TargetKind.GUEST ? ['management.cattle.io/Project'] : []),
            ],
      ),
    });
    const lists = jest.spyOn(cluster, 'list');
    expect((await readLive({ name: 'a', cluster })).kind).toBe(kind);
    const listed = lists.mock.calls.map(
      ([apiVersion, each]) => `${groupOf(apiVersion)}/${resourceOf(apiVersion, each)}`,
    );
    expect(listed.length).toBeGreaterThan(20);
    expect([...new Set(listed)].sort()).toEqual([...rules].sort());
    expect(cluster.calls.filter(({ verb }) => !['get', 'kind', 'list'].includes(verb))).toEqual([]);
  },
);
