import { contextOf } from './checking';
import { FeatureGates } from '../../../../src/core/version/feature-gates';
import { HARVESTER_SETTINGS, nearestSetting, settingLacking, settingNamed } from '../../../../src/harvester/settings/catalogue/catalogue';
import { SETTING } from '../../../../src/harvester/settings/harvester-setting.kind';
import { HarvesterVersion } from '../../../../src/harvester/version/harvester-version';

test('every name has one entry', () => {
  expect(HARVESTER_SETTINGS.map(({ name }) => name)).toEqual(Object.values(SETTING).sort());
});

test('the five that the server does not delete', () => {
  expect(HARVESTER_SETTINGS.filter(({ undeletable }) => undeletable).map(({ name }) => name)).toEqual([
    'cluster-pod-security-standard', 'instance-manager-resources', 'rwx-network', 'storage-network', 'vm-migration-network',
  ]);
});

test.each(HARVESTER_SETTINGS.map((entry) => [entry.name, entry] as const))('%s says what there is to know', (_name, entry) => {
  expect(entry.what).toMatch(/^[a-z].*[^.]$/);
  expect(entry.source).toMatch(/\//);
  if (entry.judgesDefault !== 'never') { expect(entry.check).toBeDefined(); }
});

test.each(['1.1.3', '1.3.0', '1.6.1', '1.7.2', '1.8.0', '1.9.0'])('agrees with the gates on what Harvester %s has', (version) => {
  const harvester = HarvesterVersion.parse(version);
  for (const entry of HARVESTER_SETTINGS) {
    expect({ name: entry.name, has: settingLacking(entry, contextOf(version)) === undefined }).toEqual({
      name: entry.name, has: FeatureGates.harvesterSetting(entry.name)?.supports(harvester),
    });
  }
});

test('a setting that is missing says which version has it', () => {
  expect(settingLacking(settingNamed('rwx-network')!, contextOf('1.7.2'))).toMatchObject({
    message: 'Harvester 1.7.2 has no setting rwx-network, it would be accepted and do nothing', fix: 'upgrade Harvester to 1.8.0 or later, or leave it out',
  });
  expect(settingLacking(settingNamed('rwx-network')!, contextOf())).toBeUndefined();
  expect(settingLacking({ ...settingNamed('log-level')!, until: '1.7.0' }, contextOf('1.7.2'))?.fix).toBe('leave it out, 1.7.0 and later have it no more');
});

test('a name that is nearly right is recognised', () => {
  expect(['ntp-server', 'NTP_SERVERS', 'overcommit-confg', 'storagenetwork', 'vm-migration-netwrok'].map(nearestSetting)).toEqual([
    'ntp-servers', 'ntp-servers', 'overcommit-config', 'storage-network', 'vm-migration-network',
  ]);
  expect(nearestSetting('something-else-entirely')).toBeUndefined();
  expect(settingNamed('toString')).toBeUndefined();
});
