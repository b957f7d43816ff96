import { isLate } from '../../core/late/late-token';
import { valueAt } from '../../core/manifest/manifest';
import { RFC1123_LABEL } from '../../core/manifest/names';
import { rfc1123LabelProblem } from '../../core/problem/label';
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
    return [namelessProblem(path, value, fix)];
  }
  if (typeof value === 'string' && RFC1123_LABEL.test(value)) {
    return NO_PROBLEMS;
  }
  return [rfc1123LabelProblem(path, value)];
}

/** A warning: Harvester's documentation omitted the name before 1.9, and one guest cluster works. */
function namelessProblem(path: string, value: unknown, fix: string): Problem {
  const says =
    'The --cluster-name is empty or default; please ensure a unique name is set to avoid resource conflicts.';
  if (value === NAMELESS) {
    const message =
      'must not be the default name of the cloud provider, with which load balancers of clusters collide';
    return { path, level: 'warning', value, message, fix, says };
  }
  const message = `must be set: otherwise all clusters are named "${NAMELESS}", and the names of their load balancers collide`;
  return { path, level: 'warning', message, fix, says };
}

/** Checks for a name where charts no longer read it. */
export function checkTopLevelName(
  path: string,
  { clusterName: value }: { readonly [key: string]: unknown },
): readonly Problem[] {
  if (value === undefined) {
    return NO_PROBLEMS;
  }
  return [
    {
      path,
      value,
      level: 'warning',
      message: 'has no effect in charts 0.2.0 and later',
      fix: 'write global: {cattle: {clusterName: …}} instead',
    },
  ];
}
