import { Outcomes } from './outcomes';
import { reach } from '../../../core/graph/reach';
import { KindAccess } from '../../../core/kind/description/access';
import { givesAccess, kindOf } from '../../../core/kind/kinds';
import { Manifest, groupOf, itemsAt, kindKey } from '../../../core/manifest/manifest';
import { AssemblyObject } from '../../../core/output/assembly';
import { buildGraph } from '../../graph/build-graph';
import { Leftover } from '../../inventory/inventory';
import { asObject, assemblyOf, manifestsOfLeftovers } from '../../removal/live-removal';
import { onFailure } from '../../transport/api';
import { inParallel } from '../../transport/pace';
import { RunContext } from '../context/run-context';

/** Why objects that are no longer declared are not removed yet: the IDs of what may need them. */
export type Held = ReadonlyMap<string, string>;

/** An object of the program that is not applied, or not ready. */
interface Unfinished {
  readonly object: AssemblyObject;
  readonly manifest: Manifest;
  /** What the cluster has. @default - nothing, or it could not be read */
  readonly live?: Manifest;
  readonly isUnknown: boolean;
}

/**
 * The removals that wait for what is not applied: an object may need, in its new form or in the one
 * on the cluster, what is no longer declared, or take its place. Others do not wait: access that
 * leaves the program ends, whatever else fails.
 */
export async function heldRemovals(
  leftovers: readonly Leftover[],
  applied: Outcomes,
  run: RunContext,
): Promise<Held> {
  const unfinished = await unfinishedOf(applied, run);
  const held = new Map<string, string>();
  for (const form of FORMS) {
    const needs = needsOf(unfinished, form, leftovers, run);
    for (const { object } of unfinished) {
      const ids = reach([object.id], needs);
      leftovers
        .filter(({ entry }) => ids.has(entry.id))
        .forEach(({ entry }) => held.set(entry.id, object.id));
    }
  }
  for (const each of unfinished) {
    leftovers
      .filter((leftover) => !held.has(leftover.entry.id) && mayNeed(each, leftover))
      .forEach(({ entry }) => held.set(entry.id, each.object.id));
  }
  return held;
}

/** What an object names: as the program declares it, and as it is on the cluster until it is applied. */
const FORMS = ['manifest', 'live'] as const;

async function unfinishedOf(applied: Outcomes, run: RunContext): Promise<readonly Unfinished[]> {
  const { assembly, manifests } = run.program;
  const objects = assembly.objects.filter(({ id }) => {
    const outcome = applied.get(id);
    return outcome !== undefined && outcome.state !== 'done';
  });
  return inParallel(
    objects,
    ({ target }) => target,
    run.options.concurrency ?? 8,
    async (object): Promise<Unfinished> => {
      const manifest = manifests.get(object.id)!;
      const unknown = { object, manifest, isUnknown: true };
      try {
        const { cluster } = await run.place(object.target, () => undefined);
        const live = await cluster
          .read(object, { signal: run.stop })
          .catch(onFailure(['not-found'], () => undefined));
        return { object, manifest, live, isUnknown: false };
      } catch (error) {
        if (run.stop.aborted) {
          throw error;
        }
        return unknown;
      }
    },
    run.stop,
  );
}

/** What objects need, by their IDs. */
function needsOf(
  unfinished: readonly Unfinished[],
  form: (typeof FORMS)[number],
  leftovers: readonly Leftover[],
  { program }: RunContext,
): (id: string) => readonly string[] {
  const { assembly } = program;
  const all = assemblyOf(assembly.targets, [
    ...unfinished.map(({ object }) => object),
    ...leftovers.map(asObject),
  ]);
  const manifests = new Map<string, Manifest>([
    ...unfinished.map(({ object, manifest, ...other }): [string, Manifest] => [
      object.id,
      form === 'live' ? (other.live ?? manifest) : manifest,
    ]),
    ...manifestsOfLeftovers(leftovers),
  ]);
  const { nodes } = buildGraph(all, manifests);
  return (id) => (nodes.get(id)?.after ?? []).map(({ to }) => to);
}

/**
 * Whether an object may need one that is no longer declared beyond what its fields name: it may take
 * its place, or nothing is known of its fields.
 */
function mayNeed(unfinished: Unfinished, leftover: Leftover): boolean {
  const { object, manifest, isUnknown } = unfinished;
  const { target, entry, live } = leftover;
  const kinds = [object, entry].map(({ apiVersion, kind }) => kindKey(groupOf(apiVersion), kind));
  const isSameKind = object.target === target && kinds[0] === kinds[1];
  // access ends whatever else fails
  if (!givesAccess(entry)) {
    const isDescribed = [object, entry].every((each) => kindOf(each) !== undefined);
    return isUnknown || isSameKind || (object.target === target && !isDescribed);
  }
  const subject = live && subjectsOf(live);
  return (
    isSameKind &&
    (object.construct === entry.construct ||
      (subject !== undefined && subject === subjectsOf(manifest)))
  );
}

/** The subjects of a binding, and its place; undefined for other objects. */
function subjectsOf(manifest: Manifest): string | undefined {
  if (kindOf<KindAccess>(manifest)?.access !== 'binding') {
    return undefined;
  }
  const { userName, userPrincipalName, groupName, groupPrincipalName } = manifest;
  const { clusterName, projectName, metadata } = manifest;
  return JSON.stringify([
    userPrincipalName ?? (typeof userName === 'string' ? `local://${userName}` : undefined),
    groupPrincipalName ?? groupName,
    itemsAt(manifest, 'subjects'),
    projectName ?? clusterName ?? metadata.namespace,
  ]);
}
