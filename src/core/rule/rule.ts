import { Findings } from './findings';
import { KindDescription } from '../kind/kind';
import { kindOf } from '../kind/kinds';
import {
  Manifest,
  byKind,
  groupOf,
  idOf,
  isFromServer,
  kindKey,
  objectId,
} from '../manifest/manifest';
import { Problem } from '../problem/problem';
import { grouped, lazily, remembered } from '../text/values';
import { GateId } from '../version/feature-gate';

/**
 * Whether findings of a rule may be accepted: not those about the output itself, which would be
 * wrong whatever the reason.
 */
export function isSuppressible(ruleId: string): boolean {
  return !ruleId.startsWith('program/') && ruleId !== 'object/duplicate';
}

/** How bad a finding is: an error fails synthesis and `lint`, a warning is reported. */
export type RuleLevel = 'error' | 'warning';

/**
 * Finds something that a server refuses or silently mishandles.
 *
 * Rules are pure functions over manifests and the world they are in. An error never refuses what
 * the server accepts and carries out; when in doubt a rule warns or is silent. A problem may lower
 * its rule's level.
 */
export interface Rule {
  /** `family/what`, kebab-case; part of the contract, people suppress by it. */
  readonly id: string;
  readonly level: RuleLevel;
  /** The kinds it judges, `group/Kind`; `*` is every kind. */
  readonly kinds: readonly string[];
  /** What it holds, one sentence for the index in the docs. */
  readonly what: string;
  /** The server's own words, where it has any. */
  readonly says?: string;
  /** Where this is known from: repository and file, or documentation page. */
  readonly source: string;
  /**
   * The clusters that it is about; a target of an unknown kind is judged as well.
   * @default - the clusters that have its kinds
   */
  readonly on?: JudgedTarget['kind'];
  /**
   * The clusters that it is about; a target of an unknown kind is not judged.
   * @default - as of `on`
   */
  readonly surelyOn?: JudgedTarget['kind'];
  /**
   * The feature that it is about: versions that lack it are not judged.
   * @default - it holds for every version
   */
  readonly gate?: GateId;
  /**
   * The level of what it finds where the version is not known, which may lack the feature `gate`.
   * @default - its level
   */
  readonly unknownVersion?: 'warning';
  /**
   * Whether it is only about creation: objects that a server has already are not judged.
   * @default false
   */
  readonly creation?: true;
  /**
   * Which objects of the kinds it is about. Rules that share the function ask it once for an object.
   * @default - all
   */
  readonly when?: (object: JudgedObject, world: World) => unknown;
  /**
   * Whether it can find anything wrong with objects of a kind; undefined is a kind that is not
   * described. Asked once for a kind.
   * @default - it can
   */
  readonly concerns?: (kind: KindDescription | undefined) => boolean;
  /**
   * The field that its findings without a path are about.
   * @default - the whole object
   */
  readonly field?: string;
  /**
   * Paths of the fields that it judges: it is not asked about an object that has none of them.
   * @default - it is asked about every object of its kinds
   */
  readonly fields?: readonly string[];
  /**
   * Whether it reports what readers of the files see: encrypted files have no such finding.
   * @default false
   */
  readonly plainFiles?: boolean;
  /**
   * Whether it knows only the definition of a kind: its findings yield to those of other rules
   * about the same field.
   * @default false
   */
  readonly general?: boolean;
  /** Checks an object. */
  readonly judge?: (object: JudgedObject, world: World) => Findings;
  /** Checks an edit: the object and its previous state. */
  readonly judgeUpdate?: (object: JudgedObject, before: Manifest, world: World) => Findings;
  /** Judges a deletion: what was there and is gone. */
  readonly judgeDeletion?: (gone: JudgedObject, world: World) => Findings;
  /** Judges a target, once whatever the number of its objects. */
  readonly judgeTarget?: (target: JudgedTarget, world: World) => Iterable<Problem>;
}

