import { asRetained } from '../../../src/core/kind/retention';
import { SecretValue } from '../../../src/core/value/secret-value';
import { RegistryAuth } from '../../../src/guest/registries/registries';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { MANAGEMENT_CLUSTER_DESCRIPTION } from '../../../src/rancher/cluster/management-cluster.kind';
import { TokenSource } from '../../../src/rancher/import/registration-token';
import {
  ImportedCluster,
  ImportedClusterProps,
  FeatureMode,
} from '../../../src/rancher/imported-cluster/imported-cluster';
import { ClusterMember, ClusterMembers } from '../../../src/rancher/members/members';
import { Principal } from '../../../src/rancher/members/principal';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import { messageOf } from '../../support/message-of';
import { SERVER, configMap, newApp, newRancher } from '../../support/programs';
import { assemblyOf, written } from '../../support/written';

const TOKEN = 'abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqr';

function importOf(props: ImportedClusterProps = {}, version = '2.15.0') {
  const app = newApp();
  const rancher = newRancher(app, version);
  return { app, rancher, edge: new ImportedCluster(rancher, 'edge', props) };
}

test('is complete at synthesis with a token of its own', () => {
  const { app, edge } = importOf({
    clusterId: ClusterId.fixed('c-edge1'),
    registrationToken: TokenSource.value(SecretValue.unsafePlainText(TOKEN)),
    labels: { stage: 'production' },
  });
  expect(written(app)).toEqual({
    'rancher/Namespace/c-edge1': asRetained({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'c-edge1', labels: { stage: 'production' } },
    }),
    'rancher/Secret/crt-token-gitops': {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'crt-token-gitops',
        namespace: 'c-edge1',
        labels: { stage: 'production' },
      },
      type: 'Opaque',
      data: { token: Buffer.from(TOKEN).toString('base64') },
    },
    'rancher/Cluster/c-edge1': {
      apiVersion: 'management.cattle.io/v3',
      kind: 'Cluster',
      metadata: {
        name: 'c-edge1',
        labels: { stage: 'production' },
        annotations: { 'field.cattle.io/no-creator-rbac': 'true' },
      },
      spec: { displayName: 'edge', fleetWorkspaceName: 'fleet-default' },
    },
  });
  expect(edge.registrationToken.registrationUrl).toBe(`${SERVER}/v3/import/${TOKEN}_c-edge1.yaml`);
  expect(() => edge.chart).toThrow(
    '[rancher/edge] chart: requires the version of the cluster. Fix: set kubernetesVersion',
  );
  expect(app.findings.filter(({ level }) => level === 'error')).toEqual([]);
});

test('derives an ID that Rancher mirrors, from workspace, name and salt', () => {
  const id = (props: ImportedClusterProps, idSalt?: string) =>
    new ImportedCluster(newRancher(newApp({ idSalt })), 'edge', props).clusterId;
  const ids = [
    id({}),
    id({ name: 'other' }),
    id({ fleetWorkspace: 'fleet-other' }),
    id({}, '0123456789abcdef'),
  ];
  expect(new Set(ids).size).toBe(4);
  expect(ids.every((each) => /^c-[a-z0-9]{5}$/.test(each))).toBe(true);
});

test('has Rancher upgrade a cluster whose version it manages', () => {
  const spec = (kubernetesVersion: string) => {
    const upgradeStrategy = { workerConcurrency: 2, drainWorkers: true };
    const { app, edge } = importOf({
      kubernetesVersion,
      versionManagement: FeatureMode.ENABLED,
      upgradeStrategy,
    });
    return written(app)[`rancher/Cluster/${edge.clusterId}`];
  };
  expect(spec('v1.33.6+k3s1')).toMatchObject({
    metadata: { annotations: { 'rancher.io/imported-cluster-version-management': 'true' } },
    spec: {
      k3sConfig: {
        kubernetesVersion: 'v1.33.6+k3s1',
        k3supgradeStrategy: { serverConcurrency: 1, workerConcurrency: 2, drainWorkerNodes: true },
      },
    },
  });
  expect(spec('v1.33.6+rke2r1').spec.rke2Config).toEqual({
    kubernetesVersion: 'v1.33.6+rke2r1',
    rke2upgradeStrategy: { serverConcurrency: 1, workerConcurrency: 2, drainWorkerNodes: true },
  });
});

test('writes no version without the management of versions', () => {
  const { app, edge } = importOf({ kubernetesVersion: 'v1.33.6+k3s1' });
  expect(written(app)[`rancher/Cluster/${edge.clusterId}`].spec).toEqual({
    displayName: 'edge',
    fleetWorkspaceName: 'fleet-default',
  });
});

test('gives the agents the credentials of their registry', () => {
  const { app, edge } = importOf({
    privateRegistry: {
      host: 'registry.example.com',
      auth: RegistryAuth.basic('agent', SecretValue.unsafePlainText('hunter22')),
    },
  });
  const objects = written(app);
  const secret = objects['rancher/Secret/registryconfig-auth-edge-registry-example-com'];
  expect(secret).toMatchObject({
    metadata: { namespace: 'fleet-default' },
    type: 'kubernetes.io/basic-auth',
  });
  expect(objects[`rancher/Cluster/${edge.clusterId}`].spec.importedConfig).toEqual({
    privateRegistryURL: 'registry.example.com',
    privateRegistryPullSecrets: [secret.metadata.name],
  });
});

