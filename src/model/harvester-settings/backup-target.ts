import { isLate } from '../late-token';
import { Problem } from '../problem';
import { isWebAddress, jsonCheck, unmarshalFailedHidden, warn } from './checks';
import { SettingContext, SettingEntry, VALIDATOR } from './entry';
import { BOOL, INT64, named, STRING, struct, unmarshal } from './go-json-decode';
import { parsesAsBundle } from './go-pem';
import { SETTING } from './names';

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
