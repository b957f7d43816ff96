import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { World } from '../../../src/core/rule/rule';
import { REGISTRATION_TOKEN_RULES } from '../../../src/rancher/import/registration-token.rules';
import { Judging, brief, cluster, judgeOn, managementCluster } from '../../support/judging';

const TOKEN = 'kq7xw2m5n8p4r6t9v3z1b5d7f2h4';
const ID = 'c-m-harvdc01';
const OVERWRITTEN = 'error registration-token/overwritten metadata.name';
const PLAIN = 'warning registration-token/plain-token stringData.token';

const findings = (manifests: Manifest[], judging: Judging = {}) =>
  judgeOn(REGISTRATION_TOKEN_RULES, manifests, { version: '2.13.8', ...judging });
const rules = (manifests: Manifest[], judging?: Judging) => brief(findings(manifests, judging));
const secret = (
  name = 'crt-token-gitops',
  fields: object = { stringData: { token: TOKEN } },
  namespace = ID,
): Manifest => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, ...fields });
const crt = (name = 'gitops', status?: object, spec: object = { clusterName: ID }): Manifest => ({
  apiVersion: 'management.cattle.io/v3',
  kind: 'ClusterRegistrationToken',
  metadata: { name, namespace: ID },
  spec,
  ...(status ? { status } : {}),
});

describe('the five forms', () => {
  test('accepts a Secret alone, with a warning for its token in plain text', () => {
    expect(rules([secret()])).toEqual([PLAIN]);
    expect(
      rules([
        secret('crt-token-gitops', { data: { token: Buffer.from(TOKEN).toString('base64') } }),
      ]),
    ).toEqual(['warning registration-token/plain-token data.token']);
  });

  test('warns of status.tokenSecretName, which Flux drops', () => {
    expect(rules([secret(), crt('gitops', { tokenSecretName: 'crt-token-gitops' })])).toEqual([
      'warning registration-token/status-token-secret status.tokenSecretName',
      PLAIN,
    ]);
  });

  test('warns of status.token, which is in Git and which Flux drops', () => {
    expect(rules([crt('gitops', { token: TOKEN })])).toEqual([
      'warning registration-token/status-token status.token',
    ]);
  });

  test('refuses a Secret that Rancher overwrites for a token of its name without status', () => {
    const [error] = findings([secret(), crt()]);
    expect(error).toMatchObject({
      rule: 'registration-token/overwritten',
      level: 'error',
      path: 'metadata.name',
    });
    expect(error?.message).toContain('Rancher overwrites this token');
    expect(error?.object).toMatchObject({ kind: 'Secret', name: 'crt-token-gitops' });
  });

  test('refuses an immutable Secret, on which Rancher fails permanently', () => {
    const [error] = findings([
      secret('crt-token-gitops', { stringData: { token: TOKEN }, immutable: true }),
      crt(),
    ]);
    expect(error).toMatchObject({ rule: 'registration-token/overwritten', level: 'error' });
    expect(error?.message).toContain('Rancher fails permanently on that token');
  });
});

test('accepts a token of another name', () => {
  expect(rules([secret(), crt('other')])).toEqual([PLAIN]);
});

test('refuses the Secrets of the tokens that Rancher creates', () => {
  for (const name of ['crt-token-default-token', 'crt-token-system']) {
    expect(rules([secret(name)])).toEqual([
      'error registration-token/overwritten metadata.name',
      PLAIN,
    ]);
  }
});

test('accepts Secrets that Rancher created, in a dump', () => {
  for (const name of ['default-token', 'system', 'gitops']) {
    const own = secret(`crt-token-${name}`);
    const { metadata } = own;
    expect(rules([own, crt(name, { tokenSecretName: `crt-token-${name}` })])).not.toContain(
      OVERWRITTEN,
    );
    expect(
      rules([own], { live: [crt(name, { tokenSecretName: `crt-token-${name}` })] }),
    ).not.toContain(OVERWRITTEN);
    expect(
      rules([
        {
          ...own,
          metadata: { ...metadata, ownerReferences: [{ kind: 'ClusterRegistrationToken', name }] },
        },
        crt(name),
      ]),
    ).not.toContain(OVERWRITTEN);
    expect(
      rules([
        { ...own, metadata: { ...metadata, ownerReferences: [{ kind: 'SealedSecret', name }] } },
        crt(name),
      ]),
    ).toContain(OVERWRITTEN);
  }
});

