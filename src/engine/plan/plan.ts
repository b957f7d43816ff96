import { createHash } from 'crypto';
import { LATE_TOKEN } from '../../core/late/late-token';
import { FieldPath } from '../../core/manifest/field-path';
import { Manifest, isRecord } from '../../core/manifest/manifest';
import { HiddenValues, isHidden, withoutHashes } from '../../core/secret/redactor';
import { ManagedFieldsOptions } from '../fields/managed-fields';
import { canonical } from '../secret/digest';

/** Machines of a guest cluster that go, or may go, by what a run is about to write. */
export interface MachineLoss {
  readonly target: string;
  /** Namespace and name of the provisioning Cluster. */
  readonly cluster: string;
  /** None where it is all of the cluster. */
  readonly pool?: string;
  /** `unknown` is what can not be told, and may be either. */
  readonly effect: 'replace' | 'delete' | 'unknown';
  /** How many, where that is known. */
  readonly machines?: number;
  /** What happens, one sentence without a subject. */
  readonly what: string;
  readonly causes: readonly string[];
}

/** A loss on one line. */
export function lossText({ target, cluster, pool, effect, machines, what, causes }: MachineLoss): string {
  const number = machines === undefined ? 'machines' : `${machines} ${machines === 1 ? 'machine' : 'machines'}`;
  const fate = { replace: 'replaced', delete: 'deleted', unknown: 'perhaps replaced or deleted' }[effect];
  return `${pool === undefined ? '' : `pool ${pool} of `}${cluster} on ${target}: ${number} ${fate}: ${what}${causes.length > 0 ? `; for ${causes.join('; ')}` : ''}`;
}

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

/** One side of a comparison on one Rancher: its Clusters, HarvesterConfigs and what else pools are made of. */
export interface RollSide {
  readonly target: string;
  readonly version: string;
  readonly manifests: readonly Manifest[];
}

/** The machines that Rancher replaces or deletes when it is given `after` in place of `before`. */
export type RollsOf = (before: RollSide, after: RollSide) => readonly MachineLoss[];

/** What a plan comes to. */
export type PlanOutcome = 'nothing' | 'changes' | 'problems';

export function outcomeOf({ steps, missingRights = [], problems = [] }: Plan): PlanOutcome {
  if (steps.some(isProblem) || missingRights.length + problems.length > 0) { return 'problems'; }
  return steps.some(isChange) ? 'changes' : 'nothing';
}

const COUNTED: readonly [action: PlanAction, words: string][] = [
  ['create', 'to create'], ['update', 'to update'], ['unknown', 'known after apply'], ['reset', 'to reset'], ['prune', 'to delete'],
  ['keep', 'kept'], ['unchanged', 'unchanged'],
];

/** `2 to create, 1 to delete, 40 unchanged`: each step once. */
export function countText(steps: readonly PlanStep[]): string {
  const counts = COUNTED.flatMap(([action, words]) => {
    const count = steps.filter((step) => step.action === action && !isProblem(step)).length;
    return count > 0 ? [`${count} ${words}`] : [];
  });
  const problems = steps.filter(isProblem).length;
  return [...counts, ...(problems > 0 ? [`${problems} that would fail`] : [])].join(', ') || 'nothing is declared';
}

/** `Kind namespace/name` of a step. */
export function labelOf({ id }: PlanStep): string {
  // the target has no slash, the group may be empty
  const [, , kind, namespace, ...name] = id.split('/');
  return plainText(`${kind ?? id} ${namespace ? `${namespace}/` : ''}${name.join('/')}`.replace(new RegExp(LATE_TOKEN), '(late)'));
}

// what moves a cursor, breaks a line or turns the direction of writing
// eslint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Text of others on one line of a terminal or page. */
export function plainText(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ').replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const MAX_VALUE = 160;

/** A value of a field, short and on one line. */
export function valueText(value: unknown): string {
  if (typeof value === 'string' && /^(<sha256:[0-9a-f]{8}>|\(known after apply\))$/.test(value)) { return value; }
  const text = plainText(JSON.stringify(value) ?? 'nothing');
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE)}…`;
}

/**
 * What a step would write and what it would change. Secrets are left out, so that nobody guesses them from it: what is written is held by the digest
 * of the assembly, and what was there by the version of the live object.
 */
export function stepDigest(
  step: Omit<PlanStep, 'digest'>, written: Manifest | undefined, values: HiddenValues, secretPaths: readonly FieldPath[],
): string {
  const { id, action, changes, conflicts, forces, waitsFor, live } = step;
  return createHash('sha256').update(canonical({
    id,
    action,
    written: written ? withoutHashes(values.show(written, [], written, secretPaths)) : null,
    changes: changes.map(({ path, before, after }) => ({ path, before: withoutHashes(before), after: withoutHashes(after) })),
    conflicts,
    ...(forces ? { forces } : {}),
    waitsFor,
    uid: live?.uid ?? null,
    version: changes.some(({ before }) => holdsHash(before)) ? live?.resourceVersion ?? null : null,
  })).digest('hex');
}

function holdsHash(shown: unknown): boolean {
  if (Array.isArray(shown)) { return shown.some(holdsHash); }
  return isRecord(shown) ? Object.values(shown).some(holdsHash) : isHidden(shown);
}
