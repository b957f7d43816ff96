import { AdoptNote } from './adopt-note';
import { deliverersOf } from './deliverers';
import { impactsOf } from './impact-proof';
import { LeftOutField, leftOutFieldsOf, lostFieldsOf } from './left-out-fields';
import { FoundObject, FoundCluster, isFor } from '../../core/draft/draft';
import { groupOf, kindKey, objectLabel, pathText } from '../../core/manifest/manifest';
import { Finding } from '../../core/rule/finding';
import { IgnoreEntry } from '../../engine/auth/config-file';
import { TakeOver } from '../../engine/auth/take-over';
import { LiveObject } from '../../engine/cluster/cluster';
import { appOf, otherSetOf } from '../../engine/fields/apply-set';
import { Adopted, adopt, failureOf } from '../adopt';
import { changesOfObject } from '../evaluate/metadata-calls';
import { foundId, API_OBJECT } from '../evaluate/statements';
import { SecretVariable, SecretVariables } from '../evaluate/variables';
import { ALL_INVERSES } from '../inverses/all-inverses';
import { programFiles } from '../print/program';
import { handOver, HandOver, markOwned, TerraformResource } from '../read/terraform';
import { Ignored } from '../select/ignored';
import { leaveOut } from '../select/leave-out';
import { isDeclared } from '../select/marks';
import { ObjectSelection } from '../select/selection';
import { unclearWriter } from '../select/writers';
import { ReadSurroundings } from '../surroundings';

/** What to adopt. */
export interface AdoptRequest {
  readonly clusters: readonly FoundCluster[];
  /** What is adopted of it, each as `<key>=<value>`. @default - all that belongs to no product */
  readonly select?: readonly string[];
  /**
   * IDs of objects that are adopted although it is unclear whose they are.
   * @default - these are listed only
   */
  readonly include?: readonly string[];
  /** What the program does not manage. @default - nothing */
  readonly ignore?: readonly IgnoreEntry[];
  /** The resources of Terraform states. @default - none */
  readonly resources?: readonly TerraformResource[];
}

/** What became of the objects of a cluster. */
export interface AdoptedCluster {
  readonly name: string;
  readonly kind: string;
  /** Objects that were read. */
  readonly found: number;
  /** Objects that constructs declare. */
  readonly constructs: number;
  /** Objects that constructs declare with a JSON patch. */
  readonly patched: number;
  /** Objects that are declared as they are. */
  readonly apiObjects: number;
  /** Objects that are not declared. */
  readonly leftOut: number;
}

/** Objects that are not declared, for one reason. */
export interface LeftOut {
  readonly target: string;
  readonly reason: string;
  /** As `Kind namespace/name`; those that are unclear as IDs. */
  readonly objects: readonly string[];
}

/** A program that declares what was found, and what it does not express. */
export interface AdoptResult {
  /** The texts of the program, by the paths of their files. */
  readonly files: ReadonlyMap<string, string>;
  readonly clusters: readonly AdoptedCluster[];
  readonly leftOut: readonly LeftOut[];
  /**
   * Fields of declared objects that the program leaves out, and that are the same on the server after
   * an apply: defaults, and what controllers write.
   */
  readonly leftOutFields: readonly LeftOutField[];
  /**
   * Objects that may be those of a user or of a product, by their IDs: they are not declared unless
   * `include` names them.
   */
  readonly unclear: readonly LeftOut[];
  /** What could not be read. */
  readonly unread: readonly {
    readonly target: string;
    readonly kind: string;
    readonly reason: string;
  }[];
  /** Objects of GitOps engines that go on delivering what the program declares. */
  readonly deliverers: readonly AdoptNote[];
  /** Objects without a construct, and fields without a prop, with the reason. */
  readonly notes: readonly AdoptNote[];
  /**
   * Objects that an apply of the program would change; none, unless this is a defect of this
   * library.
   */
  readonly differences: readonly AdoptNote[];
  /**
   * Objects that exist already and give permissions: the first plan and apply adopt them by the
   * take-over file. Empty where no live cluster was read.
   */
  readonly takeOver: readonly TakeOver[];
  /** What prevents a synthesis of the program. */
  readonly errors: readonly Finding[];
  /**
   * The environment variables that the program needs, and the live objects that have their values.
   */
  readonly variables: readonly SecretVariable[];
  readonly handOver: HandOver;
  /** Resources of Terraform whose objects are not adopted. */
  readonly unmatched: readonly { readonly address: string; readonly reason: string }[];
}

