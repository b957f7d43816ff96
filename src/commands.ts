import './registry/register';
import { adoptClusters } from './adopt/project/adopt-clusters';
import { AdoptSources } from './adopt/project/adopt-sources';
import { AdoptResult } from './adopt/project/run-adopt';
import { AdoptUpdate, updateProgram } from './adopt/update/update';
import { Finding } from './core/rule/finding';
import { Redactor } from './core/secret/redactor';
import { packageVersion } from './core/version/package-version';
import { deliverOutput, DeliverOptions, DeliverResult } from './delivery/deliver-output';
import { emptyTargets } from './engine/auth/bind-program';
import { bindTargets } from './engine/auth/bind-targets';
import { readConfigFile } from './engine/auth/config-file';
import { RunProgram } from './engine/auth/run-program';
import {
  ChosenTargets,
  closing,
  RunClusterOptions,
  isPartial,
  RemovedTargets,
  withClusters,
} from './engine/auth/with-clusters';
import { App, appOf } from './engine/fields/apply-set';
import { ManagedFieldsOptions } from './engine/fields/managed-fields';
import { ReadOptions } from './engine/files/find-files';
import { TargetOptions } from './engine/files/judged-targets';
import { checkOptions, checkPaths, checkTexts } from './engine/known-options';
import { ResolveRunOptions, ResolveResult, resolveProgram } from './engine/late/resolve-program';
import { checkPlannedFolder } from './engine/plan/plan-file';
import { PlanResult, PlanRunOptions, planProgram } from './engine/plan/program/plan-program';
import { readEdits, manifestsOfEdits } from './engine/read/compared-input';
import { LintOptions, lintPaths } from './engine/read/lint';
import { LoadedAssembly, loadAssembly, refusePlaceholders } from './engine/read/load-assembly';
import { ClusterManifests, readPlainManifests, readPlainOutput } from './engine/read/plain-output';
import { ApplyRunOptions, applyProgram } from './engine/run/apply-program';
import { RunSummary } from './engine/run/context/events';
import { RunOptions } from './engine/run/context/run-context';
import { DestroyRunOptions, destroyProgram, forgetTarget } from './engine/run/destroy-program';
import { RegisterRunOptions, registerHarvester } from './engine/run/register-harvester';
import {
  takeOverProgram,
  TakeOverResult,
  TakeOverRunOptions,
} from './engine/run/take-over-program';
import { boundsOf } from './engine/transport/node-transport';
import { EnvironmentChange } from './report/changes/change';
import { LiveExamination, examineClusters } from './report/doctor/doctor';
import { TargetStatus, statusOf } from './report/doctor/status';
import { FitRow, FitsOptions, fitRows } from './report/fits/fit-table';
import { GraphOptions, GraphResult, drawnPlatform } from './report/graph/page/graph-report';
import { rollsByImpact } from './report/impact/cluster-impacts';
import { impactsOfEdits } from './report/impact/edit-impacts';
import { printReview } from './report/review/render-review';
import { FoundReview, ReviewOptions, reviewProject } from './report/review/review';
import { Impact, publicImpact } from './testing/testing';

export type { ManifestFolder } from './adopt/project/adopt-sources';
export type { AdoptNote } from './adopt/project/adopt-note';
export type { AdoptResult, AdoptedCluster, LeftOut } from './adopt/project/run-adopt';
export type { UnusedEntry } from './adopt/select/ignored';
export type {
  AdoptUpdate,
  DeclaredObject,
  DriftedObject,
  LeftObject,
  OutsideObject,
  PendingObject,
} from './adopt/update/update';
export type { AssemblyStage } from './core/output/assembly';
export { FindingLevel } from './core/rule/finding';
export type { Finding } from './core/rule/finding';
export type { DeliverOptions, DeliverResult } from './delivery/deliver-output';
export type { ChosenTargets } from './engine/auth/with-clusters';
export { EngineError } from './engine/engine-error';
export type { EngineErrorCode } from './engine/engine-error';
export type { ResolveResult, ResolvedValue } from './engine/late/resolve-program';
export type {
  PlannedField as FieldChange,
  MachineLoss,
  Plan,
  PlanAction,
  PlanConflict,
  PlanOutcome,
  PlanStep,
  PlanTarget,
  RemovalStep,
} from './engine/plan/plan';
export { readPlan, writePlan } from './engine/plan/plan-file';
export type { PlanResult } from './engine/plan/program/plan-program';
export { planMarkdown, planText } from './engine/plan/render-plan';
export type { Precondition } from './engine/precondition/precondition';
export type { ClusterManifests } from './engine/read/plain-output';
export type { LintOptions } from './engine/read/lint';
export type { DestroyScope } from './engine/run/destroy-program';
export type { RegistrationMove } from './engine/run/register-harvester';
export type { OnEvent, RunEvent, RunSummary } from './engine/run/context/events';
export type { TakeOverPlan, TakeOverResult } from './engine/run/take-over-program';
export { Diagnosis } from './report/doctor/live-world';
export type { ObjectStatus, TargetStatus } from './report/doctor/status';
export type { FitRow, FitsOptions } from './report/fits/fit-table';
export type { GraphOptions, GraphResult } from './report/graph/page/graph-report';
export type { PartChange, PlatformCluster, PlatformPart } from './report/graph/platform';
export type { ReviewOptions, ReviewedOutput, Stop } from './report/review/review';
export { ImpactEffect } from './testing/testing';
export type { Impact, ImpactCause } from './testing/testing';

