import { ApiObject, App, Chart, Duration, Testing } from 'cdk8s';
import { Construct } from 'constructs';
import { IRancherTarget, TargetKind, markTarget } from '../../../src/core/construct/target';
import { KindDescription } from '../../../src/core/kind/kind';
import { kindOf } from '../../../src/core/kind/kinds';
import { PreemptionPolicy } from '../../../src/rancher/cluster/provisioning-cluster.check';
import {
  RancherSetting,
  TokenLifetime,
  TokenLifetimeProps,
} from '../../../src/rancher/settings/rancher-setting';
import { KNOWN_SETTINGS } from '../../../src/rancher/settings/rancher-setting.data';
import { AgentTlsMode } from '../../../src/rancher/settings/rancher-setting.kind';

class TestRancher extends Chart implements IRancherTarget {
  public readonly targetName = 'rancher';
  public readonly targetKind = TargetKind.RANCHER;
  public readonly serverUrl = 'https://rancher.example.com';

  constructor(
    scope: Construct,
    readonly version: string,
  ) {
    super(scope, 'rancher');
    markTarget(this);
  }
}

const newRancher = (version = '2.13.8') => new TestRancher(new App(), version);
const values = (chart: Chart) =>
  Object.fromEntries(
    (Testing.synth(chart) as { metadata: { name: string }; value: string }[]).map(
      ({ metadata, value }) => [metadata.name, value],
    ),
  );

test('defaults: only the value is written', () => {
  const rancher = newRancher();
  const setting = new RancherSetting(rancher, 'brand', { name: 'ui-pl', value: 'Example' });
  expect(Testing.synth(rancher)).toEqual([
    {
      apiVersion: 'management.cattle.io/v3',
      kind: 'Setting',
      metadata: { name: 'ui-pl' },
      value: 'Example',
    },
  ]);
  expect(setting.name).toBe('ui-pl');
  const { deletion, writtenByOthers } = kindOf<KindDescription>(ApiObject.of(setting))!;
  expect(deletion?.policy).toBe('reset');
  expect(writtenByOthers).toEqual(expect.arrayContaining(['default', 'customized', 'source']));
});

test('the empty value is written: it is the reset', () => {
  const rancher = newRancher();
  new RancherSetting(rancher, 'a', { name: 'ui-pl', value: '' });
  expect(values(rancher)).toEqual({ 'ui-pl': '' });
});

/** Settings that `TokenLifetime` writes, or that only the constructor takes. */
const OTHERS: readonly string[] = [
  'kubeconfig-default-token-ttl-minutes',
  'auth-token-max-ttl-minutes',
  'kubeconfig-max-token-ttl-minutes',
  'auth-token-default-ttl-minutes',
  'auth-user-info-resync-cron',
  'user-retention-dry-run',
  'system-agent-installer-token-ttl-enabled',
  'imported-cluster-day2-ops-enabled',
  'skip-helm-index-filtering',
  'unprivileged-jail-user',
  'fleet-agent-default-priority-class',
  'fleet-agent-default-pod-disruption-budget',
];

test('has a factory for every setting that is described with a printed value', () => {
  const factories = String(RancherSetting);
  expect(
    [...KNOWN_SETTINGS]
      .filter(
        ([name, { print }]) => print && !OTHERS.includes(name) && !factories.includes(`"${name}"`),
      )
      .map(([name]) => name),
  ).toEqual([]);
});

test('every factory writes the text that Rancher reads', () => {
  const rancher = newRancher();
  RancherSetting.serverUrl(rancher, '1', 'https://rancher.example.com');
  RancherSetting.agentTlsMode(rancher, '2', AgentTlsMode.STRICT, { force: true });
  RancherSetting.systemDefaultRegistry(rancher, '3', 'registry.example.com:5000');
  RancherSetting.passwordMinLength(rancher, '4', 14);
  RancherSetting.hideLocalCluster(rancher, '5', true);
  RancherSetting.kubeconfigGenerateToken(rancher, '6', false);
  RancherSetting.importedClusterVersionManagement(rancher, '7', false);
  RancherSetting.registrationTokenLifetime(rancher, '8', Duration.days(30));
  RancherSetting.registrationTokenGracePeriod(rancher, '9', Duration.hours(3));
  RancherSetting.sessionLifetime(rancher, '10', Duration.hours(8));
  RancherSetting.sessionIdleLifetime(rancher, '11', Duration.minutes(30));
  RancherSetting.disableInactiveUsersAfter(rancher, '12', Duration.days(30));
  RancherSetting.deleteInactiveUsersAfter(rancher, '13', Duration.days(60));
  RancherSetting.userRetentionSchedule(rancher, '14', '@daily');
  RancherSetting.clusterAgentPriorityClass(rancher, '15', {
    priority: 1000,
    preemptionPolicy: PreemptionPolicy.NEVER,
  });
  RancherSetting.clusterAgentDisruptionBudget(rancher, '16', { minAvailable: '1' });
  expect(values(rancher)).toEqual({
    'server-url': 'https://rancher.example.com',
    'agent-tls-mode': 'strict',
    'system-default-registry': 'registry.example.com:5000',
    'password-min-length': '14',
    'hide-local-cluster': 'true',
    'kubeconfig-generate-token': 'false',
    'imported-cluster-version-management': 'false',
    'crt-default-ttl-minutes': '43200',
    'crt-default-grace-period-minutes': '180',
    'auth-user-session-ttl-minutes': '480',
    'auth-user-session-idle-ttl-minutes': '30',
    'disable-inactive-user-after': '2592000s',
    'delete-inactive-user-after': '5184000s',
    'user-retention-cron': '@daily',
    'cluster-agent-default-priority-class': '{"value":1000,"preemptionPolicy":"Never"}',
    'cluster-agent-default-pod-disruption-budget': '{"minAvailable":"1","maxUnavailable":"0"}',
  });
  expect(Testing.synth(rancher)[1].metadata.annotations).toEqual({ 'cattle.io/force': 'true' });
});

