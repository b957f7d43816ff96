import { FakeCluster } from './fake-cluster';

/** A rule of a role and the namespace that it is bound in; none is everywhere. */
export interface FakeRule {
  readonly namespace?: string;
  readonly verbs: readonly string[];
  readonly group?: string;
  readonly resources: readonly string[];
  readonly names?: readonly string[];
}

export interface FakeIdentity {
  readonly rules: readonly FakeRule[];
  /** The identity that the server reports; it reports none by default. */
  readonly userInfo?: {
    readonly username: string;
    readonly groups?: readonly string[];
    readonly extra?: { readonly [key: string]: readonly string[] };
  };
  /** Whether the server lists the rules. @default true */
  readonly listsRules?: boolean;
}

/** Lets a fake cluster answer as servers do that judge by roles. */
export function withRights(
  cluster: FakeCluster,
  { rules, userInfo, listsRules = true }: FakeIdentity,
): FakeCluster {
  const has = (list: readonly string[], value: string): boolean =>
    list.includes('*') || list.includes(value);
  cluster.answers = (kind, spec) => {
    switch (kind) {
      case 'SelfSubjectAccessReview': {
        const { verb, group = '', resource, namespace, name } = spec.resourceAttributes;
        return {
          allowed: rules.some(
            (rule) =>
              has(rule.verbs, verb) &&
              has([rule.group ?? ''], group) &&
              has(rule.resources, resource) &&
              (rule.namespace === undefined || rule.namespace === namespace) &&
              (rule.names === undefined || rule.names.includes(name)),
          ),
        };
      }
      case 'SelfSubjectRulesReview':
        return {
          incomplete: !listsRules,
          resourceRules: rules
            .filter(
              ({ namespace }) =>
                listsRules && (namespace === undefined || namespace === spec.namespace),
            )
            .map(({ verbs, group = '', resources, names }) => ({
              verbs,
              apiGroups: [group],
              resources,
              ...(names ? { resourceNames: names } : {}),
            })),
        };
      default:
        return userInfo ? { userInfo } : {};
    }
  };
  return cluster;
}
