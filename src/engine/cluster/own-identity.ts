import { Cluster, RequestOptions } from './cluster';
import { isRecord, textsAt } from '../../core/manifest/manifest';
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
