import { withSurroundings } from './choose-parts';
import { mermaidOf } from './mermaid';
import { pictureOf } from './picture';
import { PartChange, Platform, PlatformPart, platformOf } from './platform';
import { objectId, refId } from '../../core/manifest/manifest';
import { attempt } from '../../core/text/values';
import { Input } from '../../engine/read/read-input';
import { ChangeGroup, ObjectChange } from '../changes/object-changes';

/** A reviewer sees no more on one page. */
const MOST_BOXES = 30;

/** Nothing is declared. */
const EMPTY: Platform = { clusters: [], parts: [] };

/**
 * What a change adds, changes, and removes, with what is around it, as a flowchart of Mermaid.
 * Undefined where it would show nothing but a list, or too much.
 */
export function changePicture(
  before: Input,
  after: Input,
  groups: readonly ChangeGroup[],
): string | undefined {
  const [was, is] = [platformIn(before), platformIn(after)];
  if (groups.length === 0 || !was || !is) {
    return undefined;
  }
  const both = joined(
    was,
    is,
    groups.flatMap(({ objects }) => objects),
  );
  const own = new Set(both.parts.filter(({ change }) => change !== undefined).map(({ id }) => id));
  const picture = pictureOf(withSurroundings(both, own));
  const boxes = picture.lanes.flatMap((lane) => lane.boxes);
  return picture.lines.length === 0 || boxes.length > MOST_BOXES ? undefined : mermaidOf(picture);
}

/** The platform of one output; undefined for manifests of other origin. */
function platformIn({ assemblies, objects }: Input): Platform | undefined {
  const [assembly] = assemblies;
  if (assemblies.length !== 1 || !assembly) {
    return objects.length === 0 ? EMPTY : undefined;
  }
  const known = new Map(
    objects.map(({ target, manifest }) => [objectId(target.name, manifest), manifest]),
  );
  const manifests = new Map(
    assembly.objects.flatMap((object) => {
      const manifest = known.get(refId(object.target, object)) ?? object.template;
      return manifest ? [[object.id, manifest] as const] : [];
    }),
  );
  // edges lead to objects that are missing in damaged outputs
  return manifests.size === assembly.objects.length
    ? attempt(() => platformOf({ assembly, manifests }))
    : undefined;
}

/** The new platform with what leaves it; each part has what the change does to it. */
function joined(was: Platform, is: Platform, changes: readonly ObjectChange[]): Platform {
  const partIds = new Set(is.parts.map(({ id }) => id));
  const clusterNames = new Set(is.clusters.map(({ name }) => name));
  const left = was.parts.filter(({ id }) => !partIds.has(id));
  const marks = new ChangeMarks(was, partIds, changes);
  return {
    clusters: [...is.clusters, ...was.clusters.filter(({ name }) => !clusterNames.has(name))],
    parts: [...is.parts, ...left].map((part) => marks.on(part)),
  };
}

/** Marks parts with what a change does to them. */
class ChangeMarks {
  private readonly before: ReadonlyMap<string, PlatformPart>;
  private readonly touched: ReadonlySet<string>;

  public constructor(
    was: Platform,
    private readonly remaining: ReadonlySet<string>,
    changes: readonly ObjectChange[],
  ) {
    this.before = new Map(was.parts.map((part) => [part.id, part]));
    this.touched = touchedObjects(changes);
  }

  /** The part with its mark, and without what reports know of it. */
  public on(part: PlatformPart): PlatformPart {
    const change = this.changeOf(part);
    const plain = { ...part, facts: [], late: [], problems: [] };
    return change === undefined ? plain : { ...plain, change };
  }

  private changeOf(part: PlatformPart): PartChange | undefined {
    if (!this.remaining.has(part.id)) {
      return 'removed';
    }
    const previous = this.before.get(part.id);
    if (previous === undefined) {
      return 'added';
    }
    // an object that leaves is one of the previous part
    return this.isTouched(part) || this.isTouched(previous) ? 'changed' : undefined;
  }

  private isTouched({ objects, cluster }: PlatformPart): boolean {
    return objects.some((object) => this.touched.has(keyOf(cluster, object)));
  }
}

/** The objects that a change touches, by their present and their previous names. */
function touchedObjects(changes: readonly ObjectChange[]): ReadonlySet<string> {
  const now = changes.map(({ target, object }) => keyOf(target, object));
  const previous = changes.flatMap(({ was }) => (was ? [keyOf(was.target, was.object)] : []));
  return new Set([...now, ...previous]);
}

function keyOf(target: string, object: string): string {
  return `${target} ${object}`;
}
