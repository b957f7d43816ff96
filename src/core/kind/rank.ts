import { kindOf } from './all-kinds';
import { Manifest } from '../manifest/manifest';

/** Of kinds that are not described. */
const UNKNOWN_RANK = 45;

/** The place of an object in `kubectl apply -f folder` and in an apply: 0 to 99. */
export function rankOf(manifest: Manifest): number {
  const description = kindOf(manifest);
  return description?.rankOf?.(manifest) ?? description?.rank ?? UNKNOWN_RANK;
}
