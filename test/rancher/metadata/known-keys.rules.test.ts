import { Manifest } from '../../../src/core/manifest/manifest';
import { oneLine } from '../../../src/core/problem/problem';
import { KNOWN_KEYS } from '../../../src/rancher/metadata/known-keys.data';
import { KNOWN_KEY_RULES, meantKey } from '../../../src/rancher/metadata/known-keys.rules';
import { judgeOn } from '../../support/judging';

test.each([
  ['harvesterhci.io/volumeClaimTemplate', 'harvesterhci.io/volumeClaimTemplates'],
  ['harvesterhci.io/maintainModeStrategy', 'harvesterhci.io/maintain-mode-strategy'],
  ['harvesterhci.io/storageclassName', 'harvesterhci.io/storageClassName'],
  ['provisioning.cattle.io/management-cluster', 'provisioning.cattle.io/management-cluster-name'],
  ['field.cattle.io/projectID', 'field.cattle.io/projectId'],
  ['loadbalancer.harvesterhci.io/ipam', 'cloudprovider.harvesterhci.io/ipam'],
  ['harvester.cattle.io/creator', 'harvesterhci.io/creator'],
])('finds the key that %s means', (key, meant) => {
  expect(meantKey(key)).toBe(meant);
});

test('accepts each known key, and keys of others', () => {
  const known = Object.entries(KNOWN_KEYS).flatMap(([prefix, names]) =>
    names.map((name) => `${prefix}/${name}`),
  );
  expect(known.length).toBeGreaterThan(200);
  expect(known.filter((key) => meantKey(key) !== undefined)).toEqual([]);
  for (const key of ['app', 'example.com/projectID', 'addon.harvesterhci.io/experimental']) {
    expect(meantKey(key)).toBeUndefined();
  }
});

test('warns of a key in labels and annotations', () => {
  const namespace = (metadata: object): Manifest => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'team-a', ...metadata },
  });
  const told = (metadata: object): string[] =>
    judgeOn(KNOWN_KEY_RULES, [namespace(metadata)]).map(
      (finding) => `${finding.level} ${oneLine(finding)}`,
    );
  expect(told({ annotations: { 'field.cattle.io/projectID': 'c:p' } })).toEqual([
    expect.stringMatching(
      /^warning metadata\.annotations.*did you mean field\.cattle\.io\/projectId/,
    ),
  ]);
  expect(told({ labels: { 'harvesterhci.io/creater': 'a' } })).toEqual([
    expect.stringMatching(/^warning metadata\.labels.*did you mean harvesterhci\.io\/creator/),
  ]);
  expect(told({ annotations: { 'field.cattle.io/projectId': 'c:p' } })).toEqual([]);
});
