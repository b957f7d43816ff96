import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Witness } from './witness';
import { annotationsOf, Manifest } from '../../../../src/core/manifest/manifest';
import { Cluster, ObjectRef, refOf } from '../../../../src/engine/cluster/cluster';

/** How long Rancher has to change a ClusterRoleBinding. */
const BOUND_MS = 2_000;

const BINDING = 'GlobalRoleBinding';

/** The field that an edit may change, and that can be restored: the webhook does not compare it. */
export const USER_PRINCIPAL = 'userPrincipalName';

/** @see rancher/rancher:pkg/controllers/management/auth/globalroles/globalrolebinding_handler.go (2.15.0) */
const BOUND_BY = 'authz.management.cattle.io/crb-name';
const BOUND_PREFIX = 'cattle-globalrolebinding-';

/** The member that Kubernetes knows of a binding of a global role. */
export class Members implements Witness {
  public constructor(private readonly cluster: Cluster) {}

  public tells({ kind }: Manifest): boolean {
    return kind === BINDING;
  }

  public async see(): Promise<void> {
    return undefined;
  }

  /** Another principal gets nothing where Rancher knows the member already. */
  public async failureOf(changed: Manifest): Promise<string | undefined> {
    await sleep(BOUND_MS);
    const binding = await this.cluster.read(refOf(changed));
    const bound = binding && (await this.cluster.read(boundBy(binding)));
    if (!binding || !bound || binding[USER_PRINCIPAL] !== changed[USER_PRINCIPAL]) {
      return undefined;
    }
    const member = binding.userName ?? binding.groupPrincipalName;
    const subjects = (bound.subjects as readonly { readonly name: string }[]).map(
      (each) => each.name,
    );
    return member !== undefined && isDeepStrictEqual(subjects, [member])
      ? `the role remains with ${String(member)}`
      : undefined;
  }
}

function boundBy(binding: Manifest): ObjectRef {
  const name = annotationsOf(binding)[BOUND_BY] ?? `${BOUND_PREFIX}${binding.metadata.name}`;
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    name: String(name),
  };
}

/** Whether a change of a binding can be taken back: that of the principal of its user alone. */
export function isOfPrincipal(before: Manifest, after: Manifest): boolean {
  const without = (manifest: Manifest): object => ({ ...manifest, [USER_PRINCIPAL]: undefined });
  return before.kind === BINDING && isDeepStrictEqual(without(before), without(after));
}
