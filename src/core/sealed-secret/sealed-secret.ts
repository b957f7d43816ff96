import { Manifest, isRecord, objectLabel, valueAt } from '../manifest/manifest';
import { GROUPS } from '../manifest/names';

/**
 * The API version and kind that the controller of Sealed Secrets decrypts.
 * @see bitnami-labs/sealed-secrets:helm/sealed-secrets/crds/bitnami.com_sealedsecrets.yaml
 */
export const SEALED_SECRET = {
  apiVersion: `${GROUPS.SEALED_SECRETS}/v1alpha1`,
  kind: 'SealedSecret',
} as const;

const PREFIX = 'sealedsecrets.bitnami.com';

/**
 * Annotations by which a Secret outlives its SealedSecret, and the controller still updates it.
 * @see bitnami-labs/sealed-secrets:pkg/apis/sealedsecrets/v1alpha1/types.go; pkg/controller/controller.go isAnnotatedToBeManaged
 */
export const SEALED_STAYS = {
  [`${PREFIX}/managed`]: 'true',
  [`${PREFIX}/skip-set-owner-references`]: 'true',
} as const;

/**
 * The scopes, by the names that kubeseal has for them: where a controller accepts the encrypted
 * values.
 */
export type SealScope = 'strict' | 'namespace-wide' | 'cluster-wide';

/**
 * The scopes that an annotation names.
 * @see bitnami-labs/sealed-secrets:pkg/apis/sealedsecrets/v1alpha1/sealedsecret_expansion.go SecretScope
 */
const ANNOTATED_SCOPES = ['cluster-wide', 'namespace-wide'] as const;

/** The scope of a Secret: by its own annotation, or the given one. */
export function sealScopeOf({ metadata }: Manifest, scope: SealScope): SealScope {
  const { annotations = {} } = metadata;
  return ANNOTATED_SCOPES.find((name) => annotations[`${PREFIX}/${name}`] === 'true') ?? scope;
}

/** What encrypted values are bound to: a controller decrypts them nowhere else. */
export function sealedFor({ metadata }: Manifest, scope: SealScope): string {
  const { namespace = '', name } = metadata;
  if (scope === 'strict') {
    return `${namespace}/${name}`;
  }
  if (scope === 'namespace-wide') {
    return namespace;
  }
  return '';
}

/**
 * The values of a Secret in Base64, by key. `stringData` takes the place of `data`, as on the
 * server. Throws without a value for one that is not Base64.
 */
export function secretValues(secret: Manifest): ReadonlyMap<string, string> {
  const { data, stringData } = secret;
  const values = new Map<string, string>();
  for (const [key, value] of Object.entries(isRecord(data) ? data : {})) {
    const joined = typeof value === 'string' ? value.replace(/[\r\n]/g, '') : (value ?? '');
    if (typeof joined !== 'string' || Buffer.from(joined, 'base64').toString('base64') !== joined) {
      throw new Error(
        `${objectLabel(secret)}: data.${key} must be Base64. Fix: use stringData for plain text`,
      );
    }
    values.set(key, joined);
  }
  for (const [key, value] of Object.entries(isRecord(stringData) ? stringData : {})) {
    if (typeof value !== 'string' && value !== null) {
      throw new Error(
        `${objectLabel(secret)}: stringData.${key} must be a text. Fix: set it to a text`,
      );
    }
    values.set(key, Buffer.from(value ?? '', 'utf8').toString('base64'));
  }
  return values;
}

/** How a SealedSecret is made of a Secret. */
interface SealedForm {
  readonly scope: SealScope;
  /** Whether the Secret remains when the SealedSecret is deleted. */
  readonly stays: boolean;
}

/**
 * The SealedSecret of a Secret: labels, annotations, type and `immutable` are those that the
 * controller gives to the Secret.
 */
export function sealedSecretOf(
  secret: Manifest,
  encryptedData: { readonly [key: string]: string },
  { scope, stays }: SealedForm,
): Manifest {
  const { type, immutable } = secret;
  const { name, namespace, labels, annotations } = secret.metadata;
  const scoped = scope === 'strict' ? {} : { [`${PREFIX}/${scope}`]: 'true' };
  const inTemplate = { ...annotations, ...(stays ? SEALED_STAYS : {}), ...scoped };
  return {
    ...SEALED_SECRET,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(Object.keys(scoped).length > 0 ? { annotations: scoped } : {}),
    },
    spec: {
      encryptedData,
      template: {
        ...(immutable === undefined ? {} : { immutable }),
        metadata: {
          ...(Object.keys(inTemplate).length > 0 ? { annotations: inTemplate } : {}),
          ...(labels ? { labels } : {}),
          name,
          ...(namespace === undefined ? {} : { namespace }),
        },
        ...(type === undefined ? {} : { type }),
      },
    },
  };
}

/** The encrypted values of a SealedSecret, by key. */
export function encryptedDataOf(sealed: unknown): { readonly [key: string]: string } {
  const values = valueAt(sealed, 'spec', 'encryptedData');
  return isRecord(values)
    ? Object.fromEntries(
        Object.entries(values).filter(
          (entry): entry is [string, string] => typeof entry[1] === 'string',
        ),
      )
    : {};
}
