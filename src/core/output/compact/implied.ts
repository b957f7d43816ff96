import { Waits } from './compact-form';
import { KindFields } from '../../kind/description/fields';
import { DeletionNote, KindRemoval, deletes } from '../../kind/description/removal';
import { kindOf } from '../../kind/kinds';
import { lateIdsIn } from '../../late/late-text';
import { isLate } from '../../late/late-token';
import { refId } from '../../manifest/manifest';
import { allRules } from '../../rule/judge-all';
import { PROGRAM_RULES } from '../../rule/program-rules';
import { compare, grouped, lazily } from '../../text/values';
import {
  Assembly,
  AssemblyEdge,
  AssemblyGroup,
  AssemblyLateObject,
  AssemblyObject,
} from '../assembly';

/** How the ID of a late value begins as an end of an edge. */
export const LATE_NODE = 'late:';

/** How a late value is named as an end of an edge. */
export function lateNode(id: string): string {
  return `${LATE_NODE}${id}`;
}

/** A late value with what its edges follow from. */
interface Sourced {
  readonly id: string;
  readonly source:
    | Pick<AssemblyLateObject, 'target' | 'apiVersion' | 'kind' | 'namespace' | 'name'>
    | { readonly text: string }
    | { readonly resolver: string };
}

/**
 * The edges that late values imply: what contains one waits for it, and it waits for the object
 * that it is read from.
 */
export function lateEdges(
  objects: readonly Pick<AssemblyObject, 'id' | 'lateValues'>[],
  lateValues: readonly Sourced[],
): AssemblyEdge[] {
  if (lateValues.length === 0) {
    return [];
  }
  const edges: AssemblyEdge[] = [];
  const written = new Set<string>();
  for (const { id, lateValues: ids = [] } of objects) {
    written.add(id);
    for (const late of ids) {
      edges.push({ from: id, to: lateNode(late), type: 'value' });
    }
  }
  for (const { id, source } of lateValues) {
    const from = lateNode(id);
    const within =
      'target' in source
        ? `${source.namespace ?? ''}/${source.name}`
        : 'text' in source
          ? source.text
          : '';
    for (const inner of isLate(within) ? lateIdsIn(within) : []) {
      edges.push({ from, to: lateNode(inner), type: 'value' });
    }
    if (!('target' in source)) {
      continue;
    }
    const object = refId(source.target, source);
    // an object that the server creates is not a node; the edges of the construct name the object
    // that causes it
    if (written.has(object)) {
      edges.push({ from, to: object, type: 'applied' });
    }
  }
  return edges;
}

/** Each edge once, in an order that does not depend on the program. */
export function uniqueEdges(edges: readonly AssemblyEdge[]): AssemblyEdge[] {
  const byStart = grouped(edges, ({ from }) => from);
  return [...byStart.keys()].sort().flatMap((from) => {
    const list = byStart.get(from)!;
    if (list.length === 1) {
      return list;
    }
    const sorted = list.sort((a, b) => compare(a.type, b.type) || compare(a.to, b.to));
    return sorted.filter(
      ({ type, to }, index) =>
        index === 0 || type !== sorted[index - 1].type || to !== sorted[index - 1].to,
    );
  });
}

/**
 * The objects that an object in a file waits for, while they wait for late values: it does not work
 * without them.
 */
export function impliedNeeds(
  { template }: Pick<AssemblyObject, 'template'>,
  { after = [], ready = [], value = [] }: Waits = {},
  objects: ReadonlyMap<string, AssemblyObject>,
): string[] {
  if (template !== undefined) {
    return [];
  }
  return [...new Set([...after, ...ready, ...value])]
    .filter((id) => objects.get(id)?.template !== undefined)
    .sort();
}

/** The path of a construct, and those above it. */
function scopesOf(construct: string): string[] {
  const scopes: string[] = [];
  for (
    let path = construct;
    path !== '';
    path = path.slice(0, Math.max(path.lastIndexOf('/'), 0))
  ) {
    scopes.push(path);
  }
  return scopes;
}

