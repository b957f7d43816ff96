import { AFFINITY, ENV_VARS, LABEL_SELECTOR, OBJECT_REFERENCE, RESOURCES, TAINTS, TOLERATIONS } from './kubernetes';
import { each, fields, FREE_OBJECT, KindShape, list, map, root, since, STRING_MAP } from './shape';
import { API_VERSIONS } from '../names';

const DISRUPTION_BUDGET = fields(each('string', 'maxUnavailable', 'minAvailable'));

const DEPLOYMENT = { appendTolerations: TOLERATIONS, overrideAffinity: AFFINITY, overrideResourceRequirements: RESOURCES };

const AGENT_CUSTOMIZATION = fields({
  ...DEPLOYMENT,
  schedulingCustomization: fields({
    podDisruptionBudget: DISRUPTION_BUDGET,
    priorityClass: fields({ preemptionPolicy: 'string', value: 'integer' }),
  }),
});

const WEBHOOK_CUSTOMIZATION = fields({ ...DEPLOYMENT, podDisruptionBudget: DISRUPTION_BUDGET, replicaCount: 'integer' });

const DRAIN_HOOKS = list(fields({ annotation: 'string' }));

const DRAIN_OPTIONS = fields({
  ...each('boolean', 'deleteEmptyDirData', 'disableEviction', 'enabled', 'force', 'ignoreDaemonSets', 'ignoreErrors'),
  ...each('integer', 'gracePeriod', 'skipWaitForDeleteTimeoutSeconds', 'timeout'),
  ...each(DRAIN_HOOKS, 'postDrainHooks', 'preDrainHooks'),
});

const ETCD = fields({
  disableSnapshots: 'boolean',
  snapshotRetention: 'integer',
  snapshotScheduleCron: 'string',
  s3: fields({
    ...each('string', 'bucket', 'cloudCredentialName', 'endpoint', 'endpointCA', 'folder', 'region'),
    retention: since('2.14.0', 'integer'),
    skipSSLVerify: 'boolean',
  }),
});

const MACHINE_POOL = fields({
  ...each(since('2.13.0', 'integer'), 'autoscalingMaxSize', 'autoscalingMinSize'),
  ...each('boolean', 'controlPlaneRole', 'drainBeforeDelete', 'etcdRole', 'paused', 'workerRole'),
  ...each('integer', 'hostnameLengthLimit', 'quantity'),
  ...each(
    'string', 'cloudCredentialSecretName', 'displayName', 'drainBeforeDeleteTimeout', 'dynamicSchemaSpec', 'machineOS', 'maxUnhealthy', 'name',
    'nodeStartupTimeout', 'unhealthyNodeTimeout', 'unhealthyRange',
  ),
  ...each(STRING_MAP, 'labels', 'machineDeploymentAnnotations', 'machineDeploymentLabels'),
  machineConfigRef: OBJECT_REFERENCE,
  rollingUpdate: fields(each('int-or-string', 'maxSurge', 'maxUnavailable')),
  taints: TAINTS,
  userdata: since('2.14.0', fields({ inlineUserdata: 'string' })),
});

const FILE_SOURCE = fields({
  ...each('string', 'defaultPermissions', 'name'),
  items: list(fields({ dynamic: 'boolean', ...each('string', 'hash', 'key', 'path', 'permissions') })),
});

const REGISTRIES = fields({
  // the server takes lists, too, where text has a format such as byte
  configs: map(fields({ ...each('string', 'authConfigSecretName', 'tlsSecretName'), caBundle: 'any', insecureSkipVerify: 'boolean' })),
  mirrors: map(fields({ endpoint: list('string'), rewrite: STRING_MAP })),
});

const GENERATION = fields({ generation: 'integer' });

const RKE_CONFIG = fields({
  additionalManifest: 'string',
  chartValues: FREE_OBJECT,
  dataDirectories: fields(each('string', 'k8sDistro', 'provisioning', 'systemAgent')),
  etcd: ETCD,
  etcdSnapshotCreate: GENERATION,
  etcdSnapshotRestore: fields({ generation: 'integer', ...each('string', 'name', 'restoreRKEConfig') }),
  infrastructureRef: OBJECT_REFERENCE,
  machineGlobalConfig: FREE_OBJECT,
  machinePoolDefaults: fields({ hostnameLengthLimit: 'integer' }),
  machinePools: list(MACHINE_POOL),
  machineSelectorConfig: list(fields({ config: FREE_OBJECT, machineLabelSelector: LABEL_SELECTOR })),
  machineSelectorFiles: list(fields({
    fileSources: list(fields(each(FILE_SOURCE, 'configMap', 'secret'))),
    machineLabelSelector: LABEL_SELECTOR,
  })),
  networking: fields({ stackPreference: 'string' }),
  provisionGeneration: 'integer',
  registries: REGISTRIES,
  rotateCertificates: fields({ generation: 'integer', services: list('string') }),
  rotateEncryptionKeys: GENERATION,
  upgradeStrategy: fields({
    ...each('string', 'controlPlaneConcurrency', 'workerConcurrency'),
    ...each(DRAIN_OPTIONS, 'controlPlaneDrainOptions', 'workerDrainOptions'),
  }),
});

/** Cluster of provisioning.cattle.io; before 2.12 its definition was made from Go types at run time and had another form. */
export const PROVISIONING_CLUSTER: KindShape = {
  apiVersion: API_VERSIONS.PROVISIONING,
  kind: 'Cluster',
  structuralSince: '2.12.0',
  shape: root({
    spec: fields({
      agentEnvVars: ENV_VARS,
      clusterAPIConfig: fields({ clusterName: 'string' }),
      ...each(AGENT_CUSTOMIZATION, 'clusterAgentDeploymentCustomization', 'fleetAgentDeploymentCustomization'),
      ...each(
        'string', 'cloudCredentialSecretName', 'defaultClusterRoleForProjectMembers', 'defaultPodSecurityAdmissionConfigurationTemplateName',
        'kubernetesVersion',
      ),
      enableNetworkPolicy: 'boolean',
      localClusterAuthEndpoint: fields({ ...each('string', 'caCerts', 'fqdn'), enabled: 'boolean' }),
      redeploySystemAgentGeneration: 'integer',
      rkeConfig: RKE_CONFIG,
      webhookDeploymentCustomization: since('2.15.0', WEBHOOK_CUSTOMIZATION),
    }),
    // a server with a status subresource drops what is sent here
    status: 'any',
  }),
};
