import { AcceptedRemovals } from './accepted-removals';
import { withFollowers } from './followers';
import {
  IdentityChange,
  identityCause,
  identityChanges,
  identityFix,
  inNamespaces,
  isNamedBy,
} from './identity-changes';
import { inTheWay } from './in-the-way';
import { Belonging, Renamed, belonging, isPartOf, renames } from './leaving-groups';
import { causeOf, fixOf } from './leaving-texts';
import { constructsFor, patternsFor } from './removal-pattern';
import { KindReferences } from '../kind/description/references';
import { Holding } from '../kind/description/removal';
import { givesAccess, kindOf } from '../kind/kinds';
import {
  hasDefault,
  holdingOf,
  isKeptByEngine,
  isKeptInStages,
  lostWith,
  neverDeleted,
  retainedByDefault,
} from '../kind/retention';
import { lateIdsIn } from '../late/late-text';
import { Manifest, objectKey, objectLabel, objectId } from '../manifest/manifest';
import { AssemblyRemoval, KeptByEngine, StageEngine } from '../output/assembly';
import { Finding, FindingLevel } from '../rule/finding';
import { objectOf } from '../rule/judge';
import {
  OUTPUT_GONE,
  OUTPUT_LATE_MISSING,
  OUTPUT_MOVES,
  OUTPUT_MOVES_TARGET,
  OUTPUT_NOW_WAITS,
} from '../rule/program-rules';
import { Rule } from '../rule/rule';
import { grouped } from '../text/values';

/** An object of one side of a comparison of two outputs. */
export interface OutputObject {
  readonly target: string;
  readonly manifest: Manifest;
  readonly construct?: string;
  /**
   * The file that holds it.
   * @default - it waits for late values, or only apply writes it
   */
  readonly file?: string;
  /**
   * Whether `resolve` writes it for an engine: it waits for a late value, or for an object that
   * does.
   * @default - only where it contains one
   */
  readonly isLate?: boolean;
  /** Whether `resolve` wrote its file. @default - synthesis wrote it, or someone else */
  readonly isResolved?: boolean;
  /** Whether no engine delivers it. @default false */
  readonly isOnlyApplied?: boolean;
  /**
   * The IDs of the objects that it needs and that wait for late values.
   * @default - none are known
   */
  readonly needs?: readonly string[];
  /** How it is deleted, by the assembly. @default - it is deleted */
  readonly policy?: string;
  /**
   * Why the engine keeps it.
   * @default - the engine deletes it, or the manifest alone shows that it does not
   */
  readonly kept?: KeptByEngine;
  /**
   * Why the engine does not delete it although nothing protects it.
   * @default - the engine deletes what nothing protects
   */
  readonly remains?: string;
  /**
   * Why a server refuses to delete it, in which case nothing else of its stage arrives.
   * @default - no reason is known
   */
  readonly blocks?: string;
  /**
   * Its stage, where the engine prunes each stage by itself.
   * @default - the engine prunes all objects of a target together, or there is no engine
   */
  readonly stage?: string;
}

/** The known facts about a late value that an object waits for. */
interface AwaitedValue {
  readonly description: string;
  /** The object that it is read from. */
  readonly source: { readonly apiVersion?: string; readonly kind?: string; readonly name?: string };
}

/** Two outputs of one program, and the accepted removals. */
export interface OutputChange {
  readonly before: readonly OutputObject[];
  /** The IDs of all objects of the previous output. @default - those of `before` */
  readonly existed?: ReadonlySet<string>;
  readonly after: readonly OutputObject[];
  readonly removals: AcceptedRemovals;
  readonly lateValue: (id: string) => AwaitedValue | undefined;
  /**
   * Whether a program wrote the new output: it can accept a removal, where plain manifests need a
   * baseline.
   */
  readonly hasProgram: boolean;
  /**
   * Whether the previous output is for an engine, or may be. Otherwise `apply` deletes and creates
   * in order.
   */
  readonly hasEngine: boolean;
  /**
   * The engine of the new output, if it prunes each stage by itself.
   * @default - it prunes all objects of a target together, or there is no engine
   */
  readonly stageEngine?: StageEngine;
  /**
   * What becomes of the objects that leave, by their IDs.
   * @default - what their manifests alone show
   */
  readonly becomes?: ReadonlyMap<string, { readonly fate: string; readonly reason: string }>;
}

/** The objects of both sides by what identifies them. */
interface Sides {
  readonly change: OutputChange;
  readonly after: ReadonlyMap<string, OutputObject>;
  readonly byConstruct: ReadonlyMap<string, OutputObject>;
  /** The objects of all targets by kind, namespace, and name. */
  readonly namesakes: ReadonlyMap<string, readonly OutputObject[]>;
  readonly existed: ReadonlySet<string>;
}

