import { Duration } from 'cdk8s';
import {
  Rke1ClusterProps,
  Rke1Etcd,
  Rke1Network,
  Rke1NetworkPlugin,
  Rke1Service,
  Rke1Services,
  Rke1UpgradeStrategy,
} from './rke1-cluster-props';
import { CREDENTIAL_NAME, MAX_DELETE_NOT_READY, RKE1_VERSION } from './rke1.kind';
import { checkTargetName } from '../../core/construct/target';
import { checkWholeNumber, Problem } from '../../core/problem/problem';
import { filledList, filledFields } from '../../core/text/values';
import { FeatureGates } from '../../core/version/feature-gates';
import { toYaml } from '../../core/yaml/yaml-writer';
import {
  ANNOTATION_CREATOR_ID,
  ANNOTATION_NO_CREATOR_RBAC,
} from '../../rancher/binding/binding.kind';
import { agentEnv, checkMirroredId, checkOwnKeys } from '../../rancher/cluster/managed-cluster';
import { checkAgentEnvVars } from '../../rancher/cluster/provisioning-cluster.check';
import { ICloudCredential } from '../../rancher/credential/cloud-credential';
import { RancherVersion } from '../../rancher/version/rancher-version';
import { checkEndpoint, checkLabels, checkName, checkManifests } from '../cluster/cluster-spec';
import { VM_LABEL_GUEST_CLUSTER } from '../cluster/cluster.kind';
import { LABEL_MACHINE_SET } from '../machine-config/machine-config.kind';
import { MachinePool } from '../machine-pool/machine-pool';
import { ClusterContext, ClusterFields } from '../parts/cluster-parts';
import { seconds } from '../upgrade/upgrade-strategy';
import { GuestGate } from '../version/guest-gates.data';

/**
 * `rancherKubernetesEngineConfig` of a management Cluster.
 *
 * Rancher's API sets its defaults, but objects that are applied to Kubernetes get none of them:
 * those that RKE1 does not have itself are set here.
 */
export function rke1Config(
  props: Rke1ClusterProps,
  cloudProvider: ClusterFields | undefined,
): ClusterFields {
  const { network = {}, services = {}, additionalManifests, additionalManifestUrls } = props;
  return {
    addons: filledList(additionalManifests)
      ?.map((manifest) => toYaml(manifest))
      .join('---\n'),
    addonsInclude: filledList(additionalManifestUrls),
    authentication: { strategy: 'x509' },
    cloudProvider,
    ignoreDockerVersion: true,
    ingress: { provider: (props.ingress ?? true) ? 'nginx' : 'none' },
    kubernetesVersion: props.kubernetesVersion,
    network: {
      plugin: network.plugin ?? Rke1NetworkPlugin.CANAL,
      mtu: network.mtu,
      options: network.options && { ...network.options },
    },
    services: servicesSpec(network, services),
    upgradeStrategy: upgradeSpec(props.upgradeStrategy),
    ...props.config,
  };
}

/** The keys that props set, each with what to do instead. */
const RKE1_OWN_KEYS: { readonly [key: string]: string } = {
  addons: 'use additionalManifests',
  addonsInclude: 'use additionalManifestUrls',
  cloudProvider: 'use cloudProvider',
  ingress: 'use ingress, or a patch for its options',
  kubernetesVersion: 'use kubernetesVersion',
  network: 'use network',
  services: 'use services',
  upgradeStrategy: 'use upgradeStrategy',
};

function servicesSpec(
  { clusterCidr, serviceCidr, clusterDns, clusterDomain }: Rke1Network,
  services: Rke1Services,
): ClusterFields {
  const { apiServer, controllerManager, etcd, kubelet, kubeProxy, scheduler } = services;
  return {
    etcd: etcdSpec(etcd),
    kubeApi: filledFields({
      ...serviceSpec(apiServer),
      alwaysPullImages: apiServer?.alwaysPullImages,
      auditLog: apiServer?.auditLog === undefined ? undefined : { enabled: apiServer.auditLog },
      podSecurityConfiguration: apiServer?.podSecurityConfiguration,
      secretsEncryptionConfig:
        apiServer?.secretsEncryption === undefined
          ? undefined
          : { enabled: apiServer.secretsEncryption },
      serviceClusterIpRange: serviceCidr,
      serviceNodePortRange: apiServer?.serviceNodePortRange,
    }),
    kubeController: filledFields({
      ...serviceSpec(controllerManager),
      clusterCidr,
      serviceClusterIpRange: serviceCidr,
    }),
    kubelet: filledFields({
      ...serviceSpec(kubelet),
      clusterDnsServer: clusterDns,
      clusterDomain,
      failSwapOn: kubelet?.failSwapOn,
      generateServingCertificate: kubelet?.generateServingCertificate,
    }),
    kubeproxy: filledFields(serviceSpec(kubeProxy)),
    scheduler: filledFields(serviceSpec(scheduler)),
  };
}