/**
 * The groups that edges imply: an end that is neither an object nor a late value is the path of a
 * construct above some objects.
 */
export function impliedGroups(
  objects: readonly Pick<AssemblyObject, 'id' | 'construct'>[],
  edges: readonly AssemblyEdge[],
): AssemblyGroup[] {
  const ids = new Set(objects.map(({ id }) => id));
  const members = new Map<string, string[]>();
  const note = (end: string): void => {
    if (!ids.has(end) && !end.startsWith(LATE_NODE)) {
      members.set(end, []);
    }
  };
  for (const { from, to } of edges) {
    note(from);
    note(to);
  }
  if (members.size === 0) {
    return [];
  }
  for (const { id, construct } of objects) {
    for (const path of scopesOf(construct)) {
      members.get(path)?.push(id);
    }
  }
  return [...members].flatMap(([id, list]) =>
    list.length > 0 ? [{ id, objects: list.sort(compare) }] : [],
  );
}

type OfKind = Pick<AssemblyObject, 'apiVersion' | 'kind'>;

/**
 * The reason of a policy that the description of the kind does not give: another version of the
 * library wrote it.
 */
const UNKNOWN_REASON = 'as the program chose';

/**
 * What deleting an object of a kind means where its entry does not contain it: from a construct
 * above it, otherwise from its kind.
 */
export function impliedDeletion(
  effects: Assembly['effects'] = [],
): (kind: OfKind) => (construct: string) => DeletionNote | undefined {
  const byConstruct = new Map(effects.map(({ construct, effect }) => [construct, deletes(effect)]));
  return (kind) => {
    const described = kindOf<KindRemoval>(kind)?.deletion;
    const ofKind = described?.policy === 'delete' ? described : undefined;
    return (construct) =>
      (byConstruct.size === 0
        ? undefined
        : scopesOf(construct).flatMap((path) => byConstruct.get(path) ?? [])[0]) ?? ofKind;
  };
}

/**
 * A deletion as `reset`, `keep <name>`, or `<name>` of one that deletes, where the kind describes
 * it.
 */
export function shortDeletion(kind: OfKind, note: DeletionNote): string | DeletionNote {
  const { deletion, deletions = {} } = kindOf<KindRemoval>(kind) ?? {};
  if (isSame(note, deletion)) {
    return note.policy;
  }
  const name = Object.keys(deletions).find((each) => isSame(note, deletions[each]));
  if (name === undefined) {
    return note;
  }
  return note.policy === 'delete' ? name : `${note.policy} ${name}`;
}

/**
 * The deletion that `shortDeletion` made short. The policy is that of the text, whatever the
 * description is now.
 */
export function wholeDeletion(kind: OfKind, short: string | DeletionNote): DeletionNote {
  if (typeof short !== 'string') {
    return short;
  }
  const { deletion, deletions = {} } = kindOf<KindRemoval>(kind) ?? {};
  const [, policy = 'delete', name] = /^(?:(reset|keep|delete)(?: |$))?(.*)$/.exec(
    short,
  ) as unknown as [string, DeletionNote['policy'] | undefined, string];
  const note =
    name === '' ? deletion : Object.hasOwn(deletions, name) ? deletions[name] : undefined;
  return note?.policy === policy ? note : { policy, reason: UNKNOWN_REASON };
}

function isSame(note: DeletionNote, other: DeletionNote | undefined): boolean {
  return (
    note === other ||
    (note.policy === other?.policy && note.reason === other.reason && note.chosen === other.chosen)
  );
}

/** The fields that others rewrite in every object of a kind. */
export function rewrittenOf(kind: OfKind): readonly string[] | undefined {
  return kindOf<KindFields>(kind)?.rewritten;
}

const sources = lazily(
  () => new Map([...allRules(), ...PROGRAM_RULES].map(({ id, source }) => [id, source])),
);

/** The source of a rule; undefined for a rule that the library does not have. */
export function sourceOf(rule: string): string | undefined {
  return sources().get(rule);
}
