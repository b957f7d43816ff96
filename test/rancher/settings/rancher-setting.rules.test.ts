import { Manifest } from '../../../src/core/manifest/manifest';
import { RANCHER_SETTING_RULES } from '../../../src/rancher/settings/rancher-setting.rules';
import { Judging, brief, judgeOn, managementCluster, setting } from '../../support/judging';

const findings = (manifests: Manifest[], judging: Judging = {}) =>
  judgeOn(RANCHER_SETTING_RULES, manifests, { version: '2.13.8', ...judging });
const rules = (manifests: Manifest[], judging?: Judging) => brief(findings(manifests, judging));
/** An object as a server shows it. */
const live = (manifest: Manifest): Manifest => ({
  ...manifest,
  metadata: { ...manifest.metadata, uid: 'uid' },
});

test('accepts valid settings', () => {
  expect(
    rules([
      setting('server-url', 'https://rancher.example.com'),
      setting('ui-pl', 'Example'),
      setting('password-min-length', ''),
    ]),
  ).toEqual([]);
});

test('expects text as the value', () => {
  expect(rules([setting('password-min-length', 12), setting('ui-pl', undefined)])).toEqual([
    'error rancher-setting/value value',
    'warning rancher-setting/value value',
  ]);
});

describe.each(['auth-token-max-ttl-minutes', 'kubeconfig-default-token-ttl-minutes'])(
  '%s',
  (name) => {
    test.each(['12h', '0x', 'a', ' 5', '90 days'])(
      'refuses %j, with which no token is created',
      (value) => {
        const [finding] = findings([setting(name, value)]);
        expect(finding).toMatchObject({ level: 'error', rule: 'rancher-setting/value' });
        expect(finding?.message).toContain('Rancher creates no token');
      },
    );

    test.each(['', '60', '+60', '1.5'])('accepts %j, which Rancher reads', (value) => {
      expect(rules([setting(name, value)])).toEqual([]);
    });

    test('warns of a negative number', () => {
      expect(rules([setting(name, '-5')])).toEqual(['warning rancher-setting/value value']);
    });
  },
);

test('reports settings that the version lacks, and unknown ones', () => {
  expect(rules([setting('crt-default-ttl-minutes', '60')], { version: '2.13.7' })).toEqual([
    'error rancher-setting/unknown metadata.name',
  ]);
  expect(rules([setting('crt-default-ttl-minutes', '60')])).toEqual([]);
  expect(rules([setting('kubeconfig-max-token-ttl-minutes', '60')], { version: '2.15.0' })).toEqual(
    ['error rancher-setting/unknown metadata.name'],
  );
  expect(rules([setting('sever-url', 'https://rancher.example.com')])).toEqual([
    'warning rancher-setting/unknown metadata.name',
  ]);
});

test('knows the settings that new versions add, and those that they remove', () => {
  const unknown = (name: string, version: string) =>
    rules([setting(name, '1')], { version }).filter((text) => text.includes('/unknown'));
  for (const name of [
    'delete-machine-on-failure-after',
    's3-bucket-check-timeout',
    'ui-banner-light',
    'public-api-body-limit',
    'alibaba-refresh',
  ]) {
    expect([name, unknown(name, '2.13.8'), unknown(name, '2.15.0')]).toEqual([name, [], []]);
  }
  const added = [
    'imported-cluster-day2-ops-enabled',
    'system-agent-installer-token-ttl-enabled',
    'system-default-registry-pull-secrets',
    'tls-internal-cn-allowed-services',
  ];
  for (const name of added) {
    expect([name, unknown(name, '2.14.4').length, unknown(name, '2.15.0')]).toEqual([name, 1, []]);
  }
  expect([
    unknown('fleet-agent-default-priority-class', '2.13.8').length,
    unknown('disable-default-proxy-endpoints', '2.14.0').length,
  ]).toEqual([1, 0]);
  for (const [name, last, gone] of [
    ['ui-index', '2.14.4', '2.15.0'],
    ['rancher-provisioning-capi-version', '2.13.8', '2.14.0'],
  ]) {
    expect([name, unknown(name, last), unknown(name, gone).length]).toEqual([name, [], 1]);
  }
  const [finding] = findings([setting('ui-index', 'x')], { version: '2.15.0' });
  expect(finding).toMatchObject({
    message: 'cannot be set on Rancher 2.15.0, which drops it',
    fix: 'remove it: Rancher 2.15.0 and later lack it',
  });
});

