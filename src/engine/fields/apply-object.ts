import { ManagedFieldsOptions, Rewrite, managersOfOtherVersions, migrationHint, outdatedManagers, rewriteOf } from './managed-fields';
import { NO_DRY_RUN, onlyInDryRun, untriable } from './noise';
import { FIELD_MANAGER } from '../../core/kind/field-managers';
import { Manifest, groupOf, isRecord } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { ApplyAnswer, Cluster, LiveObject } from '../cluster/cluster';
import { ApiError, FieldConflict } from '../transport/api';

/**
 * Kinds of which Rancher creates the objects, with fields that it leaves empty and owns all the same: every apply of one is a conflict.
 *
 * Seen on Rancher 2.13.8: `conflict with "rancher" using management.cattle.io/v3: .value`, for every Setting.
 */
const CREATED_BY_RANCHER: readonly string[] = ['Setting', 'Feature', 'AuthConfig'];

/** Whether nobody loses anything when fields are taken from other managers: all of them are empty. Only of objects that Rancher creates. */
export function areEmpty(conflicts: readonly FieldConflict[], live: LiveObject | undefined): boolean {
  return live !== undefined && groupOf(live.apiVersion) === GROUPS.MANAGEMENT && CREATED_BY_RANCHER.includes(live.kind)
    && conflicts.length > 0 && conflicts.every(({ field }) => isEmpty(fieldAt(live, field)));
}

/** An object that is written only where nobody wrote it since it was read. */
export function ofVersion(manifest: Manifest, { metadata: { resourceVersion } }: LiveObject): Manifest {
  return { ...manifest, metadata: { ...manifest.metadata, resourceVersion } };
}

/** What a plan says of it. */
export function emptyText(conflicts: readonly FieldConflict[]): string {
  return conflicts.map(({ field, manager }) => `takes the empty field ${field} from ${manager}`).join(', ');
}

// `.spec.value`; a path with anything else is none that Rancher leaves empty
function fieldAt(live: LiveObject, field: string): unknown {
  if (!/^(\.\w+)+$/.test(field)) { return undefined; }
  return field.slice(1).split('.').reduce<unknown>((value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined), live);
}

// a field that is not found is none that is known to be empty
function isEmpty(value: unknown): boolean {
  return value === '' || value === null || (Array.isArray(value) && value.length === 0) || (isRecord(value) && Object.keys(value).length === 0);
}

/** How an object is written whose managers may have to be rewritten first. */
export interface ObjectRequest extends ManagedFieldsOptions {
  readonly fieldManager: string;
  /** As it was when it was looked at. */
  readonly live?: LiveObject;
  /** What `adoption` said of it. */
  readonly rewrite?: Rewrite;
  readonly force?: boolean;
  readonly signal?: AbortSignal;
}

export interface ObjectAnswer extends ApplyAnswer {
  /** How its managers were rewritten before; undefined where they were not. */
  readonly rewritten?: Rewrite;
}

/** How the managers of an object are to be rewritten so that it is ours; undefined where there is nothing to take over. */
export async function adoption(
  live: LiveObject, manifest: Manifest, cluster: Cluster, options: Pick<ObjectRequest, 'fieldManager' | 'adoptFrom' | 'signal'>,
): Promise<Rewrite | undefined> {
  const { fieldManager, adoptFrom = [], signal } = options;
  if (adoptFrom.length === 0) { return undefined; }
  const unmanaged = (live.metadata.managedFields ?? []).length === 0 && untriable(manifest) === undefined;
  if (!unmanaged || !adoptFrom.includes(FIELD_MANAGER.BEFORE_FIRST_APPLY)) { return rewriteOf(live, manifest, { fieldManager, adoptFrom }); }
  // what an object without managers is made of is known to the server alone: it says so when the object is applied
  const { object } = await cluster.apply(nameOnly(manifest), { fieldManager, dryRun: true, signal });
  const { managedFields } = object.metadata;
  return rewriteOf({ ...live, metadata: { ...live.metadata, managedFields } }, manifest, { fieldManager, adoptFrom });
}

