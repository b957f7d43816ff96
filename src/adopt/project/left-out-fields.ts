import { AdoptNote } from './adopt-note';
import { FoundObject } from '../../core/draft/draft';
import { FieldPath, objectLabel, pathText } from '../../core/manifest/manifest';
import { remembered } from '../../core/text/values';
import { Adopted } from '../adopt';
import { foundId } from '../evaluate/statements';

/** A field that the program does not declare, and that is the same on the server after an apply. */
export interface LeftOutField {
  readonly target: string;
  readonly kind: string;
  /** Its path; `[]` for all items of a list. */
  readonly field: string;
  readonly reason: string;
  /** The objects that have it, as `Kind namespace/name`. */
  readonly objects: readonly string[];
}

/** The fields of adopted objects that are left out on purpose, by kind. */
export function leftOutFieldsOf(
  found: readonly FoundObject[],
  { omitted }: Adopted,
): readonly LeftOutField[] {
  const groups = new Map<string, LeftOutField & { readonly objects: string[] }>();
  for (const object of found) {
    const { target, manifest } = object;
    const { kind } = manifest;
    for (const { path, reason } of omitted.get(foundId(object)) ?? []) {
      if (reason === undefined) {
        continue;
      }
      const field = fieldText(path);
      const { objects } = remembered(groups, `${target} ${kind} ${field} ${reason}`, () => ({
        ...{ target, kind, field, reason },
        objects: [],
      }));
      const label = objectLabel(manifest);
      if (!objects.includes(label)) {
        objects.push(label);
      }
    }
  }
  return [...groups.values()];
}

/** Fields that the program lacks although no reason is known: an apply may delete them. */
export function lostFieldsOf(
  found: readonly FoundObject[],
  { omitted, differences }: Adopted,
): readonly AdoptNote[] {
  return found.flatMap((object) => {
    const id = foundId(object);
    const { target, manifest } = object;
    if (differences.has(id)) {
      return [];
    }
    return (omitted.get(id) ?? [])
      .filter(({ reason }) => reason === undefined)
      .map(({ path }) => ({
        target,
        object: objectLabel(manifest),
        message: `${pathText(path)} is not in the program`,
      }));
  });
}

/** A path in which all items of a list are one. */
function fieldText(path: FieldPath): string {
  return pathText(path).replace(/\[\d+\]/g, '[]');
}
