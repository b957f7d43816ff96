import { checkS3Endpoint } from './etcd-s3.check';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, kindKey } from '../../core/manifest/manifest';
import { rules } from '../../core/rule/kit/fact';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { secretEntry } from '../../core/secret/definition';
import { filledText } from '../../core/text/plain-text';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.facts';
import { GLOBAL_DATA } from '../../rancher/credential/secret.kind';
import { S3_CREDENTIAL_PREFIX } from '../cluster/cluster.kind';

const PATH = 'spec.rkeConfig.etcd.s3';
const ENDPOINT = `${S3_CREDENTIAL_PREFIX}defaultEndpoint`;

/** Whether a credential is known to have no bucket. */
function lacksBucket(cluster: JudgedObject, credential: string | undefined, world: World): boolean {
  if (credential === undefined) {
    return true;
  }
  if (isLate(credential)) {
    return false;
  }
  const [namespace, name] = credential.includes(':')
    ? credential.split(':')
    : [cluster.manifest.metadata.namespace, credential];
  const secret = world.find(cluster, '', 'Secret', namespace, name!)?.manifest;
  return (
    secret !== undefined &&
    isS3Credential(secret) &&
    secretEntry(secret, `${S3_CREDENTIAL_PREFIX}defaultBucket`, isLate) === undefined
  );
}

function isS3Credential({ data, stringData }: Manifest): boolean {
  return [data, stringData].some(
    (map) => isRecord(map) && Object.keys(map).some((key) => key.startsWith(S3_CREDENTIAL_PREFIX)),
  );
}

/** Rules for etcd snapshots in S3. */
export const ETCD_S3_RULES: readonly Rule[] = [
  ...rules({ kinds: CLUSTER_KINDS }, [
    {
      id: 'cluster/etcd-s3',
      field: PATH,
      what: 'etcd snapshots in S3 have a bucket, and the endpoint is a host and port: otherwise each snapshot fails',
      source:
        'rancher/rancher:pkg/capr/planner/s3args.go ToArgs; k3s-io/k3s:pkg/etcd/s3/s3.go GetClient; minio/minio-go:utils.go',
      *check(_, s3, cluster, world) {
        if (!isRecord(s3)) {
          return;
        }
        yield* checkS3Endpoint(`${PATH}.endpoint`, s3.endpoint);
        const credential = filledText(s3.cloudCredentialName);
        // Rancher ignores a configuration without any of these
        const isUsed =
          credential !== undefined ||
          ['endpoint', 'folder', 'region'].some((field) => filledText(s3[field]) !== undefined);
        if (
          isUsed &&
          filledText(s3.bucket) === undefined &&
          lacksBucket(cluster, credential, world)
        ) {
          yield {
            path: `${PATH}.bucket`,
            message: 'must be set',
            fix: `set the bucket${credential ? ', or defaultBucket of the credential' : ''}`,
            says: 's3 bucket name was not set',
          };
        }
      },
    },
  ]),
  ...rules({ kinds: [kindKey('', 'Secret')] }, [
    {
      id: 'credential/s3-endpoint',
      what: 'the default endpoint of an S3 credential is a host and port: otherwise each snapshot of etcd fails',
      source: 'rancher/rancher:pkg/capr/planner/s3args.go getS3Credential; minio/minio-go:utils.go',
      when: ({ manifest }) => manifest.metadata.namespace === GLOBAL_DATA,
      judge: ({ manifest }) => {
        const map =
          isRecord(manifest.stringData) && ENDPOINT in manifest.stringData ? 'stringData' : 'data';
        return checkS3Endpoint(`${map}.${ENDPOINT}`, secretEntry(manifest, ENDPOINT, isLate)?.text);
      },
    },
  ]),
];
