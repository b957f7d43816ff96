import { ManagedFieldsOptions } from '../managed-fields/options';
import { MachineLoss } from '../run/machine-loss';

/** What is done with an object. */
export type PlanAction = 'create' | 'update' | 'unchanged' | 'prune' | 'keep' | 'reset' | 'unknown';

/** One field that changes. Values of Secrets, and sensitive ones, are hashed: `<sha256:1a2b3c4d>`. */
export interface FieldChange {
  /** JSON path as in findings, e.g. `spec.rkeConfig.machinePools[0].quantity`. */
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** A field that another manager has, which an apply would stop at. */
export interface PlanConflict {
  readonly manager: string;
  readonly field: string;
}

export interface PlanStep {
  readonly id: string;
  readonly target: string;
  readonly action: PlanAction;
  readonly changes: readonly FieldChange[];
  readonly conflicts: readonly PlanConflict[];
  /** Fields that are taken from other managers (`--force-conflicts`). */
  readonly forces?: readonly PlanConflict[];
  /** Ids of late values that are known only while it is applied. */
  readonly waitsFor: readonly string[];
  /** Other managers whose fields become ours (`--adopt-from`). */
  readonly takesOver?: readonly string[];
  /** Managers that get the apiVersion of the program (`--migrate-managed-fields`): `rancher (provisioning.cattle.io/v1beta1)`. */
  readonly migrates?: readonly string[];
  /** Why the action is what it is, where it does not go without saying: the namespace is yet to be made, another owner, a guard. */
  readonly reason?: string;
  /** The server's words, where it refused a dry run: an apply would end there. */
  readonly refused?: string;
  /** What a server accepts although it has no effect, or not the one that the program asks for. @default - nothing is known */
  readonly warnings?: readonly string[];
  /** Path of the construct that wrote the object. */
  readonly construct?: string;
  /** The live object that the plan was made of; undefined where there was none. */
  readonly live?: { readonly uid: string; readonly resourceVersion: string };
  /** Over what the step would write and what it would change: an apply of a saved plan stops where it is another. Made of no secret. */
  readonly digest: string;
}

export interface PlanTarget {
  readonly name: string;
  readonly by: string;
  readonly clusterUid?: string;
  readonly version?: string;
  /** Why it was not asked: the cluster is yet to be made. */
  readonly absent?: string;
}

/** What an apply would do, in the order that it would. The file that `plan --out` writes. */
export interface Plan extends ManagedFieldsOptions {
  readonly schemaVersion: '1';
  /** sha256 of assembly.json and all manifests. */
  readonly assembly: string;
  /** What `--app` said. @default - a plan of an earlier version, which did not say */
  readonly app?: string;
  /** Ids of objects whose fields are taken from other managers, whoever they are where that could not be tried. */
  readonly forceConflicts?: readonly string[];
  readonly targets: readonly PlanTarget[];
  readonly steps: readonly PlanStep[];
  /** Machines of guest clusters that would be replaced or deleted, or may be, as `impact` tells. */
  readonly rolls: readonly MachineLoss[];
  /** Why an apply would not begin, whatever its steps are. @default - nothing is in its way */
  readonly problems?: readonly string[];
  /** What is said of targets that earlier applies had and the program does not have any more. @default - there are none */
  readonly notes?: readonly string[];
  /** What `--allow-empty` said, where it counted: the program is the right one. @default false */
  readonly allowEmpty?: boolean;
  /** Rights that an apply would end for, in lines for people. @default - none are missing, or nobody asked */
  readonly missingRights?: readonly string[];
}

/** Whether a step is one that an apply would write something for. */
export function isChange({ action }: PlanStep): boolean {
  return action !== 'unchanged' && action !== 'keep';
}

/** Whether an apply would end at a step. */
export function isProblem({ refused, conflicts }: PlanStep): boolean {
  return refused !== undefined || conflicts.length > 0;
}
