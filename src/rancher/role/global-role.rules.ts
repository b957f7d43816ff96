import { checkRole, isBuiltInCopy, namesIn } from './role-template.rules';
import { checkOwnRoleName, checkPolicyRules } from './role.check';
import { builtInGlobalRole } from './role.kind';
import { Manifest, isRecord, sameValue } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { lacksFeature } from '../../core/version/target-features';
import { GLOBAL_ROLE_BINDING_RULES } from '../members/bindings.rules';
import { RancherGate } from '../version/rancher-version';

const KINDS = ['management.cattle.io/GlobalRole'];
const VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/globalrole/validator.go';
const CHANGEABLE = ['newUserDefault', 'metadata', 'apiVersion', 'kind', 'status'];

const BUILT_IN: Rule = {
  id: 'global-role/built-in',
  level: 'error',
  kinds: KINDS,
  what: 'built-in roles are Rancher\'s: no manifest makes one, or overwrites one',
  says: 'cannot create builtin GlobalRoles',
  source: `${VALIDATOR} validateCreateFields`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = object;
    if (isBuiltInCopy(object, world)) { return; }
    if (manifest.builtin === true) { yield { path: 'builtin', value: true, message: 'cannot be set: only roles of Rancher are built in', fix: 'remove it' }; }
    for (const problem of checkOwnRoleName('metadata.name', manifest.metadata.name, true)) {
      yield { ...problem, says: 'updates to builtIn GlobalRoles for fields other than \'newUserDefault\' are forbidden' };
    }
  },
};

const RULES: Rule = {
  id: 'global-role/rules',
  level: 'error',
  kinds: KINDS,
  what: 'every rule of a role has verbs, and API groups with resources or non-resource URLs; in namespaces no URLs',
  source: `${VALIDATOR} validateFields`,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    yield* checkPolicyRules('rules', manifest.rules);
    for (const field of ['namespacedRules', 'inheritedNamespacedRules']) {
      const byNamespace = manifest[field];
      if (!isRecord(byNamespace)) { continue; }
      for (const [namespace, rules] of Object.entries(byNamespace)) { yield* checkPolicyRules(`${field}[${namespace}]`, rules, true); }
    }
    const fleet = manifest.inheritedFleetWorkspacePermissions;
    if (!isRecord(fleet)) { return; }
    yield* checkPolicyRules('inheritedFleetWorkspacePermissions.resourceRules', fleet.resourceRules);
    if (Array.isArray(fleet.workspaceVerbs) && fleet.workspaceVerbs.length === 0) {
      yield {
        path: 'inheritedFleetWorkspacePermissions.workspaceVerbs',
        message: 'cannot be empty',
        fix: 'add verbs, or remove it',
        says: 'InheritedFleetWorkspacePermissions.WorkspaceVerbs can\'t be empty',
      };
    }
  },
};

const VERSION: Rule = {
  id: 'global-role/fields',
  level: 'error',
  kinds: KINDS,
  what: 'rules for namespaces need a version of Rancher that has them; earlier versions silently drop them',
  source: 'rancher/rancher:pkg/apis/management.cattle.io/v3 at the release tags',
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    for (const [field, gate] of [
      ['namespacedRules', RancherGate.GLOBAL_ROLE_NAMESPACED_RULES], ['inheritedNamespacedRules', RancherGate.GLOBAL_ROLE_INHERITED_NAMESPACED_RULES],
    ] as const) {
      const lacks = isRecord(manifest[field]) ? lacksFeature(target, gate) : undefined;
      if (lacks) { yield { path: field, message: `has no effect: ${lacks}`, fix: 'remove it, or upgrade Rancher' }; }
    }
  },
};

const INHERITED: Rule = {
  id: 'global-role/inherited',
  level: 'error',
  kinds: KINDS,
  what: 'the roles that a global role gives on every cluster exist, are for clusters and are not locked',
  says: 'unable to bind a roleTemplate with non-cluster context',
  source: `${VALIDATOR} validateInheritedClusterRoles`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    // what it had before is not asked for again
    const before = new Set(namesIn(world.beforeOf(object)?.inheritedClusterRoles));
    for (const [index, role] of namesIn(object.manifest.inheritedClusterRoles).entries()) {
      if (!before.has(role)) { yield* checkRole(`inheritedClusterRoles[${index}]`, role, 'cluster', object, world); }
    }
  },
};

const CHANGED: Rule = {
  id: 'global-role/built-in-changed',
  level: 'error',
  kinds: KINDS,
  what: 'a built-in role keeps its rules',
  says: 'updates to builtIn GlobalRoles for fields other than \'newUserDefault\' are forbidden',
  source: `${VALIDATOR} validateUpdateFields`,
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    if (before.builtin !== true) { return; }
    for (const field of Object.keys(manifest)) {
      if (CHANGEABLE.includes(field) || sameValue(manifest[field], before[field])) { continue; }
      yield { path: field, message: 'cannot change in a built-in role', fix: 'restore it, and declare a role of your own' };
    }
  },
};

const MADE: Rule = {
  id: 'global-role/made-built-in',
  level: 'error',
  kinds: KINDS,
  what: 'a role that exists does not become a built-in one',
  source: `${VALIDATOR} validateUpdateFields`,
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    if (manifest.builtin !== true || before.builtin === true) { return; }
    yield {
      path: 'builtin',
      value: true,
      message: 'can be set only on roles that Rancher creates',
      fix: 'remove it',
      says: `globalrole: Forbidden: cannot update non-builtIn GlobalRole ${manifest.metadata.name} to be builtIn`,
    };
  },
};

const DELETED: Rule = {
  id: 'global-role/built-in-deleted',
  level: 'error',
  kinds: KINDS,
  what: 'a built-in role is never deleted',
  says: 'cannot delete builtin GlobalRoles',
  source: `${VALIDATOR} validateDelete`,
  *judgeDeletion({ manifest }: JudgedObject): Iterable<Problem> {
    if (manifest.builtin === true || builtInGlobalRole(manifest.metadata.name)) { yield { path: '', message: 'cannot be deleted: it is a built-in role', fix: 'keep it' }; }
  },
};

const BOUND: Rule = {
  id: 'global-role/bound-deleted',
  level: 'warning',
  kinds: KINDS,
  what: 'with a global role its bindings go',
  source: 'rancher/webhook:pkg/resources/management.cattle.io/v3/globalrolebinding: the role is the owner of its bindings',
  *judgeDeletion(gone: JudgedObject, world: World): Iterable<Problem> {
    const { name } = gone.manifest.metadata;
    const bound = world.beside(gone, GROUPS.MANAGEMENT, 'GlobalRoleBinding').filter(({ manifest }) => manifest.globalRoleName === name);
    if (bound.length > 0) {
      yield {
        path: '',
        message: `is deleted with its ${bound.length} GlobalRoleBindings`,
        fix: 'delete those manifests as well: the bindings cannot be recreated',
      };
    }
  },
};

/** Rules for global roles and their bindings. */
export const GLOBAL_ROLE_RULES: readonly Rule[] = [BUILT_IN, RULES, VERSION, INHERITED, CHANGED, MADE, DELETED, BOUND, ...GLOBAL_ROLE_BINDING_RULES];
