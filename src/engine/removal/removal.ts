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

/**
 * What becomes of each object that leaves the output: the one answer that plan, apply, reports,
 * lint, and files for engines give.
 */
export function whatBecomes(removal: Removal): ReadonlyMap<string, Becomes> {
  const { way, removed } = removal;
  const { objects } = removal.assembly;
  const leaving = objects.filter(({ id }) => removed.has(id));
  if (way === 'kubectl') {
    return new Map(
      leaving.map(({ id }) => [
        id,
        { fate: 'kept', reason: 'kubectl apply deletes nothing: delete it by hand' },
      ]),
    );
  }
  const byEngine =
    way === 'apply'
      ? undefined
      : (removal.kept ?? keptByEngines(removal.assembly, removal.manifests));
  const fates = new Map(
    byEngine
      ? leaving.map((object) => [object.id, ofEngine(object, byEngine)] as const)
      : ofApply(removal, leaving),
  );
  const moved = withMoves(way === 'argo-cd' ? withOwners(fates, removal) : fates, removal);
  return removal.judges === false ? moved : new Map(withRefusals(moved, removal));
}

/** What an object becomes by an engine, which reads its annotations. */
function ofEngine({ id, onlyApply }: AssemblyObject, kept: ReadonlyMap<string, Becomes>): Becomes {
  return onlyApply === undefined
    ? (kept.get(id) ?? DELETED)
    : { fate: 'kept', reason: LEFT_TO_APPLY };
}

/** Argo CD leaves objects with an owner to the garbage collector. */
function withOwners(
  fates: ReadonlyMap<string, Becomes>,
  { assembly, manifests }: Removal,
): ReadonlyMap<string, Becomes> {
  const remaining = new Map(
    [...fates].flatMap(([id, { fate }]) => {
      const why = fate === 'deleted' && remainsInArgoCd(manifests.get(id)!);
      return why ? [[id, why] as const] : [];
    }),
  );
  if (remaining.size === 0) {
    return fates;
  }
  const owners = new Map<string, string>();
  const kinds = new Map(assembly.objects.map(({ id, kind }) => [id, kind]));
  for (const { from, to } of impliedEdges(assembly, manifests)) {
    for (const [owned, owner] of [
      [from, to],
      [to, from],
    ]) {
      const manifest = manifests.get(owned);
      if (manifest && kinds.get(owner) === ownerKindOf(manifest)) {
        owners.set(owned, owner);
      }
    }
  }
  return new Map(
    [...fates].map(([id, becomes]) => {
      const [why, owner] = [remaining.get(id), owners.get(id)];
      if (why === undefined) {
        return [id, becomes];
      }
      return owner !== undefined && fates.get(owner)?.fate === 'deleted'
        ? [id, { fate: 'deleted', reason: `is deleted with ${owner}` }]
        : [id, { fate: 'kept', reason: why }];
    }),
  );
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
  // a cluster before the definitions of its machines
  const isLost = ({ id }: AssemblyObject): boolean =>
    manifests.has(id) && lostWith(manifests.get(id)!) !== undefined;
  const [first, then] = [true, false].map((wanted) =>
    assembly.objects.filter((object) => isLost(object) === wanted),
  );
  const own = new Map(
    [...first, ...then].flatMap((object) => {
      const kept = engineKeeps(object, manifests.get(object.id));
      return kept === undefined ? [] : [[object.id, kept] as const];
    }),
  );
  return new Map(
    [
      ...withNeeds(own, () => new Needs(assembly, manifests), {
        // an engine deletes in no order
        going: new Set(),
      }),
    ].map(([id, { keepsNeeds: _, ...becomes }]) => [id, becomes]),
  );
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
  const keep = (reason: string, keepsNeeds = true): OwnFate => ({
    fate: 'kept',
    reason,
    keepsNeeds,
  });
  if (deletion?.policy === 'keep') {
    return keep(deletion.reason);
  }
  if (deletion?.policy === 'reset') {
    const byEngines = kindOf<KindRemoval>({ apiVersion, kind })?.reset?.byEngines;
    return byEngines === undefined
      ? keep('engines cannot reset it: remove it with apply', false)
      : keep(byEngines);
  }
  if (!manifest) {
    return undefined;
  }
  const never = neverDeleted(manifest)?.says ?? neverDeletedByEngines(manifest);
  if (never !== undefined) {
    return keep(never);
  }
  if (deletion?.chosen) {
    return undefined;
  }
  const retained = retainedByDefault(manifest);
  if (retained !== undefined) {
    return keep(retained);
  }
  const holding = holdingOf(manifest);
  const { hasGeneratedId } = kindOf(manifest) ?? {};
  // with its ID, a cluster loses its tenants
  if (!holding || !(['machines', 'data'].includes(holding.holds) || hasGeneratedId)) {
    return undefined;
  }
  // it contains what the program does not know, and needs nothing for that
  return keep(wouldBeLost(holding.what), kind !== 'Namespace');
}

