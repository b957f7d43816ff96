import { HiddenValues, Redactor } from '../../../src/core/secret/redactor';

const CANARY = 'cAnary7f3a91b2c0d4e5';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Keys of Secrets, most of which do not indicate that they hold one. */
const SECRET_KEYS = [
  'client-id',
  'deploy-key-ref',
  'access-name',
  'tokenName',
  'secret-namespace',
  'password',
  'config',
  'kubeconfig',
  'tls.key',
  'id_rsa',
  'auth',
  'userdata',
  'values.yaml',
  'credential-type',
  'x',
];

/** Values as people put them into Secrets and fields, with what of each is the secret. */
const SHAPES: readonly (readonly [shape: string, value: string, secrets: readonly string[]])[] = [
  ['a word', CANARY, [CANARY]],
  ['a short one', 'c4n1', ['c4n1']],
  ['base64', base64(CANARY), [base64(CANARY)]],
  ['JSON in a string', JSON.stringify({ Auth: { Password: CANARY } }), [CANARY]],
  ['JSON in JSON', JSON.stringify({ inner: JSON.stringify({ token: CANARY }) }), [CANARY]],
  [
    'PEM of several lines',
    `-----BEGIN RSA PRIVATE KEY-----\n${base64('x'.repeat(48))}\n${CANARY}\n-----END RSA PRIVATE KEY-----\n`,
    [CANARY],
  ],
  ['a URL with a password', `http://proxyuser:${CANARY}@proxy.example.com:3128`, [CANARY]],
  [
    'a URL with an encoded password',
    `http://proxyuser:${CANARY}%2F@proxy.example.com:3128`,
    [`${CANARY}%2F`, `${CANARY}/`],
  ],
  [
    'dockerconfigjson',
    JSON.stringify({ auths: { 'registry.example.com': { auth: base64(`robot:${CANARY}`) } } }),
    [CANARY, base64(`robot:${CANARY}`)],
  ],
  [
    'htpasswd',
    `ana:$2y$05$${CANARY}abcdefghijklmnopqrstuvwxyz\nbob:$2y$05$zzzzzzzzzzzzzzzzzzzz\n`,
    [`$2y$05$${CANARY}abcdefghijklmnopqrstuvwxyz`],
  ],
  [
    'passwords of cloud-init',
    `#cloud-config\nchpasswd:\n  users:\n    - name: ana\n      password: ${CANARY}\n      type: text\nssh_pwauth: true\n`,
    [CANARY],
  ],
  [
    'a kubeconfig',
    `apiVersion: v1\nkind: Config\nclusters:\n  - name: x\n    cluster: { server: https://x }\nusers:\n  - name: x\n    user:\n      token: ${CANARY}\n`,
    [CANARY],
  ],
  ['ini', `[default]\naws_secret_access_key = ${CANARY}\n`, [CANARY]],
];

const secret = (data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'login', namespace: 'shop' },
  type: 'Opaque',
  data,
});

const formsOf = (text: string): string[] => [
  text,
  JSON.stringify(text),
  base64(text),
  encodeURIComponent(text),
  Buffer.from(text).toString('hex'),
];

describe.each(SHAPES)('%s', (_, value, secrets) => {
  test.each(SECRET_KEYS)('below %s of a Secret is in no plan and in no words about it', (key) => {
    for (const object of [
      secret({ [key]: base64(value) }),
      { ...secret({}), stringData: { [key]: value } },
    ]) {
      const hidden = new HiddenValues();
      const shown = JSON.stringify(hidden.show(object, [], object, []));
      const words = [...formsOf(value), ...secrets.flatMap(formsOf)]
        .map((form) => `Invalid value: "${form}": must be x`)
        .join('\n');
      const said = hidden.scrub(`Secret "login" is invalid:\n${words}`, object, []);
      expect(said).toContain('Secret "login" is invalid:');
      for (const form of secrets.flatMap(formsOf)) {
        expect(shown).not.toContain(form);
        expect(said).not.toContain(form);
      }
    }
  });

  const FIELDS: readonly (readonly [
    field: string,
    object: (text: string) => { apiVersion: string; kind: string; metadata: { name: string } },
  ])[] = [
    [
      'a password',
      (text) => ({
        apiVersion: 'x/v1',
        kind: 'Widget',
        metadata: { name: 'w' },
        spec: { password: text },
      }),
    ],
    [
      'user data',
      (text) => ({
        apiVersion: 'x/v1',
        kind: 'HarvesterConfig',
        metadata: { name: 'w' },
        userData: text,
      }),
    ],
    [
      'an environment',
      (text) => ({
        apiVersion: 'x/v1',
        kind: 'Cluster',
        metadata: { name: 'w' },
        spec: { agentEnvVars: [{ name: 'API_TOKEN', value: text }] },
      }),
    ],
    [
      'a Setting',
      (text) => ({
        apiVersion: 'harvesterhci.io/v1beta1',
        kind: 'Setting',
        metadata: { name: 'containerd-registry' },
        value: text,
      }),
    ],
    [
      'values of a chart',
      (text) => ({
        apiVersion: 'helm.cattle.io/v1',
        kind: 'HelmChart',
        metadata: { name: 'w' },
        spec: { valuesContent: `db:\n  adminPassword: ${JSON.stringify(text)}\n` },
      }),
    ],
    [
      'last-applied',
      (text) => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: 'w',
          annotations: {
            'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(
              secret({ 'client-id': base64(text) }),
            ),
          },
        },
      }),
    ],
  ];
  test.each(FIELDS)('in %s is in no plan and in no words about it', (_field, make) => {
    const object = make(value);
    const hidden = new HiddenValues();
    const shown = JSON.stringify(hidden.show(object, [], object, []));
    const said = hidden.scrub(
      secrets
        .flatMap(formsOf)
        .map((form) => `got "${form}"`)
        .join('\n'),
      object,
      [],
    );
    for (const form of secrets.flatMap(formsOf)) {
      expect([shown, said].filter((text) => text.includes(form))).toEqual([]);
    }
  });
});

test('a secret of one object is in no words about another', () => {
  const redactor = new Redactor();
  redactor.learn([
    secret({ 'client-id': base64(CANARY), 'password': base64('correct horse') }),
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' } },
  ]);
  const words = redactor
    .about({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' } })
    .scrub(`${formsOf(CANARY).join(' ')} "correct horse"`);
  for (const form of [...formsOf(CANARY), 'correct horse']) {
    expect(words).not.toContain(form);
  }
});
