import { adopted, foundHarvester, foundRancher, recordedClusters } from './_found';
import { Manifest } from '../../src/core/manifest/manifest';
import { FAMILIES, GENERATIONS } from '../support/recordings';

const V3 = 'management.cattle.io/v3';
const ID = 'c-m-abcd1234';
const NORMAN = { 'cattle.io/creator': 'norman' };
const CREATOR = { 'field.cattle.io/creatorId': 'user-adm1n' };

/** What guests of a Rancher are made of has inverses of its own. */
const OF_GUESTS =
  /HarvesterConfig|Cluster fleet-default\/(edge|lake|shop|blog|nodes|hpc)|registryconfig-auth/;

describe.each(GENERATIONS)('what Rancher $rancher recorded', (generation) => {
  test.each(['rancher-platform', 'rancher-three-tenants'])(
    '%s becomes constructs without patches',
    (scenario) => {
      const { text, differences, errors, notes } = adopted(recordedClusters(generation, scenario));
      const poor = notes
        .map(({ object, message }) => `${object} ${message}`)
        .filter((note) => !OF_GUESTS.test(note));
      expect({ differences, errors: errors.map(({ message }) => message), poor }).toEqual({
        differences: [],
        errors: [],
        poor: [],
      });
      expect(text).not.toContain('addJsonPatch');
    },
  );
});

test.each(['rancher-catalog', 'rancher-roles', 'rancher-tenancy'])(
  'what a running Rancher made of %s becomes constructs',
  (scenario) => {
    const { text, differences, errors } = adopted(recordedClusters(FAMILIES, scenario));
    expect({ differences, errors }).toEqual({ differences: [], errors: [] });
    expect(text).not.toContain('addJsonPatch');
  },
);

/**
 * Bodies as the UI of Rancher writes them, with what its API adds.
 * @see rancher/dashboard:shell/edit, shell/models; rancher/rancher:pkg/api/norman
 */
const UI: readonly Manifest[] = [
  {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: {
      name: 'dc1',
      namespace: 'fleet-default',
      labels: { 'provider.cattle.io': 'harvester' },
      annotations: CREATOR,
    },
    spec: { agentEnvVars: [], localClusterAuthEndpoint: {} },
    status: { clusterName: ID },
  },
  { apiVersion: V3, kind: 'Cluster', metadata: { name: ID }, spec: { displayName: 'dc1' } },
  {
    apiVersion: V3,
    kind: 'Project',
    metadata: {
      name: 'p-x7k2p',
      namespace: ID,
      labels: NORMAN,
      annotations: {
        ...CREATOR,
        'authz.management.cattle.io/creator-role-bindings':
          '{"created":["project-owner"],"required":["project-owner"]}',
      },
    },
    spec: {
      clusterName: ID,
      displayName: 'Payments (EU)',
      description: '',
      containerDefaultResourceLimit: {},
      namespaceDefaultResourceQuota: { limit: { limitsCpu: '8', limitsMemory: '16Gi' } },
      resourceQuota: {
        limit: { limitsCpu: '16', limitsMemory: '32Gi' },
        usedLimit: { limitsCpu: '8' },
      },
    },
    status: { backingNamespace: `${ID}-p-x7k2p` },
  },
  {
    apiVersion: V3,
    kind: 'ProjectRoleTemplateBinding',
    metadata: { name: 'creator-project-owner', namespace: `${ID}-p-x7k2p` },
    projectName: `${ID}:p-x7k2p`,
    roleTemplateName: 'project-owner',
    userName: 'user-adm1n',
    userPrincipalName: 'local://user-adm1n',
  },
  {
    apiVersion: V3,
    kind: 'ProjectRoleTemplateBinding',
    metadata: {
      name: 'prtb-k2x9d',
      generateName: 'prtb-',
      namespace: `${ID}-p-x7k2p`,
      labels: NORMAN,
      annotations: CREATOR,
    },
    projectName: `${ID}:p-x7k2p`,
    roleTemplateName: 'project-member',
    userPrincipalName: 'local://u-b2xk9',
    userName: 'u-b2xk9',
  },
  {
    apiVersion: V3,
    kind: 'ClusterRoleTemplateBinding',
    metadata: { name: 'crtb-9xk2d', namespace: ID, labels: NORMAN, annotations: CREATOR },
    clusterName: ID,
    roleTemplateName: 'cluster-owner',
    groupPrincipalName: 'okta_group://platform',
  },
  {
    apiVersion: V3,
    kind: 'User',
    metadata: { name: 'u-b2xk9', labels: NORMAN, annotations: CREATOR },
    username: 'ben',
    displayName: 'Ben Berger',
    description: '',
    enabled: true,
    mustChangePassword: false,
    principalIds: ['local://u-b2xk9'],
  },
  {
    apiVersion: V3,
    kind: 'GlobalRoleBinding',
    metadata: { name: 'grb-7xk2d', labels: NORMAN, annotations: CREATOR },
    globalRoleName: 'user',
    userName: 'u-b2xk9',
    userPrincipalName: 'local://u-b2xk9',
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'u-b2xk9',
      namespace: 'cattle-local-user-passwords',
      annotations: { 'cattle.io/password-hash': 'pbkdf2sha3512' },
    },
    data: { password: 'c2VjcmV0LWhhc2g=', salt: 'c2VjcmV0LXNhbHQ=' },
  },
];

