import { IConstruct } from 'constructs';
import { Problem } from '../model/problem';
import { builtInGlobalRole, builtInRoleTemplate, RoleKind } from '../model/tenancy/built-in-role-data';
import { checkRoleContext, checkRoleName } from '../model/tenancy/role-checks';
import { RancherVersion } from '../versions';
import { roleVersionProblem } from '../versions/built-in-roles';

/** A role as a binding needs it. */
export interface BindableRole {
  /** The name of its GlobalRole or RoleTemplate. */
  readonly name: string;
  /** The construct that makes it, which a binding waits for. */
  readonly construct?: IConstruct;
  /** Its context where it is known of one that is not built in. */
  readonly context?: string;
}

/** What is wrong with binding a role in a place of this kind on this version of Rancher. */
export function checkBindable(path: string, { name, context }: BindableRole, kind: RoleKind, version: RancherVersion): Problem[] {
  if (context !== undefined && context !== kind) {
    return [{ path, value: name, message: `is a role of context ${context}, here goes one of context ${kind}`, fix: `give a RoleTemplate of context ${kind}` }];
  }
  const known = kind === 'global' ? builtInGlobalRole(name) : builtInRoleTemplate(name);
  const gone = known && roleVersionProblem(known, version);
  return [
    ...checkRoleName(path, name), ...checkRoleContext(path, name, kind),
    ...(gone ? [{ path, message: gone, fix: 'give another role, or name another version' }] : []),
  ];
}
