import { MachineLoss } from '../plan/plan';

/** What happened to a node while it was applied or destroyed. */
export type NodeState =
  | 'waiting' | 'applying' | 'created' | 'configured' | 'unchanged' | 'resolved' | 'not-ready' | 'ready'
  | 'deleting' | 'deleted' | 'reset' | 'kept' | 'failed' | 'skipped';

/** One line of `--output json`; also what the progress on a terminal is made of. Holds no secret. */
export type RunEvent =
  | { readonly type: 'start'; readonly command: string; readonly nodes: number; readonly targets: readonly string[] }
  | { readonly type: 'node'; readonly id: string; readonly target: string; readonly state: NodeState; readonly message?: string }
  | { readonly type: 'roll' } & MachineLoss
  | { readonly type: 'warning'; readonly target?: string; readonly id?: string; readonly message: string }
  | { readonly type: 'end'; readonly summary: RunSummary };

/** How a node can be done. */
export const DONE_STATES = ['created', 'configured', 'unchanged', 'resolved', 'deleted', 'reset', 'kept'] as const satisfies readonly NodeState[];

export type DoneState = (typeof DONE_STATES)[number];

export function isDone(state: NodeState): state is DoneState {
  return (DONE_STATES as readonly NodeState[]).includes(state);
}

export interface RunSummary {
  readonly done: readonly string[];
  /** How many of those that are done were created, configured and so on; what there was none of is left out. */
  readonly counts: { readonly [state in DoneState]?: number };
  readonly failed: readonly { readonly id: string; readonly message: string }[];
  readonly skipped: readonly { readonly id: string; readonly message: string }[];
  /** What a next run would still do. */
  readonly pending: readonly string[];
  /** What is no longer declared and was left, since machines or data would go with it. @default - nothing */
  readonly kept?: readonly { readonly id: string; readonly message: string }[];
  readonly interrupted: boolean;
  readonly seconds: number;
}

export type OnEvent = (event: RunEvent) => void;
