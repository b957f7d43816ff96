import { PartNotes } from './platform';
import { idOf, objectId, objectLabel } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { World } from '../../core/rule/rule';
import { plural } from '../../core/text/plain-text';
import { remembered } from '../../core/text/values';
import { ClusterPool, poolsOf } from '../../guest/cluster/cluster-reader.facts';
import { isScaled, poolSizeOf } from '../../guest/machine-pool/pool-size.facts';
import { addressPlan } from '../../harvester/load-balancer/address-plan.facts';
import { addressTable } from '../addresses/address-table';
import { FitRow } from '../fits/fit-table';
import { Impact, isLoss } from '../impact/impact';
import { impactSummary } from '../impact/print-impact';

/** What is known of a platform besides its objects. */
export interface PlatformReports {
  readonly world: World;
  readonly fits: readonly FitRow[];
  /** What an edit does. @default - nothing to compare with */
  readonly impacts?: readonly Impact[];
  /** Removes secrets from what an edit does. */
  readonly scrub: (text: string) => string;
}

/** The notes of reports while they are collected, each by the ID of its object. */
interface DraftNotes {
  readonly facts: Map<string, string[]>;
  readonly problems: Map<string, string[]>;
  readonly uses: Map<string, string[]>;
}

/** What reports say of single objects, in their words. */
export function objectNotes({ world, fits, impacts = [], scrub }: PlatformReports): PartNotes {
  const notes: DraftNotes = { facts: new Map(), problems: new Map(), uses: new Map() };
  const ids = idsByLabel(world);
  noteMachinePools(notes, world);
  noteAddresses(notes, world);
  noteLimits(notes, fits, ids);
  noteImpacts(notes, impacts, ids, scrub);
  return notes;
}

function add(notes: Map<string, string[]>, id: string, note: string): void {
  remembered(notes, id, (): string[] => []).push(note);
}

/** The IDs of objects by their targets and labels, as reports name them. */
function idsByLabel(world: World): ReadonlyMap<string, string> {
  return new Map(
    world.judged.map(({ target, manifest }) => [
      `${target.name} ${objectLabel(manifest)}`,
      objectId(target.name, manifest),
    ]),
  );
}

function noteMachinePools({ facts }: DraftNotes, world: World): void {
  for (const { target, manifest } of world.ofKind(GROUPS.PROVISIONING, 'Cluster')) {
    for (const pool of poolsOf(manifest)) {
      add(facts, objectId(target.name, manifest), poolText(pool));
    }
  }
}

/** Notes the addresses of IP pools and load balancers. */
function noteAddresses({ facts, problems, uses }: DraftNotes, world: World): void {
  const plan = addressPlan(world);
  const { balancers, pools } = addressTable(world);
  const poolIds = new Map(
    plan.pools.map(({ object }) => [
      `${object.target.name} ${object.manifest.metadata.name}`,
      objectId(object.target.name, object.manifest),
    ]),
  );
  for (const { harvester, pool, ranges, size, free } of pools) {
    const id = poolIds.get(`${harvester} ${pool}`)!;
    ranges.forEach((range) => {
      add(facts, id, range);
    });
    add(facts, id, `${free ?? '?'} of ${size ?? '?'} addresses are free`);
  }
  balancers.forEach(({ harvester, pool, address, mode, ports, reason }, index) => {
    const { target, manifest } = plan.balancers[index]!.object;
    const id = objectId(target.name, manifest);
    if (ports.length > 0) {
      add(facts, id, ports.join(' '));
    }
    if (pool === null) {
      add(mode === 'pool' ? problems : facts, id, reason);
      return;
    }
    add(facts, id, `pool ${pool}`);
    if (address !== null) {
      add(facts, id, `address ${address}`);
    }
    add(uses, id, poolIds.get(`${harvester} ${pool}`) ?? '');
  });
}

/** Notes the limits that are too low. */
function noteLimits(
  { problems }: DraftNotes,
  fits: readonly FitRow[],
  ids: ReadonlyMap<string, string>,
): void {
  for (const { target, object, resource, needs, limit, fits: verdict } of fits) {
    const id = ids.get(`${target} ${object}`);
    if (id !== undefined && verdict !== 'yes') {
      add(problems, id, `${resource}: ${needs} of ${limit} are needed`);
    }
  }
}

/** Notes what an edit destroys. Follows the notes of limits, which it does not repeat. */
function noteImpacts(
  { problems }: DraftNotes,
  impacts: readonly Impact[],
  ids: ReadonlyMap<string, string>,
  scrub: (text: string) => string,
): void {
  for (const impact of impacts.filter(({ effect }) => isLoss(effect))) {
    const { target, object, cluster, effect, what } = impact;
    const [namespace, name] = cluster.split('/');
    const id =
      object === undefined
        ? idOf(target, GROUPS.PROVISIONING, 'Cluster', namespace, name ?? '')
        : ids.get(`${target} ${object}`);
    // a limit that is too low is among the limits
    if (id === undefined || (effect === 'refuse' && problems.has(id))) {
      continue;
    }
    add(problems, id, scrub(impact.machines === undefined ? what : impactSummary([impact])));
  }
}

/** e.g. `workers: 3 machines` */
function poolText(pool: ClusterPool): string {
  const size = poolSizeOf(pool);
  if (isScaled(size)) {
    return `${pool.name}: ${String(size.min)} to ${String(size.max)} machines`;
  }
  const { quantity = 1 } = size;
  return typeof quantity === 'number'
    ? `${pool.name}: ${plural(quantity, 'machine')}`
    : `${pool.name}: some machines`;
}
