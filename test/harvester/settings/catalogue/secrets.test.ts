import { check, outcome } from './_checking';
import { backupTargetOf } from '../../../../src/harvester/settings/catalogue/backup-target.check';
import {
  bypassesProxy,
  coversAddress,
} from '../../../../src/harvester/settings/catalogue/registry-and-proxy.check';
import { CERTIFICATE, EC_KEY, EXPIRED, KEY, NAMELESS, OTHER_KEY } from '../../../core/go/_pem';

describe('ssl-certificates', () => {
  const of = (publicCertificate: string, privateKey: string, ca = '') =>
    outcome('ssl-certificates', JSON.stringify({ ca, publicCertificate, privateKey }), '1.7.2');

  test('accepts a certificate with its key', () => {
    expect(of(CERTIFICATE, KEY)).toEqual([]);
    expect(of(CERTIFICATE, EC_KEY, CERTIFICATE)).toEqual([]);
    expect(of('${late:cert}', KEY)).toEqual([]);
    expect(of(CERTIFICATE, '${late:key}')).toEqual([]);
    expect(outcome('ssl-certificates', '{}')).toEqual([]);
  });

  test.each([
    [CERTIFICATE, '', 'error value.privateKey: failed to locate private key'],
    ['', KEY, 'error value.publicCertificate: failed to locate certificate'],
    ['junk', KEY, 'error value.publicCertificate: failed to locate certificate'],
    [KEY, KEY, "error value.publicCertificate: unexpected block type 'PRIVATE KEY'"],
    [CERTIFICATE, CERTIFICATE, "error value.privateKey: unexpected block type 'CERTIFICATE'"],
    [
      CERTIFICATE.replace('MII', 'AII'),
      KEY,
      'error value.publicCertificate: x509: malformed certificate',
    ],
    [
      CERTIFICATE.replace('-----END', '----END'),
      KEY,
      'error value.publicCertificate: failed to parse PEM block',
    ],
    [
      NAMELESS,
      OTHER_KEY,
      'error value.publicCertificate: certificate has no common name or subject alt name',
    ],
    [CERTIFICATE, EC_KEY + EC_KEY, 'error value.privateKey: multiple private keys'],
    [
      CERTIFICATE,
      EC_KEY.replace('MHc', 'AHc'),
      'error value.privateKey: x509: failed to parse EC private key',
    ],
  ])('refuses what the server refuses', (certificate, key, expected) =>
    expect(of(certificate, key)).toEqual([expected]),
  );

  test('judges the authority less strictly', () => {
    expect(of(CERTIFICATE, KEY, KEY)).toEqual([
      "error value.ca: unexpected block type 'PRIVATE KEY'",
    ]);
    expect(of(CERTIFICATE, KEY, CERTIFICATE.replace('MII', 'AII'))).toEqual(['warning value.ca']);
  });

  test('warns of mistakes that the server accepts', () => {
    expect(of(CERTIFICATE, OTHER_KEY)).toEqual(['warning value.privateKey']);
    expect(of(CERTIFICATE, KEY + KEY)).toEqual(['warning value.privateKey']);
    // the server counts a key that it cannot read
    expect(of(CERTIFICATE, KEY.replace('MIG', 'AIG'))).toEqual(['warning value.privateKey']);
    expect(of(EXPIRED, KEY)).toEqual([
      'warning value.publicCertificate',
      'warning value.privateKey',
    ]);
  });
});

describe('additional-ca', () => {
  test.each([
    [CERTIFICATE, []],
    [CERTIFICATE + NAMELESS, []],
    [EXPIRED, ['warning value']],
    ['no certificate', ['warning value']],
    [KEY, ['warning value']],
    [CERTIFICATE + KEY, ['warning value']],
  ])('warns of %#', (value, expected) => expect(outcome('additional-ca', value)).toEqual(expected));
});

describe('backup-target', () => {
  const s3 = (fields: object = {}) =>
    JSON.stringify({
      type: 's3',
      endpoint: '',
      accessKeyId: 'a',
      secretAccessKey: 'b',
      bucketName: 'c',
      bucketRegion: 'd',
      ...fields,
    });
  const of = (value: string, before?: string) => outcome('backup-target', value, '1.7.2', before);

  test.each([
    [
      s3({ accessKeyId: '' }),
      'error value.accessKeyId: S3 backup target should have access key and access key id',
    ],
    [
      s3({ bucketRegion: '' }),
      'error value.bucketRegion: S3 backup target should have bucket name and region ',
    ],
    [
      s3({ refreshIntervalInSeconds: -1 }),
      'error value.refreshIntervalInSeconds: Refresh interval should be greater than or equal to 0',
    ],
    [s3({ virtualHostedStyle: 'no' }), 'error value.virtualHostedStyle'],
    [s3({ type: 'S3' }), 'error value.type: Invalid backup target type'],
    ['{"endpoint":"nfs://a/b"}', 'error value.type: Invalid backup target type'],
    ['{"type":"nfs"}', 'error value.endpoint: NFS backup target should have endpoint'],
    ['{"type":"nfs","endpoint":"10.0.0.1:/x"}', 'error value.endpoint'],
    [
      '{"type":"nfs","endpoint":"nfs://a:/b","accessKeyId":"x"}',
      'error value.accessKeyId: NFS backup target should not have access key or access key id',
    ],
    [
      '{"type":"nfs","endpoint":"nfs://a:/b","bucketName":"x"}',
      'error value.bucketName: NFS backup target should not have bucket name or region',
    ],
    [s3({ endpoint: 's3.example.com' }), 'warning value.endpoint'],
    [s3({ cert: 'x' }), 'warning value.cert'],
  ])('%s', (value, expected) => expect(of(value)).toEqual([expected]));

  test('accepts late keys', () =>
    expect(of(s3({ accessKeyId: '${late:a}', secretAccessKey: '${late:b}' }))).toEqual([]));

  test('accepts the value that the controller writes back, and no other without keys', () => {
    const stripped = s3({ accessKeyId: '', secretAccessKey: '' });
    expect(of(stripped, s3())).toEqual([]);
    expect(of(stripped, stripped)).toEqual([]);
    expect(of(stripped)).toHaveLength(2);
    expect(
      of(s3({ accessKeyId: '', secretAccessKey: '', bucketName: 'other' }), s3()),
    ).toHaveLength(2);
    expect(of(stripped, '')).toHaveLength(2);
  });

  test('reads nothing from a value that is not JSON', () =>
    expect(backupTargetOf('{')).toBeUndefined());
});

