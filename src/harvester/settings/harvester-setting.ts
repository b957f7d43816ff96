import { ApiObject, Duration, Size } from 'cdk8s';
import { Construct } from 'constructs';
import { BackupTarget } from './backup-target';
import { MIGRATION_TIMEOUT_SINCE, NODE_UPGRADE_SINCE, REGISTRATION_JSON_SINCE, printRegistration } from './catalogue/entry';
import {
  AutoRotateRke2CertsProps, ClusterRegistrationProps, ContainerdRegistryProps, HttpProxyProps, SslCertificatesProps, SslParametersProps,
  TraefikTlsOptionsProps, autoRotateRke2Certs, containerdRegistry, httpProxy, sslCertificates, sslParameters, traefikTlsOptions,
} from './connections';
import { SETTING } from './harvester-setting.kind';
import { RwxNetwork, StorageNetworkProps, TrafficNetworkProps, storageNetwork, trafficNetwork, vipPools } from './network';
import { newerOnly, noteSetting } from './setting-notes';
import {
  CsiSnapshotClasses, HarvesterLogLevel, InstanceManagerCpuProps, PodSecurityStandardProps, SupportBundleImageProps, UiSource,
  UpgradeConfigProps, csiDriverConfig, instanceManagerCpu, podSecurityStandard, supportBundleImage, upgradeConfig,
} from './system';
import {
  KubevirtMigrationProps, OvercommitProps, VmForceResetPolicyProps, kubevirtMigration, overcommitPercents, vmForceResetPolicy,
} from './virtual-machines';
import { harvesterTargetOf } from '../../core/app/target';
import { API_VERSIONS } from '../../core/manifest/names';
import { failOnErrors, parsedAt } from '../../core/rule/problem';
import { lazily } from '../../core/text/values';
import { HarvesterVersion } from '../version/harvester-version';

// the checks of all values are a fifth of the library, and a program may set none
// eslint-disable-next-line @typescript-eslint/no-require-imports
const checks = lazily(() => require('./harvester-setting.check') as typeof import('./harvester-setting.check'));

/**
 * Properties of a setting.
 */
export interface HarvesterSettingProps {
  /** The name of the setting, e.g. `log-level`. */
  readonly name: string;
  /** The value as text, JSON for many; `""` is the default. May hold late values. */
  readonly value: string;
}

/**
 * A setting of a Harvester: the object Setting of that name, which is there already, gets a value.
 *
 * The typed methods write the settings that this library knows; the constructor is for others. Settings whose value is JSON are written in
 * one line with a fixed order of keys. Taking the construct away is not a reset: use `HarvesterSetting.reset`. For the setting
 * `additional-ca` see `AdditionalCa`.
 *
 * @see https://docs.harvesterhci.io/v1.7/advanced/index
 */
export class HarvesterSetting extends Construct {
  /**
   * Imports this Harvester into a Rancher. Written as JSON from 1.7.2 on, before as a plain URL whose certificate is never verified.
   *
   * `HarvesterImport` writes it by itself. A reset removes the cluster agent and leaves the rest of the registration.
   * @param registration where it registers
   */
  public static clusterRegistrationUrl(scope: Construct, id: string, registration: ClusterRegistrationProps): HarvesterSetting {
    const { version } = harvesterTargetOf(scope, 'HarvesterSetting');
    const json = HarvesterVersion.parse(version).isAtLeast(REGISTRATION_JSON_SINCE);
    const value = printRegistration(registration.url, registration.insecureSkipTlsVerify ?? false, json);
    return new HarvesterSetting(scope, id, { name: SETTING.CLUSTER_REGISTRATION_URL, value });
  }

