import { isRecord } from '../manifest';
import { Problem } from '../problem';

const VERBS = [
  'get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'use', 'bind', 'escalate', 'impersonate', 'approve', 'sign',
  // Rancher's own
  'own', 'manage-namespaces', 'updatepsa',
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
  if (rules === undefined || rules === null) { return []; }
  if (!Array.isArray(rules)) { return [{ path, value: rules, message: 'is no list', fix: 'give a list of rules' }]; }
  return rules.flatMap((rule, index) => (isRecord(rule) ? checkRule(`${path}[${index}]`, rule, isNamespaced) : []));
}

function checkRule(path: string, rule: { readonly [key: string]: unknown }, isNamespaced: boolean): Problem[] {
  const problems: Problem[] = [];
  const [groups, resources, urls] = ['apiGroups', 'resources', 'nonResourceURLs'].map((key) => length(rule[key]));
  if (length(rule.verbs) === 0) {
    problems.push({
      path: `${path}.verbs`, message: 'is empty', fix: 'name what is allowed, e.g. get, list, watch', says: 'Required value: verbs must contain at least one value',
    });
  }
  if (urls > 0) {
    if (isNamespaced) {
      problems.push({
        path: `${path}.nonResourceURLs`,
        value: rule.nonResourceURLs,
        message: 'means nothing in a namespace',
        fix: 'leave it out, or put it into a role of clusters',
        says: 'namespaced rules cannot apply to non-resource URLs',
      });
    }
    if (groups > 0 || resources > 0 || length(rule.resourceNames) > 0) {
      problems.push({
        path: `${path}.nonResourceURLs`,
        value: rule.nonResourceURLs,
        message: 'stands beside resources',
        fix: 'make two rules of it',
        says: 'rules cannot apply to both regular resources and non-resource URLs',
      });
    }
    return problems;
  }
  if (groups === 0) {
    problems.push({
      path: `${path}.apiGroups`, message: 'is empty', fix: 'name the API groups, "" for the core one', says: 'Required value: resource rules must supply at least one api group',
    });
  }
  if (resources === 0) {
    problems.push({
      path: `${path}.resources`, message: 'is empty', fix: 'name the resources in the plural, e.g. virtualmachines', says: 'Required value: resource rules must supply at least one resource',
    });
  }
  return [...problems, ...checkSpelling(path, rule)];
}

// the server takes any text, which then allows nothing
function checkSpelling(path: string, { verbs, resources }: { readonly [key: string]: unknown }): Problem[] {
  const [given, named] = [verbs, resources].map((list) => (Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : []));
  return [
    ...given.filter((verb) => verb !== verb.toLowerCase() || (verb !== '*' && isMeant(verb))).map((verb): Problem => ({
      path: `${path}.verbs`, value: verb, level: 'warning', message: 'is no verb of Kubernetes, so it allows nothing', fix: `verbs are in lower case, e.g. ${VERBS.slice(0, 7).join(', ')}`,
    })),
    ...named.filter((resource) => resource !== resource.toLowerCase()).map((resource): Problem => ({
      path: `${path}.resources`, value: resource, level: 'warning', message: 'is no resource, so it allows nothing', fix: 'name it in the plural and in lower case, e.g. virtualmachines',
    })),
  ];
}

const MISTAKEN: readonly string[] = ['read', 'write', 'view', 'edit', 'manage', 'all', 'any', 'remove', 'add', 'modify'];

function isMeant(verb: string): boolean {
  return !VERBS.includes(verb) && MISTAKEN.includes(verb);
}

function length(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}
