import { Size, Duration } from 'cdk8s';
import type { ITarget } from '../../../core/app/target';
import { BOOL, isJson, map, parseFloat64, pointer, STRING, struct, INT, unmarshal } from '../../../core/go/go-json';
import { certificatesOf } from '../../../core/go/go-pem';
import { isLate } from '../../../core/late/late-token';
import { SecretValue } from '../../../core/late/secret-value';
import { isRecord } from '../../../core/manifest/manifest';
import { Problem } from '../../../core/rule/problem';
import { DNS_SUBDOMAIN } from '../../../core/text/label';
import { CONTROLLERS, SETTINGS_GO, VALIDATOR, integer, json, setting, syncer, warn, words, SettingContext, decoded, isPlain, isWebAddress } from '../setting-entry.check';

/** The snapshot classes of a storage driver. */
export interface CsiSnapshotClasses {
  /** The VolumeSnapshotClass of snapshots. */
  readonly volumeSnapshotClassName: string;
  /** The VolumeSnapshotClass of backups. @default - the driver makes no backups */
  readonly backupVolumeSnapshotClassName?: string;
}

/** CPUs of Longhorn's instance managers by data engine: percent of a node's CPUs, 0 to 40. Needs Harvester 1.8.0. */
export interface InstanceManagerCpuProps {
  /** The first data engine. */
  readonly v1Percent: number;
  /** The second data engine. */
  readonly v2Percent: number;
}

const CPU_FORMAT = '{"cpu":{"v1":"12","v2":"12"}} or {"cpu":{}}';
const MAX_CPU = 40;

// read as the server does: maps, whose keys match exactly
function checkInstanceManager(value: string): Problem[] {
  const refuse = (path: string, message: string, says?: string): Problem[] => [{
    path, value, message, fix: `give ${CPU_FORMAT}, percent of a node's CPUs from 0 to ${MAX_CPU} as text`, ...(says === undefined ? {} : { says: `failed to parse value: ${says}` }),
  }];
  const config: unknown = isJson(value) ? JSON.parse(value) : undefined;
  if (config === undefined || (config !== null && !isRecord(config))) { return refuse('value', 'must be a JSON object'); }
  if (!config || !Object.prototype.hasOwnProperty.call(config, 'cpu')) { return refuse('value.cpu', 'is missing', 'cpu is required'); }
  const { cpu } = config;
  if (cpu !== null && !isRecord(cpu)) { return refuse('value.cpu', 'must be an object'); }
  const engines = new Map(Object.entries(cpu ?? {}));
  return engines.size === 0 ? [] : ['v1', 'v2'].flatMap((engine): Problem[] => {
    const path = `value.cpu.${engine}`;
    const percent = engines.get(engine);
    if (percent === undefined) { return refuse(path, 'is missing', `cpu.${engine} is required`); }
    if (typeof percent === 'string' && isLate(percent)) { return []; }
    const number = typeof percent === 'string' ? parseFloat64(percent) : undefined;
    if (number === undefined) { return refuse(path, 'must be a number as text'); }
    const limit = number < 0 ? 'larger than or equal to 0' : number > MAX_CPU ? `less than or equal to ${MAX_CPU}` : undefined;
    return limit ? refuse(path, `must be 0 to ${MAX_CPU} percent`).map((problem) => (
      { ...problem, says: `failed to validate value cpu.${engine}: value ${percent as string} for data engine v1 should be ${limit}` })) : [];
  });
}

const CSI_FORMAT = '{"driver.longhorn.io":{"volumeSnapshotClassName":"longhorn-snapshot","backupVolumeSnapshotClassName":"longhorn"}}';
const EXPAND_FORMAT = '{"driver.longhorn.io":true}';
const VERSIONS_FORMAT = '{"harvester-cloud-provider":">=0.0.1 <0.3.0","harvester-csi-provider":">=0.0.1 <0.3.0"}';

function checkSnapshotClass(value: string): Problem[] {
  return DNS_SUBDOMAIN.test(value) && value.length <= 253 ? [] : [{
    path: 'value',
    value,
    message: 'must be the name of an existing VolumeSnapshotClass',
    fix: 'give the name of a VolumeSnapshotClass',
    says: `volumesnapshotclasses.snapshot.storage.k8s.io "${value}" not found`,
  }];
}

function checkStorageClass(value: string): Problem[] {
  return DNS_SUBDOMAIN.test(value) ? [] : [warn({ path: 'value', value, message: 'must be the name of a StorageClass', fix: 'give the name of a StorageClass' })];
}

function checkDisks(value: string): Problem[] {
  return [warn({
    path: 'value',
    value,
    message: 'makes Harvester format every disk that matches, on all nodes, now and later: their data is lost',
    fix: 'add disks node by node, or suppress this with the reason why they hold no data',
  })];
}

