import { posix } from 'path';
import { isLate } from '../../core/late/late-token';
import { isRecord } from '../../core/manifest/manifest';
import { Problem } from '../../core/problem/problem';

/** The data directories of a cluster, with the names that Rancher's webhook uses for them. */
export const DATA_DIRECTORIES: Readonly<Record<string, string>> = {
  k8sDistro: 'Distro',
  provisioning: 'Provisioning',
  systemAgent: 'System Agent',
};

const SHELL = /["'`*?#~=%$|&;<>{}[\]()]/;
const FIX =
  'use an absolute path without "..", variables and shell characters, outside of the other data directories';

/**
 * Checks the data directories of a new cluster as Rancher's webhook does: it refuses relative
 * paths, paths that are not clean, shell expressions, equal directories and one directly inside
 * another. It accepts deeper nesting, which is a warning here.
 * @see rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go validateDataDirectories
 */
export function* checkDataDirectories(path: string, directories: unknown): Iterable<Problem> {
  if (!isRecord(directories)) {
    return;
  }
  const given = Object.entries(DATA_DIRECTORIES)
    .map(([field, name]) => ({ path: `${path}.${field}`, name, value: directories[field] }))
    .filter(
      (entry): entry is { path: string; name: string; value: string } =>
        typeof entry.value === 'string' && entry.value !== '' && !isLate(entry.value),
    );
  for (const { path: at, name, value } of given) {
    const fault = formatFault(value);
    if (fault) {
      yield {
        path: at,
        value,
        message: fault[0],
        fix: FIX,
        says: `${name} data directory ${fault[1]}`,
      };
    }
  }
  for (const [index, a] of given.entries()) {
    for (const b of given.slice(index + 1)) {
      yield* checkPair(a, b);
    }
  }
}

function formatFault(directory: string): [message: string, says: string] | undefined {
  if (!directory.startsWith('/')) {
    return ['must be an absolute path', 'must be an absolute path'];
  }
  if (SHELL.test(directory)) {
    return ['must not contain shell characters', 'cannot contain shell expressions'];
  }
  const clean = posix.normalize(directory).replace(/(?!^)\/$/, '');
  return clean === directory ? undefined : [`must be written as ${clean}`, 'is not clean'];
}

type Directory = { readonly path: string; readonly name: string; readonly value: string };

function* checkPair(a: Directory, b: Directory): Iterable<Problem> {
  if (a.value === b.value) {
    yield {
      path: b.path,
      value: b.value,
      message: `must differ from ${a.path}`,
      fix: FIX,
      says: `${a.name} data directory cannot be equal to ${b.name} data directory`,
    };
    return;
  }
  const [outer, inner] = b.value.startsWith(`${a.value}/`) ? [a, b] : [b, a];
  if (!inner.value.startsWith(`${outer.value}/`)) {
    return;
  }
  const direct = !inner.value.slice(outer.value.length + 1).includes('/');
  yield {
    path: inner.path,
    value: inner.value,
    message: `must not be inside ${outer.path}`,
    fix: FIX,
    ...(direct
      ? {
          says: `${inner.name} data directory cannot be nested inside ${outer.name} data directory`,
        }
      : { level: 'warning' as const }),
  };
}
