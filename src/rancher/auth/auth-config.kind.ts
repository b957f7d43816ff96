import { AUTH_PROVIDERS, SECRET_REFERENCE } from './auth-provider.data';
import { KindDescription, ON_RANCHER } from '../../core/kind/kind';
import { at } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';

/** The provider of local users, which cannot be configured. */
export const LOCAL_PROVIDER = 'local';

/**
 * Annotation of an AuthConfig: whether Rancher deletes what belongs to a provider that is turned
 * off. Rancher deletes nothing with `user-locked`.
 * @see rancher/rancher:pkg/controllers/management/auth/auth_config.go
 */
export const ANNOTATION_CLEANUP = 'management.cattle.io/auth-provider-cleanup';

/** The value with which Rancher keeps everything. */
export const CLEANUP_LOCKED = 'user-locked';

/**
 * How users log in.
 * @see rancher/rancher:pkg/auth/data/authconfig_data.go: Rancher creates all of these objects at its start
 */
export const AUTH_CONFIG_DESCRIPTION: KindDescription = {
  group: GROUPS.MANAGEMENT,
  version: 'v3',
  kind: 'AuthConfig',
  deletion: { policy: 'keep', reason: 'Rancher owns it, and users log in with it' },
  scope: 'Cluster',
  createdByRancher: true,
  machinesGoWithout: () => true,
  targets: ON_RANCHER,
  // after the Secrets
  rank: 32,
  stage: 'access',
  references: (manifest) =>
    Object.values(manifest).flatMap((value) =>
      typeof value === 'string' && value.startsWith(SECRET_REFERENCE)
        ? [
            {
              group: '',
              kind: 'Secret',
              name: value.slice(SECRET_REFERENCE.length),
              namespaces: [SECRET_REFERENCE.slice(0, -1)],
            },
          ]
        : [],
    ),
  writtenByOthers: ['metadata.annotations', 'metadata.labels', 'logoutAllSupported'],
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
      says: "an AuthConfig is Rancher's: set enabled to false instead",
      when: ({ metadata: { name } }) => name === LOCAL_PROVIDER || AUTH_PROVIDERS.has(name),
    },
  ],
};
