import { Cluster, RequestOptions } from './cluster';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, itemsAt, textsAt } from '../../core/manifest/manifest';
import { localPrincipal } from '../../rancher/binding/binding.kind';
import { NO_ANSWER, onFailure } from '../transport/api';

/** The identity of the user, in the server's terms. */
export interface Identity {
  readonly username: string;
  readonly groups: readonly string[];
  /** Principals in Rancher; undefined if the server is not reached through Rancher. */
  readonly principals?: readonly string[];
}

/**
 * The key in `extra` with the user's principals in other authentication providers.
 * @see rancher/rancher:pkg/auth/providers/common UserAttributePrincipalID
 */
const PRINCIPALS = 'principalid';

/** The identity; undefined if the server does not report it, such as before Kubernetes 1.28. */
export async function identityOn(
  cluster: Cluster,
  options: RequestOptions,
): Promise<Identity | undefined> {
  const status: unknown = await cluster
    .review('authentication.k8s.io/v1', 'SelfSubjectReview', {}, options)
    .catch(onFailure(NO_ANSWER, () => undefined));
  const user = isRecord(status) ? status.userInfo : undefined;
  if (!isRecord(user) || typeof user.username !== 'string') {
    return undefined;
  }
  const principals = isRecord(user.extra) ? user.extra[PRINCIPALS] : undefined;
  return {
    username: user.username,
    groups: textsAt(user.groups),
    ...(Array.isArray(principals) ? { principals: textsAt(principals) } : {}),
  };
}

/** Whether a binding gives its role to an identity. */
export function bindsIdentity(binding: Manifest, identity: Identity): boolean {
  const { username, groups, principals } = identity;
  const { userName, userPrincipalName, groupName, groupPrincipalName } = binding;
  return (
    itemsAt(binding, 'subjects').some(
      (subject) => isRecord(subject) && isSubject(subject, identity),
    ) ||
    isOne(userName, [username]) ||
    isOne(userPrincipalName, [localPrincipal(username), ...(principals ?? [])]) ||
    isOne(groupName, groups) ||
    isOne(groupPrincipalName, groups)
  );
}

/** A late name may be anyone. */
function isOne(value: unknown, names: readonly string[]): boolean {
  return isLate(value) || (typeof value === 'string' && names.includes(value));
}

function isSubject(
  { kind, name, namespace }: { readonly [field: string]: unknown },
  { username, groups }: Identity,
): boolean {
  switch (kind) {
    case 'User':
      return isOne(name, [username]);
    case 'Group':
      return isOne(name, groups);
    case 'ServiceAccount':
      return isOne(`system:serviceaccount:${String(namespace)}:${String(name)}`, [username]);
    default:
      return false;
  }
}