/** What is found about an object that leaves, before it is known what leaves with it. */
interface Leaving {
  readonly rule: Rule;
  readonly before: OutputObject;
  readonly construct: string | undefined;
  readonly level?: FindingLevel;
  /** Why the server refuses something else while it exists. @default - it refuses nothing */
  readonly refuses?: string;
  /** What is wrong with it, with what is lost when it is deleted. */
  readonly message: (loss: string) => string;
  /** What to do instead of accepting it. */
  readonly fix: string;
  /** Whether accepting it is of no use. */
  readonly isRepairable?: boolean;
  /** What all objects that leave for the same reason have in common. */
  readonly cause: string;
  /**
   * The object whose accepted removal accepts this one, too.
   * @default - it is accepted by its own ID alone
   */
  readonly with?: OutputObject;
}

/**
 * Objects that a file held and no file holds any more, and objects without a file that the program
 * no longer declares: engines that prune delete them.
 *
 * Errors where an object holds machines, data or tenants, unless the program accepts the removal;
 * warnings for all others, and for what is kept on its cluster.
 */
export function leftOutput(change: OutputChange): Finding[] {
  // a file that `resolve` wrote, rather than the template of its object
  const fromFilesLast = [...change.after].sort(
    (a, b) => Number(a.file !== undefined) - Number(b.file !== undefined),
  );
  const sides: Sides = {
    change,
    after: new Map(fromFilesLast.map((object) => [keyOf(object), object])),
    byConstruct: new Map(
      change.after.flatMap((object) =>
        object.construct === undefined ? [] : [[constructKey(object), object] as const],
      ),
    ),
    namesakes: grouped(change.after, ({ manifest }) => objectKey(manifest)),
    existed: change.existed ?? new Set(change.before.map(keyOf)),
  };
  const undeclared: OutputObject[] = [];
  const leaving = change.before.flatMap((object): Leaving[] => {
    const now = sides.after.get(keyOf(object));
    if (now && (object.file === undefined || isWrittenToFile(now))) {
      return movesStage(object, now, change);
    }
    const sameConstruct =
      object.construct === undefined ? undefined : sides.byConstruct.get(constructKey(object));
    // its name may be what it waits for
    const waiting =
      now ??
      (sameConstruct && lateIdsIn(sameConstruct.manifest.metadata.name).length > 0
        ? sameConstruct
        : undefined);
    if (waiting) {
      return object.file === undefined ? [] : [nowWaits(object, waiting, change)];
    }
    const moved = movesTarget(object, sides);
    if (!moved) {
      undeclared.push(object);
    }
    return moved ? [moved] : [];
  });
  return withAcceptance([...leaving, ...undeclaredOnes(undeclared, sides)], change);
}

/** The findings, each with the pattern that accepts all objects of its cause. */
function withAcceptance(leaving: readonly Leaving[], change: OutputChange): Finding[] {
  const refused = new Set(leaving.filter((each) => acceptanceOf(each, change) === undefined));
  const byCause = grouped([...refused], ({ cause }) => cause);
  const open = [...refused].map(({ before }) => before);
  const acceptances = new Map(
    [...byCause].map(([cause, group]) => {
      const statements = statementsFor(group, open, change);
      return [cause, acceptance(statements, change, group.length)] as const;
    }),
  );
  return leaving.map((each) => {
    const group = refused.has(each) ? byCause.get(each.cause) : undefined;
    return finding(
      each,
      change,
      acceptances.get(each.cause) ?? acceptance([keyOf(each.before)], change, 1),
      group !== undefined && group.length > 1,
    );
  });
}

/** How many objects are named one by one. */
const MAX_NAMED = 4;

/**
 * What the program states to accept all objects of a cause: their IDs if they are few, or the
 * constructs that they are of, or patterns.
 *
 * @param open all objects that leave without being accepted
 */
function statementsFor(
  group: readonly Leaving[],
  open: readonly OutputObject[],
  { after }: OutputChange,
): readonly string[] {
  const heads = group.filter((each) => each.with === undefined).map(({ before }) => before);
  const ids = heads.map(keyOf);
  if (ids.length <= MAX_NAMED) {
    return ids;
  }
  const own = new Set(group.map(({ before }) => keyOf(before)));
  const others = [...after, ...open].filter((object) => !own.has(keyOf(object)));
  const constructs = constructsFor(
    heads,
    others.map(({ construct = '' }) => construct),
  );
  return constructs !== undefined && constructs.length <= MAX_NAMED
    ? constructs
    : patternsFor(ids, others.map(keyOf));
}