/** A manifest and where it comes from. */
export interface JudgedObject {
  readonly manifest: Manifest;
  /** Its id on all targets together, as of `objectId`. @default - made when it is needed */
  readonly key?: string;
  /** The target it is for; its kind and versions may be unknown in `lint`. */
  readonly target: JudgedTarget;
  /** Path of the construct that wrote it, where a program did. */
  readonly construct?: string;
  /** The file that it was read from, where one was. */
  readonly file?: string;
  /**
   * What everyone who can read the file sees of it, where SOPS encrypted the file.
   * @default - the manifest
   */
  readonly inFile?: Manifest;
  /** Which of the file's documents it is, from 1 on. */
  readonly document?: number;
  /** What of its metadata could not be read and was left out, so that rules need not expect it. */
  readonly malformed?: readonly Problem[];
  /**
   * The props of its construct that set fields, by the paths of the fields.
   * @default - none are known
   */
  readonly props?: { readonly [path: string]: string };
  /**
   * Whether an apply resets it when it leaves the program, though an engine keeps it.
   * @default - what keeps it in an engine keeps it
   */
  readonly isReset?: boolean;
  /** What its file is delivered with. @default - all files that are judged */
  readonly deliveredWith?: DeliveredWith;
}

/** What the file of an object is delivered with, as far as its repository shows it. */
export interface DeliveredWith {
  /** The folder that gets its namespace from an engine, or from a kustomization. */
  readonly folder?: string;
  /** What someone delivers without the others. @default - all files of the cluster */
  readonly bundles?: readonly string[];
}

/** The Kubernetes API that an object is for, as far as it is known. */
export interface JudgedTarget {
  readonly name: string;
  /** Path of its chart, where a program has one. */
  readonly construct?: string;
  readonly kind?: 'rancher' | 'harvester' | 'guest';
  /** Versions as text, e.g. `2.13.8`, `1.7.2`, `v1.33.6+rke2r1`. */
  readonly rancherVersion?: string;
  readonly harvesterVersion?: string;
  readonly kubernetesVersion?: string;
  /** The URL that clusters reach a Rancher by. */
  readonly serverUrl?: string;
  /**
   * `true` where the certificate of a Rancher is signed by a private authority that the program
   * knows.
   */
  readonly privateCa?: string;
  /** The management address of a Harvester. */
  readonly vip?: string;
  /**
   * The management cluster that a Harvester is, as `<target of the Rancher>/<management cluster
   * ID>`.
   */
  readonly managedAs?: string;
  /** The target of the Rancher that imports a Harvester under an ID that is not known yet. */
  readonly managedBy?: string;
  /** The provisioning Cluster that a guest is, as `<namespace>/<name>`. */
  readonly provisioningCluster?: string;
  /** The target of the Rancher that manages a guest. */
  readonly rancher?: string;
  /** The target of the Harvester that the machines of a guest run on. */
  readonly harvester?: string;
}

/** The target of the Rancher that a cluster belongs to; undefined where none is known. */
export function rancherOf({ kind, name, ...target }: JudgedTarget): string | undefined {
  return kind === 'rancher'
    ? name
    : (target.rancher ?? target.managedAs?.split('/')[0] ?? target.managedBy);
}

/**
 * An object of which no more is known than that it is there: what a program refers to by its name.
 */
export interface KnownIdentity {
  /** The name of its target. */
  readonly target: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/**
 * The input of a rule: the objects to check, live objects, and the previous state of the objects.
 *
 * Look-ups are by index, so that rules over 20,000 objects remain linear.
 */
export class World {
  private readonly byKind = new Map<string, JudgedObject[]>();
  private readonly listOf = byKind((key) => remembered(this.byKind, key, (): JudgedObject[] => []));
  private readonly byKey = new Map<string, JudgedObject>();
  /** The objects of a key that several have. */
  private readonly twins = new Map<string, JudgedObject[]>();
  private readonly liveKeys = new Set<string>();
  /** The live objects as a server showed them. */
  private readonly served = new Map<string, Manifest>();
  private readonly listed = new Set<string>();
  /** The targets and kinds of which a list of all namespaces was given. */
  private readonly listedEverywhere = new Set<string>();
  private readonly knownKeys = new Set<string>();
  private readonly judgedSet = lazily(() => new Set(this.judged));
  private readonly targetList = lazily(() => this.listTargets());
  private index?: Map<string, JudgedObject>;

