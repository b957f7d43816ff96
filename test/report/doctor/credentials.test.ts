import { ID, Live, NOW, base64, provisioningCluster, secret } from './_live';
import { tokensIn } from '../../../src/report/doctor/credentials';
import { FakeCluster } from '../../support/fake-cluster';

const CONTENT = 'harvestercredentialConfig-kubeconfigContent';
const CLUSTER = 'harvestercredentialConfig-clusterId';
const DAY = 86_400_000;
const SECRET = 'topsecrettopsecrettopsecret';

function kubeconfig(token: string): string {
  return `apiVersion: v1\nkind: Config\nusers:\n- name: a\n  user:\n    token: "${token}"\n`;
}

function credential(
  name = 'cc-harv',
  token = `kubeconfig-u-abc123:${SECRET}`,
  more: { [key: string]: string } = {},
  metadata: object = {},
) {
  return secret(
    'cattle-global-data',
    name,
    { [CONTENT]: kubeconfig(token), [CLUSTER]: ID, ...more },
    metadata,
  );
}

function rancherToken(name: string, ttlDays: number, ageDays: number, metadata: object = {}) {
  return {
    apiVersion: 'management.cattle.io/v3',
    kind: 'Token',
    token: SECRET,
    ttl: ttlDays * DAY,
    expiresAt: '2020-01-01T00:00:00Z',
    metadata: {
      name,
      creationTimestamp: new Date(NOW.getTime() - ageDays * DAY).toISOString(),
      ...metadata,
    },
  };
}

function use(cluster: FakeCluster, name = 'cc-harv'): void {
  cluster.seed(
    provisioningCluster('shop', 'c-m-shop', {
      cloudCredentialSecretName: `cattle-global-data:${name}`,
    }),
  );
}

async function found(live: Live, check = 'credential/expires') {
  const all = await live.diagnose();
  expect(JSON.stringify(all)).not.toContain(SECRET);
  return all.filter((diagnosis) => diagnosis.check === check);
}

test('accepts a token without a time limit, whatever its expiresAt holds', async () => {
  const live = new Live();
  live.rancher.seed(credential());
  live.rancher.seed(rancherToken('kubeconfig-u-abc123', 0, 400));
  use(live.rancher);
  expect(await live.diagnose()).toEqual([]);
});

test('reports a credential without its token as an error, with how to renew it', async () => {
  const live = new Live();
  live.rancher.seed(credential());
  const [diagnosis] = await found(live);
  expect(diagnosis).toMatchObject({
    level: 'error',
    object: 'Secret cattle-global-data/cc-harv',
    message: expect.stringContaining('kubeconfig-u-abc123 no longer exists on Rancher'),
  });
  expect(diagnosis.fix).toContain('kubeconfig-default-token-ttl-minutes');
});

test.each([
  [30, 31, 'error', 'expired 1 day ago'],
  [30, 20, 'warning', 'expires in 10 days'],
  [90, 1, 'info', 'expires in 89 days'],
])('a token of %i days that is %i days old is an %s', async (ttl, age, level, words) => {
  const live = new Live();
  live.rancher.seed(credential());
  live.rancher.seed(rancherToken('kubeconfig-u-abc123', ttl, age));
  expect(await found(live)).toEqual([
    expect.objectContaining({ level, message: expect.stringContaining(words) }),
  ]);
});

test('reads the expiry in a ServiceAccount token', async () => {
  const live = new Live();
  const claims = Buffer.from(JSON.stringify({ exp: (NOW.getTime() - 2 * DAY) / 1000 })).toString(
    'base64url',
  );
  live.rancher.seed(credential('cc-harv', `eyJhbGciOiJSUzI1NiJ9.${claims}.signature`));
  expect(await found(live)).toEqual([
    expect.objectContaining({
      level: 'error',
      message: expect.stringContaining('expired 2 days ago'),
    }),
  ]);
});

