import { RANCHER_SETTINGS } from '../../../src/rancher/settings/rancher-names.data';
import { checkRancherSetting } from '../../../src/rancher/settings/rancher-setting.check';
import {
  KNOWN_SETTINGS,
  isRancherSetting,
} from '../../../src/rancher/settings/rancher-setting.data';

const levels = (name: string, value: string) =>
  checkRancherSetting(name, value).map(({ level = 'error' }) => level);

test('knows names and versions of settings', () => {
  for (const name of KNOWN_SETTINGS.keys()) {
    expect([name, RANCHER_SETTINGS.has(name)]).toEqual([name, true]);
  }
  expect(isRancherSetting('system-namespaces')).toBe(true);
  expect(isRancherSetting('sever-url')).toBe(false);
});

test('accepts the defaults', () => {
  for (const [name, { default: builtIn }] of KNOWN_SETTINGS) {
    if (builtIn) {
      expect(levels(name, builtIn)).toEqual([]);
    }
  }
});

const FINE: [string, string][] = [
  ['server-url', 'https://rancher.example.com:8443'],
  ['server-url', 'https://rancher.example.com/'],
  ['server-url', '${late:server-url}'],
  ['agent-tls-mode', 'system-store'],
  ['disable-inactive-user-after', '0'],
  ['disable-inactive-user-after', '1h30m'],
  ['disable-inactive-user-after', ''],
  ['delete-inactive-user-after', '336h'],
  ['delete-inactive-user-after', '0s'],
  ['delete-inactive-user-after', '20160m'],
  ['user-last-login-default', '2023-11-29T00:00:00Z'],
  ['user-last-login-default', '2024-02-29T23:59:59.5+02:00'],
  ['user-retention-cron', '0 0 * * 0'],
  ['user-retention-cron', '*/5 0-6,12 1 jan MON'],
  ['user-retention-cron', '@every 12h'],
  ['auth-user-session-ttl-minutes', '0'],
  ['auth-user-session-ttl-minutes', '+10'],
  ['auth-user-session-idle-ttl-minutes', '1'],
  ['auth-user-info-max-age-seconds', '-1'],
  ['auth-user-info-max-age-seconds', '1.5'],
  ['auth-user-info-resync-cron', ''],
  ['kubeconfig-default-token-ttl-minutes', '0'],
  ['crt-default-ttl-minutes', '0'],
  ['crt-default-ttl-minutes', '30'],
  ['cluster-agent-default-priority-class', '{"value":1000000000}'],
  ['cluster-agent-default-priority-class', '{"Value":1,"preemptionPolicy":"Never"}'],
  ['fleet-agent-default-pod-disruption-budget', '{"minAvailable":"1","maxUnavailable":"0"}'],
  ['fleet-agent-default-pod-disruption-budget', '{"minAvailable":"0","maxUnavailable":"0"}'],
  ['system-default-registry', 'registry.example.com:5000/rancher'],
  ['cluster-agent-default-affinity', '{"nodeAffinity":{}}'],
  ['azure-group-cache-size', '500'],
  ['ui-banners', '{"showHeader":"true"}'],
];

test.each(FINE)('accepts for %s: %j', (name, value) => expect(levels(name, value)).toEqual([]));

test.each([
  ['cluster-agent-default-affinity', 'none', 'error'],
  ['fleet-agent-default-affinity', '[]', 'error'],
  ['ui-banners', 'on', 'warning'],
  ['cluster-controller-start-count', 'many', 'error'],
  ['unprivileged-jail-user', 'no', 'warning'],
])('reports for %s: %j', (name, value, level) => expect(levels(name, value)).toEqual([level]));

test.each(['soon', '30', '0s', '-30m', '0'])(
  'refuses %s as the lifetime of the tokens of new machines, which would end at once',
  (value) => {
    for (const name of [
      'system-agent-installer-token-long-ttl',
      'system-agent-installer-token-short-ttl',
    ]) {
      expect([...checkRancherSetting(name, value)]).toEqual([
        expect.objectContaining({
          message:
            'must be a duration of more than 0: every token expires as soon as it is created, so no machine can join',
          fix: 'give a duration such as 30m or 1h30m',
        }),
      ]);
      expect(levels(name, value)).toEqual(['error']);
    }
  },
);

test('warns of text that is not a duration, which Rancher takes for 0', () => {
  expect([
    levels('delete-machine-on-failure-after', '30 minutes'),
    levels('delete-machine-on-failure-after', '30m'),
    levels('delete-machine-on-failure-after', '0s'),
  ]).toEqual([['warning'], [], []]);
});

