import { isLate } from '../../core/late/late-token';
import { Problem } from '../../core/problem/problem';
import { LOCAL_SCHEME } from '../binding/binding.kind';

/** What a principal is: a person, or several. */
export type PrincipalKind = 'user' | 'group';

/** How an authentication provider of Rancher writes its principals. */
interface PrincipalProvider {
  /** The provider, before `_user://`. */
  readonly id: string;
  readonly what: string;
  /** The scopes of its groups, e.g. `group`, or `org` and `team`. */
  readonly groupScopes: readonly string[];
  /** What an id looks like, where that is known. */
  readonly format?: { readonly test: RegExp; readonly fix: string };
  /** Only where the prefixes were inferred from the names of the providers. */
  readonly confirmed?: false;
}

const DN = {
  test: /^[A-Za-z][A-Za-z0-9-]*\s*=.+/,
  fix: 'use the distinguished name, e.g. cn=ana,ou=people,dc=example,dc=com',
};
const NUMBER = {
  test: /^[0-9]+$/,
  fix: 'use its number at GitHub, e.g. from https://api.github.com/users/<name>',
};
const UUID = {
  test: /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/,
  fix: 'use the object ID, a UUID',
};
const GROUP = ['group'];

/**
 * The providers and their prefixes.
 * @see rancher/rancher:pkg/auth/providers (…/activedirectory/activedirectory_provider.go, ldap/ldap_provider.go, saml/saml_provider.go, github/github_provider.go, …)
 */
export const PRINCIPAL_PROVIDERS: readonly PrincipalProvider[] = [
  { id: 'activedirectory', what: 'Active Directory', groupScopes: GROUP, format: DN },
  { id: 'openldap', what: 'OpenLDAP', groupScopes: GROUP, format: DN },
  { id: 'freeipa', what: 'FreeIPA', groupScopes: GROUP, format: DN },
  { id: 'okta', what: 'Okta (SAML)', groupScopes: GROUP },
  { id: 'shibboleth', what: 'Shibboleth', groupScopes: GROUP },
  { id: 'ping', what: 'Ping', groupScopes: GROUP },
  { id: 'adfs', what: 'AD FS', groupScopes: GROUP },
  { id: 'keycloak', what: 'Keycloak (SAML)', groupScopes: GROUP },
  { id: 'keycloakoidc', what: 'Keycloak (OIDC)', groupScopes: GROUP },
  { id: 'azuread', what: 'Microsoft Entra ID', groupScopes: GROUP, format: UUID, confirmed: false },
  { id: 'github', what: 'GitHub', groupScopes: ['org', 'team'], format: NUMBER },
  { id: 'githubapp', what: 'GitHub App', groupScopes: ['org', 'team'], format: NUMBER },
  { id: 'googleoauth', what: 'Google', groupScopes: GROUP },
  { id: 'oidc', what: 'OIDC', groupScopes: GROUP },
  { id: 'genericoidc', what: 'generic OIDC', groupScopes: GROUP },
  { id: 'cognito', what: 'Amazon Cognito', groupScopes: GROUP, confirmed: false },
];

/** The scheme of Rancher's own system users. */
const SYSTEM_SCHEME = 'system';

const PRINCIPAL = /^([^:/\s]+):\/\/(.+)$/;

/** The parts of a principal id. */
interface PrincipalParts {
  /** `local`, or `<provider>_<scope>`. */
  readonly scheme: string;
  readonly id: string;
  readonly kind?: PrincipalKind;
  readonly provider?: PrincipalProvider;
}

/** The parts of a principal id; undefined where it has not the form of one. */
export function parsePrincipal(text: string): PrincipalParts | undefined {
  const match = PRINCIPAL.exec(text);
  if (!match) {
    return undefined;
  }
  const { 1: scheme, 2: id } = match;
  if (scheme === LOCAL_SCHEME || scheme === SYSTEM_SCHEME) {
    return { scheme, id, kind: 'user' };
  }
  const split = scheme.lastIndexOf('_');
  const name = scheme.slice(0, split);
  const scope = scheme.slice(split + 1);
  const provider = split > 0 ? PRINCIPAL_PROVIDERS.find((known) => known.id === name) : undefined;
  const scopes = provider?.groupScopes ?? ['group', 'org', 'team'];
  return { scheme, id, kind: split > 0 ? kindOfScope(scope, scopes) : undefined, provider };
}

function kindOfScope(scope: string, groupScopes: readonly string[]): PrincipalParts['kind'] {
  if (scope === 'user') {
    return 'user';
  }
  return groupScopes.includes(scope) ? 'group' : undefined;
}

/**
 * Checks a principal ID. Rancher's webhook accepts any text, and a binding for an unknown principal
 * has no effect.
 *
 * @param kind what it must be
 */
export function checkPrincipal(path: string, text: string, kind: PrincipalKind): Problem[] {
  if (isLate(text)) {
    return [];
  }
  const parts = parsePrincipal(text);
  if (!parts || !parts.kind) {
    return [
      {
        path,
        value: text,
        message: 'must have the form of a principal',
        fix: formOf(kind, parts?.provider),
      },
    ];
  }
  if (parts.kind !== kind) {
    return [
      {
        path,
        value: text,
        message: `must be the principal of a ${kind}, not of a ${parts.kind}`,
        fix: `use Principal.${parts.kind}, which is written as ${parts.kind}PrincipalName`,
      },
    ];
  }
  return checkId(path, text, parts);
}

function checkId(path: string, text: string, { provider, scheme, id }: PrincipalParts): Problem[] {
  if (id.trim() !== id) {
    return [
      {
        path,
        value: text,
        message: 'cannot begin or end with white space',
        fix: 'remove the white space',
      },
    ];
  }
  if (provider?.format && !provider.format.test.test(id)) {
    return [
      {
        path,
        value: text,
        message: `must contain an ID of ${provider.what}`,
        fix: provider.format.fix,
      },
    ];
  }
  if (!provider && scheme !== LOCAL_SCHEME && scheme !== SYSTEM_SCHEME) {
    return [
      {
        path,
        value: text,
        level: 'warning',
        message: 'must name a known provider',
        fix: `use one of ${PRINCIPAL_PROVIDERS.map((known) => known.id).join(', ')}`,
      },
    ];
  }
  return [];
}

function formOf(kind: PrincipalKind, provider: PrincipalProvider | undefined): string {
  const scope = provider && kind === 'group' ? provider.groupScopes[0] : kind;
  const form = `<provider>_${scope}://<id>, e.g. ${provider?.id ?? 'okta'}_${scope}://…`;
  return kind === 'user' ? `write local://<name of the User>, or ${form}` : `write ${form}`;
}
