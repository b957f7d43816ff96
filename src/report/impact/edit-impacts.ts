import { impactOf } from './cluster-impacts';
import { fitImpacts } from './fit-impacts';
import { Cause, Impact, ImpactSide } from './impact';
import { objectImpacts } from './object-impacts';
import { leftOutput } from '../../core/leaving/left-output.rules';
import { acceptedRemoval } from '../../core/leaving/removal-pattern';
import { objectId, objectLabel } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { Assembly, AssemblyRemoval } from '../../core/output/assembly';
import { World } from '../../core/rule/rule';
import { EditedInput } from '../../engine/read/compared-input';
import { outputChange } from '../../engine/read/output-change';
import { Input } from '../../engine/read/read-input';
import { whatLeaves } from '../../engine/read/what-leaves';
import { poolsOf } from '../../guest/cluster/cluster-reader.facts';
import { machinesOfPool, surgeOf, unavailableOf } from '../../guest/machine-pool/pool-size.facts';
import { QuotaFit, fitPlan } from '../../harvester/resource-quota/quota-fit.facts';

/**
 * What an edit does to machines, to other objects with data or tenants, and to the room for
 * machines.
 */
export function editImpacts(before: Input, after: Input): Impact[] {
  const change = outputChange(before, after);
  const becomes = whatLeaves(change, before.assemblies);
  const sides = { before: sideOf(before), after: sideOf(after) };
  const declared = new Set(
    sides.after.clusters.map(({ manifest, target }) => {
      const { namespace = '', name } = manifest.metadata;
      return `${target.name} ${namespace}/${name}`;
    }),
  );
  const gone = new Map(
    change.before.map((object) => [objectId(object.target, object.manifest), object]),
  );
  const marked = marking(
    after.assemblies,
    impactOf(sides, becomes),
    ({ target, cluster }) => declared.has(`${target} ${cluster}`),
    (id) => {
      const object = gone.get(id);
      return object && change.removals.of(object);
    },
  );
  const worlds = [new World(before.objects), new World(after.objects)] as const;
  const stuck = stuckImpacts(marked, ...worlds);
  return [
    ...marked,
    ...objectImpacts(change, sides, becomes),
    ...fitImpacts(...worlds, stuck),
    ...stuck,
  ];
}

/** What edits do to each of several environments. */
export function impactsOfEdits(edits: readonly EditedInput[]): Impact[] {
  return edits.flatMap(({ environment, before, after }) =>
    editImpacts(before, after).map((impact) =>
      environment === undefined ? impact : { environment, ...impact },
    ),
  );
}

/** What the program accepts and an edit does not do, each as a sentence. */
export function unusedAcceptances(
  before: Input,
  after: Input,
  impacts: readonly Impact[],
): string[] {
  const change = outputChange(before, after);
  const removals = change.removals
    .unused(leftOutput(change), change.after, true)
    .map(({ path, message, fix }) => `${path} ${message}. Fix: ${fix}`);
  return [...unusedReplacements(after.assemblies, impacts), ...removals];
}

function sideOf({ objects, assemblies }: Input): ImpactSide {
  return new ImpactSide(objects, assemblies);
}

/**
 * The impacts on guest clusters, each with the ID to accept it by, and with the reason if it is
 * accepted.
 *
 * @param removalOf the accepted removal of a whole cluster, by its ID: all its data is lost
 */
function marking(
  assemblies: readonly Assembly[],
  impacts: readonly Impact[],
  isDeclared: (impact: Impact) => boolean,
  removalOf: (id: string) => AssemblyRemoval | undefined,
): Impact[] {
  const replacements = replacementsOf(assemblies);
  return impacts.map((impact) => {
    const { pool, effect } = impact;
    if (
      assemblies.length === 0 ||
      (effect !== 'delete' && effect !== 'replace' && effect !== 'unknown')
    ) {
      return impact;
    }
    const whole = clusterId(impact);
    const id = pool === undefined ? whole : `${whole}/${pool}`;
    const accepted = isDeclared(impact)
      ? (acceptedRemoval(replacements, id) ?? acceptedRemoval(replacements, whole))
      : removalOf(whole);
    return { ...impact, id, ...(accepted ? { accepted: accepted.reason } : {}) };
  });
}

function clusterId({ target, cluster }: Impact): string {
  return `${target}/${GROUPS.PROVISIONING}/Cluster/${cluster}`;
}