/** What the functions themselves set, and tests replace. */
type Inner =
  | 'app'
  | 'clock'
  | 'connect'
  | 'cwd'
  | 'env'
  | 'harvester'
  | 'knownUid'
  | 'needed'
  | 'optional'
  | 'prune'
  | 'random'
  | 'redactor'
  | 'rolls'
  | 'transport'
  | 'version';

/** Options by which a program finds its clusters. */
export interface ClusterOptions
  extends Omit<RunClusterOptions, Inner>, Pick<RunClusterOptions, 'app'> {}

/** Options of `plan`. */
export interface PlanOptions extends ClusterOptions, ChosenTargets, Omit<PlanRunOptions, Inner> {}

/** Options that `apply`, `destroy`, `register`, and `takeOver` share. */
export interface WriteOptions
  extends ClusterOptions, Omit<RunOptions, Inner | keyof ManagedFieldsOptions> {}

/** Options of `apply`. */
export interface ApplyOptions
  extends
    WriteOptions,
    ChosenTargets,
    Omit<ApplyRunOptions, Inner>,
    Pick<ApplyRunOptions, 'prune'> {}

/** Options of `destroy`. */
export interface DestroyOptions
  extends WriteOptions, Pick<DestroyRunOptions, 'confirm' | 'target'> {}

/** Options of `impact`. */
export interface ImpactOptions extends TargetOptions {
  /** The same manifests before the edit. */
  readonly before: readonly string[];
}

/** Options of `forget`. */
export interface ForgetOptions extends ClusterOptions {
  /**
   * Confirms the targets whose inventories are written; false cancels it.
   * @default - no confirmation
   */
  readonly confirm?: (inventories: readonly string[]) => Promise<boolean>;
}

/** Options of `register`. */
export interface RegisterOptions
  extends WriteOptions, Pick<RegisterRunOptions, 'acceptConnected' | 'confirm'> {}

/** Options of `resolve`. */
export interface ResolveOptions extends Omit<ResolveRunOptions, Inner> {}

/** Options of `doctor`. */
export interface DoctorOptions extends ClusterOptions {
  /** Compare the live objects with the program. @default true */
  readonly drift?: boolean;
}

/** Options of `adopt`. */
export interface AdoptOptions extends Omit<AdoptSources, Inner> {}

/** Options of `adoptUpdate`. */
export interface AdoptUpdateOptions extends ClusterOptions {
  /**
   * What is added to the program, each as `<key>=<value>`; the keys are namespace, project, label,
   * cluster, and kind.
   * @default - all that belongs to no product
   */
  readonly select?: readonly string[];
}

/** Options of `takeOver`. */
export interface TakeOverOptions extends WriteOptions, Pick<TakeOverRunOptions, 'onPlan'> {}

/** Options of `deliverManifests`. */
export interface DeliverManifestsOptions extends DeliverOptions, ReadOptions {}

/** A result that may contain secrets. */
export interface Scrubbed {
  /** Removes the secrets of the program from a text about the result. */
  readonly scrub: (text: string) => string;
}

/** What `lint` found. */
export interface LintResult {
  /** Sorted, with the lines of their files. */
  readonly findings: readonly Finding[];
}

/** What `fits` found. */
export interface FitsResult {
  /** A row for each limit that machines or load balancers use. */
  readonly rows: readonly FitRow[];
}

/** What `impact` found. */
export interface ImpactResult {
  /** The worst first. */
  readonly impacts: readonly Impact[];
}

