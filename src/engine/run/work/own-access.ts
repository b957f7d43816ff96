import { KindAccess } from '../../../core/kind/description/access';
import { kindOf } from '../../../core/kind/kinds';
import { Manifest } from '../../../core/manifest/manifest';
import { AssemblyObject } from '../../../core/output/assembly';
import { Identity, bindsIdentity, identityOn } from '../../cluster/own-identity';
import { IsOwn, isAccessObject } from '../../graph/access-first';
import { isAbort } from '../../transport/pace';
import { ObjectPlace, RunContext } from '../context/run-context';

/**
 * Finds out by which of the removed objects the run has its own permissions: the run needs them for
 * its other deletions. They may be any of a cluster that does not report who the run is.
 */
export async function ownAccess(
  run: RunContext,
  removed: readonly AssemblyObject[],
): Promise<IsOwn> {
  const places = new Set(removed.filter(isAccessObject).map(({ target }) => target));
  if (places.size === 0) {
    return () => false;
  }
  const isAsked = ({ target }: ObjectPlace): boolean =>
    places.has(target.name) || target.kind !== 'guest';
  const asked = run.open.filter(isAsked).map(
    async ({ target, cluster }) =>
      [
        target.name,
        await identityOn(cluster, { signal: run.stop }).catch((error: unknown) => {
          if (isAbort(error)) {
            throw error;
          }
          return undefined;
        }),
      ] as const,
  );
  const identities = new Map(await Promise.all(asked));
  const known = [...identities.values()].filter((each) => each !== undefined);
  return ({ target }, manifest) =>
    identities.get(target) === undefined || known.some((identity) => isOf(manifest, identity));
}

/** Whether an identity has permissions by a binding, or logs in by another object. */
function isOf(manifest: Manifest, identity: Identity): boolean {
  if (kindOf<KindAccess>(manifest)?.access === 'binding') {
    return bindsIdentity(manifest, identity);
  }
  // a User and its password have the name of the user
  return [manifest.metadata.name, manifest.userId].includes(identity.username);
}
