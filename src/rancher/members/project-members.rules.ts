import { SUBJECT_FIELDS } from './binding.kind';
import { immutableBinding, memberRules, textOf, twinOf } from './members.rules';
import { isLate } from '../../core/late/late-token';
import { Manifest, objectLabel, valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { given } from '../../core/text/plain-text';
import { GateId } from '../../core/version/gate-id';
import { backingNamespaces, findProject } from '../project/known-projects.rules';
import { rancherHas } from '../version/rancher-gates';

const KINDS = ['management.cattle.io/ProjectRoleTemplateBinding'];
const VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/projectroletemplatebinding/validator.go';
const PROJECT_ID = /^[^:]+:[^:]+$/;

const MEMBERS = memberRules({
  family: 'project-binding',
  kind: 'ProjectRoleTemplateBinding',
  fields: [...SUBJECT_FIELDS, 'serviceAccount'],
  members: 'one user, one group or one service account',
  says: 'binding must target only a user [userName]/[userPrincipalName] OR a group [groupName]/[groupPrincipalName] OR a [serviceAccount]',
  validator: VALIDATOR,
  checkedBy: 'validateCreateFields',
  controller: 'rancher/rancher:pkg/controllers/management/auth/prtb_handler.go reconcileSubject',
  role: {
    field: 'roleTemplateName',
    context: 'project',
    what: 'the role of a binding exists, is for projects and is not locked',
    example: 'project-member',
  },
});

const PROJECT: Rule = {
  id: 'project-binding/project',
  level: 'error',
  kinds: KINDS,
  what: 'a binding names its project as <cluster id>:<project>, and the project exists',
  says: 'projectName must be of the form cluster.metadata.name:project.metadata.name, and both must refer to an existing object',
  source: `${VALIDATOR} validateCreateFields; seen on Rancher 2.13.8`,
  *judge({ manifest }: JudgedObject, world: World): Iterable<Problem> {
    const { projectName } = manifest;
    if (isLate(projectName)) { return; }
    if (typeof projectName !== 'string' || !PROJECT_ID.test(projectName)) {
      yield {
        path: 'projectName',
        ...given(projectName),
        message: 'must be a project ID',
        fix: 'write <cluster id>:<project>',
      };
      return;
    }
    const found = findProject(world, projectName);
    const [cluster, name] = projectName.split(':');
    const problem = {
      path: 'projectName',
      value: projectName,
      fix: `declare Project ${name} in namespace ${cluster}, or pass it with --world if it is live`,
      says: `specified project ${name} not found in ${cluster}`,
    };
    if (found.is === 'missing') {
      yield { ...problem, message: 'must be a declared or live project' };
    } else if (found.is === 'perhaps elsewhere') {
      yield { ...problem, level: 'warning', message: found.why };
    }
  },
};

const NAMESPACE: Rule = {
  id: 'project-binding/namespace',
  level: 'error',
  kinds: KINDS,
  what: 'a binding is in the namespace that Rancher creates for its project, <management cluster ID>-<project>; elsewhere it is accepted but has no effect',
  source: 'rancher/rancher:pkg/controllers/management/auth/roletemplates/register.go; the webhook does not look at the namespace',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest: { metadata: { namespace }, projectName }, target } = object;
    if (namespace === undefined || isLate(namespace) || typeof projectName !== 'string' || isLate(projectName) || !PROJECT_ID.test(projectName)) { return; }
    const [cluster, name] = projectName.split(':');
    const found = findProject(world, projectName);
    const project = found.is === 'known' ? found.project : undefined;
    const right = backingNamespaces(target, cluster, name, project?.manifest);
    if (right.includes(namespace)) { return; }
    // a project from before an upgrade keeps the namespace of its bare name; which one it has, a server and who only refers to it know
    const mayBeOld = namespace === name && !hasStatus(project);
    if (mayBeOld && (found.is === 'referenced' || world.exists(object))) { return; }
    yield {
      path: 'metadata.namespace',
      value: namespace,
      ...(mayBeOld ? { level: 'warning' } : {}),
      message: `must be ${right.join(' or ')}, where Rancher looks for the bindings of ${projectName}: elsewhere they have no effect`,
      fix: `use this namespace${mayBeOld ? ', or status.backingNamespace of the live Project' : ''}`,
    };
  },
};

function hasStatus(project: JudgedObject | undefined): boolean {
  return typeof valueAt(project?.manifest, 'status', 'backingNamespace') === 'string';
}

const DUPLICATE: Rule = {
  id: 'project-binding/duplicate',
  level: 'error',
  kinds: KINDS,
  what: 'a member has a role in a project by one binding; with two, the permission remains if one is deleted',
  source: 'rancher/webhook 0.11 validateDuplicates; accepted on Rancher 2.13.8 (seen)',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const twin = twinOf(object, world, placeAndRole);
    if (!twin) { return; }
    yield {
      path: '',
      message: `cannot repeat ${objectLabel(twin)}: both have the same member and role in the same project`,
      fix: 'remove one of them',
      ...(rancherHas(object.target, GateId.DUPLICATE_PROJECT_BINDING_REFUSED) === false ? {} : { says: 'duplicate prtb not allowed' }),
    };
  },
};

function placeAndRole(manifest: Manifest): string | undefined {
  const [project, role] = [textOf(manifest, 'projectName'), textOf(manifest, 'roleTemplateName')];
  return project === undefined || role === undefined || isLate(project) || isLate(role) ? undefined : `${project} ${role}`;
}

/** Rules for the members of projects. */
export const PROJECT_BINDING_RULES: readonly Rule[] = [
  MEMBERS.subject, MEMBERS.principal, MEMBERS.localUser, PROJECT, MEMBERS.role, NAMESPACE, DUPLICATE, immutableBinding('project-binding', SUBJECT_FIELDS),
];
