import { chmodSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { ApiObject } from 'cdk8s';
import { HarvesterApp, HarvesterChart, SecretDelivery } from '../../../src';
import { Authority } from '../../support/authority';
import { tempFolder } from '../../support/temp';

const CERTIFICATE = new Authority().issue({ rsa: true }).cert;
const SECRET = 'horse-battery';
const VERSION = 'kubeseal version: v0.27.1';

/** A program that answers as kubeseal might. */
function fakeKubeseal(version: string, seal: string): string {
  const file = join(tempFolder(), 'kubeseal');
  writeFileSync(
    file,
    `#!/bin/sh\ncase "$*" in *--version*) echo "${version}";; *) cat >/dev/null; ${seal};; esac\n`,
  );
  chmodSync(file, 0o755);
  return file;
}

const answer = (name: string, value: string): string =>
  `printf 'apiVersion: bitnami.com/v1alpha1\\nkind: SealedSecret\\nmetadata:\\n  name: ${name}\\n  namespace: default\\nspec:\\n  encryptedData:\\n    password: ${value}\\n'`;

describe('writes nothing', () => {
  test.each([
    [
      'if kubeseal is missing',
      () => '/no/such/kubeseal',
      'the program /no/such/kubeseal was not found. Fix: install kubeseal 0.24 or later',
    ],
    [
      'if kubeseal is too old',
      () => fakeKubeseal('kubeseal version: v0.23.1', 'true'),
      'must be kubeseal 0.24 or later, got "kubeseal version: v0.23.1"',
    ],
    [
      'if the program is another one',
      () => fakeKubeseal('hello', 'true'),
      'must be kubeseal 0.24 or later, got "hello"',
    ],
    [
      'if kubeseal fails',
      () =>
        fakeKubeseal(
          VERSION,
          `echo "error: failed to encrypt using an expired certificate\n${SECRET}" >&2; exit 1`,
        ),
      'failed: failed to encrypt using an expired certificate. Fix: check the certificate',
    ],
    [
      'if kubeseal leaves a secret in plain text',
      () => fakeKubeseal(VERSION, answer('login', SECRET)),
      'kubeseal did not encrypt password; nothing was written',
    ],
    [
      'if kubeseal leaves a secret in Base64',
      () => fakeKubeseal(VERSION, answer('login', Buffer.from(SECRET).toString('base64'))),
      'kubeseal did not encrypt password; nothing was written',
    ],
    [
      'if kubeseal encrypts another Secret',
      () => fakeKubeseal(VERSION, answer('other', 'AgB')),
      'bitnami.com/SealedSecret/default/login: kubeseal did not encrypt password',
    ],
    [
      'if kubeseal writes nothing',
      () => fakeKubeseal(VERSION, 'true'),
      'kubeseal did not encrypt password',
    ],
  ])('%s', (_, program, expected) => {
    const outdir = join(tempFolder(), 'dist');
    const secrets = SecretDelivery.sealedSecrets({ certificate: CERTIFICATE, program: program() });
    const app = new HarvesterApp({ outdir, printWarnings: false, secrets });
    const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
    new ApiObject(dc1, 'login', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login', namespace: 'default' },
      stringData: { password: SECRET },
    });
    const run = (): void => {
      app.synth();
    };
    expect(run).toThrow(expected);
    expect(run).not.toThrow(SECRET);
    expect(existsSync(outdir) ? readdirSync(outdir) : []).toEqual([]);
  });
});

test('gives kubeseal secrets by standard input only', () => {
  const folder = tempFolder();
  const program = fakeKubeseal(
    VERSION,
    `echo "$@" > ${folder}/arguments; env > ${folder}/environment; exit 1`,
  );
  const app = new HarvesterApp({
    outdir: join(folder, 'dist'),
    secrets: SecretDelivery.sealedSecrets({ certificate: CERTIFICATE, program }),
  });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  new ApiObject(dc1, 'login', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login', namespace: 'default' },
    stringData: { password: SECRET },
  });
  expect(() => {
    app.synth();
  }).toThrow('failed');

  const text = (name: string): string => readFileSync(join(folder, name), 'utf8');
  expect(text('arguments') + text('environment')).not.toContain(SECRET);
  // no cluster is asked
  expect(text('arguments')).toMatch(/^--cert \S+certificate\.pem --scope strict --format yaml\n$/);
});

test.each([
  ['/no/such/cert.pem', 'certificate /no/such/cert.pem cannot be read: ENOENT'],
  [
    '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n',
    'certificate: holds a private key. Fix: set it to a file with what `kubeseal --fetch-cert` prints',
  ],
  [new Authority().cert, 'certificate must have an RSA key, got ec'],
  [
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    'certificate: certificate 1 of 1 cannot be read',
  ],
])('refuses a certificate that cannot be right: %s', (certificate, message) => {
  expect(() => SecretDelivery.sealedSecrets({ certificate })).toThrow(message);
  expect(() => SecretDelivery.sealedSecrets({ certificate })).not.toThrow('c2VjcmV0');
});

test('refuses a scope that kubeseal does not know', () => {
  expect(() =>
    SecretDelivery.sealedSecrets({ certificate: CERTIFICATE, scope: 'wide' as never }),
  ).toThrow('scope must be one of strict, namespace-wide, cluster-wide, got "wide"');
});
