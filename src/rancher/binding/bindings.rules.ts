import { LABEL_GLOBAL_BINDING_OWNER, SUBJECT_FIELDS } from './binding.kind';
import { CREATOR_PREFIX } from './made-binding.facts';
import { isLate } from '../../core/late/late-token';
import { labelsOf, valueAt } from '../../core/manifest/manifest';
import { Findings, problemsAt } from '../../core/rule/findings';
import { rules } from '../../core/rule/kit/fact';
import { matches, text } from '../../core/rule/kit/values';
import { JudgedObject, Rule } from '../../core/rule/rule';
import { lacksFeature } from '../../core/version/target-features';
import { immutableBinding, memberRules, memberField } from '../members/members.rules';
import { unknownCluster, unknownProject } from '../project/known-projects.check';
import { backingNamespaces, isReferenced, projectOf } from '../project/known-projects.facts';
import { RancherGate } from '../version/rancher-version';

const KINDS = ['management.cattle.io/ClusterRoleTemplateBinding'];
const VALIDATOR =
  'rancher/webhook:pkg/resources/management.cattle.io/v3/clusterroletemplatebinding/validator.go';

const MEMBERS = memberRules({
  family: 'cluster-binding',
  kind: 'ClusterRoleTemplateBinding',
  fields: SUBJECT_FIELDS,
  placeField: 'clusterName',
  duplicate: {
    gate: RancherGate.DUPLICATE_CLUSTER_BINDING_REFUSED,
    says: 'duplicate crtb not allowed',
    source: 'rancher/webhook 0.10 validateDuplicates',
  },
  members: 'one user or one group',
  says: 'binding must target either a user [userName]/[userPrincipalName] OR a group [groupName]/[groupPrincipalName]',
  validator: VALIDATOR,
  checkedBy: 'validateCreateFields',
  controller: 'rancher/rancher:pkg/controllers/management/auth/crtb_handler.go reconcileSubject',
  role: {
    field: 'roleTemplateName',
    context: 'cluster',
    what: 'the role of a binding exists, is for clusters and is not locked',
    example: 'cluster-member',
    // Rancher creates such a binding from a GlobalRoleBinding, in addition to any of the program
    notOf: (manifest) => LABEL_GLOBAL_BINDING_OWNER in labelsOf(manifest),
  },
});

/** Rules for the members of clusters. */
export const CLUSTER_BINDING_RULES: readonly Rule[] = [
  ...rules({ kinds: KINDS }, [
    {
      id: 'cluster-binding/cluster',
      what: 'the namespace and clusterName of a binding are the management cluster ID',
      says: 'clusterName and namespace must be the same value',
      source: `${VALIDATOR} validateCreateFields`,
      field: 'clusterName',
      required: {
        fix: 'set it to the management cluster ID, which is the namespace, too',
        says: 'clusterroletemplatebinding.clusterName: Required value',
      },
      check: text((_, cluster, { manifest }: JudgedObject): Findings => {
        const { namespace } = manifest.metadata;
        return (
          namespace !== undefined &&
          namespace !== cluster &&
          !isLate(namespace) && {
            message: `must be ${namespace}, the namespace of the binding`,
            fix: 'use the same ID for both',
          }
        );
      }),
    },
    {
      id: 'cluster-binding/unknown-cluster',
      what: 'the cluster of a binding exists',
      says: 'specified cluster not found',
      source: `${VALIDATOR} validateCreateFields`,
      field: 'clusterName',
      check: text((_, id, object, world) => unknownCluster(object, world, id)),
    },
    {
      id: 'cluster-binding/reserved-name',
      level: 'warning',
      what: `names that begin with ${CREATOR_PREFIX} are reserved for the bindings that Rancher creates for creators`,
      source: 'rancher/rancher:pkg/controllers/management/auth/project_cluster',
      creation: true,
      field: 'metadata.name',
      check: matches((name) => !name.startsWith(CREATOR_PREFIX), {
        message: 'cannot be a name that Rancher uses itself',
        fix: 'choose another name',
      }),
    },
  ]),
  MEMBERS.subject,
  MEMBERS.principal,
  MEMBERS.localUser,
  MEMBERS.role,
  MEMBERS.duplicate,
  immutableBinding('cluster-binding', SUBJECT_FIELDS),
];

const PROJECT_KINDS = ['management.cattle.io/ProjectRoleTemplateBinding'];
const PROJECT_VALIDATOR =
  'rancher/webhook:pkg/resources/management.cattle.io/v3/projectroletemplatebinding/validator.go';
const PROJECT_ID = /^[^:]+:[^:]+$/;

const PROJECT_MEMBERS = memberRules({
  family: 'project-binding',
  kind: 'ProjectRoleTemplateBinding',
  fields: [...SUBJECT_FIELDS, 'serviceAccount'],
  placeField: 'projectName',
  duplicate: {
    gate: RancherGate.DUPLICATE_PROJECT_BINDING_REFUSED,
    says: 'duplicate prtb not allowed',
    source: 'rancher/webhook 0.11 validateDuplicates; accepted on Rancher 2.13.8 (seen)',
  },
  members: 'one user, one group or one service account',
  says: 'binding must target only a user [userName]/[userPrincipalName] OR a group [groupName]/[groupPrincipalName] OR a [serviceAccount]',
  validator: PROJECT_VALIDATOR,
  checkedBy: 'validateCreateFields',
  controller: 'rancher/rancher:pkg/controllers/management/auth/prtb_handler.go reconcileSubject',
  role: {
    field: 'roleTemplateName',
    context: 'project',
    what: 'the role of a binding exists, is for projects and is not locked',
    example: 'project-member',
  },
});