  /**
   * @param judged the objects under judgement, of all targets
   * @param live objects that exist already and are not checked; an object that is also checked is represented by its new state
   * @param before the previous state of the checked objects
   * @param known objects that are declared as existing by name; only `knows` includes them, since their content is unknown
   * @param targets targets under judgement, which may have no objects
   */
  constructor(
    readonly judged: readonly JudgedObject[],
    readonly live: readonly JudgedObject[] = [],
    readonly before: readonly JudgedObject[] = [],
    readonly known: readonly KnownIdentity[] = [],
    private readonly targets: readonly JudgedTarget[] = [],
  ) {
    for (const { target, apiVersion, kind, namespace, name } of known) {
      this.knownKeys.add(idOf(target, groupOf(apiVersion), kind, namespace, name));
    }
    for (const object of judged) {
      this.add(object, worldKey(object));
    }
    // removed objects are not looked up among the live ones: an object of --before that the new set
    // lacks will not exist
    const gone = new Set(before.map(worldKey).filter((key) => !this.byKey.has(key)));
    const taken = live.length === 0 ? gone : new Set([...this.byKey.keys(), ...gone]);
    for (const object of live) {
      const key = worldKey(object);
      this.liveKeys.add(key);
      const { apiVersion, kind } = object.manifest;
      const { namespace, name } = object.manifest.metadata;
      for (const marker of ['', name]) {
        this.listed.add(idOf(object.target.name, groupOf(apiVersion), kind, namespace, marker));
      }
      if (isFromServer(object.manifest)) {
        this.served.set(key, object.manifest);
      }
      if (!taken.has(key)) {
        this.add(object, key);
      }
    }
    for (const list of listsOfAllNamespaces(live)) {
      for (const { target, manifest } of list) {
        this.listedEverywhere.add(kindOn(target, groupOf(manifest.apiVersion), manifest.kind));
      }
    }
    for (const object of before) {
      this.liveKeys.add(worldKey(object));
    }
  }

  /** The targets under judgement: those of the program, and those of objects. */
  public allTargets(): readonly JudgedTarget[] {
    return this.targetList();
  }

  /** The kinds of all objects, `group/Kind`: judged, live, and those that were there before. */
  public kinds(): ReadonlySet<string> {
    const before = this.before.map(({ manifest }) =>
      kindKey(groupOf(manifest.apiVersion), manifest.kind),
    );
    return new Set([...this.byKind.keys(), ...before]);
  }

  /** The objects of a kind on all targets, judged and live. */
  public ofKind(group: string, kind: string): readonly JudgedObject[] {
    return this.byKind.get(kindKey(group, kind)) ?? [];
  }

  /** The objects of a kind on the target of another object. */
  public beside(
    object: Pick<JudgedObject, 'target'>,
    group: string,
    kind: string,
  ): readonly JudgedObject[] {
    return this.ofKind(group, kind).filter((other) => sameTarget(other.target, object.target));
  }

  /** The object of this identity on the target of another object, judged or live. */
  public find(
    object: Pick<JudgedObject, 'target'>,
    group: string,
    kind: string,
    namespace: string | undefined,
    name: string,
  ): JudgedObject | undefined {
    return this.byKey.get(idOf(object.target.name, group, kind, namespace, name));
  }

  /**
   * Whether an object of this identity is on the target of another object, be it that the program
   * only refers to it.
   */
  public knows(
    object: JudgedObject,
    group: string,
    kind: string,
    namespace: string | undefined,
    name: string,
  ): boolean {
    return (
      this.find(object, group, kind, namespace, name) !== undefined ||
      this.isSaid(object.target, group, kind, namespace, name)
    );
  }

  /** Whether a program refers to an object of this identity as one that is there. */
  public isSaid(
    target: JudgedTarget,
    group: string,
    kind: string,
    namespace: string | undefined,
    name: string,
  ): boolean {
    return (
      this.knownKeys.size > 0 && this.knownKeys.has(idOf(target.name, group, kind, namespace, name))
    );
  }