/** What a change does to one of several environments. */
export interface ReviewedEnvironment extends Omit<EnvironmentChange, 'impacts'> {
  /** What it does to machines, and to what holds data or tenants. */
  readonly impacts: readonly Impact[];
}

/** What a change does, compared with its base. Without both sides, only its findings are known. */
export interface Review extends Omit<FoundReview, 'impacts' | 'environments'> {
  /** What it does to machines, and to what holds data or tenants. */
  readonly impacts: readonly Impact[];
  /**
   * The output folders, if there are several: each is an environment that is judged alone, and the
   * findings, impacts, and limits name theirs.
   */
  readonly environments: readonly ReviewedEnvironment[];
  /** The review as a comment of at most 60,000 characters on a pull request. */
  readonly markdown: string;
}

/** What `forget` did. */
export interface ForgetResult {
  /** The targets whose inventories contained the target; none if it was canceled. */
  readonly inventories: readonly string[];
}

/** What `status` found. */
export interface StatusResult extends Scrubbed {
  readonly targets: readonly TargetStatus[];
}

/** What `doctor` found. */
export interface DoctorResult extends LiveExamination, Scrubbed {}

/** What `adoptUpdate` found. */
export interface AdoptUpdateResult extends AdoptUpdate, Scrubbed {}

// each function returns a promise of an object. `folder` is an output folder with its assembly;
// `paths` are YAML or JSON files, folders, or output folders

/** Judges manifests by the rules of Rancher and Harvester. */
export async function lint(
  paths: readonly string[],
  options: LintOptions = {},
): Promise<LintResult> {
  checkPaths('lint', paths);
  checkOptions('lint', options);
  return { findings: lintPaths(paths, options) };
}

/** Compares machines, volumes and load balancers with quotas and pools of addresses. */
export async function fits(
  paths: readonly string[],
  options: FitsOptions = {},
): Promise<FitsResult> {
  checkPaths('fits', paths);
  checkOptions('fits', options);
  return { rows: fitRows(paths, options) };
}

/**
 * Reports what an edit does to machines, data and tenants. No cluster is read, and no text of the
 * result contains a secret.
 */
export async function impact(
  paths: readonly string[],
  options: ImpactOptions,
): Promise<ImpactResult> {
  checkPaths('impact', paths);
  checkOptions('impact', options);
  const { before: previous, ...reading } = options;
  const edits = readEdits(paths, previous, reading);
  const redactor = Redactor.of(manifestsOfEdits(edits));
  const scrub = (text: string): string => redactor.scrub(text);
  return { impacts: impactsOfEdits(edits).map((each) => publicImpact(each, scrub)) };
}

/** Reports what depends on what in an output folder, and what waits for late values. */
export async function graph(folder: string, options: GraphOptions = {}): Promise<GraphResult> {
  checkTexts('graph', { folder });
  checkOptions('graph', options);
  return drawnPlatform(folder, options);
}

/**
 * Reviews a change of a program: what it adds to the findings, what it does to machines, whether
 * they fit, and whether the committed output is current.
 *
 * Both sides are synthesized without secrets, and no cluster is read. The code of both sides runs,
 * so run it only where there are no credentials, unless the change is trusted. No text of the
 * review contains a secret.
 *
 * @param folder the folder of the program, in the work tree of a Git repository
 */
export async function review(folder: string, options: ReviewOptions): Promise<Review> {
  checkTexts('review', { folder });
  checkOptions('review', options);
  const found = await reviewProject(folder, options);
  return {
    ...found,
    ...withPublicImpacts(found),
    environments: found.environments.map((each) => ({ ...each, ...withPublicImpacts(each) })),
    markdown: printReview(found, 'markdown'),
  };
}

/** The impacts of a review, whose texts are without secrets. */
function withPublicImpacts({ impacts }: Pick<FoundReview, 'impacts'>): Pick<Review, 'impacts'> {
  return { impacts: impacts.map((each) => publicImpact(each, (text) => text)) };
}

/** Plans what an apply would do to the live clusters. Nothing is written. */
export async function plan(folder: string, options: PlanOptions = {}): Promise<PlanResult> {
  checkTexts('plan', { folder });
  checkOptions('plan', options);
  const loaded = loadAssembly(folder);
  refusePlaceholders(loaded);
  return withClusters(loaded, options, async (program, app) =>
    planProgram(program, {
      ...options,
      ...takenOver(options),
      ...partial(options),
      app,
      rolls: rollsByImpact,
    }),
  );
}