const REFUSED: [string, string, string][] = [
  ['disable-inactive-user-after', '14d', ''],
  ['disable-inactive-user-after', '15', ''],
  ['disable-inactive-user-after', '-1h', 'negative value'],
  ['delete-inactive-user-after', '335h59m', 'must be at least 336h0m0s'],
  ['user-last-login-default', '2023-02-29T00:00:00Z', ''],
  ['user-last-login-default', '2023-11-29', ''],
  ['user-retention-cron', '0 0 * *', 'Expected exactly 5 fields, found 4: 0 0 * *'],
  ['user-retention-cron', '* * * * 7', 'End of range (7) above maximum (6): 7'],
  ['user-retention-cron', '0 0 0 * *', 'Beginning of range (0) below minimum (1): 0'],
  ['user-retention-cron', '5-1 * * * *', 'Beginning of range (5) beyond end of range (1): 5-1'],
  ['user-retention-cron', '*/0 * * * *', 'Step of range should be a positive number: */0'],
  ['user-retention-cron', 'x * * * *', 'Failed to parse int from x'],
  ['user-retention-cron', '@every 1d', 'Failed to parse duration @every 1d'],
  ['auth-user-session-ttl-minutes', '-1', 'negative value'],
  ['auth-user-session-ttl-minutes', '1.5', ''],
  ['auth-user-session-idle-ttl-minutes', '0', 'negative value or less than 1 minute'],
  ['auth-user-info-max-age-seconds', '1h', ''],
  ['cacerts', 'x', 'setting is read only'],
  ['cluster-agent-default-priority-class', '{"value":1000000001}', '1 billion'],
  ['cluster-agent-default-priority-class', '{"value":"1"}', ''],
  ['cluster-agent-default-priority-class', 'high', ''],
  [
    'cluster-agent-default-pod-disruption-budget',
    '{"minAvailable":"1","maxUnavailable":"1"}',
    'both minAvailable and maxUnavailable',
  ],
  ['cluster-agent-default-pod-disruption-budget', '{}', 'both minAvailable and maxUnavailable'],
  // in a setting the webhook wants both fields
  ['cluster-agent-default-pod-disruption-budget', '{"minAvailable":"1"}', 'regex used is'],
  [
    'cluster-agent-default-pod-disruption-budget',
    '{"minAvailable":"101%","maxUnavailable":"0"}',
    'regex used is',
  ],
];

test.each(REFUSED)('refuses for %s: %j', (name, value, says) => {
  const [problem] = checkRancherSetting(name, value);
  expect(problem?.level ?? 'error').toBe('error');
  expect(problem?.says ?? '').toContain(says);
});

const WRONG: [string, string, string][] = [
  // the server is silent; an error where the value is lost
  ['kubeconfig-default-token-ttl-minutes', 'never', 'error'],
  ['kubeconfig-default-token-ttl-minutes', '-1', 'warning'],
  ['server-url', 'rancher.example.com', 'error'],
  ['server-url', 'rancher.example.com:8443', 'error'],
  ['server-url', 'https://rancher.example.com/path', 'warning'],
  ['server-url', 'https://u:p@rancher.example.com', 'warning'],
  ['server-url', 'https://rancher.example.com?a=b', 'warning'],
  ['password-min-length', 'abc', 'warning'],
  ['server-url', 'http://rancher.example.com', 'warning'],
  ['agent-tls-mode', 'Strict', 'error'],
  ['system-default-registry', 'https://registry.example.com', 'warning'],
  ['hide-local-cluster', 'yes', 'warning'],
  ['crt-default-ttl-minutes', '29', 'warning'],
  ['crt-default-grace-period-minutes', '0', 'warning'],
  ['auth-user-info-max-age-seconds', '', 'warning'],
  ['cluster-agent-default-priority-class', '{"value":1,"policy":"Never"}', 'warning'],
];

test.each(WRONG)('reports for %s: %j', (name, value, level) =>
  expect(levels(name, value)).toEqual([level]),
);

test('describes a setting', () => {
  expect(KNOWN_SETTINGS.get('server-url')).toMatchObject({
    what: expect.any(String),
    format: expect.any(String),
    source: expect.any(String),
  });
});

test.each([
  ['server-url', 'http://ana:hunter2@rancher.example.com/path?token=hunter2'],
  ['server-url', 'ana:hunter2@rancher.example.com'],
  ['server-url', 'https://ana:hunter2#x@rancher.example.com:x'],
  ['system-default-registry', 'https://ana:hunter2@registry.example.com'],
])('shows no credential of %s: %s', (name, value) => {
  const problems = checkRancherSetting(name, value);
  expect(problems.length).toBeGreaterThan(0);
  expect(JSON.stringify(problems)).toContain('***@r');
  expect(JSON.stringify(problems)).not.toContain('hunter2');
});
