import { groupOf, textsAt } from '../../core/manifest/manifest';
import { API_VERSIONS, GROUPS } from '../../core/manifest/names';
import { rulesOf } from '../../core/rbac/policy-rule';
import {
  AUTH_CONFIG_KIND,
  LISTED_FOR_LOGINS,
  LOCAL_PROVIDER,
} from '../../rancher/auth/auth-config.kind';
import { providerOfSecret } from '../../rancher/auth/auth-provider.data';
import { GLOBAL_DATA } from '../../rancher/credential/secret.kind';
import { PASSWORD_NAMESPACE } from '../../rancher/user/user.kind';
import { Cluster, LiveObject } from '../cluster/cluster';
import { InventoryEntry, Leftover } from '../inventory/inventory';
import { ApiError, isFailure } from '../transport/api';

/** Why a provider or its Secret is kept: `Kept` describes the fields. */
interface KeptLogin {
  readonly why: string;
  readonly passes: boolean;
  readonly keepsNeeds?: boolean;
  readonly isUnfinished?: boolean;
}

/**
 * Why an object by which people log in is kept; undefined if it is disabled or deleted.
 *
 * @param isDisabled whether the run disables a provider before it comes to the object
 */
export type LoginGuard = (
  entry: InventoryEntry,
  live: LiveObject,
  target: string,
  isDisabled?: (provider: string) => boolean,
) => KeptLogin | undefined;

interface LoginOptions {
  /** The cluster of a target; undefined if it does not exist. */
  readonly cluster: (target: string) => Promise<Cluster | undefined>;
  /** All objects that the run removes. */
  readonly gone: readonly Leftover[];
  readonly signal?: AbortSignal;
}

/**
 * Reads who can log in to the Ranchers from which providers, or their Secrets, are removed.
 * Undefined if none are.
 */
export async function loginGuard(
  removed: readonly Leftover[],
  { cluster, gone, signal }: LoginOptions,
): Promise<LoginGuard | undefined> {
  const targets = new Set(
    removed.filter(({ entry }) => isOfLogin(entry)).map(({ target }) => target),
  );
  if (targets.size === 0) {
    return undefined;
  }
  const logins = new Map<string, Logins | ApiError>();
  for (const target of targets) {
    const api = await cluster(target);
    if (api) {
      const own = gone.filter((each) => each.target === target).map(({ entry }) => entry);
      logins.set(target, await readLogins(api, own, signal).catch(asUnknown));
    }
  }
  return (entry, live, target, isDisabled) => {
    const known = logins.get(target);
    return known && isOfLogin(entry) ? keptFor(entry, live, known, isDisabled) : undefined;
  };
}

/** The configuration of a provider, or one of its Secrets. */
function isOfLogin(entry: InventoryEntry): boolean {
  return isProvider(entry) || (entry.policy === 'delete' && providerOf(entry) !== undefined);
}

function isProvider({ apiVersion, kind, policy }: InventoryEntry): boolean {
  return (
    policy === 'reset' && groupOf(apiVersion) === GROUPS.MANAGEMENT && kind === AUTH_CONFIG_KIND
  );
}

function providerOf({ apiVersion, kind, namespace, name }: InventoryEntry): string | undefined {
  return apiVersion === API_VERSIONS.CORE && kind === 'Secret' && namespace === GLOBAL_DATA
    ? providerOfSecret(name)
    : undefined;
}

function asUnknown(error: unknown): ApiError {
  if (isFailure(error, 'forbidden')) {
    return error;
  }
  throw error;
}

/** Who can log in to a Rancher. */
interface Logins {
  /** The providers that are enabled. */
  readonly enabled: ReadonlySet<string>;
  /** The providers that the run removes. */
  readonly leaving: ReadonlySet<string>;
  /** The providers by which an administrator can log in after the run. */
  readonly remaining: ReadonlySet<string>;
}