/**
 * Applies an object. Where managers are to be rewritten it is tried first, so that nothing is taken from anybody where the apply itself would end: at
 * another manager, or at a webhook.
 */
export async function applyObject(cluster: Cluster, manifest: Manifest, request: ObjectRequest): Promise<ObjectAnswer> {
  const { live, rewrite, fieldManager, force, signal } = request;
  try {
    if (!rewrite) { return await cluster.apply(manifest, { fieldManager, force, signal }); }
    if (untriable(manifest) === undefined) { await tryFirst(cluster, manifest, request); }
  } catch (error) {
    if (live && error instanceof ApiError && areEmpty(error.conflicts, live)) { return takeEmpty(cluster, manifest, live, request); }
    const outdated = live && outdatedManagers(error, live, manifest);
    if (!outdated) { throw error; }
    // what is taken over gets the version of the program by that alone
    const left = rewrite ? managersOfOtherVersions(rewrite.object, manifest) : outdated;
    if (rewrite && left.length === 0) { return applyRewritten(cluster, manifest, rewrite, request); }
    if (!request.migrateManagedFields) { throw withWords(error as ApiError, migrationHint(manifest, left)); }
    return applyRewritten(cluster, manifest, rewriteOf(live, manifest, { ...request, migrate: true })!, request);
  }
  return applyRewritten(cluster, manifest, rewrite, request);
}

/** Takes fields that are empty, where nobody filled them in since they were read. */
async function takeEmpty(cluster: Cluster, manifest: Manifest, live: LiveObject, request: ObjectRequest): Promise<ObjectAnswer> {
  const { rewrite, fieldManager, signal } = request;
  if (rewrite) { return applyRewritten(cluster, manifest, rewrite, { ...request, force: true }); }
  return cluster.apply(ofVersion(manifest, live), { fieldManager, force: true, signal });
}

/** Throws where others than those that are taken over from have fields, and where the server refuses. */
async function tryFirst(cluster: Cluster, manifest: Manifest, { fieldManager, force, signal, adoptFrom = [] }: ObjectRequest): Promise<void> {
  try {
    await cluster.apply(manifest, { fieldManager, force, signal, dryRun: true });
  } catch (error) {
    if (error instanceof ApiError && (NO_DRY_RUN.test(error.message) || onlyInDryRun(manifest, error.message) !== undefined)) { return; }
    if (!(error instanceof ApiError) || error.failure !== 'conflict') { throw error; }
    const others = conflictsOfOthers(error, adoptFrom);
    if (others.length > 0) { throw new ApiError(error.failure, error.message, error.status, error.reason, others); }
  }
}

/** The conflicts that stay when fields of some managers are taken over. */
export function conflictsOfOthers({ conflicts }: ApiError, adoptFrom: readonly string[] = []): ApiError['conflicts'] {
  return conflicts.filter(({ manager }) => !adoptFrom.includes(manager));
}

async function applyRewritten(
  cluster: Cluster, manifest: Manifest, rewrite: Rewrite, { fieldManager, force, signal }: ObjectRequest,
): Promise<ObjectAnswer> {
  const { apiVersion, kind, metadata: { name, namespace } } = manifest;
  await cluster.patch({ apiVersion, kind, name, namespace }, rewrite.patch, { fieldManager, signal });
  return { ...await cluster.apply(manifest, { fieldManager, force, signal }), rewritten: rewrite };
}

/** An object without anything but its name. */
function nameOnly({ apiVersion, kind, metadata: { name, namespace } }: Manifest): Manifest {
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
}

function withWords({ failure, message, status, reason, conflicts }: ApiError, words: string): ApiError {
  return new ApiError(failure, `${message}; ${words}`, status, reason, conflicts);
}
