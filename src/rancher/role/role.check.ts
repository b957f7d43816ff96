import { RoleKind, builtInGlobalRole, builtInRoleTemplate } from './role.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, textsAt, itemsAt, valueAt } from '../../core/manifest/manifest';
import { NO_PROBLEMS, Problem } from '../../core/problem/problem';
import { ObjectFact } from '../../core/rule/kit/object-fact';
import { Since } from '../../core/version/product-version';
import { RancherVersion } from '../version/rancher-version';

/** When a role is there: of a row of the model's table. */
interface RoleVersions {
  readonly id: string;
  readonly since?: readonly string[];
  readonly until?: readonly string[];
}

/**
 * What is wrong with a version of Rancher that a built-in role is used with; nothing where it has
 * the role. Not exported by the folder.
 */
export function roleVersionProblem(
  { id, since = [], until }: RoleVersions,
  version: RancherVersion,
): string | undefined {
  const gone = until ? Since.of(...until) : undefined;
  if (gone?.includes(version)) {
    return `the role ${id} needs Rancher before ${gone.versions.join(', ')}, got ${version}`;
  }
  if (since.length === 0 || Since.of(...since).includes(version)) {
    return undefined;
  }
  return `the role ${id} needs Rancher ${Since.of(...since)._words('or')}, got ${version}`;
}

/**
 * Checks a role for a place by its name alone: a built-in role of another context is refused.
 *
 * @param kind what the place takes
 * @see rancher/webhook:pkg/resources/management.cattle.io/v3/projectroletemplatebinding/validator.go
 */
export function checkRoleContext(path: string, role: string, kind: RoleKind): Problem[] {
  const known = kind === 'global' ? builtInGlobalRole(role) : builtInRoleTemplate(role);
  if (!known || known.kind === kind) {
    return [];
  }
  return [
    {
      path,
      value: role,
      message: `must be a role of context ${kind}, not ${known.kind}`,
      fix: `name a role of context ${kind}`,
      says: `the referenced roleTemplate "${role}" has context`,
    },
  ];
}

/** The problem of a role of the program that is marked as built-in. */
export function checkBuiltInMark({ builtin }: Manifest): Problem[] {
  if (builtin === true) {
    return [
      {
        path: 'builtin',
        value: true,
        message: 'cannot be set: only roles of Rancher are built in',
        fix: 'remove it',
      },
    ];
  }
  return [];
}

/** The problems of a name for a role of the program: built-in roles belong to Rancher. */
export function checkOwnRoleName(path: string, name: string, isGlobal: boolean): Problem[] {
  if (!(isGlobal ? builtInGlobalRole(name) : builtInRoleTemplate(name))) {
    return [];
  }
  return [
    {
      path,
      value: name,
      message: 'cannot be the name of a built-in role',
      fix: 'choose another name, or bind the built-in role itself',
    },
  ];
}

const ROLE_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** The problems of the name of a role as an object of Kubernetes. */
export function checkRoleName(path: string, name: string): Problem[] {
  if (isLate(name) || ROLE_NAME.test(name)) {
    return [];
  }
  return [
    {
      path,
      value: name,
      message: 'must consist of lower-case letters, digits and hyphens',
      fix: 'use a-z, 0-9 and hyphens, e.g. vm-operator',
    },
  ];
}

const VERBS = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'use',
  'bind',
  'escalate',
  'impersonate',
  'approve',
  'sign',
  // Rancher's own
  'own',
  'manage-namespaces',
  'updatepsa',
];

/**
 * What is wrong with the rules of a role: the checks of Kubernetes that Rancher's webhook makes.
 *
 * @param path of the list
 * @param rules any JSON
 * @param isNamespaced whether the role counts in namespaces only, where non-resource URLs mean nothing
 * @see k8s.io/kubernetes:pkg/apis/rbac/validation ValidatePolicyRule; seen on Rancher 2.13.8
 */
export function checkPolicyRules(path: string, rules: unknown, isNamespaced = false): Problem[] {
  if (rules === undefined || rules === null) {
    return [];
  }
  if (!Array.isArray(rules)) {
    return [{ path, value: rules, message: 'must be a list', fix: 'use a list of rules' }];
  }
  return rules.flatMap((rule, index) =>
    isRecord(rule) ? checkRule(`${path}[${index}]`, rule, isNamespaced) : [],
  );
}

