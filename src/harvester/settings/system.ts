// a type alone: loading cdk8s-plus takes as long as loading cdk8s
import type { ImagePullPolicy } from 'cdk8s-plus-28';

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
