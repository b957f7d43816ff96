import { Duration } from 'cdk8s';
import { GuestChart } from '../../../src/guest/guest-chart';
import { CATALOG_RULES } from '../../../src/rancher/catalog/catalog.rules';
import {
  CLUSTER_REPO_FIELDS,
  ClusterRepo,
  ClusterRepoProps,
} from '../../../src/rancher/catalog/cluster-repo';
import { CA } from '../../support/certificates';
import { judgeOn } from '../../support/judging';
import { messageOf } from '../../support/message-of';
import { newApp, newHarvester, newRancher } from '../../support/programs';
import { rendered } from '../../support/rendered';

const repository = (spec: object, name = 'ours') => ({
  apiVersion: 'catalog.cattle.io/v1',
  kind: 'ClusterRepo',
  metadata: { name },
  spec,
});
const judged = (spec: object, version?: string, name?: string, ...more: any[]) =>
  judgeOn(CATALOG_RULES, [repository(spec, name), ...more], { version })
    .filter(({ object }) => object?.kind === 'ClusterRepo' || !object)
    .map(({ rule, level, path, message }) =>
      [rule, level, path, ...(/the server: "(.*)"/.exec(message)?.slice(1) ?? [])].join(' '),
    );

test('writes a repository of each kind on each kind of cluster', () => {
  const app = newApp();
  const harvester = newHarvester(app);
  new ClusterRepo(newRancher(app), 'platform', {
    url: 'https://charts.example.com',
    clientSecret: { name: 'login', namespace: 'cattle-system' },
  });
  new ClusterRepo(harvester, 'registry', {
    url: 'oci://registry.example.com/charts',
    insecurePlainHttp: true,
    refreshInterval: Duration.hours(2),
    backOff: { minWait: Duration.seconds(2), maxRetries: 3 },
  });
  new ClusterRepo(new GuestChart(app, 'shop', { version: 'v1.34.10+rke2r1' }), 'team', {
    gitRepo: 'git@git.example.com:team/charts',
    gitBranch: 'main',
  });
  expect(
    Object.fromEntries(
      Object.entries(rendered(app)).map(([name, manifest]) => [name, (manifest as any).spec]),
    ),
  ).toEqual({
    'rancher/ClusterRepo/platform': {
      url: 'https://charts.example.com',
      clientSecret: { name: 'login', namespace: 'cattle-system' },
    },
    [`${harvester.targetName}/ClusterRepo/registry`]: {
      url: 'oci://registry.example.com/charts',
      insecurePlainHttp: true,
      refreshInterval: 7200,
      exponentialBackOffValues: { minWait: 2, maxRetries: 3 },
    },
    'shop/ClusterRepo/team': { gitRepo: 'git@git.example.com:team/charts', gitBranch: 'main' },
  });
});

test('writes a certificate in the form that Rancher parses', () => {
  const app = newApp();
  new ClusterRepo(newRancher(app), 'private', {
    url: 'https://charts.example.com',
    caCertificates: CA,
  });
  const { caBundle } = (rendered(app)['rancher/ClusterRepo/private'] as any).spec;
  expect(CA.replace(/\s/g, '')).toContain(caBundle);
  expect(Buffer.from(caBundle, 'base64')[0]).toBe(0x30);
  expect(judged({ url: 'https://charts.example.com', caBundle })).toEqual([]);
  expect(
    judged({ url: 'https://charts.example.com', caBundle: Buffer.from(CA).toString('base64') }),
  ).toEqual(['cluster-repo/source error spec.caBundle x509: malformed certificate']);
  expect(
    judged({
      url: 'https://charts.example.com',
      caBundle: Buffer.concat([
        Buffer.from(caBundle, 'base64'),
        Buffer.from(caBundle, 'base64'),
      ]).toString('base64'),
    }),
  ).toHaveLength(1);
});

test.each<[ClusterRepoProps, string]>([
  [{}, 'url: must be set unless gitRepo is'],
  [
    { url: 'https://a.example.com', gitRepo: 'https://b.example.com/c' },
    'gitRepo: cannot be set together with url',
  ],
  [
    { url: 'charts.example.com' },
    'url: must begin with https://, http:// or oci://, got "charts.example.com"',
  ],
  [
    { gitRepo: 'git@git.example.com:a/b/c' },
    'gitRepo: must be a URL with https://, http:// or ssh://',
  ],
  [
    { url: 'oci://a.example.com', backOff: { minWait: Duration.seconds(10) } },
    'backOff.maxWait: must be at least minWait',
  ],
  [
    { url: 'https://a.example.com', caCertificates: 'none' },
    'caCertificates: must contain a certificate in PEM form',
  ],
  [
    { url: 'https://a.example.com', caCertificates: `${CA}\n${CA}` },
    'caCertificates: must be a single certificate: Rancher reads no bundle here',
  ],
])('refuses %j', (props, message) => {
  const rancher = newRancher(newApp());
  expect(messageOf(() => new ClusterRepo(rancher, 'wrong', props))).toContain(message);
});

test('needs the chart of a cluster', () => {
  expect(
    messageOf(() => new ClusterRepo(newApp(), 'lost', { url: 'https://a.example.com' })),
  ).toContain('ClusterRepo must be in a target chart');
});

