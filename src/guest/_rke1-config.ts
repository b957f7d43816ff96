import { Duration } from 'cdk8s';
import { Fields } from './_parts';
import { Rke1ClusterProps } from './rke1-cluster-props';
import { Rke1Etcd, Rke1Network, Rke1NetworkPlugin, Rke1Service, Rke1Services, Rke1UpgradeStrategy } from './rke1-options';
import { toYaml } from '../model/yaml-writer';

/**
 * `rancherKubernetesEngineConfig` of a management Cluster.
 *
 * Rancher's API fills in its defaults, but what is applied to Kubernetes gets none of them: those that RKE1 does not have itself are written here.
 */
export function rke1Config(props: Rke1ClusterProps, cloudProvider: Fields | undefined): Fields {
  const { network = {}, services = {}, addons = [], addonsInclude = [] } = props;
  return {
    addons: addons.length > 0 ? addons.map((addon) => toYaml(addon)).join('---\n') : undefined,
    addonsInclude: addonsInclude.length > 0 ? [...addonsInclude] : undefined,
    authentication: { strategy: 'x509' },
    cloudProvider,
    ignoreDockerVersion: true,
    ingress: { provider: props.ingress ?? true ? 'nginx' : 'none' },
    kubernetesVersion: props.kubernetesVersion,
    network: { plugin: network.plugin ?? Rke1NetworkPlugin.CANAL, mtu: network.mtu, options: network.options && { ...network.options } },
    services: servicesSpec(network, services),
    upgradeStrategy: upgradeSpec(props.upgradeStrategy),
    ...props.config,
  };
}

/** The keys that props say. */
export const RKE1_OWN_KEYS: { readonly [key: string]: string } = {
  addons: 'use addons',
  addonsInclude: 'use addonsInclude',
  cloudProvider: 'use cloudProvider',
  ingress: 'use ingress, or a patch for its options',
  kubernetesVersion: 'use kubernetesVersion',
  network: 'use network',
  services: 'use services',
  upgradeStrategy: 'use upgradeStrategy',
};

function servicesSpec({ podCidr, serviceCidr, clusterDns, clusterDomain }: Rke1Network, services: Rke1Services): Fields {
  const { apiServer, controllerManager, etcd, kubelet, kubeProxy, scheduler } = services;
  return {
    etcd: etcdSpec(etcd),
    kubeApi: filled({
      ...serviceSpec(apiServer),
      alwaysPullImages: apiServer?.alwaysPullImages,
      auditLog: apiServer?.auditLog === undefined ? undefined : { enabled: apiServer.auditLog },
      podSecurityConfiguration: apiServer?.podSecurityConfiguration,
      secretsEncryptionConfig: apiServer?.secretsEncryption === undefined ? undefined : { enabled: apiServer.secretsEncryption },
      serviceClusterIpRange: serviceCidr,
      serviceNodePortRange: apiServer?.serviceNodePortRange,
    }),
    kubeController: filled({ ...serviceSpec(controllerManager), clusterCidr: podCidr, serviceClusterIpRange: serviceCidr }),
    kubelet: filled({
      ...serviceSpec(kubelet),
      clusterDnsServer: clusterDns,
      clusterDomain,
      failSwapOn: kubelet?.failSwapOn,
      generateServingCertificate: kubelet?.generateServingCertificate,
    }),
    kubeproxy: filled(serviceSpec(kubeProxy)),
    scheduler: filled(serviceSpec(scheduler)),
  };
}

function serviceSpec({ extraArgs, extraBinds, extraEnv }: Rke1Service = {}): Fields {
  return { extraArgs: extraArgs && { ...extraArgs }, extraBinds, extraEnv };
}

function etcdSpec(etcd: Rke1Etcd = {}): Fields {
  const { enabled = true, interval = Duration.hours(12), retention = 6, timeout = Duration.seconds(300) } = etcd.backup ?? {};
  const schedule = { intervalHours: interval.toHours(), retention, timeout: timeout.toSeconds() };
  return { ...serviceSpec(etcd), backupConfig: { enabled, ...(enabled ? schedule : {}) } };
}

function upgradeSpec({ maxUnavailableControlPlane = '1', maxUnavailableWorker = '10%', drain }: Rke1UpgradeStrategy = {}): Fields {
  return {
    drain: drain !== undefined,
    maxUnavailableControlplane: maxUnavailableControlPlane,
    maxUnavailableWorker,
    nodeDrainInput: drain && {
      deleteLocalData: drain.deleteLocalData ?? false,
      force: drain.force ?? false,
      // less than zero: the pod's own
      gracePeriod: drain.gracePeriod?.toSeconds() ?? -1,
      ignoreDaemonSets: drain.ignoreDaemonSets ?? true,
      timeout: (drain.timeout ?? Duration.seconds(120)).toSeconds(),
    },
  };
}

function filled(fields: Fields): Fields | undefined {
  return Object.values(fields).some((value) => value !== undefined) ? fields : undefined;
}
