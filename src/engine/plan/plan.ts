import { createHash } from 'crypto';
import { LATE_TOKEN } from '../../core/late/late-token';
import { FieldPath, leavesOf, Manifest } from '../../core/manifest/manifest';
import { HiddenValues, isHidden, withoutHashes } from '../../core/secret/redactor';
import { plainText } from '../../core/text/plain-text';
import { APPLY_SET } from '../fields/apply-set';
import { ANNOTATION_ADOPTED, FieldOptions } from '../fields/managed-fields';
import { Precondition } from '../precondition/precondition';
import { TargetCluster } from '../precondition/run-preconditions';
import { canonical } from '../secret/digest';
import { FieldConflict } from '../transport/api';

/** The options that a plan records. */
export interface PlannedOptions extends Omit<FieldOptions, 'fieldManager'> {
  /** Whether objects that hold machines or data are deleted (`--prune-machines`). @default false */
  readonly pruneMachines?: boolean;
}

/** The error for what a saved plan does not list. */
const LISTS = {
  acceptExisting: (more: readonly string[]) =>
    `the plan does not adopt ${more.join(', ')}. Fix: make a new plan with ${more.map((id) => `--accept-existing '${id}'`).join(' ')}`,
  takeFieldsFrom: (more: readonly string[]) =>
    `the plan adopts nothing from ${more.join(', ')}. Fix: make a new plan with --take-fields-from ${more.join(' --take-fields-from ')}`,
  forceConflicts: (more: readonly string[]) =>
    `the plan takes no fields of ${more.join(', ')} from other field managers. ` +
    `Fix: make a new plan with ${more.map(forceOption).join(' ')}, and apply it without the option`,
};

/** The error for what a saved plan does not do. */
const FLAGS = {
  migrateManagedFields:
    'the plan migrates no managed fields. Fix: make a new plan with --migrate-managed-fields',
  pruneMachines: 'the plan keeps machines and data. Fix: make a new plan with --prune-machines',
};

const [LIST_NAMES, FLAG_NAMES] = [
  Object.keys(LISTS) as (keyof typeof LISTS)[],
  Object.keys(FLAGS) as (keyof typeof FLAGS)[],
];

/** The options that are set. */
export function savedOptions(options: PlannedOptions): PlannedOptions {
  const isSet = (name: keyof PlannedOptions): boolean =>
    Array.isArray(options[name]) ? options[name].length > 0 : options[name] === true;
  return Object.fromEntries(
    [...LIST_NAMES, ...FLAG_NAMES].filter(isSet).map((name) => [name, options[name]]),
  );
}

/** The options of a saved plan, which its apply uses. Throws if other ones are given. */
export function optionsOfPlan(plan: PlannedOptions, given: PlannedOptions): PlannedOptions {
  for (const name of LIST_NAMES) {
    const more = [...new Set(given[name])].filter((each) => !plan[name]?.includes(each));
    if (more.length > 0) {
      throw new Error(LISTS[name](more));
    }
  }
  for (const name of FLAG_NAMES) {
    if (given[name] && !plan[name]) {
      throw new Error(FLAGS[name]);
    }
  }
  return savedOptions(plan);
}

/** The option, quoted for a shell. */
export function forceOption(id: string): string {
  return `--force-conflicts '${id}'`;
}

/** Machines of a guest cluster that a run replaces or deletes, or may. */
export interface MachineLoss {
  readonly target: string;
  /** Namespace and name of the provisioning Cluster. */
  readonly cluster: string;
  /** The machine pool. @default - the whole cluster */
  readonly pool?: string;
  /** `unknown`: it cannot be determined and may be either. */
  readonly effect: 'replace' | 'delete' | 'unknown';
  /** The number of machines. @default - unknown */
  readonly machines?: number;
  /** What happens: a sentence without a subject. */
  readonly what: string;
  readonly causes: readonly string[];
}

/** A loss on one line. */
export function lossText({
  target,
  cluster,
  pool,
  effect,
  machines,
  what,
  causes,
}: MachineLoss): string {
  const number =
    machines === undefined ? 'machines' : `${machines} ${machines === 1 ? 'machine' : 'machines'}`;
  const fate = { replace: 'replaced', delete: 'deleted', unknown: 'may be replaced or deleted' }[
    effect
  ];
  return `${pool === undefined ? '' : `pool ${pool} of `}${cluster} on ${target}: ${number} ${fate}: ${what}${causes.length > 0 ? `; for ${causes.join('; ')}` : ''}`;
}

