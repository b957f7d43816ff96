import { NO_DRY_RUN, onlyInDryRun, untriable } from './compare-desired';
import {
  ManagedFieldsOptions,
  Rewrite,
  managersOfOtherVersions,
  migrationHint,
  outdatedManagers,
  rewriteOf,
} from './managed-fields';
import { FIELD_MANAGER } from '../../core/kind/field-managers';
import { kindOf } from '../../core/kind/kinds';
import { isRecord, Manifest, nameOnly } from '../../core/manifest/manifest';
import { ApplyAnswer, Cluster, LiveObject, refOf } from '../cluster/cluster';
import { ApiError, FieldConflict, isFailure, reworded } from '../transport/api';

/**
 * Whether all fields of a conflict are empty, so that taking them from other managers loses
 * nothing. Only for objects that Rancher creates.
 *
 * Seen on Rancher 2.13.8: `conflict with "rancher" using management.cattle.io/v3: .value`, for
 * every Setting.
 */
export function areEmpty(
  conflicts: readonly FieldConflict[],
  live: LiveObject | undefined,
): boolean {
  return (
    live !== undefined &&
    kindOf(live)?.createdByRancher === true &&
    conflicts.length > 0 &&
    conflicts.every(({ field }) => isEmpty(fieldAt(live, field)))
  );
}

/** The note of a plan about empty fields that are taken. */
export function emptyText(conflicts: readonly FieldConflict[]): string {
  return conflicts
    .map(({ field, manager }) => `takes the empty field ${field} from ${manager}`)
    .join(', ');
}

// `.spec.value`; Rancher leaves only such simple paths empty
function fieldAt(live: LiveObject, field: string): unknown {
  if (!/^(\.\w+)+$/.test(field)) {
    return undefined;
  }
  return field
    .slice(1)
    .split('.')
    .reduce<unknown>(
      (value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      live,
    );
}

// a missing field does not count as empty
function isEmpty(value: unknown): boolean {
  return (
    value === '' ||
    value === null ||
    (Array.isArray(value) && value.length === 0) ||
    (isRecord(value) && Object.keys(value).length === 0)
  );
}

/** How an object is applied whose field managers may have to be rewritten first. */
export interface ObjectRequest extends ManagedFieldsOptions {
  readonly fieldManager: string;
  /** The live object that was read. */
  readonly live?: LiveObject;
  /** The result of `adoption`. */
  readonly rewrite?: Rewrite;
  readonly force?: boolean;
  readonly signal?: AbortSignal;
}

/** The answer of a server to an apply. */
export interface ObjectAnswer extends ApplyAnswer {
  /** How its field managers were rewritten before; undefined if they were not. */
  readonly rewritten?: Rewrite;
}

/**
 * How the field managers of an object must be rewritten to adopt it; undefined if there is nothing
 * to adopt.
 */
export async function adoption(
  live: LiveObject,
  manifest: Manifest,
  cluster: Cluster,
  options: Pick<ObjectRequest, 'fieldManager' | 'takeFieldsFrom' | 'signal'>,
): Promise<Rewrite | undefined> {
  const { fieldManager, takeFieldsFrom = [], signal } = options;
  if (takeFieldsFrom.length === 0) {
    return undefined;
  }
  const unmanaged =
    (live.metadata.managedFields ?? []).length === 0 && untriable(manifest) === undefined;
  if (!unmanaged || !takeFieldsFrom.includes(FIELD_MANAGER.BEFORE_FIRST_APPLY)) {
    return rewriteOf(live, manifest, { fieldManager, takeFieldsFrom });
  }
  // only the server knows the fields of an object without field managers: it reports them when the
  // object is applied
  const { object } = await cluster.apply(nameOnly(refOf(manifest)), {
    fieldManager,
    dryRun: true,
    signal,
  });
  const { managedFields } = object.metadata;
  return rewriteOf({ ...live, metadata: { ...live.metadata, managedFields } }, manifest, {
    fieldManager,
    takeFieldsFrom,
  });
}

/**
 * Applies an object. If field managers must be rewritten, a dry run comes first, so that nothing is
 * adopted if the apply would fail: at another field manager, or at a webhook.
 */
export async function applyObject(
  cluster: Cluster,
  manifest: Manifest,
  request: ObjectRequest,
): Promise<ObjectAnswer> {
  const { live, rewrite, fieldManager, force, signal } = request;
  try {
    if (!rewrite) {
      return await cluster.apply(manifest, { fieldManager, force, signal });
    }
    if (untriable(manifest) === undefined) {
      await tryFirst(cluster, manifest, request);
    }
  } catch (error) {
    if (live && error instanceof ApiError && areEmpty(error.conflicts, live)) {
      return takeEmpty(cluster, manifest, live, request);
    }
    const outdated = live && outdatedManagers(error, live, manifest);
    if (!outdated) {
      throw error;
    }
    // adopted fields get the declared version anyway
    const left = rewrite ? managersOfOtherVersions(rewrite.object, manifest) : outdated;
    if (rewrite && left.length === 0) {
      return applyRewritten(cluster, manifest, rewrite, request);
    }
    if (!request.migrateManagedFields) {
      throw reworded(error, `${(error as ApiError).message}; ${migrationHint(manifest, left)}`);
    }
    return applyRewritten(
      cluster,
      manifest,
      rewriteOf(live, manifest, { ...request, migrate: true })!,
      request,
    );
  }
  return applyRewritten(cluster, manifest, rewrite, request);
}

/** Takes empty fields, unless they were set after they were read. */
async function takeEmpty(
  cluster: Cluster,
  manifest: Manifest,
  live: LiveObject,
  request: ObjectRequest,
): Promise<ObjectAnswer> {
  const { rewrite, fieldManager, signal } = request;
  if (rewrite) {
    return applyRewritten(cluster, manifest, rewrite, { ...request, force: true });
  }
  // with the version that was read, the server refuses the write if another one wrote it since
  const { resourceVersion } = live.metadata;
  return cluster.apply(
    { ...manifest, metadata: { ...manifest.metadata, resourceVersion } },
    { fieldManager, force: true, signal },
  );
}

/** Throws if field managers own fields that are not adopted, or if the server refuses. */
async function tryFirst(
  cluster: Cluster,
  manifest: Manifest,
  { fieldManager, force, signal, takeFieldsFrom = [] }: ObjectRequest,
): Promise<void> {
  try {
    await cluster.apply(manifest, { fieldManager, force, signal, dryRun: true });
  } catch (error) {
    if (
      error instanceof ApiError &&
      (NO_DRY_RUN.test(error.message) || onlyInDryRun(manifest, error.message) !== undefined)
    ) {
      return;
    }
    if (!isFailure(error, 'conflict')) {
      throw error;
    }
    const others = conflictsOfOthers(error, takeFieldsFrom);
    if (others.length > 0) {
      throw new ApiError(error.failure, error.message, error.status, error.reason, others);
    }
  }
}

/** The conflicts that remain when fields of some field managers are adopted. */
export function conflictsOfOthers(
  { conflicts }: ApiError,
  takeFieldsFrom: readonly string[] = [],
): ApiError['conflicts'] {
  return conflicts.filter(({ manager }) => !takeFieldsFrom.includes(manager));
}

async function applyRewritten(
  cluster: Cluster,
  manifest: Manifest,
  rewrite: Rewrite,
  { fieldManager, force, signal }: ObjectRequest,
): Promise<ObjectAnswer> {
  await cluster.patch(refOf(manifest), rewrite.patch, { fieldManager, signal });
  return {
    ...(await cluster.apply(manifest, { fieldManager, force, signal })),
    rewritten: rewrite,
  };
}
