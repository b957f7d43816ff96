import { App } from 'cdk8s';
import { IConstruct } from 'constructs';
import {
  FinishedObject,
  deliveredFiles,
  inOrder,
  outputFiles,
  plainOutput,
  yamlOf,
} from './assembly-writer';
import { collect } from './collect';
import { incompleteObjects, withoutResolve } from './incomplete';
import { judgeProgram, judgedTargets } from './judge-program';
import { withoutHidden, withoutRefusedSecrets } from './plain-findings';
import { writtenLine } from './written-line';
import { programPlaceOf } from '../construct/program-place';
import { isTarget } from '../construct/target';
import { withReport } from '../construct/uncaught';
import { rankOf } from '../kind/kinds';
import { ResolvedValues, complete } from '../late/late-text';
import { Manifest, objectId } from '../manifest/manifest';
import { AssemblyRemoval, AssemblyReplacement, OutputLayout } from '../output/assembly';
import { lateOutput } from '../output/late-files.rules';
import { METADATA_FILE, writeOutput } from '../output/output';
import {
  DeliveredOutput,
  HiddenOutput,
  IDelivery,
  ISecretDelivery,
} from '../program/delivery-step';
import { ResolvedEdges, resolveEdges } from '../program/edges';
import { readResolvedValues, withProgramTexts } from '../program/late-completion';
import { Program, ProgramObject } from '../program/program';
import { Finding } from '../rule/finding';
import { REFERENCE_WAITS } from '../rule/program-rules';
import { findingBlocks, isCounted, textReport } from '../rule/report';
import { Block, line, toned } from '../text/screen';
import { compare, grouped } from '../text/values';
import { isReview } from '../value/review';
import { versionNotes } from '../version/version-notes';

/** What one look over the program found. */
export interface ProgramExamination {
  readonly program: Program;
  readonly objects: readonly FinishedObject[];
  readonly edges: ResolvedEdges;
  /** The ids of the objects that wait, by the id of the object that refers to them. */
  readonly incomplete: ReadonlyMap<string, readonly string[]>;
  readonly findings: readonly Finding[];
  /** The output for an engine. @default - without an engine, or with errors */
  readonly delivered?: DeliveredOutput;
  /** What hides the secrets of the output when it is written. @default - nothing hides them */
  readonly hidden?: HiddenOutput;
}

/** What an examination needs beyond the program. */
export interface ExamineOptions {
  readonly lateValuesFile?: string;
  readonly delivery?: IDelivery;
  readonly secrets?: ISecretDelivery;
  readonly layout: OutputLayout;
  readonly removals: readonly AssemblyRemoval[];
  readonly replacements: readonly AssemblyReplacement[];
}

/** Where and how an output is written. */
interface OutputOptions {
  readonly outdir: string;
  readonly layout: OutputLayout;
  readonly recordMetadata: boolean;
  readonly removals: readonly AssemblyRemoval[];
  readonly replacements: readonly AssemblyReplacement[];
}

/** Renders a program, completes what is known of it, and judges it. Writes nothing. */
export function examineProgram(
  app: App,
  { lateValuesFile, delivery, secrets, layout, removals, replacements }: ExamineOptions,
): ProgramExamination {
  const program = collect(app);
  const values: ResolvedValues = lateValuesFile
    ? withProgramTexts(program.lateValues, readResolvedValues(lateValuesFile))
    : new Map();
  const edges = resolveEdges(program);
  const objects = program.objects.map((declared): FinishedObject => ({
    declared,
    finished: finish(declared, values),
  }));
  const judged = objects.map(({ finished }) => finished);
  const incomplete = incompleteObjects(judged);
  const findings = judgeProgram(
    program,
    judged,
    edges,
    values,
    incomplete,
    delivery?._hasEngine(),
    secrets,
  );
  const examination = { program, objects: objects.map(asWritten), edges, incomplete, findings };
  // what is wrong with a program may leave it without an order
  const chosen = secrets ?? program.objects.find((object) => object.secrets)?.secrets;
  if (hasErrors(findings)) {
    return { ...examination, findings: withoutHidden(findings, judged, secrets) };
  }
  if (!(delivery ?? chosen)) {
    return examination;
  }
  const plain = plainOutput({ ...examination, removals, replacements }, layout);
  const hidden = chosen?._hide(plain, secrets);
  const output = hidden?.output ?? {
    ...plain,
    acceptsPlain: (id) => (plain.choices?.get(id) ?? secrets) !== undefined,
  };
  const delivered = delivery?._deliver(output) ?? (hidden && chosen?._undelivered(output));
  if (!delivered) {
    return examination;
  }
  const assembly = withoutResolve(delivered.assembly);
  return {
    ...examination,
    delivered: { ...delivered, assembly },
    hidden,
    findings: withoutRefusedSecrets(assembly.findings),
  };
}

