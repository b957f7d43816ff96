import { FieldSet, fieldSetOf, holds, isEmptySet, split, union } from './field-set';
import { ANNOTATION_LAST_APPLIED, KUBECTL_LAST_APPLIED_MANAGER } from '../../model/field-managers';
import { Manifest } from '../../model/manifest';
import { JsonPatchOperation, LiveObject } from '../cluster/cluster';

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