const REGISTERED = {
  url: `https://rancher.example.com/v3/import/secretsecretsecret_${ID}.yaml`,
  insecureSkipTLSVerify: false,
};

const HARVESTER: readonly Manifest[] = [
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: 'payments-vms',
      labels: {
        'field.cattle.io/projectId': 'p-x7k2p',
        'kubernetes.io/metadata.name': 'payments-vms',
        'team': 'payments',
      },
      annotations: {
        ...CREATOR,
        'cattle.io/status': '{"Conditions":[]}',
        'field.cattle.io/projectId': `${ID}:p-x7k2p`,
        'field.cattle.io/resourceQuota': '{"limit":{"limitsCpu":"4","limitsMemory":"16Gi"}}',
        'lifecycle.cattle.io/create.namespace-auth': 'true',
      },
    },
  },
  {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name: 'cluster-registration-url' },
    value: JSON.stringify(REGISTERED),
  },
];

test('declares what the UI made under the names that Rancher gave, and no secret', () => {
  const { text, differences, errors, notes, leftOut } = adopted([
    foundRancher('2.13.8', UI),
    foundHarvester('dc1', '1.7.2', HARVESTER),
  ]);
  expect({ differences, errors, notes }).toEqual({ differences: [], errors: [], notes: [] });
  expect(leftOut.flatMap(({ objects }) => objects).sort()).toEqual([
    `Cluster ${ID}`,
    `ProjectRoleTemplateBinding ${ID}-p-x7k2p/creator-project-owner`,
    'Secret cattle-local-user-passwords/u-b2xk9',
  ]);
  expect(text).toContain(`clusterId: ClusterId.existing('${ID}')`);
  expect(text).toMatch(
    /new TenantProject\(rancher, 'payments-eu', \{\s+name: 'p-x7k2p',\s+cluster: dc1Import,/,
  );
  expect(text).toMatch(
    /ProjectMember\.member\(Principal\.localUser\(\w+\), \{\s*bindingName: 'prtb-k2x9d',?\s*\}\)/,
  );
  expect(text).toMatch(
    /ClusterMember\.owner\(Principal\.groupOf\(AuthProvider\.OKTA, 'platform'\), \{\s*bindingName: 'crtb-9xk2d',?\s*\}\)/,
  );
  expect(text).toMatch(/new GlobalRoleBinding\(rancher, [^;]*name: 'grb-7xk2d'/);
  expect(text).toMatch(/labels: \{ team: 'payments' \},\s+quota: \{ limitsCpu: Cpu\.units\(4\) \}/);
  expect(text).not.toMatch(/secretsecret|c2VjcmV0|norman|creatorId|enabled|addJsonPatch/);
});

test('declares features that someone turned on or off', () => {
  const feature = (name: string, value: boolean | null, status: object): Manifest => ({
    apiVersion: V3,
    kind: 'Feature',
    metadata: { name },
    spec: { value },
    status,
  });
  const { text, differences, errors, notes } = adopted([
    foundRancher('2.13.8', [
      feature('harvester-baremetal-container-workload', true, {
        default: false,
        description: 'Deploys workloads to Harvester',
        dynamic: true,
        lockedValue: null,
      }),
      feature('fleet', null, {
        default: true,
        description: 'Installs Fleet',
        dynamic: false,
        lockedValue: null,
      }),
    ]),
  ]);
  expect({ differences, errors, notes }).toEqual({ differences: [], errors: [], notes: [] });
  expect(text).toContain(
    "new RancherFeature(rancher, 'harvester-baremetal-container-workload', { enabled: true });",
  );
  expect(text).not.toContain("'fleet'");
});

test('refers to an import that the UI made as a management cluster by its ID', () => {
  const legacy = 'c-abcde';
  const cluster: Manifest = {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: {
      name: legacy,
      namespace: 'fleet-default',
      labels: { 'provider.cattle.io': 'harvester' },
    },
    spec: {},
    status: { clusterName: legacy },
  };
  const management: Manifest = {
    apiVersion: V3,
    kind: 'Cluster',
    metadata: { name: legacy },
    spec: { displayName: 'berlin' },
  };
  const project: Manifest = {
    apiVersion: V3,
    kind: 'Project',
    metadata: { name: 'shop', namespace: legacy },
    spec: { clusterName: legacy, displayName: 'shop' },
  };
  const url = `https://rancher.example.com/v3/import/secretsecretsecret_${legacy}.yaml`;
  const setting: Manifest = {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name: 'cluster-registration-url' },
    value: JSON.stringify({ url, insecureSkipTLSVerify: false }),
  };
  const { text, differences, errors, notes } = adopted([
    foundRancher('2.13.8', [cluster, management, project]),
    foundHarvester('dc1', '1.7.2', [setting]),
  ]);
  expect({ differences, errors, notes }).toEqual({ differences: [], errors: [], notes: [] });
  expect(text).toMatch(
    /HarvesterImport\.fromClusterId\(rancher, '[^']+', \{\s*clusterId: 'c-abcde',\s*harvester: dc1,?\s*\}\)/,
  );
  expect(text).toMatch(/HarvesterSetting\.clusterRegistrationUrl\(dc1, [^;]*\.registrationUrl/);
  expect(text).not.toContain('secretsecret');
});

test('declares a cluster that the UI imported as Generic, with what Rancher made of it, and refers to the one that it runs on', () => {
  const mirrored: Manifest = {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: { name: 'c-x7k2p', namespace: 'fleet-default' },
    spec: {},
    status: { clusterName: 'c-x7k2p' },
  };
  const management: Manifest = {
    apiVersion: V3,
    kind: 'Cluster',
    metadata: {
      name: 'c-x7k2p',
      labels: { 'provider.cattle.io': 'k3s', 'stage': 'production' },
      annotations: {
        'rancher.io/imported-cluster-version-management': 'true',
        'field.cattle.io/no-creator-rbac': 'true',
      },
    },
    spec: {
      agentImageOverride: '',
      clusterSecrets: {},
      description: 'branch office',
      desiredAgentImage: 'rancher/rancher-agent:v2.15.0',
      displayName: 'edge',
      enableNetworkPolicy: false,
      fleetWorkspaceName: 'fleet-default',
      importedConfig: { kubeConfig: '', privateRegistryURL: 'registry.example.com' },
      internal: false,
      k3sConfig: {
        kubernetesVersion: 'v1.33.6+k3s1',
        k3supgradeStrategy: { serverConcurrency: 1, workerConcurrency: 2 },
      },
      localClusterAuthEndpoint: { enabled: false },
      windowsPreferedCluster: false,
    },
    status: { provider: 'k3s', driver: 'k3s' },
  };
  const ofLocal: Manifest = {
    apiVersion: V3,
    kind: 'ClusterRoleTemplateBinding',
    metadata: { name: 'crtb-abcde', namespace: 'local' },
    clusterName: 'local',
    roleTemplateName: 'cluster-owner',
    userPrincipalName: 'local://u-ana',
  } as Manifest;
  const { text, differences, errors, notes } = adopted([
    foundRancher('2.15.0', [mirrored, management, ofLocal]),
  ]);
  expect({ differences, errors, notes }).toEqual({ differences: [], errors: [], notes: [] });
  expect(text).toContain("ClusterId.existing('c-x7k2p')");
  expect(text).toContain("kubernetesVersion: 'v1.33.6+k3s1'");
  expect(text).toContain('versionManagement: FeatureMode.ENABLED');
  expect(text).toMatch(/upgradeStrategy: \{\s*workerConcurrency: 2,?\s*\}/);
  expect(text).toMatch(/privateRegistry: \{\s*host: 'registry\.example\.com',?\s*\}/);
  expect(text).toContain("labels: { stage: 'production' }");
  expect(text).toMatch(
    /ImportedCluster\.fromClusterId\(rancher, 'local', \{\s*clusterId: 'local', clusterTarget: rancher,?\s*\}\)/,
  );
  expect(text).not.toMatch(/addJsonPatch|new ApiObject/);
});

test('leaves out a registration whose form constructs do not write, since a patch would print its token', () => {
  const setting: Manifest = {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name: 'cluster-registration-url' },
    value: `https://rancher.example.com/v3/import/secretsecretsecret_${ID}.yaml`,
  };
  const { text, leftOut } = adopted([
    foundRancher('2.13.8', UI),
    foundHarvester('dc1', '1.7.2', [setting]),
  ]);
  expect(leftOut).toContainEqual({
    target: 'dc1',
    reason: 'contains a registration token',
    objects: ['Setting cluster-registration-url'],
  });
  expect(text).toContain('register: false');
  expect(text).not.toContain('secretsecret');
});

/**
 * What Rancher creates with a cluster, and what users put into it.
 * @see rancher/rancher:pkg/controllers/management/auth/project_cluster/cluster_handler.go createProject
 */
const BUILT_IN = (displayName: string, name: string): Manifest => ({
  apiVersion: V3,
  kind: 'Project',
  metadata: {
    name,
    namespace: ID,
    labels: { [`authz.management.cattle.io/${displayName.toLowerCase()}-project`]: 'true' },
    annotations: CREATOR,
  },
  spec: {
    clusterName: ID,
    displayName,
    description: `${displayName} project created for the cluster`,
  },
  status: { backingNamespace: `${ID}-${name}` },
});
const MEMBER_OF = (project: string, name: string, fields: object): Manifest => ({
  apiVersion: V3,
  kind: 'ProjectRoleTemplateBinding',
  metadata: {
    name,
    generateName: 'prtb-',
    namespace: `${ID}-${project}`,
    labels: NORMAN,
    annotations: CREATOR,
  },
  projectName: `${ID}:${project}`,
  ...fields,
});
const IN_PROJECT = (project: string, name: string, annotations = {}, labels = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name,
    labels: {
      'field.cattle.io/projectId': project,
      'kubernetes.io/metadata.name': name,
      ...labels,
    },
    annotations: {
      ...CREATOR,
      'cattle.io/status': '{"Conditions":[]}',
      'field.cattle.io/projectId': `${ID}:${project}`,
      ...annotations,
    },
  },
});

