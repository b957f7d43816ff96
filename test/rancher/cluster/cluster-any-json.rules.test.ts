import { Manifest, isManifest } from '../../../src/core/manifest/manifest';
import { MANAGEMENT_CLUSTER_RULES } from '../../../src/rancher/cluster/management-cluster.rules';
import { PROVISIONING_CLUSTER_RULES } from '../../../src/rancher/cluster/provisioning-cluster.rules';
import { REGISTRATION_TOKEN_RULES } from '../../../src/rancher/import/registration-token.rules';
import { RANCHER_SETTING_RULES } from '../../../src/rancher/settings/rancher-setting.rules';
import { JUNK, replaced } from '../../support/any-json';
import { cluster, judgeOn, managementCluster, setting } from '../../support/judging';

const RULES = [...PROVISIONING_CLUSTER_RULES, ...MANAGEMENT_CLUSTER_RULES, ...REGISTRATION_TOKEN_RULES, ...RANCHER_SETTING_RULES];

const annotations = {
  'provisioning.cattle.io/management-cluster-name': 'c-m-a',
  'field.cattle.io/creatorId': 'u',
  'field.cattle.io/creator-principal-name': 'local://u',
  'rancher.io/imported-cluster-version-management': 'x',
  'objectset.rio.cattle.io/owner-name': 'dc0',
  'cattle.io/force': 'false',
};
const affinity = {
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }] } },
  podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] } }] },
};
const spec = {
  kubernetesVersion: 'v1.33.6+rke2r1',
  displayName: 'dc1',
  fleetWorkspaceName: 'fleet-default',
  defaultPodSecurityAdmissionConfigurationTemplateName: 'x',
  localClusterAuthEndpoint: { enabled: true, caCerts: 'x', fqdn: 'y' },
  agentEnvVars: [{ name: 'NO_PROXY', value: 'a, b' }, { name: 'CATTLE_AGENT_VAR_DIR', value: '/a' }],
  clusterAgentDeploymentCustomization: {
    appendTolerations: [{ key: 'a' }],
    overrideAffinity: affinity,
    overrideResourceRequirements: { requests: { cpu: '2' }, limits: { cpu: '1' } },
    schedulingCustomization: { podDisruptionBudget: { minAvailable: '1', maxUnavailable: '0' }, priorityClass: { value: 1, preemptionPolicy: 'Never' } },
  },
  webhookDeploymentCustomization: { replicaCount: 1, podDisruptionBudget: { minAvailable: '1' }, appendTolerations: [{ key: 'a' }] },
  rkeConfig: {
    machinePools: [{ name: 'a', quantity: 1, hostnameLengthLimit: 15 }],
    machinePoolDefaults: { hostnameLengthLimit: 15 },
    dataDirectories: { systemAgent: '/a', k8sDistro: '/b' },
    etcd: { s3: { cloudCredentialName: 'a' } },
    etcdSnapshotRestore: { name: 'a', restoreRKEConfig: 'x' },
  },
};
const metadata = { annotations, labels: { a: 'b' }, namespace: 'c-m-a', ownerReferences: [{ kind: 'X' }], uid: 'a' };
const status = { clusterName: 'c-m-b', driver: 'k3s', conditions: [{ type: 'AgentTlsStrictCheck', status: 'True' }] };
const MANIFESTS: readonly Manifest[] = [
  { ...cluster('dc1', spec, metadata), status },
  { ...managementCluster('c-m-a'), metadata: { name: 'c-m-a', annotations }, spec, status },
  { apiVersion: 'management.cattle.io/v3', kind: 'User', metadata: { name: 'u' }, principalIds: ['local://x'] },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'crt-token-a', ...metadata }, stringData: { token: 'x' }, data: { token: 'eA==' }, immutable: true },
  {
    apiVersion: 'management.cattle.io/v3',
    kind: 'ClusterRegistrationToken',
    metadata: { name: 'a', ...metadata },
    spec: { clusterName: 'c-m-a', ttl: 1, gracePeriod: 1 },
    status: { token: 'x_y', tokenSecretName: 'b' },
  },
  ...['server-url', 'cacerts', 'agent-tls-mode', 'auth-user-session-ttl-minutes', 'auth-token-max-ttl-minutes'].map((name) => setting(name, 'strict', { default: 'system-store', source: 'env' })),
];

test.each(JUNK)('throws in no rule where %j replaces any value', (junk) => {
  let count = 0;
  for (const [index, manifest] of MANIFESTS.entries()) {
    for (const odd of replaced(manifest, junk)) {
      // a name and a namespace of text is what reading a file sees to
      if (!isManifest(odd) || typeof (odd.metadata.namespace ?? '') !== 'string') { continue; }
      const odds = MANIFESTS.map((other, at) => (at === index ? odd : other));
      judgeOn(RULES, odds);
      judgeOn(RULES, odds, { version: '2.15.0', before: MANIFESTS });
      judgeOn(RULES, MANIFESTS, { version: '2.15.0', before: odds });
      count++;
    }
  }
  expect(count).toBeGreaterThan(100);
});