function checkRule(
  path: string,
  rule: { readonly [key: string]: unknown },
  isNamespaced: boolean,
): Problem[] {
  const problems: Problem[] = [];
  const [groups, resources, urls] = ['apiGroups', 'resources', 'nonResourceURLs'].map((key) =>
    length(rule[key]),
  );
  if (length(rule.verbs) === 0) {
    problems.push({
      path: `${path}.verbs`,
      message: 'cannot be empty',
      fix: 'add verbs, e.g. get, list, watch',
      says: 'Required value: verbs must contain at least one value',
    });
  }
  if (urls > 0) {
    if (isNamespaced) {
      problems.push({
        path: `${path}.nonResourceURLs`,
        value: rule.nonResourceURLs,
        message: 'means nothing in a namespace',
        fix: 'remove it, or use a role with context cluster',
        says: 'namespaced rules cannot apply to non-resource URLs',
      });
    }
    if (groups > 0 || resources > 0 || length(rule.resourceNames) > 0) {
      problems.push({
        path: `${path}.nonResourceURLs`,
        value: rule.nonResourceURLs,
        message: 'cannot be set together with resources',
        fix: 'make two rules of it',
        says: 'rules cannot apply to both regular resources and non-resource URLs',
      });
    }
    return problems;
  }
  if (groups === 0) {
    problems.push({
      path: `${path}.apiGroups`,
      message: 'cannot be empty',
      fix: 'add API groups, "" for the core group',
      says: 'Required value: resource rules must supply at least one api group',
    });
  }
  if (resources === 0) {
    problems.push({
      path: `${path}.resources`,
      message: 'cannot be empty',
      fix: 'add resources in the plural, e.g. virtualmachines',
      says: 'Required value: resource rules must supply at least one resource',
    });
  }
  return [...problems, ...checkSpelling(path, rule)];
}

// the server takes any text, which then allows nothing
function checkSpelling(
  path: string,
  { verbs, resources }: { readonly [key: string]: unknown },
): Problem[] {
  const [given, named] = [verbs, resources].map((list) => textsAt(list));
  return [
    ...given
      .filter((verb) => verb !== verb.toLowerCase() || (verb !== '*' && isMeant(verb)))
      .map((verb): Problem => ({
        path: `${path}.verbs`,
        value: verb,
        level: 'warning',
        message: 'must be a verb of Kubernetes: it has no effect',
        says: '',
        fix: `use a verb in lower case, e.g. ${VERBS.slice(0, 7).join(', ')}`,
      })),
    ...named
      .filter((resource) => resource !== resource.toLowerCase())
      .map((resource): Problem => ({
        path: `${path}.resources`,
        value: resource,
        level: 'warning',
        message: 'must be a resource: it has no effect',
        says: '',
        fix: 'use the plural in lower case, e.g. virtualmachines',
      })),
  ];
}

const MISTAKEN: readonly string[] = [
  'read',
  'write',
  'view',
  'edit',
  'manage',
  'all',
  'any',
  'remove',
  'add',
  'modify',
];

function isMeant(verb: string): boolean {
  return !VERBS.includes(verb) && MISTAKEN.includes(verb);
}

function length(list: unknown): number {
  return itemsAt(list).length;
}

/**
 * The problem of a role that is marked for another context than its own.
 *
 * @param field that marks it
 */
export function checkOnlyInContext(
  field: string,
  context: string,
  manifest: Manifest,
  more: Partial<Problem> = {},
): Problem[] {
  if (manifest[field] !== true || manifest.context === context) {
    return [];
  }
  return [
    {
      path: field,
      value: true,
      message: `can be set only with context ${context}`,
      fix: `remove it, or set context to ${context}`,
      ...more,
    },
  ];
}

const CONTEXTS = ['cluster', 'project', ''];

/** Checks the context of a RoleTemplate, and the fields that depend on it. */
function checkContext(manifest: Manifest): Problem[] {
  const { context = '' } = manifest;
  if (isLate(context)) {
    return [];
  }
  if (typeof context !== 'string' || !CONTEXTS.includes(context)) {
    return [
      {
        path: 'context',
        value: context,
        message: 'must be a context of roles',
        fix: 'set cluster or project',
        says: 'Unsupported value: supported values: "cluster", "project"',
      },
    ];
  }
  const problems: Problem[] = [];
  if (context === '') {
    problems.push({
      path: 'context',
      level: 'warning',
      message: 'must be set: otherwise the role can be inherited but not bound',
      fix: 'set cluster or project',
    });
  }
  return [
    ...problems,
    ...checkOnlyInContext('administrative', 'cluster', manifest, {
      says: 'only cluster roles can be administrative',
    }),
    ...checkOnlyInContext('projectCreatorDefault', 'project', manifest),
    ...checkOnlyInContext('clusterCreatorDefault', 'cluster', manifest, { level: 'warning' }),
  ];
}

