import { Duration, Size } from 'cdk8s';
import { Construct } from 'constructs';
import { HarvesterResource } from '../harvester-resource';
import { BackupTarget } from './catalogue/backup-target.check';
import {
  SslCertificatesProps,
  SslParametersProps,
  TraefikTlsOptionsProps,
} from './catalogue/certificates.check';
import { RwxNetwork, StorageNetworkProps, TrafficNetworkProps } from './catalogue/network.check';
import { ClusterRegistrationProps } from './catalogue/registration.check';
import { ContainerdRegistryProps, HttpProxyProps } from './catalogue/registry-and-proxy.check';
import { CsiSnapshotClasses, InstanceManagerCpuProps } from './catalogue/storage.check';
import {
  SupportBundleImageProps,
  AutoRotateRke2CertsProps,
  HarvesterLogLevel,
  PodSecurityStandardProps,
  UiSource,
} from './catalogue/system.check';
import { UpgradeConfigProps } from './catalogue/upgrade.check';
import {
  KubevirtMigrationProps,
  OvercommitProps,
  VmForceResetPolicyProps,
} from './catalogue/virtual-machines.check';
import { checkHarvesterSetting, resetValue } from './harvester-settings.check';
import { SettingName, SettingValue } from './harvester-settings.data';
import { SETTING, notesOfSetting } from './setting-notes';
import { printTypedValue } from './typed-value';
import { ResourceOptions } from '../../core/app/resource';
import { note, settingProps } from '../../core/construct/object-notes';
import { INamespace, harvesterTargetOf } from '../../core/construct/target';
import { failOnErrors } from '../../core/problem/problem';
import { IHarvesterStorageClass } from '../storage/harvester-storage-class';

/** Name and value of a Harvester setting. */
export interface HarvesterSettingProps extends ResourceOptions {
  /** Name of the setting, e.g. `log-level`. */
  readonly name: string;
  /**
   * The value as text, which is JSON for many settings. `""` is the default. May contain late
   * values.
   */
  readonly value: string;
}

/**
 * A Harvester setting: gives a value to the Setting (harvesterhci.io) of that name, which already
 * exists.
 *
 * The typed methods write the settings that this library knows, JSON in one line with a fixed order
 * of keys; the constructor writes any setting. Removing the construct does not reset the setting:
 * use `HarvesterSetting.reset`. For the setting `additional-ca` use `AdditionalCa`.
 *
 * @see https://docs.harvesterhci.io/v1.7/advanced/index
 * @example
 * HarvesterSetting.ntpServers(dc1, 'ntp', ['0.pool.ntp.org', '1.pool.ntp.org']);
 */
