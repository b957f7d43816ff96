import { KeyObject, X509Certificate, createPrivateKey } from 'crypto';
import { EnumValue } from '../../../core/draft/draft';
import { BOOL, STRING, slice, goStruct, unmarshal } from '../../../core/go/go-json';
import { CERTIFICATE, PemBlock, certificatesOf, pemBlocksOf } from '../../../core/go/go-pem';
import { isLate } from '../../../core/late/late-token';
import { ADDITIONAL_CA } from '../../../core/manifest/names';
import { Problem } from '../../../core/problem/problem';
import { tableByName, filledList, attempt } from '../../../core/text/values';
import { SecretValue } from '../../../core/value/secret-value';
import {
  SETTING_CONTROLLERS,
  VALIDATOR,
  decoded,
  isPlainText,
  json,
  settingEntry,
  syncer,
  warn,
} from '../entry/setting-entry.check';
import { readJson } from '../entry/setting-text.facts';

/** The certificate of Harvester's UI and API. */
export interface SslCertificatesProps {
  /** In PEM form: first the certificate itself, then the certificates that signed it. */
  readonly publicCertificate: string;
  /** The private key of the first certificate, in PEM form. The Setting holds it in plain text. */
  readonly privateKey: SecretValue;
  /** The authority that signed it, in PEM form. @default - no authority is named */
  readonly caCertificates?: string;
}

/** A version of TLS, or of SSL, by the names of OpenSSL. */
export enum TlsVersion {
  /** SSL 2.0, which Traefik does not have. */
  SSL_2 = 'SSLv2',
  /** SSL 3.0, which Traefik does not have. */
  SSL_3 = 'SSLv3',
  /** TLS 1.0. */
  TLS_1_0 = 'TLSv1',
  /** TLS 1.1. */
  TLS_1_1 = 'TLSv1.1',
  /** TLS 1.2. */
  TLS_1_2 = 'TLSv1.2',
  /** TLS 1.3. */
  TLS_1_3 = 'TLSv1.3',
}

/**
 * Protocols and ciphers of Harvester's UI and API. No effect from Harvester 1.9.0 on: use
 * `traefikDefaultTlsOptions`.
 */
export interface SslParametersProps {
  /** Versions of TLS that the management address accepts. @default - TLSv1.2 */
  readonly protocols?: TlsVersion[];
  /**
   * Ciphers by their OpenSSL names, e.g. `ECDHE-RSA-AES256-GCM-SHA384`. Harvester does not check
   * them.
   * @default - Harvester's own ciphers
   */
  readonly ciphers?: string[];
}

/**
 * TLS of Harvester's ingress. Needs Harvester 1.9.0.
 *
 * @see https://doc.traefik.io/traefik/reference/routing-configuration/kubernetes/crd/tls/tlsoption/
 */
export interface TraefikTlsOptionsProps {
  /** The lowest version of TLS. @default - the lowest version of Traefik */
  readonly minVersion?: TlsVersion;
  /** The highest version of TLS. @default - no limit */
  readonly maxVersion?: TlsVersion;
  /**
   * Cipher suites up to TLS 1.2, by their names in Go, e.g.
   * `TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384`.
   * @default - the cipher suites of Traefik
   */
  readonly cipherSuites?: string[];
  /**
   * Elliptic curves for the key exchange, by preference, e.g. `X25519`.
   * @default - the curves of Traefik
   */
  readonly curvePreferences?: string[];
  /** Whether Traefik refuses connections without a known server name. @default false */
  readonly sniStrict?: boolean;
  /**
   * Protocols for the application layer (ALPN), by preference, e.g. `h2`.
   * @default - the protocols of Traefik
   */
  readonly alpnProtocols?: string[];
}

/**
 * The certificate of Harvester's UI and API.
 * @see harvester/harvester:pkg/settings/settings_helper.go SSLCertificate
 */
interface SslCertificatesConfig {
  readonly ca: string;
  readonly publicCertificate: string;
  readonly privateKey: string;
}

const SSL = goStruct({ ca: STRING, publicCertificate: STRING, privateKey: STRING });

const CERTIFICATES_FIX =
  'give certificates in PEM form, each from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----';
const KEY_FIX =
  'give one private key in PEM form: PRIVATE KEY (PKCS8), RSA PRIVATE KEY or EC PRIVATE KEY';

