import { existsSync } from 'fs';
import { join, relative } from 'path';
import { compareAll, environmentNames, NOTHING_COMPARED, rowKey, ReviewSide } from './compare';
import { provideDependencies } from './dependencies';
import { LibraryVersions, libraryVersions } from './library-versions';
import { Commit, Repository } from './repository';
import { staleOutput, StaleOutput } from './stale-output';
import { synthesisOf, synthesize, SynthesisFailed, WrittenOutput } from './synthesize';
import { ASSEMBLY_FILE } from '../../core/output/assembly';
import { Finding } from '../../core/rule/finding';
import { sortFindings } from '../../core/rule/judge';
import { ENCRYPTED } from '../../core/rule/program-rules';
import { isCounted } from '../../core/rule/report';
import { Redactor } from '../../core/secret/redactor';
import { attempt } from '../../core/text/values';
import { isOutside } from '../../core/value/secret-value';
import { refuseUnread } from '../../engine/files/file-findings';
import { ReadOptions } from '../../engine/files/find-files';
import { Input, readInput } from '../../engine/read/read-input';
import { Change, EnvironmentChange } from '../changes/change';
import { isRefused } from '../changes/change-findings';
import { mayLoseMachines } from '../impact/impact';

/** What a review can stop for. */
export const STOPS = ['errors', 'warnings', 'losses', 'unfit', 'stale'] as const;
export type Stop = (typeof STOPS)[number];

/** Options of `review`. */
export interface ReviewOptions extends ReadOptions {
  /** The branch or commit that the change is compared with, e.g. `origin/main`. */
  readonly base: string;
  /**
   * Compare with the base itself.
   * @default false - with the last commit that it has in common with the change
   */
  readonly exactBase?: boolean;
  /**
   * Paths of committed outputs in the folder of the program, which are compared instead of what it
   * writes.
   * @default - the program is synthesized
   */
  readonly committed?: readonly string[];
  /**
   * The command that runs the program.
   * @default - `app` in cdk8s.yaml, otherwise the script `synth` of package.json
   */
  readonly synth?: string;
  /**
   * The command that installs the packages of the base.
   * @default - those of the change are used, or installed by npm where the base needs others
   */
  readonly install?: string;
  /** What to stop for. @default - all but warnings */
  readonly failOn?: readonly Stop[];
  /** Ends the review. The work tree of the base is removed. */
  readonly signal?: AbortSignal;
}

/** A committed output, compared with what the program writes. */
export interface ReviewedOutput extends StaleOutput {
  /** From the top folder of the repository. */
  readonly folder: string;
}

/** What a change does, compared with its base. Without both sides, only its findings are known. */
export interface FoundReview extends Change {
  /** The folder of the program, from the top folder of the repository; `.` for that itself. */
  readonly program: string;
  readonly base: Commit;
  readonly head: Commit;
  /** The versions of the library. @default - both sides have the same, or they are not known */
  readonly library?: LibraryVersions;
  /** Why a side cannot be compared. */
  readonly failures: readonly { readonly side: 'base' | 'change'; readonly reason: string }[];
  /**
   * The output folders, if there are several: each is an environment that is judged alone, and the
   * findings, impacts, and limits name theirs.
   */
  readonly environments: readonly EnvironmentChange[];
  readonly outputs: readonly ReviewedOutput[];
  /** What to correct, though nothing stops for it, e.g. files of the output that are not in Git. */
  readonly remarks: readonly string[];
  /** What was not judged, and why. */
  readonly notes: readonly string[];
  /** What the change must stop for, of what was asked for. */
  readonly stops: readonly Stop[];
}

/**
 * Reviews a change of a program: what it adds to the findings, what it does to machines, whether
 * they fit, and whether the committed output is current.
 *
 * Both sides are synthesized without secrets, in temporary folders. No cluster is read. The code of
 * both sides runs, so it must not run where there are credentials and the change is not trusted.
 *
 * @param folder the folder of the program, in the work tree of a Git repository
 * @returns the review, in which no text is a secret
 */