function hasStatus(project: JudgedObject | undefined): boolean {
  return typeof valueAt(project?.manifest, 'status', 'backingNamespace') === 'string';
}

/** Rules for the members of projects. */
export const PROJECT_BINDING_RULES: readonly Rule[] = [
  ...rules({ kinds: PROJECT_KINDS }, [
    {
      id: 'project-binding/project',
      what: 'a binding names its project as <cluster id>:<project>, and the project exists',
      says: 'projectName must be of the form cluster.metadata.name:project.metadata.name, and both must refer to an existing object',
      source: `${PROJECT_VALIDATOR} validateCreateFields; seen on Rancher 2.13.8`,
      field: 'projectName',
      missing: 'judged',
      check: (_, id, object, world) => {
        if (typeof id !== 'string' || !PROJECT_ID.test(id)) {
          return { message: 'must be a project ID', fix: 'write <cluster id>:<project>' };
        }
        const problem = unknownProject(object, world, id);
        const [cluster, name] = id.split(':');
        return problem && { ...problem, says: `specified project ${name} not found in ${cluster}` };
      },
    },
    {
      id: 'project-binding/namespace',
      what: 'a binding is in the namespace that Rancher creates for its project, <management cluster ID>-<project>; elsewhere it is accepted but has no effect',
      source:
        'rancher/rancher:pkg/controllers/management/auth/roletemplates/register.go; the webhook does not look at the namespace',
      judge: (object, world) => {
        const { target } = object;
        const { projectName } = object.manifest;
        const { namespace } = object.manifest.metadata;
        if (
          namespace === undefined ||
          isLate(namespace) ||
          typeof projectName !== 'string' ||
          isLate(projectName) ||
          !PROJECT_ID.test(projectName)
        ) {
          return undefined;
        }
        const [cluster, name] = projectName.split(':');
        const project = projectOf(world, target, projectName);
        const right = backingNamespaces(target, cluster, name, project?.manifest);
        if (right.includes(namespace)) {
          return undefined;
        }
        // a project from before an upgrade keeps the namespace of its bare name; which one it has,
        // a server and who only refers to it know
        const mayBeOld = namespace === name && !hasStatus(project);
        return mayBeOld && (isReferenced(world, target, projectName) || world.exists(object))
          ? undefined
          : {
              path: 'metadata.namespace',
              value: namespace,
              ...(mayBeOld ? { level: 'warning' } : {}),
              message: `must be ${right.join(' or ')}, where Rancher looks for the bindings of ${projectName}: elsewhere they have no effect`,
              fix: `use this namespace${mayBeOld ? ', or status.backingNamespace of the live Project' : ''}`,
            };
      },
    },
  ]),
  PROJECT_MEMBERS.subject,
  PROJECT_MEMBERS.principal,
  PROJECT_MEMBERS.localUser,
  PROJECT_MEMBERS.role,
  PROJECT_MEMBERS.duplicate,
  immutableBinding('project-binding', SUBJECT_FIELDS),
];

const GLOBAL_VALIDATOR =
  'rancher/webhook:pkg/resources/management.cattle.io/v3/globalrolebinding/validator.go';
const FIELDS = ['userPrincipalName', 'userName', 'groupPrincipalName'];

const GLOBAL_MEMBERS = memberRules({
  family: 'global-role-binding',
  kind: 'GlobalRoleBinding',
  fields: FIELDS,
  members: 'one user or one group',
  says: 'bindings can not set both userName/userPrincipalName and groupPrincipalName',
  validator: GLOBAL_VALIDATOR,
  checkedBy: 'validateCreate',
  controller: 'rancher/rancher:pkg/controllers/management/auth/globalroles',
  duplicate: { source: `${GLOBAL_VALIDATOR}: no version compares a binding with others` },
  role: {
    field: 'globalRoleName',
    context: 'global',
    what: 'the global role of a binding exists',
    example: 'user',
  },
});

/** Rules for bindings of global roles. */
export const GLOBAL_ROLE_BINDING_RULES: readonly Rule[] = [
  ...rules({}, [
    {
      ...GLOBAL_MEMBERS.subject,
      *judge(object, world) {
        yield* problemsAt('', GLOBAL_MEMBERS.subject.judge!(object, world));
        const asked = memberField(object.manifest, 'userPrincipalName') !== undefined;
        const lacks = asked
          ? lacksFeature(object.target, RancherGate.GLOBAL_BINDING_USER_PRINCIPAL)
          : undefined;
        if (lacks) {
          yield {
            path: 'userPrincipalName',
            message: `has no effect: ${lacks}`,
            fix: 'use userName',
            says: 'unknown field "userPrincipalName"',
          };
        }
      },
    },
  ]),
  GLOBAL_MEMBERS.principal,
  GLOBAL_MEMBERS.localUser,
  GLOBAL_MEMBERS.role,
  GLOBAL_MEMBERS.duplicate,
  immutableBinding('global-role-binding', FIELDS),
];
