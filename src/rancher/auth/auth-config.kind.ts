import { AUTH_PROVIDERS, DIRECTORY_FIELD, SECRET_REFERENCE } from './auth-provider.data';
import { KindDescription, ON_RANCHER } from '../../core/kind/kind';
import { conditionOf } from '../../core/kind/ready/readiness';
import { annotationsOf, at, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';

/** The kind of the configuration of a provider. */
export const AUTH_CONFIG_KIND = 'AuthConfig';

/** The kinds that show who can log in: apply lists them before it disables a provider. */
export const LISTED_FOR_LOGINS = [
  AUTH_CONFIG_KIND,
  'GlobalRole',
  'GlobalRoleBinding',
  'User',
] as const;

/** The provider of local users, which cannot be configured. */
export const LOCAL_PROVIDER = 'local';

/**
 * Annotation of an AuthConfig: whether Rancher deletes what belongs to a provider that is turned
 * off. Rancher deletes nothing with `user-locked`.
 * @see rancher/rancher:pkg/controllers/management/auth/auth_config.go
 */
export const ANNOTATION_CLEANUP = 'management.cattle.io/auth-provider-cleanup';

/**
 * The value with which Rancher deletes what belongs to a provider once it is disabled, and that it
 * sets while a provider is enabled.
 */
const CLEANUP_UNLOCKED = 'unlocked';

/** The value with which Rancher keeps everything. */
export const CLEANUP_LOCKED = 'user-locked';

/**
 * The conditions of an enabled provider before which Rancher writes its AuthConfig once more, by a
 * struct that lacks managedFields. Seen on Rancher 2.15.0.
 * @see rancher/rancher:pkg/controllers/management/secretmigrator/authconfig.go syncAuthConfig (from 2.9.0)
 */
const MIGRATED: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['oktaConfig', ['OktaPasswordMigrated']],
  ['shibbolethConfig', ['SecretsMigrated', 'ShibbolethSecretFixed']],
]);

/**
 * How users log in.
 * @see rancher/rancher:pkg/auth/data/authconfig_data.go: Rancher creates all of these objects at its start
 */
export const AUTH_CONFIG_DESCRIPTION: KindDescription = {
  group: GROUPS.MANAGEMENT,
  version: 'v3',
  kind: AUTH_CONFIG_KIND,
  part: { noun: 'login provider', order: 240 },
  deletion: {
    policy: 'reset',
    reason:
      'the provider is disabled: Rancher deletes its users, their tokens and bindings, and its Secrets',
  },
  reset: {
    field: 'enabled',
    value: () => false,
    isDone: ({ enabled }) => enabled !== true,
    refused: ({ metadata }) =>
      metadata.name === LOCAL_PROVIDER
        ? 'is the provider of local users, which is always enabled'
        : undefined,
    remains: (live) =>
      live.enabled !== true && annotationsOf(live)[ANNOTATION_CLEANUP] === CLEANUP_UNLOCKED
        ? 'Rancher still deletes the users, tokens, bindings, and Secrets of the provider'
        : undefined,
    byEngines:
      'engines cannot disable it, so users can still log in: remove it with apply, or set enabled to false first',
  },
  scope: 'Cluster',
  createdByRancher: true,
  isLogin: true,
  machinesGoWithout: () => true,
  targets: ON_RANCHER,
  // after the Secrets
  rank: 32,
  stage: 'access',
  references: (manifest) =>
    [...Object.values(manifest), valueAt(manifest, DIRECTORY_FIELD, 'serviceAccountPassword')]
      .filter(isSecretReference)
      .map((value) => ({
        group: '',
        kind: 'Secret',
        name: value.slice(SECRET_REFERENCE.length),
        namespaces: [SECRET_REFERENCE.slice(0, -1)],
      })),
  writtenByOthers: ['metadata.annotations', 'metadata.labels', 'logoutAllSupported'],
  losesRecord: (live) =>
    live.enabled === true &&
    (MIGRATED.get(live.type) ?? []).some((type) => conditionOf(live, type)?.status !== 'True'),
  // a switch that is off may be left out, e.g. one that a later Rancher added
  meansTheSame: (_, __, before, desired) =>
    (before === undefined || before === null) && desired === false,
  // the value is in the Secret that it names
  secrecyOf: (path, manifest) =>
    /^cattle-global-data:[a-z0-9-]+$/.test(String(at(manifest, path))) ? 'public' : undefined,
  alwaysThere: LOCAL_PROVIDER,
  kept: [
    {
      never: true,
      says: "an AuthConfig is Rancher's: it is disabled, never deleted",
      when: ({ metadata }) => metadata.name === LOCAL_PROVIDER || AUTH_PROVIDERS.has(metadata.name),
    },
  ],
};

function isSecretReference(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(SECRET_REFERENCE);
}
