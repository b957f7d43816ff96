import { ANNOTATION_LAST_APPLIED, FORMER_WRITERS, KUBECTL_LAST_APPLIED_MANAGER } from '../../core/kind/field-managers';
import { Manifest, isRecord, objectLabel } from '../../core/manifest/manifest';
import { JsonPatchOperation, LiveObject } from '../cluster/cluster';
import { ApiError, FieldConflict } from '../transport/api';

/** What may be done to the managers that objects of the program have, only where it is asked for. */
export interface ManagedFieldsOptions {
  /** Managers whose fields on objects of the program become ours. @default - nobody's */
  readonly adoptFrom?: readonly string[];
  /** Managers with an apiVersion that an object can't be applied with any more get that of the program. @default false */
  readonly migrateManagedFields?: boolean;
}

/** How fields of other field managers are treated when objects are written. */
export interface FieldOptions extends ManagedFieldsOptions {
  /** The field manager of the app. */
  readonly fieldManager: string;
  /** IDs of objects whose conflicting fields are taken from other field managers. @default - conflicts are errors */
  readonly forceConflicts?: readonly string[];
}

/** Whether conflicting fields of an object are taken from other field managers. */
export function isForced({ forceConflicts = [] }: Pick<FieldOptions, 'forceConflicts'>, id: string): boolean {
  return forceConflicts.includes(id);
}

/** Throws if a field manager cannot be adopted from. */
export function checkAdoptFrom({ adoptFrom = [] }: ManagedFieldsOptions, fieldManager: string): void {
  for (const manager of adoptFrom) {
    if (manager === '') { throw new Error('--adopt-from: got an empty name, expected that of a manager as conflicts name it, e.g. kubectl'); }
    if (manager === fieldManager) { throw new Error(`--adopt-from: ${manager} is the name that this app writes by; name the manager of before`); }
  }
}

/** What of it a plan says, and keeps where it is saved. */
export function savedOptions({ adoptFrom = [], migrateManagedFields }: ManagedFieldsOptions): ManagedFieldsOptions {
  return { ...adoptFrom.length > 0 ? { adoptFrom } : {}, ...migrateManagedFields ? { migrateManagedFields } : {} };
}

/** What a saved plan was made with; an apply of it does the same. */
export function optionsOfPlan(plan: ManagedFieldsOptions, given: ManagedFieldsOptions): ManagedFieldsOptions {
  const [planned, asked] = [plan, given].map(({ adoptFrom = [] }) => new Set(adoptFrom));
  const more = [...asked].filter((manager) => !planned.has(manager));
  if (more.length > 0) {
    throw new Error(`the plan takes nothing over from ${more.join(', ')}: make a new plan with --adopt-from ${more.join(' --adopt-from ')}`);
  }
  if (given.migrateManagedFields && !plan.migrateManagedFields) {
    throw new Error('the plan migrates no managed fields: make a new plan with --migrate-managed-fields');
  }
  return savedOptions(plan);
}

/**
 * A set of fields as `metadata.managedFields` writes it: `f:`, `k:` and `v:` name what lies below; `.` says that the thing itself is in the set, too,
 * and something without anything below is in the set by itself.
 *
 * @see sigs.k8s.io/structured-merge-diff fieldpath/serialize.go
 */
export interface FieldSet { readonly [step: string]: FieldSet }

const SELF = '.';

/** What an entry has; nothing where it does not say it as fields. */
export function fieldSetOf(fieldsV1: unknown): FieldSet {
  return isRecord(fieldsV1) ? fieldsV1 as FieldSet : {};
}

export function isEmptySet(set: FieldSet): boolean {
  return Object.keys(set).length === 0;
}

/** The fields that are in one of two sets. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  const steps = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return Object.fromEntries(steps.map((step) => {
    const [one, other] = [below(a, step), below(b, step)];
    return [step, one && other ? unionBelow(one, other) : one ?? other ?? {}];
  }));
}

/** A set, and what lies below a field of the object that is taken out of it. */
export function split(set: FieldSet, field: string): { readonly rest: FieldSet; readonly out: FieldSet } {
  const { [`f:${field}`]: out, ...rest } = set;
  return { rest, out: out === undefined ? {} : { [`f:${field}`]: out } };
}

/** Whether a field is in a set, by the keys of the maps on the way to it. */
export function holds(set: FieldSet, path: readonly string[]): boolean {
  return path.reduce<FieldSet | undefined>((current, key) => current && below(current, `f:${key}`), set) !== undefined;
}

