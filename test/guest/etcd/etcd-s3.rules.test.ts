import { Manifest } from '../../../src/core/manifest/manifest';
import { SecretValue } from '../../../src/core/value/secret-value';
import { S3Credential } from '../../../src/rancher/credential/s3-credential';
import { guest, secret, told } from '../../support/guest';
import { newApp, newRancher } from '../../support/programs';

const NAME = 'cattle-global-data:cc-s3';
const credential = (data: { [key: string]: string }): Manifest =>
  secret('cc-s3', 'cattle-global-data', { 's3credentialConfig-accessKey': 'AK', ...data });
const findings = (s3: object | undefined, ...others: Manifest[]): string[] =>
  told([guest({ etcd: { s3 } }), ...others]).filter((line) => line.includes('s3'));

test('refuses an endpoint with a scheme, in the Cluster and in its credential', () => {
  expect(findings({ bucket: 'b', endpoint: 'https://minio.example.com:9000/' })).toEqual([
    'error cluster/etcd-s3 spec.rkeConfig.etcd.s3.endpoint: must be a host and port, not a URL, got "https://minio.example.com:9000/" ' +
      '(the server: "Endpoint url cannot have fully qualified paths."). Fix: write minio.example.com:9000',
  ]);
  expect(
    findings(
      { bucket: 'b', cloudCredentialName: NAME },
      credential({ 's3credentialConfig-defaultEndpoint': 'http://minio.example.com' }),
    ),
  ).toEqual([
    'error credential/s3-endpoint data.s3credentialConfig-defaultEndpoint: must be a host and port, not a URL, got "http://minio.example.com" ' +
      '(the server: "Endpoint url cannot have fully qualified paths."). Fix: write minio.example.com',
  ]);
  const key = SecretValue.unsafePlainText('AK');
  expect(
    () =>
      new S3Credential(newRancher(newApp()), 's3', {
        accessKey: key,
        secretKey: key,
        endpoint: 'https://minio.example.com',
      }),
  ).toThrow(
    '[rancher/s3] endpoint: must be a host and port, not a URL, got "https://minio.example.com"',
  );
});

test('refuses snapshots in S3 without a bucket', () => {
  const lacking =
    'error cluster/etcd-s3 spec.rkeConfig.etcd.s3.bucket: must be set (the server: "s3 bucket name was not set"). Fix: set the bucket';
  expect(findings({ endpoint: 'minio.example.com' })).toEqual([lacking]);
  expect(findings({ cloudCredentialName: NAME }, credential({}))).toEqual([
    `${lacking}, or defaultBucket of the credential`,
  ]);
});

test.each<[string, object | undefined, Manifest[]]>([
  ['no S3', undefined, []],
  ['an empty S3, which Rancher ignores', {}, []],
  ['a bucket', { bucket: 'b', endpoint: 'minio.example.com:9000' }, []],
  ['a credential that is not known', { cloudCredentialName: NAME }, []],
  [
    'a credential with a bucket',
    { cloudCredentialName: NAME },
    [
      credential({
        's3credentialConfig-defaultBucket': 'b',
        's3credentialConfig-defaultEndpoint': 'minio.example.com',
      }),
    ],
  ],
  [
    'a Secret that another tool fills',
    { cloudCredentialName: NAME },
    [secret('cc-s3', 'cattle-global-data', {})],
  ],
])('accepts %s', (_, s3, others) => {
  expect(findings(s3, ...others)).toEqual([]);
});