/** What an apply does with an object. */
export type PlanAction = 'create' | 'update' | 'unchanged' | 'prune' | 'keep' | 'reset' | 'unknown';

/**
 * One field that changes. Values of Secrets, and sensitive ones, are hashed: `<sha256:1a2b3c4d>`.
 */
export interface PlannedField {
  /** JSON path as in findings, e.g. `spec.rkeConfig.machinePools[0].quantity`. */
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** A field that another field manager owns: an apply would fail. */
export type PlanConflict = FieldConflict;

/** What an apply would do with one object. */
export interface PlanStep {
  readonly id: string;
  readonly target: string;
  readonly action: PlanAction;
  readonly changes: readonly PlannedField[];
  readonly conflicts: readonly PlanConflict[];
  /** Fields that are taken from other field managers (`--force-conflicts`). */
  readonly forces?: readonly PlanConflict[];
  /** IDs of late values that are known only during the apply. */
  readonly waitsFor: readonly string[];
  /** Field managers whose fields are adopted (`--take-fields-from`). */
  readonly takesOver?: readonly string[];
  /**
   * Field managers that get the apiVersion of the program (`--migrate-managed-fields`): `rancher
   * (provisioning.cattle.io/v1beta1)`.
   */
  readonly migrates?: readonly string[];
  /**
   * Why this action, if it is not obvious: the namespace does not exist yet, another owner, a
   * guard.
   */
  readonly reason?: string;
  /** The server's message if it refused a dry run: an apply would fail. */
  readonly refused?: string;
  /**
   * What a server accepts without the declared effect, and fields that remain although the program
   * no longer sets them.
   * @default - none
   */
  readonly warnings?: readonly string[];
  /**
   * What must hold where the step is executed: an apply judges it again there.
   * @default - nothing
   */
  readonly preconditions?: readonly Precondition[];
  /** Path of the construct that declares the object. */
  readonly construct?: string;
  /** The live object that the plan was made from; undefined if there was none. */
  readonly live?: { readonly uid: string; readonly resourceVersion: string };
  /**
   * Digest of what the step would write and change, without secrets: an apply of a saved plan
   * refuses another one.
   */
  readonly digest: string;
}

/** A target of a plan and its cluster. */
export interface PlanTarget extends TargetCluster {
  readonly version?: string;
  /** Why the cluster was not read: it does not exist yet. */
  readonly absent?: string;
}

/** The version of the form of a plan. Version 3 names options as the command line does. */
export const PLAN_VERSION = '3';

/** What an apply would do, in its order. The file that `plan --write-plan` writes. */
export interface Plan extends PlannedOptions {
  readonly schemaVersion: typeof PLAN_VERSION;
  /** sha256 of assembly.json and all manifests. */
  readonly assembly: string;
  /** The app (`--app`). @default - unknown: a plan of an earlier version */
  readonly app?: string;
  readonly targets: readonly PlanTarget[];
  readonly steps: readonly PlanStep[];
  /**
   * Machines of guest clusters that would be replaced or deleted, or may be, as `impact` reports.
   */
  readonly rolls: readonly MachineLoss[];
  /** Why an apply would not begin. @default - it would */
  readonly problems?: readonly string[];
  /** Notes about targets of earlier runs that the program no longer declares. @default - none */
  readonly notes?: readonly string[];
  /** Whether `--accept-empty` was needed and set. @default false */
  readonly acceptEmpty?: boolean;
  /**
   * Missing permissions that an apply would fail for, one per line.
   * @default - none, or not checked
   */
  readonly missingRights?: readonly string[];
}

/** Whether an apply would fail at a step. */
export function isProblem({ refused, conflicts }: PlanStep): boolean {
  return refused !== undefined || conflicts.length > 0;
}

/**
 * One side of a comparison on one Rancher: Clusters, HarvesterConfigs and what else machine pools
 * consist of.
 */
export interface RollSide {
  readonly target: string;
  readonly version: string;
  readonly manifests: readonly Manifest[];
}

/** Finds the machines that Rancher replaces or deletes when `before` becomes `after`. */
export type RollsOf = (before: RollSide, after: RollSide) => readonly MachineLoss[];

/** The outcome of a plan. */
export type PlanOutcome = 'nothing' | 'changes' | 'problems';

/** The outcome of a plan: no changes, changes, or an apply that would fail. */
export function outcomeOf({ steps, missingRights = [], problems = [] }: Plan): PlanOutcome {
  if (steps.some(isProblem) || missingRights.length + problems.length > 0) {
    return 'problems';
  }
  return steps.some(({ action }) => action !== 'unchanged' && action !== 'keep')
    ? 'changes'
    : 'nothing';
}

const COUNTED: readonly [action: PlanAction, label: string][] = [
  ['create', 'to create'],
  ['update', 'to update'],
  ['unknown', 'known after apply'],
  ['reset', 'to reset'],
  ['prune', 'to delete'],
  ['keep', 'kept'],
  ['unchanged', 'unchanged'],
];

/** The fields by which this library knows its objects. */
const MARKS: readonly string[] = [
  `metadata.labels[${APPLY_SET.PART_OF}]`,
  `metadata.annotations[${ANNOTATION_ADOPTED}]`,
];

/** Whether an apply only becomes an owner of the fields of an object, whose values remain. */
export function isAdoption({ action, live, changes }: PlanStep): boolean {
  return (
    action === 'update' && live !== undefined && changes.every(({ path }) => MARKS.includes(path))
  );
}

/** Counts each step once: `2 to create, 1 to delete, 40 unchanged`. */
export function countText(steps: readonly PlanStep[]): string {
  const counts = COUNTED.flatMap(([action, label]) => {
    const counted = steps.filter((step) => step.action === action && !isProblem(step));
    const adopted = counted.filter(isAdoption).length;
    const count = counted.length - adopted;
    return [
      ...(count > 0 ? [`${count} ${label}`] : []),
      ...(adopted > 0 ? [`${adopted} to adopt as they are`] : []),
    ];
  });
  const problems = steps.filter(isProblem).length;
  return (
    [...counts, ...(problems > 0 ? [`${problems} that would fail`] : [])].join(', ') ||
    'no objects are declared'
  );
}

/** What a destroy does with an object: it is deleted (`prune`), reset, or kept. */
export type RemovalStep = Pick<PlanStep, 'id' | 'target' | 'action' | 'reason'>;

/** `Kind namespace/name` of a step. */
export function labelOf({ id }: Pick<PlanStep, 'id'>): string {
  // a target contains no slash; the group may be empty
  const [, , kind, namespace, ...name] = id.split('/');
  return plainText(
    `${kind ?? id} ${namespace ? `${namespace}/` : ''}${name.join('/')}`.replace(
      new RegExp(LATE_TOKEN),
      '(late)',
    ),
  );
}

const MAX_VALUE = 160;

/** A field's value as one short line. */
export function valueText(value: unknown): string {
  if (typeof value === 'string' && /^(<sha256:[0-9a-f]{8}>|\(known after apply\))$/.test(value)) {
    return value;
  }
  const text = plainText(JSON.stringify(value));
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE)}…`;
}

/**
 * The digest of what a step would write and change. Secrets are left out so that they cannot be
 * guessed from it: the digest of the assembly covers what is written, and the version of the live
 * object covers what it replaces.
 */
export function stepDigest(
  step: Omit<PlanStep, 'digest'>,
  written: Manifest | undefined,
  values: HiddenValues,
  secretPaths: readonly FieldPath[],
): string {
  const { id, action, changes, conflicts, forces, waitsFor, live } = step;
  return createHash('sha256')
    .update(
      canonical({
        id,
        action,
        written: written ? withoutHashes(values.show(written, [], written, secretPaths)) : null,
        changes: changes.map(({ path, before, after }) => ({
          path,
          before: withoutHashes(before),
          after: withoutHashes(after),
        })),
        conflicts,
        ...(forces ? { forces } : {}),
        waitsFor,
        uid: live?.uid ?? null,
        version: changes.some(({ before }) => leavesOf(before).some(({ leaf }) => isHidden(leaf)))
          ? (live?.resourceVersion ?? null)
          : null,
      }),
    )
    .digest('hex');
}
