import { Manifest, isManifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { JudgedObject, World } from '../../../src/core/rule/rule';
import { ALL_RULES } from '../../../src/registry/all-rules';
import { accessMatrix } from '../../../src/report/access/access-matrix';
import { JUNK, replaced } from '../../support/any-json';
import { HARVESTER, ID, IMPORT, RANCHER, crtb, globalRole, grb, namespace, project, prtb, role, tenant, user } from '../../support/tenancy';

const FAMILIES = /^(project|quota|tenant-namespace|project-binding|cluster-binding|role-template|global-role|global-role-binding|user|user-password)\//;
const RULES = ALL_RULES.filter(({ id }) => FAMILIES.test(id));
const QUOTA = { limit: { limitsCpu: '1' }, usedLimit: { limitsCpu: '1' } };
const RULE = { apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: ['a'] };

const ON_RANCHER: readonly Manifest[] = [
  IMPORT,
  project('payments', { resourceQuota: QUOTA, namespaceDefaultResourceQuota: QUOTA, containerDefaultResourceLimit: { limitsCpu: '1' } }, {
    annotations: { 'field.cattle.io/creatorId': 'u', 'field.cattle.io/no-creator-rbac': 'true' }, labels: { 'authz.management.cattle.io/system-project': 'true' },
  }),
  prtb({ userName: 'u', groupName: 'g' }),
  crtb(),
  grb({ userPrincipalName: 'local://u' }),
  role('r', { rules: [RULE], externalRules: [RULE], roleTemplateNames: ['read-only'], builtin: true, external: true, displayName: 'R' }),
  globalRole('g', { rules: [RULE], namespacedRules: { a: [RULE] }, inheritedNamespacedRules: { a: [RULE] }, inheritedClusterRoles: ['r'], inheritedFleetWorkspacePermissions: { resourceRules: [RULE], workspaceVerbs: ['get'] } }),
  user('u', { username: 'u', password: 'x', principalIds: ['local://u'] }),
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'u', namespace: 'cattle-local-user-passwords', annotations: { 'cattle.io/password-hash': 'pbkdf2sha3512' } },
    data: { password: 'x', salt: 'y' },
    stringData: { password: 'x' },
  },
];
const ON_HARVESTER: readonly Manifest[] = [
  tenant('a', `${ID}:payments`, { 'field.cattle.io/resourceQuota': '{"limit":{}}', 'field.cattle.io/containerDefaultResourceLimit': '{}' }),
  namespace('b', {}, { labels: { 'field.cattle.io/projectId': 'p' } }),
  { apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', metadata: { name: 'cluster-registration-url' }, value: `https://r.example.com/v3/import/t_${ID}.yaml` },
  {
    apiVersion: 'harvesterhci.io/v1beta1', kind: 'ResourceQuota', metadata: { name: 'x', namespace: 'a' }, spec: { snapshotLimit: { namespaceTotalSnapshotSizeQuota: 1, vmTotalSnapshotSizeQuota: { a: 1 } } },
  },
];
const OBJECTS: readonly JudgedObject[] = [
  ...ON_RANCHER.map((manifest) => ({ manifest, target: RANCHER })), ...ON_HARVESTER.map((manifest) => ({ manifest, target: HARVESTER })),
];

test.each(JUNK)('does not throw if %j replaces any value', (junk) => {
  let count = 0;
  for (const [index, object] of OBJECTS.entries()) {
    for (const odd of replaced(object.manifest, junk)) {
      // a name and a namespace of text is what reading a file sees to
      if (!isManifest(odd) || typeof (odd.metadata.namespace ?? '') !== 'string') { continue; }
      const odds = OBJECTS.map((other, at) => (at === index ? { ...object, manifest: odd } : other));
      judge(RULES, new World(odds));
      // an edit concerns the object that is edited; the others are there to be looked up
      const others = OBJECTS.filter((_, at) => at !== index);
      judge(RULES, new World([odds[index]!], others, [object]));
      judge(RULES, new World([object], others, [odds[index]!]));
      judge(RULES, new World([], others, [odds[index]!]));
      judge(RULES, new World(OBJECTS.slice(0, 1), odds, []));
      accessMatrix(odds);
      count++;
    }
  }
  expect(count).toBeGreaterThan(100);
});