/** A program, with what it was made of. */
export interface MadeProgram {
  readonly result: AdoptResult;
  readonly adopted: Adopted;
  readonly clusters: readonly FoundCluster[];
}

/**
 * Writes the program that declares what was found, and proves that it renders that. Nothing is
 * written to a cluster.
 */
export function adoptPlatform(request: AdoptRequest): AdoptResult {
  const made = makeProgram(request);
  MADE.set(made.result, made);
  return made.result;
}

const MADE = new WeakMap<AdoptResult, MadeProgram>();

/** What a result was made of; undefined for another object. */
export function madeOf(result: AdoptResult): MadeProgram | undefined {
  return MADE.get(result);
}

function makeProgram({
  clusters: read,
  select = [],
  include = [],
  ignore = [],
  resources = [],
}: AdoptRequest): MadeProgram {
  const { clusters, unmatched } = markOwned(read, resources);
  const unclear = unclearObjects(clusters, include);
  const reasons = reasonsToLeaveOut(clusters, select, ignore);
  const adopted = adopt(clusters, {
    leaveOut: (object) => reasons.get(foundId(object)),
    notPlain: (object) => unclear.get(foundId(object)),
  });
  const isUnclear = (object: FoundObject, reason: string): boolean =>
    unclear.get(foundId(object)) === reason;
  const declared = declaredIds(adopted);
  const all = clusters.flatMap(({ objects }) => objects);
  const owned = new Set(
    all.flatMap((object) => (declared.has(foundId(object)) ? (object.terraform ?? []) : [])),
  );
  const result: AdoptResult = {
    files: programFiles(clusters, adopted),
    clusters: clusters.map((cluster) => countsOf(cluster, adopted)),
    leftOut: leftOutOf(clusters, adopted, (object, reason) =>
      isUnclear(object, reason) ? undefined : objectLabel(object.manifest),
    ),
    leftOutFields: leftOutFieldsOf(all, adopted),
    unclear: leftOutOf(clusters, adopted, (object, reason) =>
      isUnclear(object, reason) ? foundId(object) : undefined,
    ),
    unread: clusters.flatMap(({ name: target, unread }) =>
      unread.map((each) => ({ target, ...each })),
    ),
    deliverers: deliverersOf(clusters, (object) => declared.has(foundId(object))),
    notes: adoptNotesOf(clusters, adopted),
    differences: [
      ...all.flatMap((object) => failuresOf(object, adopted)),
      ...differencesIn(all, adopted),
    ],
    errors: adopted.errors,
    variables: new SecretVariables(adopted.statements).all(),
    handOver: handOver(
      resources.filter(({ address }) => owned.has(address)),
      resources,
    ),
    unmatched: [
      ...unmatched.map(({ address, reason }) => ({ address, reason })),
      ...all.flatMap((object) => undeclaredResource(object, adopted, declared)),
    ],
    takeOver: [],
  };
  return { result, adopted, clusters };
}

