import { Manifest } from '../../../src/core/manifest/manifest';
import { oneLine } from '../../../src/core/problem/problem';
import { judge } from '../../../src/core/rule/judge';
import { World } from '../../../src/core/rule/rule';
import { POD_SECURITY_LABEL_RULES } from '../../../src/harvester/settings/pod-security-label.rules';

const ENFORCE = 'pod-security.kubernetes.io/enforce';
const AUDIT = 'pod-security.kubernetes.io/audit';

const standard = (fields: object = {}): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'Setting',
  metadata: { name: 'cluster-pod-security-standard' },
  value: JSON.stringify({
    enabled: true,
    whitelistedNamespacesList: 'team-b',
    privilegedNamespacesList: '',
    restrictedNamespacesList: '',
    ...fields,
  }),
});
const namespace = (name: string, labels: { [key: string]: string }): Manifest => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

function told(
  manifests: readonly Manifest[],
  harvesterVersion: string,
  before: readonly Manifest[] = [],
): string[] {
  const target = { name: 'dc1', kind: 'harvester', harvesterVersion } as const;
  const on = (list: readonly Manifest[]) => list.map((manifest) => ({ manifest, target }));
  return judge(POD_SECURITY_LABEL_RULES, new World(on(manifests), [], on(before))).map(
    (finding) => `${finding.level} ${finding.object?.name} ${oneLine(finding)}`,
  );
}

const A = namespace('team-a', { [ENFORCE]: 'privileged' });
const B = namespace('team-b', { [ENFORCE]: 'privileged' });

test('refuses the label that Harvester overwrites', () => {
  const [finding, ...others] = told([standard(), A, B], '1.8.2');
  expect(finding).toMatch(/^error team-a .*must be baseline.*got "privileged"/);
  expect(finding).toContain('cluster-pod-security-standard is enabled, PSS level can only be');
  expect(others).toEqual([]);
});

test('accepts the label that Harvester writes, and all while the setting is off', () => {
  expect(told([standard({ privilegedNamespacesList: 'team-a' }), A], '1.8.2')).toEqual([]);
  expect(told([standard({ enabled: false }), A], '1.8.2')).toEqual([]);
  expect(told([standard(), A], '1.7.2')).toEqual([]);
  expect(told([A], '1.8.2')).toEqual([]);
  expect(
    told([standard(), namespace('fleet-local', { [ENFORCE]: 'privileged' })], '1.8.2'),
  ).toEqual([]);
});

test('accepts other labels of a new namespace, and refuses to change them', () => {
  const [was, now] = ['baseline', 'restricted'].map((level) =>
    namespace('team-a', { [AUDIT]: level }),
  );
  expect(told([standard(), now!], '1.8.2')).toEqual([]);
  expect(told([standard(), now!], '1.8.2', [was!])).toEqual([
    expect.stringMatching(/^error team-a .*audit.*can only be changed by cluster admin/),
  ]);
});
