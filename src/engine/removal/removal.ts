import { Needs } from './needs';
import { KindReferences } from '../../core/kind/description/references';
import { KindRemoval } from '../../core/kind/description/removal';
import { kindOf } from '../../core/kind/kinds';
import {
  LEFT_TO_APPLY,
  holdingOf,
  lostWith,
  neverDeleted,
  neverDeletedByEngines,
  ownerKindOf,
  remainsInArgoCd,
  retainedByDefault,
} from '../../core/kind/retention';
import { Manifest, objectKey, refKey } from '../../core/manifest/manifest';
import { Assembly, AssemblyObject } from '../../core/output/assembly';
import { judge, judgedTarget } from '../../core/rule/judge';
import { allRules } from '../../core/rule/judge-all';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { lazily } from '../../core/text/values';
import { AUTH_CONFIG_KIND } from '../../rancher/auth/auth-config.kind';
import { authSecretsOf, isAuthSecret } from '../../rancher/auth/auth-provider.data';
import { GLOBAL_DATA } from '../../rancher/credential/secret.kind';
import { Manifests, impliedEdges } from '../graph/build-graph';

/** How an output reaches the clusters. */
export type DeliveryWay = 'apply' | 'flux' | 'argo-cd' | 'fleet' | 'kubectl';

/**
 * What becomes of an object that leaves the output.
 *
 * `deleted`, `reset`: by its policy. `kept`: it remains as it is. `released`: it remains, and is
 * not managed from then on. `moved`: another target declares it. `blocks`: a server refuses to
 * delete it, which stops what is delivered together with it.
 */
export type Fate = 'deleted' | 'kept' | 'released' | 'reset' | 'moved' | 'blocks';

/** What becomes of an object, and why. */
export interface Becomes {
  readonly fate: Fate;
  /** A clause without its subject. */
  readonly reason: string;
  /**
   * The ID of the object for which it is kept.
   * @default - it is kept for its own sake, or not kept
   */
  readonly neededBy?: string;
  /**
   * What would be lost with it, as a noun phrase: an apply deletes it only with explicit consent.
   * @default - it is deleted, or kept for another reason
   */
  readonly loss?: string;
}

/** What is known of an object apart from all others. */
export interface OwnFate extends Becomes {
  /** Whether the objects that it needs are kept with it. */
  readonly keepsNeeds?: boolean;
}

/** Objects that leave an output. */
export interface Removal {
  /** The previous output; for an apply, with what is live. */
  readonly assembly: Assembly;
  readonly manifests: Manifests;
  readonly way: DeliveryWay;
  /** The IDs of the objects that leave. */
  readonly removed: ReadonlySet<string>;
  /** Whether an apply deletes objects that hold machines or data. @default false */
  readonly pruneMachines?: boolean;
  /** What an engine keeps. @default - what `keptByEngines` finds */
  readonly kept?: ReadonlyMap<string, Becomes>;
  /** What is known of a live object. @default - by its manifest and its policy */
  readonly own?: (object: AssemblyObject) => OwnFate;
  /** Whether rules judge what a server refuses to delete. @default true */
  readonly judges?: boolean;
  /** The new output. @default - the objects that do not leave */
  readonly now?: readonly AssemblyObject[];
}

const DELETED: OwnFate = { fate: 'deleted', reason: 'is no longer declared' };

const LEFT_BY_ENGINES: Becomes = { fate: 'kept', reason: LEFT_TO_APPLY };

const LEFT_BY_KUBECTL: Becomes = {
  fate: 'kept',
  reason: 'kubectl apply deletes nothing: delete it by hand',
};

/** An object that is kept for its own sake. */
function keptFate(reason: string, keepsNeeds = true): OwnFate {
  return { fate: 'kept', reason, keepsNeeds };
}

/**
 * What becomes of each object that leaves the output: the one answer that plan, apply, reports,
 * lint, and files for engines give.
 */
export function whatBecomes(removal: Removal): ReadonlyMap<string, Becomes> {
  const { way, removed } = removal;
  const leaving = removal.assembly.objects.filter(({ id }) => removed.has(id));
  if (way === 'kubectl') {
    return new Map(leaving.map(({ id }) => [id, LEFT_BY_KUBECTL]));
  }
  const fates = way === 'apply' ? fatesByApply(removal, leaving) : fatesByEngine(removal, leaving);
  const moved = withMoves(fates, removal);
  return removal.judges === false ? moved : withRefusals(moved, removal);
}

