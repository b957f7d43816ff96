import { Redactor } from '../../core/secret/redactor';
import { BoundTarget, LiveObject } from '../cluster/cluster';

/**
 * A message of an object without the secrets in the object. Its status is not treated as a secret, or the whole message would be masked.
 */
export function wordsOf(text: string, object: LiveObject): string {
  const { status: _, ...said } = object;
  return new Redactor().about(said).scrub(text);
}

/** Why a target could not be read, without the prefix that names the target. */
export function reasonOf(error: Error, { target: { name }, by }: Pick<BoundTarget, 'target' | 'by'>): string {
  const place = `target ${name} (${by}): `;
  return error.message.startsWith(place) ? error.message.slice(place.length) : error.message;
}
