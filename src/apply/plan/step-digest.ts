import { createHash } from 'crypto';
import { canonical } from './canonical';
import { PlanStep } from './plan';
import { FieldPath } from '../../model/field-path';
import { isRecord, Manifest } from '../../model/manifest';
import { HiddenValues, isHidden, withoutHashes } from '../../model/secret/hidden-values';

/**
 * What a step would write and what it would change. Secrets are left out, so that nobody guesses them from it: what is written is held by the digest
 * of the assembly, and what was there by the version of the live object.
 */
export function stepDigest(
  step: Omit<PlanStep, 'digest'>, written: Manifest | undefined, values: HiddenValues, secretPaths: readonly FieldPath[],
): string {
  const { id, action, changes, conflicts, forces, waitsFor, live } = step;
  return createHash('sha256').update(canonical({
    id,
    action,
    written: written ? withoutHashes(values.show(written, [], written, secretPaths)) : null,
    changes: changes.map(({ path, before, after }) => ({ path, before: withoutHashes(before), after: withoutHashes(after) })),
    conflicts,
    ...(forces ? { forces } : {}),
    waitsFor,
    uid: live?.uid ?? null,
    version: changes.some(({ before }) => holdsHash(before)) ? live?.resourceVersion ?? null : null,
  })).digest('hex');
}

function holdsHash(shown: unknown): boolean {
  if (Array.isArray(shown)) { return shown.some(holdsHash); }
  return isRecord(shown) ? Object.values(shown).some(holdsHash) : isHidden(shown);
}
