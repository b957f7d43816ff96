import { isRecord } from '../../model/manifest';
import { BoundTarget } from '../bind/targets';
import { LiveObject } from '../cluster/cluster';
import { HiddenValues } from '../plan/hidden-values';

/** User and password in a URL. */
const USER_INFO = /:\/\/[^/\s:@"]*:[^/\s@"]+@/g;

/**
 * What an object says of itself, without what it holds as a secret. Its own status is not taken for one, though it repeats some: the words would go
 * with the secret in them.
 */
export function wordsOf(text: string, object: LiveObject): string {
  const { status: _, ...said } = object;
  const hidden = new HiddenValues();
  const json = parsed(object.value);
  const parts = json === undefined ? [said] : [said, { ...said, value: json }];
  return parts.reduce((clean, part) => hidden.scrub(clean, part, []), text).replace(USER_INFO, '://<secret>@');
}

/** Why a target could not be asked, without what stands in front of it already. */
export function reasonOf(error: Error, { target: { name }, by }: Pick<BoundTarget, 'target' | 'by'>): string {
  const place = `target ${name} (${by}): `;
  return error.message.startsWith(place) ? error.message.slice(place.length) : error.message;
}

// servers repeat a part of a Setting's value rather than the whole of it
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') { return undefined; }
  try {
    const json: unknown = JSON.parse(value);
    return isRecord(json) ? json : undefined;
  } catch {
    return undefined;
  }
}