describe('the life of registration tokens', () => {
  const [TTL, GRACE] = ['crt-default-ttl-minutes', 'crt-default-grace-period-minutes'];
  const told = (name: string, value: string, version: string, others: Manifest[] = []) =>
    findings([setting(name, value), ...others], { version })
      .filter(({ object }) => object?.name === name)
      .map(({ level, message }) => `${level} ${message}`);

  test.each([
    [TTL, '29', 30],
    [TTL, '0', 30],
    [TTL, '-1', 30],
    [GRACE, '9', 10],
  ])('refuses %s %s from 2.13.9, 2.14.5, 2.15.1 and 2.16.0 on', (name, value, least) => {
    const refused = [
      `error must be ${least} minutes or more (the server: "value: Forbidden: must be >= ${least}")`,
    ];
    const errors = (version: string) =>
      told(name, value, version).filter((text) => text.startsWith('error'));
    for (const version of ['2.13.9', '2.14.5', '2.15.1', '2.16.0']) {
      expect(errors(version)).toEqual(refused);
    }
    for (const version of ['2.13.8', '2.14.4', '2.15.0']) {
      expect(errors(version)).toEqual([]);
    }
  });

  test('refuses a grace period that is not less than the lifetime', () => {
    const [grace, ttl] = [setting(GRACE, '60'), setting(TTL, '60')];
    expect(told(GRACE, '60', '2.15.1', [ttl])).toEqual([
      `error must be less than ${TTL}, 60 (the server: "value: Forbidden: ${GRACE} (60) must be less than ${TTL} (60)")`,
    ]);
    expect(told(TTL, '60', '2.15.1', [grace])).toEqual([
      `error must be greater than ${GRACE}, 60 (the server: "value: Forbidden: ${TTL} (60) must be greater than ${GRACE} (60)")`,
    ]);
    expect(told(TTL, '60', '2.15.1')).toEqual([
      `warning must be greater than ${GRACE}, 180 (the server: "value: Forbidden: ${TTL} (60) must be greater than ${GRACE} (180)")`,
    ]);
    expect(told(GRACE, '60', '2.13.8', [ttl])).toEqual([`warning must be less than ${TTL}, 60`]);
    expect(told(TTL, '60', '2.13.8', [grace])).toEqual([]);
    expect([told(GRACE, '10', '2.15.1', [ttl]), told(TTL, '', '2.15.1', [grace])]).toEqual([
      [],
      [],
    ]);
  });
});

test('reports objects as values', () => {
  const [finding] = findings([setting('ui-pl', { a: 1 })]);
  expect(finding?.fix).toContain('write one text');
  expect(JSON.stringify(finding)).not.toContain('[object Object]');
});

test('refuses a change of cacerts, with a warning where the live value is unknown', () => {
  expect(rules([setting('cacerts', 'x')])).toEqual(['warning rancher-setting/value value']);
  expect(rules([setting('cacerts', 'x')], { before: [setting('cacerts', 'x')] })).toEqual([]);
  const of = (version: string) =>
    findings([setting('cacerts', 'x')], { version, live: [live(setting('cacerts', 'y'))] }).map(
      ({ level, message }) => `${level} ${message}`,
    );
  expect(of('2.15.0')).toEqual([
    'error cannot be set: Rancher reads it from its installation (the server: "setting is read only")',
  ]);
  expect(of('2.14.4')).toEqual(['warning cannot be set: Rancher reads it from its installation']);
  expect(
    rules([setting('cacerts', 'x')], { version: '2.15.0', live: [live(setting('cacerts', 'x'))] }),
  ).toEqual([]);
});

test('ignores a missing or late name', () => {
  expect(rules([setting('', 'x', { metadata: { name: '', generateName: 'a-' } })])).toEqual([]);
});

test('warns of fields that Rancher writes', () => {
  expect(
    rules([setting('ui-pl', 'x', { default: 'rancher', source: 'db', customized: true })]),
  ).toEqual([
    'warning rancher-setting/server-fields customized',
    'warning rancher-setting/server-fields default',
    'warning rancher-setting/server-fields source',
  ]);
});

test('refuses a change of a setting from the environment', () => {
  const before = [setting('server-url', 'https://a.example.com', { source: 'env' })];
  const [finding] = findings([setting('server-url', 'https://b.example.com')], { before });
  expect(finding).toMatchObject({ rule: 'rancher-setting/from-environment', level: 'error' });
  expect(finding?.message).toContain('CATTLE_SERVER_URL');
  expect(finding?.message).not.toContain('the server');
  const [refused] = findings([setting('ui-pl', 'mine')], {
    version: '2.15.0',
    live: [live(setting('ui-pl', 'theirs', { source: 'env' }))],
  });
  expect(refused?.message).toContain(
    'setting with source "" cannot update setting with source "env"',
  );
  expect(
    rules([setting('ui-pl', '')], { live: [live(setting('ui-pl', undefined, { source: 'env' }))] }),
  ).toEqual([]);
});