describe('a problem', () => {
  test.each<[string, (rancher: TestRancher) => unknown]>([
    [
      '[rancher/a] url: must be an https URL, got "http://rancher.example.com"',
      (rancher) => RancherSetting.serverUrl(rancher, 'a', 'http://rancher.example.com'),
    ],
    [
      '[rancher/a] url: must be scheme and host, got "https://rancher.example.com/x"',
      (rancher) => RancherSetting.serverUrl(rancher, 'a', 'https://rancher.example.com/x'),
    ],
    [
      '[rancher/a] value: must be two weeks or more, got "1209599s" (the server: "value: Forbidden: must be at least 336h0m0s")',
      (rancher) => RancherSetting.deleteInactiveUsersAfter(rancher, 'a', Duration.seconds(1209599)),
    ],
    [
      '[rancher/a] value: cannot be set',
      (rancher) => new RancherSetting(rancher, 'a', { name: 'cacerts', value: 'x' }),
    ],
    [
      '[rancher/a] force: has an effect on agent-tls-mode alone, got true',
      (rancher) => new RancherSetting(rancher, 'a', { name: 'server-url', value: '', force: true }),
    ],
    [
      '[rancher/a] value: must be a cron expression, got "x"',
      (rancher) => RancherSetting.userRetentionSchedule(rancher, 'a', 'x'),
    ],
  ])('fails with %s', (message, make) => expect(() => make(newRancher())).toThrow(message));

  test('refuses a setting that the version lacks', () => {
    expect(() =>
      RancherSetting.registrationTokenLifetime(newRancher('2.13.7'), 'a', Duration.days(1)),
    ).toThrow(
      '[rancher/a] name: cannot be set on Rancher 2.13.7, which drops it, got "crt-default-ttl-minutes". Fix: remove it, or upgrade Rancher to 2.13.8, 2.14.4, 2.15.0 and later',
    );
  });

  test('refuses a chart that is not of a Rancher', () => {
    expect(
      () => new RancherSetting(new Chart(new App(), 'plain'), 'a', { name: 'ui-pl', value: '' }),
    ).toThrow('RancherSetting must be in a rancher target');
  });
});

describe('TokenLifetime', () => {
  const lifetime = (props?: TokenLifetimeProps, version?: string) => {
    const rancher = newRancher(version);
    new TokenLifetime(rancher, 'tokens', props);
    return values(rancher);
  };

  test('writes both settings for tokens that never expire', () => {
    expect(lifetime()).toEqual({
      'kubeconfig-default-token-ttl-minutes': '0',
      'auth-token-max-ttl-minutes': '0',
    });
  });

  test('writes a maximum of kubeconfigs from 2.16 on', () => {
    expect(lifetime({}, '2.16.0')).toEqual({
      'kubeconfig-default-token-ttl-minutes': '0',
      'auth-token-max-ttl-minutes': '0',
      'kubeconfig-max-token-ttl-minutes': '0',
    });
  });

  test('takes the maximum from kubeconfigs unless it is given', () => {
    expect(lifetime({ kubeconfigTtl: Duration.days(90) })).toEqual({
      'kubeconfig-default-token-ttl-minutes': '129600',
      'auth-token-max-ttl-minutes': '129600',
    });
    expect(lifetime({ kubeconfigTtl: Duration.days(1), maxTtl: Duration.minutes(0) })).toEqual({
      'kubeconfig-default-token-ttl-minutes': '1440',
      'auth-token-max-ttl-minutes': '0',
    });
  });

  test('fails where Rancher would use the maximum', () => {
    expect(() => lifetime({ maxTtl: Duration.days(1) })).toThrow(
      '[rancher/tokens] kubeconfigTtl: must be at most maxTtl, 1440 minutes, got 0',
    );
    expect(() => lifetime({ kubeconfigTtl: Duration.days(2), maxTtl: Duration.days(1) })).toThrow(
      'must be at most maxTtl',
    );
    expect(() => lifetime({ kubeconfigTtl: Duration.seconds(90) })).toThrow(
      '[rancher/tokens] kubeconfigTtl: must be a whole number of minutes, got 1.5',
    );
  });
});
