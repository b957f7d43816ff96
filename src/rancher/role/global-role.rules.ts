import { checkRoleTemplate, emptyNames, isBuiltInCopy, namesIn } from './role-template.rules';
import {
  GLOBAL_ROLE_FACTS,
  GLOBAL_ROLE_VALIDATOR,
  checkBuiltInMark,
  checkOwnRoleName,
} from './role.check';
import { GLOBAL_ROLE, builtInGlobalRole } from './role.kind';
import { isRecord, sameValue } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { problemsOf } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { objectRules } from '../../core/rule/kit/object-fact';
import { usedBy } from '../../core/rule/kit/relations';
import { Rule } from '../../core/rule/rule';
import { lacksFeature } from '../../core/version/target-features';
import { RancherGate } from '../version/rancher-version';

const KINDS = [GLOBAL_ROLE];
const GATED = [
  ['namespacedRules', RancherGate.GLOBAL_ROLE_NAMESPACED_RULES],
  ['inheritedNamespacedRules', RancherGate.GLOBAL_ROLE_INHERITED_NAMESPACED_RULES],
] as const;
const CHANGEABLE = ['newUserDefault', 'metadata', 'apiVersion', 'kind', 'status'];

/** Rules for global roles and their bindings. */
export const GLOBAL_ROLE_RULES: readonly Rule[] = [
  ...objectRules(KINDS, GLOBAL_ROLE_FACTS),
  ...rules({ kinds: KINDS }, [
    {
      id: 'global-role/built-in',
      what: "built-in roles are Rancher's: a manifest neither creates nor overwrites one",
      says: 'cannot create builtin GlobalRoles',
      source: `${GLOBAL_ROLE_VALIDATOR} validateCreateFields`,
      when: (object, world) => !isBuiltInCopy(object, world),
      *judge({ manifest }) {
        yield* checkBuiltInMark(manifest);
        for (const problem of checkOwnRoleName('metadata.name', manifest.metadata.name, true)) {
          yield {
            ...problem,
            says: "updates to builtIn GlobalRoles for fields other than 'newUserDefault' are forbidden",
          };
        }
      },
    },
    {
      id: 'global-role/fields',
      what: 'rules for namespaces need a version of Rancher that has them; earlier versions silently drop them',
      source: 'rancher/rancher:pkg/apis/management.cattle.io/v3 at the release tags',
      judge: ({ manifest, target }) =>
        problemsOf(GATED, ([path, gate]) => {
          const lacks = isRecord(manifest[path]) && lacksFeature(target, gate);
          return (
            lacks && {
              path,
              message: `has no effect: ${lacks}`,
              fix: 'remove it, or upgrade Rancher',
            }
          );
        }),
    },
    {
      id: 'global-role/inherited',
      what: 'the roles that a global role gives on every cluster exist, are for clusters and are not locked',
      says: 'unable to bind a roleTemplate with non-cluster context',
      source: `${GLOBAL_ROLE_VALIDATOR} validateInheritedClusterRoles`,
      *judge(object, world) {
        yield* emptyNames('inheritedClusterRoles', object.manifest.inheritedClusterRoles);
        // what it had before is not asked for again
        const before = new Set(namesIn(world.beforeOf(object)?.inheritedClusterRoles));
        for (const [index, role] of namesIn(object.manifest.inheritedClusterRoles).entries()) {
          if (!before.has(role)) {
            yield* checkRoleTemplate(
              `inheritedClusterRoles[${index}]`,
              role,
              'cluster',
              object,
              world,
            );
          }
        }
      },
    },
    {
      id: 'global-role/built-in-changed',
      what: 'a built-in role keeps its rules',
      says: "updates to builtIn GlobalRoles for fields other than 'newUserDefault' are forbidden",
      source: `${GLOBAL_ROLE_VALIDATOR} validateUpdateFields`,
      judgeUpdate: ({ manifest }, before) =>
        before.builtin === true &&
        Object.keys(manifest)
          .filter(
            (field) => !CHANGEABLE.includes(field) && !sameValue(manifest[field], before[field]),
          )
          .map((path) => ({
            path,
            message: 'cannot change in a built-in role',
            fix: 'restore it, and declare a role of your own',
          })),
    },
    {
      id: 'global-role/made-built-in',
      what: 'a role that exists does not become a built-in one',
      source: `${GLOBAL_ROLE_VALIDATOR} validateUpdateFields`,
      judgeUpdate: ({ manifest }, before) => {
        if (manifest.builtin !== true || before.builtin === true) {
          return undefined;
        }
        return {
          path: 'builtin',
          value: true,
          message: 'can be set only on roles that Rancher creates',
          fix: 'remove it',
          says: `globalrole: Forbidden: cannot update non-builtIn GlobalRole ${manifest.metadata.name} to be builtIn`,
        };
      },
    },
    {
      id: 'global-role/built-in-deleted',
      what: 'a built-in role is never deleted',
      says: 'cannot delete builtin GlobalRoles',
      source: `${GLOBAL_ROLE_VALIDATOR} validateDelete`,
      judgeDeletion: ({ manifest }) =>
        (manifest.builtin === true || builtInGlobalRole(manifest.metadata.name)) && {
          message: 'cannot be deleted: it is a built-in role',
          fix: 'keep it',
        },
    },
    {
      id: 'global-role/bound-deleted',
      level: 'warning',
      what: 'deleting a global role deletes its bindings',
      source:
        'rancher/webhook:pkg/resources/management.cattle.io/v3/globalrolebinding: the role is the owner of its bindings',
      judgeDeletion: usedBy({
        by: [[GROUPS.MANAGEMENT, 'GlobalRoleBinding']],
        uses: ({ manifest }, gone) => manifest.globalRoleName === gone.manifest.metadata.name,
        problem: ({ length }) => ({
          message: `is deleted with its ${length} GlobalRoleBindings`,
          fix: 'delete those manifests as well: the bindings cannot be recreated',
        }),
      }),
    },
  ]),
];