describe('agent-tls-mode', () => {
  const strict = setting('agent-tls-mode', 'strict');
  const before = [setting('agent-tls-mode', '', { default: 'system-store' })];
  const checked = (status: string) =>
    managementCluster('c-m-a', {
      status: { conditions: [{ type: 'AgentTlsStrictCheck', status }] },
    });

  test('accepts strict when all clusters have passed', () => {
    expect(
      rules([strict], { before, live: [checked('True'), managementCluster('local')] }),
    ).toEqual([]);
    expect(rules([strict], { before, live: [checked('False')] })).toEqual([
      'error rancher-setting/tls-mode-strict value',
    ]);
    expect(rules([strict], { before })).toEqual(['warning rancher-setting/tls-mode-strict value']);
  });

  test('accepts strict by force', () => {
    expect(
      rules(
        [
          {
            ...strict,
            metadata: { name: 'agent-tls-mode', annotations: { 'cattle.io/force': 'true' } },
          },
        ],
        { before, live: [checked('False')] },
      ),
    ).toEqual([]);
  });

  test('is content with a Rancher that has only its own cluster', () => {
    expect(rules([strict], { before, live: [managementCluster('local')] })).toEqual([]);
  });

  test('refuses a reset to strict by the live setting', () => {
    const [finding] = findings([setting('agent-tls-mode', '')], {
      version: '2.15.0',
      live: [
        live(setting('agent-tls-mode', 'system-store', { default: 'strict' })),
        checked('False'),
      ],
    });
    expect(finding).toMatchObject({ rule: 'rancher-setting/tls-mode-strict', level: 'error' });
    expect(finding?.message).toBe(
      'cannot be reset to strict, its default, before c-m-a passed the check ' +
        "(the server: \"value.default: Forbidden: AgentTlsStrictCheck condition of cluster c-m-a isn't 'True'\")",
    );
  });

  test('uses the default where there is no value', () => {
    const old = [setting('agent-tls-mode', 'system-store', { default: 'strict' })];
    expect(
      rules([setting('agent-tls-mode', '')], { before: old, live: [checked('False')] }),
    ).toEqual(['error rancher-setting/tls-mode-strict value']);
  });
});

describe('settings that judge each other', () => {
  test('refuses inactivity shorter than a login', () => {
    expect(
      rules([
        setting('auth-user-session-ttl-minutes', '960'),
        setting('disable-inactive-user-after', '15h'),
      ]),
    ).toEqual([
      'error rancher-setting/inactive-users value',
      'error rancher-setting/inactive-users value',
    ]);
    expect(rules([setting('disable-inactive-user-after', '15h')])).toEqual([
      'warning rancher-setting/inactive-users value',
    ]);
    expect(
      rules([
        setting('disable-inactive-user-after', '16h'),
        setting('delete-inactive-user-after', '0'),
      ]),
    ).toEqual([]);
    expect(
      rules([
        setting('auth-user-session-ttl-minutes', '20160'),
        setting('delete-inactive-user-after', '336h'),
      ]),
    ).toEqual([]);
  });

  test('refuses idleness longer than a login', () => {
    expect(
      rules([
        setting('auth-user-session-ttl-minutes', '60'),
        setting('auth-user-session-idle-ttl-minutes', '61'),
      ]),
    ).toEqual(['error rancher-setting/session-idle value']);
    expect(rules([setting('auth-user-session-idle-ttl-minutes', '961')])).toEqual([
      'warning rancher-setting/session-idle value',
    ]);
  });

  test('refuses a grace period as long as the default lifetime', () => {
    expect(
      rules([
        setting('crt-default-ttl-minutes', '60'),
        setting('crt-default-grace-period-minutes', '60'),
      ]),
    ).toEqual(['warning rancher-setting/registration-token-grace value']);
  });

  test('warns where only one setting is 0', () => {
    const [own, max] = ['kubeconfig-default-token-ttl-minutes', 'auth-token-max-ttl-minutes'];
    const never = ['warning rancher-setting/token-never-expires value'];
    expect(rules([setting(own!, '0')])).toEqual(never);
    expect(rules([setting(max!, '0')])).toEqual(never);
    expect(rules([setting(own!, '0'), setting(max!, '60')])).toEqual(never);
    expect(rules([setting(own!, '0'), setting(max!, '0')])).toEqual([]);
    expect(rules([setting(own!, '0')], { version: '2.7.18' })).toEqual([]);
    expect(rules([setting(own!, '0'), setting(max!, '0')], { version: '2.16.0' })).toEqual(never);
    expect(
      rules([setting(own!, '0'), setting('kubeconfig-max-token-ttl-minutes', '0')], {
        version: '2.16.0',
      }),
    ).toEqual([]);
  });
});

test('warns of a setting that is no longer declared', () => {
  expect(rules([], { before: [setting('server-url', 'https://a.example.com')] })).toEqual([
    'warning rancher-setting/deleted',
  ]);
});
