import { existsSync } from 'fs';
import { join } from 'path';
import { AcceptedRemovals } from './accepted-removals';
import { OutputChange, OutputObject, leftOutput } from './left-output.rules';
import { LEFT_TO_APPLY, isKeptByEngine, remainsInArgoCd } from '../kind/retention';
import {
  isManifest,
  isRecord,
  Manifest,
  nameOnly,
  objectId,
  objectKey,
  refId,
  refKey,
} from '../manifest/manifest';
import {
  ASSEMBLY_FILE,
  Assembly,
  AssemblyObject,
  AssemblyRemoval,
  KeptByEngine,
  folderOf,
  hasFolder,
  prunesByStage,
} from '../output/assembly';
import { parseAssembly } from '../output/check-assembly';
import {
  LateTemplates,
  isLateObject,
  lateFilesIn,
  lateName,
  listedLateFiles,
} from '../output/late-files';
import { PreviousEntry, previousEntries, previousRemovals } from '../output/output';
import { readRegularText } from '../output/regular-file';
import { DeliveredOutput, HiddenOutput } from '../program/delivery-step';
import { Program } from '../program/program';
import { registered } from '../registry/registered';
import { Finding } from '../rule/finding';
import { sortFindings } from '../rule/judge';
import { FinishedObject } from '../synthesis/assembly-writer';
import { anyText } from '../text/plain-text';
import { remembered, attempt } from '../text/values';
import { readYaml } from '../yaml/yaml-reader';

/** What becomes of the objects that leave a previous output without an engine, by their IDs. */
export const leavingFates = registered<
  (change: OutputChange, previous: Assembly) => OutputChange['becomes']
>('fates of objects that leave');

/** What a synthesis is about to write. */
interface Written {
  readonly program: Program;
  readonly objects: readonly FinishedObject[];
  readonly delivered?: DeliveredOutput;
  readonly hidden?: Pick<HiddenOutput, 'renamed'>;
}

/**
 * What an earlier synthesis wrote to a folder, and this one does not.
 *
 * The findings are not part of the assembly: a second synthesis would not find them again, and the
 * same program must write the same bytes.
 */
export function leftOutputOf(
  written: Written,
  outdir: string,
  accepted: readonly AssemblyRemoval[],
): Finding[] {
  const entries = previousEntries(outdir);
  if (entries.length === 0) {
    return [];
  }
  const removals = new AcceptedRemovals(accepted, previousRemovals(outdir));
  const after = writtenObjects(written, outdir);
  const before = leavingObjects(entries, after, written.delivered, outdir);
  if (before.length === 0) {
    return removals.unused([], after, false);
  }
  const { program, delivered } = written;
  const lateValues = lateValuesById(program);
  const change: OutputChange = {
    before,
    existed: new Set(entries.map(entryId)),
    after,
    removals,
    lateValue: (id) => lateValues.get(id),
    hasProgram: true,
    hasEngine: hasStages(delivered),
    stageEngine: prunesByStage(filesOf(delivered)),
  };
  const left = leftOutput({ ...change, becomes: fatesByApply(change, outdir) });
  return sortFindings([...left, ...removals.unused(left, after, false)]);
}

function filesOf(delivered: DeliveredOutput | undefined): readonly string[] {
  return [...(delivered?.files.keys() ?? [])];
}

/** Whether an engine delivers the output: without one, the assembly has no stages. */
function hasStages(delivered: DeliveredOutput | undefined): boolean {
  return delivered?.assembly.stages !== undefined;
}

function lateValuesById(
  program: Program,
): ReadonlyMap<string, ReturnType<OutputChange['lateValue']>> {
  return new Map(
    program.lateValues.map(({ lateId, description, source }) => [
      lateId,
      { description, source: source.object ?? {} },
    ]),
  );
}

/** The objects of this synthesis. */
function writtenObjects(
  { objects, delivered, hidden }: Written,
  outdir: string,
): readonly OutputObject[] {
  const entries = new Map(delivered?.assembly.objects.map((object) => [object.id, object]));
  const stages = stagesNow(delivered);
  const hasEngine = hasStages(delivered);
  const lateFiles = new Set(lateFilesIn(outdir).map(({ record }) => record.object));
  return objects.map(({ declared, finished }): OutputObject => {
    const { target, manifest, construct, lateIds } = finished;
    const id = hidden?.renamed.get(declared.id) ?? declared.id;
    const entry = entries.get(id);
    const isInFile = entry ? entry.file !== undefined : lateIds.length === 0;
    // the files of objects that wait remain
    const isResolved = lateFiles.has(lateName(id)) && (!entry || isLateObject(entry));
    return {
      target: target.targetName,
      manifest: asDelivered(manifest, entry),
      construct,
      ...(isInFile || isResolved ? { file: target.targetName } : {}),
      // without an engine, the assembly has no stages, and what is in no file waits
      ...(entry ? { needs: entry.needs } : {}),
      ...(entry && hasEngine ? { isLate: entry.stage !== undefined } : {}),
      stage: stages.get(id),
    };
  });
}