  /**
   * Whether all objects of a kind are known on the target of another object: some of them were
   * given as live, with the one that every such server has.
   * What is then not among them does not exist, and what refers to it is refused for certain. Do
   * not ask for Secrets, whose lists are seldom whole.
   *
   * Of namespaced kinds, those of one namespace are known with any of it, and those of all
   * namespaces with a list of several namespaces.
   *
   * @param namespace of namespaced kinds
   */
  public isListed(
    object: Pick<JudgedObject, 'target'>,
    group: string,
    kind: string,
    namespace?: string,
  ): boolean {
    if (this.live.length === 0) {
      return false;
    }
    const always = kindOf({ apiVersion: `${group}/`, kind })?.alwaysThere;
    if (
      namespace !== undefined &&
      always === undefined &&
      this.listedEverywhere.has(kindOn(object.target, group, kind))
    ) {
      return true;
    }
    return this.listed.has(idOf(object.target.name, group, kind, namespace, always ?? ''));
  }

  /** Whether an object is under judgement, not only there. */
  public isJudged(object: JudgedObject): boolean {
    return (this.live.length === 0 && this.before.length === 0) || this.judgedSet().has(object);
  }

  /** All objects with the identity of an object, itself included, where there are several. */
  public same(object: JudgedObject): readonly JudgedObject[] {
    return (this.twins.size === 0 ? undefined : this.twins.get(worldKey(object))) ?? NONE;
  }

  /** Whether the server has this object already, so that rules on creation do not hold. */
  public exists(object: JudgedObject): boolean {
    return (
      isFromServer(object.manifest) ||
      (this.liveKeys.size > 0 && this.liveKeys.has(worldKey(object)))
    );
  }

  /**
   * The previous state of an object, if it is known: as a server shows it, from `--before`, or
   * because it was read from a server and is unchanged.
   */
  public beforeOf(object: JudgedObject): Manifest | undefined {
    if (this.served.size > 0 || this.before.length > 0) {
      const key = worldKey(object);
      const before = this.served.get(key) ?? this.beforeIndex().get(key)?.manifest;
      if (before) {
        return before;
      }
    }
    return isFromServer(object.manifest) ? object.manifest : undefined;
  }

  /**
   * The previous state of an object as it was written, not as a server shows it: what it has and the
   * object lacks is removed.
   */
  public writtenBefore(object: JudgedObject): Manifest | undefined {
    if (this.before.length === 0) {
      return undefined;
    }
    const before = this.beforeIndex().get(worldKey(object))?.manifest;
    return before && !isFromServer(before) ? before : undefined;
  }

  /** What was there before and is gone now. */
  public gone(): readonly JudgedObject[] {
    return this.before.filter((object) => !this.byKey.has(worldKey(object)));
  }

  private listTargets(): readonly JudgedTarget[] {
    const byName = new Map(this.targets.map((target) => [target.name, target]));
    for (const { target } of this.judged) {
      if (!byName.has(target.name)) {
        byName.set(target.name, target);
      }
    }
    return [...byName.values()];
  }

  private beforeIndex(): Map<string, JudgedObject> {
    return (this.index ??= new Map(this.before.map((object) => [worldKey(object), object])));
  }

  private add(object: JudgedObject, key: string): void {
    const first = this.byKey.get(key);
    if (first) {
      remembered(this.twins, key, () => [first]).push(object);
    } else {
      this.byKey.set(key, object);
    }
    this.listOf(object.manifest).push(object);
  }
}

const NONE: readonly JudgedObject[] = [];

function worldKey({ key, target, manifest }: JudgedObject): string {
  return key ?? objectId(target.name, manifest);
}

/** A kind on a target. */
function kindOn({ name }: JudgedTarget, group: string, kind: string): string {
  return `${name} ${kindKey(group, kind)}`;
}

/**
 * The lists among live objects that were read from all namespaces: one document of a file with
 * objects of several namespaces, since a request is for one namespace or for all. What others wrote
 * into a file is not a list of a server.
 */
function listsOfAllNamespaces(live: readonly JudgedObject[]): JudgedObject[][] {
  const lists = grouped(
    live.filter(
      ({ file, document, manifest }) =>
        file !== undefined && document !== undefined && isFromServer(manifest),
    ),
    ({ file, document, target }) => `${target.name} ${document} ${file}`,
  );
  return [...lists.values()].filter(
    (list) => new Set(list.flatMap(({ manifest }) => manifest.metadata.namespace ?? [])).size > 1,
  );
}

function sameTarget(a: JudgedTarget, b: JudgedTarget): boolean {
  return a.name === b.name;
}