function keptFor(
  entry: InventoryEntry,
  live: LiveObject,
  logins: Logins | ApiError,
  isDisabled: (provider: string) => boolean = () => false,
): KeptLogin | undefined {
  const keep = (why: string): KeptLogin => ({
    why,
    passes: true,
    keepsNeeds: true,
    isUnfinished: true,
  });
  if (isProvider(entry)) {
    if (live.enabled !== true) {
      return undefined;
    }
    if (logins instanceof ApiError) {
      return keep(
        `remains enabled: cannot check whether an administrator can log in without it (${logins.message}). Fix: run the command as an administrator`,
      );
    }
    return logins.remaining.size > 0 ? undefined : keep(LAST_WAY);
  }
  const provider = providerOf(entry)!;
  if (isDisabled(provider)) {
    return undefined;
  }
  if (logins instanceof ApiError) {
    return keep(`cannot check whether its provider ${provider} is disabled: ${logins.message}`);
  }
  // the program handed it over to Rancher, or never declared the provider
  if (logins.enabled.has(provider)) {
    return {
      why: `users log in with it: the provider ${provider} is enabled`,
      passes: logins.leaving.has(provider),
    };
  }
  return undefined;
}

/** Why the last provider remains enabled. */
const LAST_WAY =
  'remains enabled: it is the last way in, since no administrator could log in without it. ' +
  'Fix: first let another administrator log in, such as a User with a password and GlobalPermission.ADMIN; then run the command again';

async function readLogins(
  cluster: Cluster,
  gone: readonly InventoryEntry[],
  signal?: AbortSignal,
): Promise<Logins> {
  const [configs, roles, bindings, users] = await Promise.all(
    LISTED_FOR_LOGINS.map(async (kind) => cluster.list(API_VERSIONS.MANAGEMENT, kind, { signal })),
  );
  const leaving = new Set(gone.filter(isProvider).map(({ name }) => name));
  const deleted = new Set(gone.flatMap(({ policy, uid }) => (policy === 'delete' ? [uid] : [])));
  const remains = ({ metadata }: LiveObject): boolean =>
    metadata.deletionTimestamp === undefined && !deleted.has(metadata.uid);
  const enabled = new Set(
    configs.filter((config) => config.enabled === true).map(({ metadata }) => metadata.name),
  );
  const powerful = new Set(roles.filter(isAdministrator).map(({ metadata }) => metadata.name));
  const byName = new Map(users.filter(remains).map((user) => [user.metadata.name, user]));
  const remaining = new Set<string>();
  for (const binding of bindings.filter(remains)) {
    if (!powerful.has(String(binding.globalRoleName))) {
      continue;
    }
    const user = byName.get(String(binding.userName ?? ''));
    const principals = [
      ...textsAt([binding.userPrincipalName, binding.groupPrincipalName]),
      ...(user && user.enabled !== false ? textsAt(user.principalIds) : []),
    ];
    for (const provider of principals.flatMap((principal) => providerOfPrincipal(principal))) {
      if (enabled.has(provider) && !leaving.has(provider)) {
        remaining.add(provider);
      }
    }
    if (user && user.enabled !== false && (await hasPassword(user, cluster, signal))) {
      remaining.add(LOCAL_PROVIDER);
    }
  }
  return { enabled, leaving, remaining };
}

/** Whether a role allows everything. @see rancher/rancher:pkg/data/management/role_data.go admin */
function isAdministrator(role: LiveObject): boolean {
  return rulesOf(role.rules).some(({ apiGroups, resources, verbs }) =>
    [apiGroups, resources, verbs].every((all) => all.includes('*')),
  );
}

/**
 * The provider of a principal other than of local users: `okta` of `okta_user://ana`.
 * @see rancher/rancher:pkg/auth/cleanup/service.go getProviderNameFromPrincipalNames
 */
function providerOfPrincipal(principal: string): string[] {
  const [, provider] = /^([^_:]+)_[^:]*:\/\//.exec(principal) ?? [];
  return provider === undefined || provider === LOCAL_PROVIDER ? [] : [provider];
}

/** Whether a user can log in without a provider; the password of earlier versions is in the User. */
async function hasPassword(
  { password, metadata }: LiveObject,
  cluster: Cluster,
  signal?: AbortSignal,
): Promise<boolean> {
  const { name } = metadata;
  if (typeof password === 'string' && password !== '') {
    return true;
  }
  const secret = { apiVersion: 'v1', kind: 'Secret', namespace: PASSWORD_NAMESPACE, name };
  return (await cluster.read(secret, { signal })) !== undefined;
}
