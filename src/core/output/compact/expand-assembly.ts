import {
  CompactAssembly,
  FIELD_OF,
  FindingHead,
  FindingLine,
  KnownLine,
  LateHead,
  LateLine,
  ObjectDetails,
  ObjectHead,
  ObjectLine,
  Section,
  Waits,
} from './compact-form';
import {
  impliedDeletion,
  impliedGroups,
  impliedNeeds,
  lateEdges,
  lateNode,
  rewrittenOf,
  sourceOf,
  uniqueEdges,
  wholeDeletion,
} from './implied';
import { wholeConstruct, wholeEnd, wholeKubeconfig, wholeTemplate } from './short-forms';
import { lateIdsIn } from '../../late/late-text';
import { plainLateId } from '../../late/late-token';
import { groupOf, idOf } from '../../manifest/manifest';
import { Finding } from '../../rule/finding';
import { sortFindings } from '../../rule/judge';
import { compare, filledList } from '../../text/values';
import {
  Assembly,
  AssemblyEdge,
  AssemblyEffect,
  AssemblyKnownObject,
  AssemblyLateSource,
  AssemblyLateValue,
  AssemblyObject,
  AssemblyTarget,
  fileOf,
} from '../assembly';

/** The assembly that `printAssembly` printed. */
export function expandAssembly(compact: CompactAssembly): Assembly {
  const {
    targets,
    objects,
    groups = [],
    lateValues = [],
    effects = [],
    known = [],
    stages,
    engineFiles = [],
    findings = [],
    ...others
  } = compact;
  const stated: AssemblyEdge[] = [];
  const state = (from: string, waits: Waits): void => {
    for (const type of TYPES) {
      waits[FIELD_OF[type]]?.forEach((to) => stated.push({ from, to, type }));
    }
  };
  const whole = targets.map(
    ({ name, at: construct = name, kind, version, ...properties }): AssemblyTarget => ({
      name,
      kind,
      version,
      folder: name,
      construct,
      properties: properties as AssemblyTarget['properties'],
    }),
  );
  const said = effects.map(({ at: construct, effect }): AssemblyEffect => ({ construct, effect }));
  const readerOf = sectionReader(whole, said);
  const waits = new Map<AssemblyObject, ObjectDetails>();
  const expanded = entriesOf(objects, (head) => {
    const objectOf = readerOf(head);
    return (line) => {
      const object = objectOf(line);
      const own = wholeWaits(line[1] ?? {}, object.target);
      waits.set(object, own);
      state(object.id, own);
      return object;
    };
  }).sort(byId);
  const byIdNow = new Map(expanded.map((object) => [object.id, object]));
  const late = entriesOf(lateValues, (head) => (line) => {
    const value = lateOf(head, line);
    state(lateNode(value.id), line);
    return value;
  }).sort(byId);
  for (const { id, ...own } of groups) {
    state(id, own);
  }
  const edges = uniqueEdges([...stated, ...lateEdges(expanded, late)]);
  const named = groups.flatMap(({ id, objects: members }) =>
    members ? [[id, { id, objects: members }] as const] : [],
  );
  return {
    ...others,
    targets: whole,
    objects: expanded.map((object) => {
      const details = waits.get(object)!;
      const needs = filledList(details.needs ?? impliedNeeds(object, details, byIdNow));
      return needs ? { ...object, needs } : object;
    }),
    groups: [
      ...new Map([
        ...impliedGroups(expanded, edges).map((group) => [group.id, group] as const),
        ...named,
      ]).values(),
    ].sort(byId),
    edges,
    lateValues: late,
    ...(said.length > 0 ? { effects: said } : {}),
    ...(known.length > 0 ? { known: known.map(knownOf) } : {}),
    ...(stages
      ? {
          stages: stages.map(({ folder, after = [], ...stage }) => ({
            folder,
            target: folder.split('/', 1)[0],
            after,
            ...stage,
          })),
        }
      : {}),
    ...(engineFiles.length > 0 ? { engineFiles: engineFiles.map((file) => ({ file })) } : {}),
    findings: sortFindings(entriesOf(findings, (head) => (line) => findingOf(head, line, byIdNow))),
  };
}

function entriesOf<H, L, T>(
  sections: readonly Section<H, L>[],
  readerOf: (head: H) => (line: L) => T,
): T[] {
  return sections.flatMap(([head, ...lines]) => lines.map(readerOf(head)));
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return compare(a.id, b.id);
}

/** The parts of `<target>/<namespace>/<name>`, in which only the name may contain a slash. */
function partsOf(object: string): {
  readonly target: string;
  readonly namespace?: string;
  readonly name: string;
} {
  const afterTarget = object.indexOf('/');
  const afterNamespace = object.indexOf('/', afterTarget + 1);
  const [target, namespace, name] = [
    object.slice(0, afterTarget),
    object.slice(afterTarget + 1, afterNamespace),
    object.slice(afterNamespace + 1),
  ];
  return namespace === '' ? { target, name } : { target, namespace, name };
}

/** The parts of `<API version>/<Kind>`. */
function kindParts(text: string): Pick<AssemblyKnownObject, 'apiVersion' | 'kind'> {
  const slash = text.lastIndexOf('/');
  return { apiVersion: text.slice(0, slash), kind: text.slice(slash + 1) };
}

