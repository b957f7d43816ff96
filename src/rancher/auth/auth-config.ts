import { Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { AUTH_PROVIDERS, AuthField, SECRET_REFERENCE, authSecretName } from './auth-provider.data';
import { ResourceOptions, ResourceProps } from '../../core/app/resource';
import { SecretValue } from '../../core/late/secret-value';
import { API_VERSIONS } from '../../core/manifest/names';
import { fail, failOnErrors, parsed } from '../../core/rule/problem';
import { lacksFeature } from '../../core/version/target-features';
import { GLOBAL_DATA } from '../credential/secret.kind';
import { Principal } from '../members/principal';
import { RancherResource } from '../rancher-resource';

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

/** The options and the fields of a provider. */
type AuthProps = AuthConfigOptions & { readonly [prop: string]: unknown };

/**
 * The base class of the configurations of authentication providers: an AuthConfig, which Rancher
 * creates, and Secrets in `cattle-global-data`. One that the program no longer declares is
 * disabled, and its Secrets are deleted. Without its SecretValue, a field refers to the Secret that
 * Rancher has.
 * @internal
 */
export abstract class AuthConfig extends RancherResource {
  protected constructor(
    scope: Construct,
    id: string,
    provider: string,
    options: AuthConfigOptions,
  ) {
    super(scope, id, { ...options, name: provider } as ResourceProps);
    const { type, fields, gate } =
      AUTH_PROVIDERS.get(provider) ??
      fail(this, [
        {
          path: 'provider',
          value: provider,
          message: 'must be an authentication provider',
          fix: 'use a value of the enum',
        },
      ]);
    const {
      enabled = true,
      access = AuthAccess.UNRESTRICTED,
      allowedPrincipals,
      labels: _,
      annotations: __,
      ...given
    } = options as AuthProps;
    const lacks =
      gate &&
      lacksFeature(
        {
          name: this.rancher.targetName,
          kind: this.rancher.targetKind,
          rancherVersion: this.rancher.version,
        },
        gate,
      );
    failOnErrors(this, [
      ...(lacks
        ? [
            {
              path: 'provider',
              value: provider,
              message: lacks,
              fix: 'use another provider, or upgrade Rancher',
            },
          ]
        : []),
      ...Object.keys(given)
        .filter(
          (prop) =>
            prop !== 'provider' &&
            given[prop] !== undefined &&
            !fields.some((field) => field.prop === prop),
        )
        .map((prop) => ({
          path: prop,
          message: `cannot be set: ${provider} does not have it`,
          fix: 'remove it',
        })),
    ]);
    this._write({
      apiVersion: API_VERSIONS.MANAGEMENT,
      kind: 'AuthConfig',
      type,
      enabled,
      accessMode: access,
      allowedPrincipalIds: allowedPrincipals?.map(({ principalId }) => principalId),
      ...Object.fromEntries(
        fields.map((field) => [field.field, this.valueOf(type, field, given[field.prop])]),
      ),
    });
  }

  private valueOf(
    type: string,
    { prop, field, as, required, byDefault }: AuthField,
    given: unknown,
  ): unknown {
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