/** What objects become by an engine, which reads their annotations. */
function fatesByEngine(
  removal: Removal,
  leaving: readonly AssemblyObject[],
): ReadonlyMap<string, Becomes> {
  const { assembly, manifests, kept = keptByEngines(assembly, manifests) } = removal;
  const fates = new Map<string, Becomes>();
  for (const { id, onlyApply } of leaving) {
    fates.set(id, onlyApply === undefined ? (kept.get(id) ?? DELETED) : LEFT_BY_ENGINES);
  }
  return removal.way === 'argo-cd' ? withOwners(fates, removal) : fates;
}

/** Argo CD leaves objects with an owner to the garbage collector. */
function withOwners(
  fates: ReadonlyMap<string, Becomes>,
  { assembly, manifests }: Removal,
): ReadonlyMap<string, Becomes> {
  const remaining = new Map<string, string>();
  for (const [id, { fate }] of fates) {
    const reason = fate === 'deleted' ? remainsInArgoCd(manifests.get(id)!) : undefined;
    if (reason) {
      remaining.set(id, reason);
    }
  }
  if (remaining.size === 0) {
    return fates;
  }
  const owners = ownersOf(assembly, manifests);
  const withOwned = new Map(fates);
  for (const [id, reason] of remaining) {
    const owner = owners.get(id);
    const isDeleted = owner !== undefined && fates.get(owner)?.fate === 'deleted';
    withOwned.set(
      id,
      isDeleted
        ? { fate: 'deleted', reason: `is deleted with ${owner}` }
        : { fate: 'kept', reason },
    );
  }
  return withOwned;
}

/** The IDs of owners by those of the objects that they own. */
function ownersOf(assembly: Assembly, manifests: Manifests): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  const kinds = new Map(assembly.objects.map(({ id, kind }) => [id, kind]));
  const addOwner = (owned: string, owner: string): void => {
    const manifest = manifests.get(owned);
    if (manifest && kinds.get(owner) === ownerKindOf(manifest)) {
      owners.set(owned, owner);
    }
  };
  for (const { from, to } of impliedEdges(assembly, manifests)) {
    addOwner(from, to);
    addOwner(to, from);
  }
  return owners;
}

/**
 * The objects that no engine must delete, whatever leaves the output: those that are kept for their
 * own sake, and all that these need. Engines read it from the live object, so it must be written
 * before anything is removed.
 */
export function keptByEngines(
  assembly: Assembly,
  manifests: Manifests,
): ReadonlyMap<string, Becomes> {
  const isLost = ({ id }: AssemblyObject): boolean =>
    manifests.has(id) && lostWith(manifests.get(id)!) !== undefined;
  // a cluster before the definitions of its machines
  const sorted = [
    ...assembly.objects.filter((object) => isLost(object)),
    ...assembly.objects.filter((object) => !isLost(object)),
  ];
  const own = new Map<string, OwnFate>();
  for (const object of sorted) {
    const kept = engineKeeps(object, manifests.get(object.id));
    if (kept !== undefined) {
      own.set(object.id, kept);
    }
  }
  // an engine deletes in no order
  const going: ReadonlySet<string> = new Set();
  const all = withNeeds(own, () => new Needs(assembly, manifests), going);
  return new Map([...all].map(([id, fate]) => [id, withoutNeeds(fate)]));
}

/** A fate without what is known of the object alone. */
function withoutNeeds({ keepsNeeds: _, ...becomes }: OwnFate): Becomes {
  return becomes;
}

/**
 * Why an engine must never delete an object: the program keeps or resets it, it is the server's
 * own, or machines or data are lost with it. The program can choose the deletion of machines and
 * data.
 */
function engineKeeps(
  { deletion, apiVersion, kind }: AssemblyObject,
  manifest: Manifest | undefined,
): OwnFate | undefined {
  if (deletion?.policy === 'keep') {
    return keptFate(deletion.reason);
  }
  if (deletion?.policy === 'reset') {
    const byEngines = kindOf<KindRemoval>({ apiVersion, kind })?.reset?.byEngines;
    return byEngines === undefined
      ? keptFate('engines cannot reset it: remove it with apply', false)
      : keptFate(byEngines);
  }
  if (!manifest) {
    return undefined;
  }
  const never = neverDeleted(manifest)?.says ?? neverDeletedByEngines(manifest);
  if (never !== undefined) {
    return keptFate(never);
  }
  if (deletion?.chosen) {
    return undefined;
  }
  const retained = retainedByDefault(manifest);
  if (retained !== undefined) {
    return keptFate(retained);
  }
  const holding = holdingOf(manifest);
  const { hasGeneratedId } = kindOf(manifest) ?? {};
  // with its ID, a cluster loses its tenants
  if (!holding || !(['machines', 'data'].includes(holding.holds) || hasGeneratedId)) {
    return undefined;
  }
  // a Namespace contains what the program does not know, and needs nothing for that
  return keptFate(wouldBeLost(holding.what), kind !== 'Namespace');
}

