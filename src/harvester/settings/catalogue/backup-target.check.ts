import { Duration } from 'cdk8s';
import { DraftValue, call } from '../../../core/draft/draft';
import { durationOf } from '../../../core/draft/durations';
import { BOOL, INT, STRING, goStruct, unmarshal } from '../../../core/go/go-json';
import { certificatesOf } from '../../../core/go/go-pem';
import { isLate } from '../../../core/late/late-token';
import { ADDITIONAL_CA } from '../../../core/manifest/names';
import { Problem } from '../../../core/problem/problem';
import { isWebAddress } from '../../../core/text/web-address';
import { SecretValue } from '../../../core/value/secret-value';
import {
  VALIDATOR,
  decoded,
  isPlainText,
  json,
  settingEntry,
  settingNamed,
  warn,
} from '../entry/setting-entry.check';
import { SettingContext } from '../entry/setting.facts';

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
  /**
   * Certificates in PEM form that signed the server's certificate.
   * @default - the public authorities and those of the setting additional-ca
   */
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
 * The store of virtual machine backups. Harvester connects to it when the Setting is applied, and
 * in a server-side dry run as well.
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
    return new BackupTarget({
      type: 'nfs',
      endpoint,
      refreshIntervalInSeconds: props.refreshInterval?.toSeconds(),
    });
  }

  /**
   * A bucket on S3 or a compatible server. Harvester moves the access key into a Secret and removes
   * it from the Setting.
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

/**
 * A value of backup-target.
 * @see harvester/harvester:pkg/settings/settings_helper.go BackupTarget
 */
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

const S3_FORMAT =
  '{"type":"s3","endpoint":"","accessKeyId":"<id>","secretAccessKey":"<key>","bucketName":"<bucket>","bucketRegion":"<region>",' +
  '"cert":"","virtualHostedStyle":false}';
const NFS_FORMAT = '{"type":"nfs","endpoint":"nfs://<server>:/<path>"}';

