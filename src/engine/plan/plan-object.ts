import { FieldChange, PlanAction, PlanConflict, PlanStep, stepDigest } from './plan';
import { isLate } from '../../core/late/late-token';
import { FieldPath, coverOf, isWithin, pathText, patternOf } from '../../core/manifest/field-path';
import { Manifest, groupOf } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { AssemblyObject } from '../../core/output/assembly';
import { HiddenValues } from '../../core/secret/redactor';
import { Cluster, LiveObject } from '../cluster/cluster';
import { adoption, areEmpty, conflictsOfOthers, emptyText } from '../fields/apply-object';
import { Difference, FieldDiff, fieldDiff } from '../fields/compare-desired';
import { FieldOptions, Rewrite, isForced, managersOfOtherVersions, migrationHint, outdatedManagers, rewriteText } from '../fields/managed-fields';
import { NO_DRY_RUN, keepLiveValues, noiseOf, onlyInDryRun, untriable } from '../fields/noise';
import { otherManagers, remembering } from '../fields/owned-fields';
import { withoutReleased } from '../fields/released';
import { APPLY_SET, TAKE_OUT, otherSetOf } from '../inventory/apply-set';
import { Standing, standingOf } from '../inventory/standing';
import { Written } from '../secret/digest';
import { ApiError, MissingObject } from '../transport/api';

/** An object that is to be planned, with all that is known before a dry run. */
export interface PlannedObject {
  readonly object: AssemblyObject;
  /** What would be written: known late values are in it, others stand as placeholders. */
  readonly manifest: Manifest;
  /** Fields that hold sensitive late values. */
  readonly secretPaths: readonly FieldPath[];
  /** Ids of late values that are not known. */
  readonly waitsFor: readonly string[];
  /** Undefined where it is not there. */
  readonly live?: LiveObject;
  /** Undefined where the cluster is yet to be made. */
  readonly cluster?: Cluster;
  /** Why a dry run can't tell: something that it needs is made by the same plan. */
  readonly blockedBy?: string;
  /** What the inventory remembers. */
  readonly written?: Written;
  /** The server's words, where we may not read it. */
  readonly unreadable?: string;
}

export interface PlanObjectOptions extends FieldOptions {
  readonly values: HiddenValues;
  readonly signal?: AbortSignal;
  readonly onWarning?: (object: AssemblyObject, message: string) => void;
  /** Whether the program makes what a server misses on a target. @default - it makes everything */
  readonly declares?: (target: string, missing: MissingObject) => boolean;
}

/** A step, and the object as it would be afterwards: the server's own words where it was asked, else ours. */
export interface PlannedStep {
  readonly step: PlanStep;
  readonly after: Manifest;
}

/** What a step says beside who it is of. */
interface Verdict {
  readonly action: PlanAction;
  readonly changes?: readonly FieldDiff[];
  readonly conflicts?: readonly PlanConflict[];
  readonly forces?: readonly PlanConflict[];
  readonly reason?: string;
  readonly refused?: string;
  readonly after?: Manifest;
  readonly rewrite?: Pick<Rewrite, 'takenFrom' | 'migrated'>;
}

/** A dry run: what it gave, or why there is none. */
interface Trial {
  readonly result?: LiveObject;
  readonly conflicts: readonly PlanConflict[];
  /** Conflicts that do not count, since the fields are to be taken. */
  readonly forces?: readonly PlanConflict[];
  /** Fields of other managers that are taken without being asked for, since nobody loses anything. */
  readonly takesEmpty?: string;
  readonly notTried?: string;
  readonly refused?: string;
  /** Managers that would have to be migrated first. */
  readonly migrated?: readonly string[];
}

