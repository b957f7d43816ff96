import {
  CONTROLLERS, SETTINGS_GO, SUBDOMAIN, SettingContext, SettingEntry, VALIDATOR, integerCheck, isWebAddress, jsonCheck, syncer,
  unmarshalFailedHidden, warn, wordCheck,
} from './entry';
import { parseGoJson } from '../../../core/go/go-json';
import { BOOL, INT64, STRING, map, named, pointer, struct, unmarshal } from '../../../core/go/go-json-decode';
import { parseFloat64 } from '../../../core/go/go-numbers';
import { parsesAsBundle } from '../../../core/go/go-pem';
import { isLate } from '../../../core/late/late-token';
import { Problem } from '../../../core/rule/problem';
import { SETTING } from '../harvester-setting.kind';

/** Where backups go. @see harvester/harvester:pkg/settings/settings_helper.go BackupTarget */
export interface BackupTargetConfig {
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

const S3_FORMAT = '{"type":"s3","endpoint":"","accessKeyId":"<id>","secretAccessKey":"<key>","bucketName":"<bucket>","bucketRegion":"<region>",'
  + '"cert":"","virtualHostedStyle":false}';
const TARGET_FORMAT = `{"type":"nfs","endpoint":"nfs://<server>:/<path>"} or ${S3_FORMAT}`;

const TARGET = struct('settings.BackupTarget', {
  type: named('settings.TargetType'),
  endpoint: STRING,
  accessKeyId: STRING,
  secretAccessKey: STRING,
  bucketName: STRING,
  bucketRegion: STRING,
  cert: STRING,
  virtualHostedStyle: BOOL,
  refreshIntervalInSeconds: INT64,
});

/** What a value of backup-target says; undefined where it can not be read. */
export function backupTargetOf(value: string): BackupTargetConfig | undefined {
  const result = unmarshal<BackupTargetConfig>(value, TARGET);
  return 'error' in result ? undefined : result.config;
}

function checkTarget(target: BackupTargetConfig, context: SettingContext): Problem[] {
  const interval: Problem[] = target.refreshIntervalInSeconds < 0 ? [{
    path: 'value.refreshIntervalInSeconds',
    value: target.refreshIntervalInSeconds,
    message: 'must not be negative',
    fix: 'give 0 or more seconds',
    says: 'Refresh interval should be greater than or equal to 0',
  }] : [];
  // what the controller writes back once it has moved the keys into a Secret
  if (isStripped(target, context.before)) { return interval; }
  switch (target.type) {
    case 's3': return [...interval, ...checkS3(target)];
    case 'nfs': return [...interval, ...checkNfs(target)];
    case '': return isUnset(target) ? interval : [...interval, unknownType(target)];
    default: return isLate(target.type) ? interval : [...interval, unknownType(target)];
  }
}

function unknownType({ type }: BackupTargetConfig): Problem {
  return { path: 'value.type', value: type, message: 'is no kind of backup target', fix: 'give "s3" or "nfs", or "" as the whole value for none', says: 'Invalid backup target type' };
}

function isUnset(target: BackupTargetConfig): boolean {
  return Object.values(target).every((value) => value === '' || value === 0 || value === false);
}

function isStripped(target: BackupTargetConfig, before: string | undefined): boolean {
  if (target.type !== 's3' || target.accessKeyId !== '' || target.secretAccessKey !== '' || before === undefined) { return false; }
  const saved = backupTargetOf(before === '' ? '{}' : before);
  const same: readonly (keyof BackupTargetConfig)[] = ['type', 'bucketName', 'bucketRegion', 'endpoint', 'virtualHostedStyle'];
  return saved !== undefined && same.every((key) => saved[key] === target[key]);
}

function checkS3(target: BackupTargetConfig): Problem[] {
  const missing = (keys: readonly (keyof BackupTargetConfig)[], says: string): Problem[] => keys.filter((key) => target[key] === '')
    .map((key) => ({ path: `value.${key}`, message: 'is missing', fix: `give ${S3_FORMAT}`, says }));
  const endpoint: Problem[] = target.endpoint === '' || isLate(target.endpoint) || isWebAddress(target.endpoint) ? [] : [warn({
    path: 'value.endpoint', message: 'is no URL of an S3 server', fix: 'give a URL that starts with https:// or http://, or "" for AWS',
  })];
  const cert: Problem[] = target.cert === '' || isLate(target.cert) || parsesAsBundle(target.cert) ? [] : [warn({
    path: 'value.cert', message: 'holds no certificate in PEM form', fix: 'give one or more certificates, or ""',
  })];
  return [
    ...missing(['accessKeyId', 'secretAccessKey'], 'S3 backup target should have access key and access key id'),
    ...missing(['bucketName', 'bucketRegion'], 'S3 backup target should have bucket name and region '),
    ...endpoint, ...cert,
  ];
}

function checkNfs(target: BackupTargetConfig): Problem[] {
  const fix = 'give {"type":"nfs","endpoint":"nfs://<server>:/<path>"}';
  const excess = (keys: readonly (keyof BackupTargetConfig)[], says: string): Problem[] => keys.filter((key) => target[key] !== '')
    .map((key) => ({ path: `value.${key}`, message: 'belongs to S3, not to NFS', fix, says }));
  const endpoint: Problem[] = target.endpoint === ''
    ? [{ path: 'value.endpoint', message: 'is missing', fix, says: 'NFS backup target should have endpoint' }]
    : isLate(target.endpoint) || /^nfs:\/\/[^/\s]+\S*$/i.test(target.endpoint) ? [] : [{
      path: 'value.endpoint', message: 'is no URL of an NFS export, and the server mounts it before it accepts the value', fix,
    }];
  return [
    ...endpoint,
    ...excess(['accessKeyId', 'secretAccessKey'], 'NFS backup target should not have access key or access key id'),
    ...excess(['bucketName', 'bucketRegion'], 'NFS backup target should not have bucket name or region'),
  ];
}

export const BACKUP_FAMILY: readonly SettingEntry[] = [
  {
    name: SETTING.BACKUP_TARGET,
    what: 'where backups of virtual machines go; the webhook connects to it',
    format: TARGET_FORMAT,
    default: '',
    secret: true,
    judgesLate: true,
    judgesDefault: 'effective',
    level: 'error',
    controller: { source: 'harvester/harvester:pkg/controller/master/backup/backup_target.go' },
    source: `${VALIDATOR}; seen on Harvester 1.7.2`,
    check: jsonCheck<BackupTargetConfig>({ format: TARGET_FORMAT, type: TARGET, says: unmarshalFailedHidden, secret: true, judge: checkTarget }),
  },
];

const IM_FORMAT = '{"cpu":{"v1":"12","v2":"12"}} or {"cpu":{}}';
const IM_MAX = 40;

// read by hand as the server does: maps, so that keys are not matched without regard to case
function checkInstanceManager(value: string): Problem[] {
  const at = { value, fix: `give ${IM_FORMAT}, percents of a node's CPUs from 0 to ${IM_MAX} as text` };
  const refuse = (path: string, message: string, says: string): Problem[] => [{ ...at, path, message, says: `failed to parse value: ${says}` }];
  const parsed = parseGoJson(value);
  const raw = unmarshal<ReadonlyMap<string, unknown> | undefined>(value, map({ go: 'any' }));
  if ('error' in raw || 'error' in parsed) {
    return refuse('value', 'is not the JSON that Harvester reads here', `unmarshal failed, error: ${'error' in raw ? raw.error : ''}, value: ${value}`);
  }
  if (parsed.node.kind !== 'object' || !raw.config?.has('cpu')) { return refuse('value.cpu', 'is missing', 'cpu is required'); }
  const cpu = parsed.node.entries.filter(([key]) => key === 'cpu').at(-1)![1];
  if (cpu.kind !== 'object' && cpu.kind !== 'null') {
    return refuse('value.cpu', 'must be an object', `cpu must be an object with v1/v2, error: json: cannot unmarshal ${cpu.kind} into Go value of type map[string]json.RawMessage`);
  }
  const engines = new Map(cpu.kind === 'object' ? cpu.entries : []);
  if (engines.size === 0) { return []; }
  return ['v1', 'v2'].flatMap((engine): Problem[] => {
    const given = engines.get(engine);
    const path = `value.cpu.${engine}`;
    if (!given) { return refuse(path, 'is missing', `cpu.${engine} is required`); }
    if (given.kind !== 'string') {
      const why = given.kind === 'null' ? 'strconv.ParseFloat: parsing "": invalid syntax' : `json: cannot unmarshal ${given.kind} into Go value of type string`;
      return refuse(path, 'must be a number as text', `invalid cpu.${engine}: ${why}`);
    }
    if (isLate(given.value)) { return []; }
    const number = parseFloat64(given.value);
    if ('error' in number) { return refuse(path, 'must be a number as text', `invalid cpu.${engine}: ${number.error}`); }
    const limit = number.number < 0 ? 'larger than or equal to 0' : number.number > IM_MAX ? `less than or equal to ${IM_MAX}` : undefined;
    return limit ? [{
      ...at,
      path,
      message: `must be a percentage from 0 to ${IM_MAX}`,
      says: `failed to validate value cpu.${engine}: value ${given.value} for data engine v1 should be ${limit}`,
    }] : [];
  });
}

const CSI_FORMAT = '{"driver.longhorn.io":{"volumeSnapshotClassName":"longhorn-snapshot","backupVolumeSnapshotClassName":"longhorn"}}';
const CSI = map(pointer(struct('settings.CSIDriverInfo', { volumeSnapshotClassName: STRING, backupVolumeSnapshotClassName: STRING })));
const EXPAND_FORMAT = '{"driver.longhorn.io":true}';
const VERSIONS_FORMAT = '{"harvester-cloud-provider":">=0.0.1 <0.3.0","harvester-csi-provider":">=0.0.1 <0.3.0"}';

function checkSnapshotClass(value: string): Problem[] {
  return SUBDOMAIN.test(value) && value.length <= 253 ? [] : [{
    path: 'value',
    value,
    message: 'is no name that a VolumeSnapshotClass could have, and the server asks for one that exists',
    fix: 'give the name of a VolumeSnapshotClass',
    says: `volumesnapshotclasses.snapshot.storage.k8s.io "${value}" not found`,
  }];
}

function checkStorageClass(value: string): Problem[] {
  return SUBDOMAIN.test(value) ? [] : [warn({ path: 'value', value, message: 'is no name that a StorageClass could have', fix: 'give the name of a StorageClass' })];
}

function checkDisks(value: string): Problem[] {
  return [warn({
    path: 'value',
    value,
    message: 'makes Harvester take over every disk that matches, on all nodes, now and later: what is on them is destroyed',
    fix: 'add disks node by node, or suppress this with the reason why they hold nothing',
  })];
}

const BOOLEAN = ['true', 'false'];

export const STORAGE_FAMILY: readonly SettingEntry[] = [
  {
    name: SETTING.INSTANCE_MANAGER_RESOURCES,
    since: '1.8.0',
    what: 'the CPUs that Longhorn\'s instance managers are given; all volumes must be detached',
    format: IM_FORMAT,
    default: '{"cpu":{}}',
    undeletable: true,
    judgesDefault: 'never',
    level: 'error',
    controller: syncer(),
    source: 'harvester/harvester:pkg/settings/settings_helper.go DecodeLHIMResources; longhorn/longhorn-manager:types/setting.go',
    check: checkInstanceManager,
  },
  {
    name: SETTING.CSI_DRIVER_CONFIG,
    since: '1.2.0',
    what: 'the snapshot classes of each storage driver',
    format: CSI_FORMAT,
    default: CSI_FORMAT,
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
    check: jsonCheck({ format: CSI_FORMAT, type: CSI, unread: true }),
  },
  {
    name: SETTING.CSI_ONLINE_EXPAND_VALIDATION,
    since: '1.6.0',
    what: 'the storage drivers whose volumes may grow while in use',
    format: EXPAND_FORMAT,
    default: EXPAND_FORMAT,
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
    check: jsonCheck({ format: EXPAND_FORMAT, type: map(BOOL), unread: true }),
  },
  {
    name: SETTING.HARVESTER_CSI_CCM_VERSIONS,
    what: 'the charts of cloud provider and storage driver that guest clusters may have',
    format: VERSIONS_FORMAT,
    default: VERSIONS_FORMAT,
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
    check: jsonCheck({ format: VERSIONS_FORMAT, type: map(STRING), unread: true }),
  },
  {
    name: SETTING.DEFAULT_STORAGE_CLASS,
    what: 'the storage class that Harvester\'s own volumes get',
    format: 'the name of a StorageClass',
    default: 'longhorn',
    judgesDefault: 'never',
    level: 'warning',
    source: SETTINGS_GO,
    check: checkStorageClass,
  },
  {
    name: SETTING.VOLUME_SNAPSHOT_CLASS,
    what: 'the snapshot class for restores into another namespace',
    format: 'the name of a VolumeSnapshotClass',
    default: 'longhorn',
    judgesDefault: 'always',
    level: 'error',
    source: VALIDATOR,
    check: checkSnapshotClass,
  },
  {
    name: SETTING.AUTO_DISK_PROVISION_PATHS,
    what: 'the disks that Harvester takes over by itself, on all nodes',
    format: '/dev/sd*,/dev/hd*',
    default: '',
    judgesDefault: 'never',
    level: 'warning',
    controller: syncer(),
    source: `${CONTROLLERS}/auto_disk_provision.go; harvester/docs:docs/advanced/settings.md`,
    check: checkDisks,
  },
  {
    name: SETTING.LONGHORN_V2_DATA_ENGINE_ENABLED,
    since: '1.4.0',
    what: 'whether volumes may use Longhorn\'s second data engine',
    format: 'true or false',
    default: 'false',
    judgesDefault: 'never',
    level: 'warning',
    controller: syncer(),
    source: `${CONTROLLERS}/nodeconfig.go`,
    check: wordCheck(BOOLEAN, 'anything but "true" counts as false'),
  },
  {
    name: SETTING.LONGHORN_V2_DATA_ENGINE_HUGEPAGE_ENABLED,
    since: '1.9.0',
    what: 'whether Longhorn\'s second data engine uses huge pages',
    format: 'true or false',
    default: 'true',
    judgesDefault: 'never',
    level: 'warning',
    controller: syncer(),
    source: `${CONTROLLERS}/nodeconfig.go`,
    check: wordCheck(BOOLEAN, 'anything but "false" counts as true'),
  },
  {
    name: SETTING.LONGHORN_V2_DATA_ENGINE_MEMORY_SIZE,
    since: '1.9.0',
    what: 'the memory of Longhorn\'s second data engine on each node, in MiB',
    format: 'an even number of MiB',
    default: '2048',
    judgesDefault: 'never',
    level: 'error',
    controller: syncer(),
    source: VALIDATOR,
    check: integerCheck({
      what: 'an even number of MiB above 0',
      allowed: 'an even number above 0',
      refuses: (number) => (number <= 0 ? `${SETTING.LONGHORN_V2_DATA_ENGINE_MEMORY_SIZE} must be greater than zero`
        : number % 2 !== 0 ? `${SETTING.LONGHORN_V2_DATA_ENGINE_MEMORY_SIZE} must be evenly divisible by two` : undefined),
    }),
  },
];