/**
 * Applies a program to the live clusters. Throws if it cannot begin; objects that fail are in the
 * summary, and another apply resumes.
 *
 * @param folder the output folder with its assembly; also with a plan, which does not contain the manifests
 */
export async function apply(folder: string, options: ApplyOptions = {}): Promise<RunSummary> {
  checkTexts('apply', { folder });
  checkOptions('apply', options);
  if (options.plan) {
    checkPlannedFolder(folder);
  }
  const loaded = loadAssembly(folder);
  refusePlaceholders(loaded);
  if (options.plan && isPartial(options)) {
    throw new Error(
      '--target: cannot be combined with a saved plan. Fix: run apply with the output folder',
    );
  }
  return write(loaded, options, async (program, run) =>
    applyProgram(program, {
      ...options,
      ...takenOver(options),
      ...partial(options),
      ...run,
      rolls: rollsByImpact,
    }),
  );
}

/**
 * Deletes what apply created, in reverse order; only objects in the inventories are touched. Throws
 * if it cannot begin.
 */
export async function destroy(folder: string, options: DestroyOptions = {}): Promise<RunSummary> {
  checkTexts('destroy', { folder });
  checkOptions('destroy', options);
  // the others need no context, and are bound where they have one
  const { target: removed, ...binding } = options;
  return write(loadAssembly(folder), { ...binding, removed }, async (program, run) =>
    destroyProgram(program, { ...options, ...run }),
  );
}

/**
 * Writes an output folder in stages for a GitOps engine. No cluster is read. Throws, and writes
 * nothing, if there are errors among the findings.
 *
 * @param folder the output folder of a synthesis without an engine
 */
export async function deliver(folder: string, options: DeliverOptions): Promise<DeliverResult> {
  checkTexts('deliver', { folder });
  checkOptions('deliver', options);
  return deliverOutput(readPlainOutput(folder), options);
}

/**
 * Writes manifests that no synthesis wrote as `deliver` does.
 *
 * @param from the folder with the manifests of each cluster, by its name
 */
export async function deliverManifests(
  from: { readonly [target: string]: ClusterManifests },
  options: DeliverManifestsOptions,
): Promise<DeliverResult> {
  checkOptions('deliverManifests', options);
  const { maxFileSize, followLinks, exclude } = options;
  return deliverOutput(readPlainManifests(from, { maxFileSize, followLinks, exclude }), options);
}

/**
 * Reads live clusters and folders of manifests, and writes the modules of a program that declares
 * what was found. Nothing is written to a cluster or a file.
 * The texts contain no values of Secrets.
 */
export async function adopt(options: AdoptOptions): Promise<AdoptResult> {
  checkOptions('adopt', options);
  return adoptClusters(options);
}

/**
 * Finds what exists on the clusters of a program and not in it, as a diff for `git apply`; and
 * which objects were changed or deleted on the clusters, with the lines of their statements.
 * Nothing is written to a cluster or a file. Objects that the config file ignores are not reported
 * as missing in the program.
 *
 * @param folder the output folder with its assembly; the program is in the closest folder above it, as far as the current folder
 */
export async function adoptUpdate(
  folder: string,
  options: AdoptUpdateOptions = {},
): Promise<AdoptUpdateResult> {
  checkTexts('adoptUpdate', { folder });
  checkOptions('adoptUpdate', options);
  const { select, config, signal } = options;
  return look(folder, options, async (program, app, scrub) => ({
    ...(await updateProgram(program, app, { select, config, signal, scrub })),
    scrub,
  }));
}

/**
 * Adopts the objects of a program as they are, and those that give permissions as the reviewed file
 * of `adopt` lists them; the file that the config file names is not read. Throws before anything is
 * written if a cluster differs from the file, or a value would change. Objects that fail are in the
 * summary, and the same call resumes.
 *
 * @param folder the output folder with its assembly
 * @param file the reviewed file, e.g. `take-over.yaml`
 */
export async function takeOver(
  folder: string,
  file: string,
  options: TakeOverOptions = {},
): Promise<TakeOverResult> {
  checkTexts('takeOver', { folder, file });
  checkOptions('takeOver', options);
  const loaded = loadAssembly(folder);
  refusePlaceholders(loaded);
  return write(loaded, options, async (program, run) =>
    takeOverProgram(program, file, { ...options, ...run, rolls: rollsByImpact }),
  );
}

/**
 * Registers a Harvester with its Rancher once more, after a changed token, certificate authority or
 * address, or with another Rancher, and waits until it is connected. The program must have been
 * applied. Throws if it does not connect, with the reason.
 */
