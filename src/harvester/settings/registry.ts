import { SecretValue } from '../../late/secret-value';

/**
 * The registries that all nodes of a Harvester pull images from.
 *
 * @see https://docs.rke2.io/install/private_registry
 */
export interface ContainerdRegistryProps {
  /**
   * Where images are pulled from instead, by registry, e.g. `docker.io`; `*` is every other one.
   * @default - none
   */
  readonly mirrors?: { [registry: string]: ContainerdMirror };

  /**
   * How registries are talked to, by host and port, e.g. `registry.example.com:5000`.
   * @default - none
   */
  readonly configs?: { [host: string]: ContainerdRegistryConfig };
}

/**
 * What stands in for a registry.
 */
export interface ContainerdMirror {
  /** URLs that are tried one after the other, e.g. `https://registry.example.com:5000`. */
  readonly endpoints: string[];

  /**
   * Regular expressions for names of images, and what they become.
   * @default - none
   */
  readonly rewrites?: { [pattern: string]: string };
}

/**
 * How a registry is talked to.
 */
export interface ContainerdRegistryConfig {
  /**
   * Who Harvester is there. New credentials are taken only where mirrors change as well: reset the setting first.
   * @default - nobody
   */
  readonly auth?: ContainerdAuth;

  /**
   * How the connection is secured.
   * @default - by the public authorities
   */
  readonly tls?: ContainerdTls;
}

/**
 * Credentials for a registry: user and password, or one of the other two.
 */
export interface ContainerdAuth {
  /** @default - none */
  readonly username?: string;
  /** @default - none */
  readonly password?: SecretValue;
  /** User and password joined by a colon, in base64. @default - none */
  readonly auth?: SecretValue;
  /** A token that stands for a user. @default - none */
  readonly identityToken?: SecretValue;
}

/**
 * TLS towards a registry. The files lie on the nodes.
 */
export interface ContainerdTls {
  /** @default - the authorities of the node */
  readonly caFile?: string;
  /** @default - no client certificate */
  readonly certFile?: string;
  /** @default - no client certificate */
  readonly keyFile?: string;
  /** Whether the certificate of the registry is not looked at. @default false */
  readonly insecureSkipVerify?: boolean;
}

/** The JSON of registries, with Go's names of the fields and a fixed order of keys. */
export function containerdRegistry({ mirrors = {}, configs = {} }: ContainerdRegistryProps): { readonly [key: string]: unknown } {
  return {
    Mirrors: mapped(mirrors, ({ endpoints, rewrites }) => ({ Endpoints: endpoints, Rewrites: rewrites ? mapped(rewrites, (text) => text) : null })),
    Configs: mapped(configs, ({ auth, tls }) => ({
      Auth: auth && {
        Username: auth.username ?? '',
        Password: auth.password?._unwrap() ?? '',
        Auth: auth.auth?._unwrap() ?? '',
        IdentityToken: auth.identityToken?._unwrap() ?? '',
      },
      TLS: tls && {
        CAFile: tls.caFile ?? '', CertFile: tls.certFile ?? '', KeyFile: tls.keyFile ?? '', InsecureSkipVerify: tls.insecureSkipVerify ?? false,
      },
    })),
    Auths: null,
  };
}

// sorted, as Go writes maps: Harvester rewrites the value, and what it writes should differ as little as possible
function mapped<T>(entries: { readonly [key: string]: T }, how: (value: T) => unknown): { readonly [key: string]: unknown } {
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [key, how(value)]));
}
