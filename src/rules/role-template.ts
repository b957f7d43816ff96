import { checkRole } from './project-binding-role';
import { ROLE_TEMPLATE_CHANGE_RULES } from './role-template-change';
import { isBuiltInCopy, namesIn } from './role-template-names';
import { JudgedObject, Rule } from './rule';
import { World } from './world';
import { isLate } from '../model/late-token';
import { GROUPS } from '../model/names';
import { Problem } from '../model/problem';
import { builtInRoleTemplate } from '../model/tenancy/built-in-role-data';
import { inheritanceCircles } from '../model/tenancy/inheritance';
import { checkPolicyRules } from '../model/tenancy/policy-rules';
import { checkOwnRoleName } from '../model/tenancy/role-checks';

const KINDS = ['management.cattle.io/RoleTemplate'];
const VALIDATOR = 'rancher/webhook:pkg/resources/management.cattle.io/v3/roletemplate/validator.go';
const CONTEXTS = ['cluster', 'project', ''];

const BUILT_IN: Rule = {
  id: 'role-template/built-in',
  level: 'error',
  kinds: KINDS,
  what: 'built-in roles are Rancher\'s: no manifest makes one, or overwrites one',
  says: 'creating new builtIn RoleTemplates is forbidden',
  source: `${VALIDATOR} validateCreateFields, validateUpdateFields`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = object;
    if (isBuiltInCopy(object, world)) { return; }
    if (manifest.builtin === true) { yield { path: 'builtin', value: true, message: 'is for roles that Rancher brings along', fix: 'leave it out' }; }
    // those of charts are no built-in ones to Rancher: an operator may bring them along by hand
    if (builtInRoleTemplate(manifest.metadata.name)?.chart === undefined) {
      for (const problem of checkOwnRoleName('metadata.name', manifest.metadata.name, false)) {
        yield { ...problem, says: 'updates to builtIn RoleTemplates for fields other than CreatorDefault are forbidden' };
      }
    }
  },
};

const CONTEXT: Rule = {
  id: 'role-template/context',
  level: 'error',
  kinds: KINDS,
  what: 'a role is for clusters or for projects; defaults of project creators are for projects, administrative roles for clusters',
  source: `${VALIDATOR} validateContextValue; rancher/webhook docs of RoleTemplate`,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const { context = '', projectCreatorDefault, clusterCreatorDefault, administrative } = manifest;
    if (isLate(context)) { return; }
    if (typeof context !== 'string' || !CONTEXTS.includes(context)) {
      yield {
        path: 'context',
        value: context,
        message: 'is none',
        fix: 'write cluster or project',
        says: 'Unsupported value: supported values: "cluster", "project"',
      };
      return;
    }
    if (context === '') {
      yield {
        path: 'context',
        level: 'warning',
        message: 'is missing: the role can be inherited and never bound',
        fix: 'write cluster or project',
      };
    }
    if (administrative === true && context !== 'cluster') {
      yield {
        path: 'administrative',
        value: true,
        message: 'is for roles of clusters',
        fix: 'leave it out',
        says: 'only cluster roles can be administrative',
      };
    }
    if (projectCreatorDefault === true && context !== 'project') {
      yield { path: 'projectCreatorDefault', value: true, message: 'is for roles of projects', fix: 'leave it out, or write context: project' };
    }
    if (clusterCreatorDefault === true && context !== 'cluster') {
      yield {
        path: 'clusterCreatorDefault',
        value: true,
        level: 'warning',
        message: 'is for roles of clusters',
        fix: 'leave it out, or write context: cluster',
      };
    }
  },
};

const RULES: Rule = {
  id: 'role-template/rules',
  level: 'error',
  kinds: KINDS,
  what: 'every rule of a role has verbs, and API groups with resources or non-resource URLs',
  says: 'roletemplate.rules[0].verbs: Required value: verbs must contain at least one value',
  source: `${VALIDATOR} ValidateRules; seen on Rancher 2.13.8`,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    yield* checkPolicyRules('rules', manifest.rules);
    yield* checkPolicyRules('externalRules', manifest.externalRules);
    if (Array.isArray(manifest.externalRules) && manifest.external !== true) {
      yield {
        path: 'externalRules',
        message: 'stand in a role that is not external',
        fix: 'write them as rules, or set external: true',
        says: 'ExternalRules can\'t be set in RoleTemplates with external=false',
      };
    }
  },
};

const INHERITED: Rule = {
  id: 'role-template/inherited',
  level: 'error',
  kinds: KINDS,
  what: 'the roles that a role inherits exist',
  says: 'unable to get roletemplate',
  source: `${VALIDATOR} checkCircularRef`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    for (const [index, name] of namesIn(object.manifest.roleTemplateNames).entries()) {
      const path = `roleTemplateNames[${index}]`;
      // a role may inherit one of the other context; it must only be there
      const kind = builtInRoleTemplate(name)?.kind;
      if (kind) {
        yield* checkRole(path, name, kind, object, world);
      } else if (!isLate(name) && !world.knows(object, GROUPS.MANAGEMENT, 'RoleTemplate', undefined, name)) {
        yield {
          path,
          value: name,
          ...(world.isListed(object, GROUPS.MANAGEMENT, 'RoleTemplate') ? {} : { level: 'warning' as const }),
          message: 'is no RoleTemplate that is built in, declared or live here',
          fix: 'declare it, or give it with --world where it is live',
        };
      }
    }
  },
};

const CIRCLE: Rule = {
  id: 'role-template/circle',
  level: 'error',
  kinds: KINDS,
  what: 'no role inherits itself, by whatever way',
  says: 'Circular Reference: RoleTemplate already inherits RoleTemplate',
  source: `${VALIDATOR} checkCircularRef`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    for (const circle of circlesOf(object, world).get(object) ?? []) {
      yield { path: 'roleTemplateNames', message: `go in a circle: ${circle.join(' -> ')}`, fix: 'take one of them out' };
    }
  },
};

const CIRCLES = new WeakMap<World, Map<string, ReadonlyMap<JudgedObject, string[][]>>>();

// one index a target, by the first judged role of each circle: the others would say the same
function circlesOf(object: JudgedObject, world: World): ReadonlyMap<JudgedObject, string[][]> {
  const byTarget = CIRCLES.get(world) ?? new Map<string, ReadonlyMap<JudgedObject, string[][]>>();
  CIRCLES.set(world, byTarget);
  const known = byTarget.get(object.target.name);
  if (known) { return known; }
  const judged = new Set(world.judged);
  const roles = new Map(world.beside(object, GROUPS.MANAGEMENT, 'RoleTemplate').map((role) => [role.manifest.metadata.name, role]));
  const inherits = new Map([...roles].map(([name, role]) => [name, namesIn(role.manifest.roleTemplateNames)]));
  const circles = new Map<JudgedObject, string[][]>();
  for (const circle of inheritanceCircles(roles.keys(), (role) => inherits.get(role) ?? [])) {
    const teller = circle.map((name) => roles.get(name)!).find((role) => judged.has(role));
    if (teller) { circles.set(teller, [...circles.get(teller) ?? [], circle]); }
  }
  byTarget.set(object.target.name, circles);
  return circles;
}

/** Rules for roles of clusters and projects. */
export const ROLE_TEMPLATE_RULES: readonly Rule[] = [BUILT_IN, CONTEXT, RULES, INHERITED, CIRCLE, ...ROLE_TEMPLATE_CHANGE_RULES];