const TARGET = goStruct({
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
  const interval: Problem[] =
    target.refreshIntervalInSeconds < 0
      ? [
          {
            path: 'value.refreshIntervalInSeconds',
            value: target.refreshIntervalInSeconds,
            message: 'must be 0 or more seconds',
            fix: 'give 0 or more seconds',
            says: 'Refresh interval should be greater than or equal to 0',
          },
        ]
      : [];
  // the controller writes this back once it has moved the keys into a Secret
  if (isStripped(target, context.before)) {
    return interval;
  }
  if (target.type === 's3') {
    return [...interval, ...checkS3(target)];
  }
  if (target.type === 'nfs') {
    return [...interval, ...checkNfs(target)];
  }
  const isUnset = Object.values(target).every(
    (value) => value === '' || value === 0 || value === false,
  );
  return isUnset || isLate(target.type)
    ? interval
    : [
        ...interval,
        {
          path: 'value.type',
          value: target.type,
          message: 'must be "s3" or "nfs"',
          fix: 'give "s3" or "nfs", or "" as the whole value for no target',
          says: 'Invalid backup target type',
        },
      ];
}

function isStripped(target: BackupTargetConfig, before: string | undefined): boolean {
  if (
    target.type !== 's3' ||
    target.accessKeyId !== '' ||
    target.secretAccessKey !== '' ||
    before === undefined
  ) {
    return false;
  }
  const saved = backupTargetOf(before === '' ? '{}' : before);
  const same: readonly Key[] = [
    'type',
    'bucketName',
    'bucketRegion',
    'endpoint',
    'virtualHostedStyle',
  ];
  return saved !== undefined && same.every((key) => saved[key] === target[key]);
}

function checkS3(target: BackupTargetConfig): Problem[] {
  const missing = (keys: readonly Key[], says: string): Problem[] =>
    keys
      .filter((key) => target[key] === '')
      .map((key) => ({
        path: `value.${key}`,
        message: 'is missing',
        fix: `give ${S3_FORMAT}`,
        says,
      }));
  const endpoint: Problem[] =
    target.endpoint === '' || isLate(target.endpoint) || isWebAddress(target.endpoint)
      ? []
      : [
          warn({
            path: 'value.endpoint',
            message: 'must be the URL of an S3 server',
            fix: 'give a URL that starts with https:// or http://, or "" for AWS',
          }),
        ];
  const cert: Problem[] =
    target.cert === '' || isLate(target.cert) || certificatesOf(target.cert)
      ? []
      : [
          warn({
            path: 'value.cert',
            message: 'must be certificates in PEM form',
            fix: 'give one or more certificates, or ""',
          }),
        ];
  return [
    ...missing(
      ['accessKeyId', 'secretAccessKey'],
      'S3 backup target should have access key and access key id',
    ),
    ...missing(
      ['bucketName', 'bucketRegion'],
      'S3 backup target should have bucket name and region ',
    ),
    ...endpoint,
    ...cert,
  ];
}

function checkNfsEndpoint(endpoint: string, fix: string): Problem[] {
  const at = { path: 'value.endpoint', fix };
  if (endpoint === '') {
    return [{ ...at, message: 'is missing', says: 'NFS backup target should have endpoint' }];
  }
  if (isLate(endpoint) || /^nfs:\/\/[^/\s]+\S*$/i.test(endpoint)) {
    return [];
  }
  return [
    {
      ...at,
      message:
        'must be the URL of an NFS export, which the server mounts before it accepts the value',
    },
  ];
}

function checkNfs({ endpoint, ...target }: BackupTargetConfig): Problem[] {
  const fix = `give ${NFS_FORMAT}`;
  const excess = (keys: readonly Exclude<Key, 'endpoint'>[], says: string): Problem[] =>
    keys
      .filter((key) => target[key] !== '')
      .map((key) => ({ path: `value.${key}`, message: 'must be left out for NFS', fix, says }));
  return [
    ...checkNfsEndpoint(endpoint, fix),
    ...excess(
      ['accessKeyId', 'secretAccessKey'],
      'NFS backup target should not have access key or access key id',
    ),
    ...excess(
      ['bucketName', 'bucketRegion'],
      'NFS backup target should not have bucket name or region',
    ),
  ];
}

/** An NFS export. A bucket needs keys, which the program does not know. */
function readBackupTarget(text: string): DraftValue {
  const result = unmarshal<BackupTargetConfig>(text, TARGET);
  if ('faults' in result || result.unknown.length > 0) {
    return undefined;
  }
  const { type, endpoint, refreshIntervalInSeconds, ...others } = result.config;
  if (type !== 'nfs' || Object.values(others).some((value) => value)) {
    return undefined;
  }
  return call(
    'BackupTarget',
    'nfs',
    endpoint,
    ...(refreshIntervalInSeconds > 0
      ? [{ refreshInterval: durationOf(refreshIntervalInSeconds) }]
      : []),
  );
}

/** The setting of the backup store. */
export const BACKUP_FAMILY = {
  'backup-target': settingEntry<BackupTarget>({
    what: 'the store of virtual machine backups; the webhook connects to it',
    format: `${NFS_FORMAT} or ${S3_FORMAT}`,
    secret: true,
    secretsIn: (value) =>
      isPlainText(backupTargetOf(value)?.secretAccessKey)
        ? [['value.secretAccessKey', 'the key of the backup store']]
        : [],
    rewritten: true,
    // the webhook connects to a bucket by the proxy, and trusts these authorities
    needs: (value) =>
      backupTargetOf(value)?.type === 's3'
        ? [settingNamed('http-proxy'), settingNamed(ADDITIONAL_CA)]
        : [],
    // seen on Harvester 1.7.2
    actsInDryRun: 'Harvester mounts the backup target even in a dry run',
    judgesLate: true,
    judgesDefault: 'effective',
    print: (target) => target._toConfig(),
    adopt: readBackupTarget,
    controller: { source: 'harvester/harvester:pkg/controller/master/backup/backup_target.go' },
    source: `${VALIDATOR}; seen on Harvester 1.7.2`,
    check: json<BackupTargetConfig>({ type: TARGET, judge: checkTarget }),
  }),
};
