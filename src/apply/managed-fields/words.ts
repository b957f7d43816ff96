import { Rewrite } from './rewrite';
import { FORMER_WRITERS } from '../../model/field-managers';
import { FieldConflict } from '../transport/api';

/** What is done to the managers of an object; for people. */
export function rewriteText({ takenFrom, migrated }: Pick<Rewrite, 'takenFrom' | 'migrated'>): string {
  return [
    ...takenFrom.length > 0 ? [`taken over from ${takenFrom.join(', ')}`] : [],
    ...migrated.length > 0 ? [`managed fields migrated: ${migrated.join(', ')}`] : [],
  ].join('; ');
}

/** One more way out of conflicts, with tools that write only what they are told to; empty with others. */
export function adoptHint(conflicts: readonly FieldConflict[]): string {
  const managers = [...new Set(conflicts.map(({ manager }) => manager))].filter((manager) => FORMER_WRITERS.includes(manager)).sort();
  return managers.length === 0 ? '' : `, or ${managers.map((manager) => `--adopt-from ${manager}`).join(' ')}, to make it ours alone`;
}