/** Why objects are left out, by their IDs. */
function reasonsToLeaveOut(
  clusters: readonly FoundCluster[],
  select: readonly string[],
  ignore: readonly IgnoreEntry[],
): ReadonlyMap<string, string> {
  const selection = new ObjectSelection(select, clusters);
  const ignored = new Ignored(ignore);
  const reasons = new Map<string, string>();
  for (const cluster of clusters) {
    for (const object of cluster.objects) {
      const reason =
        leaveOut(object, cluster) ??
        ofOtherProgram(object) ??
        (selection.selects(object) ? ignored.reason(object) : NOT_SELECTED);
      if (reason !== undefined) {
        reasons.set(foundId(object), reason);
      }
    }
  }
  return reasons;
}

/** The IDs of the objects that the program declares. */
function declaredIds({ statements }: Adopted): ReadonlySet<string> {
  const declared = statements.all().flatMap(({ draft }) => draft.declares);
  return new Set(declared.map(foundId));
}

/** The resource of Terraform that owns an object which the program does not declare. */
function undeclaredResource(
  object: FoundObject,
  { leftOut }: Adopted,
  declared: ReadonlySet<string>,
): readonly { readonly address: string; readonly reason: string }[] {
  const id = foundId(object);
  const reason = leftOut.get(id);
  if (object.terraform === undefined || declared.has(id) || reason === NOT_SELECTED) {
    return [];
  }
  const why = reason === undefined ? '' : `: it ${reason}`;
  return [
    {
      address: object.terraform,
      reason: `owns ${objectLabel(object.manifest)}, which the program does not declare, and which terraform destroy would delete${why}`,
    },
  ];
}

/** Why an object belongs to another program; undefined where no other program declares it. */
function ofOtherProgram({ manifest }: FoundObject): string | undefined {
  const { fieldManager } = appOf();
  const other = otherSetOf(manifest as LiveObject, fieldManager);
  return other === undefined
    ? undefined
    : `is declared by the program of ${other}. Fix: remove the label if that program no longer exists`;
}

/** Why an object is not adopted that `select` does not name. */
export const NOT_SELECTED = 'is not selected';

function countsOf({ name, kind, objects }: FoundCluster, { statements }: Adopted): AdoptedCluster {
  const counts = { constructs: 0, patched: 0, apiObjects: 0, leftOut: 0 };
  for (const object of objects) {
    const draft = statements.declarer(foundId(object));
    if (!draft) {
      counts.leftOut++;
    } else if (draft.type === API_OBJECT) {
      counts.apiObjects++;
    } else {
      counts.constructs++;
      const { patches, parts } = statements.of(draft);
      const hasPatch = [{ patches }, ...parts].some(
        (each) => changesOfObject(each.patches).patches.length > 0,
      );
      if (hasPatch && draft.declares[0] === object) {
        counts.patched++;
      }
    }
  }
  return { name, kind, found: objects.length, ...counts };
}

/**
 * Why objects may be a user's or a product's, by their IDs. @param include IDs of those that are a
 * user's
 */
function unclearObjects(
  clusters: readonly FoundCluster[],
  include: readonly string[],
): ReadonlyMap<string, string> {
  const found = new Map(
    clusters.flatMap(({ objects }) =>
      objects.flatMap((object): [string, string][] => {
        const reason = isDeclared(object.manifest) ? undefined : unclearWriter(object.manifest);
        return reason === undefined ? [] : [[foundId(object), reason]];
      }),
    ),
  );
  const wrong = include.find((id) => !found.delete(id));
  if (wrong !== undefined) {
    throw new Error(
      `--include ${wrong}: is not the ID of an object whose owner is unclear. Fix: use an ID that adopt lists, or leave the option out`,
    );
  }
  return found;
}

/** @param nameOf the name of an object that is listed with its reason */
function leftOutOf(
  clusters: readonly FoundCluster[],
  { leftOut }: Adopted,
  nameOf: (object: FoundObject, reason: string) => string | undefined,
): readonly LeftOut[] {
  const groups = new Map<string, { target: string; reason: string; objects: string[] }>();
  for (const object of clusters.flatMap(({ objects }) => objects)) {
    const reason = leftOut.get(foundId(object));
    const name = reason === undefined ? undefined : nameOf(object, reason);
    if (reason === undefined || name === undefined) {
      continue;
    }
    const key = `${object.target} ${reason}`;
    const group = groups.get(key) ?? { target: object.target, reason, objects: [] };
    groups.set(key, group);
    group.objects.push(name);
  }
  return [...groups.values()];
}

