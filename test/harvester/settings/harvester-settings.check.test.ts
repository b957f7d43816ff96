import { contextOf } from './catalogue/_checking';
import { SettingEntry } from '../../../src/harvester/settings/entry/setting-entry.check';
import {
  checkSettingValue,
  nearestSetting,
  settingLacking,
} from '../../../src/harvester/settings/harvester-settings.check';
import { HARVESTER_SETTINGS } from '../../../src/harvester/settings/harvester-settings.data';

const withFlag = (flag: keyof SettingEntry<never>): string[] =>
  [...HARVESTER_SETTINGS].filter(([, entry]) => entry[flag]).map(([name]) => name);

test('knows the five settings that the server does not delete', () => {
  expect(withFlag('undeletable')).toEqual([
    'cluster-pod-security-standard',
    'instance-manager-resources',
    'rwx-network',
    'storage-network',
    'vm-migration-network',
  ]);
});

test('knows the settings whose value is secret, rewritten or later than others', () => {
  expect(withFlag('secret')).toEqual([
    'backup-target',
    'cluster-registration-url',
    'containerd-registry',
    'http-proxy',
    'rancher-cluster',
    'ssl-certificates',
  ]);
  expect(withFlag('rewritten')).toEqual(['backup-target', 'containerd-registry']);
  expect(withFlag('rank')).toEqual([
    'rancher-cluster',
    'rwx-network',
    'storage-network',
    'vm-migration-network',
    'volume-snapshot-class',
  ]);
});

test('knows the settings that outlive guest clusters in a removal', () => {
  expect(withFlag('carriesGuests')).toEqual([
    'additional-ca',
    'cluster-registration-url',
    'http-proxy',
    'ssl-certificates',
    'ssl-parameters',
    'storage-network',
    'vip-pools',
    'vm-force-reset-policy',
  ]);
});

test.each([...HARVESTER_SETTINGS])('describes %s', (_name, entry) => {
  expect(entry.what).toMatch(/^[a-z].*[^.]$/);
  expect(entry.source).toMatch(/\//);
  if (entry.judgesDefault) {
    expect(entry.check).toEqual(expect.any(Function));
  }
});

test.each([
  ['ntp-servers', '1.1.3', false],
  ['ntp-servers', '1.2.0', true],
  ['additional-ca', '1.1.3', true],
  ['rwx-network', '1.7.2', false],
  ['no-such-setting', '1.1.3', true],
])('knows whether %s is a setting that Harvester %s lacks', (name, version, has) => {
  expect(settingLacking(name, contextOf(version)) === undefined).toBe(has);
});

// the numbers of NewSetting in settings.go at each tag
test.each([
  ['1.6.1', 43],
  ['1.7.2', 44],
  ['1.8.2', 48],
  ['1.9.0', 51],
])('has as many settings as Harvester %s: %i', (version, settings) => {
  expect(
    [...HARVESTER_SETTINGS.keys()].filter(
      (name) => settingLacking(name, contextOf(version)) === undefined,
    ),
  ).toHaveLength(settings);
});

test('warns of ssl-parameters from 1.9.0 on, where nothing reads them', () => {
  const messages = (version?: string, value = '{"protocols":"TLSv1.2","ciphers":""}') =>
    checkSettingValue('ssl-parameters', value, contextOf(version)).map(
      ({ level, message, fix }) => `${level} ${message}. Fix: ${fix}`,
    );
  expect(messages('1.9.0')).toEqual([
    'warning cannot have an effect on Harvester 1.9.0: its ingress is Traefik instead of nginx. Fix: set traefik-default-tls-options, and remove this setting',
  ]);
  expect([messages('1.8.2'), messages(), messages('1.9.0', '')]).toEqual([[], [], []]);
});

test('names the version that has a missing setting', () => {
  expect(settingLacking('rwx-network', contextOf('1.7.2'))).toMatchObject({
    message: 'Harvester 1.7.2 has no setting rwx-network: it would accept and ignore it',
    fix: 'upgrade Harvester to 1.8.0 or later, or remove it',
  });
  expect(settingLacking('rwx-network', contextOf())).toBeUndefined();
});

test('recognizes a name that is nearly right', () => {
  expect(
    ['ntp-server', 'NTP_SERVERS', 'overcommit-confg', 'storagenetwork', 'vm-migration-netwrok'].map(
      nearestSetting,
    ),
  ).toEqual([
    'ntp-servers',
    'ntp-servers',
    'overcommit-config',
    'storage-network',
    'vm-migration-network',
  ]);
  expect(nearestSetting('something-else-entirely')).toBeUndefined();
  expect(HARVESTER_SETTINGS.get('toString')).toBeUndefined();
});