const BOOLEAN = ['true', 'false'];

/** The settings of storage. */
export const STORAGE_FAMILY = {
  'instance-manager-resources': setting<InstanceManagerCpuProps>({
    since: '1.8.0',
    what: 'the CPUs of Longhorn\'s instance managers; all volumes must be detached',
    format: CPU_FORMAT,
    default: '{"cpu":{}}',
    undeletable: true,
    judgesDefault: 'never',
    level: 'error',
    print: ({ v1Percent, v2Percent }) => ({ cpu: { v1: String(v1Percent), v2: String(v2Percent) } }),
    controller: syncer(),
    source: 'harvester/harvester:pkg/settings/settings_helper.go DecodeLHIMResources; longhorn/longhorn-manager:types/setting.go',
    check: checkInstanceManager,
  }),
  'csi-driver-config': setting<{ readonly [driver: string]: CsiSnapshotClasses }>({
    since: '1.2.0',
    what: 'the snapshot classes of each storage driver',
    format: CSI_FORMAT,
    default: CSI_FORMAT,
    judgesDefault: 'never',
    level: 'warning',
    print: (drivers) => Object.fromEntries(Object.entries(drivers).map(([driver, { volumeSnapshotClassName, backupVolumeSnapshotClassName }]) => [
      driver, { volumeSnapshotClassName, backupVolumeSnapshotClassName: backupVolumeSnapshotClassName ?? '' },
    ])),
    source: SETTINGS_GO,
    check: json({ type: map(pointer(struct({ volumeSnapshotClassName: STRING, backupVolumeSnapshotClassName: STRING }))), unread: true }),
  }),
  'csi-online-expand-validation': setting<{ readonly [driver: string]: boolean }>({
    since: '1.6.0',
    what: 'the storage drivers whose volumes may grow while in use',
    format: EXPAND_FORMAT,
    default: EXPAND_FORMAT,
    judgesDefault: 'never',
    level: 'warning',
    print: (drivers) => drivers,
    source: SETTINGS_GO,
    check: json({ type: map(BOOL), unread: true }),
  }),
  'harvester-csi-ccm-versions': setting<{ readonly [chart: string]: string }>({
    what: 'the chart versions of cloud provider and storage driver that guest clusters may have',
    format: VERSIONS_FORMAT,
    default: VERSIONS_FORMAT,
    judgesDefault: 'never',
    level: 'warning',
    print: (versions) => versions,
    source: SETTINGS_GO,
    check: json({ type: map(STRING), unread: true }),
  }),
  'default-storage-class': setting<{ readonly name: string; readonly target: ITarget }>({
    what: 'the storage class of Harvester\'s own volumes',
    format: 'the name of a StorageClass',
    default: 'longhorn',
    judgesDefault: 'never',
    level: 'warning',
    print: ({ name }) => name,
    refersTo: (storageClass) => [['storageClass', storageClass]],
    source: SETTINGS_GO,
    check: checkStorageClass,
  }),
  'volume-snapshot-class': setting<string>({
    what: 'the snapshot class of restores into another namespace',
    format: 'the name of a VolumeSnapshotClass',
    default: 'longhorn',
    judgesDefault: 'always',
    level: 'error',
    print: (name) => name,
    source: VALIDATOR,
    check: checkSnapshotClass,
  }),
  'auto-disk-provision-paths': setting<readonly string[]>({
    what: 'the disks that Harvester formats and uses by itself, on all nodes',
    format: '/dev/sd*,/dev/hd*',
    default: '',
    judgesDefault: 'never',
    level: 'warning',
    print: (patterns) => patterns.join(','),
    controller: syncer(),
    source: `${CONTROLLERS}/auto_disk_provision.go; harvester/docs:docs/advanced/settings.md`,
    check: checkDisks,
  }),
  'longhorn-v2-data-engine-enabled': setting<boolean>({
    since: '1.4.0',
    what: 'whether volumes may use Longhorn\'s second data engine',
    format: 'true or false',
    default: 'false',
    judgesDefault: 'never',
    level: 'warning',
    print: String,
    controller: syncer(),
    source: `${CONTROLLERS}/nodeconfig.go`,
    check: words(BOOLEAN, 'any other text means false'),
  }),
  'longhorn-v2-data-engine-hugepage-enabled': setting<boolean>({
    since: '1.9.0',
    what: 'whether Longhorn\'s second data engine uses huge pages',
    format: 'true or false',
    default: 'true',
    judgesDefault: 'never',
    level: 'warning',
    print: String,
    controller: syncer(),
    source: `${CONTROLLERS}/nodeconfig.go`,
    check: words(BOOLEAN, 'any other text means true'),
  }),
  'longhorn-v2-data-engine-memory-size': setting<Size>({
    since: '1.9.0',
    what: 'the memory of Longhorn\'s second data engine on each node, in MiB',
    format: 'an even number of MiB',
    default: '2048',
    judgesDefault: 'never',
    level: 'error',
    print: (size) => String(size.toMebibytes()),
    controller: syncer(),
    source: VALIDATOR,
    check: integer({
      allowed: 'an even number of MiB above 0',
      refuses: (number) => (number <= 0 ? 'longhorn-v2-data-engine-memory-size must be greater than zero'
        : number % 2 !== 0 ? 'longhorn-v2-data-engine-memory-size must be evenly divisible by two' : undefined),
    }),
  }),
};

