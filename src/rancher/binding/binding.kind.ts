import { ImmutableField, ImmutableFields } from '../../core/kind/description/immutable-fields';
import { PassingRefusal, REFUSED } from '../../core/kind/description/refusals';
import { deletes } from '../../core/kind/description/removal';
import { KindDescription, ON_RANCHER } from '../../core/kind/kind';
import { kindKey } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { anyText, filledText } from '../../core/text/plain-text';
import { RancherGate } from '../version/rancher-version';

/**
 * Annotation on a binding: the name that Rancher shows for a principal that has never logged in.
 * @see rancher/rancher:pkg/controllers/management/auth/prtb_handler.go
 */
export const ANNOTATION_PRINCIPAL_DISPLAY_NAME = 'auth.cattle.io/principal-display-name';

/**
 * Label on a ClusterRoleTemplateBinding that comes of a GlobalRoleBinding.
 * @see rancher/webhook:pkg/resources/management.cattle.io/v3/clusterroletemplatebinding
 */
export const LABEL_GLOBAL_BINDING_OWNER = 'authz.management.cattle.io/grb-owner';

/**
 * Name prefixes of bindings, as Rancher's UI gives them by generateName.
 * @see rancher/webhook:pkg/resources/management.cattle.io/v3/projectroletemplatebinding/mutator.go
 */
export const BINDING_PREFIX = { project: 'prtb-', cluster: 'crtb-', global: 'grb-' } as const;

/** The fields of a binding that name a user, and those that name a group. */
export const USER_FIELDS = ['userPrincipalName', 'userName'] as const;
export const GROUP_FIELDS = ['groupPrincipalName', 'groupName'] as const;

/** The fields of a binding for its subject, in the order of Rancher's webhook. */
export const SUBJECT_FIELDS: readonly string[] = [...USER_FIELDS, ...GROUP_FIELDS];

const BINDING = {
  group: GROUPS.MANAGEMENT,
  version: 'v3',
  targets: ON_RANCHER,
  access: 'binding',
  grantsAccess: true,
  power: {
    preparedBy: [],
    keeps: 'it gives the role to its members, and fields that the program does not set remain',
  },
  // Rancher completes the subject by the other form of its name
  writtenByOthers: [
    'metadata.labels',
    'metadata.labels[auth.management.cattle.io/crb-rb-labels-updated]',
    'metadata.annotations',
    'metadata.ownerReferences',
    'userName',
    'userPrincipalName',
    'groupName',
  ],
} as const;

const NOT_YET: readonly PassingRefusal[] = [
  {
    status: REFUSED,
    words: /specified cluster (\S+) not found/,
    missing: ([, name]) => ({ kind: kindKey(GROUPS.PROVISIONING, 'Cluster'), name }),
    source:
      'rancher/webhook:pkg/resources/management.cattle.io/v3/clusterroletemplatebinding/validator.go, projectroletemplatebinding/validator.go',
  },
  {
    // a role that comes with the import of a Harvester
    status: [500],
    words: /failed to validate fields on create: .* not found/,
    source: 'seen on Rancher 2.13.8',
  },
  {
    status: REFUSED,
    words: /roleTemplateName: Invalid value: "([^"]+)": the referenced role template was not found/,
    missing: ([, name]) => ({ kind: kindKey(GROUPS.MANAGEMENT, 'RoleTemplate'), name }),
    source: 'seen on Rancher 2.15.0',
  },
];

/** The webhook looks up the owner of a binding in its label. */
const OWNER_PATH = `metadata.labels[${LABEL_GLOBAL_BINDING_OWNER}]`;

/**
 * The immutable fields of a binding.
 *
 * @param once fields of the subject, which Rancher or an edit can fill in
 */
function immutable(
  family: string,
  kind: string,
  what: string,
  fields: readonly string[],
  once: readonly string[],
): ImmutableFields {
  const field = (path: string): ImmutableField => ({
    path,
    compared: filledText,
    omitted: 'keeps',
  });
  return {
    id: `${family}/immutable`,
    what: `a binding keeps its ${what}`,
    says: 'field is immutable',
    source: `rancher/webhook:pkg/resources/management.cattle.io/v3/${kind.toLowerCase()}/validator.go validateUpdateFields`,
    fields: [...fields.map(field), ...once.map((path) => ({ ...field(path), addable: true }))],
    fix: 'restore it, or declare another binding under another name',
  };
}