function checkCertificates({
  ca,
  publicCertificate,
  privateKey,
}: SslCertificatesConfig): Problem[] {
  if (ca === '' && publicCertificate === '' && privateKey === '') {
    return [];
  }
  const problems = [
    ...(ca === '' ? [] : checkBundle('value.ca', ca, false)),
    ...checkBundle('value.publicCertificate', publicCertificate, true),
    ...checkKey(privateKey),
  ];
  return problems.length > 0
    ? problems
    : [
        ...checkExpiry('value.publicCertificate', publicCertificate),
        ...checkPair(publicCertificate, privateKey),
      ];
}

function checkBundle(path: string, text: string, serving: boolean): Problem[] {
  if (isLate(text)) {
    return [];
  }
  const refuse = (message: string, says: string): Problem[] => [
    { path, message, fix: CERTIFICATES_FIX, says },
  ];
  const result = pemBlocksOf(text);
  const other = result.blocks.find(({ type }) => type !== CERTIFICATE);
  if (other) {
    return refuse(`holds a ${other.type}`, `unexpected block type '${other.type}'`);
  }
  if (result.broken) {
    return refuse('holds a PEM block that cannot be read', 'failed to parse PEM block');
  }
  if (result.blocks.length === 0) {
    return refuse('must hold a certificate', 'failed to locate certificate');
  }
  const certificates = certificatesOf(text);
  if (!certificates) {
    const problem: Problem = {
      path,
      message: 'holds a certificate that cannot be read',
      fix: CERTIFICATES_FIX,
    };
    // the server does not look into the certificates of an authority
    return [serving ? { ...problem, says: 'x509: malformed certificate' } : warn(problem)];
  }
  if (serving && !hasName(certificates[0]!)) {
    return refuse(
      'must be for a name or an address',
      'certificate has no common name or subject alt name',
    );
  }
  return [];
}

function hasName(certificate: X509Certificate): boolean {
  return (
    /^CN=\s*\S/m.test(certificate.subject ?? '') ||
    /(^|, )(DNS|IP Address):/.test(certificate.subjectAltName ?? '')
  );
}

function checkKey(text: string): Problem[] {
  if (isLate(text)) {
    return [];
  }
  const path = 'value.privateKey';
  const refuse = (message: string, says: string): Problem[] => [
    { path, message, fix: KEY_FIX, says },
  ];
  const { blocks, broken } = pemBlocksOf(text);
  let keys = 0;
  for (const block of blocks) {
    // the server stops at the first PKCS8 or RSA key that it can read, and counts those that it
    // cannot
    if (block.type === 'PRIVATE KEY' || block.type === 'RSA PRIVATE KEY') {
      if (keyOf(block)) {
        return keys === 0 && blocks.length === 1
          ? []
          : [warn({ path, message: 'must hold one key', fix: KEY_FIX })];
      }
      keys++;
    } else if (block.type === 'EC PRIVATE KEY') {
      if (!keyOf(block)) {
        return refuse(
          'holds an EC key that cannot be read',
          'x509: failed to parse EC private key',
        );
      }
      keys++;
    } else if (block.type !== 'EC PARAMETERS') {
      return refuse(`holds a ${block.type}`, `unexpected block type '${block.type}'`);
    }
  }
  if (broken) {
    return refuse('holds a PEM block that cannot be read', 'failed to parse PEM block');
  }
  if (keys === 0) {
    return refuse('must hold a private key', 'failed to locate private key');
  }
  if (keys > 1) {
    return refuse('must hold one key', 'multiple private keys');
  }
  if (blocks.some(keyOf)) {
    return [];
  }
  return [
    warn({
      path,
      message: 'holds a key that cannot be read, which the webhook accepts',
      fix: KEY_FIX,
    }),
  ];
}

function keyOf({ type, der }: PemBlock): KeyObject | undefined {
  const format = {
    'PRIVATE KEY': 'pkcs8',
    'RSA PRIVATE KEY': 'pkcs1',
    'EC PRIVATE KEY': 'sec1',
  } as const;
  const kind = format[type as keyof typeof format];
  return kind && attempt(() => createPrivateKey({ key: der, format: 'der', type: kind }));
}

