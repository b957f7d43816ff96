import {
  ID,
  Live,
  TOKEN,
  URL_OK,
  harvesterSetting,
  managementCluster,
  secret,
  setting,
} from './_live';

const SETTING = 'cluster-registration-url';

function register(live: Live, url: string): void {
  live.dc1.change(
    { apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', name: SETTING },
    (object) => {
      object.value = JSON.stringify({ url, insecureSkipTLSVerify: false });
    },
  );
}

function loseTokens(live: Live, connected: string): void {
  live.rancher.change(
    { apiVersion: 'v1', kind: 'Secret', namespace: ID, name: 'crt-token-gitops' },
    (object) => {
      object.data.token = 'b3RoZXI=';
    },
  );
  live.rancher.seed(managementCluster(ID, connected));
}

test('reports nothing for healthy clusters', async () => {
  expect(await new Live().diagnose()).toEqual([]);
});

test('reads only: nothing is applied, tried or deleted', async () => {
  const live = new Live();
  await live.diagnose();
  expect(
    live.rancher.calls
      .concat(live.dc1.calls)
      .filter(({ verb }) => !['read', 'list', 'get', 'kind'].includes(verb)),
  ).toEqual([]);
});

test('reports a URL with the literal {token}, with where the token is', async () => {
  const live = new Live();
  register(live, URL_OK.replace(TOKEN, '{token}'));
  const found = await live.only('registration/bad-url');
  expect(found).toMatchObject({ level: 'error', target: 'dc1', object: `Setting ${SETTING}` });
  expect(found.message).toContain('the literal {token}');
  expect(found.fix).toContain('crt-token-<name>');
  expect(await live.of('registration/dead-token')).toEqual([]);
});

test('reports a value without a url, which Harvester took as a reset', async () => {
  const live = new Live();
  live.dc1.seed(harvesterSetting(SETTING, '{"URI":"https://rancher.example.com"}'));
  expect((await live.only('registration/bad-url')).message).toContain('took as a reset');
});

test('reads an empty value as unregistered', async () => {
  const live = new Live();
  live.dc1.seed(
    harvesterSetting(SETTING, '', {
      status: { conditions: [{ type: 'configured', status: 'False', message: '' }] },
    }),
  );
  live.dc1.objects.delete('apps/Deployment/cattle-system/cattle-cluster-agent');
  expect(await live.diagnose()).toEqual([]);
});

test('reports a Rancher outside of the program', async () => {
  const live = new Live();
  register(live, URL_OK.replace('rancher.example.com', 'other.example.com'));
  expect(await live.only('registration/bad-url')).toMatchObject({
    level: 'warning',
    message: expect.stringContaining(
      'other.example.com, which is not a Rancher of this program (rancher.example.com)',
    ),
  });
});

test('a token that Rancher does not know is an error while the agent is not connected', async () => {
  const live = new Live();
  loseTokens(live, 'False');
  expect(await live.only('registration/dead-token')).toMatchObject({
    level: 'error',
    message: expect.stringContaining('cluster not found or invalid token'),
  });
});

test('reports a token that was rotated away as information while the agent is connected', async () => {
  const live = new Live();
  loseTokens(live, 'True');
  expect(await live.only('registration/dead-token')).toMatchObject({
    level: 'info',
    message: expect.stringContaining('the agent is still connected'),
  });
});

test('reports a token in its grace period', async () => {
  const live = new Live();
  loseTokens(live, 'False');
  live.rancher.seed(
    secret(ID, 'crt-token-default-token', { token: 'another', previousToken: TOKEN }),
  );
  expect(await live.only('registration/dead-token')).toMatchObject({
    level: 'warning',
    message: expect.stringContaining('grace period'),
  });
});

test('a token in the status of a ClusterRegistrationToken is known, as Rancher before 2.13.8 keeps them', async () => {
  const live = new Live();
  loseTokens(live, 'False');
  live.rancher.seed({
    apiVersion: 'management.cattle.io/v3',
    kind: 'ClusterRegistrationToken',
    metadata: { name: 'default-token', namespace: ID },
    status: { token: TOKEN },
  });
  expect(await live.of('registration/dead-token')).toEqual([]);
});

test('reports a token that is soon rotated', async () => {
  const live = new Live();
  live.rancher.seed(
    secret(ID, 'crt-token-gitops', { token: TOKEN, expiresAt: '2026-11-22T12:00:00Z' }),
  );
  expect(await live.only('registration/dead-token')).toMatchObject({
    level: 'info',
    message: expect.stringContaining('rotated in 1 days'),
  });
});

test('reports a cluster that Rancher does not have, with those that it has', async () => {
  const live = new Live();
  register(live, URL_OK.replace(ID, 'c-m-other'));
  expect(await live.only('registration/dead-token')).toMatchObject({
    level: 'error',
    fix: expect.stringContaining(ID),
  });
});

test('reports a registration without an agent', async () => {
  const live = new Live();
  live.dc1.objects.delete('apps/Deployment/cattle-system/cattle-cluster-agent');
  expect((await live.only('registration/no-agent')).fix).toContain('harvesterhci.io/hash');
});

test('reports a ClusterRegistrationToken without its Secret', async () => {
  const live = new Live();
  live.rancher.seed({
    apiVersion: 'management.cattle.io/v3',
    kind: 'ClusterRegistrationToken',
    metadata: { name: 'x', namespace: ID },
    status: { tokenSecretName: 'crt-token-x' },
  });
  expect(await live.only('registration-token/no-secret')).toMatchObject({
    level: 'warning',
    object: `ClusterRegistrationToken ${ID}/x`,
  });
});

test('reports a Rancher without server-url', async () => {
  const live = new Live();
  live.rancher.seed(setting('management.cattle.io/v3', 'server-url', ''));
  expect((await live.only('rancher/no-server-url')).fix).toBe(
    'set server-url to https://rancher.example.com',
  );
});

test.each([
  ['v2.13.7', 'info', 'runs Rancher 2.13.7, the program names 2.13.8'],
  ['v2.12.3', 'error', 'runs Rancher 2.12.3, the program names 2.13.8'],
])('Rancher %s is another version than the program names: %s', async (version, level, message) => {
  const live = new Live();
  live.rancher.seed(setting('management.cattle.io/v3', 'server-version', version));
  expect(await live.only('version/not-as-named')).toMatchObject({ level, message });
});

test('reports versions that the support matrix does not allow together', async () => {
  const live = new Live();
  live.rancher.seed(setting('management.cattle.io/v3', 'server-version', 'v2.11.4'));
  expect(await live.only('version/not-together')).toMatchObject({
    level: 'warning',
    target: 'dc1',
    message: expect.stringContaining('Harvester 1.7 needs Rancher 2.13.0 or later'),
  });
});
