import { immutableBinding, memberRules, textOf, twinOf } from './members.rules';
import { isLate } from '../../core/late/late-token';
import { objectLabel } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { GateId } from '../../core/version/gate-id';
import { rancherLacks } from '../version/rancher-gates';

const KINDS = ['management.cattle.io/GlobalRoleBinding'];
const VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/globalrolebinding/validator.go';
const FIELDS = ['userPrincipalName', 'userName', 'groupPrincipalName'];

const MEMBERS = memberRules({
  family: 'global-role-binding',
  kind: 'GlobalRoleBinding',
  fields: FIELDS,
  members: 'one user or one group',
  says: 'bindings can not set both userName/userPrincipalName and groupPrincipalName',
  validator: VALIDATOR,
  checkedBy: 'validateCreate',
  controller: 'rancher/rancher:pkg/controllers/management/auth/globalroles',
  role: { field: 'globalRoleName', context: 'global', what: 'the global role of a binding exists', example: 'user' },
});

const SUBJECT: Rule = {
  ...MEMBERS.subject,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    yield* MEMBERS.subject.judge!(object, world);
    const asked = textOf(object.manifest, 'userPrincipalName') !== undefined;
    const lacks = asked ? rancherLacks(object.target, GateId.GLOBAL_BINDING_USER_PRINCIPAL) : undefined;
    if (lacks) {
      yield {
        path: 'userPrincipalName', message: `has no effect: ${lacks}`, fix: 'use userName', says: 'unknown field "userPrincipalName"',
      };
    }
  },
};

const DUPLICATE: Rule = {
  id: 'global-role-binding/duplicate',
  level: 'warning',
  kinds: KINDS,
  what: 'a member has a global role by one binding; with two, the permission remains if one is deleted',
  source: 'as for bindings of projects, which later versions refuse; no version refuses this one',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const twin = twinOf(object, world, (manifest) => {
      const role = textOf(manifest, 'globalRoleName');
      return isLate(role) ? undefined : role;
    });
    if (twin) { yield { path: '', message: `cannot repeat ${objectLabel(twin)}: both have the same member and role`, fix: 'remove one of them' }; }
  },
};

/** Rules for bindings of global roles. */
export const GLOBAL_ROLE_BINDING_RULES: readonly Rule[] = [SUBJECT, MEMBERS.principal, MEMBERS.localUser, MEMBERS.role, DUPLICATE, immutableBinding('global-role-binding', FIELDS)];