/** An S3 bucket for backups. */
export interface S3BackupTargetProps {
  /** Name of the bucket. */
  readonly bucket: string;
  /** Region of the bucket. */
  readonly region: string;
  /** ID of the access key. */
  readonly accessKey: SecretValue;
  /** Secret of the access key. */
  readonly secretKey: SecretValue;

  /** URL of the server, e.g. `https://s3.example.com`. @default - AWS */
  readonly endpoint?: string;

  /** Certificates in PEM form that signed the server's certificate. @default - the public authorities and those of the setting additional-ca */
  readonly caCertificates?: string;

  /** Whether the bucket is part of the host name. @default false */
  readonly virtualHostedStyle?: boolean;

  /** How often Harvester looks for backups of other clusters, in whole seconds. @default - never */
  readonly refreshInterval?: Duration;
}

/** An NFS export for backups. */
export interface NfsBackupTargetProps {
  /** How often Harvester looks for backups of other clusters, in whole seconds. @default - never */
  readonly refreshInterval?: Duration;
}

/**
 * The store of virtual machine backups. Harvester connects to it when the Setting is applied, and in a server-side dry run as well.
 *
 * @see https://docs.harvesterhci.io/v1.7/vm/backup-restore
 */
export class BackupTarget {
  /**
   * An NFS export.
   *
   * @param endpoint `nfs://<server>:/<path>`
   * @param props options
   */
  public static nfs(endpoint: string, props: NfsBackupTargetProps = {}): BackupTarget {
    return new BackupTarget({ type: 'nfs', endpoint, refreshIntervalInSeconds: props.refreshInterval?.toSeconds() });
  }

  /**
   * A bucket on S3 or a compatible server. Harvester moves the access key into a Secret and removes it from the Setting.
   *
   * @param props the bucket and the key
   */
  public static s3(props: S3BackupTargetProps): BackupTarget {
    return new BackupTarget({
      type: 's3',
      endpoint: props.endpoint ?? '',
      accessKeyId: props.accessKey._unwrap(),
      secretAccessKey: props.secretKey._unwrap(),
      bucketName: props.bucket,
      bucketRegion: props.region,
      cert: props.caCertificates ?? '',
      virtualHostedStyle: props.virtualHostedStyle ?? false,
      refreshIntervalInSeconds: props.refreshInterval?.toSeconds(),
    });
  }

  readonly #config: { readonly [key: string]: unknown };

  private constructor(config: { readonly [key: string]: unknown }) {
    this.#config = config;
  }

  /** @internal */
  public _toConfig(): { readonly [key: string]: unknown } {
    return this.#config;
  }
}

/** A value of backup-target. @see harvester/harvester:pkg/settings/settings_helper.go BackupTarget */
interface BackupTargetConfig {
  readonly type: string;
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly bucketName: string;
  readonly bucketRegion: string;
  readonly cert: string;
  readonly virtualHostedStyle: boolean;
  readonly refreshIntervalInSeconds: number;
}

type Key = keyof BackupTargetConfig;

const S3_FORMAT = '{"type":"s3","endpoint":"","accessKeyId":"<id>","secretAccessKey":"<key>","bucketName":"<bucket>","bucketRegion":"<region>",'
  + '"cert":"","virtualHostedStyle":false}';
const NFS_FORMAT = '{"type":"nfs","endpoint":"nfs://<server>:/<path>"}';

const TARGET = struct({
  type: STRING,
  endpoint: STRING,
  accessKeyId: STRING,
  secretAccessKey: STRING,
  bucketName: STRING,
  bucketRegion: STRING,
  cert: STRING,
  virtualHostedStyle: BOOL,
  refreshIntervalInSeconds: INT,
});

/** A value of backup-target; undefined where it cannot be read. */
export function backupTargetOf(value: string): BackupTargetConfig | undefined {
  return decoded(unmarshal<BackupTargetConfig>(value, TARGET));
}

