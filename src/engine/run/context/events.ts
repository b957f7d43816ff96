import { MachineLoss } from '../../plan/plan';
import { WaitNotes } from '../../ready/wait-ready';

/** The state of a node during an apply or a destroy. */
export type NodeState =
  | 'waiting'
  | 'applying'
  | 'created'
  | 'configured'
  | 'adopted'
  | 'unchanged'
  | 'resolved'
  | 'not-ready'
  | 'ready'
  | 'deleting'
  | 'deleted'
  | 'reset'
  | 'kept'
  | 'failed'
  | 'skipped';

/**
 * An event of a run: one line of `--output json`, and the input of the progress on a terminal.
 * Contains no secrets.
 */
export type RunEvent =
  | {
      readonly type: 'start';
      readonly command: string;
      readonly nodes: number;
      readonly targets: readonly string[];
    }
  | ({
      readonly type: 'node';
      readonly id: string;
      readonly target: string;
      readonly state: NodeState;
      readonly message?: string;
    } & WaitNotes)
  | ({ readonly type: 'roll' } & MachineLoss)
  | {
      readonly type: 'warning';
      readonly target?: string;
      readonly id?: string;
      readonly message: string;
    }
  | { readonly type: 'end'; readonly summary: RunSummary };

/** The states of nodes that are done. */
export const DONE_STATES = [
  'created',
  'configured',
  'adopted',
  'unchanged',
  'resolved',
  'deleted',
  'reset',
  'kept',
] as const satisfies readonly NodeState[];

/** A state of a node that is done. */
export type DoneState = (typeof DONE_STATES)[number];

/** Whether a state is final and successful. */
export function isDone(state: NodeState): state is DoneState {
  return (DONE_STATES as readonly NodeState[]).includes(state);
}

/** The result of an apply or a destroy. */
export interface RunSummary {
  /** IDs of nodes that are done. */
  readonly done: readonly string[];
  /** The number of done nodes by state, without zeros. */
  readonly counts: { readonly [state in DoneState]?: number };
  readonly failed: readonly { readonly id: string; readonly message: string }[];
  readonly skipped: readonly { readonly id: string; readonly message: string }[];
  /** IDs of nodes that are left for another run. */
  readonly pending: readonly string[];
  /**
   * Objects that are no longer declared and kept because they hold machines or data.
   * @default - none
   */
  readonly kept?: readonly { readonly id: string; readonly message: string }[];
  readonly interrupted: boolean;
  readonly seconds: number;
}

/** Receives the events of a run. */
export type OnEvent = (event: RunEvent) => void;