test("where tokens may not be read, Rancher's own note of the expiry is taken", async () => {
  const live = new Live();
  live.rancher.seed(
    credential(
      'cc-harv',
      `kubeconfig-u-abc123:${SECRET}`,
      {},
      { annotations: { 'rancher.io/expiration-timestamp': String(NOW.getTime() + 3.5 * DAY) } },
    ),
  );
  const { ApiError } = jest.requireActual('../../../src/engine/transport/api');
  live.rancher.fault = ({ verb, what }) =>
    verb === 'list' && what.startsWith('Token ')
      ? new ApiError('forbidden', 'tokens is forbidden', 403)
      : undefined;
  expect(await found(live)).toEqual([
    expect.objectContaining({
      level: 'warning',
      message: expect.stringContaining('expires in 3 days'),
    }),
  ]);
  expect(await found(live, 'target/not-seen')).toEqual([
    expect.objectContaining({
      level: 'info',
      message: expect.stringMatching(
        /tokens could not be read \(tokens is forbidden\); skipped: token\/orphan/,
      ),
    }),
  ]);
});

test('reports a credential without a kubeconfig', async () => {
  const live = new Live();
  live.rancher.seed(secret('cattle-global-data', 'cc-harv', { [CONTENT]: 'nothing' }));
  expect(await found(live)).toEqual([
    expect.objectContaining({ message: 'holds nothing that can be read as a kubeconfig' }),
  ]);
});

test('a kubeconfig in base64 is read, too, and gives no token away', () => {
  expect(tokensIn(base64(kubeconfig(`kubeconfig-user-x1:${SECRET}`)))).toEqual({
    rancher: ['kubeconfig-user-x1'],
    expiries: [],
  });
  expect(tokensIn('{')).toBeUndefined();
});

test('reports two credentials with one token', async () => {
  const live = new Live();
  live.rancher.seed(credential('cc-a'));
  live.rancher.seed(credential('cc-b'));
  expect(await found(live, 'credential/shared-token')).toEqual([
    expect.objectContaining({
      object: 'Secret cattle-global-data/cc-b',
      message: expect.stringContaining('credential cc-a'),
    }),
  ]);
});

test('a credential that a Cluster or a pool names and that is not there is an error', async () => {
  const live = new Live();
  live.rancher.seed(
    provisioningCluster('shop', 'c-m-shop', {
      rkeConfig: { machinePools: [{ cloudCredentialSecretName: 'cattle-global-data:cc-gone' }] },
    }),
  );
  expect(await found(live, 'credential/missing')).toEqual([
    expect.objectContaining({
      object: 'Cluster fleet-default/shop',
      message: expect.stringContaining('cc-gone'),
    }),
  ]);
});

test('reports a credential of a Harvester that was imported again as an error', async () => {
  const live = new Live();
  live.rancher.seed(credential('cc-harv', 'x', { [CLUSTER]: 'c-m-former' }));
  expect(await found(live, 'credential/cluster-gone')).toEqual([
    expect.objectContaining({
      level: 'error',
      message: expect.stringContaining('c-m-former, which does not exist'),
    }),
  ]);
});

test('reports a credential that is unused', async () => {
  const live = new Live();
  live.rancher.seed(credential());
  expect(await found(live, 'credential/unused')).toEqual([
    expect.objectContaining({ level: 'info' }),
  ]);
  use(live.rancher);
  expect(await found(live, 'credential/unused')).toEqual([]);
});

test('reports a token of a deleted credential', async () => {
  const live = new Live();
  live.rancher.seed(
    rancherToken('kubeconfig-u-old', 0, 1, {
      ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: 'cc-old', uid: 'gone' }],
    }),
  );
  expect(await found(live, 'token/orphan')).toEqual([
    expect.objectContaining({
      object: 'Token kubeconfig-u-old',
      message: expect.stringContaining('cc-old, which is deleted'),
    }),
  ]);
});

test('two Clusters with one management cluster are an error', async () => {
  const live = new Live();
  live.rancher.seed(provisioningCluster('dc2', ID));
  expect(await found(live, 'cluster/duplicate-id')).toEqual([
    expect.objectContaining({
      level: 'error',
      object: 'Cluster fleet-default/dc2',
      message: expect.stringContaining(`${ID} with Cluster fleet-default/dc1`),
    }),
  ]);
});