function checkTarget(target: BackupTargetConfig, context: SettingContext): Problem[] {
  const interval: Problem[] = target.refreshIntervalInSeconds < 0 ? [{
    path: 'value.refreshIntervalInSeconds',
    value: target.refreshIntervalInSeconds,
    message: 'must be 0 or more seconds',
    fix: 'give 0 or more seconds',
    says: 'Refresh interval should be greater than or equal to 0',
  }] : [];
  // the controller writes this back once it has moved the keys into a Secret
  if (isStripped(target, context.before)) { return interval; }
  if (target.type === 's3') { return [...interval, ...checkS3(target)]; }
  if (target.type === 'nfs') { return [...interval, ...checkNfs(target)]; }
  const isUnset = Object.values(target).every((value) => value === '' || value === 0 || value === false);
  return isUnset || isLate(target.type) ? interval : [...interval, {
    path: 'value.type', value: target.type, message: 'must be "s3" or "nfs"', fix: 'give "s3" or "nfs", or "" as the whole value for no target', says: 'Invalid backup target type',
  }];
}

function isStripped(target: BackupTargetConfig, before: string | undefined): boolean {
  if (target.type !== 's3' || target.accessKeyId !== '' || target.secretAccessKey !== '' || before === undefined) { return false; }
  const saved = backupTargetOf(before === '' ? '{}' : before);
  const same: readonly Key[] = ['type', 'bucketName', 'bucketRegion', 'endpoint', 'virtualHostedStyle'];
  return saved !== undefined && same.every((key) => saved[key] === target[key]);
}

function checkS3(target: BackupTargetConfig): Problem[] {
  const missing = (keys: readonly Key[], says: string): Problem[] => keys.filter((key) => target[key] === '')
    .map((key) => ({ path: `value.${key}`, message: 'is missing', fix: `give ${S3_FORMAT}`, says }));
  const endpoint: Problem[] = target.endpoint === '' || isLate(target.endpoint) || isWebAddress(target.endpoint) ? [] : [warn({
    path: 'value.endpoint', message: 'must be the URL of an S3 server', fix: 'give a URL that starts with https:// or http://, or "" for AWS',
  })];
  const cert: Problem[] = target.cert === '' || isLate(target.cert) || certificatesOf(target.cert) ? [] : [warn({
    path: 'value.cert', message: 'must be certificates in PEM form', fix: 'give one or more certificates, or ""',
  })];
  return [
    ...missing(['accessKeyId', 'secretAccessKey'], 'S3 backup target should have access key and access key id'),
    ...missing(['bucketName', 'bucketRegion'], 'S3 backup target should have bucket name and region '),
    ...endpoint, ...cert,
  ];
}

function checkNfs({ endpoint, ...target }: BackupTargetConfig): Problem[] {
  const fix = `give ${NFS_FORMAT}`;
  const excess = (keys: readonly Exclude<Key, 'endpoint'>[], says: string): Problem[] => keys.filter((key) => target[key] !== '')
    .map((key) => ({ path: `value.${key}`, message: 'must be left out for NFS', fix, says }));
  const at = { path: 'value.endpoint', fix };
  const problems: Problem[] = endpoint === '' ? [{ ...at, message: 'is missing', says: 'NFS backup target should have endpoint' }]
    : isLate(endpoint) || /^nfs:\/\/[^/\s]+\S*$/i.test(endpoint) ? []
      : [{ ...at, message: 'must be the URL of an NFS export, which the server mounts before it accepts the value' }];
  return [
    ...problems,
    ...excess(['accessKeyId', 'secretAccessKey'], 'NFS backup target should not have access key or access key id'),
    ...excess(['bucketName', 'bucketRegion'], 'NFS backup target should not have bucket name or region'),
  ];
}

/** The setting of the backup store. */
export const BACKUP_FAMILY = {
  'backup-target': setting<BackupTarget>({
    what: 'the store of virtual machine backups; the webhook connects to it',
    format: `${NFS_FORMAT} or ${S3_FORMAT}`,
    default: '',
    secret: true,
    secretsIn: (value) => (isPlain(backupTargetOf(value)?.secretAccessKey) ? [['value.secretAccessKey', 'the key of the backup store']] : []),
    rewritten: true,
    // seen on Harvester 1.7.2
    actsInDryRun: 'Harvester mounts the backup target even in a dry run',
    judgesLate: true,
    judgesDefault: 'effective',
    level: 'error',
    print: (target) => target._toConfig(),
    controller: { source: 'harvester/harvester:pkg/controller/master/backup/backup_target.go' },
    source: `${VALIDATOR}; seen on Harvester 1.7.2`,
    check: json<BackupTargetConfig>({ type: TARGET, judge: checkTarget }),
  }),
};
