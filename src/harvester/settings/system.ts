import { Duration } from 'cdk8s';
import type { ImagePullPolicy } from 'cdk8s-plus-28';

// a type alone: loading cdk8s-plus takes as long as loading cdk8s

/**
 * How much Harvester writes to its log.
 */
export enum HarvesterLogLevel {
  PANIC = 'panic',
  FATAL = 'fatal',
  ERROR = 'error',
  WARN = 'warn',
  INFO = 'info',
  DEBUG = 'debug',
  TRACE = 'trace',
}

/**
 * Which UI a Harvester shows.
 */
export enum UiSource {
  /** The one of `ui-index` where it can be reached, else the one that comes with Harvester. */
  AUTO = 'auto',
  /** The one of `ui-index`. */
  EXTERNAL = 'external',
  /** The one that comes with Harvester. */
  BUNDLED = 'bundled',
}

/**
 * The image that makes support bundles. Once set, it is not updated with Harvester.
 */
export interface SupportBundleImageProps {
  /** e.g. `rancher/support-bundle-kit` */
  readonly repository: string;
  /** e.g. `v0.0.36` */
  readonly tag: string;
  /** @default ImagePullPolicy.IF_NOT_PRESENT */
  readonly imagePullPolicy?: ImagePullPolicy;
}

/**
 * The pod security standard of all namespaces that are not Harvester's own: `baseline`, unless a list says otherwise. Needs Harvester 1.8.0.
 *
 * While it is enabled nobody else can set labels `pod-security.kubernetes.io/…` on namespaces.
 */
export interface PodSecurityStandardProps {
  /** @default true */
  readonly enabled?: boolean;
  /** Namespaces that are left alone. @default - Harvester's own */
  readonly whitelistedNamespaces?: string[];
  /** Namespaces with the standard `privileged`. @default - none */
  readonly privilegedNamespaces?: string[];
  /** Namespaces with the standard `restricted`. @default - none */
  readonly restrictedNamespaces?: string[];
}

/**
 * The snapshot classes of a storage driver.
 */
export interface CsiSnapshotClasses {
  /** The VolumeSnapshotClass of snapshots. */
  readonly volumeSnapshotClassName: string;
  /** The VolumeSnapshotClass of backups. @default - the driver makes no backups */
  readonly backupVolumeSnapshotClassName?: string;
}

/**
 * How many percent of a node's CPUs Longhorn's instance managers are given, 0 to 40, by data engine. Needs Harvester 1.8.0.
 */
export interface InstanceManagerCpuProps {
  /** The first data engine. */
  readonly v1Percent: number;
  /** The second data engine. */
  readonly v2Percent: number;
}

/** The JSON of an image. */
export function supportBundleImage({ repository, tag, imagePullPolicy }: SupportBundleImageProps): { readonly [key: string]: unknown } {
  return { repository, tag, imagePullPolicy: imagePullPolicy ?? 'IfNotPresent' };
}

/** The JSON of the standard. */
export function podSecurityStandard(props: PodSecurityStandardProps): { readonly [key: string]: unknown } {
  const list = (names: string[] | undefined) => (names ?? []).join(',');
  return {
    enabled: props.enabled ?? true,
    whitelistedNamespacesList: list(props.whitelistedNamespaces),
    privilegedNamespacesList: list(props.privilegedNamespaces),
    restrictedNamespacesList: list(props.restrictedNamespaces),
  };
}

/** The JSON of the snapshot classes, by driver. */
export function csiDriverConfig(drivers: { readonly [driver: string]: CsiSnapshotClasses }): { readonly [key: string]: unknown } {
  return Object.fromEntries(Object.entries(drivers).map(([driver, { volumeSnapshotClassName, backupVolumeSnapshotClassName }]) => [
    driver, { volumeSnapshotClassName, backupVolumeSnapshotClassName: backupVolumeSnapshotClassName ?? '' },
  ]));
}

/** The JSON of the percentages. */
export function instanceManagerCpu({ v1Percent, v2Percent }: InstanceManagerCpuProps): { readonly [key: string]: unknown } {
  return { cpu: { v1: String(v1Percent), v2: String(v2Percent) } };
}

/**
 * How the images of a release get onto the nodes before an upgrade.
 */
export class ImagePreload {
  /** One node after the other. */
  public static sequential(): ImagePreload {
    return new ImagePreload({ type: 'sequential' });
  }

  /** Not at all: every node pulls them when it needs them. Not for production. */
  public static skip(): ImagePreload {
    return new ImagePreload({ type: 'skip' });
  }

  /**
   * Many nodes at once.
   *
   * @param concurrency how many; all by default
   */
  public static parallel(concurrency: number = 0): ImagePreload {
    return new ImagePreload({ type: 'parallel', concurrency });
  }

  private constructor(private readonly strategy: { readonly [key: string]: unknown }) {}

  /** @internal */
  public _toStrategy(): { readonly [key: string]: unknown } {
    return this.strategy;
  }
}

/**
 * How an upgrade goes from node to node. Needs Harvester 1.7.0.
 */
export class NodeUpgrade {
  /** Without a stop. */
  public static auto(): NodeUpgrade {
    return new NodeUpgrade({ mode: 'auto' });
  }

  /**
   * With a stop before nodes, until somebody lets it go on.
   *
   * @param pauseNodes names of nodes; before all by default
   */
  public static manual(pauseNodes?: string[]): NodeUpgrade {
    return new NodeUpgrade({ mode: 'manual', pauseNodes });
  }

  private constructor(private readonly strategy: { readonly [key: string]: unknown }) {}

  /** @internal */
  public _toStrategy(): { readonly [key: string]: unknown } {
    return this.strategy;
  }
}

/**
 * How upgrades of a Harvester go.
 *
 * @see https://docs.harvesterhci.io/v1.7/advanced/index#upgrade-config
 */
export interface UpgradeConfigProps {
  /** @default ImagePreload.sequential() */
  readonly imagePreload?: ImagePreload;
  /** Needs Harvester 1.7.0. @default - without a stop */
  readonly nodeUpgrade?: NodeUpgrade;
  /** Whether virtual machines that can't migrate are stopped and started again. @default false */
  readonly restoreVm?: boolean;
  /** How long Harvester waits for the log of the upgrade, 1 to 20 minutes. Needs Harvester 1.7.0. @default - 5 minutes */
  readonly logReadyTimeout?: Duration;
}

/** The JSON of the configuration. */
export function upgradeConfig(props: UpgradeConfigProps): { readonly [key: string]: unknown } {
  return {
    imagePreloadOption: { strategy: (props.imagePreload ?? ImagePreload.sequential())._toStrategy() },
    nodeUpgradeOption: props.nodeUpgrade && { strategy: props.nodeUpgrade._toStrategy() },
    restoreVM: props.restoreVm ?? false,
    logReadyTimeout: props.logReadyTimeout === undefined ? undefined : String(props.logReadyTimeout.toMinutes()),
  };
}