/** Whether findings are errors that no one suppresses. */
function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some((finding) => isCounted(finding) && finding.level === 'error');
}

/**
 * The object as it is written, with placeholders. Rules treat missing secrets in it as late values.
 */
function asWritten(object: FinishedObject): FinishedObject {
  const { declared, finished } = object;
  return finished.placeholders
    ? { declared, finished: { ...finished, manifest: finished.placeholders.manifest } }
    : object;
}

/** Findings with the places of their constructs in the program; some may have them already. */
export function withPlaces(app: App, findings: readonly Finding[]): readonly Finding[] {
  return findings.map((finding) => {
    if (finding.construct === undefined || finding.place !== undefined) {
      return finding;
    }
    const place = placeAt(app, finding.construct);
    return place === undefined ? finding : { ...finding, place };
  });
}

/**
 * The place that creates the construct at a path: its own, or that of the construct that it is a
 * part of.
 */
function placeAt(app: App, path: string): string | undefined {
  let place: string | undefined;
  let construct: IConstruct | undefined = app;
  let lastFound: IConstruct | undefined;
  for (const id of path.split('/')) {
    lastFound = construct;
    construct = construct.node.tryFindChild(id);
    if (!construct) {
      break;
    }
    // the chart does not create what the program puts into it, nor what it no longer puts there
    place =
      programPlaceOf(construct) ??
      (construct.node.scope && isTarget(construct.node.scope) ? undefined : place);
  }
  return construct === undefined && lastFound !== undefined && isTarget(lastFound)
    ? undefined
    : place;
}

/** Throws one report of all findings where one of them is an error. */
export function failOnFindings(findings: readonly Finding[]): void {
  const counted = findings.filter(isCounted);
  if (!hasErrors(counted)) {
    return;
  }
  const title = 'synthesis failed, nothing was written';
  const error = new Error(`${title}\n${textReport(counted)}`);
  throw withReport(error, [line(toned('error', title)), ...findingBlocks(counted)]);
}

/**
 * The report of the findings that are not suppressed; empty if there are none.
 *
 * @param hasEngine whether an engine delivers the output. Otherwise the line about what is written
 *   names `apply` for what waits, too
 */
export function warningsOf(findings: readonly Finding[], hasEngine: boolean): readonly Block[] {
  const open = findings.filter(
    ({ suppressed, rule }) =>
      suppressed === undefined && (hasEngine || rule !== REFERENCE_WAITS.id),
  );
  return open.length > 0 ? findingBlocks(open) : [];
}

/**
 * Writes an output. Returns what to print about it, and the findings about files that `resolve`
 * wrote.
 */