function checkPair(certificate: string, privateKey: string): Problem[] {
  const first = isLate(certificate) ? undefined : certificatesOf(certificate)?.[0];
  const key = isLate(privateKey)
    ? undefined
    : pemBlocksOf(privateKey)
        .blocks.map(keyOf)
        .find((found) => found);
  if (first && key && !first.checkPrivateKey(key)) {
    return [
      warn({
        path: 'value.privateKey',
        message:
          'must be the key of the first certificate of publicCertificate: no browser can connect',
        fix: 'put the certificate of the key first, then those that signed it',
      }),
    ];
  }
  return [];
}

function checkExpiry(path: string, text: string): Problem[] {
  return (isLate(text) ? [] : (certificatesOf(text) ?? []))
    .filter(({ validTo }) => Date.parse(validTo) < Date.now())
    .map(({ validTo }) =>
      warn({
        path,
        message: `holds a certificate that expired on ${new Date(validTo).toISOString().slice(0, 10)}`,
        fix: 'replace it',
      }),
    );
}

function checkAuthorities(value: string): Problem[] {
  if (pemBlocksOf(value).blocks.some(({ type }) => /PRIVATE KEY/.test(type))) {
    return [
      {
        path: 'value',
        message: 'cannot hold a private key: everyone who may read the Setting can read it',
        fix: CERTIFICATES_FIX,
      },
    ];
  }
  return certificatesOf(value)
    ? checkExpiry('value', value)
    : [
        {
          path: 'value',
          message:
            'must be a bundle of certificates: Harvester accepts it and then trusts no authority',
          fix: CERTIFICATES_FIX,
        },
      ];
}

const PROTOCOLS: readonly string[] = Object.values(TlsVersion);
const TLS_FORMAT = '{"minVersion":"VersionTLS12","maxVersion":"VersionTLS13"}';

/**
 * The versions that Traefik has, by its names.
 * @see traefik/traefik:pkg/tls/tls.go
 */
const TRAEFIK_VERSIONS: { readonly [version: string]: string } = tableByName({
  [TlsVersion.TLS_1_0]: 'VersionTLS10',
  [TlsVersion.TLS_1_1]: 'VersionTLS11',
  [TlsVersion.TLS_1_2]: 'VersionTLS12',
  [TlsVersion.TLS_1_3]: 'VersionTLS13',
});
const TLS_VERSIONS = Object.values(TRAEFIK_VERSIONS);

/** A version by Traefik's name; one that Traefik does not have keeps its name, which is refused. */
function traefikName(version: TlsVersion | undefined): string | undefined {
  return version === undefined ? undefined : (TRAEFIK_VERSIONS[version] ?? version);
}

/** A version of Traefik as a program writes it. */
function traefikVersion(text: unknown): EnumValue | undefined {
  const [version] = Object.entries(TRAEFIK_VERSIONS).find(([, name]) => name === text) ?? [];
  return version === undefined ? undefined : new EnumValue('TlsVersion', version);
}

function checkParameters({ protocols }: { readonly protocols: string }): Problem[] {
  if (isLate(protocols)) {
    return [];
  }
  return protocols
    .split(' ')
    .filter((word) => word !== '' && !PROTOCOLS.includes(word))
    .map((word) => ({
      path: 'value.protocols',
      value: word,
      message: `must be some of ${PROTOCOLS.join(' ')}`,
      fix: 'separate the protocols by spaces',
      says: `unsupported SSL protocol: ${word}`,
    }));
}

function checkTlsOptions(options: { readonly [key: string]: unknown }): Problem[] {
  return ['minVersion', 'maxVersion']
    .filter((key) => options[key] !== '' && !TLS_VERSIONS.includes(String(options[key])))
    .map((key) =>
      warn({
        path: `value.${key}`,
        value: options[key],
        message: 'must be a version of TLS that Traefik knows',
        fix: `give one of ${TLS_VERSIONS.join(', ')}`,
      }),
    );
}

/** The parts of a text; none of one that is empty or missing. */
function split(text: unknown, by: string): string[] {
  return typeof text === 'string' && text !== '' ? text.split(by) : [];
}

