import { KeyObject, X509Certificate, createPrivateKey } from 'crypto';
import { CONTROLLERS, SettingEntry, VALIDATOR, jsonCheck, syncer, warn } from './entry';
import { BOOL, STRING, slice, struct, unmarshal } from '../../../core/go/go-json-decode';
import { CERTIFICATE, PemBlock, certificatesOf, pemBlocksOf } from '../../../core/go/go-pem';
import { isLate } from '../../../core/late/late-token';
import { Problem } from '../../../core/rule/problem';
import { SETTING } from '../harvester-setting.kind';

/** The certificate of Harvester's UI and API. @see harvester/harvester:pkg/settings/settings_helper.go SSLCertificate */
export interface SslCertificatesConfig {
  readonly ca: string;
  readonly publicCertificate: string;
  readonly privateKey: string;
}

const SSL_FORMAT = '{"ca":"<PEM>","publicCertificate":"<PEM>","privateKey":"<PEM>"}';
const SSL = struct('settings.SSLCertificate', { ca: STRING, publicCertificate: STRING, privateKey: STRING });

/** What a value of ssl-certificates says; undefined where it can not be read. */
export function sslCertificatesOf(value: string): SslCertificatesConfig | undefined {
  const result = unmarshal<SslCertificatesConfig>(value, SSL);
  return 'error' in result ? undefined : result.config;
}

const CERTIFICATES_FIX = 'give certificates in PEM form, each from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----';
const KEY_FIX = 'give one private key in PEM form: PRIVATE KEY (PKCS8), RSA PRIVATE KEY or EC PRIVATE KEY';

function checkCertificates({ ca, publicCertificate, privateKey }: SslCertificatesConfig): Problem[] {
  if (ca === '' && publicCertificate === '' && privateKey === '') { return []; }
  const problems = [
    ...(ca === '' ? [] : checkBundle('value.ca', ca, false)),
    ...checkBundle('value.publicCertificate', publicCertificate, true),
    ...checkKey(privateKey),
  ];
  return problems.length > 0 ? problems : [...checkExpiry('value.publicCertificate', publicCertificate), ...checkPair(publicCertificate, privateKey)];
}

function checkBundle(path: string, text: string, serving: boolean): Problem[] {
  if (isLate(text)) { return []; }
  const refuse = (message: string, says: string): Problem[] => [{ path, message, fix: CERTIFICATES_FIX, says }];
  const result = pemBlocksOf(text);
  const other = result.blocks.find(({ type }) => type !== CERTIFICATE);
  if (other) { return refuse(`holds a ${other.type}`, `unexpected block type '${other.type}'`); }
  if (result.error !== undefined) { return refuse('holds a PEM block that can not be read', result.error); }
  if (result.blocks.length === 0) { return refuse('holds no certificate', 'failed to locate certificate'); }
  const certificates = certificatesOf(text);
  if (!certificates) {
    const problem: Problem = { path, message: 'holds a certificate that can not be read', fix: CERTIFICATES_FIX };
    // the server does not look into the certificates of an authority
    return [serving ? { ...problem, says: 'x509: malformed certificate' } : warn(problem)];
  }
  return serving && !hasName(certificates[0]!) ? refuse('is for no name and no address', 'certificate has no common name or subject alt name') : [];
}

function hasName(certificate: X509Certificate): boolean {
  return /^CN=\s*\S/m.test(certificate.subject ?? '') || /(^|, )(DNS|IP Address):/.test(certificate.subjectAltName ?? '');
}

function checkKey(text: string): Problem[] {
  if (isLate(text)) { return []; }
  const path = 'value.privateKey';
  const refuse = (message: string, says: string): Problem[] => [{ path, message, fix: KEY_FIX, says }];
  const { blocks, error } = pemBlocksOf(text);
  let keys = 0;
  for (const block of blocks) {
    // the server stops at the first PKCS8 or RSA key that it can read, and counts those that it can not
    if (block.type === 'PRIVATE KEY' || block.type === 'RSA PRIVATE KEY') {
      if (keyOf(block)) { return keys === 0 && blocks.length === 1 ? [] : [warn({ path, message: 'holds more than one key', fix: KEY_FIX })]; }
      keys++;
    } else if (block.type === 'EC PRIVATE KEY') {
      if (!keyOf(block)) { return refuse('holds an EC key that can not be read', 'x509: failed to parse EC private key'); }
      keys++;
    } else if (block.type !== 'EC PARAMETERS') {
      return refuse(`holds a ${block.type}`, `unexpected block type '${block.type}'`);
    }
  }
  if (error !== undefined) { return refuse('holds a PEM block that can not be read', error); }
  if (keys === 0) { return refuse('holds no private key', 'failed to locate private key'); }
  if (keys > 1) { return refuse('holds more than one key', 'multiple private keys'); }
  return blocks.some(keyOf) ? [] : [warn({ path, message: 'holds a key that can not be read, which the webhook accepts', fix: KEY_FIX })];
}

function keyOf({ type, der }: PemBlock): KeyObject | undefined {
  const format = { 'PRIVATE KEY': 'pkcs8', 'RSA PRIVATE KEY': 'pkcs1', 'EC PRIVATE KEY': 'sec1' } as const;
  const kind = format[type as keyof typeof format];
  try {
    return kind && createPrivateKey({ key: der, format: 'der', type: kind });
  } catch {
    return undefined;
  }
}

