import { namesIn } from './role-template-names';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { Manifest, objectLabel } from '../model/manifest';
import { GROUPS } from '../model/names';
import { Problem } from '../model/problem';
import { sameValue } from '../model/same-value';
import { builtInRoleTemplate } from '../model/tenancy/built-in-role-data';

const KINDS = ['management.cattle.io/RoleTemplate'];
const VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/roletemplate/validator.go';
/** What may be changed in a built-in role, beside its metadata. */
const CHANGEABLE = ['clusterCreatorDefault', 'projectCreatorDefault', 'locked', 'metadata', 'apiVersion', 'kind', 'status'];

const CHANGED: Rule = {
  id: 'role-template/built-in-changed',
  level: 'error',
  kinds: KINDS,
  what: 'a built-in role keeps its rules, and no other becomes one',
  says: 'updates to builtIn RoleTemplates for fields other than CreatorDefault are forbidden',
  source: `${VALIDATOR} validateUpdateFields`,
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    if (before.builtin !== true) {
      if (manifest.builtin === true) {
        yield {
          path: 'builtin',
          value: true,
          message: 'is set on a role that is not built in',
          fix: 'leave it out',
          says: `cannot update non-builtIn RoleTemplate ${manifest.metadata.name} to be builtIn`,
        };
      }
      return;
    }
    for (const field of Object.keys(manifest)) {
      if (CHANGEABLE.includes(field) || sameValue(manifest[field], before[field])) { continue; }
      yield { path: field, message: 'is not what it was, and the role is built in', fix: 'leave it as it was, and declare a role of your own' };
    }
  },
};

const BUILT_IN_DELETED: Rule = {
  id: 'role-template/built-in-deleted',
  level: 'error',
  kinds: KINDS,
  what: 'a built-in role is never deleted: Rancher lets it happen, and everybody who has the role loses it',
  source: 'seen on Rancher 2.13.8: the webhook lets project-owner be deleted, in a dry run',
  *judgeDeletion({ manifest }: JudgedObject): Iterable<Problem> {
    const known = builtInRoleTemplate(manifest.metadata.name);
    if (manifest.builtin === true || (known && known.chart === undefined)) {
      yield {
        path: '',
        message: 'is a built-in role',
        fix: 'keep it; lock it instead, so that nobody is given it any more',
      };
    }
  },
};

const INHERITED_DELETED: Rule = {
  id: 'role-template/inherited-deleted',
  level: 'error',
  kinds: KINDS,
  what: 'a role that others inherit is not deleted',
  says: 'cannot be deleted because it is inherited by roletemplate(s)',
  source: `${VALIDATOR} validateDelete`,
  *judgeDeletion(gone: JudgedObject, world: World): Iterable<Problem> {
    const { name } = gone.manifest.metadata;
    const heirs = heirsOf(gone, world).get(name) ?? [];
    if (heirs.length > 0) {
      yield {
        path: '',
        message: `is deleted, and ${heirs.map(objectLabel).join(', ')} ${heirs.length === 1 ? 'inherits' : 'inherit'} it`,
        fix: 'take it out of those first',
      };
    }
  },
};

const HEIRS = new WeakMap<World, Map<string, Map<string, Manifest[]>>>();

// by what is inherited, one index a target
function heirsOf(object: JudgedObject, world: World): ReadonlyMap<string, readonly Manifest[]> {
  const byTarget = HEIRS.get(world) ?? new Map<string, Map<string, Manifest[]>>();
  HEIRS.set(world, byTarget);
  let heirs = byTarget.get(object.target.name);
  if (!heirs) {
    heirs = new Map();
    for (const [kind, field] of [['RoleTemplate', 'roleTemplateNames'], ['GlobalRole', 'inheritedClusterRoles']] as const) {
      for (const { manifest } of world.beside(object, GROUPS.MANAGEMENT, kind)) {
        for (const name of namesIn(manifest[field])) {
          const list = heirs.get(name);
          if (list) { list.push(manifest); } else { heirs.set(name, [manifest]); }
        }
      }
    }
    byTarget.set(object.target.name, heirs);
  }
  return heirs;
}

const BOUND_DELETED: Rule = {
  id: 'role-template/bound-deleted',
  level: 'error',
  kinds: KINDS,
  what: 'a role that is bound is not deleted before its bindings: their members lose what it gives, and the bindings can not be made anew',
  says: 'roletemplates.management.cattle.io not found',
  source: 'seen on Rancher 2.13.8: a binding to a role that does not exist is refused; rancher/rancher:pkg/controllers/management/auth/roletemplate_handler.go',
  *judgeDeletion(gone: JudgedObject, world: World): Iterable<Problem> {
    const bindings = bindingsOf(gone, world).get(gone.manifest.metadata.name) ?? [];
    if (bindings.length > 0) {
      yield {
        path: '',
        message: `is deleted, and still bound by ${bindings.slice(0, 5).map(objectLabel).join(', ')}`,
        fix: 'delete the bindings too',
      };
    }
  },
};

const BOUND = new WeakMap<World, Map<string, Map<string, Manifest[]>>>();

function bindingsOf(object: JudgedObject, world: World): ReadonlyMap<string, readonly Manifest[]> {
  const byTarget = BOUND.get(world) ?? new Map<string, Map<string, Manifest[]>>();
  BOUND.set(world, byTarget);
  let bound = byTarget.get(object.target.name);
  if (!bound) {
    bound = new Map();
    for (const kind of ['ProjectRoleTemplateBinding', 'ClusterRoleTemplateBinding']) {
      for (const { manifest } of world.beside(object, GROUPS.MANAGEMENT, kind)) {
        const role = manifest.roleTemplateName;
        if (typeof role !== 'string') { continue; }
        const list = bound.get(role);
        if (list) { list.push(manifest); } else { bound.set(role, [manifest]); }
      }
    }
    byTarget.set(object.target.name, bound);
  }
  return bound;
}

/** Rules for edits and deletions of roles. */
export const ROLE_TEMPLATE_CHANGE_RULES: readonly Rule[] = [CHANGED, BUILT_IN_DELETED, INHERITED_DELETED, BOUND_DELETED];