export async function reviewProject(folder: string, options: ReviewOptions): Promise<FoundReview> {
  if (!existsSync(folder)) {
    throw new Error(`${folder}: does not exist. Fix: set the folder of the program`);
  }
  const repository = await Repository.of(folder, options.signal);
  const base = await repository.base(options.base, options.exactBase ?? false);
  const head = await repository.head();
  const isDirty = await repository.isDirty();
  return repository.withWorktree(base, async (tree, scratch) =>
    reviewSides({ repository, base, head, isDirty, tree, scratch }, options),
  );
}

/** Where both sides of a review are. */
interface ReviewPlaces {
  readonly repository: Repository;
  readonly base: Commit;
  readonly head: Commit;
  /** Whether the work tree has changes that are not committed. */
  readonly isDirty: boolean;
  /** The work tree of the base. */
  readonly tree: string;
  /** A folder for outputs. */
  readonly scratch: string;
}

/** Both sides of a review, as far as they can be compared. */
interface ReviewedSides {
  readonly before?: ReviewSide;
  readonly after?: ReviewSide;
  /** Whether they are the committed outputs, in place of those that the programs write. */
  readonly areCommitted: boolean;
  readonly notes: readonly string[];
}

type Failure = FoundReview['failures'][number];

async function reviewSides(places: ReviewPlaces, options: ReviewOptions): Promise<FoundReview> {
  const { repository, base, head, isDirty } = places;
  const { written, changed, failures } = await synthesizedSides(places, options);
  const sides = comparedSides(written, changed, places, options);
  const { before, after } = sides;
  const notes = isDirty
    ? ['the work tree has changes that are not committed, which are reviewed, too']
    : [];
  notes.push(...sides.notes);

  const { unused, unfitBefore, ...change } = after
    ? compareAll(before, after, options)
    : NOTHING_COMPARED;
  const remarks = [...unused];
  const { outputs, late } =
    changed && !options.committed
      ? await staleIn({ before: written, after: changed }, repository, options, { notes, remarks })
      : { outputs: [], late: [] };
  const library = options.committed ? undefined : await changedLibrary(sides, places);
  const review = {
    program: repository.prefix.replace(/\/$/, '') || '.',
    base,
    head,
    ...(library ? { library } : {}),
    failures,
    ...change,
    // a comparison of committed outputs has them already
    findings: sides.areCommitted ? change.findings : sortFindings([...change.findings, ...late]),
    outputs,
    remarks,
    notes: [...notes, ...(after ? notJudged(after, before) : [])],
  };
  const { failOn = STOPS.filter((stop) => stop !== 'warnings') } = options;
  const stops = failOn.filter((stop) => FOUND[stop](review, unfitBefore));
  return withoutSecrets({ ...review, stops }, textsShownOf(sides, places));
}

/** The folder of the program in the work tree of the change. */
function programOf({ root, prefix }: Repository): string {
  return join(root, prefix);
}

/** What the programs of both sides write, or what is committed where that is asked for. */
async function synthesizedSides(
  { repository, base, tree, scratch }: ReviewPlaces,
  options: ReviewOptions,
): Promise<{
  readonly written?: ReviewSide;
  readonly changed?: ReviewSide;
  readonly failures: readonly Failure[];
}> {
  const { signal, committed } = options;
  const failures: Failure[] = [];
  const sideOf = async (
    side: Failure['side'],
    at: string,
    prepare: () => Promise<void>,
  ): Promise<ReviewSide | undefined> => {
    try {
      const outputs = committed
        ? committedIn(at, committed)
        : await writtenBy(at, join(scratch, side), side, options, prepare);
      return { outputs, input: inputOf(outputs, options) };
    } catch (error) {
      if (signal?.aborted) {
        throw error;
      }
      failures.push({ side, reason: (error as Error).message });
      return undefined;
    }
  };
  const [written, changed] = await Promise.all([
    sideOf('base', join(tree, repository.prefix), async () =>
      provideDependencies(repository, base, tree, options.install, { signal }),
    ),
    sideOf('change', programOf(repository), async () => undefined),
  ]);
  return { written, changed, failures: failures.sort((a, b) => (a.side < b.side ? -1 : 1)) };
}

