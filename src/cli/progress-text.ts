import { DONE_STATES, DoneState, NodeState, RunEvent, RunSummary } from '../apply/run/events';

/** Tells of a run while it goes on. */
export interface Progress {
  on(event: RunEvent): void;
  /** From now on a question stands on the terminal; what is told meanwhile stands above it, and it is asked again. Undefined: it is answered. */
  ask(again: (() => void) | undefined): void;
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

/** Where a state is no word for it: late values are resolved. */
const DONE_WORDS: { readonly [state in DoneState]?: string } = { resolved: 'late values' };

/** The line of a node: a failure begins with its id already. */
export function nodeLine(state: string, id: string, message?: string): string {
  const told = !message ? id : message.startsWith(`${id}:`) || message.startsWith(`${id} (`) ? message : `${id}: ${message}`;
  return `${state} ${told}`;
}

/** The end of a run: what was done, what was not and what to do. */
export function summaryLines({ done, counts: how, failed, skipped, pending, kept = [], interrupted, seconds }: RunSummary): string[] {
  const counts = [
    `${done.length} done`,
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
    ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
    ...(kept.length > 0 ? [`${kept.length} kept`] : []),
    ...(pending.length > 0 ? [`${pending.length} not begun or not through`] : []),
  ];
  const told = DONE_STATES.flatMap((state) => (how[state] === undefined ? [] : [`${how[state]} ${DONE_WORDS[state] ?? state}`]));
  return [
    `${interrupted ? 'interrupted: ' : ''}${counts.join(', ')} in ${seconds} s${told.length > 0 ? ` (${told.join(', ')})` : ''}`,
    ...failed.map(({ message }) => `  failed: ${message}`),
    ...kept.map(({ id, message }) => `  kept: ${id}: ${message}`),
    ...(interrupted ? pending.map((id) => `  not done: ${id}`) : []),
    ...(failed.length + skipped.length + pending.length > 0 ? ['run the same command again to go on where this one ended'] : []),
  ];
}
