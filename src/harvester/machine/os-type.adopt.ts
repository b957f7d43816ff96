import { OsType } from './os-type';
import { DraftValue, call, member } from '../../core/draft/draft';

/** An operating system by the value of its label; undefined for none. */
export function osTypeProp(value: unknown): DraftValue {
  if (typeof value !== 'string' || value === '') { return undefined; }
  const known = Object.entries(OsType).find(([, each]) => each.value === value);
  return known ? member('OsType', known[0]) : call('OsType', 'of', value);
}
