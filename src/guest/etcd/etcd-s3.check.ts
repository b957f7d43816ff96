import { isLate } from '../../core/late/late-token';
import { Problem } from '../../core/rule/problem';

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
