import { checkRole } from './project-binding-role';
import { checkLocalUser, checkSubject, checkSubjectPrincipals, textOf } from './project-binding-subject';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { Manifest } from '../model/manifest';
import { Problem } from '../model/problem';

/** One of the three kinds that give a member a role. */
export interface BindingKind {
  /** The family of its rules, e.g. `project-binding`. */
  readonly family: string;
  readonly kind: 'ProjectRoleTemplateBinding' | 'ClusterRoleTemplateBinding' | 'GlobalRoleBinding';
  /** The fields that may name the member. */
  readonly fields: readonly string[];
  /** Who it may be for, for the index. */
  readonly members: string;
  /** The server's words where there are several members, or none. */
  readonly says: string;
  readonly validator: string;
  /** The function there that judges roles and members. */
  readonly checkedBy: string;
  /** Where Rancher looks the user up. */
  readonly controller: string;
  readonly role: {
    readonly field: 'roleTemplateName' | 'globalRoleName';
    readonly context: 'project' | 'cluster' | 'global';
    readonly what: string;
    readonly example: string;
    /** Bindings that Rancher makes itself, of whatever role. */
    readonly notOf?: (manifest: Manifest) => boolean;
  };
}

/** What holds for the member and the role of every binding. */
export function memberRules(binding: BindingKind): Record<'subject' | 'principal' | 'localUser' | 'role', Rule> {
  const { family, kind, fields, says, validator, checkedBy, controller, role } = binding;
  const kinds = [`management.cattle.io/${kind}`];
  const source = `${validator} ${checkedBy}`;
  return {
    subject: {
      id: `${family}/subject`,
      level: 'error',
      kinds,
      what: `a binding is for ${binding.members}`,
      says,
      source,
      judge: ({ manifest }: JudgedObject): Iterable<Problem> => checkSubject(manifest, fields, says),
    },
    principal: {
      id: `${family}/principal`,
      level: 'warning',
      kinds,
      what: 'principals have the form <provider>_user://<id> or local://<User>; a binding for one that nobody has gives nobody anything',
      source: 'rancher/rancher:pkg/auth/providers; the webhook takes any text',
      judge: (object: JudgedObject): Iterable<Problem> => checkSubjectPrincipals(object, fields),
    },
    localUser: {
      id: `${family}/unknown-user`, level: 'warning', kinds, what: 'the local user of a binding exists', source: controller, judge: checkLocalUser,
    },
    role: {
      id: `${family}/role`,
      level: 'error',
      kinds,
      what: role.what,
      source,
      *judge(object: JudgedObject, world: World): Iterable<Problem> {
        const name = textOf(object.manifest, role.field);
        if (name === undefined) {
          yield {
            path: role.field,
            message: 'is missing',
            fix: `name a ${role.context === 'global' ? 'GlobalRole' : 'RoleTemplate'}, e.g. ${role.example}`,
            says: `${kind.toLowerCase()}.${role.field}: Required value`,
          };
        } else if (!role.notOf?.(object.manifest)) {
          yield* checkRole(role.field, name, role.context, object, world);
        }
      },
    },
  };
}
