import { etcdSpec } from './_etcd-spec';
import { machineSelectorSpec } from './_machine-files-spec';
import { ClusterContext, ClusterParts, Fields } from './_parts';
import { upgradeSpec } from './_upgrade-spec';
import { AuthEndpoint } from './auth-endpoint';
import { ProvisionedClusterProps } from './provisioned-cluster-props';
import { toYaml } from '../model/yaml-writer';
import { agentSpec } from '../rancher/_agent-deployment';
import { agentEnv } from '../rancher/_provisioning-cluster';
import { FeatureGates, GateId, RancherVersion } from '../versions';

/** What differs between clusters by who makes their machines, and what was written before the Cluster. */
export interface ClusterPieces {
  readonly credentialName?: string;
  /** Entries of machinePools; undefined for clusters without. */
  readonly pools?: readonly Fields[];
  readonly hostnameLengthLimit?: number;
  readonly registries?: Fields;
  readonly selectorFiles: readonly Fields[];
}

/** The spec of a provisioning Cluster with rkeConfig. What is left out, the server fills in by itself or does without. */
export function clusterSpec(props: ProvisionedClusterProps, context: ClusterContext, parts: ClusterParts, pieces: ClusterPieces): Fields {
  const { clusterAgent, fleetAgent, webhook, kubernetes: { _distribution: distribution }, operations = {} } = props;
  return {
    agentEnvVars: agentEnv(props.agentEnvVars),
    cloudCredentialSecretName: pieces.credentialName,
    ...agentSpec({ clusterAgent, fleetAgent, webhook }),
    defaultPodSecurityAdmissionConfigurationTemplateName: podSecurityTemplateOf(props, context.rancherVersion),
    enableNetworkPolicy: props.enableNetworkPolicy,
    kubernetesVersion: context.kubernetesVersion.toString(),
    localClusterAuthEndpoint: authEndpointSpec(props.authEndpoint),
    redeploySystemAgentGeneration: operations.redeploySystemAgent,
    rkeConfig: {
      additionalManifest: manifestText([...parts.manifests, ...(props.additionalManifests ?? [])]),
      chartValues: filled(parts.chartValues),
      dataDirectories: props.dataDirectories && { ...props.dataDirectories },
      etcd: etcdSpec(props.etcd),
      ...operationsSpec(props),
      machineGlobalConfig: { ...distribution.globalDefaults, ...parts.globalConfig },
      machinePoolDefaults: pieces.hostnameLengthLimit === undefined ? undefined : { hostnameLengthLimit: pieces.hostnameLengthLimit },
      machinePools: pieces.pools,
      machineSelectorConfig: machineSelectorSpec({ ...selectorDefaults(props, parts), ...parts.selectorConfig }, props.machineSelectors ?? []),
      machineSelectorFiles: pieces.selectorFiles.length > 0 ? pieces.selectorFiles : undefined,
      networking: props.stackPreference && { stackPreference: props.stackPreference },
      registries: pieces.registries,
      upgradeStrategy: upgradeSpec(props.upgradeStrategy),
    },
  };
}

// what stands there wins over machineGlobalConfig, so a default must not stand against the user's own key
function selectorDefaults({ kubernetes }: ProvisionedClusterProps, { globalConfig }: ClusterParts): Fields {
  return Object.fromEntries(Object.entries(kubernetes._distribution.selectorDefaults).filter(([key]) => !(key in globalConfig)));
}

/** The pod security admission template: where none is named, what the options of Kubernetes imply on a Rancher that has them. */
export function podSecurityTemplateOf({ podSecurityTemplate, kubernetes }: ProvisionedClusterProps, rancher: RancherVersion): string | undefined {
  const implied = FeatureGates.of(GateId.POD_SECURITY_TEMPLATE).supports(rancher) ? kubernetes._distribution.podSecurityTemplate : undefined;
  return podSecurityTemplate ?? implied;
}

function operationsSpec({ operations = {} }: ProvisionedClusterProps): Fields {
  const { rotateCertificates, rotateEncryptionKeys, createSnapshot, restoreSnapshot, provision } = operations;
  return {
    etcdSnapshotCreate: generation(createSnapshot),
    etcdSnapshotRestore: restoreSnapshot && {
      generation: restoreSnapshot.generation, name: restoreSnapshot.name, restoreRKEConfig: restoreSnapshot.mode ?? 'none',
    },
    provisionGeneration: provision,
    rotateCertificates: rotateCertificates && { generation: rotateCertificates.generation, services: rotateCertificates.services },
    rotateEncryptionKeys: generation(rotateEncryptionKeys),
  };
}

function generation(count: number | undefined): Fields | undefined {
  return count === undefined ? undefined : { generation: count };
}

function authEndpointSpec(endpoint: AuthEndpoint | undefined): Fields | undefined {
  return endpoint && { enabled: endpoint.enabled ?? true, fqdn: endpoint.fqdn, caCerts: endpoint.caCertificates };
}

function manifestText(manifests: readonly Fields[]): string | undefined {
  return manifests.length > 0 ? manifests.map((manifest) => toYaml(manifest)).join('---\n') : undefined;
}

function filled(fields: Fields): Fields | undefined {
  return Object.keys(fields).length > 0 ? fields : undefined;
}