/** The accepted removal of an object, or of the one that it leaves with. */
function acceptanceOf(
  { before, with: head }: Leaving,
  { removals }: OutputChange,
): AssemblyRemoval | undefined {
  return removals.of(before) ?? (head && removals.of(head));
}

/**
 * What becomes of an object that leaves one stage and appears in another.
 *
 * Flux deletes what carries the name of the stage that it left: the new stage, once it is
 * reconciled, writes its own name there. Helm, and so Fleet, deletes what left a release, also if
 * another one has written it since.
 * @see fluxcd/kustomize-controller:internal/controller/kustomization_controller.go prune; helm/helm:pkg/action/upgrade.go
 */
const MOVED: Readonly<Record<StageEngine, (loss: string) => string>> = {
  Flux: (loss) =>
    `Flux deletes it${loss}, and creates it again, if it reconciles the previous stage first; otherwise it keeps it`,
  Fleet: (loss) =>
    `Fleet deletes it${loss}${loss === '' ? '' : ','} together with the previous stage, also after the new one has created it`,
};

/**
 * A stage of a layout in which stages were numbered: Kustomizations and bundles of that layout keep
 * their objects when they are removed.
 */
const NUMBERED = /^[^/]+$/;

function movesStage(
  before: OutputObject,
  now: OutputObject,
  { stageEngine = 'Flux' }: OutputChange,
): Leaving[] {
  const isMoved =
    before.stage !== undefined && now.stage !== undefined && before.stage !== now.stage;
  if (!isMoved || NUMBERED.test(before.stage) || isKeptInStages(before.manifest)) {
    return [];
  }
  const moves = `from stage ${before.stage} to ${now.stage}`;
  const becomes = MOVED[stageEngine];
  return [
    {
      rule: OUTPUT_MOVES,
      before,
      construct: now.construct,
      message: (loss) => `moves ${moves}: ${becomes(loss)}`,
      fix: 'deliver Retention.of(construct).retain() for it first, then this change, then remove the retention',
      cause: `objects move ${moves}`,
    },
  ];
}

/** The id of an object in the assembly. */
function keyOf({ target, manifest }: OutputObject): string {
  return objectId(target, manifest);
}

function constructKey({ target, manifest, construct }: OutputObject): string {
  const { apiVersion, kind } = manifest;
  return `${target} ${apiVersion} ${kind} ${construct}`;
}

/** Whether a file holds an object, or an engine gets it from `resolve`. */
export function isWrittenToFile({ file, manifest, isLate }: OutputObject): boolean {
  return file !== undefined || !(isLate ?? lateIdsIn(manifest).length > 0);
}

/** An engine has a state of its own for each cluster. */
function movesTarget(
  before: OutputObject,
  { change, namesakes, existed }: Sides,
): Leaving | undefined {
  const to = namesakes
    .get(objectKey(before.manifest))
    ?.find((object) => object.target !== before.target && !existed.has(keyOf(object)))?.target;
  if (!change.hasEngine || to === undefined) {
    return undefined;
  }
  const from = before.target;
  const isKept =
    isKeptByEngine(before.manifest) || !change.after.some(({ target }) => target === from);
  return {
    rule: OUTPUT_MOVES_TARGET,
    before,
    construct: before.construct,
    message: (loss) =>
      `moves from target ${from} to ${to}: ${
        isKept
          ? `the engine does not delete it on ${from}, so both clusters have it`
          : `the engine deletes it on ${from}${loss}, and creates another one on ${to}, in no certain order`
      }`,
    fix: `make two commits: first remove it from ${from}, and wait until it is gone there${isKept ? ' (delete it by hand)' : ''}; then declare it on ${to}`,
    level: FindingLevel.ERROR,
    cause: `objects move from target ${from} to ${to}`,
  };
}

/** Whether an object that the engine does not delete, or cannot reset, still gives access. */
function isStillAccess({ manifest, remains, kept, policy }: OutputObject): boolean {
  const isHere = remains !== undefined || (kept !== undefined && policy === 'reset');
  return isHere && givesAccess(manifest) && !hasDefault(manifest);
}