/** Checks the rules of a RoleTemplate. */
function checkTemplateRules({ rules, external, externalRules }: Manifest): Problem[] {
  const problems = [
    ...checkPolicyRules('rules', rules),
    ...checkPolicyRules('externalRules', externalRules),
  ];
  if (Array.isArray(externalRules) && external !== true) {
    problems.push({
      path: 'externalRules',
      message: 'cannot be set in a role that is not external',
      fix: 'use rules, or set external to true',
      says: "ExternalRules can't be set in RoleTemplates with external=false",
    });
  }
  return problems;
}

/** Where Rancher's webhook judges a RoleTemplate. */
export const ROLE_TEMPLATE_VALIDATOR =
  'rancher/webhook:pkg/resources/management.cattle.io/v3/roletemplate/validator.go';

/** What holds for a RoleTemplate on its own. */
export const ROLE_TEMPLATE_FACTS: readonly ObjectFact[] = [
  {
    id: 'role-template/context',
    what: 'a role is for clusters or for projects; defaults of project creators are for projects, administrative roles for clusters',
    source: `${ROLE_TEMPLATE_VALIDATOR} validateContextValue; rancher/webhook docs of RoleTemplate`,
    check: checkContext,
  },
  {
    id: 'role-template/rules',
    what: 'every rule of a role has verbs, and API groups with resources or non-resource URLs',
    says: 'roletemplate.rules[0].verbs: Required value: verbs must contain at least one value',
    source: `${ROLE_TEMPLATE_VALIDATOR} ValidateRules; seen on Rancher 2.13.8`,
    check: checkTemplateRules,
  },
];

/** Where Rancher's webhook judges a GlobalRole. */
export const GLOBAL_ROLE_VALIDATOR =
  'rancher/webhook:pkg/resources/management.cattle.io/v3/globalrole/validator.go';

const FLEET = 'inheritedFleetWorkspacePermissions';

/** Checks the rules of a GlobalRole. */
function checkGlobalRules(manifest: Manifest): Problem[] {
  const { rules, [FLEET]: fleet } = manifest;
  const byNamespace = ['namespacedRules', 'inheritedNamespacedRules'].flatMap((field) =>
    Object.entries(isRecord(manifest[field]) ? manifest[field] : {}).map(
      ([namespace, list]) => [`${field}[${namespace}]`, list] as const,
    ),
  );
  const verbs = valueAt(fleet, 'workspaceVerbs');
  const problems = [
    ...checkPolicyRules('rules', rules),
    ...byNamespace.flatMap(([path, list]) => checkPolicyRules(path, list, true)),
    // they are given in the namespace of each workspace
    ...checkPolicyRules(`${FLEET}.resourceRules`, valueAt(fleet, 'resourceRules'), true),
  ];
  if (Array.isArray(verbs) && verbs.length === 0) {
    problems.push({
      path: `${FLEET}.workspaceVerbs`,
      message: 'cannot be empty',
      fix: 'add a verb on the Fleet workspaces, e.g. get',
      says: "InheritedFleetWorkspacePermissions.WorkspaceVerbs can't be empty",
    });
  }
  return problems;
}

/**
 * Checks that a GlobalRole has both kinds of permissions on Fleet workspaces, or none: Rancher binds
 * the verbs where there are rules, and looks for the role of the verbs then.
 */
export function checkFleetPermissions({ [FLEET]: fleet }: Manifest): readonly Problem[] {
  const hasRules = itemsAt(fleet, 'resourceRules').length > 0;
  const hasVerbs = valueAt(fleet, 'workspaceVerbs') !== undefined;
  if (hasRules && !hasVerbs) {
    return [
      {
        path: `${FLEET}.workspaceVerbs`,
        message:
          'must be set together with the rules: otherwise each binding of the role has an error',
        fix: 'add a verb on the Fleet workspaces, e.g. get',
      },
    ];
  }
  if (hasVerbs && !hasRules) {
    return [
      {
        path: `${FLEET}.resourceRules`,
        message: 'must be set together with the verbs: otherwise Rancher does not bind them',
        fix: 'add a rule, e.g. get on gitrepos of fleet.cattle.io',
      },
    ];
  }
  return NO_PROBLEMS;
}

