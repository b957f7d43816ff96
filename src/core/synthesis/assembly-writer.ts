import { othersWriteOf, rewrittenIn } from '../construct/object-notes';
import { ITarget } from '../construct/target';
import { Ordered, inApplyOrder } from '../kind/apply-order';
import { KindFields } from '../kind/description/fields';
import { kindOf } from '../kind/kinds';
import { at, pathOf } from '../manifest/manifest';
import {
  Assembly,
  ASSEMBLY_FILE,
  ASSEMBLY_VERSION,
  AssemblyKnownObject,
  AssemblyObject,
  AssemblyPlaceholder,
  AssemblyRemoval,
  AssemblyReplacement,
  AssemblyTarget,
  FileNames,
  OutputLayout,
} from '../output/assembly';
import { lateNode } from '../output/implied-edges';
import { printAssembly } from '../output/print-assembly';
import { DeliveredOutput, PlainOutput } from '../program/delivery-step';
import { ResolvedEdges } from '../program/edges';
import { lateValueOf } from '../program/late-completion';
import { Program, ProgramObject } from '../program/program';
import { holdsMarker, lateSecrets, putSecrets } from '../program/secrets';
import { targetProperties } from '../program/target-info';
import { Finding } from '../rule/finding';
import { sensitiveIds, secretPathsOf } from '../secret/redactor';
import { fieldPathText } from '../secret/secret-fields';
import { compare, filledList, grouped, remembered } from '../text/values';
import { toYaml } from '../yaml/yaml-writer';

/** An object of the program and what it became with the late values that are known. */
export interface FinishedObject {
  readonly declared: ProgramObject;
  readonly finished: ProgramObject;
}

/** What an output is made of. */
interface OutputContent {
  readonly program: Program;
  readonly objects: readonly FinishedObject[];
  readonly edges: ResolvedEdges;
  /** The ids of the objects that wait, by the id of the object that refers to them. */
  readonly incomplete: ReadonlyMap<string, readonly string[]>;
  readonly findings: readonly Finding[];
  readonly removals: readonly AssemblyRemoval[];
  readonly replacements?: readonly AssemblyReplacement[];
}

/** All files of the output: the manifests by target, and the assembly. */
export function outputFiles(
  content: OutputContent,
  layout: OutputLayout,
): ReadonlyMap<string, string> {
  const plain = plainFiles(content, layout);
  return withoutMarkers(
    new Map([...plain.files, [ASSEMBLY_FILE, printAssembly(assemblyOf(content, plain))]]),
  );
}

/** All files of an output for an engine. */
export function deliveredFiles({ assembly, files }: DeliveredOutput): ReadonlyMap<string, string> {
  return withoutMarkers(new Map([...files, [ASSEMBLY_FILE, printAssembly(assembly)]]));
}

/** The whole output in memory, for an engine. */
export function plainOutput(content: OutputContent, layout: OutputLayout): PlainOutput {
  const manifests = new Map(
    content.objects.map(({ declared, finished }) => [declared.id, finished.manifest]),
  );
  const plain = plainFiles(content, layout);
  const order = [...plain.written.keys()].map(({ declared }) => declared.id);
  const byId = new Map(content.objects.map(({ declared }) => [declared.id, declared]));
  const choices = new Map(
    content.objects.flatMap(({ declared }) =>
      declared.secrets ? [[declared.id, declared.secrets] as const] : [],
    ),
  );
  return {
    assembly: assemblyOf(content, plain),
    manifests,
    layout,
    order,
    secretPlaces: secretPlacesOf(content),
    choices,
    lateForm: (id) => {
      const { manifest, marked, construct } = byId.get(id)!;
      return lateSecrets(marked ?? manifest, construct);
    },
  };
}

function secretPlacesOf({
  program,
  objects,
}: OutputContent): NonNullable<PlainOutput['secretPlaces']> {
  const { lateValues } = program;
  const sensitive = sensitiveIds(lateValues.map(lateValueOf));
  return new Map(
    objects.map(({ declared, finished }) => {
      const { id, manifest, secretPlaces = [], lateIds } = declared;
      // a value that is not known yet is a placeholder
      const completed =
        finished.lateIds.length < lateIds.length
          ? secretPathsOf(manifest, sensitive).map(fieldPathText)
          : [];
      return [id, new Set([...secretPlaces, ...completed])];
    }),
  );
}

interface PlainFiles {
  readonly byId: readonly FinishedObject[];
  readonly written: ReadonlyMap<FinishedObject, string>;
  readonly files: ReadonlyMap<string, string>;
}

function plainFiles({ objects, edges }: OutputContent, layout: OutputLayout): PlainFiles {
  const byId = [...objects].sort((a, b) => compare(a.declared.id, b.declared.id));
  const written = new Map<FinishedObject, string>();
  const names = new FileNames(layout);
  const texts = new Map<string, string[]>();
  // by id and by what refers to what, never by the order of the program: moving a line changes no
  // output
  const plain = byId.filter(({ finished }) => finished.lateIds.length === 0);
  for (const { item: object, level } of inOrder(plain, edges)) {
    const name = names.of(object.finished.target.targetName, object.finished.manifest, level);
    written.set(object, name);
    remembered(texts, name, (): string[] => []).push(yamlOf(object.finished));
  }
  return {
    byId,
    written,
    files: new Map([...texts].map(([name, list]) => [name, list.join('---\n')])),
  };
}

