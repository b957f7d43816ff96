import { Manifest } from '../../../src/core/manifest/manifest';
import { PROVISIONING_CLUSTER_RULES } from '../../../src/rancher/cluster/provisioning-cluster.rules';
import { Judging, brief, cluster, judgeOn, managementCluster } from '../../support/judging';

const ID = 'provisioning.cattle.io/management-cluster-name';
const ID_PATH = `metadata.annotations[${ID}]`;
const OWNER = 'objectset.rio.cattle.io/owner-name';

const findings = (manifests: Manifest[], judging?: Judging) =>
  judgeOn(PROVISIONING_CLUSTER_RULES, manifests, judging);
const rules = (manifests: Manifest[], judging?: Judging) => brief(findings(manifests, judging));
const withId = (name: string, id: string, metadata: object = {}) =>
  cluster(name, {}, { annotations: { [ID]: id }, ...metadata });
const update = (before: Manifest, after: Manifest, judging: Judging = {}) =>
  rules([after], { before: [before], live: [before], ...judging });

describe('management cluster id', () => {
  test.each([
    ['C_Bad', 'must consist of a-z, 0-9 and hyphens'],
    ['x'.repeat(64), 'at most 63 characters (it has 64)'],
    ['c-abcde', 'second provisioning Cluster'],
    ['local', 'second provisioning Cluster'],
    ['cattle-system', 'deletes it with the cluster'],
  ])('%s is an error', (id, words) => {
    const [finding] = findings([withId('dc1', id)]);
    expect(finding).toMatchObject({ rule: 'cluster/id-form', level: 'error', path: ID_PATH });
    expect(finding?.message).toContain(words);
  });

  test("the legacy form is fine as the cluster's own name", () => {
    expect(
      rules([withId('c-abcde', 'c-abcde')], {
        live: [managementCluster('c-abcde', { spec: { displayName: 'c-abcde' } })],
      }),
    ).toEqual([]);
  });

  test('refuses both of two clusters with one ID', () => {
    expect(rules([withId('dc1', 'c-m-harvdc01'), withId('dc2', 'c-m-harvdc01')])).toEqual([
      `error cluster/id-taken ${ID_PATH}`,
      `error cluster/id-taken ${ID_PATH}`,
    ]);
  });

  test('the id of a live cluster is taken too, by status rather than annotation', () => {
    const live = { ...withId('dc0', 'ignored'), status: { clusterName: 'c-m-harvdc01' } };
    expect(rules([withId('dc1', 'c-m-harvdc01')], { live: [live] })).toEqual([
      `error cluster/id-taken ${ID_PATH}`,
    ]);
    expect(rules([withId('dc1', 'ignored')], { live: [live] })).toEqual([]);
  });

  test('a management cluster of another owner is taken, an own one is not', () => {
    const owned = (name: string) =>
      managementCluster(
        'c-m-harvdc01',
        {},
        {
          'objectset.rio.cattle.io/owner-name': name,
          'objectset.rio.cattle.io/owner-namespace': 'fleet-default',
        },
      );
    expect(rules([withId('dc1', 'c-m-harvdc01')], { live: [owned('dc0')] })).toEqual([
      `error cluster/id-taken ${ID_PATH}`,
    ]);
    expect(rules([withId('dc1', 'c-m-harvdc01')], { live: [owned('dc1')] })).toEqual([]);
  });

  test('Rancher before 2.8 ignores it', () => {
    const [finding] = findings([withId('dc1', 'c-m-harvdc01')], { version: '2.7.18' });
    expect(finding).toMatchObject({ rule: 'cluster/id-ignored', level: 'error' });
    expect(finding?.message).toContain('needs Rancher 2.8.0 or later, got 2.7.18');
  });

  test('a change is an error, a removal is not', () => {
    expect(update(withId('dc1', 'c-m-harvdc01'), withId('dc1', 'c-m-harvdc02'))).toEqual([
      `error cluster/id-changed ${ID_PATH}`,
    ]);
    expect(update(withId('dc1', 'c-m-harvdc01'), cluster('dc1'))).toEqual([]);
    expect(update(cluster('dc1'), withId('dc1', 'c-m-harvdc02'))).toEqual([
      `warning cluster/id-changed ${ID_PATH}`,
    ]);
    expect(
      update(
        { ...cluster('dc1'), status: { clusterName: 'c-m-harvdc02' } },
        withId('dc1', 'c-m-harvdc02'),
      ),
    ).toEqual([]);
  });
});

