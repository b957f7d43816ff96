import { isRecord, textsAt, itemsAt } from '../manifest/manifest';

/** A rule of a role, as Kubernetes has it: verbs on resources of API groups. */
export interface RbacRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** The objects it is for. @default - all */
  readonly resourceNames?: readonly string[];
}

/** A rule that a subject has, and the role that grants it. */
export interface GrantedRule extends RbacRule {
  /** The role that has the rule: the bound one, or one that it inherits. */
  readonly through: string;
  /**
   * Why it is not sure that the rule holds.
   * @default - read in the source or seen on a running system
   */
  readonly unconfirmed?: string;
}

export const READ: readonly string[] = ['get', 'list', 'watch'];
export const ALL: readonly string[] = ['*'];

/** What a role that may write gets where Kubernetes spells the verbs out. */
export const WRITE: readonly string[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

/** A rule on resources of one group. */
export function rbacRule(
  group: string,
  resources: readonly string[],
  verbs: readonly string[],
): RbacRule {
  return { apiGroups: [group], resources, verbs };
}

/** The rules of a manifest's field; what is not a rule is left out. */
export function rulesOf(value: unknown): RbacRule[] {
  return itemsAt(value)
    .filter(isRecord)
    .map((entry) => {
      const names = textsAt(entry.resourceNames);
      return {
        apiGroups: textsAt(entry.apiGroups),
        resources: textsAt(entry.resources),
        verbs: textsAt(entry.verbs),
        ...(names.length > 0 ? { resourceNames: names } : {}),
      };
    });
}

/**
 * Whether a rule is about a resource, by the matching of Kubernetes: `*` is every group or
 * resource, a subresource is named in full or by `*`.
 * @see kubernetes/kubernetes:pkg/apis/rbac/v1/evaluation_helpers.go ResourceMatches
 */
export function covers(
  { apiGroups, resources }: RbacRule,
  group: string,
  resource: string,
): boolean {
  const [, subresource] = resource.split('/');
  return (
    (apiGroups.includes('*') || apiGroups.includes(group)) &&
    (resources.includes('*') ||
      resources.includes(resource) ||
      (subresource !== undefined && resources.includes(`*/${subresource}`)))
  );
}
