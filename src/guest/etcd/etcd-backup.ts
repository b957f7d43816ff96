import { IRancherTarget } from '../../core/app/target';
import { isLate } from '../../core/late/late-token';
import { Problem } from '../../core/rule/problem';
import { checkCertificates } from '../../core/text/certificates';
import { cronFault } from '../../core/text/cron';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { IS3Credential } from '../../rancher/credential/s3-credential';
import { RancherVersion } from '../../rancher/version/rancher-version';
import { Fields } from '../cluster/cluster-parts';

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

/** What the UI writes. @see rancher/dashboard:shell/edit/provisioning.cattle.io.cluster/shared.ts RETENTION_DEFAULT; rke2.vue */
const RETENTION = 5;
const SCHEDULE = '0 */5 * * *';
const MAX_BUCKET = 63;

/** rkeConfig.etcd. */
export function etcdSpec({ enabled = true, schedule, retention, s3 }: EtcdBackup = {}): Fields {
  return {
    ...(enabled ? { snapshotRetention: retention ?? RETENTION, snapshotScheduleCron: schedule ?? SCHEDULE } : { disableSnapshots: true }),
    s3: s3 && s3Spec(s3),
  };
}

function s3Spec({ credential, bucket, folder, region, endpoint, endpointCa: endpointCA, skipSslVerify: skipSSLVerify, retention }: EtcdS3): Fields {
  return { cloudCredentialName: credential?.s3CredentialName, bucket, folder, region, endpoint, endpointCA, skipSSLVerify, retention };
}

/** What is wrong with the snapshots. */
export function* checkEtcd(etcd: EtcdBackup | undefined, rancher: IRancherTarget, version: RancherVersion): Iterable<Problem> {
  const { enabled = true, schedule, retention, s3 } = etcd ?? {};
  if (!enabled) {
    for (const [prop, value] of [['schedule', schedule], ['retention', retention]] as const) {
      if (value !== undefined) { yield { path: `etcd.${prop}`, value, message: 'says nothing where no snapshots are taken', fix: 'leave it out, or enable snapshots' }; }
    }
  }
  // with a time zone before it the nodes take it, and Rancher's own library does not
  const fault = schedule === undefined || isLate(schedule) || /^(CRON_)?TZ=/.test(schedule) ? undefined : cronFault(schedule);
  if (fault) { yield { path: 'etcd.schedule', value: schedule, message: 'is no schedule', fix: 'give five fields of cron, e.g. 0 */5 * * *', says: fault }; }
  yield* checkCount('etcd.retention', retention);
  if (s3) { yield* checkS3(s3, rancher, version); }
}

function* checkS3(s3: EtcdS3, rancher: IRancherTarget, version: RancherVersion): Iterable<Problem> {
  const { credential, bucket, endpoint, endpointCa, retention, folder, region } = s3;
  if (credential && credential.rancher !== rancher) {
    yield {
      path: 'etcd.s3.credential',
      value: credential.node.path,
      message: `is a credential of ${credential.rancher.targetName}, this cluster lies in ${rancher.targetName}`,
      fix: 'create it below the chart of the cluster\'s Rancher',
    };
  }
  if (!credential && [bucket, endpoint, folder, region].every((value) => value === undefined)) {
    yield { path: 'etcd.s3', message: 'says nothing, so Rancher takes it as no S3 at all', fix: 'give a credential, a bucket or an endpoint, or leave s3 out' };
  }
  if (bucket !== undefined && !isLate(bucket) && bucket.length > MAX_BUCKET) {
    yield { path: 'etcd.s3.bucket', value: bucket, message: `has ${bucket.length} characters`, fix: `use up to ${MAX_BUCKET}` };
  }
  if (endpoint !== undefined && !isLate(endpoint) && /^[a-z]+:\/\//i.test(endpoint)) {
    yield { path: 'etcd.s3.endpoint', value: endpoint, message: 'is a URL, which the nodes do not take', fix: 'give host and port alone, e.g. minio.example.com:9000' };
  }
  yield* checkCertificates('etcd.s3.endpointCa', endpointCa);
  yield* checkCount('etcd.s3.retention', retention);
  const gate = retention === undefined ? undefined : FeatureGates.of(GateId.ETCD_S3_RETENTION).problem(version);
  if (gate) { yield { path: 'etcd.s3.retention', message: gate, fix: 'leave it out, or name a newer Rancher' }; }
}

function* checkCount(path: string, count: number | undefined): Iterable<Problem> {
  if (count !== undefined && (!Number.isInteger(count) || count < 0)) {
    yield { path, value: count, message: 'is no number of snapshots', fix: 'use a whole number from 0' };
  }
}