/** The sides to compare: the committed outputs of both where the base cannot be synthesized. */
function comparedSides(
  written: ReviewSide | undefined,
  changed: ReviewSide | undefined,
  { repository, tree }: ReviewPlaces,
  options: ReviewOptions,
): ReviewedSides {
  const isNew = written?.outputs.length === 0;
  const inBase = join(tree, repository.prefix);
  const committed =
    isNew && changed
      ? attempt(() => committedSides(changed, inBase, programOf(repository), options))
      : undefined;
  if (committed) {
    const note =
      'the base has no command that synthesizes it: the committed outputs of both sides are compared';
    return { ...committed, areCommitted: true, notes: [note] };
  }
  const notes = isNew ? ['the base has no output of this program: all of it is new'] : [];
  return { before: written, after: changed, areCommitted: false, notes };
}

/** The versions of the library on both sides, where the programs of both wrote the outputs. */
async function changedLibrary(
  { before, after, areCommitted }: ReviewedSides,
  { repository, base, tree }: ReviewPlaces,
): Promise<LibraryVersions | undefined> {
  if (!before || !after || areCommitted) {
    return undefined;
  }
  const folders = after.outputs.map(({ outdir }) => outdir);
  return libraryVersions(repository, base, tree, folders);
}

/** Texts without secrets, and with the paths that people know. */
function textsShownOf(
  { before, after }: ReviewedSides,
  { repository, tree }: ReviewPlaces,
): (text: string) => string {
  const sides = [before, after].filter((side) => side !== undefined);
  const objects = sides.flatMap(({ input }) => input.objects);
  const redactor = Redactor.of(objects.map(({ manifest }) => manifest));
  const outputs = sides.flatMap((side) => side.outputs);
  const withPaths = (text: string): string =>
    outputs.reduce(
      (all, each) => all.replaceAll(each.folder, join(repository.prefix, each.outdir)),
      text,
    );
  return (text) =>
    redactor.scrub(withPaths(text).replaceAll(`${tree}/`, '').replaceAll(tree, 'the base'));
}

/** Whether a review found what it can stop for. */
const FOUND: {
  readonly [stop in Stop]: (
    review: Omit<FoundReview, 'stops'>,
    unfitBefore: ReadonlySet<string>,
  ) => boolean;
} = {
  errors: ({ findings }) =>
    findings.some((finding) => isCounted(finding) && finding.level === 'error'),
  warnings: ({ findings }) => findings.some(isCounted),
  losses: ({ impacts }) => impacts.some(mayLoseMachines),
  unfit: ({ fits }, unfitBefore) =>
    fits.some((row) => row.fits === 'no' && !unfitBefore.has(rowKey(row))),
  // until the errors are gone, synthesis writes no other output
  stale: ({ outputs, findings }) =>
    !isRefused(findings) && outputs.some(({ differences }) => differences.length > 0),
};

/** All texts of a review for people. */
function withoutSecrets<T>(value: T, shown: (text: string) => string): T {
  return JSON.parse(JSON.stringify(value), (_, each: unknown) =>
    typeof each === 'string' ? shown(each) : each,
  ) as T;
}

async function writtenBy(
  folder: string,
  output: string,
  side: 'base' | 'change',
  { synth, signal }: ReviewOptions,
  prepare: () => Promise<void>,
): Promise<WrittenOutput[]> {
  const command = existsSync(folder) ? (synth ?? synthesisOf(folder)) : undefined;
  if (command === undefined) {
    if (side === 'base') {
      return [];
    }
    throw new SynthesisFailed(
      'no program was found: there is no app in cdk8s.yaml, and no script synth in package.json. Fix: set --synth to the command that runs it',
    );
  }
  await prepare();
  return synthesize(folder, command, output, { signal });
}