/** What apply does with an object that the program no longer declares. */
function fateByApply(object: OutputObject, loss: string, { becomes }: OutputChange): string {
  const { manifest, policy } = object;
  const found = becomes?.get(keyOf(object));
  const asks = lostWith(manifest) !== undefined;
  if (found?.fate === 'blocks') {
    return `the server refuses to delete it (${found.reason})`;
  }
  if (policy === 'reset') {
    return 'apply resets it';
  }
  if (asks) {
    return `apply keeps it; apply --prune-machines deletes it${loss}`;
  }
  if (found?.fate === 'kept') {
    return `apply keeps it (${found.reason})`;
  }
  const isKept =
    policy === 'keep' ||
    neverDeleted(manifest) !== undefined ||
    retainedByDefault(manifest) !== undefined;
  return isKept ? 'apply keeps it' : `apply deletes it${loss}`;
}

/** What the way of delivery does with an object that is in no file. */
function fateOf(object: OutputObject, loss: string, change: OutputChange): string {
  const { manifest, kept, remains, blocks } = object;
  if (!change.hasEngine && blocks === undefined && remains === undefined) {
    return fateByApply(object, loss, change);
  }
  if (blocks !== undefined) {
    return `the server refuses to delete it (${blocks}), and the engine stops there: what is delivered together with it does not arrive`;
  }
  const access = isStillAccess(object) ? ', and it still gives access' : '';
  if (remains !== undefined) {
    return `the engine does not delete it${access} (${remains})`;
  }
  if (!isKeptByEngine(manifest)) {
    return `an engine that prunes deletes it${loss}`;
  }
  return `the engine keeps it on the cluster${access}${kept ? ` (${kept.reason})` : ''}, and no longer delivers it`;
}

function nowWaits(before: OutputObject, now: OutputObject, change: OutputChange): Leaving {
  if (before.isResolved) {
    return lateMissing(before, now, change);
  }
  const values = lateIdsIn(now.manifest).map((id) => change.lateValue(id));
  const { needs = [] } = now;
  const needed =
    needs.length > 0
      ? `it needs ${needs.join(', ')}, which waits for a late value`
      : 'an object that it needs waits for a late value';
  const awaited = values.map((value) => value?.description ?? 'a late value').join(', ');
  const fix = values
    .map((value) => lateFix(value, before.manifest))
    .find((text) => text !== undefined);
  return {
    rule: OUTPUT_NOW_WAITS,
    before,
    construct: now.construct,
    message: (loss) =>
      `was in ${before.file} and is in no file now, as ${values.length > 0 ? `it waits for ${awaited}` : needed}: ${change.hasEngine ? fateOf(before, loss, change) : `apply writes it when it knows the value; a tool that takes the folder for all there is deletes it${loss}`}`,
    fix: fix ?? 'resolve the late value and synthesize with it (cdk8s-harvester resolve)',
    isRepairable: fix !== undefined,
    cause: `objects now wait for ${values.length > 0 ? awaited : needs.join(', ') || 'a late value'}`,
  };
}

/** It waits as before: nothing but its file is gone. */
function lateMissing(before: OutputObject, now: OutputObject, change: OutputChange): Leaving {
  return {
    rule: OUTPUT_LATE_MISSING,
    before,
    construct: now.construct,
    message: (loss) =>
      `was in ${before.file}, which resolve wrote, and the file is gone: ${fateOf(before, loss, change)}`,
    fix: 'restore the file, or run cdk8s-harvester resolve <output folder> --write-manifests <output folder>',
    level: isKeptByEngine(before.manifest) ? FindingLevel.WARNING : FindingLevel.ERROR,
    cause: 'files that resolve wrote are gone',
  };
}

function lateFix(value: AwaitedValue | undefined, before: Manifest): string | undefined {
  const { apiVersion = '', kind = '', name } = value?.source ?? {};
  return name === undefined
    ? undefined
    : kindOf<KindReferences>({ apiVersion, kind })?.lateFix?.(name, before);
}

/** What is gone, what has come, and which of both are the same under another name. */
export interface LeavingGroups {
  readonly groups: readonly Belonging<OutputObject>[];
  readonly come: readonly Belonging<OutputObject>[];
  readonly renamed: ReadonlyMap<Belonging<OutputObject>, readonly Renamed<OutputObject>[]>;
  /** What names many of them, and is another one now. */
  readonly identities: readonly IdentityChange[];
}

/** The objects that leave an output, and those that come, by what they belong to. */
export function leavingGroups(
  undeclared: readonly OutputObject[],
  { after }: Pick<OutputChange, 'after'>,
  existed: ReadonlySet<string>,
): LeavingGroups {
  const stays = after.filter((object) => existed.has(keyOf(object)));
  const others = after.filter((object) => !existed.has(keyOf(object)));
  const found = belonging(undeclared, stays, others);
  const come = belonging(others, stays, undeclared);
  const identities = identityChanges({ gone: undeclared, come: others, existed, after });
  const pairs = new Map([...renames(found, come), ...inNamespaces(identities, found, others)]);
  return { ...withFollowers({ groups: found, renamed: pairs }, others), come, identities };
}

