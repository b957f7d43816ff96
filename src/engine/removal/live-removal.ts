import { Becomes, OwnFate, whatBecomes } from './removal';
import { lostWith } from '../../core/kind/retention';
import { Manifest, nameOnly } from '../../core/manifest/manifest';
import { Assembly, ASSEMBLY_VERSION, AssemblyObject } from '../../core/output/assembly';
import { LiveObject } from '../cluster/cluster';
import { Manifests } from '../graph/build-graph';
import { Leftover } from '../inventory/inventory';
import { KeptOptions, keptOf } from '../precondition/kept';
import { LoginGuard } from '../precondition/last-login';
import { ownersAmong } from '../precondition/owners';

/** A program, and whether a run of it deletes objects that hold machines or data. */
interface LiveRemoval extends KeptOptions {
  readonly assembly: Assembly;
  readonly manifests: Manifests;
  readonly pruneMachines?: boolean;
}

/**
 * What becomes of objects that a program no longer declares, by their live state. One that does not
 * exist needs nothing, and is not kept.
 */
export function whatBecomesOf(
  leftovers: readonly Leftover[],
  { assembly, manifests, pruneMachines, ...options }: LiveRemoval,
): ReadonlyMap<string, Becomes> {
  if (leftovers.length === 0) {
    return new Map();
  }
  const byId = new Map(leftovers.map((leftover) => [leftover.entry.id, leftover]));
  const live = leftovers.flatMap((each): [string, Manifest][] =>
    each.live ? [[each.entry.id, each.live]] : [],
  );
  // an owner that is kept takes nothing along
  const going = leftovers.filter((leftover) => {
    const { fate, loss } = ownFate(leftover, options);
    return leftover.live && fate === 'deleted' && (loss === undefined || pruneMachines);
  });
  // a Secret of a provider is deleted once its provider is disabled
  const disabled = new Set(
    leftovers
      .filter((leftover) => ownFate(leftover, options).fate === 'reset')
      .map(({ target, entry }) => `${target} ${entry.name}`),
  );
  const logins: LoginGuard = (entry, object, target) =>
    options.logins?.(entry, object, target, (name) => disabled.has(`${target} ${name}`));
  const isCollected = (object: LiveObject, target: string): boolean =>
    ownersAmong(object, target, going) !== undefined;
  return whatBecomes({
    assembly: {
      ...assembly,
      objects: [...assembly.objects.filter(({ id }) => !byId.has(id)), ...leftovers.map(asObject)],
    },
    manifests: new Map([...manifests, ...live]),
    way: 'apply',
    removed: new Set(byId.keys()),
    pruneMachines,
    own: ({ id }) => ownFate(byId.get(id)!, { ...options, isCollected, logins }),
    // the server is asked
    judges: false,
  });
}

function ownFate({ target, entry, live }: Leftover, options: KeptOptions): OwnFate {
  const gone: OwnFate = { fate: 'deleted', reason: 'is no longer declared' };
  if (!live || live.metadata.deletionTimestamp !== undefined) {
    return gone;
  }
  const kept = keptOf(entry, live, target, options);
  if (kept) {
    return {
      fate: kept.releases ? 'released' : 'kept',
      reason: kept.why,
      keepsNeeds: kept.keepsNeeds,
    };
  }
  if (entry.policy === 'reset') {
    return { fate: 'reset', reason: entry.reason ?? '' };
  }
  const loss = lostWith(live);
  return loss === undefined ? gone : { ...gone, loss };
}

/** An inventory entry as an object of an assembly. */
export function asObject({ target, entry }: Leftover): AssemblyObject {
  const { id, apiVersion, kind, namespace, name, policy, reason, construct } = entry;
  return {
    id,
    target,
    apiVersion,
    kind,
    name,
    construct: construct ?? 'no longer declared',
    deletion: { policy, reason: reason ?? '' },
    ...(namespace === undefined ? {} : { namespace }),
  };
}

/** Objects as an assembly, of which the graph follows from their manifests alone. */
export function assemblyOf(
  targets: Assembly['targets'],
  objects: readonly AssemblyObject[],
): Assembly {
  return {
    schemaVersion: ASSEMBLY_VERSION,
    targets,
    objects,
    groups: [],
    edges: [],
    lateValues: [],
    findings: [],
  };
}

/** Manifests of leftovers: the live ones, or only with a name. */
export function manifestsOfLeftovers(
  leftovers: readonly Leftover[],
): ReadonlyMap<string, Manifest> {
  return new Map(leftovers.map(({ entry, live }) => [entry.id, live ?? nameOnly(entry)]));
}