function checkPair(certificate: string, privateKey: string): Problem[] {
  const first = isLate(certificate) ? undefined : certificatesOf(certificate)?.[0];
  const key = isLate(privateKey) ? undefined : pemBlocksOf(privateKey).blocks.map(keyOf).find((found) => found);
  return first && key && !first.checkPrivateKey(key) ? [warn({
    path: 'value.privateKey',
    message: 'does not belong to the first certificate of publicCertificate, so that no browser gets a connection',
    fix: 'put the certificate of the key first, then those that signed it',
  })] : [];
}

function checkExpiry(path: string, text: string): Problem[] {
  return (isLate(text) ? [] : certificatesOf(text) ?? []).filter(({ validTo }) => Date.parse(validTo) < Date.now()).map(({ validTo }) => warn({
    path, message: `holds a certificate that expired on ${new Date(validTo).toISOString().slice(0, 10)}`, fix: 'replace it',
  }));
}

function checkAuthorities(value: string): Problem[] {
  if (pemBlocksOf(value).blocks.some(({ type }) => /PRIVATE KEY/.test(type))) {
    return [warn({ path: 'value', message: 'holds a private key, which everybody who may read the Setting can read', fix: CERTIFICATES_FIX })];
  }
  return certificatesOf(value) ? checkExpiry('value', value) : [warn({
    path: 'value', message: 'is no bundle of certificates: Harvester accepts it, and trusts nobody because of it', fix: CERTIFICATES_FIX,
  })];
}

const PARAMETERS_FORMAT = '{"protocols":"TLSv1.2 TLSv1.3","ciphers":"ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305"}';
const PROTOCOLS = ['SSLv2', 'SSLv3', 'TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];
const TLS_FORMAT = '{"minVersion":"VersionTLS12","maxVersion":"VersionTLS13"}';
const TLS_VERSIONS = ['VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'];

function checkParameters({ protocols }: { readonly protocols: string }): Problem[] {
  return isLate(protocols) ? [] : protocols.split(' ').filter((word) => word !== '' && !PROTOCOLS.includes(word)).map((word) => ({
    path: 'value.protocols',
    value: word,
    message: 'is no protocol that Harvester\'s ingress knows',
    fix: `give some of ${PROTOCOLS.join(' ')}, separated by spaces`,
    says: `unsupported SSL protocol: ${word}`,
  }));
}

function checkTlsOptions(options: { readonly [key: string]: unknown }): Problem[] {
  return ['minVersion', 'maxVersion'].filter((key) => options[key] !== '' && !TLS_VERSIONS.includes(String(options[key]))).map((key) => warn({
    path: `value.${key}`, value: options[key], message: 'is no version of TLS that Traefik knows', fix: `give one of ${TLS_VERSIONS.join(', ')}`,
  }));
}

export const CERTIFICATE_FAMILY: readonly SettingEntry[] = [
  {
    name: SETTING.ADDITIONAL_CA,
    what: 'certificate authorities that Harvester and its nodes trust beside the public ones',
    format: 'certificates in PEM form',
    default: '',
    judgesDefault: 'never',
    level: 'warning',
    controller: syncer(),
    source: `${CONTROLLERS}/additional_ca.go; seen on Harvester 1.7.2`,
    check: checkAuthorities,
  },
  {
    name: SETTING.SSL_CERTIFICATES,
    what: 'the certificate of Harvester\'s UI and API',
    format: SSL_FORMAT,
    default: '{}',
    secret: true,
    judgesLate: true,
    judgesDefault: 'always',
    level: 'error',
    controller: syncer(),
    source: `${VALIDATOR}, pkg/util/tls/tls.go`,
    check: jsonCheck<SslCertificatesConfig>({
      format: SSL_FORMAT, type: SSL, secret: true, judge: checkCertificates,
    }),
  },
  {
    name: SETTING.SSL_PARAMETERS,
    what: 'the protocols and ciphers of Harvester\'s UI and API',
    format: PARAMETERS_FORMAT,
    default: '{}',
    judgesDefault: 'always',
    level: 'error',
    controller: syncer(),
    source: VALIDATOR,
    check: jsonCheck<{ readonly protocols: string }>({
      format: PARAMETERS_FORMAT, type: struct('settings.SSLParameter', { protocols: STRING, ciphers: STRING }), judge: checkParameters,
    }),
  },
  {
    name: SETTING.TRAEFIK_DEFAULT_TLS_OPTIONS,
    since: '1.9.0',
    what: 'the TLS of Harvester\'s ingress, a TLSOption of Traefik',
    format: TLS_FORMAT,
    default: TLS_FORMAT,
    judgesDefault: 'effective',
    level: 'error',
    controller: syncer(),
    source: VALIDATOR,
    check: jsonCheck<{ readonly [key: string]: unknown }>({
      format: TLS_FORMAT,
      judge: checkTlsOptions,
      type: struct('settings.TLSOptionSpec', {
        minVersion: STRING,
        maxVersion: STRING,
        cipherSuites: slice(STRING),
        curvePreferences: slice(STRING),
        sniStrict: BOOL,
        alpnProtocols: slice(STRING),
        disableSessionTickets: BOOL,
        clientAuth: struct('settings.ClientAuth', { secretNames: slice(STRING), clientAuthType: STRING }),
      }),
    }),
  },
];