/** What holds for a GlobalRole on its own. */
export const GLOBAL_ROLE_FACTS: readonly ObjectFact[] = [
  {
    id: 'global-role/fleet-permissions',
    // Rancher accepts the role
    level: 'warning',
    what: 'rules and verbs on Fleet workspaces are set together: each has no effect, or an error, without the other',
    source:
      'rancher/rancher:pkg/controllers/management/auth/globalroles/fleetworkspace_binding_handler.go reconcileWorkspaceVerbsBindings; seen on Rancher 2.15.0',
    check: checkFleetPermissions,
  },
  {
    id: 'global-role/rules',
    what: 'every rule of a role has verbs, and API groups with resources or non-resource URLs; in namespaces no URLs',
    source: `${GLOBAL_ROLE_VALIDATOR} validateFields`,
    check: checkGlobalRules,
  },
];

/** What inherits what: the names that a role inherits; unknown ones inherit nothing. */
type Inherited = (role: string) => readonly string[];

/** Maximum number of reported cycles: fixing these changes the others. */
const MOST_CIRCLES = 10;

/**
 * The circles in what roles inherit from each other, each as the names along it, from the smallest
 * on and with that again at its end.
 *
 * Every step that is part of a circle is in one of them, except for the most tangled. Takes no
 * recursion: a chain may be as long as it likes.
 *
 * @param roles where to begin
 * @see rancher/webhook:pkg/resources/management.cattle.io/v3/roletemplate/validator.go checkCircularRef
 */
export function inheritanceCircles(roles: Iterable<string>, inherited: Inherited): string[][] {
  return tangles(roles, inherited).flatMap((tangle) => circlesIn(tangle, inherited));
}

interface Visit {
  readonly role: string;
  readonly heirs: readonly string[];
  at: number;
}

// strongly connected roles, by the algorithm of Tarjan: in each, every role inherits every other
// one
function tangles(roles: Iterable<string>, inherited: Inherited): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const way: Visit[] = [];
  const enter = (role: string) => {
    order.set(role, order.size);
    lowest.set(role, order.get(role)!);
    open.push(role);
    isOpen.add(role);
    way.push({ role, heirs: inherited(role), at: 0 });
  };
  const lower = (role: string, by: number) => {
    lowest.set(role, Math.min(lowest.get(role)!, by));
  };
  const leave = (role: string) => {
    if (lowest.get(role) !== order.get(role)) {
      return;
    }
    const tangle = open.splice(open.lastIndexOf(role));
    for (const member of tangle) {
      isOpen.delete(member);
    }
    if (tangle.length > 1 || inherited(role).includes(role)) {
      found.push(tangle);
    }
  };

  for (const start of roles) {
    if (order.has(start)) {
      continue;
    }
    enter(start);
    while (way.length > 0) {
      const visit = way[way.length - 1];
      const { role, heirs } = visit;
      if (visit.at < heirs.length) {
        const next = heirs[visit.at++];
        if (!order.has(next)) {
          enter(next);
        } else if (isOpen.has(next)) {
          lower(role, order.get(next)!);
        }
      } else {
        way.pop();
        leave(role);
        if (way.length > 0) {
          lower(way[way.length - 1].role, lowest.get(role)!);
        }
      }
    }
  }
  return found;
}

// a shortest cycle for each step that no previous cycle has
function circlesIn(tangle: readonly string[], inherited: Inherited): string[][] {
  const members = new Set(tangle);
  const reported = new Set<string>();
  const circles: string[][] = [];
  for (const role of [...tangle].sort()) {
    for (const next of inherited(role)) {
      if (circles.length === MOST_CIRCLES) {
        return circles;
      }
      if (!members.has(next) || reported.has(`${role} ${next}`)) {
        continue;
      }
      const circle = fromSmallest([role, ...shortestWay(next, role, members, inherited)]);
      for (const [index, from] of circle.slice(0, -1).entries()) {
        reported.add(`${from} ${circle[index + 1]}`);
      }
      circles.push(circle);
    }
  }
  return circles;
}

// from one role to another, without the last one itself
function shortestWay(
  from: string,
  to: string,
  members: ReadonlySet<string>,
  inherited: Inherited,
): string[] {
  const before = new Map<string, string | undefined>([[from, undefined]]);
  const queue = [from];
  for (const role of queue) {
    if (role === to) {
      break;
    }
    for (const next of inherited(role)) {
      if (!members.has(next) || before.has(next)) {
        continue;
      }
      before.set(next, role);
      queue.push(next);
    }
  }
  const way: string[] = [];
  for (let role = before.get(to); role !== undefined; role = before.get(role)) {
    way.unshift(role);
  }
  return way;
}

function fromSmallest(circle: readonly string[]): string[] {
  const smallest = circle.reduce((least, name, index) => (name < circle[least] ? index : least), 0);
  const turned = [...circle.slice(smallest), ...circle.slice(0, smallest)];
  return [...turned, turned[0]];
}
