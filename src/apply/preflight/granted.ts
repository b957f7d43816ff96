import { isNoAnswer } from './ask';
import { AssemblyObject, AssemblyTarget } from '../../model/assembly';
import { isLate } from '../../model/late-token';
import { groupOf, isRecord, Manifest } from '../../model/manifest';
import { GROUPS } from '../../model/names';
import { LOCAL_SCHEME, localPrincipal } from '../../model/tenancy/principals';
import { texts } from '../access/policy-rule';
import { Cluster, RequestOptions } from '../cluster/cluster';

/** Who asks, as a server knows him. */
interface Identity {
  readonly username: string;
  readonly groups: readonly string[];
  /** As Rancher says them; undefined where it is not asked through Rancher. */
  readonly principals?: readonly string[];
}

/** Bindings by group. Those of Rancher count on all clusters that it manages. */
const BINDINGS: { readonly [group: string]: readonly string[] } = {
  'rbac.authorization.k8s.io': ['RoleBinding', 'ClusterRoleBinding'],
  [GROUPS.MANAGEMENT]: ['GlobalRoleBinding', 'ClusterRoleTemplateBinding', 'ProjectRoleTemplateBinding'],
};

/** The key below `extra` by which Rancher tells who somebody is elsewhere. @see rancher/rancher:pkg/auth/providers/common UserAttributePrincipalID */
const PRINCIPALS = 'principalid';

/** Whether a run writes a binding for the very identity that it has: then it may have rights later that it has not now. */
export async function mayBeGranted(
  target: AssemblyTarget, cluster: Cluster, objects: readonly AssemblyObject[], manifests: ReadonlyMap<string, Manifest>, options: RequestOptions,
): Promise<boolean> {
  const bindings = objects.filter((object) => BINDINGS[groupOf(object.apiVersion)]?.includes(object.kind)
    && (object.target === target.name || groupOf(object.apiVersion) === GROUPS.MANAGEMENT));
  if (bindings.length === 0) { return false; }
  const identity = await identityOn(cluster, options);
  return bindings.some(({ id }) => isFor(manifests.get(id)!, identity));
}

/** Undefined where the server does not say, e.g. one before Kubernetes 1.28. */
async function identityOn(cluster: Cluster, options: RequestOptions): Promise<Identity | undefined> {
  let status: unknown;
  try {
    status = await cluster.review('authentication.k8s.io/v1', 'SelfSubjectReview', {}, options);
  } catch (error) {
    if (isNoAnswer(error)) { return undefined; }
    throw error;
  }
  const user = isRecord(status) ? status.userInfo : undefined;
  if (!isRecord(user) || typeof user.username !== 'string') { return undefined; }
  const principals = isRecord(user.extra) ? user.extra[PRINCIPALS] : undefined;
  return { username: user.username, groups: texts(user.groups), ...(Array.isArray(principals) ? { principals: texts(principals) } : {}) };
}

function isFor(binding: Manifest, identity: Identity | undefined): boolean {
  if (!identity) { return true; }
  const { username, groups, principals } = identity;
  const { subjects, userName, userPrincipalName, groupName, groupPrincipalName } = binding;
  // somebody of another provider, and nobody who tells who we are there
  const elsewhere = userName === undefined && principals === undefined
    && typeof userPrincipalName === 'string' && !userPrincipalName.startsWith(`${LOCAL_SCHEME}:`);
  return (Array.isArray(subjects) && subjects.some((subject) => isRecord(subject) && isSubject(subject, identity)))
    || isOne(userName, [username]) || isOne(userPrincipalName, [localPrincipal(username), ...principals ?? []]) || elsewhere
    || isOne(groupName, groups) || isOne(groupPrincipalName, groups);
}

/** What is late may be anybody. */
function isOne(value: unknown, names: readonly string[]): boolean {
  return isLate(value) || (typeof value === 'string' && names.includes(value));
}

function isSubject({ kind, name, namespace }: { readonly [field: string]: unknown }, { username, groups }: Identity): boolean {
  switch (kind) {
    case 'User': return isOne(name, [username]);
    case 'Group': return isOne(name, groups);
    case 'ServiceAccount': return isOne(`system:serviceaccount:${String(namespace)}:${String(name)}`, [username]);
    default: return false;
  }
}
