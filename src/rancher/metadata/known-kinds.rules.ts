import { MEANT_KINDS, OTHER_KINDS } from './known-kinds.data';
import { allKinds } from '../../core/kind/kinds';
import { groupOf } from '../../core/manifest/manifest';
import { ruleOf } from '../../core/rule/kit/fact';
import { errorIf } from '../../core/rule/kit/relations';
import { JudgedTarget, Rule } from '../../core/rule/rule';
import { nearestName } from '../../core/text/plain-text';
import { lazily } from '../../core/text/values';

/** The groups of the two products. */
const OF_PRODUCT = { rancher: /(^|\.)cattle\.io$/, harvester: /(^|\.)harvesterhci\.io$/ } as const;

/** What is known of a group: the version of each kind. */
const kindsByGroup = lazily(() => {
  const groups = new Map<string, Map<string, string>>();
  for (const { group, version, kind } of allKinds()) {
    groups.set(group, (groups.get(group) ?? new Map<string, string>()).set(kind, version));
  }
  return groups;
});

/** Whether the server of a target alone decides about a group, in a version that is known. */
function isCertain(
  { kind, harvesterVersion, rancherVersion }: JudgedTarget,
  group: string,
): boolean {
  const isHarvesters = kind === 'harvester' && harvesterVersion !== undefined;
  const isRanchers = kind === 'rancher' && rancherVersion !== undefined;
  return (
    (isHarvesters && OF_PRODUCT.harvester.test(group)) ||
    (isRanchers && OF_PRODUCT.rancher.test(group))
  );
}

/** Rules on the kinds that the groups of Rancher and Harvester have. */
export const KNOWN_KIND_RULES: readonly Rule[] = [
  ruleOf({
    id: 'object/kind-known',
    kinds: ['*'],
    what: 'an object of a group of Rancher or Harvester has a kind of the group, in the version that the server serves',
    source:
      'rancher/rancher:pkg/crds; harvester/harvester:deploy/charts/harvester-crd; https://kubernetes.io/docs/reference/using-api/',
    concerns: (kind) =>
      kind === undefined || Object.values(OF_PRODUCT).some((own) => own.test(kind.group)),
    judge: ({ manifest, target }) => {
      const { apiVersion, kind } = manifest;
      const group = groupOf(apiVersion);
      const known = kindsByGroup().get(group);
      const isOwn = Object.values(OF_PRODUCT).some((own) => own.test(group));
      if (!known || !isOwn) {
        return undefined;
      }
      const served = known.get(kind);
      const says = `no matches for kind "${kind}" in version "${apiVersion}"`;
      if (served !== undefined) {
        const right = `${group}/${served}`;
        return (
          apiVersion !== right && {
            path: 'apiVersion',
            value: apiVersion,
            level: errorIf(isCertain(target, group)),
            message: `must be ${right} for ${kind}`,
            fix: `write ${right}`,
            says,
          }
        );
      }
      const others = OTHER_KINDS[group];
      if (others?.includes(kind)) {
        return undefined;
      }
      const near = MEANT_KINDS[kind] ?? nearestName(kind, [...known.keys(), ...(others ?? [])]);
      // the list of other groups may be incomplete
      return (
        (others !== undefined || near !== undefined) && {
          path: 'kind',
          value: kind,
          level: errorIf(others !== undefined && isCertain(target, group)),
          message: `must be a kind of ${group}${near === undefined ? '' : `; did you mean ${near}?`}`,
          fix: near === undefined ? 'correct the kind or the group' : `write ${near}`,
          says,
        }
      );
    },
  }),
];
