import { Manifest } from '../../../src/core/manifest/manifest';
import { oneLine } from '../../../src/core/problem/problem';
import { GIT_REPO_RULES } from '../../../src/rancher/catalog/git-repo.rules';
import { cluster, judgeOn } from '../../support/judging';

const gitRepo = (name: string, namespace: string, target: object): Manifest => ({
  apiVersion: 'fleet.cattle.io/v1alpha1',
  kind: 'GitRepo',
  metadata: { name, namespace },
  spec: { repo: 'https://git.example.com/platform.git', targets: [target] },
});
const HARVESTER = cluster('hv1', {}, { labels: { 'provider.cattle.io': 'harvester' } });
const told = (...manifests: Manifest[]): string[] =>
  judgeOn(GIT_REPO_RULES, manifests).map((finding) => `${finding.level} ${oneLine(finding)}`);

test('warns of a target that is in another namespace', () => {
  expect(told(gitRepo('to-local', 'fleet-default', { clusterName: 'local' }))).toEqual([
    expect.stringMatching(
      /^warning spec\.targets\[0\]\.clusterName: selects no Cluster.*fleet-local/,
    ),
  ]);
  expect(told(gitRepo('to-shop', 'fleet-local', { clusterName: 'shop' }))).toEqual([
    expect.stringMatching(/^warning .*contains local alone/),
  ]);
});

test('accepts targets of the same namespace', () => {
  const shop = { ...cluster('shop'), metadata: { name: 'shop', namespace: 'fleet-local' } };
  expect(told(gitRepo('good', 'fleet-local', { clusterName: 'local' }))).toEqual([]);
  expect(told(gitRepo('good', 'fleet-default', { clusterName: 'shop' }))).toEqual([]);
  expect(told(shop, gitRepo('good', 'fleet-local', { clusterName: 'shop' }))).toEqual([]);
});

test('warns of a selector that also matches an imported Harvester', () => {
  const everywhere = gitRepo('everywhere', 'fleet-default', { clusterSelector: {} });
  expect(told(HARVESTER, everywhere)).toEqual([
    expect.stringMatching(/^warning .*also deploys to Harvester: the empty selector matches hv1/),
  ]);
  const key = 'provider.cattle.io';
  const others = gitRepo('others', 'fleet-default', {
    clusterSelector: { matchExpressions: [{ key, operator: 'NotIn', values: ['harvester'] }] },
  });
  expect(told(HARVESTER, others)).toEqual([]);
  expect(told(cluster('shop'), everywhere)).toEqual([]);
});

test.each(['rancher', 'harvester', 'guest'] as const)(
  'judges a set of GitRepos with an imported Harvester on a %s cluster as Fleet does there',
  (kind) => {
    const set = [
      gitRepo('to-local', 'fleet-default', { clusterName: 'local' }),
      gitRepo('everywhere', 'fleet-default', { clusterSelector: {} }),
      gitRepo('good', 'fleet-local', { clusterName: 'local' }),
      HARVESTER,
    ];
    const found = judgeOn(GIT_REPO_RULES, set, { kind });
    expect(found.map(({ object }) => object?.name).sort()).toEqual(
      kind === 'guest' ? [] : ['everywhere', 'to-local'],
    );
  },
);