function serviceSpec({ extraArgs, extraBinds, extraEnv }: Rke1Service = {}): ClusterFields {
  return { extraArgs: extraArgs && { ...extraArgs }, extraBinds, extraEnv };
}

function etcdSpec(etcd: Rke1Etcd = {}): ClusterFields {
  const {
    enabled = true,
    interval = Duration.hours(12),
    retention = 6,
    timeout = Duration.seconds(300),
  } = etcd.backup ?? {};
  const schedule = { intervalHours: interval.toHours(), retention, timeout: timeout.toSeconds() };
  return { ...serviceSpec(etcd), backupConfig: { enabled, ...(enabled ? schedule : {}) } };
}

function upgradeSpec({
  maxUnavailableControlPlane = '1',
  maxUnavailableWorker = '10%',
  drain,
}: Rke1UpgradeStrategy = {}): ClusterFields {
  return {
    drain: drain !== undefined,
    maxUnavailableControlplane: maxUnavailableControlPlane,
    maxUnavailableWorker,
    nodeDrainInput: drain && {
      deleteLocalData: drain.deleteEmptyDirData ?? false,
      force: drain.force ?? false,
      // -1 means the grace period of the pod
      gracePeriod: drain.gracePeriod?.toSeconds() ?? -1,
      ignoreDaemonSets: drain.ignoreDaemonSets ?? true,
      timeout: (drain.timeout ?? Duration.seconds(120)).toSeconds(),
    },
  };
}

/** Checks an RKE1 cluster without its machines. */
export function* checkRke1(
  props: Rke1ClusterProps,
  name: string,
  id: string,
  version: RancherVersion,
): Iterable<Problem> {
  yield* FeatureGates.of(GuestGate.RKE1)._check('', version, 'use GuestCluster with RKE2 or K3s');
  if (!RKE1_VERSION.test(props.kubernetesVersion)) {
    yield {
      path: 'kubernetesVersion',
      value: props.kubernetesVersion,
      message: 'must be a release of RKE1',
      fix: 'use one that Rancher offers, e.g. v1.27.16-rancher1-1',
    };
  }
  yield* checkName(name);
  yield* checkMirroredId(id, props.fleetWorkspace);
  if (props.targetName !== undefined) {
    yield* checkTargetName(props.targetName, props.targetName);
  }
  yield* checkOwnKeys('annotations', props.annotations, {
    [ANNOTATION_CREATOR_ID]: 'use creator',
    [ANNOTATION_NO_CREATOR_RBAC]: 'remove it: it is set if there is no creator',
  });
  yield* checkLabels(props.labels);
  yield* checkOwnConfig(props.config);
  yield* checkAgentEnvVars('agentEnvVars', agentEnv(props.agentEnvVars));
  yield* checkNetwork(props);
  yield* checkTimes(props);
  yield* checkManifests(props.additionalManifests);
  if (props.authorizedEndpoint) {
    yield* checkEndpoint(props.authorizedEndpoint);
  }
}

function* checkOwnConfig(config: Rke1ClusterProps['config'] = {}): Iterable<Problem> {
  for (const [key, fix] of Object.entries(RKE1_OWN_KEYS)) {
    // no value: it may hold a password
    if (key in config) {
      yield { path: `config[${key}]`, message: 'cannot be set: another prop sets it', fix };
    }
  }
}

function* checkNetwork({ network = {} }: Rke1ClusterProps): Iterable<Problem> {
  const { mtu, serviceCidr, clusterDns } = network;
  yield* checkWholeNumber('network.mtu', mtu, 0, 'set it to 0 or more, or remove it');
  if (serviceCidr !== undefined && clusterDns === undefined) {
    yield {
      path: 'network.clusterDns',
      message:
        'must be set together with serviceCidr: otherwise RKE1 looks for the DNS at 10.43.0.10',
      fix: 'use an address of serviceCidr, by convention the tenth',
    };
  }
}

