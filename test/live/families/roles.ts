import { Family, Stage, Variation } from './family';
import { GlobalRoleBinding } from '../../../src/rancher/members/members';
import { Principal } from '../../../src/rancher/members/principal';
import { GlobalRole } from '../../../src/rancher/role/global-role';
import { RoleTemplate, RoleTemplateContext } from '../../../src/rancher/role/role-template';
import { GlobalPermission } from '../../../src/rancher/role/roles';
import { LocalUser } from '../../../src/rancher/user/user';
import { Question } from '../lab/access';

/** Users, and roles for all of Rancher. */
export const ROLES: Family = {
  title: 'roles',
  products: ['rancher'],
  base: ({ rancher, fixed }) => {
    new LocalUser(rancher, 'ana', {
      name: fixed('ana'),
      permissions: [GlobalPermission.USER_BASE],
    });
  },
  declare: ({ rancher, name, fixed, variation }, copy) => {
    const { isEdited, isReplaced } = variation;
    const role = new GlobalRole(rancher, `role-${copy}`, {
      name: name('reader'),
      rules: [{ verbs: ['get'], apiGroups: [''], resources: [isEdited ? 'nodes' : 'namespaces'] }],
    });
    const ana = LocalUser.fromName(rancher, `ana-${copy}`, { name: fixed('ana') });
    new GlobalRoleBinding(rancher, `binding-${copy}`, {
      name: name('binding'),
      permission: isReplaced ? GlobalPermission.USER : GlobalPermission.role(role),
      principal: Principal.localUser(ana),
    });
    new RoleTemplate(rancher, `template-${copy}`, {
      name: name('template'),
      context: RoleTemplateContext.PROJECT,
      displayName: name(isEdited ? 'Edited' : 'Operator'),
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
    });
    new LocalUser(rancher, `user-${copy}`, {
      name: name('user'),
      username: name(isReplaced ? 'other' : 'user'),
      displayName: isEdited ? 'Edited' : 'User',
      permissions: [GlobalPermission.USER],
    });
  },
  access: ({ fixed, name }, variation) => [
    ...reads(fixed('ana'), variation),
    ...(variation ? [creates(name('user'))] : []),
  ],
  without: ['move to another namespace'],
  exceptions: [
    {
      text: /RoleTemplate.* held by the finalizers controller\.cattle\.io\/mgmt-auth-roletemplate-lifecycle/,
      // @see rancher/rancher:pkg/controllers/management/auth/role_template_lifecycle.go Remove (2.15.0)
      reason:
        'the lab has a cluster that never connected, and Rancher cannot remove the role from it',
    },
  ],
};

function reads(user: string, variation?: Variation): Question[] {
  const question = { on: 'rancher', user, verb: 'get' } as const;
  return [
    { ...question, resource: 'namespaces', allowed: variation ? !variation.isEdited : false },
    { ...question, resource: 'nodes', allowed: variation?.isEdited === true },
  ];
}

function creates(user: string): Question {
  const clusters = { group: 'provisioning.cattle.io', resource: 'clusters' };
  return {
    on: 'rancher',
    user,
    verb: 'create',
    ...clusters,
    namespace: 'fleet-default',
    allowed: true,
  };
}

/** The name of the user whose permissions the family changes. */
export const ROLES_USER = ({ fixed }: Pick<Stage, 'fixed'>): string => fixed('ana');
