import { isLate } from '../../core/late/late-token';
import { valueAt } from '../../core/manifest/manifest';
import { RFC1123_LABEL } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem } from '../../core/problem/problem';

/**
 * The default cluster name of the cloud provider: the load balancers of clusters with this name
 * collide.
 */
const NAMELESS = 'kubernetes';

/**
 * The name of the cluster in the values of the cloud provider; a name of digits may lack its
 * quotes.
 */
export function clusterNameIn(values: unknown): unknown {
  const name = valueAt(values, 'global', 'cattle', 'clusterName');
  return typeof name === 'number' ? String(name) : name;
}

/** Checks the name that distinguishes the load balancers of a cluster from those of others. */
export function checkClusterName(path: string, value: unknown, fix: string): readonly Problem[] {
  if (isLate(value)) {
    return NO_PROBLEMS;
  }
  if (value === undefined || value === '' || value === NAMELESS) {
    return [
      {
        path,
        // Harvester's documentation omitted it before 1.9, and it works for the first guest cluster
        level: 'warning',
        ...(value === NAMELESS ? { value } : {}),
        message:
          value === NAMELESS
            ? 'must not be the default name of the cloud provider, with which load balancers of clusters collide'
            : `must be set: otherwise all clusters are named "${NAMELESS}", and the names of their load balancers collide`,
        fix,
        says: 'The --cluster-name is empty or default; please ensure a unique name is set to avoid resource conflicts.',
      },
    ];
  }
  return typeof value === 'string' && RFC1123_LABEL.test(value)
    ? NO_PROBLEMS
    : [
        {
          path,
          value,
          message: 'must be an RFC 1123 label',
          fix: 'use at most 63 of a-z, 0-9 and hyphens',
        },
      ];
}

/** Checks for a name where charts no longer read it. */
export function checkTopLevelName(
  path: string,
  { clusterName: value }: { readonly [key: string]: unknown },
): readonly Problem[] {
  return value === undefined
    ? NO_PROBLEMS
    : [
        {
          path,
          value,
          level: 'warning',
          message: 'has no effect in charts 0.2.0 and later',
          fix: 'write global: {cattle: {clusterName: …}} instead',
        },
      ];
}