/** What objects become by an apply. */
function fatesByApply(
  removal: Removal,
  leaving: readonly AssemblyObject[],
): ReadonlyMap<string, Becomes> {
  const { assembly, manifests, pruneMachines = false } = removal;
  const remaining = assembly.objects.filter(({ id }) => !removal.removed.has(id));
  const used = new Set(remaining.flatMap((object) => usersOfObject(object.target, object)));
  const own = new Map<string, OwnFate>();
  for (const object of leaving) {
    const fate = removal.own?.(object) ?? ownFate(object, manifests.get(object.id), used);
    own.set(object.id, fate);
  }
  const kept = keptByApply(own, pruneMachines);
  // machines and data that the program declares need theirs, too
  const declared = remaining
    .filter(({ id }) => manifests.has(id) && lostWith(manifests.get(id)!) !== undefined)
    .map(({ id }) => id);
  const going = [...own.keys()].filter((id) => own.get(id)!.fate === 'deleted' && !kept.has(id));
  const all = withNeeds(kept, () => new Needs(assembly, manifests), new Set(going), declared);
  const fates = new Map<string, Becomes>();
  for (const [id, { fate, reason }] of own) {
    fates.set(id, withoutNeeds(all.get(id) ?? { fate, reason }));
  }
  return fates;
}

/** The objects that an apply keeps, by what is known of each alone. */
function keptByApply(
  own: ReadonlyMap<string, OwnFate>,
  pruneMachines: boolean,
): ReadonlyMap<string, OwnFate> {
  const kept = new Map<string, OwnFate>();
  for (const [id, fate] of own) {
    if (fate.loss !== undefined && !pruneMachines) {
      kept.set(id, { ...keptFate(wouldBeLost(fate.loss)), loss: fate.loss });
    } else if (fate.fate === 'kept' || fate.fate === 'released') {
      kept.set(id, fate);
    }
  }
  return kept;
}

/** What an object becomes by an apply, as far as the output shows. */
function ownFate(
  { target, deletion }: AssemblyObject,
  manifest: Manifest | undefined,
  used: ReadonlySet<string>,
): OwnFate {
  if (deletion?.policy === 'keep') {
    return keptFate(deletion.reason);
  }
  if (deletion?.policy === 'reset') {
    return { fate: 'reset', reason: deletion.reason };
  }
  if (!manifest) {
    return DELETED;
  }
  const never = neverDeleted(manifest)?.says;
  if (never !== undefined) {
    return keptFate(never);
  }
  const retained = deletion === undefined ? retainedByDefault(manifest) : undefined;
  if (retained !== undefined) {
    return keptFate(retained);
  }
  const inUse = stillInUse(manifest, target, used);
  if (inUse !== undefined) {
    return { fate: 'kept', reason: inUse };
  }
  const loss = lostWith(manifest);
  return loss === undefined ? DELETED : { ...DELETED, loss };
}

/**
 * Adds what kept objects need.
 *
 * @param going IDs of what is deleted before the permissions that it uses
 * @param declared IDs of declared objects whose needs are kept, too
 */
function withNeeds(
  kept: ReadonlyMap<string, OwnFate>,
  needs: () => Needs,
  going: ReadonlySet<string>,
  declared: readonly string[] = [],
): ReadonlyMap<string, OwnFate> {
  const keeping = [...kept.keys()].filter((id) => kept.get(id)!.keepsNeeds);
  const roots = [...keeping, ...declared];
  if (roots.length === 0) {
    return kept;
  }
  const isDeclared = new Set(declared);
  const all = new Map(kept);
  for (const [id, neededBy] of needs().of(roots, going)) {
    if (!kept.has(id)) {
      const how = isDeclared.has(neededBy) ? 'needs it' : 'is kept and needs it';
      all.set(id, { fate: 'kept', reason: `${neededBy} ${how}`, neededBy });
    }
  }
  return all;
}

/** Why an object that holds something is kept. */
export function wouldBeLost(what: string): string {
  return `${what} would be lost with it`;
}

