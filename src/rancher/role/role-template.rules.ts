import {
  ROLE_TEMPLATE_FACTS,
  ROLE_TEMPLATE_VALIDATOR,
  checkBuiltInMark,
  checkRoleContext,
  roleVersionProblem,
  checkOwnRoleName,
  inheritanceCircles,
} from './role.check';
import {
  BuiltInRole,
  ROLE_TEMPLATE,
  RoleKind,
  builtInGlobalRole,
  builtInRoleTemplate,
} from './role.kind';
import { inverted } from '../../core/graph/reach';
import { isLate } from '../../core/late/late-token';
import { Manifest, objectLabel, sameValue, textsAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { objectRules } from '../../core/rule/kit/object-fact';
import { levelIfMissing } from '../../core/rule/kit/relations';
import { JudgedObject, World, Rule } from '../../core/rule/rule';
import { onTarget } from '../../core/rule/world-lookup';
import { plainText, textOrEmpty } from '../../core/text/plain-text';
import { grouped } from '../../core/text/values';
import { hasFeature } from '../../core/version/target-features';
import { RancherGate, rancherVersionOf } from '../version/rancher-version';

/** The names in a list of roles; values that are not text are left out. */
export function namesIn(list: unknown): string[] {
  return textsAt(list).filter((name) => name !== '');
}

/** The items of a list of roles that name none: the server looks for a role without a name. */
export function emptyNames(path: string, list: unknown): Problem[] {
  return textsAt(list).flatMap((name, index) => {
    if (name === '') {
      return [
        {
          path: `${path}[${index}]`,
          message: 'cannot be empty',
          fix: 'name a RoleTemplate, or remove it',
        },
      ];
    }
    return [];
  });
}

/** Whether an object is a built-in role of a server, not one in a user's manifest. */
export function isBuiltInCopy(object: JudgedObject, world: World): boolean {
  return (
    object.manifest.builtin === true &&
    (world.exists(object) || world.beforeOf(object)?.builtin === true)
  );
}

/**
 * What is wrong with the role that something binds or inherits.
 *
 * @param kind what the place takes
 */
export function checkRoleTemplate(
  path: string,
  role: string,
  kind: RoleKind,
  object: JudgedObject,
  world: World,
): Iterable<Problem> {
  if (isLate(role)) {
    return NO_PROBLEMS;
  }
  const own = world.find(
    object,
    GROUPS.MANAGEMENT,
    kind === 'global' ? 'GlobalRole' : 'RoleTemplate',
    undefined,
    role,
  )?.manifest;
  if (own) {
    return checkOwn(path, role, kind, own);
  }
  const known = kind === 'global' ? builtInGlobalRole(role) : builtInRoleTemplate(role);
  if (known) {
    return checkBuiltIn(path, role, kind, known, object);
  }
  return checkUnknown(path, role, kind, object, world);
}

function* checkOwn(
  path: string,
  role: string,
  kind: RoleKind,
  { context, locked, displayName }: Manifest,
): Iterable<Problem> {
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
}

function checkBuiltIn(
  path: string,
  role: string,
  kind: RoleKind,
  known: BuiltInRole,
  object: JudgedObject,
): readonly Problem[] {
  const problems = checkRoleContext(path, role, kind);
  const { chart } = known;
  const version = rancherVersionOf(object.target);
  const lacks = version && roleVersionProblem(known, version);
  const says = `roletemplates.management.cattle.io "${role}" not found`;
  if (lacks) {
    // a chart may have been installed by hand, which is not for us to know
    problems.push({
      path,
      level: chart ? 'warning' : 'error',
      message: `cannot be granted: ${lacks}`,
      fix: 'bind another role, or upgrade Rancher',
      says,
    });
  } else if (chart) {
    problems.push({
      path,
      value: role,
      level: 'warning',
      message: `needs the chart ${chart} on Rancher: without it the binding is refused`,
      fix: `install ${chart}, or declare a RoleTemplate of your own`,
      says,
    });
  }
  return problems;
}

function checkUnknown(
  path: string,
  role: string,
  kind: RoleKind,
  object: JudgedObject,
  world: World,
): readonly Problem[] {
  const what = kind === 'global' ? 'GlobalRole' : 'RoleTemplate';
  const level = levelIfMissing(object, world, [GROUPS.MANAGEMENT, what], undefined, role);
  if (!level) {
    return NO_PROBLEMS;
  }
  return [
    {
      path,
      value: role,
      level,
      message: `must be a built-in, declared or live ${what}: otherwise Rancher refuses it`,
      fix: `declare the ${what}, or pass it with --world if it is live`,
      says: unknownWords(path, role, kind, object),
    },
  ];
}

/**
 * The server's words for a role that does not exist: those of GlobalRole, of bindings, and of
 * project bindings before Rancher 2.15.
 */
function unknownWords(
  path: string,
  role: string,
  kind: RoleKind,
  { target }: JudgedObject,
): string {
  const missing = `roletemplates.management.cattle.io "${role}" not found`;
  if (kind === 'global') {
    return `globalrolebindings.${path}: Not found: "${role}"`;
  }
  if (path.startsWith('inherited')) {
    return `unable to find all roleTemplates ${missing}`;
  }
  const isRefused =
    kind === 'cluster' || hasFeature(target, RancherGate.UNKNOWN_PROJECT_ROLE_REFUSED);
  return isRefused
    ? `${path}: Invalid value: "${role}": the referenced role template was not found`
    : missing;
}

const KINDS = [ROLE_TEMPLATE];
/** Mutable fields of a built-in role, except metadata. */
const CHANGEABLE = [
  'clusterCreatorDefault',
  'projectCreatorDefault',
  'locked',
  'metadata',
  'apiVersion',
  'kind',
  'status',
];

/** The roles that inherit each role. */
const heirsOf = onTarget((object, world) =>
  inverted(
    [
      ['RoleTemplate', 'roleTemplateNames'],
      ['GlobalRole', 'inheritedClusterRoles'],
    ].flatMap(([kind, field]) =>
      world
        .beside(object, GROUPS.MANAGEMENT, kind)
        .flatMap(({ manifest }) =>
          namesIn(manifest[field]).map((name) => [manifest, name] as const),
        ),
    ),
  ),
);

const bindingsOf = onTarget((object, world) => {
  const bindings = ['ProjectRoleTemplateBinding', 'ClusterRoleTemplateBinding'].flatMap((kind) =>
    world.beside(object, GROUPS.MANAGEMENT, kind),
  );
  return grouped(
    bindings.map(({ manifest }) => manifest),
    ({ roleTemplateName }) => textOrEmpty(roleTemplateName),
  );
});

/** Rules for edits and deletions of roles. */
const ROLE_TEMPLATE_CHANGE_RULES = rules({ kinds: KINDS }, [
  {
    id: 'role-template/built-in-changed',
    what: 'a built-in role keeps its rules, and no other becomes one',
    says: 'updates to builtIn RoleTemplates for fields other than CreatorDefault are forbidden',
    source: `${ROLE_TEMPLATE_VALIDATOR} validateUpdateFields`,
    *judgeUpdate({ manifest }, before) {
      if (before.builtin !== true) {
        if (manifest.builtin === true) {
          yield {
            path: 'builtin',
            value: true,
            message: 'can be set only on a built-in role',
            fix: 'remove it',
            says: `cannot update non-builtIn RoleTemplate ${manifest.metadata.name} to be builtIn`,
          };
        }
        return;
      }
      for (const field of Object.keys(manifest)) {
        if (CHANGEABLE.includes(field) || sameValue(manifest[field], before[field])) {
          continue;
        }
        yield {
          path: field,
          message: 'cannot change in a built-in role',
          fix: 'restore it, and declare a role of your own',
        };
      }
    },
  },
  {
    id: 'role-template/built-in-deleted',
    what: 'a built-in role is never deleted: Rancher accepts it, and all users of the role lose it',
    source: 'seen on Rancher 2.13.8: the webhook lets project-owner be deleted, in a dry run',
    judgeDeletion: ({ manifest }) => {
      const known = builtInRoleTemplate(manifest.metadata.name);
      return (
        (manifest.builtin === true || (known && known.chart === undefined)) && {
          message: 'cannot be deleted: it is a built-in role',
          fix: 'keep it; lock it instead, so that it can no longer be granted',
        }
      );
    },
  },
  {
    id: 'role-template/inherited-deleted',
    what: 'a role that others inherit is not deleted',
    says: 'cannot be deleted because it is inherited by roletemplate(s)',
    source: `${ROLE_TEMPLATE_VALIDATOR} validateDelete`,
    judgeDeletion: (gone, world) => {
      const { name } = gone.manifest.metadata;
      const heirs = heirsOf(gone, world).get(name) ?? [];
      return (
        heirs.length > 0 && {
          message: `cannot be deleted while ${heirs.map(objectLabel).join(', ')} ${heirs.length === 1 ? 'inherits' : 'inherit'} it`,
          fix: 'take it out of those first',
        }
      );
    },
  },
  {
    id: 'role-template/bound-deleted',
    what: 'a role is not deleted before its bindings: their members lose its permissions, and the bindings cannot be recreated',
    says: 'roletemplates.management.cattle.io not found',
    source:
      'seen on Rancher 2.13.8: a binding to a role that does not exist is refused; rancher/rancher:pkg/controllers/management/auth/roletemplate_handler.go',
    judgeDeletion: (gone, world) => {
      const bindings = bindingsOf(gone, world).get(gone.manifest.metadata.name) ?? [];
      return (
        bindings.length > 0 && {
          message: `is deleted but still bound by ${bindings.slice(0, 5).map(objectLabel).join(', ')}`,
          fix: 'delete the bindings too',
        }
      );
    },
  },
]);

// by the first judged role of each circle: the others would say the same
const circlesOf = onTarget((object, world): ReadonlyMap<JudgedObject, string[][]> => {
  const roles = new Map(
    world
      .beside(object, GROUPS.MANAGEMENT, 'RoleTemplate')
      .map((role) => [role.manifest.metadata.name, role]),
  );
  const inherits = new Map(
    [...roles].map(([name, role]) => [name, namesIn(role.manifest.roleTemplateNames)]),
  );
  const circles = new Map<JudgedObject, string[][]>();
  for (const circle of inheritanceCircles(roles.keys(), (role) => inherits.get(role) ?? [])) {
    const teller = circle.map((name) => roles.get(name)!).find((role) => world.isJudged(role));
    if (teller) {
      circles.set(teller, [...(circles.get(teller) ?? []), circle]);
    }
  }
  return circles;
});

/** Rules for roles of clusters and projects. */
export const ROLE_TEMPLATE_RULES: readonly Rule[] = [
  ...objectRules(KINDS, ROLE_TEMPLATE_FACTS),
  ...rules({ kinds: KINDS }, [
    {
      id: 'role-template/built-in',
      what: "built-in roles are Rancher's: a manifest neither creates nor overwrites one",
      says: 'creating new builtIn RoleTemplates is forbidden',
      source: `${ROLE_TEMPLATE_VALIDATOR} validateCreateFields, validateUpdateFields`,
      when: (object, world) => !isBuiltInCopy(object, world),
      *judge({ manifest }) {
        yield* checkBuiltInMark(manifest);
        // Rancher does not treat those of charts as built-in: an operator may write them by hand
        if (builtInRoleTemplate(manifest.metadata.name)?.chart === undefined) {
          for (const problem of checkOwnRoleName('metadata.name', manifest.metadata.name, false)) {
            yield {
              ...problem,
              says: 'updates to builtIn RoleTemplates for fields other than CreatorDefault are forbidden',
            };
          }
        }
      },
    },
    {
      id: 'role-template/inherited',
      what: 'the roles that a role inherits exist',
      says: 'unable to get roletemplate',
      source: `${ROLE_TEMPLATE_VALIDATOR} checkCircularRef`,
      *judge(object, world) {
        yield* emptyNames('roleTemplateNames', object.manifest.roleTemplateNames);
        for (const [index, name] of namesIn(object.manifest.roleTemplateNames).entries()) {
          const path = `roleTemplateNames[${index}]`;
          // a role may inherit one of the other context; it must only be there
          const kind = builtInRoleTemplate(name)?.kind;
          if (kind) {
            yield* checkRoleTemplate(path, name, kind, object, world);
            continue;
          }
          const level = isLate(name)
            ? undefined
            : levelIfMissing(object, world, [GROUPS.MANAGEMENT, 'RoleTemplate'], undefined, name);
          if (level) {
            yield {
              path,
              value: name,
              level,
              message: 'must be a built-in, declared or live RoleTemplate',
              fix: 'declare it, or pass it with --world if it is live',
            };
          }
        }
      },
    },
    {
      id: 'role-template/external',
      fields: ['external'],
      what: 'an external role has externalRules, or a ClusterRole of its name is on Rancher; Rancher answers with status 500 otherwise',
      source: 'rancher/webhook:pkg/auth/roleTemplate.go gatherRules; seen on Rancher 2.15.0',
      judge: (object, world) => {
        const { external, externalRules } = object.manifest;
        const { name } = object.manifest.metadata;
        const needsRole =
          external === true &&
          (externalRules ?? undefined) === undefined &&
          !isLate(name) &&
          !isBuiltInCopy(object, world);
        const level =
          needsRole && levelIfMissing(object, world, [GROUPS.RBAC, 'ClusterRole'], undefined, name);
        return (
          level && {
            path: 'external',
            value: true,
            level,
            message: `must have externalRules, or the ClusterRole ${name} on Rancher`,
            fix: 'set externalRules, or install the ClusterRole first; pass it with --world if it is live',
            says:
              `failed to get all rules for '${name}': for external RoleTemplates, externalRules must be provided or a backing clusterRole must be installed to check ` +
              `for privilege escalations: failed to get ClusterRole "${name}": clusterroles.rbac.authorization.k8s.io "${name}" not found`,
          }
        );
      },
    },
    {
      id: 'role-template/circle',
      what: 'no role inherits itself, directly or through other roles',
      says: 'Circular Reference: RoleTemplate already inherits RoleTemplate',
      source: `${ROLE_TEMPLATE_VALIDATOR} checkCircularRef`,
      *judge(object, world) {
        for (const circle of circlesOf(object, world).get(object) ?? []) {
          yield {
            path: 'roleTemplateNames',
            message: `go in a circle: ${circle.join(' -> ')}`,
            fix: 'take one of them out',
          };
        }
      },
    },
  ]),
  ...ROLE_TEMPLATE_CHANGE_RULES,
];