/** What an apply would do with one object. At most one dry run, and one more where there are conflicts; none where nothing differs. */
export async function planObject(looked: PlannedObject, options: PlanObjectOptions): Promise<PlannedStep> {
  const { object, secretPaths, waitsFor, live } = looked;
  const { manifest: chosen, kept } = keepLiveValues(object, looked.manifest, live);
  const manifest = remembering(chosen, live, options.fieldManager);
  const verdict = await verdictOf({ ...looked, manifest }, options);
  const reason = [verdict.reason, ...verdict.action === 'update' ? kept : []].filter((text) => text).join('; ');
  const shown = (value: unknown, path: FieldPath): unknown => options.values.show(value, path, manifest, secretPaths);
  const changes = (verdict.changes ?? []).map(({ path, before, after }): FieldChange => ({
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
    construct: object.construct,
    ...(live ? { live: { uid: live.metadata.uid, resourceVersion: live.metadata.resourceVersion } } : {}),
  };
  return { step: { ...step, digest: stepDigest(step, manifest, options.values, secretPaths) }, after: verdict.after ?? manifest };
}

async function verdictOf(planned: PlannedObject, options: PlanObjectOptions): Promise<Verdict> {
  const { object, manifest, waitsFor, live, cluster } = planned;
  if (isLate(manifest.metadata.name) || isLate(manifest.metadata.namespace)) { return { action: 'unknown', reason: 'its name is known after apply' }; }
  if (planned.unreadable) { return { action: 'unknown', refused: `can't be read: ${planned.unreadable}` }; }
  if (!live) { return creation(planned, options); }
  if (live.metadata.deletionTimestamp !== undefined) {
    const held = live.metadata.finalizers ?? [];
    return { action: 'unknown', reason: `is being deleted${held.length > 0 ? `, held by ${held.join(', ')}` : ''}: it is made anew when it is gone` };
  }
  const { fieldManager } = options;
  const other = manifest.metadata.labels?.[APPLY_SET.PART_OF] === undefined ? undefined : otherSetOf(live, fieldManager);
  if (other) { return { action: 'unknown', refused: `belongs to ${other}: ${TAKE_OUT}` }; }
  let rewrite: Rewrite | undefined;
  try {
    rewrite = await adoption(live, manifest, cluster!, options);
  } catch (error) {
    if (!(error instanceof ApiError)) { throw error; }
    const { refused, notTried } = failedTrial(error, planned, options);
    return { action: 'update', refused, reason: notTried && `not tried: ${notTried}`, after: live };
  }
  const standing = standingOf(manifest, rewrite?.object ?? live, { fieldManager, othersWrite: object.othersWrite, written: planned.written });
  if (waitsFor.length > 0) { return { action: 'unknown', changes: asDiffs(standing.differences), after: live, rewrite }; }
  if (standing.same && !rewrite) { return { action: 'unchanged', after: live }; }

  const trial = await tryIt(standing.manifest, planned, options, cluster!, rewrite);
  const result = trial.result && rewrite ? withoutReleased(trial.result, rewrite.object, standing.manifest, fieldManager) : trial.result;
  const changes = result ? changesOf(rewrite?.object ?? live, result, standing, object) : asDiffs(standing.differences);
  const ours = standing.ours && !rewrite && !trial.migrated;
  const fails = trial.conflicts.length > 0 || trial.refused !== undefined;
  if (changes.length === 0 && ours && !fails && !trial.forces?.length) { return { action: 'unchanged', after: live }; }
  const managers = otherManagers(live, fieldManager);
  // what would fail takes nothing over
  const takenOver = standing.ours || fails ? undefined : `is there already${managers.length > 0 ? `, written by ${managers.join(', ')}` : ''}: it is taken over`;
  const rewritten = { takenFrom: rewrite?.takenFrom ?? [], migrated: trial.migrated ?? [] };
  const reason = [rewriteText(rewritten) || takenOver, trial.takesEmpty, trial.notTried && `not tried: ${trial.notTried}`].filter((text) => text).join('; ');
  return { action: 'update', changes, conflicts: trial.conflicts, forces: trial.forces, reason, refused: trial.refused, after: result, rewrite: rewritten };
}

async function creation(planned: PlannedObject, options: PlanObjectOptions): Promise<Verdict> {
  const { object, manifest, waitsFor, cluster, blockedBy } = planned;
  if (!cluster) { return { action: 'create', reason: 'not tried: the cluster is yet to be made' }; }
  if (groupOf(object.apiVersion) === GROUPS.HARVESTER && object.kind === 'Setting') {
    return { action: 'unknown', refused: `Setting ${object.name} is not on this cluster, and only Harvester makes settings: look for the version that has it` };
  }
  if (waitsFor.length > 0) { return { action: 'create', reason: 'not tried: it waits for late values' }; }
  if (blockedBy) { return { action: 'create', reason: `not tried: ${blockedBy}` }; }
  if (!await cluster.kind(manifest.apiVersion, manifest.kind, { signal: options.signal })) {
    return { action: 'create', reason: `not tried: the cluster serves no ${manifest.kind} of ${manifest.apiVersion}, and nothing in this plan makes it do so` };
  }
  const trial = await tryIt(manifest, planned, options, cluster);
  return {
    action: 'create',
    conflicts: trial.conflicts,
    forces: trial.forces,
    refused: trial.refused,
    after: trial.result,
    ...(trial.notTried ? { reason: `not tried: ${trial.notTried}` } : {}),
  };
}

async function tryIt(
  manifest: Manifest, planned: PlannedObject, options: PlanObjectOptions, cluster: Cluster, rewrite?: Rewrite,
): Promise<Trial> {
  const why = untriable(manifest);
  if (why) { return { conflicts: [], notTried: why }; }
  const { fieldManager, signal } = options;
  try {
    const { object, warnings } = await cluster.apply(manifest, { fieldManager, signal, dryRun: true });
    for (const warning of warnings) { options.onWarning?.(planned.object, options.values.scrub(warning, manifest, planned.secretPaths)); }
    return { result: object, conflicts: [] };
  } catch (error) {
    if (!(error instanceof ApiError)) { throw error; }
    const failed = (of: ApiError): Trial => untriedVersions(of, manifest, planned, options, rewrite) ?? failedTrial(of, planned, options);
    if (error.failure !== 'conflict') { return failed(error); }
    const others = conflictsOfOthers(error, options.adoptFrom);
    const told = areEmpty(others, planned.live) ? { conflicts: [], takesEmpty: emptyText(others) }
      : isForced(options, planned.object.id) ? { conflicts: [], forces: others } : { conflicts: others };
    try {
      // only to see what would be: nothing is taken from anybody in a dry run
      const { object } = await cluster.apply(manifest, { fieldManager, signal, dryRun: true, force: true });
      return { result: object, ...told };
    } catch (stillFailing) {
      if (!(stillFailing instanceof ApiError)) { throw stillFailing; }
      return { ...failed(stillFailing), ...told };
    }
  }
}

/** Where managers of the object have versions that the server can't give it in: they would have to be rewritten first, which no dry run does. */
function untriedVersions(
  error: ApiError, manifest: Manifest, planned: PlannedObject, { migrateManagedFields, values }: PlanObjectOptions, rewrite: Rewrite | undefined,
): Trial | undefined {
  const { live, secretPaths } = planned;
  if (!live || !outdatedManagers(error, live, manifest)) { return undefined; }
  const left = managersOfOtherVersions(rewrite?.object ?? live, manifest);
  if (left.length > 0 && !migrateManagedFields) {
    return { conflicts: [], refused: `${values.scrub(error.message, planned.manifest, secretPaths)}; ${migrationHint(manifest, left)}` };
  }
  return { conflicts: [], notTried: 'its managers have other versions until then', ...left.length > 0 ? { migrated: left } : {} };
}

function failedTrial(error: ApiError, planned: PlannedObject, { values, declares }: PlanObjectOptions): Trial {
  const words = values.scrub(error.message, planned.manifest, planned.secretPaths);
  const notTried = onlyInDryRun(planned.manifest, error.message)
    ?? (NO_DRY_RUN.test(error.message) ? words : undefined);
  if (notTried) { return { conflicts: [], notTried }; }
  if (error.missing && declares?.(planned.object.target, error.missing) === false) { return { conflicts: [], refused: words }; }
  switch (error.failure) {
    case 'invalid': case 'forbidden': case 'not-found': case 'blocked': case 'precondition': case 'conflict':
      if (planned.blockedBy) { return { conflicts: [], notTried: planned.blockedBy }; }
      return error.failure === 'blocked' || error.failure === 'not-found' ? { conflicts: [], notTried: words } : { conflicts: [], refused: words };
    default: throw error;
  }
}

/** What differs between the live object and what the dry run gave, without what others write anyway. */
function changesOf(live: LiveObject, result: LiveObject, { differences }: Standing, object: AssemblyObject): FieldDiff[] {
  const noise = [...noiseOf(live), ...(object.othersWrite ?? []).map(patternOf)];
  const { apiVersion: _, kind: __, ...before } = live;
  const { apiVersion: ___, kind: ____, ...after } = result;
  return fieldDiff(before, after).filter(({ path }) => (
    differences.some((ours) => isWithin(path, ours.path) || isWithin(ours.path, path)) || !noise.some((pattern) => coverOf(pattern, path))));
}

function asDiffs(differences: readonly Difference[]): FieldDiff[] {
  return differences.flatMap(({ path, before, after }) => {
    const fields = fieldDiff(before, after, path);
    return fields.length > 0 ? fields : [{ path, before, after }];
  });
}