/** What of the declared objects no construct or no prop expresses, with the reason. */
export function adoptNotesOf(
  clusters: readonly FoundCluster[],
  { statements, dropped, refusals }: Adopted,
): readonly AdoptNote[] {
  const around = new ReadSurroundings(clusters, () => true);
  return statements.all().flatMap(({ draft, patches: own, parts }): AdoptNote[] => {
    const { patches } = changesOfObject([...own, ...parts.flatMap((part) => part.patches)]);
    const [first] = draft.declares;
    const [why] = dropped.get(foundId(first)) ?? [];
    const place = { target: first.target, object: objectLabel(first.manifest) };
    if (draft.type === API_OBJECT) {
      return [
        {
          ...place,
          message: `is declared as an ApiObject: ${why ?? plainReason(first, around)}`,
        },
      ];
    }
    return [
      ...(draft.comments ?? []).map((comment) => ({
        ...place,
        message: `needs a change: ${comment}`,
      })),
      ...(patches.length > 0
        ? [
            {
              ...place,
              message: `has fields without a prop, which a JSON patch sets: ${patches.map(({ path }) => path).join(', ')}${refused(refusals.get(foundId(first)))}`,
            },
          ]
        : []),
    ];
  });
}

/** Why props do not take values. */
function refused(reasons: readonly string[] = []): string {
  return reasons.length === 0 ? '' : `; props refuse values: ${reasons.join('; ')}`;
}

/**
 * No guess means that something is missing: a Cluster needs its Harvester and its machine configs.
 */
const NOT_GUESSED = 'no construct writes it in this form, or what it depends on was not read';

/** Why no construct declares an object. */
function plainReason(object: FoundObject, around: ReadSurroundings): string {
  const { target, manifest } = object;
  const key = kindKey(groupOf(manifest.apiVersion), manifest.kind);
  const cluster = around.cluster(target);
  // constructs write machine configs as a part of others
  const own = ALL_INVERSES.filter(
    (inverse) =>
      inverse.kinds.includes(key) &&
      isFor(inverse, cluster) &&
      (inverse.drafts !== undefined || inverse.own !== undefined),
  );
  const known = own.map((inverse) => inverse.undeclared?.(object, around)).find(Boolean);
  return known ?? (own.length > 0 ? NOT_GUESSED : 'no construct writes such objects');
}

/** What an apply of the program would change of objects; normally nothing. */
export function differencesIn(all: readonly FoundObject[], adopted: Adopted): AdoptNote[] {
  return [
    ...all.flatMap((object) => differencesOf(object, adopted)),
    ...adopted.created.map(({ target, manifest }) => ({
      target: target.targetName,
      object: objectLabel(manifest),
      message: 'would be created',
    })),
    ...lostFieldsOf(all, adopted),
    ...impactsOf(all, adopted),
  ];
}

function failuresOf(object: FoundObject, adopted: Adopted): AdoptNote[] {
  const message = failureOf(object, adopted);
  return message === undefined
    ? []
    : [{ target: object.target, object: objectLabel(object.manifest), message }];
}

function differencesOf(object: FoundObject, adopted: Adopted): AdoptNote[] {
  const { changes, leftovers } = adopted.differences.get(foundId(object)) ?? {
    changes: [],
    leftovers: [],
  };
  const place = { target: object.target, object: objectLabel(object.manifest) };
  return [
    ...changes.map(({ path }) => ({ ...place, message: `${pathText(path)} would change` })),
    ...leftovers.map(({ path }) => ({
      ...place,
      message: `${pathText(path)} is not in the program`,
    })),
  ];
}
