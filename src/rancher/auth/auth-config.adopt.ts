import { API_HOST, AUTH_PROVIDERS, AuthField } from './auth-provider.data';
import { TargetKind } from '../../core/construct/target';
import {
  DraftProps,
  DraftValue,
  FoundCluster,
  call,
  enumValue,
  Inverse,
} from '../../core/draft/draft';
import { Fields, isRecord } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { lacksFeature } from '../../core/version/target-features';
import { principalOf } from '../members/members.adopt';
import { parsePrincipal } from '../members/principal.check';

/** The constructs that are for several providers. */
const WITH_PROVIDER: readonly string[] = ['OidcAuthConfig', 'SamlAuthConfig', 'LdapAuthConfig'];

/**
 * From an AuthConfig of an enabled provider to the construct, which refers to the Secrets that
 * Rancher has.
 */
export const AUTH_CONFIG_INVERSE: Inverse = {
  kinds: [`${GROUPS.MANAGEMENT}/AuthConfig`],
  leftOut: ({ manifest }) =>
    manifest.enabled === true && AUTH_PROVIDERS.has(manifest.metadata.name)
      ? undefined
      : 'is the configuration of an authentication provider that is off, or built in',
  drafts: (object, around) => {
    const { manifest, target } = object;
    const provider = AUTH_PROVIDERS.get(manifest.metadata.name);
    if (!provider || around.cluster(target).kind !== TargetKind.RANCHER) {
      return [];
    }
    const ids = manifest.allowedPrincipalIds;
    const props: DraftProps = {
      provider: WITH_PROVIDER.includes(provider.construct)
        ? enumValue('AuthProvider', manifest.metadata.name)
        : undefined,
      access:
        manifest.accessMode === 'unrestricted'
          ? undefined
          : enumValue('AuthAccess', manifest.accessMode),
      allowedPrincipals: Array.isArray(ids)
        ? ids
            .map(String)
            .map((principalId) =>
              principalOf(
                object,
                { kind: parsePrincipal(principalId)?.kind ?? 'user', principalId },
                around,
              ),
            )
        : undefined,
      ...fieldProps(provider.fields, manifest, around.cluster(target).serverUrl),
      adopted: adoptedOf(provider.fields, manifest, around.cluster(target)),
    };
    return {
      type: provider.construct,
      id: manifest.metadata.name,
      isNamedById: false,
      props,
      declares: [object],
    };
  },
};

function fieldProps(
  fields: readonly AuthField[],
  values: Fields,
  serverUrl: string | undefined,
): DraftProps {
  const props = Object.fromEntries(fields.map(({ prop, field }) => [prop, values[field]]));
  return Object.fromEntries(
    fields.map((field) => {
      const value = values[field.field];
      const isDerived =
        field.field === API_HOST &&
        value === field.derived?.({ serverUrl: serverUrl ?? '', props });
      return [field.prop, isDerived ? undefined : valueOf(field, value)];
    }),
  );
}

/** Which fields an object has, or lacks, other than one that a program creates. */
function adoptedOf(
  fields: readonly AuthField[],
  values: Fields,
  { name, kind, version }: FoundCluster,
): DraftValue {
  const target = { name, kind, rancherVersion: version };
  const entries = fields.flatMap(({ field, derived, gate, adopted }) => {
    const isThere = Boolean(values[field]);
    const isExpected =
      derived !== undefined && gate !== undefined && lacksFeature(target, gate) === undefined;
    return adopted === undefined || isThere === isExpected ? [] : [[adopted, isThere] as const];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function valueOf({ as, byDefault, inside }: AuthField, value: unknown): DraftValue {
  if (as === 'secret' || value === byDefault || value === null || value === undefined) {
    return undefined;
  }
  if (inside) {
    return isRecord(value) ? fieldProps(inside, value, undefined) : undefined;
  }
  return as === 'millis' ? call('Duration', 'millis', value as number) : (value as DraftValue);
}
