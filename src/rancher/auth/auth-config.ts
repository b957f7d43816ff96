import { Duration, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import {
  API_HOST_FORM,
  API_HOST_MESSAGE,
  AUTH_PROVIDERS,
  AuthField,
  AuthProviderEntry,
  DerivedFrom,
  SECRET_REFERENCE,
  VERIFY_AUTH,
  authSecretName,
} from './auth-provider.data';
import { ResourceOptions, ResourceProps } from '../../core/app/resource';
import { IRancherTarget } from '../../core/construct/target';
import { isLate } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import { API_VERSIONS } from '../../core/manifest/names';
import { Problem, fail, failOnErrors, parsed } from '../../core/problem/problem';
import { filledList } from '../../core/text/values';
import { SecretValue } from '../../core/value/secret-value';
import { lacksFeature } from '../../core/version/target-features';
import { GLOBAL_DATA } from '../credential/secret.kind';
import { AuthProvider, Principal, PrincipalOptions } from '../members/principal';
import { RancherResource } from '../rancher-resource';
import { RancherGate } from '../version/rancher-version';

/** Who may log in with an authentication provider. */
export enum AuthAccess {
  /** Every user of the provider. */
  UNRESTRICTED = 'unrestricted',
  /** The allowed principals, and the members of clusters and projects. */
  RESTRICTED = 'restricted',
  /** The allowed principals only. */
  REQUIRED = 'required',
}

/**
 * Properties of the configuration of every authentication provider. The object has the name of the
 * provider.
 */
export interface AuthConfigOptions extends ResourceOptions {
  /**
   * Whether users log in with the provider. Turning it off deletes its users, tokens, bindings, and
   * Secrets, so a rule refuses that.
   * @default true
   */
  readonly enabled?: boolean;
  /** Who may log in. @default AuthAccess.UNRESTRICTED */
  readonly access?: AuthAccess;
  /** Users and groups that may log in if the access is restricted. @default - no principals */
  readonly allowedPrincipals?: Principal[];
}

/** Which optional fields an existing object has. */
interface AdoptedFields {
  readonly [field: string]: boolean | undefined;
}

/** The fields of a provider that the program sets. */
interface GivenFields {
  readonly [prop: string]: unknown;
}

/** The options and the fields of a provider. */
type AuthProps = AuthConfigOptions & {
  readonly adopted?: AdoptedFields;
  readonly [prop: string]: unknown;
};

/**
 * The base class of the configurations of authentication providers: an AuthConfig, which Rancher
 * creates, and Secrets in `cattle-global-data`. One that the program no longer declares is
 * disabled, and its Secrets are deleted. Without its SecretValue, a field refers to the Secret that
 * Rancher has.
 * @internal
 */
export abstract class AuthConfig extends RancherResource {
  private readonly allowed: Principal[];
  /** One object for all features: what it lacks is remembered by it. */
  private readonly versions: Parameters<typeof lacksFeature>[0];

  /** @param family the class of the construct, which several providers share */
  protected constructor(
    scope: Construct,
    id: string,
    family: string,
    provider: AuthProvider,
    options: AuthConfigOptions,
  ) {
    super(scope, id, { ...options, name: provider } as ResourceProps);
    const entry = AUTH_PROVIDERS.get(provider);
    if (entry?.construct !== family) {
      fail(this, [
        providerProblem(family, provider),
        ...checkApiUrl((options as AuthProps).rancherApiUrl),
      ]);
    }
    const {
      enabled = true,
      access = AuthAccess.UNRESTRICTED,
      allowedPrincipals = [],
      labels: _,
      annotations: __,
      adopted = {},
      ...given
    } = options as AuthProps;
    this.allowed = [...allowedPrincipals];
    this.versions = versionsOf(this.rancher);
    failOnErrors(this, [
      ...checkProvider(provider, this.lackOf(entry.gate)),
      ...checkKnown(provider, entry, given),
      ...this.checkGates(entry, given),
      ...checkRancherUrl(family, given.rancherUrl),
      ...checkApiUrl(given.rancherApiUrl),
    ]);
    this._write({
      apiVersion: API_VERSIONS.MANAGEMENT,
      kind: 'AuthConfig',
      type: entry.type,
      enabled,
      accessMode: access,
      allowedPrincipalIds: Lazy.any({
        produce: () => filledList(this.allowed.map(({ principalId }) => principalId)),
      }),
      ...this.fieldsOf(entry, given, adopted),
    });
  }

  /**
   * Lets a user or a group log in, where the access is restricted.
   *
   * @param principal such as `group('platform')` of the provider
   */
  public grant(principal: Principal): void {
    this.allowed.push(principal);
  }

  /**
   * A user of the provider, for roles and members.
   *
   * @param id ID of the user at the provider
   */
  public user(id: string, options: PrincipalOptions = {}): Principal {
    return Principal.user(`${this.name}_user://${id}`, options);
  }

  /** Why this Rancher lacks a feature; undefined if it has it, or may have it. */
  private lackOf(feature: RancherGate | undefined): string | undefined {
    return feature && lacksFeature(this.versions, feature);
  }

  private *checkGates({ fields }: AuthProviderEntry, given: GivenFields): Iterable<Problem> {
    for (const { prop, gate } of fields) {
      const message = given[prop] === undefined ? undefined : this.lackOf(gate);
      if (message !== undefined) {
        yield { path: prop, message, fix: 'remove it, or upgrade Rancher' };
      }
    }
  }

  /** The fields of the provider: those that the program sets, and those that follow from others. */
  private fieldsOf(
    { type, fields }: AuthProviderEntry,
    given: GivenFields,
    adopted: AdoptedFields,
  ): object {
    const serverUrl = this.rancher.serverUrl.replace(/\/$/, '');
    const from: DerivedFrom = { serverUrl, props: given };
    const entries = fields.map((field) => {
      const isAdopted = field.adopted === undefined ? undefined : adopted[field.adopted];
      const isDerived = isAdopted !== false && this.lackOf(field.gate) === undefined;
      const value = given[field.prop] ?? (isDerived ? field.derived?.(from) : undefined);
      const written: AuthField = isAdopted ? { ...field, required: true } : field;
      return [field.field, this.valueOf(type, written, value)];
    });
    return Object.fromEntries(entries);
  }

  private valueOf(
    type: string,
    { prop, field, as, required, byDefault, inside }: AuthField,
    given: unknown,
  ): unknown {
    if (inside) {
      if (isRecord(given)) {
        return Object.fromEntries(
          inside.map((each) => [each.field, this.valueOf(type, each, given[each.prop])]),
        );
      }
      return undefined;
    }
    if (as === 'millis' && given !== undefined) {
      return parsed(this, prop, () => (given as Duration).toMilliseconds());
    }
    if (as !== 'secret') {
      return given ?? byDefault;
    }
    if (given === undefined && !required) {
      return undefined;
    }
    const name = authSecretName(type, field);
    if (given !== undefined) {
      this._writePart(
        `Secret-${prop}`,
        {
          apiVersion: API_VERSIONS.CORE,
          kind: 'Secret',
          metadata: { namespace: GLOBAL_DATA, name },
          type: 'Opaque',
          data: {
            [field.toLowerCase()]: parsed(this, prop, () => (given as SecretValue)._base64()),
          },
        },
        { deletion: 'auth' },
      );
    }
    return `${SECRET_REFERENCE}${name}`;
  }
}

/** The configurations of the providers with groups that have one ID. @internal */
export abstract class GroupAuthConfig extends AuthConfig {
  /**
   * A group of the provider, for roles and members.
   *
   * @param id ID of the group at the provider
   */
  public group(id: string, options: PrincipalOptions = {}): Principal {
    return Principal.group(`${this.name}_group://${id}`, options);
  }
}

function versionsOf({ targetName, targetKind, version }: IRancherTarget) {
  return { name: targetName, kind: targetKind, rancherVersion: version };
}

function* checkProvider(provider: string, lack: string | undefined): Iterable<Problem> {
  if (lack) {
    yield {
      path: 'provider',
      value: provider,
      message: lack,
      fix: 'use another provider, or upgrade Rancher',
    };
  }
}

/** Checks that a provider has the props that the program sets. */
function* checkKnown(
  provider: string,
  { fields }: AuthProviderEntry,
  given: GivenFields,
): Iterable<Problem> {
  const known = ['provider', ...fields.map(({ prop }) => prop)];
  for (const [prop, value] of Object.entries(given)) {
    if (value !== undefined && !known.includes(prop)) {
      yield {
        path: prop,
        message: `cannot be set: ${provider} does not have it`,
        fix: 'remove it',
      };
    }
  }
}

/** The member of the enum that is a provider, e.g. `AuthProvider.OKTA`. */
function memberOf(provider: string): string {
  const [member] = Object.entries(AuthProvider).find(([, value]) => value === provider) ?? [];
  return `AuthProvider.${member ?? provider}`;
}

/** A provider that another construct configures. */
function providerProblem(family: string, provider: string): Problem {
  const own = [...AUTH_PROVIDERS].filter(([, { construct }]) => construct === family);
  const other = AUTH_PROVIDERS.get(provider)?.construct;
  return {
    path: 'provider',
    value: provider,
    message: `must be one of ${own.map(([name]) => memberOf(name)).join(', ')}`,
    fix: other ? `use ${other}` : 'use one of them',
  };
}

/**
 * Checks where a provider sends users back to: Rancher completes the log in at a page of its UI,
 * but the URLs of SAML are made from that of Rancher.
 * @see rancher/rancher:pkg/auth/providers/oidc/oidc_provider.go RedirectURL; pkg/auth/providers/saml/saml_client.go rancherAPIHost
 */
function checkRancherUrl(family: string, url: unknown): readonly Problem[] {
  if (typeof url !== 'string' || isLate(url)) {
    return [];
  }
  const isPage = url.replace(/\/$/, '').endsWith(VERIFY_AUTH);
  if (family === 'SamlAuthConfig') {
    if (isPage) {
      return [
        {
          path: 'rancherUrl',
          value: url,
          message: `must be the URL of Rancher, without ${VERIFY_AUTH}`,
          fix: 'remove it: serverUrl of the chart is the default',
        },
      ];
    }
    return [];
  }
  if (/^https?:\/\/[^/]+\/?$/.test(url)) {
    return [
      {
        path: 'rancherUrl',
        value: url,
        message: `must be the page of Rancher that completes a log in, ${VERIFY_AUTH}`,
        fix: `remove it: ${VERIFY_AUTH} of serverUrl of the chart is the default`,
      },
    ];
  }
  return [];
}

/**
 * Checks where a log in with OIDC begins: Rancher appends a path of its own.
 * @see rancher/rancher:pkg/auth/providers/oidc/oidc_provider.go getRedirectURL (2.15.0)
 */
function checkApiUrl(url: unknown): readonly Problem[] {
  if (typeof url !== 'string' || isLate(url) || API_HOST_FORM.test(url)) {
    return [];
  }
  return [
    {
      path: 'rancherApiUrl',
      value: url,
      message: API_HOST_MESSAGE,
      fix: 'remove it: serverUrl of the chart is the default',
    },
  ];
}
