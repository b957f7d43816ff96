import { Manifest } from '../../manifest/manifest';

/** What a webhook looks up for a write, and what its refusals mean. */
export interface KindRefusals {
  /**
   * The kinds, as `group/Kind`, of which a webhook looks up the objects that an object refers to:
   * it refuses the object before they exist.
   * @default - only those that `passing` misses
   */
  readonly looksUp?: readonly string[];
  /** Objects that a webhook looks up although the object does not name them. @default - none */
  readonly looksAt?: LookedAt;
  /**
   * Refusals that pass by themselves: the request is right, and too early. They are retried until
   * the deadline.
   * @default - none
   */
  readonly passing?: readonly PassingRefusal[];
  /**
   * The fix for a refusal that lasts until something else changes, by the server's words; undefined
   * for other refusals. A reset that is refused so is left for a later run. @default - all refusals
   * are failures without a known fix
   */
  readonly notYet?: (words: string) => string | undefined;
  /**
   * Why an object must not be written in a dry run; undefined where it may be.
   * @default - it may be
   */
  readonly untriable?: (manifest: Manifest) => string | undefined;
  /**
   * Why the words of a refused dry run say nothing of a real apply; undefined where they do.
   * @default - they do
   */
  readonly onlyInDryRun?: (words: string) => string | undefined;
}

/** Objects that have a value in common with the object that a webhook judges by them. */
export interface LookedAt {
  readonly group: string;
  readonly kind: string;
  /** The common value, of the judged object. */
  readonly own: (manifest: Manifest) => string | undefined;
  /** The common value, of the other object. */
  readonly other: (manifest: Manifest) => unknown;
  readonly source: string;
}

/** A refusal that passes by itself. */
export interface PassingRefusal {
  readonly status: readonly number[];
  readonly words: RegExp;
  /**
   * What must exist first; the refusal passes only where the same program creates it.
   * @default - a controller lets it pass in any case
   */
  readonly missing?: (match: RegExpExecArray) => MissingObject;
  readonly source: string;
}

/** An object that must exist before another one is accepted. */
export interface MissingObject {
  /** As `group/Kind`. */
  readonly kind: string;
  /** @default - any object of that kind */
  readonly name?: string;
  /** It exists, and must be gone: the refusal passes where it is being deleted. */
  readonly going?: boolean;
}

/**
 * Statuses of a webhook that refuses a request; which one it is differs with the webhook and its
 * version.
 */
export const REFUSED: readonly number[] = [400, 403, 422, 500];