describe('a Cluster that is renamed and keeps its id', () => {
  const renamed = (before: Manifest) =>
    findings([withId('dc-one', 'c-m-harvdc01')], { before: [before] });

  test('is refused, with the prop that keeps the name', () => {
    expect(renamed(withId('dc1', 'c-m-harvdc01'))).toEqual([
      expect.objectContaining({
        rule: 'cluster/id-of-renamed',
        level: 'error',
        path: ID_PATH,
        message: expect.stringContaining(
          'is the management cluster ID of Cluster fleet-default/dc1, which is removed',
        ),
        fix: expect.stringContaining('set its prop name to "dc1"'),
      }),
    ]);
  });

  test('is refused where the id was one that Rancher made up', () => {
    expect(brief(renamed({ ...cluster('dc1'), status: { clusterName: 'c-m-harvdc01' } }))).toEqual([
      `error cluster/id-of-renamed ${ID_PATH}`,
    ]);
  });

  test('is refused in another namespace too', () => {
    const [finding] = findings([withId('dc1', 'c-m-harvdc01')], {
      before: [withId('dc1', 'c-m-harvdc01', { namespace: 'elsewhere' })],
    });
    expect(finding).toMatchObject({
      rule: 'cluster/id-of-renamed',
      fix: expect.stringContaining('prop fleetWorkspace to "elsewhere"'),
    });
  });

  test('is fine with another id, and on another Rancher', () => {
    expect(renamed(withId('dc1', 'c-m-harvdc02'))).toEqual([]);
  });
});

describe("a management cluster that is a Cluster's own", () => {
  const dc1: Manifest = { ...cluster('dc1'), status: { clusterName: 'c-m-abcd1234' } };
  const legacy: Manifest = {
    ...cluster('c-l7k2p', {}, { uid: 'a', resourceVersion: '5' }),
    status: { clusterName: 'c-l7k2p' },
  };
  const displayed = (id: string, displayName: string) =>
    managementCluster(id, { spec: { displayName, fleetWorkspaceName: 'fleet-default' } });

  test('a Harvester that was imported in the UI, dumped', () => {
    const own = displayed('c-l7k2p', 'harvester-dc1');
    expect(rules([legacy])).toEqual([]);
    expect(rules([legacy, own])).toEqual([]);
    expect(rules([legacy], { live: [own] })).toEqual([]);
    expect(rules([withId('c-l7k2p', 'c-l7k2p')], { live: [own] })).toEqual([]);
  });

  test('is so whatever it is displayed as', () => {
    expect(rules([dc1, displayed('c-m-abcd1234', 'DC one')])).toEqual([]);
    expect(
      update(dc1, withId('dc1', 'c-m-abcd1234'), {
        live: [dc1, displayed('c-m-abcd1234', 'DC one')],
      }),
    ).toEqual([]);
  });

  test('by another display name it may not be, by another owner it is not', () => {
    expect(
      rules([withId('dc1', 'c-m-abcd1234')], { live: [displayed('c-m-abcd1234', 'DC one')] }),
    ).toEqual([`warning cluster/id-taken ${ID_PATH}`]);
    expect(
      rules([withId('dc1', 'c-m-abcd1234')], {
        live: [
          managementCluster('c-m-abcd1234', { spec: { displayName: 'dc1' } }, { [OWNER]: 'dc0' }),
        ],
      }),
    ).toEqual([`error cluster/id-taken ${ID_PATH}`]);
  });
});

test('two Clusters whose names the server makes up are two', () => {
  const generated = () => withId('', 'c-m-abcd1234', { generateName: 'cl-' });
  expect(rules([generated(), generated()])).toEqual([
    `error cluster/id-taken ${ID_PATH}`,
    `error cluster/id-taken ${ID_PATH}`,
  ]);
  expect(rules([generated()])).toEqual([]);
});

test('only warns of an annotation that was ignored before', () => {
  const live: Manifest = { ...withId('dc1', 'c-m-other'), status: { clusterName: 'c-m-abcd1234' } };
  expect(update(live, live)).toEqual([`warning cluster/id-changed ${ID_PATH}`]);
});

test('the text of the annotation is not shown', () => {
  const all = [
    ...findings([withId('dc1', 'hunter2 x'), withId('dc2', 'hunter2 x')], { version: '2.7.18' }),
    ...findings([withId('dc1', 'hunter2 x')], { before: [cluster('dc1')] }),
  ];
  expect(new Set(all.map(({ rule }) => rule))).toEqual(
    new Set(['cluster/id-form', 'cluster/id-ignored', 'cluster/id-taken', 'cluster/id-changed']),
  );
  expect(JSON.stringify(all)).not.toContain('hunter2');
});