function* checkTimes({ services, upgradeStrategy }: Rke1ClusterProps): Iterable<Problem> {
  const { interval, retention, timeout } = services?.etcd?.backup ?? {};
  const backup = 'services.etcd.backup';
  yield* checkWhole(`${backup}.interval`, interval?.toHours({ integral: false }), 1, 'hours');
  yield* checkWhole(`${backup}.retention`, retention, 1, 'snapshots');
  yield* checkWhole(`${backup}.timeout`, seconds(timeout), 1, 'seconds');
  const { drain, maxUnavailableControlPlane, maxUnavailableWorker } = upgradeStrategy ?? {};
  yield* checkWhole('upgradeStrategy.drain.gracePeriod', seconds(drain?.gracePeriod), 0, 'seconds');
  yield* checkWhole('upgradeStrategy.drain.timeout', seconds(drain?.timeout), 1, 'seconds');
  for (const [prop, value] of Object.entries({
    maxUnavailableControlPlane,
    maxUnavailableWorker,
  })) {
    if (value === undefined || /^(?:[1-9]\d*|(?:[1-9]\d?|100)%)$/.test(value)) {
      continue;
    }
    yield {
      path: `upgradeStrategy.${prop}`,
      value,
      message: 'must be a number of 1 or more, or a percentage of nodes',
      fix: 'write e.g. 1 or 10%',
    };
  }
}

function* checkWhole(
  path: string,
  value: number | undefined,
  least: number,
  unit: string,
): Iterable<Problem> {
  if (value !== undefined && (!Number.isInteger(value) || value < least)) {
    yield {
      path,
      value: `${value} ${unit}`,
      message: `must be a whole number of ${unit}, ${least} or more`,
      fix: `set it to ${least} or more`,
    };
  }
}

/** Checks that RKE1 can use a credential: it reads them from one namespace. */
export function* checkRke1Credential(
  path: string,
  credential: ICloudCredential | undefined,
): Iterable<Problem> {
  if (!credential || CREDENTIAL_NAME.test(credential.credentialId)) {
    return;
  }
  yield {
    path,
    value: credential.credentialId,
    message: 'must be a Secret in cattle-global-data, the only namespace that RKE1 reads',
    fix: 'use a credential with the name cattle-global-data:<name>',
    says: `invalid credential id ${credential.credentialId}`,
  };
}

/** Props that only Cluster API supports. */
const OF_CLUSTER_API: readonly (keyof MachinePool)[] = [
  'autoscaling',
  'machineDeploymentLabels',
  'machineDeploymentAnnotations',
  'machineConfigLabels',
  'machineConfigAnnotations',
  'drainBeforeDeleteTimeout',
  'nodeStartupTimeout',
  'maxUnhealthy',
  'unhealthyRange',
  'rollingUpdate',
  'hostnameLengthLimit',
  'paused',
  'fixedAddresses',
];

/** Checks the requirements of RKE1 on a pool. */
export function* checkRke1Pool(
  { name: cluster, vmNamespace }: ClusterContext,
  pool: MachinePool,
): Iterable<Problem> {
  const path = `pools[${pool.name}]`;
  const given = [
    ...OF_CLUSTER_API.filter((key) => pool[key] !== undefined),
    ...(pool.adopted?.displayName === undefined ? [] : ['adopted.displayName']),
  ];
  for (const prop of given) {
    yield {
      path: `${path}.${prop}`,
      message: 'is not supported by RKE1: it is a feature of Cluster API, for RKE2 and K3s',
      fix: 'remove it',
    };
  }
  if (pool.machineOs === 'windows') {
    yield {
      path: `${path}.machineOs`,
      value: pool.machineOs,
      message: 'must be linux: RKE1 on Harvester supports nothing else',
      fix: 'use linux, or remove it',
    };
  }
  if (!pool.sshUser) {
    yield {
      path: `${path}.sshUser`,
      message:
        'must be set: Rancher installs Docker with SSH, and root cannot log in to most cloud images',
      fix: 'use the user of the image, e.g. ubuntu',
    };
  }
  const patience = seconds(pool.unhealthyNodeTimeout);
  if (patience !== undefined && patience > MAX_DELETE_NOT_READY) {
    yield {
      path: `${path}.unhealthyNodeTimeout`,
      value: `${patience} seconds`,
      message: `must be at most ${MAX_DELETE_NOT_READY} seconds`,
      fix: 'lower it, or use 0 for indefinitely',
    };
  }
  const affinity =
    pool.affinity?._render({ vmNamespace: vmNamespace ?? '', cluster, pool: pool.name }) ?? '';
  // the node driver derives both labels from names of Cluster API machines (unconfirmed for RKE1)
  if (
    affinity.includes(`"${LABEL_MACHINE_SET}"`) ||
    affinity.includes(`"${VM_LABEL_GUEST_CLUSTER}":"${cluster}"`)
  ) {
    yield {
      path: `${path}.affinity`,
      message:
        'cannot select machines by pool or cluster: machines of RKE1 do not have these labels',
      fix: 'use VmSelector.any(), or VmSelector.labels() with your own labels',
    };
  }
  yield* checkRke1Credential(`${path}.credential`, pool.credential);
}
