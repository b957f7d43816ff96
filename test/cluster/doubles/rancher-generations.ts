/** What the recorded generations of Rancher do differently. */
export interface RancherGeneration {
  /** The first minor version that does so. */
  readonly since: string;
  /** Finalizers of a Cluster besides that of the secret migrator. */
  readonly clusterFinalizers: readonly string[];
  /** Finalizers that objects of a kind have before that of their lifecycle. */
  readonly removeHandlers: { readonly [kind: string]: string };
  /** Whether a provisioning Cluster gets the conditions of its management Cluster. */
  readonly mirrorsConditions: boolean;
  /** Local conditions of a GlobalRoleBinding: type, and reason where it is another word. */
  readonly globalBindingConditions: readonly (readonly [type: string, reason?: string])[];
  /** Whether a GlobalRoleBinding has its status before the mark of its creation. */
  readonly statusFirst: boolean;
  /** Whether the conditions of a Namespace are written one after the other. */
  readonly namespaceInSteps: boolean;
  /** Whether the webhook refuses bindings of a project to a role that does not exist. */
  readonly refusesUnknownRoles: boolean;
}

const GLOBAL_BINDING_CONDITIONS = [
  ['SubjectReconciled', 'SubjectExists'],
  ['ClusterPermissionsReconciled'],
  ['GlobalRoleBindingReconciled'],
  ['NamespacedRoleBindingReconciled'],
] as const;

/** The oldest first. */
const RANCHER_GENERATIONS: readonly RancherGeneration[] = [
  {
    since: '2.13',
    clusterFinalizers: [],
    removeHandlers: {},
    mirrorsConditions: true,
    globalBindingConditions: GLOBAL_BINDING_CONDITIONS,
    statusFirst: false,
    namespaceInSteps: false,
    refusesUnknownRoles: false,
  },
  {
    since: '2.15',
    clusterFinalizers: ['auth.cattle.io/capi-resources-cleanup'],
    removeHandlers: {
      ClusterRoleTemplateBinding: 'wrangler.cattle.io/mgmt-crtb-remove-handler',
      ProjectRoleTemplateBinding: 'wrangler.cattle.io/mgmt-prtb-remove-handler',
      RoleTemplate: 'wrangler.cattle.io/mgmt-roletemplate-remove-handler',
    },
    mirrorsConditions: false,
    globalBindingConditions: [
      ...GLOBAL_BINDING_CONDITIONS,
      ['InheritedNamespacedRoleBindingReconciled'],
    ],
    statusFirst: true,
    namespaceInSteps: true,
    refusesUnknownRoles: true,
  },
];

/** What a version does, e.g. `2.15.0`. */
export function rancherGenerationOf(version: string): RancherGeneration {
  const [, minor] = version.split('.').map(Number);
  const found = RANCHER_GENERATIONS.filter(({ since }) => Number(since.split('.')[1]) <= minor);
  if (found.length === 0) {
    throw new Error(`must be ${RANCHER_GENERATIONS[0].since} or later, got ${version}`);
  }
  return found.at(-1)!;
}
