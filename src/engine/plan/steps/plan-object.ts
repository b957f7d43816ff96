import { MissingObject } from '../../../core/kind/description/refusals';
import { mustExist, missingText } from '../../../core/kind/retention';
import { hasLateName } from '../../../core/late/late-token';
import {
  coverOf,
  FieldPath,
  isWithin,
  Manifest,
  pathText,
  patternOf,
} from '../../../core/manifest/manifest';
import { AssemblyObject } from '../../../core/output/assembly';
import { HiddenValues } from '../../../core/secret/redactor';
import { Cluster, LiveObject } from '../../cluster/cluster';
import { adoption, areEmpty, conflictsOfOthers, emptyText } from '../../fields/apply-object';
import { APPLY_SET, TAKE_OUT, otherSetOf } from '../../fields/apply-set';
import {
  Difference,
  FieldDiff,
  fieldDiff,
  fixOfRefusal,
  keepLiveValues,
  NO_DRY_RUN,
  noiseOf,
  onlyInDryRun,
  untriable,
} from '../../fields/compare-desired';
import { leftFieldWarnings } from '../../fields/left-fields';
import {
  FieldOptions,
  isForced,
  managersOfOtherVersions,
  migrationHint,
  otherManagers,
  outdatedManagers,
  remembering,
  Rewrite,
  rewriteText,
} from '../../fields/managed-fields';
import { withoutReleased } from '../../fields/released';
import { Standing, standingOf } from '../../inventory/standing';
import { Written } from '../../secret/digest';
import { ApiError } from '../../transport/api';
import { PlannedField, PlanAction, PlanConflict, PlanStep, stepDigest } from '../plan';

/** An object to plan, with what is known before a dry run. */
export interface PlannedObject {
  readonly object: AssemblyObject;
  /** What would be written, with known late values and placeholders for the others. */
  readonly manifest: Manifest;
  /** Fields with sensitive late values. */
  readonly secretPaths: readonly FieldPath[];
  /** IDs of late values that are not known. */
  readonly waitsFor: readonly string[];
  /** The live object; undefined if it does not exist. */
  readonly live?: LiveObject;
  /** Undefined if the cluster does not exist yet. */
  readonly cluster?: Cluster;
  /** Why a dry run is not possible: the same plan creates a dependency. */
  readonly blockedBy?: string;
  /** What the inventory knows of the last write. */
  readonly written?: Written;
  /** The UID that the inventory has of it: that of the object which the app wrote. */
  readonly knownUid?: string;
  /** The server's message if the object cannot be read. */
  readonly unreadable?: string;
}

interface PlanObjectOptions extends FieldOptions {
  /**
   * Whether objects that differ are tested with a dry run, which needs the permission to write
   * them.
   * @default true
   */
  readonly dryRun?: boolean;
  readonly values: HiddenValues;
  readonly signal?: AbortSignal;
  readonly onWarning?: (object: AssemblyObject, message: string) => void;
  /** Whether the program creates the object that a server misses. @default - always */
  readonly declares?: (target: string, missing: MissingObject) => boolean;
}

/** A step and the object after it: the server's answer to a dry run, or the manifest. */
export interface PlannedStep {
  readonly step: PlanStep;
  readonly after: Manifest;
}

/** The outcome of planning an object. */
interface Verdict {
  readonly action: PlanAction;
  readonly changes?: readonly FieldDiff[];
  readonly conflicts?: readonly PlanConflict[];
  readonly forces?: readonly PlanConflict[];
  readonly reason?: string;
  readonly refused?: string;
  /** Fields that remain although the program no longer sets them. */
  readonly warnings?: readonly string[];
  readonly after?: Manifest;
  readonly rewrite?: Pick<Rewrite, 'takenFrom' | 'migrated'>;
}

/** The result of a dry run, or why there is none. */
interface Trial {
  readonly result?: LiveObject;
  readonly conflicts: readonly PlanConflict[];
  /** Conflicts about fields that are taken (`--force-conflicts`). */
  readonly forces?: readonly PlanConflict[];
  /** Empty fields of other field managers that are taken without an option: no value is lost. */
  readonly takesEmpty?: string;
  readonly notTried?: string;
  readonly refused?: string;
  /** Field managers that must be migrated first. */
  readonly migrated?: readonly string[];
}