test("finds what Rancher's webhook and its downloads refuse, with their words", () => {
  expect(judged({})).toEqual(['cluster-repo/source warning spec.url']);
  expect(judged({ url: 'https://a.example.com', gitRepo: 'https://a.example.com/b' })).toEqual([
    'cluster-repo/source warning spec.gitRepo',
  ]);
  expect(judged({ gitRepo: 'ftp://a.example.com' })).toEqual([
    'cluster-repo/source error spec.gitRepo invalid git URL: ftp://a.example.com',
  ]);
  expect(judged({ gitRepo: 'ssh://git@a.example.com:22/b/c' })).toEqual([]);
  expect(
    judged({ url: 'https://a.example.com', gitBranch: 'main', insecurePlainHttp: true }),
  ).toEqual([
    'cluster-repo/source warning spec.gitBranch',
    'cluster-repo/source warning spec.insecurePlainHttp',
  ]);
  expect(
    judged({ url: 'https://a.example.com', exponentialBackOffValues: { minWait: -1 } }),
  ).toEqual([
    'cluster-repo/source error spec.exponentialBackOffValues.minWait minWait must be at least 1 second',
  ]);
  expect(
    judged({ url: 'https://a.example.com', exponentialBackOffValues: { maxWait: 60 } }),
  ).toEqual([
    'cluster-repo/source error spec.exponentialBackOffValues.maxWait maxWait must be greater than or equal to minWait',
  ]);
});

test('judges fields by the version of Rancher', () => {
  const spec = { url: 'oci://registry.example.com', OCIOptions: { tagFilter: '>= 1.0.0' } };
  expect(judged(spec, '2.15.0')).toEqual([]);
  expect(judged(spec, '2.14.0')).toEqual(['cluster-repo/registry-tags warning spec.OCIOptions']);
  expect(judged({ url: spec.url }, '2.8.5')).toEqual([
    'cluster-repo/registry-version error spec.url',
  ]);
});

test('does not refresh a repository, where Rancher can do without', () => {
  const rancher = newRancher(newApp(), '2.15.0');
  const props = { url: 'https://charts.example.com', automaticRefresh: false };
  expect(new ClusterRepo(rancher, 'fixed', props).apiObject.toJson().spec).toEqual({
    url: 'https://charts.example.com',
    refreshInterval: -1,
  });
  expect(
    () => new ClusterRepo(rancher, 'both', { ...props, refreshInterval: Duration.hours(2) }),
  ).toThrow('refreshInterval: cannot be set without automaticRefresh');
  const spec = { url: props.url, refreshInterval: -1 };
  expect(judged(spec, '2.15.0')).toEqual([]);
  expect(judged(spec, '2.14.4')).toEqual(['cluster-repo/no-refresh warning spec.refreshInterval']);
  expect(judged({ ...spec, refreshInterval: 60 }, '2.14.4')).toEqual([]);
});

test('judges the Secret with the credentials', () => {
  const spec = {
    url: 'oci://registry.example.com',
    clientSecret: { name: 'login', namespace: 'cattle-system' },
  };
  const secret = (type?: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login', namespace: 'cattle-system' },
    type,
  });
  expect(judged(spec, undefined, undefined, secret('kubernetes.io/basic-auth'))).toEqual([]);
  expect(judged(spec, undefined, undefined, secret())).toEqual([
    'cluster-repo/secret-type error spec.clientSecret.name only basic auth credential is supported',
  ]);
  expect(judged(spec)).toEqual([
    'cluster-repo/secret warning spec.clientSecret.name failed to fetch secret: NotFound',
  ]);
});

test("warns of the source of Rancher's own repositories alone", () => {
  expect(
    judged(
      { gitRepo: 'https://git.example.com/charts', gitBranch: 'main' },
      undefined,
      'rancher-charts',
    ),
  ).toEqual(['cluster-repo/built-in warning spec']);
});

test('runs operations as an account, and downloads again at a time', () => {
  const app = newApp();
  new ClusterRepo(newRancher(app), 'platform', {
    url: 'https://charts.example.com',
    forceUpdate: '2026-01-31T09:30:00Z',
    serviceAccount: { name: 'helm', namespace: 'tools' },
  });
  expect((rendered(app)['rancher/ClusterRepo/platform'] as any).spec).toMatchObject({
    forceUpdate: '2026-01-31T09:30:00Z',
    serviceAccount: 'helm',
    serviceAccountNamespace: 'tools',
  });
  expect(judged({ url: 'https://charts.example.com', forceUpdate: 'now' })).toEqual([
    'cluster-repo/source error spec.forceUpdate must be of type date-time',
  ]);
});

test('reads no time at which someone downloaded a live repository again', () => {
  const url = 'https://charts.example.com';
  const manifest = repository({ url, forceUpdate: '2026-01-31T09:30:00Z' });
  const props = CLUSTER_REPO_FIELDS.read({ target: 'rancher', manifest, from: 'test' });
  expect(Object.entries(props).filter(([, value]) => value !== undefined)).toEqual([['url', url]]);
});

test('reports fields that Rancher does not read', () => {
  const url = 'https://charts.example.com';
  expect(judged({ url, basicAuthSecretName: 'login' })).toEqual([
    'cluster-repo/source warning spec.basicAuthSecretName',
  ]);
  const pulls = { url, defaultImagePullSecrets: [{ name: 'pull', namespace: 'cattle-system' }] };
  expect(judged(pulls)).toEqual(['cluster-repo/source warning spec.defaultImagePullSecrets']);
  expect(
    judged(pulls, undefined, 'rancher-charts').filter((text) =>
      text.includes('defaultImagePullSecrets'),
    ),
  ).toEqual([]);
});
