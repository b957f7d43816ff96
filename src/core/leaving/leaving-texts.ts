import { Belonging, MAIN, Placed, Renamed, isPartOf } from './leaving-groups';
import { givesAccess } from '../kind/kinds';
import { objectLabel, valueAt } from '../manifest/manifest';
import { grouped } from '../text/values';

/** What to do about objects that are gone. */
export function fixOf({ objects }: Belonging<Placed>, pairs: readonly Renamed<Placed>[]): string {
  const [pair] = pairs;
  if (pair && givesAccess(pair.before.manifest) && !MAIN.test(pair.before.construct ?? '')) {
    return 'to keep it, restore its role and its member';
  }
  if (pair) {
    return keepsNames(pairs);
  }
  return objects.length > 1 ? 'declare them again' : 'declare it again';
}

/** Why objects are gone. */
export function causeOf(
  { head }: Belonging<Placed>,
  [renamed]: readonly Renamed<Placed>[],
): string {
  const label = `${objectLabel(head.manifest)} on ${head.target}`;
  if (renamed?.now.manifest.metadata.name === head.manifest.metadata.name) {
    return `${label} is in another place: ${objectLabel(renamed.now.manifest)} on ${renamed.now.target} is another object, as is all that belongs to it`;
  }
  return renamed
    ? `${label} is renamed: ${objectLabel(renamed.now.manifest)} is another object, as is all that belongs to it`
    : `${label} and what belongs to it are no longer declared`;
}

/**
 * What keeps the names of objects whose constructs have other names now. Other objects have names
 * that follow from these.
 */
function keepsNames(pairs: readonly Renamed<Placed>[]): string {
  const head = pairs[0]!.now;
  const named = pairs.filter(
    ({ before, now }) =>
      MAIN.test(now.construct ?? '') &&
      (now === head || !isPartOf(now, head)) &&
      before.manifest.metadata.name !== now.manifest.metadata.name,
  );
  if (named.length === 0) {
    const { name } = pairs[0]!.before.manifest.metadata;
    return head.manifest.metadata.name === name
      ? 'declare it again where it was'
      : `declare it again under its name, ${name}`;
  }
  const byName = grouped(named, ({ before }) => before.manifest.metadata.name);
  const names = [...byName]
    .map(
      ([name, of]) =>
        `'${name}' for ${of.map(({ now }) => objectLabel(now.manifest)).join(' and ')}`,
    )
    .join(', ');
  const shows = named.some(
    ({ now }) => typeof valueAt(now.manifest, 'spec', 'displayName') === 'string',
  );
  return `to keep ${pairs.length > 1 ? 'the objects' : 'it'}, set the prop name to ${names}${shows ? '; displayName changes only what the UI shows' : ''}`;
}
