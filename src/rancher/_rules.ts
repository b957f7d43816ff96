import { PolicyRule } from './policy-rule';

/** A rule as Kubernetes stores it. */
export interface RuleFields {
  readonly verbs: string[];
  readonly apiGroups?: string[];
  readonly resources?: string[];
  readonly resourceNames?: string[];
  readonly nonResourceURLs?: string[];
}

/** Rules as Kubernetes stores them; nothing for none. */
export function ruleFields(rules: PolicyRule[] | undefined): RuleFields[] | undefined {
  if (!rules || rules.length === 0) { return undefined; }
  return rules.map(({ verbs, apiGroups, resources, resourceNames, nonResourceUrls }) => ({
    verbs, apiGroups, resources, resourceNames, nonResourceURLs: nonResourceUrls,
  }));
}
