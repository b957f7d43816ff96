import { brief, Judging, judgeOn, managementCluster, setting } from './_judging';
import { Manifest } from '../../src/model/manifest';
import { RANCHER_SETTING_RULES } from '../../src/rules/rancher-setting';

const findings = (manifests: Manifest[], judging: Judging = {}) => judgeOn(RANCHER_SETTING_RULES, manifests, { version: '2.13.8', ...judging });
const rules = (manifests: Manifest[], judging?: Judging) => brief(findings(manifests, judging));

test('a setting as it should be has no finding', () => {
  expect(rules([setting('server-url', 'https://rancher.example.com'), setting('ui-pl', 'Example'), setting('password-min-length', '')])).toEqual([]);
});

test('the value is text', () => {
  expect(rules([setting('password-min-length', 12), setting('ui-pl', undefined)])).toEqual(['error rancher-setting/value value', 'warning rancher-setting/value value']);
});

test('settings that the version lacks, or nobody knows', () => {
  expect(rules([setting('crt-default-ttl-minutes', '60')], { version: '2.13.7' })).toEqual(['error rancher-setting/unknown metadata.name']);
  expect(rules([setting('crt-default-ttl-minutes', '60')])).toEqual([]);
  expect(rules([setting('kubeconfig-max-token-ttl-minutes', '60')], { version: '2.15.0' })).toEqual(['error rancher-setting/unknown metadata.name']);
  expect(rules([setting('sever-url', 'https://rancher.example.com')])).toEqual(['warning rancher-setting/unknown metadata.name']);
});

test('objects are told what to do', () => {
  const [finding] = findings([setting('ui-pl', { a: 1 })]);
  expect(finding?.fix).toContain('write one text');
  expect(JSON.stringify(finding)).not.toContain('[object Object]');
});

test('cacerts can not be changed; without the live one nobody knows whether it is', () => {
  expect(rules([setting('cacerts', 'x')])).toEqual(['warning rancher-setting/value value']);
  expect(rules([setting('cacerts', 'x')], { before: [setting('cacerts', 'x')] })).toEqual([]);
  const [finding] = findings([setting('cacerts', 'x')], { before: [setting('cacerts', 'y')] });
  expect(finding).toMatchObject({ rule: 'rancher-setting/value', level: 'error' });
  expect(finding?.message).toContain('setting is read only');
});

test('a name that is missing or made up is no unknown setting', () => {
  expect(rules([setting('', 'x', { metadata: { name: '', generateName: 'a-' } })])).toEqual([]);
});

test('fields of the server', () => {
  expect(rules([setting('ui-pl', 'x', { default: 'rancher', source: 'db', customized: true })])).toEqual([
    'warning rancher-setting/server-fields customized', 'warning rancher-setting/server-fields default', 'warning rancher-setting/server-fields source',
  ]);
});

test('a setting from the environment', () => {
  const before = [setting('server-url', 'https://a.example.com', { source: 'env' })];
  const [finding] = findings([setting('server-url', 'https://b.example.com')], { before });
  expect(finding).toMatchObject({ rule: 'rancher-setting/from-environment', level: 'error' });
  expect(finding?.message).toContain('CATTLE_SERVER_URL');
});

describe('agent-tls-mode', () => {
  const strict = setting('agent-tls-mode', 'strict');
  const before = [setting('agent-tls-mode', '', { default: 'system-store' })];
  const checked = (status: string) => managementCluster('c-m-a', { status: { conditions: [{ type: 'AgentTlsStrictCheck', status }] } });

  test('becomes strict when all clusters have passed', () => {
    expect(rules([strict], { before, live: [checked('True'), managementCluster('local')] })).toEqual([]);
    expect(rules([strict], { before, live: [checked('False')] })).toEqual(['error rancher-setting/tls-mode-strict value']);
    expect(rules([strict], { before })).toEqual(['warning rancher-setting/tls-mode-strict value']);
  });

  test('or by force', () => {
    expect(rules([{ ...strict, metadata: { name: 'agent-tls-mode', annotations: { 'cattle.io/force': 'true' } } }], { before, live: [checked('False')] })).toEqual([]);
  });

  test('the default counts where there is no value', () => {
    const old = [setting('agent-tls-mode', 'system-store', { default: 'strict' })];
    expect(rules([setting('agent-tls-mode', '')], { before: old, live: [checked('False')] })).toEqual(['error rancher-setting/tls-mode-strict value']);
  });
});

describe('settings that judge each other', () => {
  test('inactivity and sessions', () => {
    expect(rules([setting('auth-user-session-ttl-minutes', '960'), setting('disable-inactive-user-after', '15h')])).toEqual([
      'error rancher-setting/inactive-users value', 'error rancher-setting/inactive-users value',
    ]);
    expect(rules([setting('disable-inactive-user-after', '15h')])).toEqual(['warning rancher-setting/inactive-users value']);
    expect(rules([setting('disable-inactive-user-after', '16h'), setting('delete-inactive-user-after', '0')])).toEqual([]);
    expect(rules([setting('auth-user-session-ttl-minutes', '20160'), setting('delete-inactive-user-after', '336h')])).toEqual([]);
  });

  test('idleness', () => {
    expect(rules([setting('auth-user-session-ttl-minutes', '60'), setting('auth-user-session-idle-ttl-minutes', '61')])).toEqual(['error rancher-setting/session-idle value']);
    expect(rules([setting('auth-user-session-idle-ttl-minutes', '961')])).toEqual(['warning rancher-setting/session-idle value']);
  });

  test('grace', () => {
    expect(rules([setting('crt-default-ttl-minutes', '60'), setting('crt-default-grace-period-minutes', '60')])).toEqual(['warning rancher-setting/registration-token-grace value']);
  });

  test('never needs both', () => {
    const [own, max] = ['kubeconfig-default-token-ttl-minutes', 'auth-token-max-ttl-minutes'];
    const never = ['warning rancher-setting/token-never-expires value'];
    expect(rules([setting(own!, '0')])).toEqual(never);
    expect(rules([setting(max!, '0')])).toEqual(never);
    expect(rules([setting(own!, '0'), setting(max!, '60')])).toEqual(never);
    expect(rules([setting(own!, '0'), setting(max!, '0')])).toEqual([]);
    expect(rules([setting(own!, '0')], { version: '2.7.18' })).toEqual([]);
    expect(rules([setting(own!, '0'), setting(max!, '0')], { version: '2.16.0' })).toEqual(never);
    expect(rules([setting(own!, '0'), setting('kubeconfig-max-token-ttl-minutes', '0')], { version: '2.16.0' })).toEqual([]);
  });
});

test('taking a setting away is no reset', () => {
  expect(rules([], { before: [setting('server-url', 'https://a.example.com')] })).toEqual(['warning rancher-setting/deleted']);
});
