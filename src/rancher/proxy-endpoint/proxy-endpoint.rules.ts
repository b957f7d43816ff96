import { isLate } from '../../core/late/late-token';
import { isRecord, itemsAt } from '../../core/manifest/manifest';
import { problemsOf } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { RuleLevel } from '../../core/rule/rule';

/** Labels that match any other. */
const WILDCARDS = ['*', '%'];

/** Top-level domains below which every name is a public suffix. @see https://publicsuffix.org/list */
const ALL_SUFFIXES = ['bd', 'ck', 'er', 'fk', 'jm', 'kh', 'mm', 'np', 'pg'];

/** Names below the top-level domains of countries that are public suffixes in most of them. */
const COMMON_SUFFIXES = ['ac', 'co', 'com', 'edu', 'go', 'gov', 'mil', 'ne', 'net', 'or', 'org'];

/** Rules on the domains that Rancher's proxy may forward to. */
export const PROXY_ENDPOINT_RULES = rules({ kinds: ['management.cattle.io/ProxyEndpoint'] }, [
  {
    id: 'proxy-endpoint/domain',
    what: 'a domain of a ProxyEndpoint with a wildcard names more than a public suffix, such as com or co.uk',
    says: 'domain route cannot be overly broad',
    source:
      'rancher/webhook:pkg/resources/management.cattle.io/v3/proxyendpoint/validator.go isOverlyBroad',
    judge: ({ manifest }) =>
      problemsOf(itemsAt(manifest, 'spec', 'routes'), (route, index) => {
        const domain = isRecord(route) ? route.domain : undefined;
        const level = typeof domain === 'string' && !isLate(domain) ? broadness(domain) : undefined;
        return (
          level && {
            path: `spec.routes[${index}].domain`,
            value: domain,
            level,
            message: 'must name a domain below the public suffix: it matches domains of anybody',
            fix: 'write e.g. *.cloud.example.com',
          }
        );
      }),
  },
]);

/** Whether a wildcard is all that is left of a public suffix; a warning where it may be one. */
function broadness(domain: string): RuleLevel | undefined {
  const labels = domain.split('.');
  const [top = '', below, third] = labels.reverse();
  const isWildcard = (label: string | undefined): boolean => WILDCARDS.includes(label ?? '');
  if (
    isWildcard(top) ||
    (isWildcard(below) && (third === undefined || !ALL_SUFFIXES.includes(top)))
  ) {
    return 'error';
  }
  const maySuffix = top.length === 2 && below !== undefined && COMMON_SUFFIXES.includes(below);
  return maySuffix && isWildcard(third) ? 'warning' : undefined;
}
