import { MASK, Redactor } from '../../../src/core/secret/redactor';
import { secretTexts } from '../../../src/core/secret/secret-texts';

const SECRET = 'pa55/w"rd<&>\n and a second line';

const textsOf = (body: unknown): string[] => secretTexts(body).map(({ text }) => text);

test('masks a secret in all forms that servers give it', () => {
  const redactor = new Redactor();
  redactor.add(SECRET);
  const forms = [
    SECRET,
    JSON.stringify(SECRET),
    Buffer.from(SECRET).toString('base64'),
    encodeURIComponent(SECRET),
    'pa55/w\\"rd\\u003c\\u0026\\u003e',
    'and a second line',
  ];
  const scrubbed = redactor.scrub(forms.join(' | '));
  for (const piece of ['pa55', 'second line', Buffer.from('pa55').toString('base64').slice(0, 5)]) {
    expect(scrubbed).not.toContain(piece);
  }
});

test('writes the same mask for every secret, and leaves a masked text alone', () => {
  const redactor = new Redactor();
  redactor.add('hunter2-hunter2');
  const once = redactor.scrub('hunter2-hunter2 and https://me:pw@proxy');
  expect(once).toBe('<secret> and https://<secret>@proxy');
  expect(redactor.scrub(once)).toBe(once);
});

test('a short secret garbles no words', () => {
  const redactor = new Redactor();
  redactor.add('q7z');
  expect(redactor.scrub('the condition "q7z" of faq7z and q7zs has q7z')).toBe(
    'the condition "<secret>" of faq7z and q7zs has <secret>',
  );
});

const MARKED_LINES = [
  '  = VirtualMachine shop-vms/web  (is no longer declared, but kept)',
  '  + Secret shop-vms/a7',
  '  ~ Secret shop-vms/web',
  '  - Secret shop-vms/old',
].join('\n');

test.each(['=', '==', '+', '~', '-', '---', 'a7', '='.repeat(8)])(
  'does not mask %s, which would garble the marks of a plan',
  (secret) => {
    expect(new Redactor().with([secret]).scrub(MARKED_LINES)).toBe(MARKED_LINES);
    const about = new Redactor().about({ kind: 'Secret', stringData: { token: secret } });
    expect(about.scrub(MARKED_LINES)).toBe(MARKED_LINES);
  },
);

test('does not read the letters of base64 before its padding as a key', () => {
  const encoded = 'c2VydmVyOiBodHRwcPwDZA==';
  expect(encoded).toMatch(/pwd/i);
  const redactor = new Redactor();
  redactor.add(encoded);
  expect(redactor.scrub(MARKED_LINES)).toBe(MARKED_LINES);
  expect(redactor.scrub(encoded)).toBe(MASK);
  expect(textsOf({ kind: 'ConfigMap', apiVersion: 'v1', data: { ca: encoded } })).toEqual([]);
  expect(textsOf({ kind: 'ConfigMap', apiVersion: 'v1', data: { run: 'PASSWORD==a1b2' } })).toEqual(
    ['=a1b2'],
  );
});

test('masks a secret that holds another one as a whole', () => {
  const redactor = new Redactor();
  ['inner-secret1x2', 'the inner-secret1x2 is in here'].forEach((secret) => redactor.add(secret));
  expect(redactor.scrub('x the inner-secret1x2 is in here y')).toBe(`x ${MASK} y`);
});

test.each([
  [
    'Get "https://rancher.example.com/v3/import/abc123_c-m-x.yaml": tls',
    'Get "https://rancher.example.com/v3/import/<secret>_c-m-x.yaml": tls',
  ],
  [
    'https://rancher.example.com/v3/import/{token}_c-m-x.yaml',
    'https://rancher.example.com/v3/import/{token}_c-m-x.yaml',
  ],
  ['proxy http://user:pw@proxy:3128 failed', 'proxy http://<secret>@proxy:3128 failed'],
  ['proxy http://http@proxy:3128 failed', 'proxy http://<secret>@proxy:3128 failed'],
  ['clone https://ghp_abcdef@github.com/x', 'clone https://<secret>@github.com/x'],
  ['Authorization: Bearer abc.def', 'Authorization: Bearer <secret>'],
  [
    'token kubeconfig-u-abcde:0123456789abcdefghijklmnop is gone',
    'token kubeconfig-u-abcde:<secret> is gone',
  ],
  ['got eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.sig-nature', 'got <secret>'],
  ['hash $2y$05$abcdefghijklmnopqrstuvABCDEFG01234567890123456789012 x', 'hash <secret> x'],
  ['clusters "c-m-abc" not found', 'clusters "c-m-abc" not found'],
])('masks what looks like a secret: %s', (text, expected) => {
  expect(new Redactor().scrub(text)).toBe(expected);
});