describe('a Secret that is live only', () => {
  test('is overwritten by a new token of its name', () => {
    const [error] = findings([crt()], { live: [secret()] });
    expect(error).toMatchObject({
      rule: 'registration-token/overwritten',
      level: 'error',
      path: 'metadata.name',
    });
    expect(error?.object).toMatchObject({ kind: 'ClusterRegistrationToken', name: 'gitops' });
    expect(error?.message).toContain('Rancher overwrites this token');
    expect(rules([secret(), crt()]).filter((finding) => finding === OVERWRITTEN)).toHaveLength(1);
  });

  test.each([
    ['a token with status', crt('gitops', { tokenSecretName: 'crt-token-gitops' }), [secret()]],
    ['a token with that very token', crt('gitops', { token: TOKEN }), [secret()]],
    ['a token that is live', crt(), [secret(), crt()]],
    [
      'a Secret that Rancher made',
      crt(),
      [
        {
          ...secret(),
          metadata: {
            name: 'crt-token-gitops',
            namespace: ID,
            ownerReferences: [{ kind: 'ClusterRegistrationToken' }],
          },
        },
      ],
    ],
    ['another name', crt('other'), [secret()]],
  ])('is not by %s', (_what, token, live) => {
    expect(rules([token], { live })).not.toContain(OVERWRITTEN);
  });
});

test('only warns of a missing token in a Secret that another tool fills in', () => {
  const empty = (annotations: object) =>
    ({
      ...secret('crt-token-gitops', {}),
      metadata: { name: 'crt-token-gitops', namespace: ID, annotations },
    }) as Manifest;
  expect(rules([empty({})])).toEqual(['error registration-token/secret-key data.token']);
  for (const key of [
    'replicator.v1.mittwald.de/replicate-from',
    'reflector.v1.k8s.emberstack.com/reflects',
    'sealedsecrets.bitnami.com/managed',
  ]) {
    expect(rules([empty({ [key]: 'x' })])).toEqual([
      'warning registration-token/secret-key data.token',
    ]);
  }
  const target = { name: 'lint' };
  const ofLint = (manifests: Manifest[]) =>
    brief(
      judge(
        REGISTRATION_TOKEN_RULES,
        new World(manifests.map((manifest) => ({ manifest, target }))),
      ),
    );
  expect(ofLint([empty({})])).toEqual(['warning registration-token/secret-key data.token']);
  expect(ofLint([empty({}), managementCluster(ID)])).toEqual([
    'error registration-token/secret-key data.token',
  ]);
});

test('only warns where the live token has a status', () => {
  expect(
    rules([secret(), crt()], { live: [crt('gitops', { tokenSecretName: 'crt-token-gitops' })] })[0],
  ).toBe('warning registration-token/overwritten metadata.name');
});

test('accepts the same token in Secret and status', () => {
  expect(rules([secret(), crt('gitops', { token: TOKEN })])).not.toContain(
    'error registration-token/overwritten metadata.name',
  );
  expect(rules([secret(), crt('gitops', { token: `${TOKEN}x` })])).toContain(
    'error registration-token/overwritten metadata.name',
  );
});

describe('the token', () => {
  test.each([
    ['abc_def_ghi_jkl_mno', 'cannot contain an underscore'],
    ['abcdefghijklmnopq/rst', 'characters that a URL path allows'],
    [`${TOKEN}\n`, 'cannot begin or end with whitespace'],
    ['', 'cannot be empty'],
  ])('%j is an error and never shown', (token, words) => {
    const [error] = findings([secret('crt-token-gitops', { stringData: { token } })]);
    expect(error).toMatchObject({
      rule: 'registration-token/secret-token-form',
      level: 'error',
      path: 'stringData.token',
    });
    expect(error?.message).toContain(words);
    expect(error).not.toHaveProperty('value');
    if (token) {
      expect(JSON.stringify(error)).not.toContain(token.trim());
    }
  });

  test.each([
    ['short', 'anyone who guesses it'],
    [`${TOKEN}$x`, 'a shell interprets'],
    [`${TOKEN}%2f`, 'contains a percent sign'],
  ])('%j is a warning', (token, words) => {
    expect(
      findings([secret('crt-token-gitops', { stringData: { token } })])
        .map(({ message }) => message)
        .join(),
    ).toContain(words);
  });

  test.each([
    '${late:token}',
    'ENC[AES256_GCM,data:x]',
    '<path:secret/data/rancher#token>',
    '${TOKEN}',
  ])('%s is filled in later', (token) => {
    expect(rules([secret('crt-token-gitops', { stringData: { token } })])).toEqual([]);
    expect(rules([secret('crt-token-gitops', { data: { token } })])).toEqual([]);
  });

  test('is refused if missing or not valid base64', () => {
    expect(rules([secret('crt-token-gitops', { stringData: { Token: TOKEN } })])).toEqual([
      'error registration-token/secret-key data.token',
    ]);
    expect(rules([secret('crt-token-gitops', { data: { token: 'no base64!' } })])).toEqual([
      'error registration-token/secret-key data.token',
    ]);
  });
});

