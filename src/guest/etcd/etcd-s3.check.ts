import { Problem, NO_PROBLEMS } from '../../core/problem/problem';
import { text } from '../../core/rule/kit/values';
import { hostOfUrl } from '../../core/text/plain-text';

/**
 * Checks the endpoint of an S3 bucket for etcd snapshots, a host and port.
 * @see minio/minio-go:utils.go isValidEndpointURL, which adds the scheme itself; k3s-io/k3s:pkg/etcd/s3
 */
export const checkS3Endpoint = text((path: string, endpoint): readonly Problem[] => {
  const host = hostOfUrl(endpoint);
  return host === undefined
    ? NO_PROBLEMS
    : [
        {
          path,
          value: endpoint,
          message: 'must be a host and port, not a URL',
          fix: `write ${host || 'e.g. minio.example.com:9000'}`,
          says: 'Endpoint url cannot have fully qualified paths.',
        },
      ];
});