/** The objects of the previous output that this synthesis does not write. */
function leavingObjects(
  entries: readonly PreviousEntry[],
  after: readonly OutputObject[],
  delivered: DeliveredOutput | undefined,
  outdir: string,
): readonly OutputObject[] {
  const declared = new Map(
    after.map((object) => [objectId(object.target, object.manifest), object]),
  );
  const written = new Map([...declared].filter(([, { file }]) => file !== undefined));
  const isWritten = ({ identity, stage }: PreviousObject): boolean => {
    const objects = identity.file === undefined ? declared : written;
    const now = objects.get(refId(identity.target, identity));
    return now !== undefined && isSameStage(stage, now.stage);
  };
  const files = new PreviousFiles(outdir);
  const hasArgoCd = hasFolder(filesOf(delivered), 'argo-cd');
  // the others need no manifest
  const leaving = previousObjects(entries, outdir).filter((previous) => !isWritten(previous));
  return leaving.map((previous): OutputObject => {
    const { target, construct, file, policy, kept, isOnlyApplied } = previous.identity;
    const manifest = previousManifest(previous, files);
    return {
      target,
      construct,
      file,
      policy,
      kept,
      remains: whyItRemains(previous.identity, manifest, hasArgoCd),
      stage: previous.stage,
      manifest,
      isResolved: previous.isResolved || undefined,
      isOnlyApplied,
    };
  });
}

/** An object of a previous output. */
interface PreviousObject {
  readonly entry: PreviousEntry;
  readonly identity: Identity;
  /** Whether `resolve` wrote its file. */
  readonly isResolved: boolean;
  /** @default - the engine did not prune each stage by itself, or no file holds the object */
  readonly stage?: string;
}

function previousObjects(
  entries: readonly PreviousEntry[],
  outdir: string,
): readonly PreviousObject[] {
  const lateFiles = new Map([...listedLateFiles(outdir)].map(([file, name]) => [name, file]));
  const hadStages = prunesByStage(entries.map(({ file }) => file));
  return entries.flatMap((entry): PreviousObject[] => {
    const lateFile = lateFileOf(entry, lateFiles);
    const isResolved = lateFile !== undefined;
    const identity = identityOf(isResolved ? { ...entry, file: lateFile } : entry);
    if (!identity) {
      return [];
    }
    const place = { file: identity.file, stage: anyText(entry.stage) };
    const stage = hadStages ? folderOf(place) : undefined;
    return [{ entry, identity, isResolved, stage }];
  });
}

/** The file that `resolve` wrote for an object that waited. */
function lateFileOf(
  { id, template }: PreviousEntry,
  lateFiles: ReadonlyMap<string, string>,
): string | undefined {
  if (typeof id !== 'string' || !isRecord(template)) {
    return undefined;
  }
  return lateFiles.get(lateName(id));
}

function isSameStage(before: string | undefined, now: string | undefined): boolean {
  return before === undefined || now === undefined || before === now;
}

function previousManifest(
  { entry, identity, isResolved }: PreviousObject,
  files: PreviousFiles,
): Manifest {
  const { file } = identity;
  // a template shows what keeps its object, also where the file that `resolve` wrote is lost
  if (file === undefined || isResolved) {
    return templateOf(entry, identity);
  }
  return files.manifest({ ...identity, file });
}

function whyItRemains(
  { isOnlyApplied }: Identity,
  manifest: Manifest,
  hasArgoCd: boolean,
): string | undefined {
  if (isOnlyApplied) {
    return LEFT_TO_APPLY;
  }
  if (!hasArgoCd || isKeptByEngine(manifest)) {
    return undefined;
  }
  return remainsInArgoCd(manifest);
}

/** What `apply` does with what leaves; undefined for an engine, and where it is not known. */
function fatesByApply(change: OutputChange, outdir: string): OutputChange['becomes'] {
  if (change.hasEngine) {
    return undefined;
  }
  const file = join(outdir, ASSEMBLY_FILE);
  // a damaged assembly has entries, but no order
  const previous = attempt(() => parseAssembly(readRegularText(file), file));
  return previous === undefined || previous.stages !== undefined
    ? undefined
    : leavingFates()(change, previous);
}

