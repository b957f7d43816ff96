import { ANNOTATION_CLEANUP, CLEANUP_LOCKED, LOCAL_PROVIDER } from './auth-config.kind';
import { API_HOST, API_HOST_FORM, API_HOST_MESSAGE, AUTH_PROVIDERS } from './auth-provider.data';
import { isLate } from '../../core/late/late-token';
import { Manifest, annotationsOf, isFromServer } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Problem } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { needs } from '../../core/rule/kit/relations';
import { JudgedObject, World } from '../../core/rule/rule';
import { byObject, remembered } from '../../core/text/values';
import { BINDING_DESCRIPTIONS } from '../binding/binding.kind';
import { parsePrincipal } from '../members/principal.check';
import { RancherGate } from '../version/rancher-version';

const VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/authconfig/validator.go';
const CLEANUP =
  'rancher/rancher:pkg/controllers/management/auth/auth_config.go, pkg/auth/cleanup/service.go';

/** A name of RFC 4512: a word, or numbers with dots. */
const ATTRIBUTE = /^(?:[a-zA-Z][a-zA-Z0-9-]*|(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*))*)$/;

const isText = (value: unknown): boolean => typeof value === 'string';
const isSwitch = (value: unknown): boolean => typeof value === 'boolean';

/** The fields of every AuthConfig. */
const TYPES: {
  readonly [field: string]: { readonly what: string; readonly fits: (value: unknown) => boolean };
} = {
  type: { what: 'text', fits: isText },
  enabled: { what: 'true or false', fits: isSwitch },
  accessMode: { what: 'text', fits: isText },
  allowedPrincipalIds: {
    what: 'a list of text',
    fits: (value) => Array.isArray(value) && value.every((item) => item === null || isText(item)),
  },
  logoutAllSupported: { what: 'true or false', fits: isSwitch },
};

/** Whether the rule on PKCE judges the URL of Rancher, too. */
const isWithPkce = (manifest: Manifest): boolean =>
  !isEmpty(manifest.pkceMethod) && isEmpty(manifest[API_HOST]);

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0);

/** The fields that an enabled provider needs, and lacks. */
function lacking(manifest: Manifest): readonly string[] {
  const { fields = [] } = AUTH_PROVIDERS.get(manifest.metadata.name) ?? {};
  return fields
    .filter(
      ({ field, required, byDefault }) =>
        (required || byDefault === '') && isEmpty(manifest[field]),
    )
    .map(({ field }) => field);
}

