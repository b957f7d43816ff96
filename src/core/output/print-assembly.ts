import { Assembly, AssemblyEdge } from './assembly';
import { AssemblyForm, FIELD_OF, GroupForm, Waiting, Waits } from './assembly-form';
import { DeletionForms } from './deletion-form';
import { impliedGroups, isLateNode, lateEdges, lateNode } from './implied-edges';
import { sameValue } from '../manifest/manifest';
import { Finding } from '../rule/finding';
import { compare, remembered } from '../text/values';

/**
 * The text of `assembly.json`.
 *
 * Each entry is a line that depends on nothing but the entry: what becomes of one changes no line
 * of another. `readForm` reads it.
 */
export function printAssembly(assembly: Assembly): string {
  const members = Object.entries(formOf(assembly))
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)}: ${printMember(value)}`);
  return `{\n${members.join(',\n')}\n}\n`;
}

// a comma begins a line, so that an entry at the end of a list changes no line before it
function printMember(value: unknown): string {
  if (!Array.isArray(value)) {
    return JSON.stringify(value);
  }
  const entries = value.map((entry) => JSON.stringify(entry));
  return entries.length > 0 ? `[\n ${entries.join('\n,')}\n]` : '[]';
}

function formOf(assembly: Assembly): AssemblyForm {
  const { schemaVersion, targets, objects, groups: _, edges: __, ...others } = assembly;
  const { lateValues, findings, ...lists } = others;
  const waits = waitsOf(assembly);
  const deletions = new DeletionForms(assembly.effects);
  return {
    schemaVersion,
    targets,
    objects: objects.map((object) => ({
      ...object,
      deletion: deletions.print(object),
      ...waits.get(object.id),
    })),
    groups: unlessEmpty(groupsOf(assembly, waits)),
    lateValues: unlessEmpty(
      lateValues.map((late) => ({ ...late, ...waits.get(lateNode(late.id)) })),
    ),
    ...lists,
    findings: unlessEmpty(findings.map(writtenFinding)),
  };
}

// where a program creates a construct, and what only commands set, are not part of an output
function writtenFinding(finding: Finding): Finding {
  const { place: _, line: __, environment: ___, ...written } = finding;
  return written;
}

function unlessEmpty<T>(entries: readonly T[]): readonly T[] | undefined {
  return entries.length > 0 ? entries : undefined;
}

/** The edges that nothing else implies, by their start. */
function waitsOf({ objects, lateValues, edges }: Assembly): ReadonlyMap<string, Waits> {
  const keyOf = ({ from, to, type }: AssemblyEdge): string => `${type} ${from} ${to}`;
  const implied = new Set(lateEdges(objects, lateValues).map(keyOf));
  type Lists = { -readonly [field in keyof Waits]?: string[] };
  const waits = new Map<string, Lists>();
  for (const edge of edges) {
    const isOfLate = isLateNode(edge.from) || isLateNode(edge.to);
    if (isOfLate && implied.has(keyOf(edge))) {
      continue;
    }
    const lists = remembered(waits, edge.from, (): Lists => ({}));
    (lists[FIELD_OF[edge.type]] ??= []).push(edge.to);
  }
  return waits;
}

/** The groups that wait, or that edges do not imply. */
function groupsOf(
  { objects, groups, edges }: Assembly,
  waits: ReadonlyMap<string, Waits>,
): Waiting<GroupForm>[] {
  const implied = new Map(impliedGroups(objects, edges).map((group) => [group.id, group.objects]));
  const entries: Waiting<GroupForm>[] = [];
  for (const group of groups) {
    const own = waits.get(group.id);
    const isImplied = sameValue(implied.get(group.id), [...group.objects].sort(compare));
    if (own || !isImplied) {
      const members = isImplied ? {} : { objects: group.objects };
      entries.push({ id: group.id, ...members, ...own });
    }
  }
  return entries;
}