function committedIn(folder: string, paths: readonly string[]): WrittenOutput[] {
  return paths
    .map((outdir) => ({ folder: join(folder, outdir), outdir }))
    .filter((output) => existsSync(output.folder));
}

/** The committed outputs of both sides, where both have those that the change writes. */
function committedSides(
  { outputs }: ReviewSide,
  base: string,
  program: string,
  reading: ReadOptions,
): { readonly before: ReviewSide; readonly after: ReviewSide } | undefined {
  const paths = outputs.map(({ outdir }) => outdir);
  const [before, after] = [base, program].map((folder) =>
    committedIn(folder, paths).filter((output) => existsSync(join(output.folder, ASSEMBLY_FILE))),
  );
  if (before!.length > 0 && after!.length === paths.length) {
    return {
      before: { outputs: before!, input: inputOf(before!, reading) },
      after: { outputs: after!, input: inputOf(after!, reading) },
    };
  }
  return undefined;
}

function inputOf(outputs: readonly WrittenOutput[], reading: ReadOptions): Input {
  const input = readInput(
    outputs.map((output) => output.folder),
    reading,
  );
  refuseUnread(input.findings, ENCRYPTED);
  return input;
}

/**
 * Compares what Git has with what the program writes, and judges the files of `resolve` in it: an
 * engine delivers these, and no synthesis writes them.
 */
async function staleIn(
  { before, after }: { readonly before: ReviewSide | undefined; readonly after: ReviewSide },
  repository: Repository,
  reading: ReadOptions,
  { notes, remarks }: { readonly notes: string[]; readonly remarks: string[] },
): Promise<{ readonly outputs: ReviewedOutput[]; readonly late: Finding[] }> {
  const found: ReviewedOutput[] = [];
  const findings: Finding[] = [];
  const names = environmentNames(before?.outputs ?? [], after.outputs);
  for (const { folder, outdir } of after.outputs) {
    const at = join(programOf(repository), outdir);
    const name = relative(repository.root, at);
    if (name.startsWith('..') || !(await repository.isTracked(at))) {
      notes.push(`${name} is not in Git, so it is not compared with what the program writes`);
      continue;
    }
    const untracked = await repository.untracked(at);
    if (untracked.length > 0) {
      remarks.push(
        `${name} has files that are not in Git, which a commit must contain: ${untracked.join(', ')}. Fix: git add ${name}`,
      );
    }
    const stale = staleOutput(folder, at, reading);
    if (stale) {
      const { late, ...compared } = stale;
      found.push({ folder: name, ...compared });
      const environment = names.get(outdir);
      findings.push(
        ...late.map((finding) => ({
          ...finding,
          ...(finding.file === undefined ? {} : { file: relative(repository.root, finding.file) }),
          ...(environment === undefined ? {} : { environment }),
        })),
      );
    }
  }
  return { outputs: found, late: findings };
}

/** What no review can judge. */
function notJudged({ input }: ReviewSide, before: ReviewSide | undefined): string[] {
  const secrets = [
    ...new Set(
      input.assemblies.flatMap(({ placeholders = [] }) =>
        placeholders.flatMap((each) => each.secrets),
      ),
    ),
  ].sort();
  const late = input.assemblies
    .flatMap(({ lateValues }) => lateValues)
    .filter(({ source }) => !isOutside(source)).length;
  const encrypted = input.encrypted.length + (before?.input.encrypted.length ?? 0);
  return [
    ...(secrets.length > 0
      ? [
          `the values of secrets: placeholders replace ${secrets.join(', ')}. A new value can replace machines`,
        ]
      : []),
    ...(encrypted > 0
      ? [`the values of ${encrypted} encrypted objects, for which there is no private key here`]
      : []),
    ...(late > 0
      ? [`${late} late ${late === 1 ? 'value' : 'values'}, which only live clusters know`]
      : []),
    'the live clusters: quotas and machines of others, changes by hand, permissions; cdk8s-harvester plan compares them',
  ];
}
