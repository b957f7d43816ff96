import { SecretValue } from '../../core/value/secret-value';

/** Credentials of a container registry: a user and a password, or one of the other two. */
export interface RegistryAuthConfig {
  /** The user name. @default - no user name */
  readonly username?: string;
  /** The password of the user. @default - no password */
  readonly password?: SecretValue;
  /**
   * The base64 of `<user>:<password>`, as in a Docker configuration.
   * @default - username and password are used
   */
  readonly auth?: SecretValue;
  /** A token instead of a password. @default - no token */
  readonly identityToken?: SecretValue;
}
