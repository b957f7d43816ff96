import { ForeignSecrets } from './named-secrets';
import { Manifest } from '../../core/manifest/manifest';
import { Assembly } from '../../core/output/assembly';
import { isOfDefaultCredential } from '../../rancher/credential/default-credential.facts';
import { EngineError } from '../engine-error';
import { isWithUid } from '../fields/managed-fields';
import { Inventory, InventoryEntry } from '../inventory/inventory';
import { halfConnected, removedTargets } from '../inventory/removed-targets';

/** The cluster that a target is bound to. */
export interface TargetCluster {
  readonly name: string;
  readonly by: string;
  readonly clusterUid?: string;
}

/** What a plan and a run know when they begin. */
export interface Beginning {
  readonly assembly: Assembly;
  /** The targets with their clusters. */
  readonly targets: readonly TargetCluster[];
  readonly inventories: readonly Inventory[];
  /** The objects that are removed from clusters. */
  readonly going: readonly InventoryEntry[];
  readonly app?: string;
  readonly acceptNewCluster?: readonly string[];
}

/**
 * A precondition of a whole run, judged by the inventories: a plan lists its problems, and a run
 * does not begin with one.
 */
type RunPrecondition = (beginning: Beginning) => readonly string[];

/** Every target is bound to the same cluster as in the previous run. */
export const sameClusters: RunPrecondition = ({ inventories, targets, acceptNewCluster }) => [
  ...otherClusters(inventories, targets, acceptNewCluster).keys(),
];

/** No Harvester remains half connected. */
export const noneHalfConnected: RunPrecondition = ({ inventories, assembly, going }) =>
  halfConnected(removedTargets(inventories, assembly.targets), going);

/** The program is the one that its app applied before. */
export const sameProgram: RunPrecondition = ({ app, inventories, assembly }) =>
  app === undefined ? [] : otherProgram(app, inventories, assembly);

/** Throws if a run must not begin. */
export function checkRun(beginning: Beginning, precondition: RunPrecondition): void {
  const problems = new Set(precondition(beginning));
  if (problems.size > 0) {
    throw new EngineError('refused', [...problems].join('\n'));
  }
}

/**
 * Throws if an option names an object that neither the program nor an inventory contains: a typo
 * would have no effect.
 *
 * @param manifests the manifests of the objects, by ID: they name Secrets of others, which can be
 *   accepted
 */
export function checkNamed(
  options: { readonly [option: string]: readonly string[] | undefined },
  assembly: Assembly,
  before: readonly InventoryEntry[],
  manifests: ReadonlyMap<string, Manifest>,
): void {
  const declared = assembly.objects.map(({ id }) => id);
  const known = new Set([...declared, ...before.map(({ id }) => id)]);
  // only declared objects are adopted, and the Secrets that they name
  const adoptable = new Set([...declared, ...new ForeignSecrets(assembly, manifests).ids]);
  const example = declared[0] ?? 'rancher//Namespace//shop';
  for (const [option, ids = []] of Object.entries(options)) {
    const allowed = option === '--accept-existing' ? adoptable : known;
    // a take-over file, whose IDs have a UID, may be older than the program
    const wrong = ids.filter((id) => !isWithUid(id) && !allowed.has(id));
    if (wrong.length > 0) {
      throw new Error(
        `${option}: must be the ID of an object, got ${wrong.join(', ')}. ` +
          `Fix: use the IDs that plan prints next to conflicts and refusals, e.g. ${example}`,
      );
    }
  }
}

/**
 * The targets that are bound to another cluster than the one in the inventories: the target by
 * message.
 *
 * @param accepted targets whose cluster may have been recreated
 */
export function otherClusters(
  inventories: readonly Pick<Inventory, 'clusterUids'>[],
  targets: readonly TargetCluster[],
  accepted: readonly string[] = [],
): ReadonlyMap<string, string> {
  const targetByMessage = new Map<string, string>();
  for (const { clusterUids = {} } of inventories) {
    for (const target of targets) {
      const { name, clusterUid } = target;
      const before = clusterUids[name];
      const isKnown = before !== undefined && clusterUid !== undefined;
      if (isKnown && before !== clusterUid && !accepted.includes(name)) {
        targetByMessage.set(otherClusterMessage(target, before), name);
      }
    }
  }
  return targetByMessage;
}

function otherClusterMessage({ name, by, clusterUid }: TargetCluster, before: string): string {
  return (
    `target ${name} (${by}): must be the cluster of the previous run (kube-system UID ${before}), got another one (${clusterUid}). ` +
    `Fix: bind it to the previous cluster, or, if that was recreated, set --accept-new-cluster ${name}`
  );
}

/**
 * The problem of a program that is probably not the one that its app applied before, or empty by
 * mistake: it declares none of the objects that would be deleted. Settings, kept objects, and the
 * default credential of guest clusters are alike in all programs for a cluster, so they matter only
 * if there is nothing else.
 */
function otherProgram(
  app: string,
  inventories: readonly Inventory[],
  { objects, targets }: Assembly,
): readonly string[] {
  const declared = new Set(objects.map(({ id }) => id));
  const before = inventories.flatMap(({ entries }) => entries);
  const deletable = before.filter(({ policy }) => policy === 'delete');
  const isShared = (entry: InventoryEntry): boolean =>
    isOfDefaultCredential({ ...entry, target: targetOf(entry) }, targets);
  const own = deletable.filter((entry) => !declared.has(entry.id) || !isShared(entry));
  const judged = [own, deletable, before].find((entries) => entries.length > 0) ?? [];
  if (judged.length === 0 || judged.some(({ id }) => declared.has(id))) {
    return [];
  }
  const fate = deletable.length > 0 ? 'would be deleted' : 'would be reset';
  return [otherProgramMessage(app, judged.length, fate)];
}

function otherProgramMessage(app: string, count: number, fate: string): string {
  const lost =
    count === 1
      ? `this program does not declare the only object that app ${app} applied before: it ${fate}`
      : `this program declares none of the ${count} objects that app ${app} applied before: all of them ${fate}`;
  return `${lost}. Fix: if this is another program, set its own --app; if you want to delete them, set --accept-empty, or use destroy`;
}

/** The target of an entry: its ID begins with the name. */
function targetOf({ id }: InventoryEntry): string {
  return id.slice(0, id.indexOf('/'));
}