  /**
   * Whether deleting a namespace on Harvester deletes the guest clusters in it from Rancher. Since 1.6.0.
   *
   * True needs the Secret `harvester-system/rancher-cluster-config` with a kubeconfig of Rancher in its key `kubeConfig`.
   * @param removeUpstreamClusterWhenNamespaceIsDeleted whether it does
   */
  public static rancherCluster(scope: Construct, id: string, removeUpstreamClusterWhenNamespaceIsDeleted: boolean): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.RANCHER_CLUSTER, () => ({ removeUpstreamClusterWhenNamespaceIsDeleted }));
  }

  /**
   * The network of Longhorn's traffic. All virtual machines must be stopped and all volumes detached when it changes.
   * @param network where the traffic goes
   */
  public static storageNetwork(scope: Construct, id: string, network: StorageNetworkProps): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.STORAGE_NETWORK, () => storageNetwork(network));
  }

  /**
   * The network of live migrations. Since 1.6.0.
   * @param network where the traffic goes, with an address for every node
   */
  public static vmMigrationNetwork(scope: Construct, id: string, network: TrafficNetworkProps): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.VM_MIGRATION_NETWORK, () => trafficNetwork(network));
  }

  /**
   * The network of volumes that many pods mount at once. Since 1.8.0.
   * @param network where the traffic goes
   */
  public static rwxNetwork(scope: Construct, id: string, network: RwxNetwork): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.RWX_NETWORK, () => network._toConfig());
  }

  /**
   * Addresses for load balancers, by namespace. Deprecated by Harvester: use IP pools.
   * @param pools CIDRs, or ranges `<first>-<last>` of IPv4, by namespace; not both in one
   */
  public static vipPools(scope: Construct, id: string, pools: { [namespace: string]: string[] }): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.VIP_POOLS, () => vipPools(pools));
  }

  /**
   * The time servers of all nodes. Since 1.2.0.
   * @param servers host names or addresses, each once; none to have none
   */
  public static ntpServers(scope: Construct, id: string, servers: string[]): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.NTP_SERVERS, () => ({ ntpServers: servers }));
  }

  /**
   * The proxy that Harvester and its nodes reach the outside by. It restarts Harvester and the Rancher in it.
   * @param proxy the proxy
   */
  public static httpProxy(scope: Construct, id: string, proxy: HttpProxyProps): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.HTTP_PROXY, () => httpProxy(proxy));
  }

  /**
   * The registries that all nodes pull images from. Harvester takes the credentials out of the Setting.
   * @param registries the registries
   */
  public static containerdRegistry(scope: Construct, id: string, registries: ContainerdRegistryProps): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.CONTAINERD_REGISTRY, () => containerdRegistry(registries));
  }

  /**
   * The certificate of Harvester's UI and API.
   * @param certificates the certificate and its key
   */
  public static sslCertificates(scope: Construct, id: string, certificates: SslCertificatesProps): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.SSL_CERTIFICATES, () => sslCertificates(certificates));
  }

  /**
   * The protocols and ciphers of Harvester's UI and API. Wrong ones lock everybody out.
   * @param parameters protocols and ciphers
   */
  public static sslParameters(scope: Construct, id: string, parameters: SslParametersProps): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.SSL_PARAMETERS, () => sslParameters(parameters));
  }

  /**
   * TLS of Harvester's ingress. Since 1.9.0.
   * @param options what Traefik shall do
   */
  public static traefikDefaultTlsOptions(scope: Construct, id: string, options: TraefikTlsOptionsProps): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.TRAEFIK_DEFAULT_TLS_OPTIONS, () => traefikTlsOptions(options));
  }

  /**
   * Where backups of virtual machines go. Harvester connects to it before it accepts the Setting.
   * @param target where they go
   */
  public static backupTarget(scope: Construct, id: string, target: BackupTarget): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.BACKUP_TARGET, () => target._toConfig());
  }

  /**
   * The snapshot classes of each storage driver. Since 1.2.0.
   * @param drivers the classes, by name of the driver; `driver.longhorn.io` must stay among them
   */
  public static csiDriverConfig(scope: Construct, id: string, drivers: { [driver: string]: CsiSnapshotClasses }): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.CSI_DRIVER_CONFIG, () => csiDriverConfig(drivers));
  }

  /**
   * The storage drivers whose volumes may grow while in use. Since 1.6.0.
   * @param drivers whether they may, by name of the driver
   */
  public static csiOnlineExpandValidation(scope: Construct, id: string, drivers: { [driver: string]: boolean }): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.CSI_ONLINE_EXPAND_VALIDATION, () => drivers);
  }

  /**
   * The CPUs of Longhorn's instance managers. All volumes must be detached when it changes. Since 1.8.0.
   * @param cpu percents of a node's CPUs
   */
  public static instanceManagerResources(scope: Construct, id: string, cpu: InstanceManagerCpuProps): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.INSTANCE_MANAGER_RESOURCES, () => instanceManagerCpu(cpu));
  }

  /**
   * The charts that guest clusters may have.
   * @param versions ranges of versions, by `harvester-cloud-provider` and `harvester-csi-provider`
   */
  public static harvesterCsiCcmVersions(scope: Construct, id: string, versions: { [chart: string]: string }): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.HARVESTER_CSI_CCM_VERSIONS, () => versions);
  }

  /**
   * The storage class of Harvester's own volumes. It does not make the class the default one of the cluster.
   * @param storageClassName name of a StorageClass
   */
  public static defaultStorageClass(scope: Construct, id: string, storageClassName: string): HarvesterSetting {
    return new HarvesterSetting(scope, id, { name: SETTING.DEFAULT_STORAGE_CLASS, value: storageClassName });
  }

  /**
   * The snapshot class of restores into another namespace.
   * @param volumeSnapshotClassName name of a VolumeSnapshotClass that exists
   */
  public static volumeSnapshotClass(scope: Construct, id: string, volumeSnapshotClassName: string): HarvesterSetting {
    return new HarvesterSetting(scope, id, { name: SETTING.VOLUME_SNAPSHOT_CLASS, value: volumeSnapshotClassName });
  }

  /**
   * The disks that Harvester takes over by itself, on all nodes, now and later. **What is on them is destroyed.**
   * @param patterns patterns of device files, e.g. `/dev/sd*`
   */
  public static autoDiskProvisionPaths(scope: Construct, id: string, patterns: string[]): HarvesterSetting {
    return new HarvesterSetting(scope, id, { name: SETTING.AUTO_DISK_PROVISION_PATHS, value: patterns.join(',') });
  }

  /**
   * Whether volumes may use Longhorn's second data engine. It restarts RKE2 on all nodes. Since 1.4.0.
   * @param enabled whether they may
   */
  public static longhornV2DataEngineEnabled(scope: Construct, id: string, enabled: boolean): HarvesterSetting {
    return new HarvesterSetting(scope, id, { name: SETTING.LONGHORN_V2_DATA_ENGINE_ENABLED, value: String(enabled) });
  }

  /**
   * Whether Longhorn's second data engine uses huge pages. Since 1.9.0.
   * @param enabled whether it does
   */
  public static longhornV2DataEngineHugepageEnabled(scope: Construct, id: string, enabled: boolean): HarvesterSetting {
    return new HarvesterSetting(scope, id, { name: SETTING.LONGHORN_V2_DATA_ENGINE_HUGEPAGE_ENABLED, value: String(enabled) });
  }

  /**
   * The memory of Longhorn's second data engine on each node. Since 1.9.0.
   * @param size an even number of MiB
   */
  public static longhornV2DataEngineMemorySize(scope: Construct, id: string, size: Size): HarvesterSetting {
    return HarvesterSetting.text(scope, id, SETTING.LONGHORN_V2_DATA_ENGINE_MEMORY_SIZE, () => String(size.toMebibytes()));
  }

  /**
   * How many percent of CPU, memory and storage virtual machines may be promised.
   * @param overcommit all three percentages
   */
  public static overcommitConfig(scope: Construct, id: string, overcommit: OvercommitProps): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.OVERCOMMIT_CONFIG, () => overcommitPercents(overcommit));
  }

  /**
   * What happens to virtual machines of a node that is gone.
   * @param policy when, and whether
   */
  public static vmForceResetPolicy(scope: Construct, id: string, policy: VmForceResetPolicyProps): HarvesterSetting {
    newerOnly(scope, 'HarvesterSetting', MIGRATION_TIMEOUT_SINCE, { vmMigrationTimeout: policy.vmMigrationTimeout });
    return HarvesterSetting.json(scope, id, SETTING.VM_FORCE_RESET_POLICY, () => vmForceResetPolicy(policy));
  }

  /**
   * How long a virtual machine has to shut down. Since 1.2.0.
   * @param period whole seconds
   */
  public static defaultVmTerminationGracePeriod(scope: Construct, id: string, period: Duration): HarvesterSetting {
    return HarvesterSetting.text(scope, id, SETTING.DEFAULT_VM_TERMINATION_GRACE_PERIOD_SECONDS, () => String(period.toSeconds()));
  }

  /**
   * The factor on the memory that is reserved around each virtual machine. Since 1.4.0.
   * @param ratio 0 turns it off; else 1 to 10
   */
  public static additionalGuestMemoryOverheadRatio(scope: Construct, id: string, ratio: number): HarvesterSetting {
    return new HarvesterSetting(scope, id, { name: SETTING.ADDITIONAL_GUEST_MEMORY_OVERHEAD_RATIO, value: String(ratio) });
  }

  /**
   * How many times the CPUs and memory of a running virtual machine may grow. Since 1.6.0.
   * @param ratio 1 to 20
   */
  public static maxHotplugRatio(scope: Construct, id: string, ratio: number): HarvesterSetting {
    return new HarvesterSetting(scope, id, { name: SETTING.MAX_HOTPLUG_RATIO, value: String(ratio) });
  }

  /**
   * How live migrations go. Since 1.7.0.
   * @param migration the whole configuration
   */
  public static kubevirtMigration(scope: Construct, id: string, migration: KubevirtMigrationProps): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.KUBEVIRT_MIGRATION, () => kubevirtMigration(migration));
  }

  /**
   * How Kubernetes' own certificates are renewed. Since 1.3.0.
   * @param rotation whether, and how early
   */
  public static autoRotateRke2Certs(scope: Construct, id: string, rotation: AutoRotateRke2CertsProps): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.AUTO_ROTATE_RKE2_CERTS, () => autoRotateRke2Certs(rotation));
  }

  /**
   * How long tokens of downloaded kubeconfigs live. Since 1.3.1. It is about the Rancher within Harvester, not the one that manages it.
   * @param ttl whole minutes, up to a hundred years; 0 is for ever
   */
  public static kubeconfigDefaultTokenTtl(scope: Construct, id: string, ttl: Duration): HarvesterSetting {
    return HarvesterSetting.text(scope, id, SETTING.KUBECONFIG_DEFAULT_TOKEN_TTL_MINUTES, () => String(ttl.toMinutes()));
  }

  /**
   * The pod security standard of namespaces. Since 1.8.0.
   * @param standard what holds where
   */
  public static clusterPodSecurityStandard(scope: Construct, id: string, standard: PodSecurityStandardProps): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.CLUSTER_POD_SECURITY_STANDARD, () => podSecurityStandard(standard));
  }

  /**
   * How much Harvester writes to its log.
   * @param level how much
   */
  public static logLevel(scope: Construct, id: string, level: HarvesterLogLevel): HarvesterSetting {
    return new HarvesterSetting(scope, id, { name: SETTING.LOG_LEVEL, value: level });
  }

  /**
   * The image that makes support bundles.
   * @param image the image
   */
  public static supportBundleImage(scope: Construct, id: string, image: SupportBundleImageProps): HarvesterSetting {
    return HarvesterSetting.json(scope, id, SETTING.SUPPORT_BUNDLE_IMAGE, () => supportBundleImage(image));
  }

  /**
   * After how long making a support bundle is given up. Since 1.2.0.
   * @param timeout whole minutes; 0 is never
   */
  public static supportBundleTimeout(scope: Construct, id: string, timeout: Duration): HarvesterSetting {
    return HarvesterSetting.text(scope, id, SETTING.SUPPORT_BUNDLE_TIMEOUT, () => String(timeout.toMinutes()));
  }

  /**
   * How long a support bundle is kept. Since 1.3.0.
   * @param expiration whole minutes; 0 is the default
   */
  public static supportBundleExpiration(scope: Construct, id: string, expiration: Duration): HarvesterSetting {
    return HarvesterSetting.text(scope, id, SETTING.SUPPORT_BUNDLE_EXPIRATION, () => String(expiration.toMinutes()));
  }

  /**
   * How long collecting from the nodes may take. Since 1.3.1.
   * @param timeout whole minutes; 0 is the default
   */
  public static supportBundleNodeCollectionTimeout(scope: Construct, id: string, timeout: Duration): HarvesterSetting {
    return HarvesterSetting.text(scope, id, SETTING.SUPPORT_BUNDLE_NODE_COLLECTION_TIMEOUT, () => String(timeout.toMinutes()));
  }

  /**
   * The name of the file that a support bundle is packed into. Since 1.8.0.
   * @param fileName an RFC 1123 label
   */
  public static supportBundleFileName(scope: Construct, id: string, fileName: string): HarvesterSetting {
    return new HarvesterSetting(scope, id, { name: SETTING.SUPPORT_BUNDLE_FILE_NAME, value: fileName });
  }

  /**
   * Further namespaces that a support bundle looks into. Since 1.2.0.
   * @param namespaces names of namespaces
   */
  public static supportBundleNamespaces(scope: Construct, id: string, namespaces: string[]): HarvesterSetting {
    return new HarvesterSetting(scope, id, { name: SETTING.SUPPORT_BUNDLE_NAMESPACES, value: namespaces.join(',') });
  }

  /**
   * How upgrades of Harvester go. Since 1.4.0.
   * @param config how they go
   */
  public static upgradeConfig(scope: Construct, id: string, config: UpgradeConfigProps): HarvesterSetting {
    newerOnly(scope, 'HarvesterSetting', NODE_UPGRADE_SINCE, { nodeUpgrade: config.nodeUpgrade, logReadyTimeout: config.logReadyTimeout });
    return HarvesterSetting.json(scope, id, SETTING.UPGRADE_CONFIG, () => upgradeConfig(config));
  }

  /**
   * Where the images of releases are.
   * @param address a URL
   */
  public static releaseDownloadUrl(scope: Construct, id: string, address: string): HarvesterSetting {
    return new HarvesterSetting(scope, id, { name: SETTING.RELEASE_DOWNLOAD_URL, value: address });
  }

  /**
   * Whether Harvester asks for new releases.
   * @param enabled whether it does
   */
  public static upgradeCheckerEnabled(scope: Construct, id: string, enabled: boolean): HarvesterSetting {
    return new HarvesterSetting(scope, id, { name: SETTING.UPGRADE_CHECKER_ENABLED, value: String(enabled) });
  }

  /**
   * Whom Harvester asks for new releases.
   * @param address a URL
   */
  public static upgradeCheckerUrl(scope: Construct, id: string, address: string): HarvesterSetting {
    return new HarvesterSetting(scope, id, { name: SETTING.UPGRADE_CHECKER_URL, value: address });
  }

  /**
   * Which UI Harvester shows.
   * @param source which one
   */
  public static uiSource(scope: Construct, id: string, source: UiSource): HarvesterSetting {
    return new HarvesterSetting(scope, id, { name: SETTING.UI_SOURCE, value: source });
  }

  /**
   * Where the UI is loaded from.
   * @param address a URL
   */
  public static uiIndex(scope: Construct, id: string, address: string): HarvesterSetting {
    return new HarvesterSetting(scope, id, { name: SETTING.UI_INDEX, value: address });
  }

  /**
   * The folder of the UI that comes with Harvester.
   * @param path an absolute path in the container of Harvester
   */
  public static uiPath(scope: Construct, id: string, path: string): HarvesterSetting {
    return new HarvesterSetting(scope, id, { name: SETTING.UI_PATH, value: path });
  }

  /**
   * Where Rancher loads its plugin for Harvester from.
   * @param address a URL
   */
  public static uiPluginIndex(scope: Construct, id: string, address: string): HarvesterSetting {
    return new HarvesterSetting(scope, id, { name: SETTING.UI_PLUGIN_INDEX, value: address });
  }

  /**
   * Takes a setting back to its default: the value `""`, or the value of its default where Harvester fails on an empty one (`vip-pools`,
   * `auto-rotate-rke2-certs`; `http-proxy`, `ntp-servers` and `overcommit-config` in earlier versions). Deleting the object has no effect.
   * @param name of the setting
   */
  public static reset(scope: Construct, id: string, name: string): HarvesterSetting {
    return new HarvesterSetting(scope, id, { name, value: checks().resetValue(name, harvesterTargetOf(scope, 'HarvesterSetting').version) });
  }

  private static json(scope: Construct, id: string, name: string, produce: () => { readonly [key: string]: unknown }): HarvesterSetting {
    return HarvesterSetting.text(scope, id, name, () => JSON.stringify(produce()));
  }

  // secrets that are not set and durations that are not whole fail here, where the construct is not yet made
  private static text(scope: Construct, id: string, name: string, produce: () => string): HarvesterSetting {
    return new HarvesterSetting(scope, id, { name, value: parsedAt(`${scope.node.path}/${id}`, name, produce) });
  }

  /** The name of the setting. */
  public readonly settingName: string;

  constructor(scope: Construct, id: string, props: HarvesterSettingProps) {
    super(scope, id);
    this.settingName = props.name;
    const { version } = harvesterTargetOf(this, 'HarvesterSetting');
    failOnErrors(this, checks().checkSetting(props.name, props.value, version));
    const setting = new ApiObject(this, 'Resource', {
      apiVersion: API_VERSIONS.HARVESTER,
      kind: 'Setting',
      metadata: { name: props.name },
      value: props.value,
    });
    noteSetting(setting, props.name);
  }
}
