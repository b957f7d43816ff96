import { ALL_KINDS, kindOf } from '../../core/kind/all-kinds';
import { MissingObject } from '../../core/kind/kind';

/** A refusal that passes by itself. */
interface Healing {
  /** The relevant sentence: the answer may be a whole AdmissionReview. */
  readonly says: string;
  readonly missing?: MissingObject;
}

/**
 * Whether a refusal passes by itself.
 *
 * @param object the written or deleted object; undefined if the request does not contain it
 */
export function healingOf(
  object: { readonly apiVersion: string; readonly kind: string } | undefined, status: number, words: string,
): Healing | undefined {
  for (const { passing = [] } of object ? [kindOf(object) ?? {}] : ALL_KINDS) {
    for (const row of passing) {
      const match = row.status.includes(status) ? row.words.exec(words) : null;
      if (match) { return { says: match[0], ...(row.missing ? { missing: row.missing(match) } : {}) }; }
    }
  }
  return undefined;
}