export function write(
  examination: ProgramExamination,
  { outdir, layout, recordMetadata, removals, replacements }: OutputOptions,
): { readonly notes: readonly Block[]; readonly findings: readonly Finding[] } {
  const { objects, hidden } = examination;
  // a review compares placeholders
  const concealed = isReview()
    ? undefined
    : examination.delivered && hidden?.finish(examination.delivered, outdir);
  const delivered = concealed?.delivered ?? examination.delivered;
  const files = new Map(
    plainFiles({ ...examination, delivered }, { layout, removals, replacements }),
  );
  if (recordMetadata) {
    // the format of cdk8s, which its validation plugins look construct paths up in, by the object's
    // name alone
    const resources = Object.fromEntries(
      objects.map(({ finished }) => [
        finished.manifest.metadata.name,
        { path: finished.construct },
      ]),
    );
    files.set(METADATA_FILE, JSON.stringify({ version: '1.0.0', resources }));
  }
  const { late, findings } = lateOutput(
    outdir,
    () =>
      delivered?.assembly ??
      plainOutput({ ...examination, removals, replacements }, layout).assembly,
  );
  const written = writeOutput(outdir, files, late);
  const versions = versionNotes(judgedTargets(examination.program).values());
  const notes = [...versions, ...(concealed?.notes ?? [])].map((note) => line(note));
  // the output of a review is compared, and then removed
  const summary = isReview() ? [] : [writtenLine({ outdir, files: written, objects, delivered })];
  return { notes: [...notes, ...summary], findings };
}

/** The files of an output whose secrets are not hidden. */
export function plainFiles(
  examination: ProgramExamination,
  { layout, removals, replacements }: Pick<OutputOptions, 'layout' | 'removals' | 'replacements'>,
): ReadonlyMap<string, string> {
  return examination.delivered
    ? deliveredFiles(examination.delivered)
    : outputFiles({ ...examination, removals, replacements }, layout);
}

/** All objects as one YAML text. The objects of several targets follow the names of these. */
export function oneText(examination: ProgramExamination): string {
  const waiting = examination.objects.filter(({ finished }) => finished.lateIds.length > 0);
  if (waiting.length > 0) {
    throw new Error(
      `synthYaml cannot write objects that wait for late values: ${waiting.map(({ finished }) => finished.construct).join(', ')}. ` +
        'Fix: use synth, or set lateValuesFile',
    );
  }
  const texts = [...objectsByTarget(examination)].map(
    ([target, objects]) => [target, objects.map(yamlOf).join('---\n')] as const,
  );
  return texts.length === 1
    ? texts[0][1]
    : texts.map(([target, text]) => `# target: ${target}\n${text}`).join('---\n');
}

/** All manifests by target, placeholders in those that wait for late values. */
export function manifestsByTarget(
  examination: ProgramExamination,
): ReadonlyMap<string, readonly Manifest[]> {
  return new Map(
    [...objectsByTarget(examination)].map(([target, objects]) => [
      target,
      objects.map(({ manifest }) => manifest),
    ]),
  );
}

/**
 * The objects of each target in the order of an apply: by kind and id, never by the order of the
 * program, as in files.
 */
function objectsByTarget({
  program,
  objects,
  edges,
}: ProgramExamination): ReadonlyMap<string, readonly ProgramObject[]> {
  const { targets } = program;
  const sorted = objects
    .map((object) => ({ rank: rankOf(object.finished.manifest), id: object.declared.id, object }))
    .sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1))
    .map(({ object }) => object);
  const byTarget = grouped(
    inOrder(sorted, edges).map(({ item }) => item.finished),
    ({ target }) => target.targetName,
  );
  return new Map(
    targets
      .map(({ targetName }) => targetName)
      .sort(compare)
      .map((name) => [name, byTarget.get(name) ?? []]),
  );
}

function finish(declared: ProgramObject, values: ResolvedValues): ProgramObject {
  if (declared.lateIds.length === 0 || values.size === 0) {
    return declared;
  }
  try {
    const { placeholders } = declared;
    const manifest = complete(declared.manifest, values);
    return {
      ...declared,
      key: objectId(declared.target.targetName, manifest),
      manifest,
      lateIds: declared.lateIds.filter((id) => !values.has(id)),
      ...(placeholders
        ? { placeholders: { ...placeholders, manifest: complete(placeholders.manifest, values) } }
        : {}),
    };
  } catch (error) {
    throw new Error(`[${declared.construct}] ${(error as Error).message}`);
  }
}
