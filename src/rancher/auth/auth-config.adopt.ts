import { AUTH_PROVIDERS, AuthField } from './auth-provider.data';
import { TargetKind } from '../../core/app/target';
import { DraftProps, DraftValue, call, enumValue, Inverse } from '../../core/draft/draft';
import { GROUPS } from '../../core/manifest/names';
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
      ...Object.fromEntries(
        provider.fields.map((field) => [field.prop, valueOf(field, manifest[field.field])]),
      ),
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

function valueOf({ as, byDefault }: AuthField, value: unknown): DraftValue {
  if (as === 'secret' || value === byDefault || value === null || value === undefined) {
    return undefined;
  }
  return as === 'millis' ? call('Duration', 'millis', value as number) : (value as DraftValue);
}
