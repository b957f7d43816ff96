import { ClusterRole, GlobalPermission, ProjectRole } from './roles';
import { DraftProps, FoundObject, StaticCall, StaticMember, call, member } from '../../core/draft/draft';
import { Surroundings, listAt, referOn } from '../../core/draft/inverse';
import { Manifest, isRecord } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';

/** The kind of a role of clusters and projects. */
export const ROLE_TEMPLATE = `${GROUPS.MANAGEMENT}/RoleTemplate`;

/** The kind of a global role. */
export const GLOBAL_ROLE = `${GROUPS.MANAGEMENT}/GlobalRole`;

type RoleExpression = StaticMember | StaticCall;

/** A role of a cluster, by the name of its RoleTemplate. */
export function clusterRole(name: string, object: FoundObject, around: Surroundings): RoleExpression {
  return staticRole('ClusterRole', Object.entries(ClusterRole), ({ roleTemplateName }) => roleTemplateName === name)
    ?? ownRole('ClusterRole', 'fromTemplate', ROLE_TEMPLATE, name, object, around);
}

/** A role of a project, by the name of its RoleTemplate. */
export function projectRole(name: string, object: FoundObject, around: Surroundings): RoleExpression {
  return staticRole('ProjectRole', Object.entries(ProjectRole), ({ roleTemplateName }) => roleTemplateName === name)
    ?? ownRole('ProjectRole', 'fromTemplate', ROLE_TEMPLATE, name, object, around);
}

/** A global permission, by the name of its GlobalRole. */
export function globalPermission(name: string, object: FoundObject, around: Surroundings): RoleExpression {
  return staticRole('GlobalPermission', Object.entries(GlobalPermission), ({ globalRoleName }) => globalRoleName === name)
    ?? ownRole('GlobalPermission', 'fromRole', GLOBAL_ROLE, name, object, around);
}

function staticRole<T>(type: string, members: readonly (readonly [string, T])[], isIt: (role: T) => boolean): StaticMember | undefined {
  const found = members.find(([, role]) => isIt(role));
  return found && member(type, found[0]);
}

/** A role that was found is referred to, so that it is applied before its bindings. */
function ownRole(type: string, method: string, kind: string, name: string, { target }: FoundObject, around: Surroundings): StaticCall {
  const [group, roleKind] = kind.split('/');
  const found = around.find({ target, group, kind: roleKind, name });
  return found && !isBuiltIn(found.manifest) ? call(type, method, referOn(target, kind, name)) : call(type, 'of', name);
}

/** Whether Rancher creates a role at its start. */
function isBuiltIn({ builtin }: Manifest): boolean {
  return builtin === true;
}

/** The rules of a role as props; undefined without rules. */
export function rulesProp(rules: unknown): readonly DraftProps[] | undefined {
  const list = Array.isArray(rules) ? rules.filter(isRecord) : [];
  if (list.length === 0) { return undefined; }
  return list.map(({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }) => ({
    verbs: filled(verbs) ?? [],
    apiGroups: filled(apiGroups),
    resources: filled(resources),
    resourceNames: filled(resourceNames),
    nonResourceUrls: filled(nonResourceURLs),
  }));
}

function filled(list: unknown): readonly string[] | undefined {
  return Array.isArray(list) && list.length > 0 ? list : undefined;
}

/** The names in a list of a role. */
export function namesAt(manifest: Manifest, field: string): readonly string[] {
  return listAt(manifest, field).filter((name): name is string => typeof name === 'string');
}
