import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, kindKey, valueAt } from '../../core/manifest/manifest';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { secretEntry } from '../../core/secret/definition';
import { filledText } from '../../core/text/plain-text';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.kind';
import { GLOBAL_DATA } from '../../rancher/credential/secret.kind';
import { S3_CREDENTIAL_PREFIX } from '../cluster/cluster.kind';

/**
 * Checks the endpoint of an S3 bucket for etcd snapshots, a host and port.
 * @see minio/minio-go:utils.go isValidEndpointURL, which adds the scheme itself; k3s-io/k3s:pkg/etcd/s3
 */
export function* checkS3Endpoint(path: string, endpoint: unknown): Iterable<Problem> {
  if (typeof endpoint !== 'string' || isLate(endpoint) || !/^[a-z]+:\/\//i.test(endpoint)) { return; }
  yield {
    path,
    value: endpoint,
    message: 'must be a host and port, not a URL',
    fix: `write ${endpoint.replace(/^[a-z]+:\/+/i, '').replace(/\/.*/, '') || 'e.g. minio.example.com:9000'}`,
    says: 'Endpoint url cannot have fully qualified paths.',
  };
}

const PATH = 'spec.rkeConfig.etcd.s3';
const ENDPOINT = `${S3_CREDENTIAL_PREFIX}defaultEndpoint`;

const BUCKET: Rule = {
  id: 'cluster/etcd-s3',
  level: 'error',
  kinds: CLUSTER_KINDS,
  fields: ['spec.rkeConfig.etcd.s3'],
  what: 'etcd snapshots in S3 have a bucket, and the endpoint is a host and port: otherwise each snapshot fails',
  source: 'rancher/rancher:pkg/capr/planner/s3args.go ToArgs; k3s-io/k3s:pkg/etcd/s3/s3.go GetClient; minio/minio-go:utils.go',
  *judge(cluster: JudgedObject, world: World): Iterable<Problem> {
    const s3 = valueAt(cluster.manifest, 'spec', 'rkeConfig', 'etcd', 's3');
    if (!isRecord(s3)) { return; }
    yield* checkS3Endpoint(`${PATH}.endpoint`, s3.endpoint);
    const credential = filledText(s3.cloudCredentialName);
    // Rancher ignores a configuration without any of these
    const isUsed = credential !== undefined || ['endpoint', 'folder', 'region'].some((field) => filledText(s3[field]) !== undefined);
    if (isUsed && filledText(s3.bucket) === undefined && lacksBucket(cluster, credential, world)) {
      yield { path: `${PATH}.bucket`, message: 'must be set', fix: `set the bucket${credential ? ', or defaultBucket of the credential' : ''}`, says: 's3 bucket name was not set' };
    }
  },
};

/** Whether a credential is known to have no bucket. */
function lacksBucket(cluster: JudgedObject, credential: string | undefined, world: World): boolean {
  if (credential === undefined) { return true; }
  if (isLate(credential)) { return false; }
  const [namespace, name] = credential.includes(':') ? credential.split(':') : [cluster.manifest.metadata.namespace, credential];
  const secret = world.find(cluster, '', 'Secret', namespace, name!)?.manifest;
  return secret !== undefined && isS3Credential(secret) && secretEntry(secret, `${S3_CREDENTIAL_PREFIX}defaultBucket`, isLate) === undefined;
}

function isS3Credential({ data, stringData }: Manifest): boolean {
  return [data, stringData].some((map) => isRecord(map) && Object.keys(map).some((key) => key.startsWith(S3_CREDENTIAL_PREFIX)));
}

const CREDENTIAL: Rule = {
  id: 'credential/s3-endpoint',
  level: 'error',
  kinds: [kindKey('', 'Secret')],
  what: 'the default endpoint of an S3 credential is a host and port: otherwise each snapshot of etcd fails',
  source: 'rancher/rancher:pkg/capr/planner/s3args.go getS3Credential; minio/minio-go:utils.go',
  judge({ manifest }: JudgedObject): Iterable<Problem> {
    if (manifest.metadata.namespace !== GLOBAL_DATA) { return NO_PROBLEMS; }
    return checkS3Endpoint(`${isRecord(manifest.stringData) && ENDPOINT in manifest.stringData ? 'stringData' : 'data'}.${ENDPOINT}`, secretEntry(manifest, ENDPOINT, isLate)?.text);
  },
};

/** Rules for etcd snapshots in S3. */
export const ETCD_S3_RULES: readonly Rule[] = [BUCKET, CREDENTIAL];