describe('ordinary words and principals are not masked', () => {
  const words = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'cc-payments', namespace: 'payments' },
    stringData: {
      provider: 'okta_user',
      realm: 'payments',
      kind: 'harvester',
      server: 'https://rancher.example.com',
      host: '10.10.0.10',
      id: 'c-m-abc12345',
      insecure: 'true',
      username: 'ana',
      port: '443',
      region: 'eu-west-1',
      version: 'v1.33.6',
      password: 'payments',
    },
  };
  const others = [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'payments' } }];
  const redactor = new Redactor();
  redactor.learn([words, ...others]);

  test.each([
    'principal "okta_user://ana@example.com" of project payments cannot be found',
    'okta_user://ana@example.com',
    'okta_group://audit',
    'azuread_user://ana@example.com',
    'github_org://4711',
    'local://u-ana',
    'system://provisioning/x@y',
    'openldap_user://uid=ana,ou=people,dc=example@com',
    'googleoauth_user://ana@example.com',
    'namespace "payments" of cluster c-m-abc12345 is not on harvester at https://rancher.example.com, 10.10.0.10:443, eu-west-1, v1.33.6',
    'image docker.io/library/nginx@sha256:0123456789abcdef',
    'rancher/rancher:v2.13.8',
    'https://charts.example.com/index.yaml',
    'mail ana@example.com',
    'system:serviceaccount:payments:driver cannot get resource "secrets" in API group ""',
  ])('%s', (text) => {
    expect(redactor.scrub(text)).toBe(text);
    // nor in messages about another object
    expect(redactor.about(others[0]).scrub(text)).toBe(text);
  });

  test('an ordinary word that is a password is masked, but not within other words', () => {
    const knowing = new Redactor();
    knowing.learn([
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'a' },
        stringData: { password: 'swordfish' },
      },
    ]);
    expect(knowing.scrub('swordfishes, swordfish://ana, got "swordfish"')).toBe(
      'swordfishes, swordfish://ana, got "<secret>"',
    );
  });

  test('does not mask the names of an object in messages about it', () => {
    const text = 'secrets "cc-payments" in namespace "payments": Secret is invalid';
    expect(redactor.about(words).scrub(text)).toBe(text);
  });
});

test('finds secrets by their place; names of secrets are none', () => {
  expect(
    textsOf({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'x' },
      data: { a: Buffer.from('one-secret').toString('base64') },
      stringData: { b: 'two' },
    }),
  ).toEqual(
    expect.arrayContaining(['one-secret', Buffer.from('one-secret').toString('base64'), 'two']),
  );
  expect(
    textsOf({
      apiVersion: 'x/v1',
      kind: 'Cluster',
      metadata: { name: 'x' },
      spec: {
        cloudCredentialSecretName: 'cc-1',
        password: 'p',
        tolerations: [{ key: 'k', value: 'v' }],
        secretRef: { name: 'n' },
        tokenTTL: '30',
        topologyKey: 'zone',
        volumes: [{ secret: { secretName: 's' } }],
      },
    }),
  ).toEqual(['p']);
  expect(
    textsOf({
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Setting',
      metadata: { name: 'x' },
      value: '{"url":"https://x","Auth":{"Password":"deep"}}',
    }),
  ).toEqual(['deep']);
});

test('reads any body without a fault', () => {
  const deep: unknown[] = [];
  let inner = deep;
  for (let depth = 0; depth < 5000; depth++) {
    inner.push((inner = []));
  }
  for (const body of [
    undefined,
    null,
    3,
    'text',
    '{broken',
    [],
    deep,
    { kind: 'Secret', data: null },
    { apiVersion: 'v1', kind: 'Secret', data: [null] },
  ]) {
    expect(secretTexts(body)).toEqual([]);
  }
});