function* ofApply(
  removal: Removal,
  leaving: readonly AssemblyObject[],
): Iterable<readonly [id: string, becomes: Becomes]> {
  const { assembly, manifests, pruneMachines } = removal;
  const used = new Set(
    assembly.objects
      .filter(({ id }) => !removal.removed.has(id))
      .flatMap((object) => usersOfObject(object.target, object)),
  );
  const own =
    removal.own ??
    ((object: AssemblyObject): OwnFate => ownFate(object, manifests.get(object.id), used));
  const fates = new Map(leaving.map((object) => [object.id, own(object)] as const));
  const kept = new Map(
    [...fates].flatMap(([id, fate]): [string, OwnFate][] => {
      if (fate.loss !== undefined && !pruneMachines) {
        return [
          [id, { fate: 'kept', reason: wouldBeLost(fate.loss), loss: fate.loss, keepsNeeds: true }],
        ];
      }
      return fate.fate === 'kept' || fate.fate === 'released' ? [[id, fate]] : [];
    }),
  );
  // machines and data that the program declares need theirs, too
  const declared = assembly.objects.filter(
    ({ id }) =>
      !removal.removed.has(id) && manifests.has(id) && lostWith(manifests.get(id)!) !== undefined,
  );
  const going = [...fates].flatMap(([id, { fate }]) =>
    fate === 'deleted' && !kept.has(id) ? [id] : [],
  );
  const all = withNeeds(kept, () => new Needs(assembly, manifests), {
    declared: declared.map(({ id }) => id),
    going: new Set(going),
  });
  for (const [id, { fate, reason }] of fates) {
    const { keepsNeeds: _, ...becomes } = all.get(id) ?? { fate, reason };
    yield [id, becomes];
  }
}

/** What an object becomes by an apply, as far as the output shows. */
function ownFate(
  { target, deletion }: AssemblyObject,
  manifest: Manifest | undefined,
  used: ReadonlySet<string>,
): OwnFate {
  if (deletion?.policy === 'keep') {
    return { fate: 'kept', reason: deletion.reason, keepsNeeds: true };
  }
  if (deletion?.policy === 'reset') {
    return { fate: 'reset', reason: deletion.reason };
  }
  const says =
    manifest &&
    (neverDeleted(manifest)?.says ??
      (deletion === undefined ? retainedByDefault(manifest) : undefined));
  if (says !== undefined) {
    return { fate: 'kept', reason: says, keepsNeeds: true };
  }
  const contains = manifest && stillInUse(manifest, target, used);
  if (contains !== undefined) {
    return { fate: 'kept', reason: contains };
  }
  const loss = manifest && lostWith(manifest);
  return loss === undefined ? DELETED : { ...DELETED, loss };
}

/** Adds what kept objects need. */
function withNeeds(
  kept: ReadonlyMap<string, OwnFate>,
  needs: () => Needs,
  {
    going,
    declared = [],
  }: { readonly going: ReadonlySet<string>; readonly declared?: readonly string[] },
): ReadonlyMap<string, OwnFate> {
  const roots = [...kept].filter(([, { keepsNeeds }]) => keepsNeeds).map(([id]) => id);
  if (roots.length + declared.length === 0) {
    return kept;
  }
  const isDeclared = new Set(declared);
  const more = [...needs().of([...roots, ...declared], going)].filter(([id]) => !kept.has(id));
  const whyOf = (neededBy: string): string =>
    `${neededBy} ${isDeclared.has(neededBy) ? 'needs it' : 'is kept and needs it'}`;
  return new Map([
    ...kept,
    ...more.map(([id, neededBy]): [string, OwnFate] => [
      id,
      { fate: 'kept', reason: whyOf(neededBy), neededBy },
    ]),
  ]);
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
  const added = new Map(
    now.filter(({ id }) => !before.has(id)).map((object) => [refKey(object), object.target]),
  );
  const targets = new Map(
    assembly.objects.filter(({ id }) => removed.has(id)).map(({ id, target }) => [id, target]),
  );
  return new Map(
    [...fates].map(([id, becomes]) => {
      const to = added.get(objectKey(manifests.get(id)!));
      return to === undefined || becomes.fate !== 'deleted'
        ? ([id, becomes] as const)
        : ([
            id,
            {
              fate: 'moved',
              reason: `is deleted on ${targets.get(id)}, and declared on ${to}`,
            } as const,
          ] as const);
    }),
  );
}

/** Rules are registered after this file is loaded. */
const deletionRules = lazily(() =>
  allRules()
    .filter(({ judgeDeletion, level }) => judgeDeletion && level === 'error')
    .map((rule): Rule => ({ ...rule, judge: undefined, judgeUpdate: undefined })),
);

/** Objects whose deletion a server refuses while what remains uses them. */
function* withRefusals(
  fates: ReadonlyMap<string, Becomes>,
  { assembly, manifests }: Removal,
): Iterable<readonly [id: string, becomes: Becomes]> {
  const isGoing = (id: string): boolean => {
    const fate = fates.get(id)?.fate;
    return fate === 'deleted' || fate === 'moved';
  };
  const targets = new Map(
    assembly.targets.map(({ name, kind, version, properties }) => [
      name,
      judgedTarget(name, kind, version, properties),
    ]),
  );
  const judged = (wanted: (id: string) => boolean): JudgedObject[] =>
    assembly.objects.flatMap(({ id, target }) =>
      wanted(id) && manifests.has(id) && targets.has(target)
        ? [{ manifest: manifests.get(id)!, target: targets.get(target)! }]
        : [],
    );
  const findings = [...fates.keys()].some(isGoing)
    ? judge(
        deletionRules(),
        new World(
          judged((id) => !isGoing(id)),
          [],
          judged(() => true),
        ),
      )
    : [];
  const refused = new Map(
    findings
      .filter(({ level }) => level === 'error')
      .map(({ target, object, message }) => [`${target} ${refKey(object!)}`, message]),
  );
  const byId = new Map(assembly.objects.map((object) => [object.id, object]));
  for (const [id, becomes] of fates) {
    const object = byId.get(id)!;
    const message = isGoing(id) ? refused.get(`${object.target} ${refKey(object)}`) : undefined;
    yield [id, message === undefined ? becomes : { fate: 'blocks', reason: message }];
  }
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
