import {
  all,
  isUnset,
  items,
  missing,
  needed,
  object,
  structOf,
  SUBDOMAIN,
  word,
} from './value/value.check';
import { SELECTOR } from './workload/pod.check';
import { isLate } from '../late/late-token';
import { GROUPS } from '../manifest/names';
import { NO_PROBLEMS, Problem } from '../problem/problem';
import { each, fields, ValueCheck } from '../rule/kit/values';

/** @see kubernetes/kubernetes:pkg/apis/rbac/validation/validation.go ValidatePolicyRule (v1.34.4) */
function policyRule(isNamespaced: boolean): ValueCheck {
  return object((path, { verbs, apiGroups, resources, resourceNames, nonResourceURLs }) => {
    const problems: Problem[] = [];
    if (Array.isArray(verbs) && verbs.length === 0) {
      problems.push(...missing(`${path}.verbs`, 'list verbs, e.g. get'));
    }
    if (!isUnset(nonResourceURLs)) {
      if (isNamespaced) {
        problems.push({
          path: `${path}.nonResourceURLs`,
          message: 'cannot be set for a Role: URLs belong to no namespace',
          fix: 'move the rule to a ClusterRole',
          says: 'namespaced rules cannot apply to non-resource URLs',
        });
      }
      if (![apiGroups, resources, resourceNames].every(isUnset)) {
        problems.push({
          path: `${path}.nonResourceURLs`,
          message: 'cannot be set next to resources',
          fix: 'write two rules',
          says: 'rules cannot apply to both regular resources and non-resource URLs',
        });
      }
      return problems;
    }
    if (isUnset(apiGroups)) {
      problems.push(...missing(`${path}.apiGroups`, 'list the API groups; the core group is ""'));
    }
    if (isUnset(resources)) {
      problems.push(...missing(`${path}.resources`, 'list the resources, e.g. pods'));
    }
    return problems;
  });
}

export const ROLE = structOf({ rules: items(policyRule(true)) });

export const CLUSTER_ROLE = structOf({
  rules: items(policyRule(false)),
  aggregationRule: fields({ clusterRoleSelectors: needed(each(SELECTOR)) }),
});

const ACCOUNT = 'ServiceAccount';

/** @see kubernetes/kubernetes:pkg/apis/rbac/validation/validation.go ValidateRoleBindingSubject (v1.34.4) */
function subject(isNamespaced: boolean): ValueCheck {
  return all(
    structOf({ kind: word(ACCOUNT, 'User', 'Group') }),
    object((path, { kind, apiGroup, name, namespace }) => {
      const problems: Problem[] = [];
      if (kind === ACCOUNT) {
        problems.push(...SUBDOMAIN(`${path}.name`, name));
        if (!isNamespaced && isUnset(namespace)) {
          problems.push(...missing(`${path}.namespace`, 'set the namespace of the ServiceAccount'));
        }
      }
      const group = kind === ACCOUNT ? '' : GROUPS.RBAC;
      // the server sets the group of users and groups where it is not set
      if (!isUnset(apiGroup) && apiGroup !== group && ![apiGroup, kind].some(isLate)) {
        problems.push({
          path: `${path}.apiGroup`,
          value: apiGroup,
          message: group === '' ? `must be empty for a ${ACCOUNT}` : `must be ${group}`,
          fix: 'remove it',
          says: `supported values: "${group}"`,
        });
      }
      return problems;
    }),
  );
}

/** A name of RBAC is a segment of a path. @see kubernetes/kubernetes:pkg/apis/rbac/validation/validation.go ValidateRBACName */
const ROLE_NAME: ValueCheck = (path, value) =>
  typeof value === 'string' &&
  !isLate(value) &&
  (/[/%]/.test(value) || value === '.' || value === '..')
    ? [
        {
          path,
          value,
          message: 'cannot contain / or %',
          fix: 'use the name of a role',
          says: "may not contain '/'",
        },
      ]
    : NO_PROBLEMS;

const roleRef = (...kinds: readonly string[]): ValueCheck =>
  structOf({
    apiGroup: (path, value) => (isUnset(value) ? NO_PROBLEMS : word(GROUPS.RBAC)(path, value)),
    kind: word(...kinds),
    name: ROLE_NAME,
  });

export const ROLE_BINDING = all(
  structOf({ roleRef: roleRef('Role', 'ClusterRole'), subjects: items(subject(true)) }),
);

export const CLUSTER_ROLE_BINDING = structOf({
  roleRef: roleRef('ClusterRole'),
  subjects: items(subject(false)),
});
