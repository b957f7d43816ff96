/** What happened to a node while it was applied or destroyed. */
export type NodeState =
  | 'waiting' | 'applying' | 'created' | 'configured' | 'unchanged' | 'resolved' | 'not-ready' | 'ready'
  | 'deleting' | 'deleted' | 'reset' | 'kept' | 'failed' | 'skipped';

/** One line of `--output json`; also what the progress on a terminal is made of. Holds no secret. */
export type RunEvent =
  | { readonly type: 'start'; readonly command: string; readonly nodes: number; readonly targets: readonly string[] }
  | { readonly type: 'node'; readonly id: string; readonly target: string; readonly state: NodeState; readonly message?: string }
  | { readonly type: 'warning'; readonly target?: string; readonly id?: string; readonly message: string }
  | { readonly type: 'end'; readonly summary: RunSummary };

export interface RunSummary {
  readonly done: readonly string[];
  readonly failed: readonly { readonly id: string; readonly message: string }[];
  readonly skipped: readonly { readonly id: string; readonly message: string }[];
  /** What a next run would still do. */
  readonly pending: readonly string[];
  readonly interrupted: boolean;
  readonly seconds: number;
}

export type OnEvent = (event: RunEvent) => void;