/** Rules on the configurations of authentication providers. */
export const AUTH_CONFIG_RULES = rules(
  { kinds: [`${GROUPS.MANAGEMENT}/AuthConfig`], on: 'rancher' },
  [
    {
      id: 'auth-config/types',
      what: 'the fields that all AuthConfigs share have the types that the webhook of Rancher reads',
      says: 'failed to call webhook',
      source:
        'rancher/rancher:pkg/apis/management.cattle.io/v3/authn_types.go AuthConfig; seen on Rancher 2.15.0',
      *judge({ manifest }) {
        for (const [path, { what, fits }] of Object.entries(TYPES)) {
          const value = manifest[path] ?? undefined;
          if (value !== undefined && !isLate(value) && !fits(value)) {
            yield { path, message: `must be ${what}`, fix: `set it to ${what}` };
          }
        }
      },
    },
    {
      id: 'auth-config/provider',
      what: 'an AuthConfig has the name of a provider, and the type that Rancher reads it by',
      source: 'rancher/rancher:pkg/auth/data/authconfig_data.go',
      judge: ({ manifest }) => {
        const { type } = manifest;
        const { name } = manifest.metadata;
        const provider = AUTH_PROVIDERS.get(name);
        if (!provider) {
          return (
            name !== LOCAL_PROVIDER &&
            name !== 'oidc' && {
              path: 'metadata.name',
              value: name,
              level: 'warning',
              message: 'must be the name of an authentication provider: Rancher ignores others',
              fix: `use one of ${[...AUTH_PROVIDERS.keys()].join(', ')}`,
            }
          );
        }
        return (
          type !== provider.type && {
            path: 'type',
            value: type,
            message: `must be ${provider.type}`,
            fix: `use ${provider.type}`,
          }
        );
      },
    },
    {
      id: 'auth-config/incomplete',
      what: 'an enabled provider sets every field that a login needs',
      source: 'rancher/rancher:pkg/apis/management.cattle.io/v3/authn_types.go',
      when: ({ manifest }) => manifest.enabled === true,
      judge: ({ manifest }) =>
        lacking(manifest).map((path) => ({
          path,
          message: 'must be set while the provider is enabled: no user can log in without it',
          fix: 'set it',
        })),
    },
    {
      id: 'auth-config/ldap',
      what: 'attributes and filters of an enabled LDAP provider have the form of LDAP',
      source: VALIDATOR,
      when: ({ manifest }) =>
        manifest.enabled === true &&
        AUTH_PROVIDERS.get(manifest.metadata.name)?.construct === 'LdapAuthConfig',
      *judge({ manifest }): Iterable<Problem> {
        for (const [path, value] of Object.entries(manifest)) {
          if (typeof value !== 'string' || value === '') {
            continue;
          }
          if (
            /(?:Attribute|ObjectClass)$/.test(path) &&
            !value
              .split('|')
              .every(
                (name, _, { length }) =>
                  ATTRIBUTE.test(name) && (length === 1 || path === 'userSearchAttribute'),
              )
          ) {
            yield {
              path,
              value,
              message: 'must be the name of an attribute of LDAP',
              fix: 'use a-z, 0-9 and hyphens, e.g. uid',
              says: `${path}: Forbidden: invalid value`,
            };
          } else if (/Filter$/.test(path) && !/^\([\s\S]*\)$/.test(value.trim())) {
            yield {
              path,
              value,
              message: 'must be a filter of LDAP, in parentheses',
              fix: 'write it like (objectClass=person)',
              says: `${path}: Forbidden: LDAP Result Code 201`,
            };
          }
        }
      },
    },
    {
      id: 'auth-config/access',
      what: 'a provider whose access is limited to the allowed principals has at least one, so that someone can log in',
      source: 'rancher/rancher:pkg/apis/management.cattle.io/v3/authn_types.go AccessMode',
      when: ({ manifest }) => manifest.enabled === true,
      field: 'accessMode',
      check: (_, mode, { manifest }) =>
        mode === 'required' &&
        isEmpty(manifest.allowedPrincipalIds) && {
          path: 'allowedPrincipalIds',
          message:
            'cannot be empty while accessMode is required: no user of the provider can log in',
          fix: 'add a user or a group',
        },
    },
    {
      id: 'auth-config/logout',
      what: 'a provider that forces users to log out everywhere also allows it',
      says: 'cannot force SLO if not enabled',
      source:
        'rancher/rancher:pkg/auth/providers/saml/saml_client.go InitializeSamlServiceProvider',
      field: 'logoutAllForced',
      check: (_, forced, { manifest }) =>
        forced === true &&
        manifest.logoutAllEnabled !== true && {
          message: 'cannot be true without logoutAllEnabled',
          fix: 'set logoutAllEnabled to true',
        },
    },
    {
      id: 'auth-config/scopes',
      what: 'the scopes of a provider with OIDC are separated by spaces, and openid is one of them',
      says: 'scopes are invalid: scopes must be space delimited and openid is a required scope',
      source: 'rancher/rancher:pkg/auth/providers/oidc/oidc_actions.go validateScopes',
      gate: RancherGate.OIDC_SCOPES_CHECKED,
      field: 'scope',
      check: (_, scope) =>
        typeof scope === 'string' &&
        (scope.includes(',') || !scope.split(/\s+/).includes('openid')) && {
          message: 'must be scopes separated by spaces, with openid',
          fix: 'write it like "openid profile email"',
        },
    },
    {
      id: 'auth-config/api-host',
      what: 'the URL at which logins with OIDC begin is that of Rancher, and not empty',
      source:
        'rancher/rancher:pkg/auth/providers/oidc/oidc_provider.go getRedirectURL (from 2.14.0)',
      gate: RancherGate.AUTH_OIDC_PKCE,
      when: ({ manifest }) =>
        manifest.enabled === true &&
        !isFromServer(manifest) &&
        !isWithPkce(manifest) &&
        !lacking(manifest).includes(API_HOST),
      field: API_HOST,
      check: (_, url) =>
        typeof url === 'string' &&
        !API_HOST_FORM.test(url) && {
          value: url,
          message: API_HOST_MESSAGE,
          fix: 'set it to the URL of Rancher, e.g. https://rancher.example.com, or remove it',
        },
    },
    {
      id: 'auth-config/pkce',
      what: 'a provider with PKCE has the URL of Rancher, where a log in begins: otherwise users begin at the provider, without PKCE',
      source:
        'rancher/rancher:pkg/auth/providers/oidc/oidc_provider.go getRedirectURL "No API Host - no PKCE Redirection" (from 2.14.0); seen on Rancher 2.15.0',
      gate: RancherGate.AUTH_OIDC_PKCE,
      when: ({ manifest }) => manifest.enabled === true && !isEmpty(manifest.pkceMethod),
      judge: ({ manifest }) =>
        isEmpty(manifest[API_HOST]) && {
          path: API_HOST,
          message: 'must be set with pkceMethod: without it, Rancher uses no PKCE',
          fix: 'set it to the URL of Rancher, e.g. https://rancher.example.com',
        },
    },
    {
      id: 'auth-config/pkce-version',
      level: 'warning',
      what: 'PKCE needs Rancher 2.14.0 or later',
      source: 'rancher/rancher:pkg/apis/management.cattle.io/v3/authn_types.go PKCEMethod (2.14.0)',
      when: ({ manifest }) => manifest.enabled === true && !isEmpty(manifest.pkceMethod),
      field: 'pkceMethod',
      check: needs(RancherGate.AUTH_OIDC_PKCE),
    },
    {
      id: 'auth-config/turned-off',
      what: 'an enabled provider is not turned off: Rancher then deletes its users, tokens, bindings, and Secrets',
      source: CLEANUP,
      judgeUpdate: ({ manifest }, before) => {
        if (before.enabled !== true || manifest.enabled === true) {
          return undefined;
        }
        const isKept = annotationsOf(before)[ANNOTATION_CLEANUP] === CLEANUP_LOCKED;
        return {
          path: 'enabled',
          ...(isKept ? { level: 'warning' } : {}),
          message: isKept
            ? 'locks out all users of the provider'
            : 'locks out all users of the provider, and Rancher deletes them with their tokens, bindings, and Secrets',
          fix: isKept
            ? 'check that a local administrator can log in'
            : `keep it true, or set the annotation ${ANNOTATION_CLEANUP}: ${CLEANUP_LOCKED} in an apply before; to lose them, suppress the rule`,
        };
      },
    },
    {
      id: 'auth-config/removed',
      level: 'warning',
      what: 'a provider that is no longer declared is disabled by an apply: Rancher then deletes its users, tokens, bindings, and Secrets',
      source: CLEANUP,
      judgeDeletion: ({ manifest, target }, world) => {
        const { name } = manifest.metadata;
        if (manifest.enabled !== true || name === LOCAL_PROVIDER) {
          return undefined;
        }
        const isKept = annotationsOf(manifest)[ANNOTATION_CLEANUP] === CLEANUP_LOCKED;
        const bound = boundBy(name, (group, kind) => world.beside({ target }, group, kind));
        const lost = isKept
          ? ''
          : `, and Rancher deletes them with their tokens and bindings${bound === 0 ? '' : `, ${bound} of which this program still declares`}`;
        return {
          message: `is no longer declared: apply disables the provider, which locks out all users of it${lost}; engines leave it enabled`,
          fix: 'check that an administrator can log in without it, or declare it again',
        };
      },
    },
  ],
);

