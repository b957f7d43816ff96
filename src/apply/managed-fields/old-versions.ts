import { managersOfOtherVersions } from './rewrite';
import { Manifest, objectLabel } from '../../model/manifest';
import { LiveObject } from '../cluster/cluster';
import { ApiError } from '../transport/api';

/**
 * What a server says where it can't turn an object into a version that one of its managers has: the version is no more, or it lacks a field that the
 * object has. A field of the program that the server does not know sounds alike ("failed to create typed patch object"), and is none of these.
 *
 * Seen on a Kubernetes 1.34.4 API server, all with status 500; issues kubernetes/kubernetes#111937, fluxcd/flux2#5715.
 */
const WORDS = /^failed to prune fields: |^failed to convert (new|live|merged) object: |request to convert CR to an invalid group\/version: /;

/** Whether a server could not apply an object for the versions that its managers have. */
export function isOfManagers(error: unknown): error is ApiError {
  return error instanceof ApiError && error.failure === 'invalid' && WORDS.test(error.message);
}

/** The managers that a server could not apply an object for; undefined where it ended for another reason. */
export function outdatedManagers(error: unknown, live: LiveObject, manifest: Manifest): readonly string[] | undefined {
  if (!isOfManagers(error)) { return undefined; }
  const managers = managersOfOtherVersions(live, manifest);
  return managers.length > 0 ? managers : undefined;
}

/** What to do about them. */
export function migrationHint(manifest: Manifest, managers: readonly string[]): string {
  return `the managed fields of ${objectLabel(manifest)} name versions that it can't be had in any more: ${managers.join(', ')}; `
    + `--migrate-managed-fields gives them ${manifest.apiVersion}, and leaves all else as it is`;
}
