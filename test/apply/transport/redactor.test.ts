import { Redactor } from '../../../src/apply/transport/redactor';
import { secretsIn } from '../../../src/apply/transport/sent-secrets';

const SECRET = 'pa55/w"rd<&>\n and a second line';

test('a secret is scrubbed in all forms that servers give it', () => {
  const redactor = new Redactor();
  redactor.add(SECRET);
  const forms = [
    SECRET, JSON.stringify(SECRET), Buffer.from(SECRET).toString('base64'), encodeURIComponent(SECRET), 'pa55/w\\"rd\\u003c\\u0026\\u003e', 'and a second line',
  ];
  const scrubbed = redactor.scrub(forms.join(' | '));
  for (const piece of ['pa55', 'second line', Buffer.from('pa55').toString('base64').slice(0, 5)]) { expect(scrubbed).not.toContain(piece); }
});

test('equal secrets have equal hashes in one run, and others in the next', () => {
  const [one, two] = [new Redactor(), new Redactor()];
  expect(one.hash('a')).toMatch(/^<sha256:[0-9a-f]{8}>$/);
  expect(one.hash('a')).toBe(one.hash('a'));
  expect(one.hash('a')).not.toBe(two.hash('a'));
  expect(one.with(['x']).hash('a')).toBe(one.hash('a'));
});

test('a short secret garbles no words', () => {
  const redactor = new Redactor();
  redactor.add('on');
  expect(redactor.scrub('the condition "on" goes on')).toMatch(/^the condition "<sha256:.{8}>" goes <sha256:.{8}>$/);
});

test('a secret that holds another one goes as a whole', () => {
  const redactor = new Redactor();
  ['inner-secret', 'the inner-secret is in here'].forEach((secret) => redactor.add(secret));
  expect(redactor.scrub('x the inner-secret is in here y')).toBe(`x ${redactor.hash('the inner-secret is in here')} y`);
});

test.each([
  ['Get "https://rancher.example.com/v3/import/abc123_c-m-x.yaml": tls', 'Get "https://rancher.example.com/v3/import/<redacted>_c-m-x.yaml": tls'],
  ['https://rancher.example.com/v3/import/{token}_c-m-x.yaml', 'https://rancher.example.com/v3/import/{token}_c-m-x.yaml'],
  ['proxy http://user:pw@proxy:3128 failed', 'proxy http://<redacted>@proxy:3128 failed'],
  ['Authorization: Bearer abc.def', 'Authorization: Bearer <redacted>'],
  ['token kubeconfig-u-abcde:0123456789abcdefghijklmnop is gone', 'token kubeconfig-u-abcde:<redacted> is gone'],
  ['got eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.sig-nature', 'got <redacted>'],
  ['clusters "c-m-abc" not found', 'clusters "c-m-abc" not found'],
])('what looks like a secret: %s', (text, expected) => {
  expect(new Redactor().scrub(text)).toBe(expected);
});

test('secrets of what is sent are found by their place; names of secrets are none', () => {
  expect(secretsIn({ kind: 'Secret', data: { a: Buffer.from('one-secret').toString('base64') }, stringData: { b: 'two' } })).toEqual(
    expect.arrayContaining(['one-secret', Buffer.from('one-secret').toString('base64'), 'two']));
  expect(secretsIn({
    kind: 'Cluster', spec: { cloudCredentialSecretName: 'cc-1', password: 'p', tolerations: [{ key: 'k', value: 'v' }], secretRef: { name: 'n' }, tokenTTL: '30' },
  })).toEqual(['p']);
  expect(secretsIn({ kind: 'Setting', value: '{"url":"https://x","Auth":{"Password":"deep"}}' })).toEqual(['deep']);
});

test('any body is read without a fault', () => {
  const deep: unknown[] = [];
  let inner = deep;
  for (let depth = 0; depth < 5000; depth++) { inner.push(inner = []); }
  for (const body of [undefined, null, 3, 'text', '{broken', [], deep, { kind: 'Secret', data: null }, { kind: 'Secret', data: [1, null] }]) {
    expect(secretsIn(body)).toEqual([]);
  }
});
