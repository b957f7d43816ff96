import { NodeState, RunEvent, RunSummary } from '../apply/run/events';

/** Tells of a run while it goes on. */
export interface Progress {
  on(event: RunEvent): void;
  /** Leaves a terminal as it was. */
  close(): void;
}

/** A terminal as far as it is written to. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** States in which something is awaited. */
export const WAITS: ReadonlySet<NodeState> = new Set<NodeState>(['waiting', 'not-ready', 'deleting']);

/** The end of a run: what was done, what was not and what to do. */
export function summaryLines({ done, failed, skipped, pending, interrupted, seconds }: RunSummary): string[] {
  const counts = [
    `${done.length} done`,
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
    ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
    ...(pending.length > 0 ? [`${pending.length} not begun or not through`] : []),
  ];
  return [
    `${interrupted ? 'interrupted: ' : ''}${counts.join(', ')} in ${seconds} s`,
    ...failed.map(({ message }) => `  failed: ${message}`),
    ...(interrupted ? pending.map((id) => `  not done: ${id}`) : []),
    ...(failed.length + skipped.length + pending.length > 0 ? ['run the same command again to go on where this one ended'] : []),
  ];
}