/** What identifies an entry, whether a file holds it or not; the assembly may be damaged. */
function entryId({ target, apiVersion, kind, namespace, name }: PreviousEntry): string {
  return refId(String(target), {
    apiVersion: String(apiVersion),
    kind: String(kind),
    name: String(name),
    ...(typeof namespace === 'string' ? { namespace } : {}),
  });
}

/**
 * The objects of an output whose files `resolve` wrote below its folder, where a file is gone
 * although its object still waits.
 */
export function lostLateFiles(outdir: string, assembly: Assembly): Finding[] {
  const listed = listedLateFiles(outdir);
  if (listed.size === 0) {
    return [];
  }
  const { removals = [] } = assembly;
  const { objects } = new LateTemplates(assembly);
  const found = new Set(lateFilesIn(outdir).map(({ record }) => record.object));
  const lost = [...listed].flatMap(([file, name]): OutputObject[] => {
    const { target, template, construct, deletion } = objects.get(name) ?? {};
    if (target === undefined || !template || found.has(name) || existsSync(join(outdir, file))) {
      return [];
    }
    return [
      { target, manifest: template, construct, file, policy: deletion?.policy, isResolved: true },
    ];
  });
  const after = lost.map(({ file: _, ...object }): OutputObject => ({ ...object, isLate: true }));
  return leftOutput({
    before: lost,
    after,
    removals: new AcceptedRemovals(removals),
    lateValue: () => undefined,
    hasProgram: true,
    hasEngine: assembly.stages !== undefined,
  });
}

/** The kind that is written: a SealedSecret in place of a Secret. */
function asDelivered(manifest: Manifest, written: AssemblyObject | undefined): Manifest {
  if (written === undefined || written.kind === manifest.kind) {
    return manifest;
  }
  return { apiVersion: written.apiVersion, kind: written.kind, metadata: manifest.metadata };
}

/** The stage of each object in a file, by its ID, where the engine prunes each stage by itself. */
function stagesNow(delivered: DeliveredOutput | undefined): ReadonlyMap<string, string> {
  if (!delivered || !prunesByStage([...delivered.files.keys()])) {
    return new Map();
  }
  return new Map(
    delivered.assembly.objects.flatMap((object) => {
      const folder = folderOf(object);
      return folder === undefined ? [] : [[object.id, folder] as const];
    }),
  );
}

interface Identity {
  readonly target: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly construct?: string;
  /** @default - it waits for late values, or only apply writes it */
  readonly file?: string;
  readonly policy?: string;
  readonly kept?: KeptByEngine;
  readonly isOnlyApplied?: boolean;
}

/** Who an entry of an assembly is, if it is an object; the assembly may be damaged. */
function identityOf({
  target,
  apiVersion,
  kind,
  namespace,
  name,
  construct,
  file,
  template,
  onlyApply,
  deletion,
  kept,
}: PreviousEntry): Identity | undefined {
  if (
    typeof target !== 'string' ||
    typeof apiVersion !== 'string' ||
    typeof kind !== 'string' ||
    typeof name !== 'string' ||
    (typeof file !== 'string' && !isRecord(template))
  ) {
    return undefined;
  }
  return {
    target,
    apiVersion,
    kind,
    namespace: anyText(namespace),
    name,
    construct: anyText(construct),
    file: anyText(file),
    isOnlyApplied: onlyApply !== undefined || undefined,
    policy: isRecord(deletion) ? anyText(deletion.policy) : undefined,
    kept:
      isRecord(kept) && typeof kept.reason === 'string'
        ? { reason: kept.reason, neededBy: anyText(kept.neededBy) }
        : undefined,
  };
}

/** The template of an object; who the object is, where its template is damaged. */
function templateOf({ template }: PreviousEntry, object: Identity): Manifest {
  return isManifest(template) ? template : nameOnly(object);
}

/** The manifests of an earlier output, read where they are asked for. */
class PreviousFiles {
  private readonly read = new Map<string, ReadonlyMap<string, Manifest>>();

  constructor(private readonly outdir: string) {}

  /** What the file holds; who the object is, where the file does not hold it. */
  public manifest(object: Identity & { readonly file: string }): Manifest {
    return this.file(object.file).get(refKey(object)) ?? nameOnly(object);
  }

  private file(name: string): ReadonlyMap<string, Manifest> {
    return remembered(
      this.read,
      name,
      () => new Map(this.parse(name).map((manifest) => [objectKey(manifest), manifest])),
    );
  }

  private parse(name: string): Manifest[] {
    const path = join(this.outdir, name);
    // a file that is edited by hand or half merged is replaced by this synthesis
    return (
      attempt(() => (existsSync(path) ? readYaml(readRegularText(path)).filter(isManifest) : [])) ??
      []
    );
  }
}
