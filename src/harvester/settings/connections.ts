import { Duration } from 'cdk8s';
import { SecretValue } from '../../core/late/secret-value';

/**
 * Where this Harvester registers, as the cluster that a Rancher has made for it.
 */
export interface ClusterRegistrationProps {
  /** The URL of the import manifest: `https://<rancher>/v3/import/<token>_<cluster id>.yaml`; may hold late values. */
  readonly url: string;

  /**
   * Whether the certificate of Rancher is not looked at. From Harvester 1.7.2 on; before, it never is.
   * @default false
   */
  readonly insecureSkipTlsVerify?: boolean;
}

/**
 * The proxy that a Harvester reaches the outside by.
 */
export interface HttpProxyProps {
  /** For http: a URL with its port, e.g. `http://proxy.example.com:3128`. @default - none */
  readonly httpProxy?: string;
  /** For https: a URL with its port. @default - none */
  readonly httpsProxy?: string;

  /** Hosts, addresses and networks that are reached without it: the network of the nodes in CIDR form and the host of Rancher. Harvester adds its own. */
  readonly noProxy: string[];
}

/**
 * The certificate of Harvester's UI and API.
 */
export interface SslCertificatesProps {
  /** In PEM form: first the certificate itself, then those that signed it. */
  readonly publicCertificate: string;
  /** The private key of the first certificate, in PEM form. It stays in the Setting in clear. */
  readonly privateKey: SecretValue;
  /** The authority that signed it, in PEM form. @default - none */
  readonly ca?: string;
}

/**
 * Protocols of Harvester's UI and API.
 */
export enum SslProtocol {
  SSLV2 = 'SSLv2',
  SSLV3 = 'SSLv3',
  TLSV1 = 'TLSv1',
  TLSV1_1 = 'TLSv1.1',
  TLSV1_2 = 'TLSv1.2',
  TLSV1_3 = 'TLSv1.3',
}

/**
 * Protocols and ciphers of Harvester's UI and API.
 */
export interface SslParametersProps {
  /** @default - TLSv1.2 */
  readonly protocols?: SslProtocol[];
  /** Names that OpenSSL knows. Harvester does not check them. @default - Harvester's own */
  readonly ciphers?: string[];
}

/**
 * Versions of TLS, by Traefik's names.
 */
export enum TraefikTlsVersion {
  TLS10 = 'VersionTLS10',
  TLS11 = 'VersionTLS11',
  TLS12 = 'VersionTLS12',
  TLS13 = 'VersionTLS13',
}

/**
 * TLS of Harvester's ingress. Needs Harvester 1.9.0.
 *
 * @see https://doc.traefik.io/traefik/reference/routing-configuration/kubernetes/crd/tls/tlsoption/
 */
export interface TraefikTlsOptionsProps {
  /** @default - Traefik's own */
  readonly minVersion?: TraefikTlsVersion;
  /** @default - none */
  readonly maxVersion?: TraefikTlsVersion;
  /** @default - Traefik's own */
  readonly cipherSuites?: string[];
  /** @default - Traefik's own */
  readonly curvePreferences?: string[];
  /** @default false */
  readonly sniStrict?: boolean;
  /** @default - Traefik's own */
  readonly alpnProtocols?: string[];
}

/**
 * How Kubernetes' own certificates are renewed.
 */
export interface AutoRotateRke2CertsProps {
  /** @default true */
  readonly enable?: boolean;
  /** How long before the end, 1 to 8759 hours. @default - 240 hours */
  readonly expiringIn?: Duration;
}

/** The JSON of a proxy. */
export function httpProxy({ httpProxy: http, httpsProxy, noProxy }: HttpProxyProps): { readonly [key: string]: unknown } {
  return { httpProxy: http ?? '', httpsProxy: httpsProxy ?? '', noProxy: noProxy.join(',') };
}

/** The JSON of certificates. */
export function sslCertificates({ ca, publicCertificate, privateKey }: SslCertificatesProps): { readonly [key: string]: unknown } {
  return { ca: ca ?? '', publicCertificate, privateKey: privateKey._unwrap() };
}

/** The JSON of parameters. */
export function sslParameters({ protocols, ciphers }: SslParametersProps): { readonly [key: string]: unknown } {
  return { protocols: (protocols ?? []).join(' '), ciphers: (ciphers ?? []).join(':') };
}

/** The JSON of Traefik's options. */
export function traefikTlsOptions(props: TraefikTlsOptionsProps): { readonly [key: string]: unknown } {
  const { minVersion, maxVersion, cipherSuites, curvePreferences, sniStrict, alpnProtocols } = props;
  return { minVersion, maxVersion, cipherSuites, curvePreferences, sniStrict, alpnProtocols };
}

/** The JSON of the renewal. */
export function autoRotateRke2Certs({ enable, expiringIn }: AutoRotateRke2CertsProps): { readonly [key: string]: unknown } {
  return { enable: enable ?? true, expiringInHours: expiringIn?.toHours() ?? 240 };
}

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
