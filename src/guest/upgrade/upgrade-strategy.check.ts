import { isLate } from '../../core/late/late-token';
import { Problem, NO_PROBLEMS } from '../../core/problem/problem';

/**
 * What the definition of Cluster accepts.
 * @see rancher/rancher:pkg/crds/yaml/generated/provisioning.cattle.io_clusters.yaml
 */
const CONCURRENCY = /^((([1-9]|[1-9][0-9]|100)%)|([1-9][0-9]*|0)|)$/;

const MAX_LENGTH = 10;

/** Checks how many nodes are changed at a time. */
export function checkConcurrency(path: string, value: unknown): readonly Problem[] {
  if (
    typeof value !== 'string' ||
    isLate(value) ||
    (CONCURRENCY.test(value) && value.length <= MAX_LENGTH)
  ) {
    return NO_PROBLEMS;
  }
  return [
    {
      path,
      value,
      message: 'must be a number or a percentage of nodes',
      fix: 'write a number such as "1", a percentage from "1%" to "100%", or "0" for all nodes at once',
      says: 'concurrency must be a number or a percentage',
    },
  ];
}
