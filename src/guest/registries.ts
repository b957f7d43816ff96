import { RegistryAuth } from './registry-auth';
import { RegistryTls } from './registry-tls';

/**
 * The container registries of a cluster: mirrors, credentials and certificates, as containerd takes them.
 *
 * Secrets are made in the namespace of the Cluster on Rancher, which writes what they hold to the nodes.
 *
 * @see https://docs.rke2.io/install/private_registry
 */
export interface Registries {
  /** Where images of a registry are fetched from, by the registry, e.g. `docker.io`; `*` is every registry. @default - none */
  readonly mirrors?: { readonly [registry: string]: RegistryMirror };
  /** How a registry or an endpoint of a mirror is spoken to, by `<host>[:port]`. @default - none */
  readonly configs?: { readonly [registry: string]: RegistryConfig };
}

/**
 * Where images of a registry are fetched from.
 */
export interface RegistryMirror {
  /** URLs in the order in which they are tried, e.g. `https://mirror.example.com`. */
  readonly endpoints: string[];
  /** Replacements in names of repositories, by regular expression, e.g. `{'^rancher/(.*)': 'mirror/rancher/$1'}`. @default - none */
  readonly rewrites?: { readonly [pattern: string]: string };
}

/**
 * How a registry is spoken to.
 */
export interface RegistryConfig {
  /** Credentials. @default - none */
  readonly auth?: RegistryAuth;
  /** The certificate that the nodes show. @default - none */
  readonly tls?: RegistryTls;
  /** Certificates in PEM form that the registry's certificate is signed by. @default - what the nodes trust */
  readonly caBundle?: string;
  /**
   * Whether the certificate of the registry is taken unseen.
   * @default false
   */
  readonly insecureSkipVerify?: boolean;
}