test('keeps the marks of a live namespace that a previous program kept, and leaves out one of a removed cluster', () => {
  const marked = (name: string): Manifest => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      uid: name,
      annotations: {
        'helm.sh/resource-policy': 'keep',
        'lifecycle.cattle.io/create.namespace-auth': 'true',
      },
      managedFields: [{ manager: 'cdk8s-harvester', operation: 'Apply' }],
    },
  });
  const { text, differences, errors, leftOut } = adopted([
    foundRancher('2.13.8', [marked('delivery'), marked('c-m-gonegone')]),
  ]);
  expect({ differences, errors }).toEqual({ differences: [], errors: [] });
  expect(text).toMatch(
    /new RancherNamespace\(rancher, 'delivery', \{\s+annotations: \{ 'helm.sh\/resource-policy': 'keep' \}/,
  );
  expect(text).not.toContain('c-m-gonegone');
  expect(leftOut).toEqual([
    {
      target: 'rancher',
      objects: ['Namespace c-m-gonegone'],
      reason: 'has the name of a management cluster, and no Cluster of that name was found',
    },
  ]);
});

test('adds members and namespaces to projects that Rancher created', () => {
  const { text, differences, errors, notes } = adopted([
    foundRancher('2.13.8', [
      ...UI.filter(({ kind }) => kind === 'Cluster'),
      BUILT_IN('Default', 'p-aaaaa'),
      BUILT_IN('System', 'p-bbbbb'),
      MEMBER_OF('p-aaaaa', 'prtb-k2x9d', {
        roleTemplateName: 'project-member',
        groupPrincipalName: 'okta_group://platform',
      }),
      MEMBER_OF('p-bbbbb', 'prtb-k2x9e', {
        roleTemplateName: 'read-only',
        groupPrincipalName: 'okta_group://audit',
      }),
    ]),
    foundHarvester('dc1', '1.7.2', [
      ...HARVESTER.filter(({ kind }) => kind === 'Setting'),
      IN_PROJECT(
        'p-aaaaa',
        'lab',
        { 'field.cattle.io/containerDefaultResourceLimit': '{"limitsCpu":"500m"}' },
        { team: 'lab' },
      ),
      IN_PROJECT('p-aaaaa', 'default'),
      IN_PROJECT('p-bbbbb', 'harvester-system'),
    ]),
  ]);
  expect({ differences, errors, notes }).toEqual({ differences: [], errors: [], notes: [] });
  expect(text)
    .toContain(`const defaultProject = TenantProject.defaultOf(rancher, 'Default', { cluster: dc1Import, name: 'p-aaaaa' });
defaultProject.grant(ProjectMember.member(Principal.groupOf(AuthProvider.OKTA, 'platform'), {
  bindingName: 'prtb-k2x9d',
}));
defaultProject.addNamespace('lab', { labels: { team: 'lab' }, containerDefaults: { limitsCpu: Cpu.millis(500) } });
`);
  expect(text).toMatch(
    /TenantProject\.systemOf\(rancher, 'System', \{\s+cluster: dc1Import,\s+name: 'p-bbbbb',\s+\}\)\.grant\(/,
  );
  expect(text).not.toMatch(/addJsonPatch|ApiObject|harvester-system/);
});

test('adds to a project that is not read what constructs write of it', () => {
  const group = (name: string) => ({
    roleTemplateName: 'project-member',
    groupPrincipalName: `okta_group://${name}`,
  });
  const labeled = MEMBER_OF('p-ccccc', 'prtb-labeled', group('audit'));
  const { text, differences, errors } = adopted([
    foundRancher('2.13.8', [
      ...UI.filter(({ kind }) => kind === 'Cluster'),
      MEMBER_OF('p-ccccc', 'prtb-plain', group('web')),
      { ...labeled, metadata: { ...labeled.metadata, labels: { team: 'audit' } } },
    ]),
    foundHarvester('dc1', '1.7.2', [
      HARVESTER[1],
      IN_PROJECT('p-ccccc', 'lab', {
        'field.cattle.io/resourceQuota': '{"limit":{"limitsCpu":"4"}}',
      }),
    ]),
  ]);
  expect({ differences, errors }).toEqual({ differences: [], errors: [] });
  expect(text)
    .toContain(`const pCcccc = TenantProject.fromName(rancher, 'p-ccccc', { cluster: dc1Import, name: 'p-ccccc' });
pCcccc.grant(ProjectMember.member(Principal.groupOf(AuthProvider.OKTA, 'web'), { bindingName: 'prtb-plain' }));
pCcccc.addNamespace('lab', { quota: { limitsCpu: Cpu.units(4) } });
`);
  expect(text).toMatch(/new ApiObject\(rancher, 'prtb-labeled'/);
  expect(text).not.toMatch(/fromName\([^;]*labels/);
});

/** Of an earlier Rancher, which lacked a switch. */
const LDAP = {
  apiVersion: V3,
  kind: 'AuthConfig',
  metadata: { name: 'openldap' },
  type: 'openLdapConfig',
  enabled: true,
  accessMode: 'unrestricted',
  servers: ['ldap.example.com'],
  port: 636,
  tls: true,
  userSearchBase: 'ou=people,dc=example,dc=com',
  serviceAccountDistinguishedName: 'cn=rancher,dc=example,dc=com',
  serviceAccountPassword: 'cattle-global-data:openldapconfig-serviceaccountpassword',
  connectionTimeout: 5000,
  nestedGroupMembershipEnabled: false,
  starttls: false,
  userDisabledBitMask: 0,
  groupDNAttribute: 'entryDN',
  groupMemberMappingAttribute: 'member',
  groupMemberUserAttribute: 'entryDN',
  groupNameAttribute: 'cn',
  groupObjectClass: 'groupOfNames',
  groupSearchAttribute: 'cn',
  userLoginAttribute: 'uid',
  userMemberAttribute: 'memberOf',
  userNameAttribute: 'cn',
  userObjectClass: 'inetOrgPerson',
  userSearchAttribute: 'uid|sn|givenName',
};

test('adopts what LDAP grants by the names of groups, without what controllers note', () => {
  const binding = {
    apiVersion: V3,
    kind: 'GlobalRoleBinding',
    metadata: {
      name: 'grb-x7k2p',
      annotations: {
        'authz.management.cattle.io/crb-name': 'cattle-globalrolebinding-grb-x7k2p',
        'cleanup.cattle.io/grbUpgradeCluster': 'true',
      },
    },
    globalRoleName: 'user',
    groupPrincipalName: 'openldap_group://cn=All Users,ou=groups,dc=example,dc=com',
  };
  const { text, notes, differences } = adopted([foundRancher('2.13.8', [LDAP, binding])]);
  expect({ notes, differences }).toEqual({ notes: [], differences: [] });
  expect(text).toContain("new GlobalRoleBinding(rancher, 'all-users-user', {");
  expect(text).not.toContain('cattle.io/crb-name');
  expect(text).not.toContain('grbUpgradeCluster');
});

test('reports why a construct refuses an object, without a place in a program', () => {
  const binding = {
    apiVersion: V3,
    kind: 'GlobalRoleBinding',
    metadata: { name: 'a' },
    globalRoleName: 'restricted-admin',
    groupPrincipalName: 'okta_group://ops',
  };
  const {
    notes: [note],
  } = adopted([foundRancher('2.13.8', [binding])]);
  expect(note.message).toMatch(
    /^is declared as an ApiObject: GlobalRoleBinding: .* Fix: use another role, or another version of Rancher$/,
  );
});

test('reports an object that a construct writes in other forms only', () => {
  const cluster = {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: { name: 'shop', namespace: 'fleet-default' },
    spec: { rkeConfig: { machinePools: [{ name: 'a' }] } },
  };
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'a' },
    rules: [],
  };
  const { notes } = adopted([foundRancher('2.13.8', [cluster, role])]);
  expect(
    notes.map(({ message }) => message.replace(/^is declared as an ApiObject: /, '')).sort(),
  ).toEqual([
    'no construct writes it in this form, or what it depends on was not read',
    'no construct writes such objects',
  ]);
});

test('adopts roles without a display name', () => {
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
  const { text, differences: differing } = adopted([
    foundRancher('2.13.8', [
      { apiVersion: V3, kind: 'GlobalRole', metadata: { name: 'pods' }, rules },
      {
        apiVersion: V3,
        kind: 'RoleTemplate',
        metadata: { name: 'reader' },
        context: 'project',
        rules,
      },
    ]),
  ]);
  expect(differing).toEqual([]);
  expect(text.match(/displayName: ''/g)).toHaveLength(2);
  expect(text).not.toMatch(/addJsonPatch|new ApiObject/);
});
