import { builtInGlobalRole, builtInRoleTemplate, RoleKind } from './built-in-role-data';
import { isLate } from '../late-token';
import { Problem } from '../problem';

/** The contexts of RoleTemplates. */
export const ROLE_CONTEXTS = ['cluster', 'project'] as const;

export type RoleContext = typeof ROLE_CONTEXTS[number];

/**
 * What is wrong with a role of this name in this place, as far as its name alone says: a built-in role of another context.
 *
 * @param kind what the place takes
 * @see rancher/webhook:pkg/resources/management.cattle.io/v3/projectroletemplatebinding/validator.go
 */
export function checkRoleContext(path: string, role: string, kind: RoleKind): Problem[] {
  const known = kind === 'global' ? builtInGlobalRole(role) : builtInRoleTemplate(role);
  if (!known || known.kind === kind) { return []; }
  return [{
    path, value: role, message: `is a role of ${known.kind}s, here goes one of ${kind}s`, fix: `name a role of context ${kind}`, says: `the referenced roleTemplate "${role}" has context`,
  }];
}

/** What is wrong with a name for a role of one's own: those that are built in are Rancher's. */
export function checkOwnRoleName(path: string, name: string, isGlobal: boolean): Problem[] {
  if (!(isGlobal ? builtInGlobalRole(name) : builtInRoleTemplate(name))) { return []; }
  return [{ path, value: name, message: 'is the name of a role that is built in', fix: 'choose another name, or bind the built-in role itself' }];
}

const ROLE_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** What is wrong with the name of a role as an object of Kubernetes. */
export function checkRoleName(path: string, name: string): Problem[] {
  return isLate(name) || ROLE_NAME.test(name) ? [] : [{ path, value: name, message: 'is no name of a role', fix: 'use lower-case letters, digits and hyphens' }];
}
