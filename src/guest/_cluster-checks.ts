import { DistributionVersions } from './_distribution';
import { checkEtcd } from './_etcd-spec';
import { checkSelectors } from './_machine-files-spec';
import { checkRegistries } from './_registries-spec';
import { checkUpgrade } from './_upgrade-spec';
import { ClusterOperations } from './cluster-operations';
import { ProvisionedClusterProps } from './provisioned-cluster-props';
import { checkAgentEnvVars } from '../model/checks/agent-env-vars';
import { checkCertificates } from '../model/checks/certificates';
import { checkDataDirectories } from '../model/checks/data-directories';
import { LABEL_PROVIDER, PROVIDER_HARVESTER } from '../model/labels';
import { isRecord } from '../model/manifest';
import { LEGACY_CLUSTER_ID, RFC1123_LABEL } from '../model/names';
import { Problem } from '../model/problem';
import { IRancherTarget } from '../model/target';
import { checkAgents } from '../rancher/_agent-deployment';
import { agentEnv, checkClusterId, checkOwnAnnotations } from '../rancher/_provisioning-cluster';
import { FeatureGates, GateId } from '../versions';

/** What is wrong with what a guest cluster is told, all at once. */
export function* checkCluster(
  props: ProvisionedClusterProps, name: string, id: string | undefined, rancher: IRancherTarget, versions: DistributionVersions,
): Iterable<Problem> {
  yield* checkName(name);
  yield* checkClusterId(id, name, versions.rancher);
  yield* checkOwnAnnotations(props.annotations);
  if (props.labels?.[LABEL_PROVIDER] === PROVIDER_HARVESTER) {
    yield { path: `labels[${LABEL_PROVIDER}]`, value: PROVIDER_HARVESTER, message: 'makes Rancher take the cluster for a Harvester', fix: 'leave it out' };
  }
  yield* checkAgents(props, versions.rancher);
  yield* checkAgentEnvVars('agentEnvVars', agentEnv(props.agentEnvVars));
  yield* checkGates(props, versions);
  yield* props.kubernetes._distribution.check(versions);
  yield* checkEndpoint(props);
  yield* checkDataDirectories('dataDirectories', props.dataDirectories);
  yield* checkEtcd(props.etcd, rancher, versions.rancher);
  yield* checkUpgrade(props.upgradeStrategy);
  yield* checkRegistries(props.registries);
  yield* checkSelectors(props.machineFiles, props.machineSelectors);
  yield* checkManifests(props.additionalManifests);
  yield* checkGenerations(props.operations);
}

// stricter than the server: the cluster is a target too, whose name is a folder's
function* checkName(name: string): Iterable<Problem> {
  if (name.length >= 2 && RFC1123_LABEL.test(name) && !LEGACY_CLUSTER_ID.test(name)) { return; }
  yield {
    path: 'name',
    value: name,
    message: 'is no name for a guest cluster',
    fix: 'use 2 to 63 of a-z, 0-9 and hyphens, with a letter or digit at both ends, not "local" and not c- with five characters',
  };
}

function* checkGates(props: ProvisionedClusterProps, { rancher }: DistributionVersions): Iterable<Problem> {
  const { dataDirectories, stackPreference, machineFiles, authEndpoint, operations = {} } = props;
  const asked: [path: string, gate: GateId, present: boolean][] = [
    ['kubernetes', GateId.PROVISIONING_CLUSTER, true],
    ['dataDirectories', GateId.DATA_DIRECTORIES, dataDirectories !== undefined],
    ['stackPreference', GateId.STACK_PREFERENCE, stackPreference !== undefined],
    ['machineFiles', GateId.MACHINE_SELECTOR_FILES, machineFiles !== undefined && machineFiles.length > 0],
    ['authEndpoint', GateId.LOCAL_CLUSTER_AUTH_ENDPOINT, authEndpoint !== undefined],
    ['podSecurityTemplate', GateId.POD_SECURITY_TEMPLATE, props.podSecurityTemplate !== undefined],
    ['operations.rotateCertificates', GateId.CERTIFICATE_ROTATION, operations.rotateCertificates !== undefined],
    ['operations.rotateEncryptionKeys', GateId.CERTIFICATE_ROTATION, operations.rotateEncryptionKeys !== undefined],
  ];
  for (const [path, gate, present] of asked) {
    const message = present ? FeatureGates.of(gate).problem(rancher) : undefined;
    if (message) { yield { path, message, fix: 'leave it out, or name a newer Rancher' }; }
  }
}

function* checkEndpoint({ authEndpoint }: ProvisionedClusterProps): Iterable<Problem> {
  if (!authEndpoint) { return; }
  yield* checkCertificates('authEndpoint.caCertificates', authEndpoint.caCertificates);
  if (authEndpoint.caCertificates !== undefined && !authEndpoint.fqdn) {
    yield { path: 'authEndpoint.fqdn', message: 'is missing beside caCertificates', fix: 'name the host, or leave caCertificates out', says: 'CACerts defined but FQDN is not defined' };
  }
}

function* checkManifests(manifests: readonly unknown[] = []): Iterable<Problem> {
  for (const [index, manifest] of manifests.entries()) {
    const complete = isRecord(manifest) && ['apiVersion', 'kind'].every((field) => typeof manifest[field] === 'string') && isRecord(manifest.metadata);
    if (!complete) {
      yield { path: `additionalManifests[${index}]`, message: 'is no object of Kubernetes', fix: 'give an object with apiVersion, kind and metadata, not its text' };
    }
  }
}

function* checkGenerations(operations: ClusterOperations = {}): Iterable<Problem> {
  const { rotateCertificates, rotateEncryptionKeys, createSnapshot, restoreSnapshot, provision, redeploySystemAgent } = operations;
  const counts = {
    'rotateCertificates.generation': rotateCertificates?.generation,
    rotateEncryptionKeys,
    createSnapshot,
    'restoreSnapshot.generation': restoreSnapshot?.generation,
    provision,
    redeploySystemAgent,
  };
  for (const [path, count] of Object.entries(counts)) {
    if (count === undefined || (Number.isInteger(count) && count > 0)) { continue; }
    yield { path: `operations.${path}`, value: count, message: 'is no generation', fix: 'use a whole number from 1, another one each time' };
  }
}