test('refuses a Secret on a Rancher that ignores it', () => {
  for (const version of ['2.13.7', '2.14.3', '2.12.12', '2.8.0']) {
    expect(rules([secret()], { version })).toEqual([
      'error registration-token/secret-ignored metadata.name',
      PLAIN,
    ]);
  }
  for (const version of ['2.13.8', '2.14.4', '2.15.0', '2.16.0']) {
    expect(rules([secret()], { version })).toEqual([PLAIN]);
  }
});

test('ignores Secrets of that name on other targets', () => {
  expect(rules([secret()], { kind: 'harvester' })).toEqual([]);
  expect(rules([secret('other')])).toEqual([]);
});

test('refuses a namespace that is not the cluster', () => {
  expect(
    rules([crt('gitops', undefined, { clusterName: 'c-m-other' }), crt('two', undefined, {})]),
  ).toEqual([
    'error registration-token/namespace spec.clusterName',
    'error registration-token/namespace spec.clusterName',
  ]);
});

test('warns of an unknown cluster', () => {
  const other = cluster(
    'dc2',
    {},
    { annotations: { 'provisioning.cattle.io/management-cluster-name': 'c-m-harvdc02' } },
  );
  expect(rules([crt(), secret('crt-token-two'), other])).toEqual([
    'warning registration-token/unknown-cluster metadata.namespace',
    'warning registration-token/unknown-cluster metadata.namespace',
    PLAIN,
  ]);
  expect(rules([crt(), cluster('dc2')])).toEqual([]);
});

test('warns of reserved names', () => {
  expect(rules([crt('system'), crt('default-token')])).toEqual([
    'warning registration-token/reserved-name metadata.name',
    'warning registration-token/reserved-name metadata.name',
  ]);
});

test.each([
  [{ ttl: 0 }, []],
  [{ ttl: 30, gracePeriod: 10 }, []],
  [{ ttl: 29 }, ['ttl']],
  [{ ttl: -1 }, ['ttl']],
  [{ ttl: 30, gracePeriod: 30 }, ['gracePeriod']],
  [{ gracePeriod: 9 }, ['gracePeriod']],
  [{ gracePeriod: 43200 }, ['gracePeriod']],
  [{ ttl: 0, gracePeriod: 1 }, []],
])('checks the lifetime %j', (lifetime, fields) => {
  expect(rules([crt('gitops', undefined, { clusterName: ID, ...lifetime })])).toEqual(
    fields.map((field) => `warning registration-token/lifetime spec.${field}`),
  );
});

test('refuses lifetimes on old versions and those that are not numbers', () => {
  const one = crt('gitops', undefined, { clusterName: ID, ttl: 60 });
  expect(rules([one], { version: '2.13.7' })).toEqual([
    'error registration-token/lifetime-fields spec.ttl',
  ]);
  expect(rules([crt('gitops', undefined, { clusterName: ID, ttl: '60' })])).toEqual([
    'error registration-token/lifetime-fields spec.ttl',
  ]);
});

test('warns where rotation replaces the token of a named Secret', () => {
  const named = (spec: object) => [
    secret('crt-token-gitops', { stringData: { token: TOKEN }, immutable: true }),
    crt('gitops', { tokenSecretName: 'crt-token-gitops' }, { clusterName: ID, ...spec }),
  ];
  expect(rules(named({}), { version: '2.15.0' })).toContain(
    'warning registration-token/status-token-secret spec.ttl',
  );
  expect(rules(named({}))).toContain('warning registration-token/immutable-rotation immutable');
  expect(rules(named({ ttl: 0 }), { version: '2.15.0' })).toEqual([
    'warning registration-token/status-token-secret status.tokenSecretName',
    PLAIN,
  ]);
});

test('refuses a Secret name without the prefix', () => {
  expect(rules([crt('gitops', { tokenSecretName: 'my-token' })])).toContain(
    'error registration-token/secret-name status.tokenSecretName',
  );
});

test('warns of a deleted token whose Secret remains valid', () => {
  expect(rules([secret()], { before: [secret(), crt()] })).toEqual([
    'warning registration-token/secret-remains',
    PLAIN,
  ]);
  expect(rules([], { before: [secret(), crt()] })).toEqual([]);
});