/** The providers that a Rancher has, as far as the program knows, by target. */
const configured = byObject((world: World) => {
  const byTarget = new Map<string, Set<string>>();
  for (const { manifest, target } of world.ofKind(GROUPS.MANAGEMENT, 'AuthConfig')) {
    if (manifest.enabled !== false && manifest.metadata.name !== LOCAL_PROVIDER) {
      remembered(byTarget, target.name, () => new Set<string>()).add(manifest.metadata.name);
    }
  }
  return byTarget;
});

/** Rules on the users and groups of authentication providers that get roles. */
export const AUTH_PRINCIPAL_RULES = rules(
  { kinds: BINDING_DESCRIPTIONS.map(({ kind }) => `${GROUPS.MANAGEMENT}/${kind}`), on: 'rancher' },
  [
    {
      id: 'auth-config/other-provider',
      level: 'warning',
      what: 'a user or group that gets a role is of a provider that the program configures, if it configures any',
      source:
        'rancher/rancher:pkg/auth/providers/common, whose principals begin with the name of the provider',
      judge: ({ manifest, target }, world) => {
        const providers = configured(world).get(target.name);
        return ['userPrincipalName', 'groupPrincipalName'].flatMap((path) => {
          const principal = manifest[path];
          if (!providers || typeof principal !== 'string' || isLate(principal)) {
            return [];
          }
          const provider = parsePrincipal(principal)?.provider;
          if (!provider || providers.has(provider.id)) {
            return [];
          }
          const known = [...providers].sort().join(', ');
          return [
            {
              path,
              value: principal,
              message: `is of the provider ${provider.id}, ${provider.what}; the program configures ${known}: the role has no effect unless Rancher has both`,
              fix: 'use group() or user() of the construct that configures the provider',
            },
          ];
        });
      },
    },
  ],
);

/** The number of declared bindings whose members log in with a provider. */
function boundBy(
  provider: string,
  objectsOf: (group: string, kind: string) => readonly JudgedObject[],
): number {
  return BINDING_DESCRIPTIONS.flatMap(({ kind }) => objectsOf(GROUPS.MANAGEMENT, kind)).filter(
    ({ manifest }) =>
      [manifest.userPrincipalName, manifest.groupPrincipalName].some(
        (principal) => typeof principal === 'string' && principal.startsWith(`${provider}_`),
      ),
  ).length;
}
