import { CompactAssembly, FIELD_OF, FindingHead, FindingLine, LateHead, LateLine, ObjectHead, ObjectLine, Section, Waits } from './compact-form';
import { impliedGroups, lateEdges, lateNode, uniqueEdges, withWholeReasons } from './implied';
import { lateIdsIn } from '../../late/late-text';
import { plainLateId } from '../../late/late-token';
import { groupOf, idOf } from '../../manifest/manifest';
import { Finding } from '../../rule/finding';
import { sortFindings } from '../../rule/judge';
import { compare } from '../../text/values';
import { Assembly, AssemblyEdge, AssemblyLateSource, AssemblyLateValue, AssemblyObject, ownName } from '../assembly';

/** The assembly that `printAssembly` printed. */
export function expandAssembly({ targets, objects, groups, lateValues, findings, ...others }: CompactAssembly): Assembly {
  const stated: AssemblyEdge[] = [];
  const state = (from: string, waits: Waits): void => { stated.push(...edgesOf(from, waits)); };
  const expanded = withWholeReasons(entriesOf(objects, (head, line) => {
    const object = objectOf(head, line);
    state(object.id, line);
    return object;
  }).sort(byId));
  const late = entriesOf(lateValues, (head, line) => {
    const value = lateOf(head, line);
    state(lateNode(value.id), line);
    return value;
  }).sort(byId);
  for (const { id, ...waits } of groups) { state(id, waits); }
  const edges = uniqueEdges([...stated, ...lateEdges(expanded, late)]);
  const named = groups.flatMap(({ id, objects: members }) => (members ? [[id, { id, objects: members }] as const] : []));
  const byIdNow = new Map(expanded.map((object) => [object.id, object]));
  return {
    ...others,
    targets: targets.map(({ name, kind, version, ...target }) => ({ name, kind, version, folder: name, ...target })),
    objects: expanded,
    groups: [...new Map([...impliedGroups(expanded, edges).map((group) => [group.id, group] as const), ...named]).values()].sort(byId),
    edges,
    lateValues: late,
    findings: sortFindings(entriesOf(findings, (head, line) => findingOf(head, line, byIdNow))),
  };
}

function entriesOf<H, L, T>(sections: readonly Section<H, L>[], entryOf: (head: H, line: L) => T): T[] {
  return sections.flatMap(([head, ...lines]) => lines.map((line) => entryOf(head, line)));
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return compare(a.id, b.id);
}

/** The parts of `<target>/<namespace>/<name>`, in which only the name may contain a slash. */
function partsOf(object: string): { readonly target: string; readonly namespace?: string; readonly name: string } {
  const [target, namespace, ...name] = object.split('/');
  return { target, ...(namespace ? { namespace } : {}), name: name.join('/') };
}

/** The object of a line in a section. */
export function objectOf(head: ObjectHead, line: ObjectLine): AssemblyObject {
  const { apiVersion, kind, file: base, ...shared } = head;
  const { object, namespace: givenNamespace, name: givenName, construct, folder, file: givenFile, template, lateValues, ...rest } = line;
  const { after: _, ready: __, value: ___, gone: ____, ...own } = rest;
  const { target, ...inId } = partsOf(object);
  const { namespace, name } = givenName === undefined ? inId : { namespace: givenNamespace, name: givenName };
  const file = givenFile ?? (base === undefined ? undefined : `${folder ?? target}/${base.replace('*', () => ownName(namespace, name))}`);
  const late = lateValues ?? (template ? lateIdsIn(template) : []);
  return {
    id: idOf(target, groupOf(apiVersion), kind, inId.namespace, inId.name),
    target,
    apiVersion,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    construct,
    ...(file === undefined ? {} : { file }),
    ...(template === undefined ? {} : { template }),
    ...(late.length > 0 ? { lateValues: late } : {}),
    ...shared,
    ...own,
  };
}

const TYPES = Object.keys(FIELD_OF) as AssemblyEdge['type'][];

function edgesOf(from: string, waits: Waits): AssemblyEdge[] {
  return TYPES.flatMap((type) => waits[FIELD_OF[type]]?.map((to) => ({ from, to, type })) ?? []);
}

function lateIdOf({ id, construct }: LateLine): string {
  return id ?? plainLateId(construct);
}

function lateOf(head: LateHead, line: LateLine): AssemblyLateValue {
  const { type, sensitive } = head;
  const { description, construct } = line;
  return { id: lateIdOf(line), description, type, sensitive, construct, source: sourceOf(head, line) };
}

// with its fields in the order in which synthesis sets them: digests depend on it
function sourceOf({ resolver, apiVersion, kind, path }: LateHead, { object, text, name, keepTrailingNewline }: LateLine): AssemblyLateSource {
  if (text !== undefined) { return { resolver: 'text', text }; }
  if (object === undefined) { return { resolver, name, ...(keepTrailingNewline ? { keepTrailingNewline } : {}) } as AssemblyLateSource; }
  const { target, ...own } = partsOf(object);
  return { resolver, target, apiVersion, kind, ...own, path } as AssemblyLateSource;
}

function findingOf(
  { rule, level, fix, source }: FindingHead, { of, message, path = '', ...own }: FindingLine, objects: ReadonlyMap<string, AssemblyObject>,
): Finding {
  const entry = of === undefined ? undefined : objects.get(of);
  const about = entry && { object: refOf(entry), target: entry.target, construct: entry.construct };
  return { rule, level, message, path, fix, source, ...about, ...own } as Finding;
}

function refOf({ apiVersion, kind, namespace, name }: AssemblyObject): Finding['object'] {
  return { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
}
