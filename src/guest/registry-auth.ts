import { SecretContent } from './_cluster-secret';
import { SecretValue } from '../late';
import { BASIC_AUTH_TYPE, REGISTRY_AUTH_CONFIG_TYPE } from '../model/guest-names';

/**
 * Credentials of a container registry in Rancher's own form; at least one of them.
 */
export interface RegistryAuthConfig {
  /** Name of the user. @default - none */
  readonly username?: string;
  /** Password of the user. @default - none */
  readonly password?: SecretValue;
  /** Base64 of `<user>:<password>`, as in a Docker configuration. @default - none */
  readonly auth?: SecretValue;
  /** A token in place of a password. @default - none */
  readonly identityToken?: SecretValue;
}

/**
 * Credentials of a container registry: a Secret beside the Cluster on Rancher.
 */
export class RegistryAuth {
  /**
   * A user and a password: a Secret of type kubernetes.io/basic-auth is made.
   */
  public static basic(username: string, password: SecretValue): RegistryAuth {
    return new RegistryAuth({ type: BASIC_AUTH_TYPE, data: { username, password } });
  }

  /**
   * Rancher's own form: a Secret of type rke.cattle.io/auth-config is made.
   */
  public static config(config: RegistryAuthConfig): RegistryAuth {
    const { username, password, auth, identityToken } = config;
    return new RegistryAuth({ type: REGISTRY_AUTH_CONFIG_TYPE, data: { username, password, auth, identityToken } });
  }

  /**
   * A Secret that is there, in the namespace of the Cluster.
   *
   * @param name of a Secret of type kubernetes.io/basic-auth or rke.cattle.io/auth-config; kubernetes.io/dockerconfigjson with Rancher releases
   * that take it (UNCONFIRMED since which)
   */
  public static fromSecretName(name: string): RegistryAuth {
    return new RegistryAuth(name);
  }

  private constructor(
    /** @internal */
    public readonly _secret: SecretContent | string,
  ) {}
}