export class HarvesterSetting extends HarvesterResource {
  /**
   * Imports this Harvester into a Rancher (`cluster-registration-url`). `HarvesterImport` writes
   * it, too. A reset removes only the cluster agent.
   *
   * Written as JSON from Harvester 1.7.2 on, before that as a plain URL whose certificate is never
   * verified.
   */
  public static clusterRegistrationUrl(
    scope: Construct,
    id: string,
    registration: ClusterRegistrationProps,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'cluster-registration-url', registration);
  }

  /**
   * Whether deleting a namespace on Harvester deletes its guest clusters from Rancher
   * (`rancher-cluster`). Needs Harvester 1.6.0.
   *
   * `true` needs the Secret `harvester-system/rancher-cluster-config` with a kubeconfig of Rancher
   * in its key `kubeConfig`.
   */
  public static rancherCluster(
    scope: Construct,
    id: string,
    removeUpstreamClusterWhenNamespaceIsDeleted: boolean,
  ): HarvesterSetting {
    return HarvesterSetting.of(
      scope,
      id,
      'rancher-cluster',
      removeUpstreamClusterWhenNamespaceIsDeleted,
    );
  }

  /**
   * The network of Longhorn's traffic (`storage-network`). To change it, stop all virtual machines
   * and detach all volumes.
   */
  public static storageNetwork(
    scope: Construct,
    id: string,
    network: StorageNetworkProps,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'storage-network', network);
  }

  /**
   * The network of live migrations, with an address for every node (`vm-migration-network`). Needs
   * Harvester 1.6.0.
   */
  public static vmMigrationNetwork(
    scope: Construct,
    id: string,
    network: TrafficNetworkProps,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'vm-migration-network', network);
  }

  /**
   * The network of volumes that several pods mount at the same time (`rwx-network`). Needs
   * Harvester 1.8.0.
   */
  public static rwxNetwork(scope: Construct, id: string, network: RwxNetwork): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'rwx-network', network);
  }

  /**
   * Addresses of load balancers by namespace (`vip-pools`). Harvester deprecates it in favor of IP
   * pools.
   * @param pools CIDRs, or ranges `<first>-<last>` of IPv4, by namespace; not both in one namespace
   */
  public static vipPools(
    scope: Construct,
    id: string,
    pools: { [namespace: string]: string[] },
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'vip-pools', pools);
  }

  /**
   * The time servers of all nodes, each a host name or an address (`ntp-servers`). An empty list
   * removes them. Needs Harvester 1.2.0.
   */
  public static ntpServers(scope: Construct, id: string, servers: string[]): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'ntp-servers', servers);
  }

  /**
   * The proxy between Harvester and other networks (`http-proxy`). A change restarts Harvester and
   * the Rancher that it embeds.
   */
  public static httpProxy(scope: Construct, id: string, proxy: HttpProxyProps): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'http-proxy', proxy);
  }

  /**
   * The registries that all nodes pull images from (`containerd-registry`). Harvester moves the
   * credentials out of the Setting.
   */
  public static containerdRegistry(
    scope: Construct,
    id: string,
    registries: ContainerdRegistryProps,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'containerd-registry', registries);
  }

  /** The certificate of Harvester's UI and API (`ssl-certificates`). */
  public static sslCertificates(
    scope: Construct,
    id: string,
    certificates: SslCertificatesProps,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'ssl-certificates', certificates);
  }

  /**
   * The protocols and ciphers of Harvester's UI and API (`ssl-parameters`). Unsuitable ones lock
   * all users out. No effect from Harvester 1.9.0 on.
   */
  public static sslParameters(
    scope: Construct,
    id: string,
    parameters: SslParametersProps,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'ssl-parameters', parameters);
  }

  /** TLS of Harvester's ingress (`traefik-default-tls-options`). Needs Harvester 1.9.0. */
  public static traefikDefaultTlsOptions(
    scope: Construct,
    id: string,
    options: TraefikTlsOptionsProps,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'traefik-default-tls-options', options);
  }

  /**
   * The store of virtual machine backups (`backup-target`). Harvester connects to it before it
   * accepts the Setting.
   */
  public static backupTarget(scope: Construct, id: string, target: BackupTarget): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'backup-target', target);
  }

  /**
   * The snapshot classes of each storage driver (`csi-driver-config`). Needs Harvester 1.2.0.
   * @param drivers the classes by name of the driver; must contain `driver.longhorn.io`
   */
  public static csiDriverConfig(
    scope: Construct,
    id: string,
    drivers: { [driver: string]: CsiSnapshotClasses },
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'csi-driver-config', drivers);
  }

  /**
   * Whether volumes may grow while in use, by name of the storage driver
   * (`csi-online-expand-validation`). Needs Harvester 1.6.0.
   */
  public static csiOnlineExpandValidation(
    scope: Construct,
    id: string,
    drivers: { [driver: string]: boolean },
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'csi-online-expand-validation', drivers);
  }

  /**
   * The CPUs of Longhorn's instance managers (`instance-manager-resources`). To change it, detach
   * all volumes. Needs Harvester 1.8.0.
   */
  public static instanceManagerResources(
    scope: Construct,
    id: string,
    cpu: InstanceManagerCpuProps,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'instance-manager-resources', cpu);
  }

  /**
   * The chart versions that guest clusters may have (`harvester-csi-ccm-versions`).
   * @param versions ranges of versions, by `harvester-cloud-provider` and `harvester-csi-provider`
   */
  public static harvesterCsiCcmVersions(
    scope: Construct,
    id: string,
    versions: { [chart: string]: string },
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'harvester-csi-ccm-versions', versions);
  }

  /**
   * The StorageClass of Harvester's own volumes (`default-storage-class`). It does not become the
   * cluster's default class.
   */
  public static defaultStorageClass(
    scope: Construct,
    id: string,
    storageClass: IHarvesterStorageClass,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'default-storage-class', storageClass);
  }

  /**
   * The VolumeSnapshotClass of restores into another namespace (`volume-snapshot-class`). It must
   * exist.
   */
  public static volumeSnapshotClass(
    scope: Construct,
    id: string,
    volumeSnapshotClassName: string,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'volume-snapshot-class', volumeSnapshotClassName);
  }

  /**
   * The disks that Harvester formats and uses by itself, on all nodes, now and later
   * (`auto-disk-provision-paths`). **Their data is lost.**
   * @param patterns patterns of device files, e.g. `/dev/sd*`
   */
  public static autoDiskProvisionPaths(
    scope: Construct,
    id: string,
    patterns: string[],
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'auto-disk-provision-paths', patterns);
  }

  /**
   * Whether volumes may use Longhorn's second data engine (`longhorn-v2-data-engine-enabled`).
   * Restarts RKE2 on all nodes. Needs Harvester 1.4.0.
   */
  public static longhornV2DataEngineEnabled(
    scope: Construct,
    id: string,
    enabled: boolean,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'longhorn-v2-data-engine-enabled', enabled);
  }

  /**
   * Whether Longhorn's second data engine uses huge pages
   * (`longhorn-v2-data-engine-hugepage-enabled`). Needs Harvester 1.9.0.
   */
  public static longhornV2DataEngineHugepageEnabled(
    scope: Construct,
    id: string,
    enabled: boolean,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'longhorn-v2-data-engine-hugepage-enabled', enabled);
  }

  /**
   * Memory of Longhorn's second data engine per node, an even number of MiB
   * (`longhorn-v2-data-engine-memory-size`). Needs Harvester 1.9.0.
   */
  public static longhornV2DataEngineMemorySize(
    scope: Construct,
    id: string,
    size: Size,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'longhorn-v2-data-engine-memory-size', size);
  }

  /**
   * Percent of CPU, memory and storage that virtual machines may request in total
   * (`overcommit-config`).
   */
  public static overcommitConfig(
    scope: Construct,
    id: string,
    overcommit: OvercommitProps,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'overcommit-config', overcommit);
  }

  /** What happens to the virtual machines of a failed node (`vm-force-reset-policy`). */
  public static vmForceResetPolicy(
    scope: Construct,
    id: string,
    policy: VmForceResetPolicyProps,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'vm-force-reset-policy', policy);
  }

  /**
   * Whole seconds that a virtual machine has to shut down
   * (`default-vm-termination-grace-period-seconds`). Needs Harvester 1.2.0.
   */
  public static defaultVmTerminationGracePeriod(
    scope: Construct,
    id: string,
    period: Duration,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'default-vm-termination-grace-period-seconds', period);
  }

  /**
   * The factor for the memory that is reserved in addition to each virtual machine
   * (`additional-guest-memory-overhead-ratio`). Needs Harvester 1.4.0.
   * @param ratio 1 to 10; 0 disables it
   */
  public static additionalGuestMemoryOverheadRatio(
    scope: Construct,
    id: string,
    ratio: number,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'additional-guest-memory-overhead-ratio', ratio);
  }

  /**
   * The factor, 1 to 20, by which CPUs and memory of a running virtual machine may grow
   * (`max-hotplug-ratio`). Needs Harvester 1.6.0.
   */
  public static maxHotplugRatio(scope: Construct, id: string, ratio: number): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'max-hotplug-ratio', ratio);
  }

  /** Live migration of virtual machines (`kubevirt-migration`). Needs Harvester 1.7.0. */
  public static kubevirtMigration(
    scope: Construct,
    id: string,
    migration: KubevirtMigrationProps,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'kubevirt-migration', migration);
  }

  /** Renewal of Kubernetes' own certificates (`auto-rotate-rke2-certs`). Needs Harvester 1.3.0. */
  public static autoRotateRke2Certs(
    scope: Construct,
    id: string,
    rotation: AutoRotateRke2CertsProps,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'auto-rotate-rke2-certs', rotation);
  }

  /**
   * Lifetime of downloaded kubeconfigs' tokens, in the Rancher that Harvester embeds
   * (`kubeconfig-default-token-ttl-minutes`). Needs Harvester 1.3.1.
   * @param ttl whole minutes, at most 100 years; 0 for no limit
   */
  public static kubeconfigDefaultTokenTtl(
    scope: Construct,
    id: string,
    ttl: Duration,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'kubeconfig-default-token-ttl-minutes', ttl);
  }

  /**
   * The pod security standard of namespaces (`cluster-pod-security-standard`). Needs Harvester
   * 1.8.0.
   */
  public static clusterPodSecurityStandard(
    scope: Construct,
    id: string,
    standard: PodSecurityStandardProps,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'cluster-pod-security-standard', standard);
  }

  /** How much Harvester writes to its log (`log-level`). */
  public static logLevel(scope: Construct, id: string, level: HarvesterLogLevel): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'log-level', level);
  }

  /** The image of support bundles (`support-bundle-image`). */
  public static supportBundleImage(
    scope: Construct,
    id: string,
    image: SupportBundleImageProps,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'support-bundle-image', image);
  }

  /**
   * Whole minutes after which a support bundle fails; 0 for no limit (`support-bundle-timeout`).
   * Needs Harvester 1.2.0.
   */
  public static supportBundleTimeout(
    scope: Construct,
    id: string,
    timeout: Duration,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'support-bundle-timeout', timeout);
  }

  /**
   * Whole minutes that a support bundle is kept; 0 for the default (`support-bundle-expiration`).
   * Needs Harvester 1.3.0.
   */
  public static supportBundleExpiration(
    scope: Construct,
    id: string,
    expiration: Duration,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'support-bundle-expiration', expiration);
  }

  /**
   * Whole minutes for collecting from the nodes; 0 for the default
   * (`support-bundle-node-collection-timeout`). Needs Harvester 1.3.1.
   */
  public static supportBundleNodeCollectionTimeout(
    scope: Construct,
    id: string,
    timeout: Duration,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'support-bundle-node-collection-timeout', timeout);
  }

  /**
   * The file name of a support bundle, an RFC 1123 label (`support-bundle-file-name`). Needs
   * Harvester 1.8.0.
   */
  public static supportBundleFileName(
    scope: Construct,
    id: string,
    fileName: string,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'support-bundle-file-name', fileName);
  }

  /**
   * Additional namespaces of a support bundle (`support-bundle-namespaces`). Needs Harvester 1.2.0.
   */
  public static supportBundleNamespaces(
    scope: Construct,
    id: string,
    namespaces: INamespace[],
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'support-bundle-namespaces', namespaces);
  }

  /** Options of Harvester upgrades (`upgrade-config`). Needs Harvester 1.4.0. */
  public static upgradeConfig(
    scope: Construct,
    id: string,
    config: UpgradeConfigProps,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'upgrade-config', config);
  }

  /** URL of release images (`release-download-url`). */
  public static releaseDownloadUrl(scope: Construct, id: string, url: string): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'release-download-url', url);
  }

  /** Whether Harvester looks for new releases (`upgrade-checker-enabled`). */
  public static upgradeCheckerEnabled(
    scope: Construct,
    id: string,
    enabled: boolean,
  ): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'upgrade-checker-enabled', enabled);
  }

  /** URL of the upgrade responder that reports new Harvester releases (`upgrade-checker-url`). */
  public static upgradeCheckerUrl(scope: Construct, id: string, url: string): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'upgrade-checker-url', url);
  }

  /** Which UI Harvester shows (`ui-source`). */
  public static uiSource(scope: Construct, id: string, source: UiSource): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'ui-source', source);
  }

  /** URL of the external UI (`ui-index`). */
  public static uiIndex(scope: Construct, id: string, url: string): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'ui-index', url);
  }

  /** The folder of the bundled UI, an absolute path in the container of Harvester (`ui-path`). */
  public static uiPath(scope: Construct, id: string, path: string): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'ui-path', path);
  }

  /** URL of Rancher's plugin for Harvester (`ui-plugin-index`). */
  public static uiPluginIndex(scope: Construct, id: string, url: string): HarvesterSetting {
    return HarvesterSetting.of(scope, id, 'ui-plugin-index', url);
  }

  /**
   * Resets a setting to its default.
   *
   * Writes the value `""`, or the value of its default where Harvester fails on an empty one
   * (`vip-pools`, `auto-rotate-rke2-certs`; `http-proxy`, `ntp-servers` and `overcommit-config` in
   * earlier versions). Deleting the object has no effect.
   * @param name name of the setting
   */
  public static reset(scope: Construct, id: string, name: string): HarvesterSetting {
    return new HarvesterSetting(scope, id, {
      name,
      value: resetValue(name, harvesterTargetOf(scope, 'HarvesterSetting').version),
    });
  }

  private static of<N extends SettingName>(
    scope: Construct,
    id: string,
    name: N,
    value: SettingValue<N>,
  ): HarvesterSetting {
    const printed = printTypedValue(scope, id, name, value);
    const setting = new HarvesterSetting(scope, id, { name, value: printed });
    note(setting.apiObject, { props: settingProps(name, value, setting.value) });
    return setting;
  }

  /** The value as text. */
  public readonly value: string;

  constructor(scope: Construct, id: string, props: HarvesterSettingProps) {
    super(scope, id, props);
    this.value = props.value;
    failOnErrors(this, checkHarvesterSetting(this.name, props.value, this.harvester.version));
    this._write({ ...SETTING, value: props.value }, notesOfSetting(this.name));
  }
}
