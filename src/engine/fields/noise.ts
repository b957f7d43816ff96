import { kindOf } from '../../core/kind/all-kinds';
import { ANNOTATION_LAST_APPLIED } from '../../core/kind/field-managers';
import { KeptValues, KindDescription } from '../../core/kind/kind';
import { FieldPath, FieldPattern, pathText, patternOf } from '../../core/manifest/field-path';
import { Manifest } from '../../core/manifest/manifest';
import { AssemblyObject } from '../../core/output/assembly';
import { LiveObject } from '../cluster/cluster';

/** Fields of every object that only servers write. */
const METADATA = [
  'metadata.managedFields', 'metadata.resourceVersion', 'metadata.uid', 'metadata.generation', 'metadata.creationTimestamp', 'metadata.selfLink',
  'metadata.deletionTimestamp', 'metadata.deletionGracePeriodSeconds', `metadata.annotations[${ANNOTATION_LAST_APPLIED}]`, 'status',
];

const COMMON = METADATA.map(patternOf);
const BY_KIND = new Map<KindDescription, readonly FieldPattern[]>();

/**
 * Fields of an object that others write, by its kind: not a change where the program does not set them. What constructs know beyond that is in the
 * assembly (`othersWrite`); this also applies to manifests that no construct made.
 */
export function noiseOf(manifest: Manifest): readonly FieldPattern[] {
  const description = kindOf(manifest);
  if (!description) { return COMMON; }
  const known = BY_KIND.get(description);
  if (known) { return known; }
  const patterns = [...COMMON, ...(description.writtenByOthers ?? []).map(patternOf)];
  BY_KIND.set(description, patterns);
  return patterns;
}

/** Whether the product reads a value of a live object as the value of the program. */
export function meansTheSame(live: LiveObject, path: FieldPath, before: unknown, desired: unknown): boolean {
  return kindOf(live)?.meansTheSame?.(live, pathText(path), before, desired) ?? false;
}

/** Why an object must not be written in a dry run; undefined where it may be. */
export function untriable(manifest: Manifest): string | undefined {
  return kindOf(manifest)?.untriable?.(manifest);
}

/** The words of a server whose webhook has side effects even in a dry run. @see kubernetes/apiserver:pkg/admission/plugin/webhook/errors */
export const NO_DRY_RUN = /does not support dry run/i;

/** Why the words of a refused dry run say nothing of a real apply; undefined where they do. */
export function onlyInDryRun(manifest: Manifest, words: string): string | undefined {
  return kindOf(manifest)?.onlyInDryRun?.(words);
}

/** A manifest in which the values of the live object replace those that the program only derived. */
export function keepLiveValues({ derived = [] }: Pick<AssemblyObject, 'derived'>, manifest: Manifest, live: Manifest | undefined): KeptValues {
  const keep = derived.length > 0 && live ? kindOf(manifest)?.keepLive : undefined;
  return keep ? keep(manifest, live!, derived) : { manifest, kept: [] };
}