/**
 * Plans one object with at most one dry run, and another one if there are conflicts; none if
 * nothing differs.
 */
export async function planObject(
  looked: PlannedObject,
  options: PlanObjectOptions,
): Promise<PlannedStep> {
  const { object, secretPaths, waitsFor, live } = looked;
  const { manifest: chosen, kept } = keepLiveValues(object, looked.manifest, live);
  const manifest = remembering(chosen, live, options.fieldManager);
  const verdict = await verdictOf({ ...looked, manifest }, options);
  const reason = [verdict.reason, ...kept].filter((text) => text).join('; ');
  const shown = (value: unknown, path: FieldPath): unknown =>
    options.values.show(value, path, manifest, secretPaths);
  const changes = (verdict.changes ?? []).map(({ path, before, after }): PlannedField => ({
    path: pathText(path),
    ...(before === undefined ? {} : { before: shown(before, path) }),
    ...(after === undefined ? {} : { after: shown(after, path) }),
  }));
  const step = {
    id: object.id,
    target: object.target,
    action: verdict.action,
    changes,
    conflicts: verdict.conflicts ?? [],
    ...(verdict.forces?.length ? { forces: verdict.forces } : {}),
    waitsFor,
    ...(verdict.rewrite?.takenFrom.length ? { takesOver: verdict.rewrite.takenFrom } : {}),
    ...(verdict.rewrite?.migrated.length ? { migrates: verdict.rewrite.migrated } : {}),
    ...(reason ? { reason } : {}),
    ...(verdict.refused ? { refused: verdict.refused } : {}),
    ...(verdict.warnings?.length ? { warnings: verdict.warnings } : {}),
    construct: object.construct,
    ...(live
      ? { live: { uid: live.metadata.uid, resourceVersion: live.metadata.resourceVersion } }
      : {}),
  };
  return {
    step: { ...step, digest: stepDigest(step, manifest, options.values, secretPaths) },
    after: verdict.after ?? manifest,
  };
}

async function verdictOf(planned: PlannedObject, options: PlanObjectOptions): Promise<Verdict> {
  const { manifest, live } = planned;
  if (hasLateName(manifest.metadata)) {
    return { action: 'unknown', reason: 'its name is known after apply' };
  }
  if (planned.unreadable) {
    return { action: 'unknown', refused: `cannot be read: ${planned.unreadable}` };
  }
  if (!live) {
    return creation(planned, options);
  }
  if (live.metadata.deletionTimestamp !== undefined) {
    const held = live.metadata.finalizers ?? [];
    return {
      action: 'unknown',
      reason: `is being deleted${held.length > 0 ? `, held by ${held.join(', ')}` : ''}: it is recreated after that`,
    };
  }
  const other =
    manifest.metadata.labels?.[APPLY_SET.PART_OF] === undefined
      ? undefined
      : otherSetOf(live, options.fieldManager);
  if (other) {
    return { action: 'unknown', refused: `belongs to ${other}. ${TAKE_OUT}` };
  }
  return edit(planned, live, options);
}

/** What an apply does to an object that exists. */
async function edit(
  planned: PlannedObject,
  live: LiveObject,
  options: PlanObjectOptions,
): Promise<Verdict> {
  const { object, manifest, waitsFor, cluster } = planned;
  const { fieldManager } = options;
  let rewrite: Rewrite | undefined;
  try {
    rewrite = await adoption(live, manifest, cluster!, options);
  } catch (error) {
    if (!(error instanceof ApiError)) {
      throw error;
    }
    const { refused, notTried } = failedTrial(error, planned, options);
    return {
      action: 'update',
      refused,
      reason: notTried && `no dry run: ${notTried}`,
      after: live,
    };
  }
  const standing = standingOf(manifest, rewrite?.object ?? live, {
    fieldManager,
    othersWrite: object.othersWrite,
    written: planned.written,
  });
  const warnings = leftFieldWarnings(rewrite?.object ?? live, standing.differences, fieldManager);
  if (waitsFor.length > 0) {
    const changes = asDiffs(standing.differences);
    return { action: 'unknown', changes, warnings, after: live, rewrite };
  }
  if (standing.same && !rewrite) {
    return { action: 'unchanged', after: live };
  }
  return { ...(await triedEdit(planned, options, { live, standing, rewrite })), warnings };
}