/** The objects that the program no longer declares, by what they belong to. */
function undeclaredOnes(
  undeclared: readonly OutputObject[],
  { change, namesakes, existed }: Sides,
): Leaving[] {
  if (undeclared.length === 0) {
    return [];
  }
  const { groups, renamed, identities } = leavingGroups(undeclared, change, existed);
  const byIdentity = (object: OutputObject): boolean =>
    identities.some((identity) => isNamedBy(identity, object));
  const identity = {
    cause: identityCause(identities),
    fix: identityFix(identities, change.hasEngine),
  };
  const come = change.after.filter((object) => !existed.has(keyOf(object)));
  return groups.flatMap((group) => {
    const pairs = renamed.get(group) ?? [];
    const nows = new Map(pairs.map(({ before, now }) => [before, now]));
    return group.objects.map((before): Leaving => ({
      rule: OUTPUT_GONE,
      before,
      construct: before.construct,
      message: (loss) =>
        `${placeOf(before)} and is no longer declared: ${fateOf(before, loss, change)}${insteadOf(before, nows.get(before), { namesakes, existed })}`,
      ...(byIdentity(before) || byIdentity(group.head)
        ? identity
        : { fix: fixOf(group, pairs), cause: causeOf(group, pairs) }),
      ...(change.hasEngine ? inTheWay(before, come) : {}),
      // what holds something of its own is accepted by its own ID, unless it is a part of what it
      // belongs to
      ...(before !== group.head && (lossOf(before) === undefined || isPartOf(before, group.head))
        ? { with: group.head }
        : {}),
    }));
  });
}

/** Where an object was in the previous output. */
function placeOf({ file, isOnlyApplied }: OutputObject): string {
  if (file !== undefined) {
    return `was in ${file}`;
  }
  return isOnlyApplied ? 'was written by apply only' : 'waited for a late value';
}

/** The object of the new output that someone may take for the one that is gone. */
function insteadOf(
  before: OutputObject,
  now: OutputObject | undefined,
  { namesakes, existed }: Pick<Sides, 'namesakes' | 'existed'>,
): string {
  if (now) {
    return `; ${now.construct === before.construct ? 'its construct writes' : 'the program declares'} ${objectLabel(now.manifest)} now, which is another object`;
  }
  const elsewhere = namesakes
    .get(objectKey(before.manifest))
    ?.find((object) => object.target !== before.target && !existed.has(keyOf(object)));
  return elsewhere ? `; ${elsewhere.target} has one of that name, which is another object` : '';
}

function acceptance(
  statements: readonly string[],
  { hasProgram }: OutputChange,
  objects: number,
): string {
  const it = objects > 1 ? 'them' : 'it';
  return hasProgram
    ? `to let ${it} go, add ${statements.map((each) => `app.acceptRemoval('${each}', '<why>')`).join(' and ')}`
    : `to let ${it} go, accept the ${it === 'it' ? 'finding' : 'findings'} in a baseline (lint --baseline)`;
}

function finding(
  leaving: Leaving,
  change: OutputChange,
  accept: string,
  isOneOfMany: boolean,
): Finding {
  const { before, construct, level, message, refuses = '', fix, isRepairable, cause } = leaving;
  const { id, source } = leaving.rule;
  const holding = lossOf(before);
  const accepted = acceptanceOf(leaving, change);
  const outdated = accepted ? undefined : change.removals.outdated(before);
  const isNew = outdated
    ? `. app.acceptRemoval('${outdated.objects}') is in the previous output, too, so it accepts nothing more`
    : '';
  return {
    rule: id,
    level: level ?? (holding || isStillAccess(before) ? FindingLevel.ERROR : FindingLevel.WARNING),
    message: `${objectLabel(before.manifest)} ${message(holding ? `, with ${holding.what}` : '')}${refuses}${isNew}`,
    object: objectOf(before.manifest),
    target: before.target,
    path: '',
    fix: isRepairable ? fix : `${fix}; ${accept}`,
    source,
    ...(isOneOfMany ? { cause } : {}),
    ...(construct === undefined ? {} : { construct }),
    ...(accepted ? { suppressed: accepted.reason } : {}),
  };
}

/** The loss when an object is deleted; undefined for one that is kept, or holds nothing. */
function lossOf({
  manifest,
  policy = 'delete',
}: OutputObject): Pick<Holding, 'holds' | 'what'> | undefined {
  return policy === 'delete' && retainedByDefault(manifest) === undefined
    ? holdingOf(manifest)
    : undefined;
}