/**
 * Rancher's bindings of roles to users and groups.
 * @see rancher/rancher:pkg/apis/management.cattle.io/v3/authz_types.go
 */
export const BINDING_DESCRIPTIONS: readonly KindDescription[] = [
  {
    ...BINDING,
    kind: 'GlobalRoleBinding',
    deletion: deletes('takes the role in Rancher'),
    // @see rancher/webhook:pkg/resources/management.cattle.io/v3/globalrolebinding/mutator.go
    serverOwner: 'GlobalRole',
    scope: 'Cluster',
    rank: 60,
    stage: 'access',
    immutable: [
      immutable(
        'global-role-binding',
        'GlobalRoleBinding',
        'role and member',
        ['globalRoleName'],
        ['userPrincipalName', 'userName', 'groupPrincipalName'],
      ),
    ],
  },
  {
    ...BINDING,
    kind: 'ClusterRoleTemplateBinding',
    deletion: deletes('takes the role in the cluster'),
    scope: 'Namespaced',
    rank: 60,
    stage: ({ clusterName }) => ({ stage: 'members', part: anyText(clusterName) }),
    passing: NOT_YET,
    immutable: [
      immutable(
        'cluster-binding',
        'ClusterRoleTemplateBinding',
        'cluster, role and member',
        ['clusterName', 'roleTemplateName', OWNER_PATH],
        SUBJECT_FIELDS,
      ),
    ],
  },
  {
    ...BINDING,
    kind: 'ProjectRoleTemplateBinding',
    deletion: deletes('removes the role in the project'),
    scope: 'Namespaced',
    rank: 62,
    power: { ...BINDING.power, preparedBy: ['project owner'] },
    stage: ({ projectName }) => ({
      stage: 'members',
      part: typeof projectName === 'string' ? projectName.split(':')[0] : undefined,
    }),
    immutable: [
      immutable(
        'project-binding',
        'ProjectRoleTemplateBinding',
        'project, role and member',
        ['projectName', 'roleTemplateName', 'serviceAccount'],
        SUBJECT_FIELDS,
      ),
    ],
    passing: [
      ...NOT_YET,
      {
        status: REFUSED,
        words: /specified project (\S+) not found in \S+/,
        missing: ([, name]) => ({ kind: kindKey(GROUPS.MANAGEMENT, 'Project'), name }),
        source:
          'seen on Rancher 2.13.8; rancher/webhook:pkg/resources/management.cattle.io/v3/projectroletemplatebinding/validator.go',
      },
    ],
  },
];

/**
 * Annotation on a Cluster or Project: the Rancher user who created it.
 * @see rancher/webhook:pkg/resources/common/validation.go
 */
export const ANNOTATION_CREATOR_ID = 'field.cattle.io/creatorId';

/**
 * Annotation on a Cluster or Project: the principal of the creator; needs creatorId.
 * @see rancher/webhook:pkg/resources/common/validation.go
 */
export const ANNOTATION_CREATOR_PRINCIPAL = 'field.cattle.io/creator-principal-name';

/**
 * Annotation on a Cluster or Project: Rancher creates no binding for a creator.
 * @see rancher/webhook:pkg/resources/common/validation.go (0.6.1, Rancher 2.10.0 and later)
 */
export const ANNOTATION_NO_CREATOR_RBAC = 'field.cattle.io/no-creator-rbac';

/** The annotations of a creator. */
const CREATOR_ANNOTATIONS: readonly string[] = [
  ANNOTATION_CREATOR_ID,
  ANNOTATION_CREATOR_PRINCIPAL,
  ANNOTATION_NO_CREATOR_RBAC,
];

/**
 * The annotations of the creator of a Project or management Cluster: they can be removed, but not
 * changed or added.
 */
export const IMMUTABLE_CREATOR = {
  says: 'annotation is immutable',
  source: 'rancher/webhook:pkg/resources/common/validation.go CheckCreatorAnnotationsOnUpdate',
  since: RancherGate.CREATOR_FIXED,
  fields: CREATOR_ANNOTATIONS.map((annotation): ImmutableField => ({
    path: `metadata.annotations[${annotation}]`,
    omitted: 'keeps',
    hidden: true,
  })),
  fix: 'restore or remove it',
} as const;

/** The scheme of Rancher's own users, whose id is the name of their User object. */
export const LOCAL_SCHEME = 'local';

/** The principal of a local user. */
export const localPrincipal = (userName: string): string => `${LOCAL_SCHEME}://${userName}`;
