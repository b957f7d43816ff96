import { SecretValue } from '../../../src/core/value/secret-value';
import { CustomCluster } from '../../../src/guest/custom/custom-cluster';
import { EtcdBackup } from '../../../src/guest/etcd/etcd-backup';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { S3Credential } from '../../../src/rancher/credential/s3-credential';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { SERVER, newApp, newRancher } from '../../support/programs';
import { assemblyOf as assembly, written } from '../../support/written';
import { RKE2, refusal, specOf } from '../cluster/_clusters';

const KEYS = {
  accessKey: SecretValue.unsafePlainText('AK'),
  secretKey: SecretValue.unsafePlainText('SK'),
};
const etcdOf = (etcd: EtcdBackup, rancher?: string) => specOf({ etcd }, rancher).rkeConfig.etcd;

test("snapshots are taken as in Rancher's UI unless something else is asked for", () => {
  expect(specOf().rkeConfig.etcd).toEqual({
    snapshotRetention: 5,
    snapshotScheduleCron: '0 */5 * * *',
  });
  expect(etcdOf({ schedule: '@daily', retention: 0 })).toEqual({
    snapshotRetention: 0,
    snapshotScheduleCron: '@daily',
  });
  expect(etcdOf({ enabled: false })).toEqual({ disableSnapshots: true });
});

test('S3 is written as the definition names it', () => {
  expect(
    etcdOf(
      {
        s3: {
          bucket: 'snapshots',
          folder: 'shop',
          region: 'eu-1',
          endpoint: 'minio.example.com:9000',
          insecureSkipTlsVerify: true,
          retention: 30,
        },
      },
      '2.14.0',
    ).s3,
  ).toEqual({
    bucket: 'snapshots',
    folder: 'shop',
    region: 'eu-1',
    endpoint: 'minio.example.com:9000',
    skipSSLVerify: true,
    retention: 30,
  });
});

test('the Cluster names its credential, and is applied after it', () => {
  const app = newApp();
  const rancher = newRancher(app);
  const credential = new S3Credential(rancher, 'backup', { ...KEYS, bucket: 'snapshots' });
  new CustomCluster(rancher, 'shop', {
    kubernetes: Kubernetes.rke2(RKE2),
    etcd: { s3: { credential } },
  });
  expect(written(app)['rancher/Cluster/shop'].spec.rkeConfig.etcd.s3).toEqual({
    cloudCredentialName: 'cattle-global-data:cc-s3-backup',
  });
  expect(assembly(app).edges).toContainEqual({
    from: 'rancher/provisioning.cattle.io/Cluster/fleet-default/shop',
    to: 'rancher//Secret/cattle-global-data/cc-s3-backup',
    type: 'applied',
  });
});

test('refuses what the server refuses, drops or cannot do, all at once', () => {
  const elsewhere = new S3Credential(
    new RancherChart(newApp(), 'other', { version: '2.14.0', serverUrl: SERVER }),
    'backup',
    KEYS,
  );
  expect(
    refusal({
      etcd: {
        schedule: 'daily',
        retention: 1.5,
        s3: {
          credential: elsewhere,
          bucket: 'b'.repeat(64),
          endpoint: 'https://minio.example.com',
          caCertificates: 'x',
          retention: -1,
        },
      },
    }).split('\n'),
  ).toEqual([
    '[rancher/shop] etcd.schedule: must be a cron schedule, got "daily" (the server: "Expected exactly 5 fields, found 1: daily"). Fix: write five fields, e.g. 0 */5 * * *',
    '[rancher/shop] etcd.retention: must be a whole number of 0 or more, got 1.5. Fix: set it to 0 or more',
    '[rancher/shop] etcd.s3.credential: must be a credential of rancher, the Rancher of the cluster, got "other/backup": it is one of other. Fix: ' +
      "create it in the chart of the cluster's Rancher",
    `[rancher/shop] etcd.s3.bucket: must have at most 63 characters, got "${'b'.repeat(64)}": it has 64. Fix: shorten it`,
    '[rancher/shop] etcd.s3.endpoint: must be a host and port, not a URL, got "https://minio.example.com" ' +
      '(the server: "Endpoint url cannot have fully qualified paths."). Fix: write minio.example.com',
    '[rancher/shop] etcd.s3.caCertificates: must contain a certificate in PEM form. Fix: ' +
      'give one or more certificates in PEM form, each from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----',
    '[rancher/shop] etcd.s3.retention: must be a whole number of 0 or more, got -1. Fix: set it to 0 or more',
    '[rancher/shop] etcd.s3.retention: retention of etcd snapshots in S3 needs Rancher 2.14.0 or later, got 2.13.8. Fix: remove it, or declare a newer Rancher',
  ]);
});

test('refuses a schedule without snapshots, and an empty S3 configuration', () => {
  expect(refusal({ etcd: { enabled: false, schedule: '@daily', s3: {} } }).split('\n')).toEqual([
    '[rancher/shop] etcd.schedule: has no effect if snapshots are disabled, got "@daily". Fix: remove it, or enable snapshots',
    '[rancher/shop] etcd.s3: must have at least one prop: Rancher ignores an empty S3 configuration. Fix: set credential, bucket or endpoint, or remove s3',
  ]);
});

test("a time zone before the schedule is the nodes' matter", () => {
  expect(etcdOf({ schedule: 'CRON_TZ=Europe/Vienna 0 3 * * *' }).snapshotScheduleCron).toBe(
    'CRON_TZ=Europe/Vienna 0 3 * * *',
  );
});
