import { nounOf, placeOf, titleOf } from './part-nouns';
import { Manifest, objectLabel } from '../../core/manifest/manifest';
import { Assembly, AssemblyObject, AssemblyTarget, TARGET_KINDS } from '../../core/output/assembly';
import { compare, grouped, remembered } from '../../core/text/values';
import { buildGraph } from '../../engine/graph/build-graph';
import { LoadedAssembly } from '../../engine/read/load-assembly';

/** What a program declares, by cluster, and what depends on what. */
export interface Platform {
  /** Rancher, the Harvesters, and the guest clusters. */
  readonly clusters: readonly PlatformCluster[];
  /** In the order in which an apply reaches their main objects. */
  readonly parts: readonly PlatformPart[];
}

/** A target of the program. */
export interface PlatformCluster {
  readonly name: string;
  readonly kind: AssemblyTarget['kind'];
  /** The version of Rancher, Harvester, or Kubernetes. */
  readonly version: string;
  /** The Harvester that the machines of a guest cluster run on. @default - none, or not known */
  readonly harvester?: string;
  /** The Rancher that manages it. @default - none, or not known */
  readonly rancher?: string;
}

/** An object that people know by itself, with what belongs to it. */
export interface PlatformPart {
  /** The ID of its main object. */
  readonly id: string;
  /** The name of its cluster. */
  readonly cluster: string;
  /** What it is, e.g. `IP pool`. */
  readonly noun: string;
  readonly name: string;
  /** The construct that writes it. */
  readonly construct: string;
  /** All its objects, the main one first, each as its kind, namespace, and name. */
  readonly objects: readonly string[];
  /** The parts that must exist before it, or that it uses, by their IDs. */
  readonly dependsOn: readonly string[];
  /** What its late values are. */
  readonly late: readonly string[];
  /** What reports know of it, e.g. `5 of 20 addresses are free`. */
  readonly facts: readonly string[];
  /** What does not fit, or is lost. */
  readonly problems: readonly string[];
  /** What a change does to it. @default - nothing */
  readonly change?: PartChange;
  /** Whether it was not chosen, and a chosen part depends on it or the other way around. */
  readonly isAround?: boolean;
}

/** What a change does to a part. */
export type PartChange = 'added' | 'changed' | 'removed';

/** What reports say of objects, by the ID of the object. */
export interface PartNotes {
  readonly facts: ReadonlyMap<string, readonly string[]>;
  readonly problems: ReadonlyMap<string, readonly string[]>;
  /** The IDs of objects that it uses and does not wait for. */
  readonly uses: ReadonlyMap<string, readonly string[]>;
}

/** Without any report. */
export const NO_NOTES: PartNotes = { facts: new Map(), problems: new Map(), uses: new Map() };

/** A part whose objects are not all known yet. */
interface DraftPart {
  readonly main: AssemblyObject;
  readonly objects: AssemblyObject[];
  readonly after: Set<DraftPart>;
}

/** The platform of an output folder. */
export function platformOf(
  { assembly, manifests }: Pick<LoadedAssembly, 'assembly' | 'manifests'>,
  { facts, problems, uses }: PartNotes = NO_NOTES,
): Platform {
  const drafts = draftParts(assembly, manifests);
  const homes = new Map(
    drafts.flatMap(({ main, objects }) => objects.map(({ id }) => [id, main.id] as const)),
  );
  const charts = chartsOf(assembly);
  const descriptions = new Map(assembly.lateValues.map(({ id, description }) => [id, description]));
  const parts = drafts.map(({ main, objects, after }): PlatformPart => {
    const manifest = manifests.get(main.id)!;
    const ids = objects.map(({ id }) => id);
    const used = ids
      .flatMap((id) => uses.get(id) ?? [])
      .flatMap((id) => homes.get(id) ?? [])
      .filter((id) => id !== main.id);
    const late = objects.flatMap(({ lateValues = [] }) => lateValues);
    return {
      id: main.id,
      cluster: main.target,
      noun: nounOf(manifest),
      name: placeOf(manifest) === undefined ? idBelow(charts, main) : titleOf(manifest),
      construct: main.construct,
      objects: objects.map(({ id }) => objectLabel(manifests.get(id)!)),
      dependsOn: [...new Set([...after].map((part) => part.main.id).concat(used))],
      late: [...new Set(late.map((id) => descriptions.get(id) ?? id))],
      facts: ids.flatMap((id) => facts.get(id) ?? []),
      problems: ids.flatMap((id) => problems.get(id) ?? []),
    };
  });
  return { clusters: clustersOf(assembly), parts };
}

function clustersOf({ targets }: Assembly): PlatformCluster[] {
  return targets
    .map(({ name, kind, version, properties }): PlatformCluster => {
      const { harvester, rancher, managedAs, managedBy } = properties;
      const manager = rancher ?? managedAs?.split('/')[0] ?? managedBy;
      return {
        name,
        kind,
        version,
        ...(harvester === undefined ? {} : { harvester }),
        ...(manager === undefined ? {} : { rancher: manager }),
      };
    })
    .sort(
      (a, b) =>
        TARGET_KINDS.indexOf(a.kind) - TARGET_KINDS.indexOf(b.kind) || compare(a.name, b.name),
    );
}

