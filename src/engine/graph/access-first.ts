import { Manifests } from './build-graph';
import { ApplyGraph, GraphEdge, GraphNode } from './graph';
import { reach } from '../../core/graph/reach';
import { KindReferences } from '../../core/kind/description/references';
import { KindRemoval } from '../../core/kind/description/removal';
import { givesAccess, kindOf } from '../../core/kind/kinds';
import { groupOf, isRecord, itemsAt, Manifest } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { AssemblyObject } from '../../core/output/assembly';
import { isSecretObject } from '../../core/secret/secret-fields';
import { PASSWORD_NAMESPACE } from '../../rancher/user/user.kind';

/** Whether the identity of a run has its permissions by an object. */
export type IsOwn = (object: AssemblyObject, manifest: Manifest) => boolean;

/**
 * The objects by which people have access, which a removal deletes first: members, users, their
 * passwords and tokens, OIDC clients. Without those that the run itself needs, and those that
 * Rancher needs to delete the machines of guest clusters.
 */
export function peoplesAccess(
  graph: ApplyGraph,
  manifests: Manifests,
  guests: readonly string[],
  isOwn: IsOwn = () => false,
): ReadonlySet<string> {
  const needed = reach(guests, (id) => usedBy(graph.nodes.get(id)).map(({ to }) => to));
  const isNeeded = ({ id, after }: GraphNode): boolean =>
    needed.has(id) || after.some(({ to }) => needed.has(to) && isAccess(graph.nodes.get(to)));
  const nodes = [...graph.nodes.values()].filter((node) => {
    const manifest = manifests.get(node.id);
    return (
      node.object !== undefined &&
      manifest !== undefined &&
      isAccess(node) &&
      !bindsAccounts(manifest) &&
      !isNeeded(node) &&
      !isOwn(node.object, manifest)
    );
  });
  return new Set(nodes.map(({ id }) => id));
}

/**
 * What an object uses: what it names, and late values. An order that the program declares is not
 * a use.
 */
function usedBy(node?: GraphNode): readonly GraphEdge[] {
  const after = node?.after ?? [];
  return node?.object === undefined
    ? after
    : after.filter(({ kind, weight }) => kind === 'value' || weight !== undefined);
}

function isAccess(node?: GraphNode): boolean {
  return node?.object !== undefined && isAccessObject(node.object);
}

/** Whether people have access by an object that a removal deletes, and does not reset. */
export function isAccessObject(object: AssemblyObject): boolean {
  const isPassword =
    object.namespace === PASSWORD_NAMESPACE &&
    (isSecretObject(object) || kindOf<KindReferences>(object)?.makes !== undefined);
  return isPassword || (givesAccess(object) && !kindOf<KindRemoval>(object)?.reset);
}

/** The names of accounts and of parts of Kubernetes begin with it. */
const SYSTEM = 'system:';

/** Whether a binding gives permissions to accounts, such as that of the node driver. */
function bindsAccounts(manifest: Manifest): boolean {
  const isAccount = (subject: unknown): boolean =>
    isRecord(subject) &&
    (subject.kind === 'ServiceAccount' || String(subject.name).startsWith(SYSTEM));
  return groupOf(manifest.apiVersion) === GROUPS.RBAC
    ? itemsAt(manifest, 'subjects').some(isAccount)
    : manifest.serviceAccount !== undefined && manifest.serviceAccount !== '';
}
