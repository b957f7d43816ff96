import { CONTAINER_LIMIT_KEYS, QUOTA_EXTENDED, QUOTA_KEYS } from './quota.check';
import { API_VERSIONS } from '../../core/manifest/names';
import { FieldsShape, KindShape, Shape, each, fields, list, map, root, since } from '../../core/shape/shape';

/** The Rancher whose definitions were read from a running one; what earlier ones say of these kinds is not known. */
const STRUCTURAL_SINCE = '2.13.0';

const NAMES = list('string');
const RULES = list(fields({ apiGroups: NAMES, nonResourceURLs: NAMES, resourceNames: NAMES, resources: NAMES, verbs: NAMES }));
const LIMIT = fields({ ...each('string', ...QUOTA_KEYS), [QUOTA_EXTENDED]: since('2.14.0', map('string')) });

const SUBJECT = each('string', 'userName', 'userPrincipalName', 'groupName', 'groupPrincipalName');

function tenancy(kind: string, shape: FieldsShape): KindShape {
  return { apiVersion: API_VERSIONS.MANAGEMENT, kind, shape, structuralSince: STRUCTURAL_SINCE };
}

const PROJECT_SPEC: Readonly<Record<string, Shape>> = {
  ...each('string', 'clusterName', 'displayName', 'description'),
  resourceQuota: fields({ limit: LIMIT, usedLimit: LIMIT }),
  namespaceDefaultResourceQuota: fields({ limit: LIMIT }),
  containerDefaultResourceLimit: fields(each('string', ...CONTAINER_LIMIT_KEYS)),
};

/** Projects, their members, roles and users. */
export const TENANCY_SHAPES: readonly KindShape[] = [
  tenancy('Project', root({ spec: fields(PROJECT_SPEC), status: 'any' })),
  tenancy('ProjectRoleTemplateBinding', root({ ...SUBJECT, ...each('string', 'projectName', 'roleTemplateName', 'serviceAccount') })),
  tenancy('ClusterRoleTemplateBinding', root({ ...SUBJECT, ...each('string', 'clusterName', 'roleTemplateName'), status: 'any' })),
  tenancy('RoleTemplate', root({
    ...each('boolean', 'administrative', 'builtin', 'clusterCreatorDefault', 'external', 'hidden', 'locked', 'projectCreatorDefault'),
    ...each('string', 'context', 'description', 'displayName'),
    rules: RULES,
    externalRules: RULES,
    roleTemplateNames: NAMES,
  })),
  tenancy('GlobalRole', root({
    ...each('string', 'description', 'displayName'),
    ...each('boolean', 'builtin', 'newUserDefault'),
    rules: RULES,
    namespacedRules: map(RULES),
    inheritedNamespacedRules: since('2.15.0', map(RULES)),
    inheritedClusterRoles: NAMES,
    inheritedFleetWorkspacePermissions: fields({ resourceRules: RULES, workspaceVerbs: NAMES }),
    status: 'any',
  })),
  tenancy('GlobalRoleBinding', root({ ...each('string', 'globalRoleName', 'userName', 'userPrincipalName', 'groupPrincipalName'), status: 'any' })),
  tenancy('User', root({
    ...each('string', 'description', 'displayName', 'username', 'password'),
    ...each('boolean', 'enabled', 'me', 'mustChangePassword'),
    principalIds: NAMES,
    status: 'any',
  })),
];
