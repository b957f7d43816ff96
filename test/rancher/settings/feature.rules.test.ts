import { Manifest } from '../../../src/core/manifest/manifest';
import { FEATURE_RULES } from '../../../src/rancher/settings/feature.rules';
import { judgeOn } from '../../support/judging';

const feature = (name: string): Manifest => ({
  apiVersion: 'management.cattle.io/v3',
  kind: 'Feature',
  metadata: { name },
  spec: { value: true },
});
const messages = (name: string, version?: string) =>
  judgeOn(FEATURE_RULES, [feature(name)], { version }).map(
    ({ level, message, fix }) => `${level} ${message}. Fix: ${fix}`,
  );

test('accepts the features of the version', () => {
  for (const name of ['harvester', 'imported-day-2-ops', 'crt-token-ttl-rotation', 'auth']) {
    expect([name, messages(name, '2.15.0')]).toEqual([name, []]);
  }
  expect(messages('imported-day-2-ops')).toEqual([]);
});

test('warns of features that the version lacks, and of unknown ones', () => {
  expect(messages('imported-day-2-ops', '2.14.4')).toEqual([
    'warning cannot have an effect on Rancher 2.14.4. Fix: remove it, or upgrade Rancher to 2.15.0 and later',
  ]);
  expect(messages('rke1-ui', '2.15.0')).toEqual([
    'warning cannot have an effect on Rancher 2.15.0. Fix: remove it: Rancher 2.15.0 and later lack it',
  ]);
  expect(messages('embedded-cluster-api', '2.14.0')).toHaveLength(1);
  expect(messages('ui-sql-cache', '2.16.0')).toHaveLength(1);
  expect(messages('harvestr', '2.15.0')).toEqual([
    'warning must be a feature of Rancher, which accepts any name and ignores those that it does not know. Fix: compare it with kubectl get features.management.cattle.io',
  ]);
});

test('refuses a change of a locked feature, except to the value that it is locked to', () => {
  const before = (value: boolean | null, lockedValue?: boolean): Manifest => ({
    ...feature('harvester'),
    spec: { value },
    status: { lockedValue },
  });
  const told = (was: Manifest) =>
    judgeOn(FEATURE_RULES, [feature('harvester')], { before: [was] }).map(
      ({ rule, message }) => `${rule} ${message}`,
    );
  expect(told(before(null, false))).toEqual([
    'rancher-feature/locked cannot be changed: the feature is locked to false (the server: "feature flag cannot be changed from current value: false")',
  ]);
  expect(told(before(false, false))).toHaveLength(1);
  expect([told(before(null, true)), told(before(true, false)), told(before(false))]).toEqual([
    [],
    [],
    [],
  ]);
});
