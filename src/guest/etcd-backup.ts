import { IS3Credential } from '../rancher/s3-credential';

/**
 * Snapshots of a cluster's etcd.
 */
export interface EtcdBackup {
  /**
   * Whether snapshots are taken.
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * When they are taken: cron with five fields, in the time zone of the nodes.
   * @default '0 *\/5 * * *'
   */
  readonly schedule?: string;
  /**
   * How many snapshots are kept on each node; 0 leaves it to the distribution.
   * @default 5
   */
  readonly retention?: number;
  /** Where snapshots are kept outside of the nodes. @default - only on the nodes */
  readonly s3?: EtcdS3;
}

/**
 * An S3 bucket for snapshots of etcd. What is left out here is taken from the credential.
 */
export interface EtcdS3 {
  /**
   * The cloud credential: its Secret must be there when the Cluster is created, so it is applied before.
   * @default - none: the nodes have rights of their own, by a role of their cloud
   */
  readonly credential?: IS3Credential;
  /** Up to 63 characters. @default - that of the credential */
  readonly bucket?: string;
  /** A folder in the bucket, one for each cluster. @default - that of the credential */
  readonly folder?: string;
  /** @default - that of the credential */
  readonly region?: string;
  /** Host and port without a scheme, e.g. `minio.example.com:9000`. @default - that of the credential */
  readonly endpoint?: string;
  /** Certificates in PEM form that the endpoint's certificate is signed by. @default - that of the credential */
  readonly endpointCa?: string;
  /**
   * Whether the certificate of the endpoint is taken unseen.
   * @default - that of the credential, false
   */
  readonly skipSslVerify?: boolean;
  /** How many snapshots are kept in the bucket. Rancher 2.14.0 and later. @default - as many as on a node */
  readonly retention?: number;
}