/** The parts in the order of an apply, with what each waits for. */
function draftParts(assembly: Assembly, manifests: ReadonlyMap<string, Manifest>): DraftPart[] {
  const { nodes } = buildGraph(assembly, manifests);
  const homes = new Homes(assembly, manifests);
  const parts = new Map<AssemblyObject, DraftPart>();
  const partOf = (object: AssemblyObject): DraftPart => {
    const main = homes.of(object);
    return remembered(parts, main, () => ({ main, objects: [main], after: new Set() }));
  };
  // groups and late values pass on what is behind them
  const behind = new Map<string, ReadonlySet<DraftPart>>();
  for (const { id, object, after } of nodes.values()) {
    const awaited = new Set(after.flatMap(({ to }) => [...behind.get(to)!]));
    if (!object) {
      behind.set(id, awaited);
      continue;
    }
    const part = partOf(object);
    if (object !== part.main) {
      part.objects.push(object);
    }
    for (const other of awaited) {
      if (other !== part) {
        part.after.add(other);
      }
    }
    behind.set(id, new Set([part]));
  }
  // a part may begin long before its main object, e.g. with a namespace
  const order = new Map([...nodes.keys()].map((id, place) => [id, place]));
  return [...parts.values()].sort((a, b) => order.get(a.main.id)! - order.get(b.main.id)!);
}

/** Finds the main object of the part that an object belongs to. */
class Homes {
  private readonly charts: ReadonlyMap<string, string>;
  /** The places of the kinds of objects that people know by themselves, by the ID of the object. */
  private readonly places: ReadonlyMap<string, number>;
  /** Those objects by the constructs that write them. */
  private readonly own: ReadonlyMap<string, AssemblyObject>;
  /** The main objects of constructs, and of those around them. */
  private readonly mains: ReadonlyMap<string, AssemblyObject>;
  /** The first objects of constructs without a main object. */
  private readonly others = new Map<string, AssemblyObject>();

  public constructor(assembly: Assembly, manifests: ReadonlyMap<string, Manifest>) {
    const { objects } = assembly;
    this.charts = chartsOf(assembly);
    this.places = placesOf(objects, manifests);
    const known = objects.filter(({ id }) => this.places.has(id));
    this.own = new Map(known.map((object) => [keyAt(object, ownPath(object)), object]));
    this.mains = this.mainObjects(known);
  }

  /** The main object of the part of an object: the object itself where it has no other. */
  public of(object: AssemblyObject): AssemblyObject {
    const paths = pathsOf(object, this.charts);
    const found = this.outermost(object) ?? this.nearestMain(object, paths);
    return found ?? remembered(this.others, keyAt(object, paths.at(-1) ?? ''), () => object);
  }

  /** The main object of each construct: of several, that of the kind that is listed first. */
  private mainObjects(known: readonly AssemblyObject[]): ReadonlyMap<string, AssemblyObject> {
    const mains = new Map<string, AssemblyObject>();
    for (const object of known.filter((each) => this.outermost(each) === each)) {
      for (const path of pathsOf(object, this.charts)) {
        const key = keyAt(object, path);
        const other = mains.get(key);
        if (other === undefined || this.placeOf(object) < this.placeOf(other)) {
          mains.set(key, object);
        }
      }
    }
    return mains;
  }

  /** What a construct below another main object writes belongs to that one. */
  private outermost(object: AssemblyObject): AssemblyObject | undefined {
    const around = pathsOf(object, this.charts).map((path) => this.own.get(keyAt(object, path)));
    return around.filter((each) => each !== undefined).at(-1);
  }

  private nearestMain(
    object: AssemblyObject,
    paths: readonly string[],
  ): AssemblyObject | undefined {
    const around = paths.map((path) => this.mains.get(keyAt(object, path)));
    return around.find((main) => main !== undefined);
  }

  private placeOf({ id }: AssemblyObject): number {
    return this.places.get(id)!;
  }
}

/** The places of the kinds of objects that are parts of their own, by the ID of the object. */
function placesOf(
  objects: readonly AssemblyObject[],
  manifests: ReadonlyMap<string, Manifest>,
): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const { id } of objects) {
    const place = placeOf(manifests.get(id)!);
    if (place !== undefined) {
      places.set(id, place);
    }
  }
  return places;
}

/** A construct on the target of an object. */
function keyAt({ target }: AssemblyObject, path: string): string {
  return `${target} ${path}`;
}

/** The paths of the charts, by their targets. */
function chartsOf({ targets }: Assembly): ReadonlyMap<string, string> {
  return new Map(targets.map(({ name, construct }) => [name, construct]));
}

/** The ID of the construct directly in the chart that writes an object. */
function idBelow(charts: ReadonlyMap<string, string>, object: AssemblyObject): string {
  const path = pathsOf(object, charts).at(-1) ?? ownPath(object);
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The path of the construct that users know: cdk8s gives the object itself the ID `Resource`. */
function ownPath({ construct }: AssemblyObject): string {
  return construct.replace(/\/Resource$/, '');
}

/** The paths of the constructs around an object, itself first, as far as the chart of its target. */
function pathsOf(object: AssemblyObject, charts: ReadonlyMap<string, string>): readonly string[] {
  const chart = charts.get(object.target) ?? '';
  const paths: string[] = [];
  for (let path = ownPath(object); path.length > chart.length && path.includes('/');) {
    paths.push(path);
    path = path.slice(0, path.lastIndexOf('/'));
  }
  return paths;
}

/** The parts that wait for each part, by its ID. */
export function dependents({
  parts,
}: Pick<Platform, 'parts'>): ReadonlyMap<string, PlatformPart[]> {
  const pairs = parts.flatMap((part) => part.dependsOn.map((id) => [id, part] as const));
  return new Map(
    [...grouped(pairs, ([id]) => id)].map(([id, found]) => [id, found.map(([, part]) => part)]),
  );
}
