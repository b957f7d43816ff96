import { Platform, PlatformPart } from './platform';
import { nearestName, some } from '../../core/text/plain-text';

/** The option that chooses parts. */
const OF = '--of';

/**
 * The part of a platform that the user names, with what it depends on and what depends on it.
 *
 * @param wanted the path of a construct, or the name of a cluster, a part, or an object
 * @throws for a name that nothing has
 */
export function chosenPlatform(platform: Platform, wanted: string): Platform {
  const chosen = platform.parts.filter((part) => isNamed(part, wanted));
  if (chosen.length === 0) {
    throw new Error(unknownName(platform, wanted));
  }
  return withSurroundings(platform, new Set(chosen.map(({ id }) => id)));
}

/** Some parts, with what they depend on and what depends on them. */
export function withSurroundings(platform: Platform, own: ReadonlySet<string>): Platform {
  const awaited = new Set(
    platform.parts.filter(({ id }) => own.has(id)).flatMap(({ dependsOn }) => dependsOn),
  );
  const parts = platform.parts
    .filter(
      ({ id, dependsOn }) =>
        own.has(id) || awaited.has(id) || dependsOn.some((other) => own.has(other)),
    )
    .map((part) => (own.has(part.id) ? part : { ...part, isAround: true }));
  const shown = new Set(parts.map(({ id }) => id));
  const clusters = new Set(parts.map(({ cluster }) => cluster));
  return {
    clusters: platform.clusters.filter(({ name }) => clusters.has(name)),
    parts: parts.map((part) => ({
      ...part,
      // what is around it is only of interest for it
      dependsOn: part.dependsOn.filter((id) => shown.has(id) && (!part.isAround || own.has(id))),
    })),
  };
}

function isNamed(part: PlatformPart, wanted: string): boolean {
  const { construct, objects } = part;
  return (
    namesOf(part).includes(wanted) ||
    construct.startsWith(`${wanted}/`) ||
    objects.some((object) => object === wanted || object.endsWith(` ${wanted}`))
  );
}

function namesOf({ id, cluster, noun, name, construct }: PlatformPart): string[] {
  return [cluster, name, `${noun} ${name}`, construct, id];
}

/** How many names a message lists. */
const MOST_NAMES = 8;

function unknownName({ parts }: Platform, wanted: string): string {
  const names = [...new Set(parts.flatMap(namesOf))];
  const nearest = nearestName(wanted, names);
  const all = [...new Set(parts.map(({ name }) => name))];
  const fix =
    nearest === undefined
      ? `set it to the path of a construct, or the name of a cluster or an object, such as ${some(all, MOST_NAMES)}`
      : `set it to ${nearest}`;
  return `${OF}: nothing has the name or the path "${wanted}". Fix: ${fix}`;
}
