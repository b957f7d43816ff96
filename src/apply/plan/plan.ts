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
  /** Ids of late values that are known only while it is applied. */
  readonly waitsFor: readonly string[];
  /** Why the action is what it is, where it does not go without saying: the namespace is yet to be made, another owner, a guard. */
  readonly reason?: string;
  /** The server's words, where it refused a dry run: an apply would end there. */
  readonly refused?: string;
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

/** A machine pool whose virtual machines Rancher would replace. */
export interface PlanRoll {
  readonly cluster: string;
  readonly pool: string;
  readonly machines: number;
  readonly causes: readonly string[];
}

/** What an apply would do, in the order that it would. The file that `plan --out` writes. */
export interface Plan {
  readonly schemaVersion: '1';
  /** sha256 of assembly.json and all manifests. */
  readonly assembly: string;
  readonly targets: readonly PlanTarget[];
  readonly steps: readonly PlanStep[];
  /** Machine pools that Rancher would replace, as `impact` tells. */
  readonly rolls: readonly PlanRoll[];
}

/** Whether a step is one that an apply would write something for. */
export function isChange({ action }: PlanStep): boolean {
  return action !== 'unchanged' && action !== 'keep';
}

/** Whether an apply would end at a step. */
export function isProblem({ refused, conflicts }: PlanStep): boolean {
  return refused !== undefined || conflicts.length > 0;
}

/** The value of a field that holds a late value which is not known yet. */
export const KNOWN_AFTER_APPLY = '(known after apply)';
