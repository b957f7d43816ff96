import { OpenTargets } from '../open-targets';
import { KnownLate } from './plan-late';
import { Manifest } from '../../../core/manifest/manifest';
import { AssemblyObject } from '../../../core/output/assembly';
import { HiddenValues } from '../../../core/secret/redactor';
import { RunProgram } from '../../auth/run-program';
import { FieldOptions } from '../../fields/managed-fields';
import { ApplyGraph } from '../../graph/graph';
import { Inventory, InventoryEntry, InventoryReader } from '../../inventory/inventory';
import { ApiError } from '../../transport/api';
import { inParallel } from '../../transport/pace';
import { PlannedOptions, RollsOf } from '../plan';

/** The input of a plan: a program, and its graph. */
export interface PlanInput extends Omit<RunProgram, 'folder'> {
  readonly graph: ApplyGraph;
}

export interface MakePlanOptions extends PlannedOptions, Pick<FieldOptions, 'fieldManager'> {
  /** The app (`--app`). @default - the plan names no app */
  readonly app?: string;
  /**
   * Targets, and IDs of provisioning Clusters, that may have been recreated.
   * @default - a recreated cluster is an error
   */
  readonly acceptNewCluster?: readonly string[];
  /** @default - nothing is pruned */
  readonly inventory?: InventoryReader;
  /** @default - no late value is known */
  readonly late?: KnownLate;
  /** Adds what an apply adds to a manifest: the membership label. @default - nothing */
  readonly finish?: (object: AssemblyObject, manifest: Manifest) => Manifest;
  /** Whether objects that differ are tested with a dry run. @default true */
  readonly dryRun?: boolean;
  /** Finds the machines that a change replaces or deletes. @default - the plan reports none */
  readonly rolls?: RollsOf;
  /** Concurrent requests per target. @default 8 */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  /**
   * Accept a program that declares none of the objects that its app applied before.
   * @default false
   */
  readonly acceptEmpty?: boolean;
  /** Delete or reset objects that are no longer declared. @default true */
  readonly prune?: boolean;
  /** The clusters as a run sees them. @default - they are opened */
  readonly seen?: OpenTargets;
  /**
   * The plan of an apply, which judges each step where it is executed.
   * @default - every object is looked at, and every precondition is judged
   */
  readonly brief?: BriefPlan;
  /** Receives the warnings of servers. */
  readonly onWarning?: (object: AssemblyObject, message: string) => void;
}

/** What a plan of an apply looks at: an object that is looked at twice takes two requests. */
interface BriefPlan {
  /** Whether a declared object is looked at before anything is written. */
  readonly looksAt: (object: AssemblyObject) => boolean;
  /**
   * Receives the first failure of a look at a target, whose objects are not looked at then.
   * @default - it is thrown
   */
  readonly onFailure?: (target: string, error: ApiError) => void;
}

/** What the parts of a plan share. */
export interface Planning {
  readonly input: PlanInput;
  readonly options: MakePlanOptions;
  readonly open: OpenTargets;
  readonly values: HiddenValues;
  /** The inventories that exist, by target. */
  readonly inventories: ReadonlyMap<string, Inventory>;
  /** What the inventories contain, by object ID. */
  readonly entries: ReadonlyMap<string, InventoryEntry>;
}

/** The manifest that the program declares for an object, with its late values. */
export function declaredManifest({ manifests }: PlanInput, { id }: AssemblyObject): Manifest {
  const template = manifests.get(id);
  if (!template) {
    throw new Error(`${id}: its manifest is missing. Fix: synthesize again`);
  }
  return template;
}

/** Acts on items of targets, on some of each target at a time. */
export async function eachOfTargets<T, R>(
  { concurrency = 8, signal }: MakePlanOptions,
  items: readonly T[],
  targetOf: (item: T) => string,
  act: (item: T) => Promise<R>,
): Promise<R[]> {
  return inParallel(items, targetOf, concurrency, act, signal);
}
