import { Live, secret } from './_live';
import { Diagnosis, READS } from '../../../src/report/doctor/live-world';
import { UNREADABLE } from '../../support/any-json';

const WEIRD: readonly unknown[] = [
  null,
  0,
  'x',
  [],
  [null],
  {},
  { conditions: [null, 1, { type: 5 }] },
  { a: { b: null } },
  '%zz',
  '{"url":"https://rancher.example.com/v3/import/%zz_c.yaml"}',
];

const FIELDS = ['status', 'spec', 'value', 'data', 'ttl'] as const;

/** All was read, and people can read what was found. */
function expectAllChecks(diagnoses: readonly Diagnosis[]): void {
  expect(
    diagnoses.filter(
      ({ check, message, fix }) =>
        check.startsWith('target/') || UNREADABLE.test(message) || UNREADABLE.test(fix),
    ),
  ).toEqual([]);
}

test.each(FIELDS)('objects whose %s is anything at all stop no check', async (field) => {
  for (const weird of WEIRD) {
    const live = new Live();
    for (const { apiVersion, kind, namespace = 'default', labelSelector } of READS) {
      const label = labelSelector?.split('=');
      for (const [cluster, version] of [
        [live.rancher, 'rancher'],
        [live.dc1, 'harvester'],
      ] as const) {
        cluster.seed({
          apiVersion: typeof apiVersion === 'string' ? apiVersion : apiVersion(version),
          kind,
          metadata: {
            name: kind === 'Setting' ? 'cluster-registration-url' : 'weird',
            namespace,
            ...(label ? { labels: { [label[0]]: label[1] } } : {}),
          },
          [field]: weird,
        });
      }
    }
    expectAllChecks(await live.diagnose());
  }
});

test('finishes all checks despite annotations that are not valid JSON and broken kubeconfigs', async () => {
  const live = new Live();
  live.dc1.seed({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'x', annotations: { 'cattle.io/status': '{' }, deletionTimestamp: 'never' },
  });
  for (const [index, content] of [
    'users: 5',
    'users: [null, 1, {user: {token: 7}}]',
    '{',
    'a.b.c',
    'users: [{user: {token: "a.b.c"}}]',
  ].entries()) {
    live.rancher.seed(
      secret('cattle-global-data', `cc-${index}`, {
        'harvestercredentialConfig-kubeconfigContent': content,
      }),
    );
  }
  expectAllChecks(await live.diagnose());
});