/** How many characters precede the API version in the kind of a section. */
const RANK = '00-'.length;

/**
 * Reads the objects of a section: from its head, a reader of its lines, without what they wait for
 * and need.
 */
export function sectionReader(
  targets: readonly Pick<AssemblyTarget, 'name' | 'construct'>[],
  effects: Assembly['effects'],
): (head: ObjectHead | string) => (line: ObjectLine) => AssemblyObject {
  const charts = new Map(targets.map(({ name, construct }) => [name, construct]));
  const deletionOf = impliedDeletion(effects);
  return (head) => {
    const {
      kind: ofKind,
      own,
      onlyApply,
      deletion: short,
      kept: shared,
      derived,
    }: ObjectHead = typeof head === 'string' ? { kind: head } : head;
    const kind = kindParts(ofKind.slice(RANK));
    const [rank, group] = [Number(ofKind.slice(0, RANK - 1)), groupOf(kind.apiVersion)];
    const shortened = short === undefined ? undefined : wholeDeletion(kind, short);
    const [implied, rewritten] = [deletionOf(kind), rewrittenOf(kind)];
    return ([object, details = {}]) => {
      const { target, ...inId } = partsOf(object);
      const { lateValues, othersWrite = rewritten, digest, digests } = details;
      const { namespace, name } =
        details.name === undefined ? inId : { namespace: details.namespace, name: details.name };
      const named = { ...kind, namespace, name };
      const construct = wholeConstruct(details.at, { chart: charts.get(target), name });
      const template = details.template && wholeTemplate(details.template, named);
      const deletion = shortened ?? implied(construct);
      const kept =
        details.kept ??
        (shared === undefined
          ? undefined
          : { reason: shared === true ? (deletion?.reason ?? '') : shared });
      const folder = details.folder === undefined ? target : `${target}/${details.folder}`;
      return defined({
        id: idOf(target, group, kind.kind, inId.namespace, inId.name),
        target,
        ...named,
        construct,
        file:
          details.file ??
          (template
            ? undefined
            : `${folder}/${fileOf(named, { rank, own, level: details.level })}`),
        template,
        stage: template && details.folder !== undefined ? folder : undefined,
        lateValues: filledList(lateValues ?? (template && lateIdsIn(template))),
        onlyApply,
        deletion,
        othersWrite,
        kept,
        derived,
        digest,
        digests,
      });
    };
  };
}

/** Only the fields that have a value. */
function defined<T extends object>(fields: T): T {
  const filled: Partial<T> = {};
  for (const key in fields) {
    if (fields[key] !== undefined) {
      filled[key] = fields[key];
    }
  }
  return filled as T;
}

/** Details with the whole IDs of what the object waits for. */
function wholeWaits(details: ObjectDetails, target: string): ObjectDetails {
  const ends = Object.values(FIELD_OF).flatMap((field) =>
    details[field] ? [[field, details[field].map((end) => wholeEnd(end, target))] as const] : [],
  );
  return ends.length > 0 ? { ...details, ...Object.fromEntries(ends) } : details;
}

const TYPES = Object.keys(FIELD_OF) as AssemblyEdge['type'][];

function lateOf(head: LateHead, line: LateLine): AssemblyLateValue {
  const { type = 'string', sensitive = true } = head;
  const { description, object } = line;
  const construct = wholeConstruct(line.at, { chart: object?.split('/', 1)[0], name: '' });
  const { id = plainLateId(construct) } = line;
  return { id, description, type, sensitive, construct, source: sourceOfLate(id, head, line) };
}

// with its fields in the order in which synthesis sets them: digests depend on it
function sourceOfLate(
  id: string,
  { resolver, kind = '', path }: LateHead,
  { object, text, kubeconfig, name, keepTrailingNewline }: LateLine,
): AssemblyLateSource {
  if (kubeconfig !== undefined) {
    return { resolver: 'text', text: wholeKubeconfig(kubeconfig, id) };
  }
  if (text !== undefined) {
    return { resolver: 'text', text };
  }
  if (object === undefined) {
    return {
      resolver,
      name,
      ...(keepTrailingNewline ? { keepTrailingNewline } : {}),
    } as AssemblyLateSource;
  }
  const { target, ...own } = partsOf(object);
  return { resolver, target, ...kindParts(kind), ...own, path } as AssemblyLateSource;
}

function knownOf([object, kind, construct]: KnownLine): AssemblyKnownObject {
  const { target, ...own } = partsOf(object);
  return { target, ...kindParts(kind), ...own, construct };
}

function findingOf(
  { rule, level, fix, source = sourceOf(rule) ?? '' }: FindingHead,
  { of, message, path = '', ...own }: FindingLine,
  objects: ReadonlyMap<string, AssemblyObject>,
): Finding {
  const entry = of === undefined ? undefined : objects.get(of);
  const about = entry && { object: refOf(entry), target: entry.target, construct: entry.construct };
  return { rule, level, message, path, fix, source, ...about, ...own } as Finding;
}

function refOf({ apiVersion, kind, namespace, name }: AssemblyObject): Finding['object'] {
  return { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
}