function assemblyOf(
  { program, edges, incomplete, findings, removals, replacements = [] }: OutputContent,
  { byId, written }: PlainFiles,
): Assembly {
  const placeholders = placeholdersOf(program, byId);
  return {
    schemaVersion: ASSEMBLY_VERSION,
    targets: program.targets.map(targetOf).sort((a, b) => compare(a.name, b.name)),
    objects: byId.map((object) =>
      assemblyObject(object, written.get(object), incomplete.get(object.declared.id)),
    ),
    groups: edges.groups,
    edges: edges.edges,
    lateValues: program.lateValues.map(lateValueOf).sort((a, b) => compare(a.id, b.id)),
    ...(program.effects.length > 0
      ? { effects: [...program.effects].sort((a, b) => compare(a.construct, b.construct)) }
      : {}),
    ...(program.known.length > 0 ? { known: knownObjects(program) } : {}),
    ...(placeholders.length > 0 ? { placeholders } : {}),
    ...(removals.length > 0
      ? { removals: [...removals].sort((a, b) => compare(a.objects, b.objects)) }
      : {}),
    ...(replacements.length > 0
      ? { replacements: [...replacements].sort((a, b) => compare(a.machines, b.machines)) }
      : {}),
    findings,
  };
}

function withoutMarkers(files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  for (const [name, text] of files) {
    if (holdsMarker(text)) {
      throw new Error(
        `${name}: would hold the marker of a SecretValue; nothing was written. Fix: use the SecretValue in objects only, ` +
          'not in names, descriptions or properties of charts',
      );
    }
  }
  return files;
}

/** Objects in the order in which a plain apply goes through, within each rank. */
export function inOrder(
  objects: readonly FinishedObject[],
  { edges }: ResolvedEdges,
): Ordered<FinishedObject>[] {
  const after = grouped(edges, ({ from }) => from);
  const placed = ({ declared, finished }: FinishedObject) => ({
    id: declared.id,
    target: finished.target.targetName,
    manifest: finished.manifest,
  });
  return inApplyOrder(objects, placed, (id) => after.get(id)?.map(({ to }) => to) ?? []);
}

function placeholdersOf(
  { lateValues }: Program,
  objects: readonly FinishedObject[],
): AssemblyPlaceholder[] {
  const texts = lateValues.flatMap(({ lateId, source }): AssemblyPlaceholder[] => {
    const { content } = source;
    const secrets = putSecrets(content ?? '')?.placeholders ?? [];
    return secrets.length > 0 ? [{ in: lateNode(lateId), secrets }] : [];
  });
  return [
    ...objects.flatMap(({ declared }) =>
      declared.placeholders ? [{ in: declared.id, secrets: declared.placeholders.secrets }] : [],
    ),
    ...texts.sort((a, b) => compare(a.in, b.in)),
  ];
}

/** The YAML of an object; rendered already where no late value was to come. */
export function yamlOf({ yaml, manifest }: ProgramObject): string {
  return yaml ?? toYaml(manifest);
}

function targetOf(target: ITarget): AssemblyTarget {
  const { targetName: name, targetKind: kind, version, node } = target;
  return {
    name,
    kind,
    version,
    folder: name,
    construct: node.path,
    properties: targetProperties(target),
  };
}

// by what they are, never by the order of the program
function knownObjects({ known }: Program): AssemblyKnownObject[] {
  const entries = known.map(({ object, construct }): AssemblyKnownObject => {
    const { target, apiVersion, kind, namespace, name } = object;
    return {
      target: target.targetName,
      apiVersion,
      kind,
      ...(namespace ? { namespace } : {}),
      name,
      construct,
    };
  });
  const key = ({
    target,
    apiVersion,
    kind,
    namespace = '',
    name,
    construct,
  }: AssemblyKnownObject) => [target, apiVersion, kind, namespace, name, construct].join(' ');
  return entries.sort((a, b) => compare(key(a), key(b)));
}

function assemblyObject(
  { declared, finished }: FinishedObject,
  file: string | undefined,
  needs: readonly string[] | undefined,
): AssemblyObject {
  const { target, construct, notes, deletion, manifest, lateIds } = finished;
  const { namespace, name } = manifest.metadata;
  const derived = notes.derived
    ?.filter(({ path, value }) => at(manifest, pathOf(path)) === value)
    .map(({ path }) => path);
  return {
    id: declared.id,
    target: target.targetName,
    apiVersion: manifest.apiVersion,
    kind: manifest.kind,
    // JSON leaves out what is undefined
    namespace: namespace || undefined,
    name,
    construct,
    file,
    template: file === undefined ? manifest : undefined,
    lateValues: filledList(lateIds),
    deletion,
    othersWrite:
      filledList(rewrittenIn(manifest, othersWriteOf(notes, manifest))) ??
      kindOf<KindFields>(manifest)?.rewritten,
    needs,
    derived: derived && filledList(derived),
  };
}