/** The accepted replacements of machines, in the form of removals. */
function replacementsOf(assemblies: readonly Assembly[]): readonly AssemblyRemoval[] {
  return assemblies.flatMap(({ replacements = [] }) =>
    replacements.map(({ machines, reason }) => ({ objects: machines, reason })),
  );
}

/** The replacements that the program accepts and the edit does not do, each as a sentence. */
export function unusedReplacements(
  assemblies: readonly Assembly[],
  impacts: readonly Impact[],
): string[] {
  const machines = impacts.flatMap((impact) =>
    impact.id === undefined ? [] : [impact.id, clusterId(impact)],
  );
  return replacementsOf(assemblies)
    .filter((each) => !machines.some((id) => acceptedRemoval([each], id)))
    .map(
      ({ objects }) =>
        `app.acceptReplacement('${objects}'): this edit replaces and deletes no such machines. Fix: remove it once its edit is delivered, or correct the ID`,
    );
}

/**
 * The updates of an edit that cannot proceed: they create machines before they delete others, and a
 * quota has no room for these. It is of no account whether there was room before the edit.
 *
 * @param impacts what the edit does to guest clusters
 */
export function stuckImpacts(impacts: readonly Impact[], before: World, after: World): Impact[] {
  const replaced = impacts.filter(({ effect, pool }) => effect === 'replace' && pool !== undefined);
  if (replaced.length === 0) {
    return [];
  }
  const tight = tightQuotas(before, after);
  return replaced.flatMap((impact) => stuckImpact(impact, tight));
}

/** The quotas that have no room for an update, and had room for the machines before the edit. */
function tightQuotas(before: World, after: World): QuotaFit[] {
  const keyOf = ({ object, resource }: QuotaFit): string =>
    `${object.target.name} ${objectLabel(object.manifest)} ${resource}`;
  const unfit = new Set(
    fitPlan(before)
      .filter(({ fits }) => fits === 'no')
      .map(keyOf),
  );
  // `fitImpacts` reports what does not fit even without an update, unless it was so before
  return fitPlan(after).filter(
    (row) => row.fits === 'without surge' || (row.fits !== 'yes' && unfit.has(keyOf(row))),
  );
}

function stuckImpact(
  { target, cluster, pool, construct }: Impact,
  tight: readonly QuotaFit[],
): Impact[] {
  const causes = tight.flatMap((row) =>
    row
      .pools()
      .filter((user) => isPool(user, target, cluster, pool))
      .flatMap((user) => surgeCause(row, user)),
  );
  if (causes.length === 0) {
    return [];
  }
  return [
    {
      effect: 'stuck',
      cluster,
      target,
      ...(pool === undefined ? {} : { pool }),
      what:
        'its update cannot proceed: it creates machines before it deletes others, and a quota has no room for them. ' +
        'Fix: raise the quota, or set rollingUpdate.maxSurge of the pool to 0 and maxUnavailable to 1',
      causes,
      risks: [],
      ...(construct === undefined ? {} : { construct }),
    },
  ];
}

/** A pool that uses a quota. */
type QuotaUser = ReturnType<QuotaFit['pools']>[number];

function isPool(
  user: QuotaUser,
  target: string,
  cluster: string,
  pool: string | undefined,
): boolean {
  const { namespace = '', name } = user.cluster.manifest.metadata;
  return (
    user.pool === pool && user.cluster.target.name === target && `${namespace}/${name}` === cluster
  );
}

/** The quota, if the machines that the update of a pool adds exceed it. */
function surgeCause(row: QuotaFit, { cluster, pool, demand }: QuotaUser): Cause[] {
  const surge = surgeFor(cluster, pool);
  const peak = row.needs + surge * demand;
  if (surge === 0 || Math.round(peak * 1000) <= Math.round(row.has * 1000)) {
    return [];
  }
  const machines = surge === 1 ? 'machine' : 'machines';
  return [
    {
      object: `${objectLabel(row.object.manifest)} on ${row.object.target.name}`,
      path: row.resource,
      remark: `is ${row.limit}, and ${row.textOf(peak)} are needed with ${surge} more ${machines}`,
    },
  ];
}

/** How many machines an update must create before it can delete one. */
function surgeFor({ manifest }: QuotaFit['object'], name: string): number {
  const pool = poolsOf(manifest).find((each) => each.name === name);
  const machines = pool && machinesOfPool(pool);
  if (machines === undefined || unavailableOf(pool!.fields.rollingUpdate, machines) > 0) {
    return 0;
  }
  return surgeOf(pool!.fields.rollingUpdate, machines);
}