/** Objects that another target declares now. */
function withMoves(
  fates: ReadonlyMap<string, Becomes>,
  { assembly, manifests, now = [], removed }: Removal,
): ReadonlyMap<string, Becomes> {
  if (now.length === 0) {
    return fates;
  }
  const before = new Set(assembly.objects.map(({ id }) => id));
  const added = now.filter(({ id }) => !before.has(id));
  const addedOn = new Map(added.map((object) => [refKey(object), object.target]));
  const leaving = assembly.objects.filter(({ id }) => removed.has(id));
  const removedFrom = new Map(leaving.map(({ id, target }) => [id, target]));
  const moved = new Map(fates);
  for (const [id, { fate }] of fates) {
    const to = addedOn.get(objectKey(manifests.get(id)!));
    if (to !== undefined && fate === 'deleted') {
      const reason = `is deleted on ${removedFrom.get(id)}, and declared on ${to}`;
      moved.set(id, { fate: 'moved', reason });
    }
  }
  return moved;
}

/** Rules are registered after this file is loaded. */
const deletionRules = lazily(() =>
  allRules()
    .filter(({ judgeDeletion, level }) => judgeDeletion && level === 'error')
    .map((rule): Rule => ({ ...rule, judge: undefined, judgeUpdate: undefined })),
);

/** Objects whose deletion a server refuses while what remains uses them. */
function withRefusals(
  fates: ReadonlyMap<string, Becomes>,
  removal: Removal,
): ReadonlyMap<string, Becomes> {
  const going = [...fates.keys()].filter((id) => isGoing(fates.get(id)));
  if (going.length === 0) {
    return fates;
  }
  const refusals = refusalsOf(removal, new Set(going));
  const objects = new Map(removal.assembly.objects.map((object) => [object.id, object]));
  const all = new Map(fates);
  for (const id of going) {
    const reason = refusals.get(placeKey(objects.get(id)!));
    if (reason !== undefined) {
      all.set(id, { fate: 'blocks', reason });
    }
  }
  return all;
}

function isGoing(becomes: Becomes | undefined): boolean {
  return becomes?.fate === 'deleted' || becomes?.fate === 'moved';
}

/** What an object is on all targets together. */
function placeKey(object: AssemblyObject): string {
  return `${object.target} ${refKey(object)}`;
}

/** Why servers refuse to delete some objects while the others remain, by `placeKey`. */
function refusalsOf(
  { assembly, manifests }: Removal,
  going: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const targets = new Map(
    assembly.targets.map(({ name, kind, version, properties }) => [
      name,
      judgedTarget(name, kind, version, properties),
    ]),
  );
  const judgedOf = ({ id, target }: AssemblyObject): JudgedObject => ({
    manifest: manifests.get(id)!,
    target: targets.get(target)!,
  });
  const before = assembly.objects.filter(
    ({ id, target }) => manifests.has(id) && targets.has(target),
  );
  const after = before.filter(({ id }) => !going.has(id));
  const world = new World(after.map(judgedOf), [], before.map(judgedOf));
  const findings = judge(deletionRules(), world);
  const errors = findings.filter(({ level }) => level === 'error');
  return new Map(
    errors.map(({ target, object, message }) => [`${target} ${refKey(object!)}`, message]),
  );
}

/** An object that remains. */
type Used = Pick<AssemblyObject, 'apiVersion' | 'kind' | 'namespace' | 'name'>;

/**
 * What objects that remain need although the program does not declare it: their namespaces, the
 * Secrets that controllers make from them, and those of a provider.
 */
export function usersOfObject(
  target: string,
  { apiVersion, kind, namespace = '', name }: Used,
): string[] {
  return [
    `${target} ${namespace}`,
    ...(kindOf<KindReferences>({ apiVersion, kind })?.makes
      ? [`${target} ${namespace}/${name}`]
      : []),
    ...(kind === AUTH_CONFIG_KIND
      ? authSecretsOf(name).map((secret) => `${target} ${GLOBAL_DATA}/${secret}`)
      : []),
  ];
}

/**
 * Why a Namespace or a Secret is kept: objects that remain need it. `used` contains `usedBy` of all
 * of them.
 */
export function stillInUse(
  { apiVersion, kind, metadata }: Manifest,
  target: string,
  used: ReadonlySet<string>,
): string | undefined {
  const { namespace, name } = metadata;
  if (apiVersion !== 'v1') {
    return undefined;
  }
  if (kind === 'Namespace' && used.has(`${target} ${name}`)) {
    return 'it contains other objects of this program';
  }
  if (kind !== 'Secret' || !used.has(`${target} ${namespace}/${name}`)) {
    return undefined;
  }
  return namespace === GLOBAL_DATA && isAuthSecret(name)
    ? 'users log in with it by an AuthConfig of this program'
    : 'a controller creates it from another object of this program';
}