/** A live object, compared with its manifest. */
interface ComparedLive {
  readonly live: LiveObject;
  readonly standing: Standing;
  readonly rewrite?: Rewrite;
}

/** What an apply does to an object that differs, by a dry run. */
async function triedEdit(
  planned: PlannedObject,
  options: PlanObjectOptions,
  { live, standing, rewrite }: ComparedLive,
): Promise<Verdict> {
  const { fieldManager } = options;
  const trial = await tryIt(standing.manifest, planned, options, planned.cluster!, rewrite);
  const result =
    trial.result && rewrite
      ? withoutReleased(trial.result, rewrite.object, standing.manifest, fieldManager)
      : trial.result;
  const changes = result
    ? changesOf(rewrite?.object ?? live, result, standing, planned.object)
    : asDiffs(standing.differences);
  const ours = standing.ours && !rewrite && !trial.migrated;
  const fails = trial.conflicts.length > 0 || trial.refused !== undefined;
  if (changes.length === 0 && ours && !fails && !trial.forces?.length) {
    return { action: 'unchanged', after: live };
  }
  // a step that would fail adopts nothing
  const adopted = standing.ours || fails ? undefined : adoptionText(planned, live, fieldManager);
  const rewritten = { takenFrom: rewrite?.takenFrom ?? [], migrated: trial.migrated ?? [] };
  const reason = [
    rewriteText(rewritten) || adopted,
    trial.takesEmpty,
    trial.notTried && `no dry run: ${trial.notTried}`,
  ]
    .filter((text) => text)
    .join('; ');
  return {
    action: 'update',
    changes,
    conflicts: trial.conflicts,
    forces: trial.forces,
    reason,
    refused: trial.refused,
    after: result,
    rewrite: rewritten,
  };
}

/** Why an object that the app's field manager does not own is written. */
function adoptionText({ knownUid }: PlannedObject, live: LiveObject, fieldManager: string): string {
  // e.g. Rancher once after it enables a provider of logins, see docs/roles-and-users/login-providers.md
  if (knownUid !== undefined && knownUid === live.metadata.uid) {
    return 'the record of the fields that the app sets was removed: they are set again';
  }
  const managers = otherManagers(live, fieldManager);
  return `already exists${managers.length > 0 ? `, written by ${managers.join(', ')}` : ''}: it is adopted`;
}

async function creation(planned: PlannedObject, options: PlanObjectOptions): Promise<Verdict> {
  const { object, manifest, waitsFor, cluster, blockedBy } = planned;
  if (!cluster) {
    return { action: 'create', reason: 'no dry run: the cluster does not exist yet' };
  }
  if (mustExist(object)) {
    return { action: 'unknown', refused: missingText(object) };
  }
  if (waitsFor.length > 0) {
    return { action: 'create', reason: 'no dry run: it waits for late values' };
  }
  if (blockedBy) {
    return { action: 'create', reason: `no dry run: ${blockedBy}` };
  }
  if (!(await cluster.kind(manifest.apiVersion, manifest.kind, { signal: options.signal }))) {
    return {
      action: 'create',
      reason: `no dry run: the cluster does not serve ${manifest.kind} of ${manifest.apiVersion}, and nothing in this plan defines it`,
    };
  }
  const trial = await tryIt(manifest, planned, options, cluster);
  return {
    action: 'create',
    conflicts: trial.conflicts,
    forces: trial.forces,
    refused: trial.refused,
    after: trial.result,
    ...(trial.notTried ? { reason: `no dry run: ${trial.notTried}` } : {}),
  };
}

/** Conflicts as a plan shows them: empty fields and those of `--force-conflicts` are taken. */
function judgedConflicts(
  others: ApiError['conflicts'],
  { live, object }: PlannedObject,
  options: PlanObjectOptions,
): Pick<Trial, 'conflicts' | 'forces' | 'takesEmpty'> {
  if (areEmpty(others, live)) {
    return { conflicts: [], takesEmpty: emptyText(others) };
  }
  if (isForced(options, object.id)) {
    return { conflicts: [], forces: others };
  }
  return { conflicts: others };
}

