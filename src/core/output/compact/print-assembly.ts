import { basename, dirname } from 'path';
import {
  CompactTarget, FIELD_OF, FindingHead, FindingLine, GroupLine, LateHead, LateLine, ObjectHead, ObjectLine, Waits,
} from './compact-form';
import { impliedGroups, lateEdges, lateNode, shortReasons } from './implied';
import { lateIdsIn } from '../../late/late-text';
import { plainLateId } from '../../late/late-token';
import { refId, sameValue } from '../../manifest/manifest';
import { Finding } from '../../rule/finding';
import { compare, filledList, remembered } from '../../text/values';
import { Assembly, AssemblyEdge, AssemblyLateValue, AssemblyObject, ownName } from '../assembly';

/**
 * The text of `assembly.json`.
 *
 * Each entry is a line that depends on nothing but the entry: what becomes of one changes no line of another. `expandAssembly` reads it.
 */
export function printAssembly(assembly: Assembly): string {
  const { schemaVersion, targets, objects, groups: _, edges: __, lateValues, findings, ...others } = assembly;
  const waits = waitsOf(assembly);
  const byId = new Map(objects.map((object) => [object.id, object]));
  const deletionOf = shortReasons(objects);
  const members: { readonly [name in keyof Assembly]?: string } = {
    schemaVersion: JSON.stringify(schemaVersion),
    targets: list(targets.map(({ folder: ___, ...target }): CompactTarget => target)),
    objects: sections(objects, (object) => splitObject({ ...object, deletion: deletionOf(object) }, waits.get(object.id))),
    groups: list(groupLines(assembly, waits)),
    lateValues: sections(lateValues, (late) => splitLate(late, waits.get(lateNode(late.id)))),
    ...Object.fromEntries(Object.entries(others).map(([name, entries]: [string, readonly unknown[]]) => [name, list(entries)])),
    findings: sections(findings, (finding) => splitFinding(finding, byId)),
  };
  return `{\n${Object.entries(members).map(([name, text]) => `  ${JSON.stringify(name)}: ${text}`).join(',\n')}\n}\n`;
}

function list(entries: readonly unknown[]): string {
  return entries.length > 0 ? `[\n    ${entries.map((entry) => JSON.stringify(entry)).join(',\n    ')}\n  ]` : '[]';
}

/** Entries by what they have in common. A comma begins a line, so that an entry at the end of a section changes no line before it. */
function sections<T, H extends object, L extends object>(entries: readonly T[], split: (entry: T) => readonly [H, L]): string {
  const byHead = new Map<string, string[]>();
  for (const entry of entries) {
    const [head, line] = split(entry);
    remembered(byHead, JSON.stringify(head), (): string[] => []).push(JSON.stringify(line));
  }
  const texts = [...byHead].sort(([a], [b]) => compare(a, b)).map(([head, lines]) => `[${[head, ...lines].join('\n    ,')}\n    ]`);
  return texts.length > 0 ? `[\n    ${texts.join(',\n    ')}\n  ]` : '[]';
}

/** The edges that nothing else implies, by their start. */
function waitsOf({ objects, lateValues, edges }: Assembly): ReadonlyMap<string, Waits> {
  const keyOf = ({ from, to, type }: AssemblyEdge): string => `${type} ${from} ${to}`;
  const implied = new Set(lateEdges(objects, lateValues).map(keyOf));
  type Lists = { -readonly [field in keyof Waits]?: string[] };
  const waits = new Map<string, Lists>();
  for (const edge of edges) {
    if (!implied.has(keyOf(edge))) { (remembered(waits, edge.from, (): Lists => ({}))[FIELD_OF[edge.type]] ??= []).push(edge.to); }
  }
  return waits;
}

/** The groups that wait, or that edges do not imply. */
function groupLines({ objects, groups, edges }: Assembly, waits: ReadonlyMap<string, Waits>): GroupLine[] {
  const implied = new Map(impliedGroups(objects, edges).map((group) => [group.id, group.objects]));
  return groups.flatMap((group): GroupLine[] => {
    const own = waits.get(group.id);
    const isImplied = sameValue(implied.get(group.id), [...group.objects].sort(compare));
    return own || !isImplied ? [{ id: group.id, ...(isImplied ? {} : { objects: group.objects }), ...own }] : [];
  });
}

// JSON leaves out what is undefined
function splitObject(object: AssemblyObject, waits: Waits | undefined): readonly [ObjectHead, ObjectLine] {
  const { id, target, apiVersion, kind, namespace, name, construct, file, template, stage, lateValues, needs, digest, digests } = object;
  const { onlyApply, deletion, othersWrite, kept, derived } = object;
  const isOfId = id === refId(target, object);
  const place = file === undefined ? {} : placeOf(object, file);
  const isShared = kept?.neededBy === undefined;
  return [
    { apiVersion, kind, file: place.name, onlyApply, deletion, othersWrite, kept: isShared ? kept : undefined, derived },
    {
      object: isOfId ? objectText(target, namespace, name) : shortId(id),
      ...(isOfId ? {} : { namespace, name }),
      construct,
      folder: place.folder,
      file: place.file,
      template,
      stage,
      lateValues: sameValue(lateValues, filledList(lateIdsIn(template))) ? undefined : lateValues,
      kept: isShared ? undefined : kept,
      needs,
      digest,
      digests,
      ...waits,
    },
  ];
}

/** Where the file of an object is. Layouts with a file for each object have the object in the name, if it is not too long. */
function placeOf({ target, namespace, name }: AssemblyObject, file: string): Pick<ObjectLine, 'name' | 'folder' | 'file'> {
  const [folder, base, own] = [dirname(file), basename(file), `_${ownName(namespace, name)}.`];
  const start = base.indexOf('_');
  if (start >= 0 && !base.startsWith(own, start)) { return { file }; }
  return { name: base.replace(own, '_*.'), folder: folder === target ? undefined : folder };
}

function splitLate(
  { id, description, type, sensitive, construct, source }: AssemblyLateValue, waits: Waits | undefined,
): readonly [LateHead, LateLine] {
  const line = { id: id === plainLateId(construct) ? undefined : id, description, construct };
  if ('text' in source) { return [{ type, sensitive, resolver: source.resolver }, { ...line, text: source.text, ...waits }]; }
  if (!('target' in source)) {
    const { resolver, ...secret } = source;
    return [{ type, sensitive, resolver }, { ...line, ...secret, ...waits }];
  }
  const { target, namespace, name, ...common } = source;
  return [{ type, sensitive, ...common }, { ...line, object: objectText(target, namespace, name), ...waits }];
}

function objectText(target: string, namespace: string | undefined, name: string): string {
  return `${target}/${namespace ?? ''}/${name}`;
}

/** An ID without group and kind. */
function shortId(id: string): string {
  const [target, , , ...rest] = id.split('/');
  return [target, ...rest].join('/');
}

function splitFinding(finding: Finding, objects: ReadonlyMap<string, AssemblyObject>): readonly [FindingHead, FindingLine] {
  const { rule, level, fix, source, message, path, prop, value, cause, object, target, construct, file, suppressed } = finding;
  const entry = object && target !== undefined ? objects.get(refId(target, object)) : undefined;
  const isOf = entry !== undefined && entry.apiVersion === object?.apiVersion && entry.construct === construct;
  const about = isOf ? { of: entry.id } : { object, target, construct };
  return [{ rule, level, fix, source }, { ...about, message, path: path === '' ? undefined : path, prop, value, cause, file, suppressed }];
}
