import { basename, dirname } from 'path';
import {
  CompactTarget,
  EffectLine,
  FIELD_OF,
  FindingHead,
  FindingLine,
  GroupLine,
  KnownLine,
  LateHead,
  LateLine,
  ObjectDetails,
  ObjectHead,
  ObjectLine,
  StageLine,
  Waits,
} from './compact-form';
import {
  impliedDeletion,
  impliedGroups,
  impliedNeeds,
  lateEdges,
  lateNode,
  rewrittenOf,
  shortDeletion,
  sourceOf,
} from './implied';
import { shortConstruct, shortEnd, shortKubeconfig, shortTemplate } from './short-forms';
import { rankOf } from '../../kind/kinds';
import { lateIdsIn } from '../../late/late-text';
import { plainLateId } from '../../late/late-token';
import { refId, sameValue } from '../../manifest/manifest';
import { Finding } from '../../rule/finding';
import { compare, filledList, remembered } from '../../text/values';
import { Assembly, AssemblyEdge, AssemblyLateValue, AssemblyObject, fileOf } from '../assembly';

/**
 * The text of `assembly.json`.
 *
 * Each entry is a line that depends on nothing but the entry: what becomes of one changes no line
 * of another. `expandAssembly` reads it.
 */
export function printAssembly(assembly: Assembly): string {
  const {
    schemaVersion,
    targets,
    objects,
    groups: _,
    edges: __,
    lateValues,
    effects = [],
    known = [],
    stages,
    ...more
  } = assembly;
  const { engineFiles = [], findings, ...others } = more;
  const waits = waitsOf(assembly);
  const byId = new Map(objects.map((object) => [object.id, object]));
  const charts = new Map(targets.map(({ name, construct }) => [name, construct]));
  const deletionOf = impliedDeletion(effects);
  const members: { readonly [name in keyof Assembly]?: string } = {
    schemaVersion: JSON.stringify(schemaVersion),
    targets: list(
      targets.map(({ folder: ___, name, construct, kind, version, properties }): CompactTarget => ({
        name,
        at: construct === name ? undefined : construct,
        kind,
        version,
        ...properties,
      })),
    ),
    objects: sections(objects, (object) => {
      const { needs, deletion } = object;
      const own = waits.get(object.id);
      const hasNeeds = sameValue(needs, filledList(impliedNeeds(object, own, byId)));
      const shown = { ...object, needs: hasNeeds ? undefined : (needs ?? []) };
      const isImplied = sameValue(deletion, deletionOf(object)(object.construct));
      return splitObject(shown, {
        chart: charts.get(object.target),
        deletion: isImplied ? undefined : deletion,
        waits: own,
      });
    }),
    ...unlessEmpty('groups', groupLines(assembly, waits)),
    ...(lateValues.length > 0
      ? {
          lateValues: sections(lateValues, (late) => splitLate(late, waits.get(lateNode(late.id)))),
        }
      : {}),
    ...unlessEmpty(
      'effects',
      effects.map(({ construct: at, effect }): EffectLine => ({ at, effect })),
    ),
    ...unlessEmpty(
      'known',
      known.map(({ target, namespace, name, apiVersion, kind, construct }): KnownLine => [
        objectText(target, namespace, name),
        `${apiVersion}/${kind}`,
        construct,
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(others).map(([name, entries]: [string, readonly unknown[]]) => [
        name,
        list(entries),
      ]),
    ),
    ...(stages
      ? {
          stages: list(
            stages.map(({ folder, after, late }): StageLine => ({
              folder,
              after: filledList(after),
              late,
            })),
          ),
        }
      : {}),
    ...unlessEmpty(
      'engineFiles',
      engineFiles.map(({ file }) => file),
    ),
    ...(findings.length > 0
      ? { findings: sections(findings, (finding) => splitFinding(finding, byId)) }
      : {}),
  };
  return `{\n${Object.entries(members)
    .map(([name, text]) => `${JSON.stringify(name)}: ${text}`)
    .join(',\n')}\n}\n`;
}

function unlessEmpty(
  name: keyof Assembly,
  entries: readonly unknown[],
): { readonly [name: string]: string } {
  return entries.length > 0 ? { [name]: list(entries) } : {};
}

function list(entries: readonly unknown[]): string {
  return entries.length > 0
    ? `[\n ${entries.map((entry) => JSON.stringify(entry)).join(',\n ')}\n]`
    : '[]';
}

/**
 * Entries by what they have in common. A comma begins a line, so that an entry at the end of a
 * section changes no line before it.
 */
function sections<T, H extends object, L extends object>(
  entries: readonly T[],
  split: (entry: T) => readonly [H, L],
): string {
  const byHead = new Map<string, string[]>();
  for (const entry of entries) {
    const [head, line] = split(entry);
    const text = JSON.stringify(head);
    remembered(byHead, /^\{"kind":("[^"]*")\}$/.exec(text)?.[1] ?? text, (): string[] => []).push(
      JSON.stringify(line),
    );
  }
  const texts = [...byHead]
    .sort(([a], [b]) => compare(a, b))
    .map(([head, lines]) => `[${[head, ...lines].join('\n ,')}\n ]`);
  return texts.length > 0 ? `[\n ${texts.join(',\n ')}\n]` : '[]';
}

/** The edges that nothing else implies, by their start. */
function waitsOf({ objects, lateValues, edges }: Assembly): ReadonlyMap<string, Waits> {
  const keyOf = ({ from, to, type }: AssemblyEdge): string => `${type} ${from} ${to}`;
  const implied = new Set(lateEdges(objects, lateValues).map(keyOf));
  type Lists = { -readonly [field in keyof Waits]?: string[] };
  const waits = new Map<string, Lists>();
  for (const edge of edges) {
    if (!implied.has(keyOf(edge))) {
      (remembered(waits, edge.from, (): Lists => ({}))[FIELD_OF[edge.type]] ??= []).push(edge.to);
    }
  }
  return waits;
}

/** The groups that wait, or that edges do not imply. */
function groupLines(
  { objects, groups, edges }: Assembly,
  waits: ReadonlyMap<string, Waits>,
): GroupLine[] {
  const implied = new Map(impliedGroups(objects, edges).map((group) => [group.id, group.objects]));
  return groups.flatMap((group): GroupLine[] => {
    const own = waits.get(group.id);
    const isImplied = sameValue(implied.get(group.id), [...group.objects].sort(compare));
    return own || !isImplied
      ? [{ id: group.id, ...(isImplied ? {} : { objects: group.objects }), ...own }]
      : [];
  });
}

/** What the rest of the assembly contains about an object. */
interface Around {
  /** The path of the target chart. */
  readonly chart: string | undefined;
  /** What deleting it means, where nothing else implies it. */
  readonly deletion: AssemblyObject['deletion'];
  readonly waits: Waits | undefined;
}

// JSON leaves out what is undefined
function splitObject(
  object: AssemblyObject,
  { chart, deletion, waits }: Around,
): readonly [ObjectHead, ObjectLine] {
  const {
    id,
    target,
    apiVersion,
    kind,
    namespace,
    name,
    construct,
    template,
    lateValues,
    needs,
    digest,
    digests,
  } = object;
  const { onlyApply, othersWrite, kept, derived } = object;
  const isOfId = id === refId(target, object);
  const { rank, own, ...place } = placeOf(object);
  const isShared = kept?.neededBy === undefined;
  const details: ObjectDetails = {
    at: shortConstruct(construct, { chart, name }),
    ...(isOfId ? {} : { namespace, name }),
    ...place,
    template: template && shortTemplate(template, object),
    lateValues: sameValue(lateValues, filledList(lateIdsIn(template))) ? undefined : lateValues,
    othersWrite: sameValue(othersWrite, rewrittenOf(object)) ? undefined : othersWrite,
    kept: isShared ? undefined : kept,
    needs,
    digest,
    digests,
    ...Object.fromEntries(
      Object.entries(waits ?? {}).map(([field, ends]: [string, readonly string[]]) => [
        field,
        ends.map((end) => shortEnd(end, target)),
      ]),
    ),
  };
  const objectId = isOfId ? objectText(target, namespace, name) : shortId(id);
  const hasDetails = Object.values(details).some((value) => value !== undefined);
  return [
    {
      kind: `${String(rank).padStart(2, '0')}-${apiVersion}/${kind}`,
      own,
      onlyApply,
      deletion: deletion && shortDeletion(object, deletion),
      kept: !isShared
        ? undefined
        : object.deletion && kept?.reason === object.deletion.reason
          ? true
          : kept?.reason,
      derived,
    },
    hasDetails ? [objectId, details] : [objectId],
  ];
}

type Place = Pick<ObjectHead, 'own'> & { readonly rank: number } & Pick<
    ObjectDetails,
    'folder' | 'level' | 'file'
  >;

/** Where the file of an object is, or will be. */
function placeOf(object: AssemblyObject): Place {
  const { target, file, template, stage } = object;
  const inTarget = (folder: string): string | undefined =>
    folder === target ? undefined : folder.slice(target.length + 1);
  if (file === undefined) {
    return {
      rank: template === undefined ? 0 : rankOf(template),
      ...(stage === undefined ? {} : { folder: inTarget(stage) }),
    };
  }
  const [folder, base] = [dirname(file), basename(file)];
  const [, rank, level] = /^(\d\d)(?:\.(\d+))?-/.exec(base) ?? [];
  const form = {
    rank: Number(rank ?? 0),
    ...(level === undefined ? {} : { level: Number(level) }),
  };
  const known =
    folder === target || folder.startsWith(`${target}/`)
      ? { ...form, folder: inTarget(folder) }
      : undefined;
  const ofObject = fileOf(object, { ...form, own: '' }).slice(0, -'.yaml'.length);
  if (known && base === fileOf(object, form)) {
    return known;
  }
  return known && base.startsWith(ofObject)
    ? { ...known, own: base.slice(ofObject.length, -'.yaml'.length) }
    : { rank: form.rank, file };
}

function splitLate(
  { id, description, type, sensitive, construct, source }: AssemblyLateValue,
  waits: Waits | undefined,
): readonly [LateHead, LateLine] {
  const place = { chart: 'target' in source ? source.target : undefined, name: '' };
  const line = {
    id: id === plainLateId(construct) ? undefined : id,
    description,
    at: shortConstruct(construct, place)!,
  };
  const common = {
    type: type === 'string' ? undefined : type,
    sensitive: sensitive ? undefined : sensitive,
  };
  if ('text' in source) {
    const kubeconfig = shortKubeconfig(source.text, id);
    return [
      { resolver: source.resolver, ...common },
      { ...line, ...(kubeconfig ? { kubeconfig } : { text: source.text }), ...waits },
    ];
  }
  if (!('target' in source)) {
    const { resolver, ...secret } = source;
    return [
      { resolver, ...common },
      { ...line, ...secret, ...waits },
    ];
  }
  const { resolver, target, apiVersion, kind, namespace, name, path } = source;
  return [
    { resolver, kind: `${apiVersion}/${kind}`, path, ...common },
    { ...line, object: objectText(target, namespace, name), ...waits },
  ];
}

function objectText(target: string, namespace: string | undefined, name: string): string {
  return `${target}/${namespace ?? ''}/${name}`;
}

/** An ID without group and kind. */
function shortId(id: string): string {
  const [target, , , ...rest] = id.split('/');
  return [target, ...rest].join('/');
}

function splitFinding(
  finding: Finding,
  objects: ReadonlyMap<string, AssemblyObject>,
): readonly [FindingHead, FindingLine] {
  const {
    rule,
    level,
    fix,
    source,
    message,
    path,
    prop,
    value,
    cause,
    object,
    target,
    construct,
    file,
    suppressed,
  } = finding;
  const entry = object && target !== undefined ? objects.get(refId(target, object)) : undefined;
  const isOf =
    entry !== undefined && entry.apiVersion === object?.apiVersion && entry.construct === construct;
  const about = isOf ? { of: entry.id } : { object, target, construct };
  return [
    { rule, level, fix, source: source === (sourceOf(rule) ?? '') ? undefined : source },
    {
      ...about,
      message,
      path: path === '' ? undefined : path,
      prop,
      value,
      cause,
      file,
      suppressed,
    },
  ];
}
