import { NameVersions } from '../../../src/core/version/versioned-names';
import {
  RANCHER_FEATURES,
  RANCHER_SETTINGS,
} from '../../../src/rancher/settings/rancher-names.data';
import { RancherVersion } from '../../../src/rancher/version/rancher-version';

function count(names: ReadonlyMap<string, NameVersions>, version: string): number {
  const rancher = RancherVersion.parse(version);
  return [...names.values()].filter(
    ({ since, until }) => since.includes(rancher) && !until?.includes(rancher),
  ).length;
}

// the numbers of NewSetting in setting.go at each tag
test.each([
  ['2.8.0', 116],
  ['2.9.0', 149],
  ['2.10.0', 152],
  ['2.11.0', 155],
  ['2.12.0', 155],
  ['2.13.8', 170],
  ['2.14.4', 173],
  ['2.15.0', 178],
  ['2.16.0', 180],
])('has as many settings as Rancher %s: %i', (version, settings) =>
  expect(count(RANCHER_SETTINGS, version)).toBe(settings),
);

// the numbers of features in feature.go at each tag
test.each([
  ['2.8.0', 17],
  ['2.13.8', 30],
  ['2.14.4', 32],
  ['2.15.0', 35],
  ['2.16.0', 33],
])('has as many features as Rancher %s: %i', (version, features) =>
  expect(count(RANCHER_FEATURES, version)).toBe(features),
);
