import { LateType, lateIdsIn } from '../late/late-text';
import { FieldPath } from '../manifest/field-path';
import { Manifest, isRecord } from '../manifest/manifest';
import { AssemblyLateValue } from '../output/assembly';

/** Resolvers whose values are credentials, whatever the program declares them to be. */
const SECRET_RESOLVERS: readonly string[] = ['secret-key', 'registration-url'];

/** What decides whether a late value is a credential. */
interface LateDeclaration extends Pick<AssemblyLateValue, 'id' | 'sensitive' | 'type'> {
  readonly source: { readonly resolver: string };
}

/** The ids of late values that are credentials: those that are declared so, tokens, values read from a Secret, and texts composed of such values. */
export function sensitiveIds(lateValues: readonly LateDeclaration[]): ReadonlySet<string> {
  const ids = new Set(lateValues.filter(({ sensitive, type, source }) => (
    sensitive || type === LateType.TOKEN || SECRET_RESOLVERS.includes(source.resolver))).map(({ id }) => id));
  for (let size = -1; size !== ids.size;) {
    size = ids.size;
    for (const { id, source } of lateValues) {
      if (lateIdsIn(source).some((inner) => ids.has(inner))) { ids.add(id); }
    }
  }
  return ids;
}

/** Where an object holds sensitive late values, by its form with placeholders. */
export function secretPathsOf(template: Manifest, sensitive: ReadonlySet<string>): FieldPath[] {
  const paths: FieldPath[] = [];
  const walk = (value: unknown, path: FieldPath): void => {
    if (typeof value === 'string') {
      if (lateIdsIn(value).some((id) => sensitive.has(id))) { paths.push(path); }
    } else if (Array.isArray(value)) {
      value.forEach((item, index) => walk(item, [...path, index]));
    } else if (isRecord(value)) {
      for (const [key, item] of Object.entries(value)) { walk(item, [...path, key]); }
    }
  };
  if (sensitive.size > 0) { walk(template, []); }
  return paths;
}
