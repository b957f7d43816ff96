import { isPathBelow } from '../construct/scope';
import { AssemblyRemoval } from '../output/assembly';
import { escapeRegExp } from '../text/values';

/** Any text in the ID of an object, in a pattern. */
const ANY = '*';

/** The accepted removal of an object, by its ID, or by the construct that it is of. */
export function acceptedRemoval(
  removals: readonly AssemblyRemoval[],
  id: string,
  construct?: string,
): AssemblyRemoval | undefined {
  return removals.find(
    ({ objects }) =>
      matchesPattern(objects, id) || (construct !== undefined && isPathBelow(construct, objects)),
  );
}

/** Whether a removal names the ID of an object; `*` matches any text. */
export function matchesPattern(pattern: string, id: string): boolean {
  if (!pattern.includes(ANY)) {
    return pattern === id;
  }
  const parts = pattern.split(ANY).map(escapeRegExp);
  return new RegExp(`^${parts.join('.*')}$`, 's').test(id);
}

/**
 * The constructs whose removal accepts all objects that leave: the highest ones without another
 * object. Undefined where a construct has others, too.
 *
 * @param others paths of the constructs of other objects
 */
export function constructsFor(
  leaving: readonly { readonly construct?: string }[],
  others: readonly string[],
): readonly string[] | undefined {
  const taken = new Set(others.flatMap(prefixesOf));
  const found = new Set<string>();
  for (const { construct = '' } of leaving) {
    const own = prefixesOf(construct).find((path) => !taken.has(path));
    if (own === undefined) {
      return undefined;
    }
    found.add(own);
  }
  return [...found];
}

/** The paths above a construct, and its own, the highest first. */
function prefixesOf(path: string): readonly string[] {
  const names = path.split('/');
  return path === '' ? [] : names.map((_, at) => names.slice(0, at + 1).join('/'));
}

/** How many IDs are searched for what they have in common, and how many texts are tried. */
const MAX_SEARCHED = 2_000;
const MAX_TRIED = 200;

/**
 * The patterns that match all IDs of objects that leave, and no ID of an object that remains:
 * mostly one, of the name that they have in common.
 *
 * @param leaving the IDs, `<target>/<group>/<Kind>/<namespace>/<name>`
 * @param others IDs that no pattern may match
 */
export function patternsFor(
  leaving: readonly string[],
  others: readonly string[],
): readonly string[] {
  if (leaving.length === 1 || leaving.length > MAX_SEARCHED) {
    return leaving;
  }
  const rest = new Set(leaving);
  const patterns: string[] = [];
  for (const { pattern, isIn } of candidatesOf(leaving)) {
    const found = [...rest].filter(isIn);
    if (found.length < 2 || others.some(isIn)) {
      continue;
    }
    patterns.push(pattern);
    for (const id of found) {
      rest.delete(id);
    }
    if (rest.size === 0) {
      break;
    }
  }
  // those that have nothing in common with others
  return [...patterns, ...rest];
}

/** A pattern, and the IDs that it matches. */
interface Candidate {
  readonly pattern: string;
  readonly isIn: (id: string) => boolean;
}

/**
 * The patterns of what several IDs have in common: those that match most first, then the shortest.
 */
function candidatesOf(ids: readonly string[]): readonly Candidate[] {
  const counts = new Map<string, number>();
  for (const id of ids) {
    for (const text of new Set(textsIn(id))) {
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  const shared = [...counts]
    .filter(([, count]) => count > 1)
    .sort(([a, inA], [b, inB]) => inB - inA || a.length - b.length || (a < b ? -1 : 1));
  return shared.slice(0, MAX_TRIED).map(([text]) => candidateOf(text));
}

function candidateOf(text: string): Candidate {
  return text.endsWith('/')
    ? { pattern: `${text}${ANY}`, isIn: (id) => id.startsWith(text) }
    : { pattern: `${ANY}${text}${ANY}`, isIn: (id) => id.includes(text) };
}

/** A shorter text is in the names of too many objects that a program may have later. */
const MIN_LENGTH = 3;

/**
 * The target of an ID, and the runs of words in its namespace and name: `choreo`, `choreo-k8s` and
 * `k8s` of `choreo-k8s`.
 */
function textsIn(id: string): readonly string[] {
  const [target = '', , , ...names] = id.split('/');
  return [
    `${target}/`,
    ...names.flatMap((name) => {
      const words = name.split('-');
      return words.flatMap((_, from) =>
        words.slice(from).map((__, more) => words.slice(from, from + more + 1).join('-')),
      );
    }),
  ].filter((text) => text.length >= MIN_LENGTH && !text.includes(ANY));
}