async function tryIt(
  manifest: Manifest,
  planned: PlannedObject,
  options: PlanObjectOptions,
  cluster: Cluster,
  rewrite?: Rewrite,
): Promise<Trial> {
  const why = options.dryRun === false ? 'only reading was asked for' : untriable(manifest);
  if (why) {
    return { conflicts: [], notTried: why };
  }
  const { fieldManager, signal } = options;
  try {
    const { object, warnings } = await cluster.apply(manifest, {
      fieldManager,
      signal,
      dryRun: true,
    });
    for (const warning of warnings) {
      options.onWarning?.(
        planned.object,
        options.values.scrub(warning, manifest, planned.secretPaths),
      );
    }
    return { result: object, conflicts: [] };
  } catch (error) {
    if (!(error instanceof ApiError)) {
      throw error;
    }
    const failed = (of: ApiError): Trial =>
      untriedVersions(of, manifest, planned, options, rewrite) ?? failedTrial(of, planned, options);
    if (error.failure !== 'conflict') {
      return failed(error);
    }
    const others = conflictsOfOthers(error, options.takeFieldsFrom);
    const found = judgedConflicts(others, planned, options);
    try {
      // a dry run takes nothing
      const { object } = await cluster.apply(manifest, {
        fieldManager,
        signal,
        dryRun: true,
        force: true,
      });
      return { result: object, ...found };
    } catch (stillFailing) {
      if (!(stillFailing instanceof ApiError)) {
        throw stillFailing;
      }
      return { ...failed(stillFailing), ...found };
    }
  }
}

/**
 * If field managers use versions that the server cannot convert the object to: they must be
 * rewritten first, which a dry run cannot do.
 */
function untriedVersions(
  error: ApiError,
  manifest: Manifest,
  planned: PlannedObject,
  { migrateManagedFields, values }: PlanObjectOptions,
  rewrite: Rewrite | undefined,
): Trial | undefined {
  const { live, secretPaths } = planned;
  if (!live || !outdatedManagers(error, live, manifest)) {
    return undefined;
  }
  const left = managersOfOtherVersions(rewrite?.object ?? live, manifest);
  if (left.length > 0 && !migrateManagedFields) {
    return {
      conflicts: [],
      refused: `${values.scrub(error.message, planned.manifest, secretPaths)}; ${migrationHint(manifest, left)}`,
    };
  }
  return {
    conflicts: [],
    notTried: 'its field managers use other versions until then',
    ...(left.length > 0 ? { migrated: left } : {}),
  };
}

function failedTrial(
  error: ApiError,
  planned: PlannedObject,
  { values, declares }: PlanObjectOptions,
): Trial {
  const fix = fixOfRefusal(planned.manifest, error.message);
  const message =
    values.scrub(error.message, planned.manifest, planned.secretPaths) +
    (fix === undefined ? '' : `. Fix: ${fix}`);
  const notTried =
    onlyInDryRun(planned.manifest, error.message) ??
    (NO_DRY_RUN.test(error.message) ? message : undefined);
  if (notTried) {
    return { conflicts: [], notTried };
  }
  if (error.missing && declares?.(planned.object.target, error.missing) === false) {
    return { conflicts: [], refused: message };
  }
  switch (error.failure) {
    case 'invalid':
    case 'forbidden':
    case 'not-found':
    case 'blocked':
    case 'precondition':
    case 'conflict':
      if (planned.blockedBy) {
        return { conflicts: [], notTried: planned.blockedBy };
      }
      return error.failure === 'blocked' || error.failure === 'not-found'
        ? { conflicts: [], notTried: message }
        : { conflicts: [], refused: message };
    default:
      throw error;
  }
}

/**
 * The differences between the live object and the result of the dry run, without fields that others
 * write.
 */
function changesOf(
  live: LiveObject,
  result: LiveObject,
  { differences }: Standing,
  object: AssemblyObject,
): FieldDiff[] {
  const noise = [...noiseOf(live), ...(object.othersWrite ?? []).map(patternOf)];
  const { apiVersion: _, kind: __, ...before } = live;
  const { apiVersion: ___, kind: ____, ...after } = result;
  return fieldDiff(before, after).filter(
    ({ path }) =>
      differences.some((ours) => isWithin(path, ours.path) || isWithin(ours.path, path)) ||
      !noise.some((pattern) => coverOf(pattern, path)),
  );
}

function asDiffs(differences: readonly Difference[]): FieldDiff[] {
  return differences.flatMap(({ path, before, after }) => {
    const fields = fieldDiff(before, after, path);
    return fields.length > 0 ? fields : [{ path, before, after }];
  });
}
