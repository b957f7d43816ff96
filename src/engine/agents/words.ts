import { Redactor } from '../../core/secret/redactor';
import { BoundTarget, LiveObject } from '../cluster/cluster';

/**
 * What an object says of itself, without what it holds as a secret. Its own status is not taken for one, though it repeats some: the words would go
 * with the secret in them.
 */
export function wordsOf(text: string, object: LiveObject): string {
  const { status: _, ...said } = object;
  return new Redactor().about(said).scrub(text);
}

/** Why a target could not be asked, without what stands in front of it already. */
export function reasonOf(error: Error, { target: { name }, by }: Pick<BoundTarget, 'target' | 'by'>): string {
  const place = `target ${name} (${by}): `;
  return error.message.startsWith(place) ? error.message.slice(place.length) : error.message;
}