function below(set: FieldSet, step: string): FieldSet | undefined {
  return Object.hasOwn(set, step) ? set[step] : undefined;
}

// something with nothing below is in its set by itself, which it must still be beside what the other set has below it
function unionBelow(a: FieldSet, b: FieldSet): FieldSet {
  const itself = isEmptySet(a) || isEmptySet(b);
  const both = union(a, b);
  return itself && !isEmptySet(both) ? { [SELF]: {}, ...both } : both;
}

/** Which managers of an object are rewritten. */
export interface RewriteOptions {
  /** Ours. */
  readonly fieldManager: string;
  /** Managers whose fields become ours. */
  readonly adoptFrom?: readonly string[];
  /** Whether all other managers get the apiVersion of the program. @default false */
  readonly migrate?: boolean;
}

/** How the managers of an object are rewritten. */
export interface Rewrite {
  /** Changes who has which field, and takes kubectl's annotation away where its fields are taken; nothing where the object was written since. */
  readonly patch: readonly JsonPatchOperation[];
  /** The object as it is then. */
  readonly object: LiveObject;
  /** Managers whose fields become ours. */
  readonly takenFrom: readonly string[];
  /** Managers that get another apiVersion: `rancher (provisioning.cattle.io/v1beta1)`. */
  readonly migrated: readonly string[];
}

type Entry = NonNullable<LiveObject['metadata']['managedFields']>[number];

/**
 * What is to be done so that fields of other managers are ours: a server-side apply by force would leave them with both, and a field that is taken
 * out of the program would stay. Undefined where there is nothing to do. The status stays with whom it is, unless the program names it.
 *
 * As `kubectl` migrates its own entries, but over different apiVersions, too: fields of an older one are taken by the same paths.
 *
 * @see kubernetes/client-go:util/csaupgrade/upgrade.go; fluxcd/pkg:ssa/patch.go
 */
export function rewriteOf(live: LiveObject, manifest: Manifest, options: RewriteOptions): Rewrite | undefined {
  const { fieldManager, adoptFrom = [], migrate = false } = options;
  const entries = live.metadata.managedFields ?? [];
  const takenFrom = new Set<string>();
  const migrated = new Set<string>();
  const kept: Entry[] = [];
  let ours: { readonly entry: Entry; readonly fields: FieldSet } | undefined;
  for (const entry of entries) {
    const fields = fieldSetOf(entry.fieldsV1);
    const isOurs = entry.manager === fieldManager && entry.operation === 'Apply';
    if (entry.subresource || !(isOurs || adoptFrom.includes(entry.manager))) {
      kept.push(entry);
      continue;
    }
    const { rest, out } = isOurs || 'status' in manifest ? { rest: fields, out: {} } : split(fields, 'status');
    if (!isEmptySet(out)) { kept.push({ ...entry, fieldsV1: out }); }
    if (!isOurs && isEmptySet(rest)) { continue; }
    if (!isOurs) { takenFrom.add(entry.manager); }
    ours = ours ? { entry: ours.entry, fields: union(ours.fields, rest) } : { entry, fields: rest };
  }
  const moved = migrate ? kept.map((entry) => {
    if (entry.apiVersion === manifest.apiVersion) { return entry; }
    migrated.add(nameOf(entry));
    return { ...entry, apiVersion: manifest.apiVersion };
  }) : kept;
  if (migrate && ours?.entry.manager === fieldManager && ours.entry.apiVersion !== manifest.apiVersion) { migrated.add(nameOf(ours.entry)); }
  if (takenFrom.size === 0 && migrated.size === 0) { return undefined; }

  const our = ours && { ...ours.entry, manager: fieldManager, operation: 'Apply', apiVersion: manifest.apiVersion, fieldsV1: ours.fields };
  const managedFields = together([...our ? [our] : [], ...moved]);
  const object = { ...live, metadata: { ...live.metadata, managedFields } };
  const annotation = takenFrom.size > 0 && annotationGoes(live, manifest, kept);
  return {
    patch: [
      { op: 'test', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion },
      { op: 'add', path: '/metadata/managedFields', value: managedFields },
      ...annotation ? [{ op: 'remove', path: `/metadata/annotations/${pointer(ANNOTATION_LAST_APPLIED)}` } as const] : [],
    ],
    object: annotation ? withoutLastApplied(object) : object,
    takenFrom: [...takenFrom].sort(),
    migrated: [...migrated].sort(),
  };
}

