import { checkS3Endpoint } from './etcd-s3.check';
import { IRancherTarget } from '../../core/construct/target';
import { cronFault } from '../../core/go/cron';
import { isLate } from '../../core/late/late-token';
import { checkCertificates } from '../../core/problem/certificates';
import { checkWholeNumber, Problem } from '../../core/problem/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { IS3Credential } from '../../rancher/credential/s3-credential';
import { RancherVersion } from '../../rancher/version/rancher-version';
import { ClusterFields, checkRancherOf } from '../parts/cluster-parts';
import { GuestGate } from '../version/guest-gates.data';

/** Scheduled etcd snapshots of a cluster. */
export interface EtcdBackup {
  /** Whether snapshots are created. @default true */
  readonly enabled?: boolean;
  /** The schedule: cron with five fields, in the time zone of the nodes. @default '0 *\/5 * * *' */
  readonly schedule?: string;
  /** How many snapshots each node keeps; 0 means the default of the distribution. @default 5 */
  readonly retention?: number;
  /** The S3 bucket in which snapshots are kept, too. @default - only the nodes keep them */
  readonly s3?: EtcdS3;
}

/** An S3 bucket for etcd snapshots. Props that are not set are read from the credential. */
export interface EtcdS3 {
  /**
   * The cloud credential. Its Secret must exist when the Cluster is created, so it is applied
   * first.
   * @default - no credential: the nodes have permissions themselves, e.g. by a role of their cloud
   */
  readonly credential?: IS3Credential;
  /** The bucket, at most 63 characters. @default - the bucket of the credential */
  readonly bucket?: string;
  /** The folder in the bucket, one for each cluster. @default - the folder of the credential */
  readonly folder?: string;
  /** The region of the bucket. @default - the region of the credential */
  readonly region?: string;
  /**
   * The endpoint: host and port without a scheme, e.g. `minio.example.com:9000`.
   * @default - the endpoint of the credential
   */
  readonly endpoint?: string;
  /**
   * The CA certificates of the endpoint, in PEM form.
   * @default - the CA certificates of the credential
   */
  readonly caCertificates?: string;
  /**
   * Whether to skip the verification of the endpoint's certificate.
   * @default - the setting of the credential, or false
   */
  readonly insecureSkipTlsVerify?: boolean;
  /**
   * How many snapshots the bucket keeps. Rancher 2.14.0 and later.
   * @default - the same number as a node
   */
  readonly retention?: number;
}

/**
 * The defaults of Rancher's UI.
 * @see rancher/dashboard:shell/edit/provisioning.cattle.io.cluster/shared.ts RETENTION_DEFAULT; rke2.vue
 */
const RETENTION = 5;
const SCHEDULE = '0 */5 * * *';
const MAX_BUCKET = 63;

/** rkeConfig.etcd. */
export function etcdSpec({
  enabled = true,
  schedule,
  retention,
  s3,
}: EtcdBackup = {}): ClusterFields {
  return {
    ...(enabled
      ? { snapshotRetention: retention ?? RETENTION, snapshotScheduleCron: schedule ?? SCHEDULE }
      : { disableSnapshots: true }),
    s3: s3 && s3Spec(s3),
  };
}

function s3Spec({
  credential,
  caCertificates: endpointCA,
  insecureSkipTlsVerify: skipSSLVerify,
  ...same
}: EtcdS3): ClusterFields {
  const { bucket, folder, region, endpoint, retention } = same;
  return {
    cloudCredentialName: credential?.s3CredentialId,
    bucket,
    folder,
    region,
    endpoint,
    endpointCA,
    skipSSLVerify,
    retention,
  };
}

/** Checks the etcd snapshots. */
export function* checkEtcd(
  etcd: EtcdBackup | undefined,
  rancher: IRancherTarget,
  version: RancherVersion,
): Iterable<Problem> {
  const { enabled = true, schedule, retention, s3 } = etcd ?? {};
  if (!enabled) {
    for (const [prop, value] of [
      ['schedule', schedule],
      ['retention', retention],
    ] as const) {
      if (value !== undefined) {
        yield {
          path: `etcd.${prop}`,
          value,
          message: 'has no effect if snapshots are disabled',
          fix: 'remove it, or enable snapshots',
        };
      }
    }
  }
  // nodes accept a time zone, but Rancher's own library does not
  const fault =
    schedule === undefined || isLate(schedule) || /^(CRON_)?TZ=/.test(schedule)
      ? undefined
      : cronFault(schedule);
  if (fault) {
    yield {
      path: 'etcd.schedule',
      value: schedule,
      message: 'must be a cron schedule',
      fix: 'write five fields, e.g. 0 */5 * * *',
      says: fault,
    };
  }
  yield* checkWholeNumber('etcd.retention', retention, 0);
  if (s3) {
    yield* checkS3(s3, rancher, version);
  }
}

function* checkS3(s3: EtcdS3, rancher: IRancherTarget, version: RancherVersion): Iterable<Problem> {
  const { credential, bucket, endpoint, caCertificates, retention, folder, region } = s3;
  yield* checkRancherOf('etcd.s3.credential', credential, rancher);
  if (!credential && [bucket, endpoint, folder, region].every((value) => value === undefined)) {
    yield {
      path: 'etcd.s3',
      message: 'must have at least one prop: Rancher ignores an empty S3 configuration',
      fix: 'set credential, bucket or endpoint, or remove s3',
    };
  }
  if (bucket !== undefined && !isLate(bucket) && bucket.length > MAX_BUCKET) {
    yield {
      path: 'etcd.s3.bucket',
      value: bucket,
      message: `must have at most ${MAX_BUCKET} characters: it has ${bucket.length}`,
      fix: 'shorten it',
    };
  }
  yield* checkS3Endpoint('etcd.s3.endpoint', endpoint);
  yield* checkCertificates('etcd.s3.caCertificates', caCertificates);
  yield* checkWholeNumber('etcd.s3.retention', retention, 0);
  if (retention !== undefined) {
    yield* FeatureGates.of(GuestGate.ETCD_S3_RETENTION)._check(
      'etcd.s3.retention',
      version,
      'remove it, or declare a newer Rancher',
    );
  }
}
