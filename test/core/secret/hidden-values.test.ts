import { Manifest } from '../../../src/core/manifest/manifest';
import { HiddenValues, isHidden, withoutHashes } from '../../../src/core/secret/redactor';

const HASH = expect.stringMatching(/^<sha256:[0-9a-f]{8}>$/);
const values = new HiddenValues();
const manifest = (
  kind: string,
  fields: { [field: string]: unknown } = {},
  apiVersion = 'example.com/v1',
): Manifest => ({ apiVersion, kind, metadata: { name: 'a' }, ...fields });

const shown = (object: Manifest): { [field: string]: unknown } => {
  const {
    apiVersion: _,
    kind: __,
    metadata: ___,
    ...fields
  } = values.show(object, [], object, []) as Manifest;
  return fields;
};

test.each<
  [what: string, fields: { [field: string]: unknown }, expected: { [field: string]: unknown }]
>([
  [
    'keys with the name of a secret',
    { spec: { password: 'x', apiKey: 'y', tokens: ['z'] } },
    { spec: { password: HASH, apiKey: HASH, tokens: HASH } },
  ],
  [
    'the names of Secrets',
    { spec: { tokenSecretName: 's', cloudCredentialSecretName: 'c', secretRef: 'r' } },
    { spec: { tokenSecretName: 's', cloudCredentialSecretName: 'c', secretRef: 'r' } },
  ],
  [
    'what is public',
    { spec: { publicKey: 'ssh-ed25519 AAAA' } },
    { spec: { publicKey: 'ssh-ed25519 AAAA' } },
  ],
  [
    'private keys anywhere',
    { data: { a: '-----BEGIN RSA PRIVATE KEY-----\nx' } },
    { data: { a: HASH } },
  ],
  ['URLs with a password', { data: { a: 'http://me:pw@proxy:3128' } }, { data: { a: HASH } }],
  [
    'plain URLs',
    { data: { a: 'http://proxy:3128/a@b' } },
    { data: { a: 'http://proxy:3128/a@b' } },
  ],
  [
    "Rancher's tokens",
    { data: { a: 'kubeconfig-u-abcde:0123456789abcdefghijklmnopqrstuvwxyz' } },
    { data: { a: HASH } },
  ],
  ['import URLs', { data: { a: 'https://r/v3/import/abc_c-m-1.yaml' } }, { data: { a: HASH } }],
  [
    'manifests within text that hold Secrets',
    { spec: { text: 'apiVersion: v1\nkind: Secret\nx: {{ y }}' } },
    { spec: { text: HASH } },
  ],
  [
    'switches',
    { spec: { automountServiceAccountToken: false } },
    { spec: { automountServiceAccountToken: false } },
  ],
  [
    'unknown late values',
    { spec: { password: 'x${late:id}' } },
    { spec: { password: '(known after apply)' } },
  ],
])('%s', (_, fields, expected) => {
  const object = shown(manifest('Widget', fields));
  // one list of secrets is one hash or a hash each
  expect(
    JSON.parse(JSON.stringify(object), (_key, value) =>
      Array.isArray(value) && value.every(isHidden) ? value[0] : value,
    ),
  ).toEqual(expected);
});

test('all of a Secret, and fields that hold late values which are sensitive', () => {
  expect(
    shown(
      manifest('Secret', { data: { a: 'eA==' }, stringData: { b: 'x' }, type: 'Opaque' }, 'v1'),
    ),
  ).toEqual({ data: { a: HASH }, stringData: { b: HASH }, type: 'Opaque' });
  const object = manifest('Widget', { spec: { url: 'plain', other: 'plain' } });
  expect(values.show(object.spec, ['spec'], object, [['spec', 'url']])).toEqual({
    url: HASH,
    other: 'plain',
  });
});

test('hashes show which values are equal within a run, and nothing between runs', () => {
  expect(values.hash('a')).toBe(values.hash('a'));
  expect(values.hash('a')).not.toBe(values.hash('b'));
  expect(values.hash('a')).not.toBe(new HiddenValues().hash('a'));
  expect(withoutHashes({ a: [values.hash('a')], b: 'x' })).toEqual({ a: ['<secret>'], b: 'x' });
});

test("a server's words lose secrets in every form that they may come back in", () => {
  const secret = manifest(
    'Secret',
    { data: { password: Buffer.from('pa"ss word').toString('base64') } },
    'v1',
  );
  const words = `a pa"ss word, b pa\\"ss word, c ${encodeURIComponent('pa"ss word')}, d ${Buffer.from('pa"ss word').toString('base64')}, e https://r/v3/import/tok_c-m-1.yaml`;
  expect(values.scrub(words, secret, [])).toBe(
    'a <secret>, b <secret>, c <secret>, d <secret>, e https://r/v3/import/<secret>_c-m-1.yaml',
  );
});
