import { Manifest } from '../../../src/core/manifest/manifest';
import { MANAGEMENT_CLUSTER_RULES } from '../../../src/rancher/cluster/management-cluster.rules';
import { PROVISIONING_CLUSTER_RULES } from '../../../src/rancher/cluster/provisioning-cluster.rules';
import { IMMUTABLE_RULES } from '../../../src/registry/all-rules';
import { Judging, brief, judgeOn, managementCluster } from '../../support/judging';

const CREATOR = 'field.cattle.io/creatorId';
const PRINCIPAL = 'field.cattle.io/creator-principal-name';
const NO_RBAC = 'field.cattle.io/no-creator-rbac';
const MANAGED = 'rancher.io/imported-cluster-version-management';

const RULES = [...MANAGEMENT_CLUSTER_RULES, ...IMMUTABLE_RULES];
const rules = (manifests: Manifest[], judging?: Judging) =>
  brief(judgeOn(RULES, manifests, judging));
const update = (before: Manifest, after: Manifest) =>
  rules([after], { before: [before], live: [before] });
const at = (annotation: string) => `metadata.annotations[${annotation}]`;

test('a patch of single fields has no finding', () => {
  expect(
    rules(
      [managementCluster('c-m-harvdc01', { spec: { agentEnvVars: [{ name: 'A', value: '1' }] } })],
      { version: '2.13.8' },
    ),
  ).toEqual([]);
});

test('the workspace may change, not become empty', () => {
  const workspace = (fleetWorkspaceName: string) =>
    managementCluster('c-m-a', { spec: { fleetWorkspaceName } });
  expect(update(workspace('fleet-default'), workspace('other'))).toEqual([]);
  expect(update(workspace('fleet-default'), workspace(''))).toEqual([
    'error management-cluster/workspace-emptied spec.fleetWorkspaceName',
  ]);
  expect(update(workspace(''), workspace(''))).toEqual([]);
});

test('a new Cluster has an ID that Rancher mirrors, and a known Fleet workspace', () => {
  const cluster = (name: string, spec: object) =>
    managementCluster(name, { spec: { displayName: 'edge', ...spec } });
  const judged = [...MANAGEMENT_CLUSTER_RULES, ...PROVISIONING_CLUSTER_RULES];
  const all = (manifest: Manifest, others: Manifest[] = []) =>
    brief(judgeOn(judged, [manifest, ...others]));
  const workspace = {
    apiVersion: 'management.cattle.io/v3',
    kind: 'FleetWorkspace',
    metadata: { name: 'edge' },
  };
  expect(all(cluster('c-edge1', { fleetWorkspaceName: 'fleet-default' }))).toEqual([]);
  expect(all(cluster('c-m-edge', {}))).toEqual([
    'warning management-cluster/id-form metadata.name',
  ]);
  expect(all(cluster('c-m-edge', { rancherKubernetesEngineConfig: {} }))).toEqual([]);
  expect(all(cluster('c-edge1', { fleetWorkspaceName: 'edge' }))).toEqual([
    'warning management-cluster/workspace spec.fleetWorkspaceName',
  ]);
  expect(all(cluster('c-edge1', { fleetWorkspaceName: 'edge' }), [workspace])).toEqual([]);
});

test('local is never deleted', () => {
  expect(rules([], { before: [managementCluster('local'), managementCluster('c-m-a')] })).toEqual([
    'error management-cluster/local-deleted',
  ]);
});

test('creator annotations at creation', () => {
  const user = {
    apiVersion: 'management.cattle.io/v3',
    kind: 'User',
    metadata: { name: 'u-ana' },
    principalIds: ['local://u-ana'],
  };
  expect(rules([managementCluster('a', {}, { [CREATOR]: 'u-ana', [NO_RBAC]: 'true' })])).toEqual([
    `error management-cluster/creator ${at(CREATOR)}`,
  ]);
  expect(rules([managementCluster('a', {}, { [PRINCIPAL]: 'local://u-ana' })])).toEqual([
    `error management-cluster/creator ${at(PRINCIPAL)}`,
  ]);
  expect(
    rules([managementCluster('a', {}, { [CREATOR]: 'u-ana', [PRINCIPAL]: 'local://u-ana' }), user]),
  ).toEqual([]);
  expect(
    rules([managementCluster('a', {}, { [CREATOR]: 'u-ana', [PRINCIPAL]: 'local://u-bob' }), user]),
  ).toEqual([`error management-cluster/creator ${at(PRINCIPAL)}`]);
});

test('what annotations say is not shown', () => {
  const user = {
    apiVersion: 'management.cattle.io/v3',
    kind: 'User',
    metadata: { name: 'u-secret' },
    principalIds: ['local://u-ana', { toString: 1 }],
  };
  const annotations = {
    [CREATOR]: 'u-secret',
    [PRINCIPAL]: 'local://u-secret',
    [MANAGED]: 'u-secret',
  };
  const all = [
    ...judgeOn(RULES, [managementCluster('a', {}, annotations), user]),
    ...judgeOn(RULES, [managementCluster('a', {}, annotations)], {
      before: [managementCluster('a')],
    }),
  ];
  expect(all).toHaveLength(5);
  expect(JSON.stringify(all)).not.toContain('u-secret');
});

test.each([CREATOR, PRINCIPAL, NO_RBAC])('%s may be kept or removed', (annotation) => {
  const [none, a, b] = [
    managementCluster('a'),
    managementCluster('a', {}, { [annotation]: 'a' }),
    managementCluster('a', {}, { [annotation]: 'b' }),
  ];
  expect(update(a, a)).toEqual([]);
  expect(update(a, none)).toEqual([]);
  expect(update(a, b)).toEqual([`error management-cluster/creator-changed ${at(annotation)}`]);
  expect(update(none, b)).toEqual([`error management-cluster/creator-changed ${at(annotation)}`]);
});

test('version management is asked of imported RKE2 and K3s clusters only', () => {
  const managed = (value: string, driver?: string) =>
    managementCluster('a', driver ? { status: { driver } } : {}, { [MANAGED]: value });
  expect(rules([managed('system-default')])).toEqual([]);
  expect(rules([managed('')])).toEqual([]);
  expect(rules([managed('yes')])).toEqual([
    `warning management-cluster/version-management ${at(MANAGED)}`,
  ]);
  expect(rules([managed('yes', 'k3s')])).toEqual([
    `error management-cluster/version-management ${at(MANAGED)}`,
  ]);
});

test('its definition has no structure, so the webhook alone judges budgets', () => {
  const feature = {
    apiVersion: 'management.cattle.io/v3',
    kind: 'Feature',
    metadata: { name: 'cluster-agent-scheduling-customization' },
    spec: { value: true },
  };
  const budget = (minAvailable: string) =>
    managementCluster('a', {
      spec: {
        fleetAgentDeploymentCustomization: {
          schedulingCustomization: { podDisruptionBudget: { minAvailable } },
        },
      },
    });
  const judging = { version: '2.13.8', live: [feature] };
  expect(rules([budget('0%')], judging)).toEqual([]);
  expect(rules([budget('+5')], judging)).toEqual([]);
  expect(rules([budget('101%')], judging)).toEqual([
    'error management-cluster/agent-scheduling spec.fleetAgentDeploymentCustomization.schedulingCustomization.podDisruptionBudget.minAvailable',
  ]);
});