export async function register(
  folder: string,
  harvester: string,
  options: RegisterOptions = {},
): Promise<RunSummary> {
  checkTexts('register', { folder, harvester });
  checkOptions('register', options);
  return write(loadAssembly(folder), options, async (program, run) =>
    registerHarvester(program, { ...options, ...run, harvester }),
  );
}

/**
 * Removes a target that the program no longer declares from the inventories. Nothing is written to
 * its cluster.
 */
export async function forget(
  folder: string,
  target: string,
  options: ForgetOptions = {},
): Promise<ForgetResult> {
  checkTexts('forget', { folder, target });
  checkOptions('forget', options);
  const loaded = loadAssembly(folder);
  const { acceptNewCluster, confirm, signal } = options;
  const binding = await bindTargets(loaded.assembly.targets, options);
  const run = { app: appOf(options.app), acceptNewCluster, confirm, signal };
  return closing(binding, async () => ({
    inventories: await forgetTarget({ ...loaded, targets: binding.targets }, target, run),
  }));
}

/** Resolves the late values of a program on the live clusters. Nothing is written to them. */
export async function resolve(
  folder: string,
  options: ResolveOptions = {},
): Promise<ResolveResult> {
  checkTexts('resolve', { folder });
  checkOptions('resolve', options);
  return resolveProgram(loadAssembly(folder), options);
}

/** Reports which objects of a program are live and which are ready. */
export async function status(folder: string, options: ClusterOptions = {}): Promise<StatusResult> {
  checkTexts('status', { folder });
  checkOptions('status', options);
  const { acceptNewCluster, signal } = options;
  return look(folder, options, async (program, app, scrub) => ({
    targets: await statusOf(program, program.targets, app, { acceptNewCluster, signal }),
    scrub,
  }));
}

/** Examines the live clusters for problems. Nothing is written. */
export async function doctor(folder: string, options: DoctorOptions = {}): Promise<DoctorResult> {
  checkTexts('doctor', { folder });
  checkOptions('doctor', options);
  const { drift, acceptNewCluster, signal } = options;
  return look(folder, options, async (program, app, scrub) => ({
    ...(await examineClusters(program, program.targets, { app, drift, acceptNewCluster, signal })),
    scrub,
  }));
}

/**
 * Reads from the targets of a program. A version other than the declared one is part of the result
 * and does not stop it.
 */
async function look<T>(
  folder: string,
  options: ClusterOptions,
  act: (program: RunProgram, app: App, scrub: Scrubbed['scrub']) => Promise<T>,
): Promise<T> {
  const loaded = loadAssembly(folder);
  const app = appOf(options.app);
  const empty = emptyTargets(loaded.assembly);
  const binding = await bindTargets(loaded.assembly.targets, {
    ...options,
    acceptVersionSkew: true,
    optional: ({ name }) => empty.has(name),
  });
  const redactor = Redactor.of(loaded.manifests.values());
  const scrub = (text: string): string => redactor.scrub(text);
  return closing(binding, async () => act({ ...loaded, targets: binding.targets }, app, scrub));
}

/** Writes to the clusters of a program. What the transports learn to be secret is in no event. */
async function write<T>(
  loaded: LoadedAssembly,
  options: WriteOptions & RemovedTargets,
  act: (program: RunProgram, run: Pick<RunOptions, 'app' | 'redactor' | 'version'>) => Promise<T>,
): Promise<T> {
  const { onEvent, timeoutMs } = options;
  const redactor = new Redactor();
  const version = packageVersion();
  const onWarning =
    options.onWarning ??
    ((target: string, message: string) => {
      onEvent?.({ type: 'warning', target, message });
    });
  const bind = {
    ...options,
    onWarning,
    transport: { redactor, ...boundsOf(timeoutMs) },
  };
  return withClusters(loaded, bind, async (program, app) =>
    act(program, { app, redactor, version }),
  );
}

/** What is adopted: what the options name, and what the take-over file of the config file lists. */
function takenOver(options: PlanOptions | ApplyOptions): {
  readonly acceptExisting: readonly string[];
} {
  const { config } = options;
  return {
    acceptExisting: [
      ...(options.acceptExisting ?? []),
      ...readConfigFile(config, process.cwd()).takeOver,
    ],
  };
}

/** What a run on some targets does not do: what it leaves out looks like what is gone. */
function partial(options: ChosenTargets): { readonly prune?: false; readonly acceptEmpty?: true } {
  return isPartial(options) ? { prune: false, acceptEmpty: true } : {};
}