describe('containerd-registry', () => {
  test.each(['endpoint', 'rewrite'])('refuses the name %s of registries.yaml', (field) => {
    expect(
      check('containerd-registry', `{"Mirrors":{"docker.io":{"${field}":null}}}`),
    ).toMatchObject([
      { path: `value.Mirrors.docker.io.${field}`, fix: expect.stringMatching(/^write [A-Z]/) },
    ]);
  });

  test('refuses names of registries.yaml for credentials and TLS', () => {
    const value =
      '{"configs":{"r":{"auth":{"identity_token":"x"},"tls":{"insecure_skip_verify":true,"ca_file":"a","cert_file":"b","key_file":"c"}}}}';
    expect(
      check('containerd-registry', value).map(({ level, path }) => [level, path.split('.').at(-1)]),
    ).toEqual(
      ['identity_token', 'insecure_skip_verify', 'ca_file', 'cert_file', 'key_file'].map((key) => [
        undefined,
        key,
      ]),
    );
  });

  test('warns of fields that Harvester ignores', () => {
    expect(outcome('containerd-registry', '{"Mirror":{}}')).toEqual(['warning value.Mirror']);
    expect(
      outcome('containerd-registry', '{"Mirrors":{"r":{"Endpoints":["registry.example.com"]}}}'),
    ).toEqual(['warning value.Mirrors.r.Endpoints[0]']);
    expect(outcome('containerd-registry', '{"Mirrors":[]}')).toEqual(['error value.Mirrors']);
  });
});

describe('http-proxy', () => {
  const of = (config: object) => outcome('http-proxy', JSON.stringify(config), '1.7.2');

  test('warns of mistakes in a proxy that the server accepts', () => {
    expect(of({ httpProxy: 'proxy:3128', noProxy: '10.0.0.0/8' })).toEqual([
      'warning value.httpProxy',
    ]);
    expect(of({ httpsProxy: 'http://p', noProxy: '10.0.0.0/8, a' })).toEqual([
      'warning value.noProxy',
    ]);
    expect(of({ httpProxy: 'http://p', noProxy: 'rancher.example.com' })).toEqual([
      'warning value.noProxy',
    ]);
    expect(of({ httpProxy: 'http://p', noProxy: '${late:no}' })).toEqual([]);
    expect(of({ httpProxy: 1 })).toEqual(['error value.httpProxy']);
  });

  test.each([
    ['192.168.0.0/24', '192.168.0.30', true],
    ['192.168.0.0/27', '192.168.0.32', false],
    ['a, 192.168.0.30 ,b', '192.168.0.30', true],
    ['', '192.168.0.30', false],
    ['fda2::/48', 'fda2::30', true],
    ['fda2::/123', 'fda2::30', false],
    ['x', 'no address', true],
  ])('finds out whether %j contains %s: %s', (noProxy, address, covered) =>
    expect(coversAddress(noProxy, address)).toBe(covered),
  );

  test.each([
    ['rancher.example.com', 'rancher.example.com', true],
    ['example.com', 'rancher.example.com', true],
    ['.example.com', 'rancher.example.com', true],
    ['.example.com', 'example.com', false],
    ['*.example.com', 'rancher.example.com', true],
    ['ample.com', 'example.com', false],
    ['*', 'x', true],
    ['', '10.1.2.3', true],
    ['', '192.168.1.1', false],
    ['192.168.0.0/16', '192.168.1.1', true],
    ['192.168.1.1', '192.168.1.1', true],
    ['EXAMPLE.com:443', 'example.com', true],
    ['', 'rancher.cattle-system.svc', true],
    ['fd00::/8', '[fd00::1]', true],
    ['a', '192.168.1.1', false],
  ])('finds out whether %j excludes %s from the proxy: %s', (noProxy, host, past) =>
    expect(bypassesProxy(noProxy, host)).toBe(past),
  );
});