/** Managers that have an object by another apiVersion than the program: `rancher (provisioning.cattle.io/v1beta1)`. */
export function managersOfOtherVersions(live: LiveObject, { apiVersion }: Manifest): readonly string[] {
  return [...new Set((live.metadata.managedFields ?? []).filter((entry) => entry.apiVersion !== apiVersion).map(nameOf))].sort();
}

function nameOf({ manager, apiVersion }: Entry): string {
  return `${manager} (${String(apiVersion)})`;
}

/** An object without kubectl's annotation. */
export function withoutLastApplied(live: LiveObject): LiveObject {
  const { annotations, ...metadata } = live.metadata;
  const { [ANNOTATION_LAST_APPLIED]: _, ...rest } = annotations ?? {};
  return { ...live, metadata: { ...metadata, ...Object.keys(rest).length > 0 ? { annotations: rest } : {} } };
}

/** Unless the program wants it, or somebody has it whose fields are not taken. */
function annotationGoes(live: LiveObject, manifest: Manifest, kept: readonly Entry[]): boolean {
  return live.metadata.annotations?.[ANNOTATION_LAST_APPLIED] !== undefined
    && (manifest.metadata.annotations as { readonly [key: string]: unknown } | undefined)?.[ANNOTATION_LAST_APPLIED] === undefined
    && !kept.some(({ manager, fieldsV1 }) => (
      manager !== KUBECTL_LAST_APPLIED_MANAGER && holds(fieldSetOf(fieldsV1), ['metadata', 'annotations', ANNOTATION_LAST_APPLIED])));
}

/** A server knows a manager by its name, what it did, the subresource and, unless it applied, the version: of two that are one, it forgets one. */
function together(entries: readonly Entry[]): readonly Entry[] {
  const found = new Map<string, Entry>();
  for (const entry of entries) {
    const { manager, operation, subresource = '', apiVersion } = entry;
    const key = JSON.stringify([manager, operation, subresource, operation === 'Apply' ? '' : apiVersion]);
    const known = found.get(key);
    found.set(key, known ? { ...known, fieldsV1: union(fieldSetOf(known.fieldsV1), fieldSetOf(entry.fieldsV1)) } : entry);
  }
  return [...found.values()];
}

/** A key as a part of a JSON pointer. */
export function pointer(key: string): string {
  return key.replace(/~/g, '~0').replace(/\//g, '~1');
}

/**
 * What a server says where it can't turn an object into a version that one of its managers has: the version is no more, or it lacks a field that the
 * object has. A field of the program that the server does not know sounds alike ("failed to create typed patch object"), and is none of these.
 *
 * Seen on a Kubernetes 1.34.4 API server, all with status 500; issues kubernetes/kubernetes#111937, fluxcd/flux2#5715.
 */
const WORDS = /^failed to prune fields: |^failed to convert (new|live|merged) object: |request to convert CR to an invalid group\/version: /;

/** Whether a server could not apply an object for the versions that its managers have. */
export function isOfManagers(error: unknown): error is ApiError {
  return error instanceof ApiError && error.failure === 'invalid' && WORDS.test(error.message);
}

/** The managers that a server could not apply an object for; undefined where it ended for another reason. */
export function outdatedManagers(error: unknown, live: LiveObject, manifest: Manifest): readonly string[] | undefined {
  if (!isOfManagers(error)) { return undefined; }
  const managers = managersOfOtherVersions(live, manifest);
  return managers.length > 0 ? managers : undefined;
}

/** What to do about them. */
export function migrationHint(manifest: Manifest, managers: readonly string[]): string {
  return `the managed fields of ${objectLabel(manifest)} name versions that it can't be had in any more: ${managers.join(', ')}; `
    + `--migrate-managed-fields gives them ${manifest.apiVersion}, and leaves all else as it is`;
}

/** What is done to the managers of an object; for people. */
export function rewriteText({ takenFrom, migrated }: Pick<Rewrite, 'takenFrom' | 'migrated'>): string {
  return [
    ...takenFrom.length > 0 ? [`taken over from ${takenFrom.join(', ')}`] : [],
    ...migrated.length > 0 ? [`managed fields migrated: ${migrated.join(', ')}`] : [],
  ].join('; ');
}

/** One more way out of conflicts, with tools that write only what they are told to; empty with others. */
export function adoptHint(conflicts: readonly FieldConflict[]): string {
  const managers = [...new Set(conflicts.map(({ manager }) => manager))].filter((manager) => FORMER_WRITERS.includes(manager)).sort();
  return managers.length === 0 ? '' : `, or ${managers.map((manager) => `--adopt-from ${manager}`).join(' ')}, to make it ours alone`;
}
