import { chmodSync, existsSync, readdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { ApiObject } from 'cdk8s';
import {
  Delivery,
  HarvesterApp,
  HarvesterChart,
  LateSource,
  LateValue,
  SecretDelivery,
  SecretValue,
} from '../../../src';
import { tempFolder } from '../../support/temp';

const RECIPIENT = 'age1qyyappls469vacyphhuhw3m02mpjxqglxwr6gr40k67tpvfwr5dqw2vdh3';
const SECRET = 'horse-battery';

/** A program that answers as sops might. */
function fakeSops(version: string, encrypt: string): string {
  const file = join(tempFolder(), 'sops');
  writeFileSync(
    file,
    `#!/bin/sh\ncase "$*" in *--version*) echo "${version}";; *) cat >/dev/null; ${encrypt};; esac\n`,
  );
  chmodSync(file, 0o755);
  return file;
}

function synth(program: string, declare?: (dc1: HarvesterChart) => void): string {
  const outdir = join(tempFolder(), 'dist');
  const app = new HarvesterApp({
    outdir,
    printWarnings: false,
    secrets: SecretDelivery.sops({ recipients: [RECIPIENT], program }),
  });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  new ApiObject(dc1, 'login', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login', namespace: 'default' },
    stringData: { password: SECRET },
  });
  declare?.(dc1);
  let message = '';
  try {
    app.synth();
  } catch (error) {
    ({ message } = error as Error);
  }
  expect(message).not.toContain(SECRET);
  expect(existsSync(outdir) ? readdirSync(outdir) : []).toEqual([]);
  return message;
}

describe('writes nothing', () => {
  test.each([
    [
      'if sops is missing',
      () => '/no/such/sops',
      'the program /no/such/sops was not found. Fix: install sops 3.11 or later',
    ],
    [
      'if sops is too old',
      () => fakeSops('sops 3.10.2', 'true'),
      'must be sops 3.11 or later, got "sops 3.10.2"',
    ],
    [
      'if the program is another one',
      () => fakeSops('hello', 'true'),
      'must be sops 3.11 or later, got "hello"',
    ],
    [
      'if sops fails',
      () => fakeSops('sops 3.13.3', `echo "no such key\n${SECRET}" >&2; exit 1`),
      'encrypt failed: no such key. Fix: check the recipients',
    ],
    [
      'if sops leaves a secret in plain text',
      () => fakeSops('sops 3.13.3', `printf 'kind: Secret\nstringData:\n  password: ${SECRET}\n'`),
      'dc1//Secret/default/login: SOPS left stringData.password in plain text; nothing was written',
    ],
  ])('%s', (_, program, expected) => {
    expect(synth(program())).toContain(expected);
  });

  test('if the text of a late value contains a secret, which the assembly would hold in plain text', () => {
    const message = synth(fakeSops('sops 3.13.3', 'true'), (dc1) => {
      const account = {
        target: dc1,
        apiVersion: 'v1',
        kind: 'Secret',
        namespace: 'default',
        name: 'account',
      };
      const token = new LateValue(dc1, 'token', {
        description: 'token',
        source: LateSource.secretKey('token', account),
        sensitive: true,
      });
      new LateValue(dc1, 'plain', {
        description: 'a text without a secret',
        source: LateSource.text(`token: ${token.token}\n`),
      });
      new LateValue(dc1, 'mixed', {
        description: 'a text with a secret',
        source: LateSource.text(`token: ${token.token}\npassword: ${SECRET}\n`),
      });
    });
    expect(message).toContain(
      'the late value dc1.mixed contains a secret of the program in its text, which is in plain text in the assembly',
    );
    expect(message).not.toContain('dc1.plain');
  });

  test('with a key for digests that could be guessed', () => {
    process.env.CDK8S_HARVESTER_DIGEST_KEY = 'short';
    try {
      expect(synth(fakeSops('sops 3.13.3', 'true'))).toContain(
        'environment variable CDK8S_HARVESTER_DIGEST_KEY: must have at least 32 characters, got 5',
      );
    } finally {
      delete process.env.CDK8S_HARVESTER_DIGEST_KEY;
    }
  });
});

test('refuses recipients that are not public keys, and shows no private key', () => {
  expect(() => SecretDelivery.sops({ recipients: [] })).toThrow('recipients: must not be empty');
  expect(() => SecretDelivery.sops({ recipients: ['AGE-SECRET-KEY-1ABC', 'me'] })).toThrow(
    'must be public keys of age (age1…) or of SSH, got a private key, "me"',
  );
});

describe('an engine that must not get secrets as they are', () => {
  const fleet = Delivery.fleet({ repository: 'https://git.example.com/platform.git' });
  const argoCd = Delivery.argoCd({ repository: 'https://git.example.com/platform.git' });
  const sops = SecretDelivery.sops({ recipients: [RECIPIENT] });

  function refusals(delivery: Delivery, secrets?: SecretDelivery): string[] {
    const app = new HarvesterApp({ outdir: tempFolder(), delivery, secrets });
    const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
    new ApiObject(dc1, 'login', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login', namespace: 'default' },
      stringData: { password: SECRET },
    });
    return app
      .validate()
      .filter(({ rule }) => rule === 'delivery/secrets')
      .map(({ level, object, message }) => `${level} ${object!.name}: ${message}`);
  }

  test.each([
    [
      'Fleet, in plain text',
      fleet,
      undefined,
      'contains a secret, which Fleet keeps in plain text',
    ],
    ['Fleet, encrypted by SOPS', fleet, sops, 'is encrypted by SOPS, which Fleet does not decrypt'],
    [
      'Argo CD, encrypted by SOPS',
      argoCd,
      sops,
      'is encrypted by SOPS, which Argo CD does not decrypt',
    ],
  ])('is refused: %s', (_, delivery, secrets, message) => {
    expect(refusals(delivery, secrets)).toEqual([
      expect.stringMatching(`^error login: .*${message}`),
    ]);
  });

  test('refuses a secret in another object, and reports how a Secret hides it', () => {
    const textOf = (object: object, secrets?: SecretDelivery): string => {
      const app = new HarvesterApp({
        outdir: tempFolder(),
        delivery: fleet,
        secrets,
        printWarnings: false,
      });
      const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
      new ApiObject(dc1, 'login', {
        apiVersion: 'v1',
        metadata: { name: 'login', namespace: 'default' },
        ...object,
      } as never);
      return app
        .validate()
        .filter(({ level }) => level === 'error')
        .map(({ message, fix }) => `${message}. Fix: ${fix}`)
        .join();
    };
    const password = SecretValue.unsafePlainText(SECRET).token;
    const configMap = { kind: 'ConfigMap', data: { password } };
    const secret = { kind: 'Secret', stringData: { password } };
    const external = SecretDelivery.externalSecrets({ store: 'vault' });
    const PUT = /where the object can refer to a Secret, put the secret there/;
    expect(textOf(configMap)).toMatch(PUT);
    expect(textOf(configMap, external)).toMatch(PUT);
    expect(textOf(secret, external)).toBe('');
    expect(textOf(configMap, SecretDelivery.plainText())).toBe('');
    expect(textOf(secret)).not.toMatch(PUT);
  });

  test.each([
    ['Fleet, where the program accepts it', fleet, SecretDelivery.plainText()],
    ['Argo CD', argoCd, undefined],
  ])('is accepted in plain text: %s', (_, delivery, secrets) => {
    expect(refusals(delivery, secrets)).toEqual([]);
  });
});
