import { Duration } from 'cdk8s';
import { SecretValue } from '../../late/secret-value';

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
