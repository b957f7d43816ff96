import { KNOWN_KEYS } from './known-keys.data';
import { isLate } from '../../core/late/late-token';
import { annotationsOf, isFromServer, labelsOf } from '../../core/manifest/manifest';
import { Problem, joinedProblems, problemsOfKeys } from '../../core/problem/problem';
import { ruleOf } from '../../core/rule/kit/fact';
import { Rule } from '../../core/rule/rule';
import { nearestName } from '../../core/text/plain-text';
import { tableByName } from '../../core/text/values';

/** Prefixes that neither product has, with the one that is meant. */
const MEANT_PREFIXES: { readonly [prefix: string]: string } = tableByName({
  'harvester.cattle.io': 'harvesterhci.io',
});

const PREFIXES = Object.keys(KNOWN_KEYS);

const withoutCase = (name: string): string => name.toLowerCase();

/** The key that was probably meant. Undefined if the key is known, or no other is near. */
export function meantKey(key: string): string | undefined {
  const slash = key.indexOf('/');
  const [given, name] = [key.slice(0, slash), key.slice(slash + 1)];
  const prefix = MEANT_PREFIXES[given] ?? given;
  const names = slash > 0 ? KNOWN_KEYS[prefix] : undefined;
  if (!names) {
    return undefined;
  }
  if (names.includes(name)) {
    return prefix === given ? undefined : `${prefix}/${name}`;
  }
  const near = nearestName(name, names);
  if (near !== undefined) {
    return `${prefix}/${near}`;
  }
  // the right name under the prefix of another component
  const other = PREFIXES.find((each) =>
    KNOWN_KEYS[each]!.some((known) => withoutCase(known) === withoutCase(name)),
  );
  return other === undefined ? undefined : `${other}/${name}`;
}

function keyProblem(field: 'annotations' | 'labels', key: string): Problem | undefined {
  const meant = isLate(key) ? undefined : meantKey(key);
  return meant === undefined
    ? undefined
    : {
        path: `metadata.${field}[${key}]`,
        message: `is not a key that Rancher or Harvester reads; did you mean ${meant}?`,
        fix: `write ${meant}, or use a prefix of your own`,
      };
}

/** Rules on the labels and annotations that Rancher and Harvester read. */
export const KNOWN_KEY_RULES: readonly Rule[] = [
  ruleOf({
    id: 'object/key',
    level: 'warning',
    kinds: ['*'],
    what: 'a label or an annotation with a prefix of Rancher or Harvester has a name that they read',
    source:
      'harvester/harvester:pkg/util/constants.go; rancher/rancher:pkg/api/steve, pkg/controllers and pkg/provisioningv2 at v2.15.0',
    // a server writes keys of more components than are known
    when: ({ manifest }) => !isFromServer(manifest),
    judge: ({ manifest }) =>
      joinedProblems(
        problemsOfKeys(annotationsOf(manifest), (key) => keyProblem('annotations', key)),
        problemsOfKeys(labelsOf(manifest), (key) => keyProblem('labels', key)),
      ),
  }),
];