test('has projects and members, whose namespaces are in its chart, and has a kubeconfig through Rancher', () => {
  const { app, rancher, edge } = importOf({ kubernetesVersion: 'v1.33.5' });
  new TenantProject(rancher, 'shop', { cluster: edge, tenantNamespaces: [{ name: 'shop' }] });
  new ClusterMembers(rancher, 'members', {
    cluster: edge,
    members: [ClusterMember.owner(Principal.user('local://u-ana'))],
  });
  configMap(edge.chart, 'settings');
  const objects = written(app);
  expect(objects['edge/Namespace/shop'].metadata.annotations).toEqual({
    'field.cattle.io/projectId': `${edge.clusterId}:shop`,
  });
  expect(objects['rancher/Project/shop'].spec.clusterName).toBe(edge.clusterId);
  const { targets, edges, lateValues } = assemblyOf(app);
  expect(targets).toContainEqual(
    expect.objectContaining({
      name: 'edge',
      kind: 'guest',
      properties: { provisioningCluster: `fleet-default/${edge.clusterId}`, rancher: 'rancher' },
    }),
  );
  expect(edges).toContainEqual({
    from: 'rancher/edge/Chart',
    to: `rancher/management.cattle.io/Cluster//${edge.clusterId}`,
    type: 'ready',
  });
  expect(lateValues.map(({ description }: { description: string }) => description)).toEqual([
    `registration URL of ${edge.clusterId} by token default-token`,
  ]);
  expect(app.findings.map(({ rule, level }) => `${level} ${rule}`)).toEqual([]);
});

test('refers to a cluster of others, and to the one that Rancher runs on', () => {
  const app = newApp();
  const rancher = newRancher(app);
  const local = ImportedCluster.fromClusterId(rancher, 'local', { clusterId: 'local' });
  new ClusterMembers(rancher, 'members', {
    cluster: local,
    members: [ClusterMember.owner(Principal.user('local://u-ana'))],
  });
  const named = ImportedCluster.fromDisplayName(rancher, 'berlin', { displayName: 'Berlin' });
  expect(local.clusterId).toBe('local');
  expect(named.clusterId).toContain('${late:');
  expect(Object.keys(written(app))).toEqual([expect.stringMatching(/ClusterRoleTemplateBinding/)]);
});

test.each<[string, ImportedClusterProps, RegExp]>([
  [
    'an ID that Rancher does not mirror',
    { clusterId: ClusterId.fixed('c-m-edge') },
    /clusterId: must be c- and five of a-z and 0-9/,
  ],
  ['an ID that Rancher chooses', { clusterId: ClusterId.late() }, /clusterId: must be c- and five/],
  [
    'the label of a Harvester',
    { labels: { 'provider.cattle.io': 'harvester' } },
    /labels\[provider\.cattle\.io\]/,
  ],
  [
    'the management of a version that it does not know',
    { versionManagement: FeatureMode.ENABLED },
    /kubernetesVersion: must be a release of RKE2 or K3s/,
  ],
  [
    'the management of another distribution',
    { versionManagement: FeatureMode.ENABLED, kubernetesVersion: 'v1.33.5' },
    /kubernetesVersion: must be a release of RKE2 or K3s/,
  ],
  [
    'a strategy without an effect',
    { upgradeStrategy: {} },
    /upgradeStrategy: has no effect unless versionManagement is ENABLED/,
  ],
  [
    'no node at a time',
    {
      kubernetesVersion: 'v1.33.6+k3s1',
      versionManagement: FeatureMode.ENABLED,
      upgradeStrategy: { workerConcurrency: 0 },
    },
    /workerConcurrency: must be a whole number of 1/,
  ],
  [
    'a registry with a scheme',
    { privateRegistry: { host: 'https://registry.example.com' } },
    /privateRegistry.*must be a host, not a URL/,
  ],
  [
    'annotations of its own',
    { annotations: { 'rancher.io/operations-enabled': 'true' } },
    /use dayTwoOperations/,
  ],
])('refuses %s', (_, props, message) => {
  expect(messageOf(() => importOf(props))).toMatch(message);
});

test.each<[ImportedClusterProps, string, RegExp]>([
  [{ versionManagement: FeatureMode.DISABLED }, '2.10.3', /versionManagement: .*2\.11\.0/],
  [{ dayTwoOperations: FeatureMode.ENABLED }, '2.14.4', /dayTwoOperations: .*2\.15\.0/],
  [
    {
      privateRegistry: { host: 'registry.example.com', auth: RegistryAuth.fromSecretName('login') },
    },
    '2.14.4',
    /privateRegistry\.auth: .*2\.15\.0/,
  ],
])('refuses what %j needs on Rancher %s', (props, version, message) => {
  expect(messageOf(() => importOf(props, version))).toMatch(message);
});

test('warns of an ID that others can derive where an engine delivers it', () => {
  const { predictable } = MANAGEMENT_CLUSTER_DESCRIPTION.power!;
  const manifestOf = (idSalt?: string) =>
    new ImportedCluster(newRancher(newApp({ idSalt })), 'edge').apiObject.toJson();
  expect(predictable!(manifestOf())).toMatchObject({ path: 'metadata.name' });
  expect(predictable!(manifestOf('0123456789abcdef'))).toBeUndefined();
});
