import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { SecretValue } from '../../../src/core/value/secret-value';
import { S3Credential } from '../../../src/rancher/credential/s3-credential';
import { LocalUser } from '../../../src/rancher/user/user';
import { CA } from '../../support/certificates';
import { newApp, newRancher } from '../../support/programs';
import { written } from '../../support/written';

const KEYS = {
  accessKey: SecretValue.unsafePlainText('AK'),
  secretKey: SecretValue.unsafePlainText('SK'),
};
const base64 = (text: string) => Buffer.from(text).toString('base64');

test("is a Secret as Rancher's UI makes one", () => {
  const app = newApp();
  const rancher = newRancher(app);
  const credential = new S3Credential(rancher, 'Backup', {
    ...KEYS,
    creator: LocalUser.fromName(rancher, 'ana', { name: 'u-ana' }),
    bucket: 'snapshots',
    folder: 'shop',
    region: 'eu-1',
    endpoint: 'minio.example.com:9000',
    caCertificates: CA,
    insecureSkipTlsVerify: false,
  });
  expect(credential.s3CredentialId).toBe('cattle-global-data:cc-s3-backup');
  expect(written(app)['rancher/Secret/cc-s3-backup']).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'cc-s3-backup',
      namespace: 'cattle-global-data',
      annotations: {
        'field.cattle.io/name': 'Backup',
        'provisioning.cattle.io/driver': 's3',
        'field.cattle.io/creatorId': 'u-ana',
      },
    },
    type: 'Opaque',
    data: {
      's3credentialConfig-accessKey': base64('AK'),
      's3credentialConfig-secretKey': base64('SK'),
      's3credentialConfig-defaultBucket': base64('snapshots'),
      's3credentialConfig-defaultFolder': base64('shop'),
      's3credentialConfig-defaultRegion': base64('eu-1'),
      's3credentialConfig-defaultEndpoint': base64('minio.example.com:9000'),
      's3credentialConfig-defaultEndpointCA': base64(CA),
      's3credentialConfig-defaultSkipSSLVerify': base64('false'),
    },
  });
});

test('contains only its keys by default', () => {
  const app = newApp();
  new S3Credential(newRancher(app), 'backup', {
    ...KEYS,
    name: 'cc-abcde',
    displayName: 'Snapshots',
  });
  const { metadata, data } = written(app)['rancher/Secret/cc-abcde'];
  expect(metadata.annotations).toEqual({
    'field.cattle.io/name': 'Snapshots',
    'provisioning.cattle.io/driver': 's3',
  });
  expect(Object.keys(data)).toEqual([
    's3credentialConfig-accessKey',
    's3credentialConfig-secretKey',
  ]);
  expect(app.findings.map(({ rule, path }) => `${rule} ${path}`)).toEqual([
    'object/plain-secret data.s3credentialConfig-accessKey',
    'guest-secret/plain data.s3credentialConfig-secretKey',
  ]);
});

test('references an existing one by its name, and does not write it', () => {
  const app = newApp();
  expect(
    S3Credential.fromName(newRancher(app), 'backup', { name: 'cc-abcde' }).s3CredentialId,
  ).toBe('cattle-global-data:cc-abcde');
  expect(written(app)).toEqual({});
});

test('names and certificates are judged', () => {
  const rancher = newRancher(newApp());
  expect(
    () => new S3Credential(rancher, 'a', { ...KEYS, name: 'A_b', caCertificates: 'x' }),
  ).toThrow(
    '[rancher/a] name: must have at most 63 characters of a-z, 0-9 and hyphens, got "A_b". Fix: use a-z, 0-9 and hyphens, e.g. backups\n[rancher/a] caCertificates: must contain a certificate in PEM form. Fix: ',
  );
  expect(() => S3Credential.fromName(rancher, 'b', { name: 'fleet-default:x' })).toThrow(
    '[rancher/b] name: must be a valid object name, got "fleet-default:x"',
  );
  new S3Credential(rancher, 'c', {
    ...KEYS,
    accessKey: SecretValue.fromEnv('NO_SUCH_VARIABLE_HERE'),
  });
  expect(() => (rancher.node.root as HarvesterApp).synth()).toThrow(
    'data.s3credentialConfig-accessKey: the secret from environment variable NO_SUCH_VARIABLE_HERE is not set\n  fix: set it before synthesis',
  );
});
