import { Duration } from 'cdk8s';
import { SecretValue } from '../../core/late/secret-value';

/**
 * Properties of a backup store that speaks S3.
 */
export interface S3BackupTargetProps {
  /** The bucket. */
  readonly bucketName: string;
  /** The region of the bucket. */
  readonly bucketRegion: string;
  /** The id of the access key. */
  readonly accessKeyId: SecretValue;
  /** The secret of the access key. */
  readonly secretAccessKey: SecretValue;

  /**
   * The URL of the server, e.g. `https://s3.example.com`.
   * @default - AWS
   */
  readonly endpoint?: string;

  /**
   * Certificates in PEM form that the server's certificate is signed by.
   * @default - the public authorities and the setting additional-ca
   */
  readonly cert?: string;

  /**
   * Whether the bucket is part of the host name.
   * @default false
   */
  readonly virtualHostedStyle?: boolean;

  /**
   * How often the store is looked into for backups of others, in whole seconds.
   * @default - never
   */
  readonly refreshInterval?: Duration;
}

/**
 * Properties of a backup store on NFS.
 */
export interface NfsBackupTargetProps {
  /**
   * How often the store is looked into for backups of others, in whole seconds.
   * @default - never
   */
  readonly refreshInterval?: Duration;
}

/**
 * Where backups of virtual machines go. Harvester connects to it when the Setting is applied, and on a server-side dry run as well.
 *
 * @see https://docs.harvesterhci.io/v1.7/vm/backup-restore
 */
export class BackupTarget {
  /**
   * An NFS export.
   *
   * @param endpoint `nfs://<server>:/<path>`
   * @param props how it is used
   */
  public static nfs(endpoint: string, props: NfsBackupTargetProps = {}): BackupTarget {
    return new BackupTarget({ type: 'nfs', endpoint, refreshIntervalInSeconds: props.refreshInterval?.toSeconds() });
  }

  /**
   * A bucket on S3 or a server that speaks it. Harvester moves the key into a Secret and takes it out of the Setting.
   *
   * @param props the bucket and the key
   */
  public static s3(props: S3BackupTargetProps): BackupTarget {
    return new BackupTarget({
      type: 's3',
      endpoint: props.endpoint ?? '',
      accessKeyId: props.accessKeyId._unwrap(),
      secretAccessKey: props.secretAccessKey._unwrap(),
      bucketName: props.bucketName,
      bucketRegion: props.bucketRegion,
      cert: props.cert ?? '',
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
