import { BuiltInRole, RoleKind, builtInGlobalRole, builtInRoleTemplate } from './built-in-role.data';
import { checkRoleContext, roleVersionProblem } from './role.check';
import { isLate } from '../../core/late/late-token';
import { GROUPS } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, World } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { rancherVersionOf } from '../version/rancher-version';

/** The names in a list of roles; values that are not text are left out. */
export function namesIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string' && name !== '') : [];
}

/** Whether an object is a built-in role of a server, not one in a user's manifest. */
export function isBuiltInCopy(object: JudgedObject, world: World): boolean {
  return object.manifest.builtin === true && (world.exists(object) || world.beforeOf(object)?.builtin === true);
}

/**
 * What is wrong with the role that something binds or inherits.
 *
 * @param kind what the place takes
 */
export function* checkRole(path: string, role: string, kind: RoleKind, object: JudgedObject, world: World): Iterable<Problem> {
  if (isLate(role)) { return; }
  const own = world.find(object, GROUPS.MANAGEMENT, kind === 'global' ? 'GlobalRole' : 'RoleTemplate', undefined, role)?.manifest;
  if (own) {
    const { context, locked, displayName } = own;
    if (kind !== 'global' && context !== kind) {
      yield {
        path,
        value: role,
        message: `must be a role of context ${kind}, not ${context ? plainText(context) : 'none'}`,
        fix: `bind a role with context ${kind}`,
        says: `Unsupported value: supported values: "${kind}"`,
      };
    }
    if (locked === true) {
      yield {
        path,
        value: role,
        message: 'cannot be granted: the role is locked',
        fix: 'unlock it, or bind another role',
        says: `referenced role '${typeof displayName === 'string' ? displayName : role}' is locked and cannot be assigned`,
      };
    }
    return;
  }
  const known = kind === 'global' ? builtInGlobalRole(role) : builtInRoleTemplate(role);
  if (!known && world.knows(object, GROUPS.MANAGEMENT, kind === 'global' ? 'GlobalRole' : 'RoleTemplate', undefined, role)) { return; }
  yield* known ? checkBuiltIn(path, role, kind, known, object) : checkUnknown(path, role, kind, object, world);
}

function* checkBuiltIn(path: string, role: string, kind: RoleKind, known: BuiltInRole, object: JudgedObject): Iterable<Problem> {
  yield* checkRoleContext(path, role, kind);
  const { chart } = known;
  const version = rancherVersionOf(object.target);
  const lacks = version && roleVersionProblem(known, version);
  const says = `roletemplates.management.cattle.io "${role}" not found`;
  if (lacks) {
    // a chart may have been installed by hand, which is not for us to know
    yield { path, level: chart ? 'warning' : 'error', message: `cannot be granted: ${lacks}`, fix: 'bind another role, or upgrade Rancher', says };
  } else if (chart) {
    yield {
      path,
      value: role,
      level: 'warning',
      message: `needs the chart ${chart} on Rancher: without it the binding is refused`,
      fix: `install ${chart}, or declare a RoleTemplate of your own`,
      says,
    };
  }
}

function* checkUnknown(path: string, role: string, kind: RoleKind, object: JudgedObject, world: World): Iterable<Problem> {
  const what = kind === 'global' ? 'GlobalRole' : 'RoleTemplate';
  yield {
    path,
    value: role,
    ...(world.isListed(object, GROUPS.MANAGEMENT, what) ? {} : { level: 'warning' as const }),
    message: `must be a built-in, declared or live ${what}: otherwise Rancher refuses it`,
    fix: `declare the ${what}, or pass it with --world if it is live`,
    says: `${what.toLowerCase()}s.management.cattle.io "${role}" not found`,
  };
}
