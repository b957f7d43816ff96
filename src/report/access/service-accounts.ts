import { RoleCluster } from './kubernetes-roles';
import { ResolvedRole, RoleBook } from './role-book';
import { Manifest, valueAt, itemsAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { rulesOf } from '../../core/rbac/policy-rule';
import { JudgedTarget, World } from '../../core/rule/rule';
import { filledText } from '../../core/text/plain-text';

/** A binding of Kubernetes that names a service account. */
export interface AccountBinding {
  /**
   * As the API server names it.
   * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-subjects
   */
  readonly principal: string;
  /** Namespace and name. */
  readonly name: string;
  readonly target: JudgedTarget;
  /** The namespace of the binding. @default - the whole cluster */
  readonly namespace?: string;
  /** The role that it gives on a cluster. */
  readonly roleOn: (cluster: RoleCluster) => ResolvedRole;
  readonly binding: Manifest;
}

/**
 * The service accounts that programs on Harvester or in guests log in with, by the bindings of
 * their clusters.
 */
export function accountBindings(world: World, roles: RoleBook): AccountBinding[] {
  return ['ClusterRoleBinding', 'RoleBinding']
    .flatMap((kind) => world.ofKind(GROUPS.RBAC, kind))
    .flatMap(({ manifest, target }): AccountBinding[] => {
      const { namespace } = manifest.metadata;
      const subjects = itemsAt(manifest.subjects);
      return subjects
        .filter((subject) => valueAt(subject, 'kind') === 'ServiceAccount')
        .flatMap((subject): AccountBinding[] => {
          const account = filledText(valueAt(subject, 'name'));
          if (account === undefined) {
            return [];
          }
          const home = filledText(valueAt(subject, 'namespace')) ?? namespace ?? 'default';
          return [
            {
              principal: `system:serviceaccount:${home}:${account}`,
              name: `${home}/${account}`,
              target,
              namespace,
              roleOn: (cluster) => roleOf(manifest, target, world, roles, cluster),
              binding: manifest,
            },
          ];
        });
    });
}

function roleOf(
  binding: Manifest,
  target: JudgedTarget,
  world: World,
  roles: RoleBook,
  cluster: RoleCluster,
): ResolvedRole {
  const [kind, id] = [
    filledText(valueAt(binding, 'roleRef', 'kind')) ?? 'ClusterRole',
    filledText(valueAt(binding, 'roleRef', 'name')) ?? '',
  ];
  const found = world
    .ofKind(GROUPS.RBAC, kind)
    .find(
      (role) =>
        role.target.name === target.name &&
        role.manifest.metadata.name === id &&
        (kind === 'ClusterRole' || role.manifest.metadata.namespace === binding.metadata.namespace),
    );
  if (found) {
    return {
      id,
      name: id,
      rules: rulesOf(found.manifest.rules).map((rule) => ({ ...rule, through: id })),
      unknown: [],
    };
  }
  if (kind !== 'ClusterRole') {
    return { id, name: id, rules: [], unknown: [`${kind} ${id}`] };
  }
  const { name, rules, unknown } = roles.template(id, cluster);
  return { id, name, rules, unknown: unknown.length > 0 ? [`${kind} ${id}`] : [] };
}
