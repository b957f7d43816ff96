import { Fields } from './_parts';
import { EtcdBackup, EtcdS3 } from './etcd-backup';
import { checkCertificates } from '../model/checks/certificates';
import { cronFault } from '../model/checks/cron';
import { isLate } from '../model/late-token';
import { Problem } from '../model/problem';
import { IRancherTarget } from '../model/target';
import { FeatureGates, GateId, RancherVersion } from '../versions';

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