/** The settings of certificates and TLS. */
export const CERTIFICATE_FAMILY = {
  [ADDITIONAL_CA]: settingEntry<string>({
    what: 'certificate authorities that Harvester and its nodes trust in addition to the public ones',
    format: 'certificates in PEM form',
    level: 'warning',
    carriesGuests: true,
    controller: syncer(),
    source: `${SETTING_CONTROLLERS}/additional_ca.go; seen on Harvester 1.7.2`,
    check: checkAuthorities,
  }),
  'ssl-certificates': settingEntry<SslCertificatesProps>({
    what: "the certificate of Harvester's UI and API",
    format: '{"ca":"<PEM>","publicCertificate":"<PEM>","privateKey":"<PEM>"}',
    default: '{}',
    secret: true,
    secretsIn: (value) =>
      isPlainText(decoded(unmarshal<SslCertificatesConfig>(value, SSL))?.privateKey)
        ? [['value.privateKey', "the private key of Harvester's certificate"]]
        : [],
    judgesLate: true,
    judgesDefault: 'always',
    carriesGuests: true,
    print: ({ caCertificates: ca, publicCertificate, privateKey }) => ({
      ca: ca ?? '',
      publicCertificate,
      privateKey: privateKey._unwrap(),
    }),
    controller: syncer(),
    source: `${VALIDATOR}, pkg/util/tls/tls.go`,
    check: json<SslCertificatesConfig>({ type: SSL, judge: checkCertificates }),
  }),
  'ssl-parameters': settingEntry<SslParametersProps>({
    inert: {
      since: '1.9.0',
      because: 'its ingress is Traefik instead of nginx',
      instead: 'traefik-default-tls-options',
    },
    what: "the protocols and ciphers of Harvester's UI and API",
    format:
      '{"protocols":"TLSv1.2 TLSv1.3","ciphers":"ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305"}',
    default: '{}',
    judgesDefault: 'always',
    carriesGuests: true,
    print: ({ protocols, ciphers }) => ({
      protocols: (protocols ?? []).join(' '),
      ciphers: (ciphers ?? []).join(':'),
    }),
    adopt: readJson(({ protocols, ciphers }) => ({
      protocols: filledList(split(protocols, ' '))?.map(
        (protocol) => new EnumValue('TlsVersion', protocol),
      ),
      ciphers: filledList(split(ciphers, ':')),
    })),
    controller: syncer(),
    source: `${VALIDATOR}, ${SETTING_CONTROLLERS}/ssl_parameters.go`,
    check: json<{ readonly protocols: string }>({
      type: goStruct({ protocols: STRING, ciphers: STRING }),
      judge: checkParameters,
    }),
  }),
  'traefik-default-tls-options': settingEntry<TraefikTlsOptionsProps>({
    since: '1.9.0',
    what: "the TLS of Harvester's ingress, a TLSOption of Traefik",
    format: TLS_FORMAT,
    default:
      '{"minVersion":"VersionTLS12", "maxVersion":"VersionTLS13", "sniStrict":false,"cipherSuites":[],"clientAuth":{"secretNames":[],"clientAuthType":""}}',
    judgesDefault: 'effective',
    print: ({
      minVersion,
      maxVersion,
      cipherSuites,
      curvePreferences,
      sniStrict,
      alpnProtocols,
    }) => ({
      minVersion: traefikName(minVersion),
      maxVersion: traefikName(maxVersion),
      cipherSuites,
      curvePreferences,
      sniStrict,
      alpnProtocols,
    }),
    adopt: readJson(
      ({ minVersion, maxVersion, cipherSuites, curvePreferences, sniStrict, alpnProtocols }) => ({
        minVersion: traefikVersion(minVersion),
        maxVersion: traefikVersion(maxVersion),
        cipherSuites,
        curvePreferences,
        sniStrict,
        alpnProtocols,
      }),
    ),
    controller: syncer(),
    source: VALIDATOR,
    check: json<{ readonly [key: string]: unknown }>({
      judge: checkTlsOptions,
      type: goStruct({
        minVersion: STRING,
        maxVersion: STRING,
        cipherSuites: slice(STRING),
        curvePreferences: slice(STRING),
        sniStrict: BOOL,
        alpnProtocols: slice(STRING),
        disableSessionTickets: BOOL,
        clientAuth: goStruct({ secretNames: slice(STRING), clientAuthType: STRING }),
      }),
    }),
  }),
};
