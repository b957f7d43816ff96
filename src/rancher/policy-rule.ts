/**
 * What a role allows: verbs on resources, or on URLs that are no resources. As in Kubernetes.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/
 */
export interface PolicyRule {
  /** What is allowed, in lower case, e.g. `get`, `list`, `watch`; `*` is everything. */
  readonly verbs: string[];
  /** The API groups of the resources, `''` is the core one. @default - none: a rule on URLs */
  readonly apiGroups?: string[];
  /** The resources in the plural, e.g. `virtualmachines`, with a subresource `virtualmachines/start`. @default - none: a rule on URLs */
  readonly resources?: string[];
  /** The names of the objects that it is restricted to. @default - all objects */
  readonly resourceNames?: string[];
  /** URLs that are no resources, e.g. `/metrics`. They stand in a rule of their own. @default - none */
  readonly nonResourceUrls?: string[];
}
