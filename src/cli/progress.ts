import { styleText } from 'util';
import { plainText, printable } from '../core/text/plain-text';
import { lossText } from '../engine/plan/plan';
import { DONE_STATES, DoneState, NodeState, RunEvent, RunSummary } from '../engine/run/events';

/** Prints the events of a run while it runs. */
export interface Progress {
  on(event: RunEvent): void;
  /** Shows a question on the terminal: events are printed above it, and it is asked again. Undefined: it is answered. */
  ask(again: (() => void) | undefined): void;
  /** Restores the terminal. */
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
const WAITS: ReadonlySet<NodeState> = new Set<NodeState>(['waiting', 'not-ready', 'deleting']);

/** Words for states whose own name does not fit: late values are resolved. */
const DONE_WORDS: { readonly [state in DoneState]?: string } = { resolved: 'late values' };

/** The line of a node: a failure begins with its id already. */
function nodeLine(state: string, id: string, message?: string): string {
  const told = !message ? id : message.startsWith(`${id}:`) || message.startsWith(`${id} (`) ? message : `${id}: ${message}`;
  return `${state} ${told}`;
}

/** The end of a run: what was done, what was not and what to do. */
function summaryLines({ done, counts: how, failed, skipped, pending, kept = [], interrupted, seconds }: RunSummary): string[] {
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

type Style = Parameters<typeof styleText>[0];

const STYLES: { readonly [state in NodeState]?: Style } = {
  created: 'green', configured: 'yellow', adopted: 'yellow', deleted: 'red', reset: 'red', failed: 'magenta', skipped: 'gray', kept: 'gray',
};

/** Not printed on lines of their own: there may be thousands. */
const QUIET: ReadonlySet<NodeState> = new Set<NodeState>(['unchanged', 'applying', 'resolved', 'ready']);

const ENDS: ReadonlySet<NodeState> = new Set<NodeState>([
  'created', 'configured', 'adopted', 'unchanged', 'resolved', 'deleted', 'reset', 'kept', 'failed', 'skipped', 'ready',
]);

interface Active {
  readonly target: string;
  readonly state: NodeState;
  readonly message?: string;
  readonly since: number;
}

/** Not more often than an eye sees. */
const FRAME_MS = 100;

/** A live tree on a terminal: past events above, below them what is running, by target. */
class ProgressTree implements Progress {
  private readonly active = new Map<string, Active>();
  private readonly ended = new Map<string, Set<string>>();
  private drawn = 0;
  private total = 0;
  private again?: () => void;
  private timer?: NodeJS.Timeout;

  public constructor(
    private readonly out: Terminal, private readonly colours: boolean, private readonly now: () => number = () => performance.now(),
  ) {}

  public on(event: RunEvent): void {
    switch (event.type) {
      case 'start':
        this.total = event.nodes;
        event.targets.forEach((target) => this.ended.set(target, new Set()));
        this.timer = setInterval(() => { this.draw(); }, FRAME_MS).unref();
        break;
      case 'node': this.node(event); break;
      case 'roll': this.above(this.paint('red', `machines: ${plainText(lossText(event))}`)); break;
      case 'warning': this.above(this.paint('yellow', plainText(`warning: ${event.id ?? event.target ?? ''}${event.id ?? event.target ? ': ' : ''}${event.message}`))); break;
      case 'end':
        this.close();
        summaryLines(event.summary).forEach((line) => this.out.write(`${plainText(line)}\n`));
    }
  }

  public ask(again: (() => void) | undefined): void {
    this.again = again;
  }

  public close(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.clear();
  }

  private node({ id, target, state, message }: RunEvent & { type: 'node' }): void {
    if (ENDS.has(state)) {
      this.active.delete(id);
      if (!this.ended.has(target)) { this.ended.set(target, new Set()); }
      this.ended.get(target)!.add(id);
    } else {
      const since = this.active.get(id)?.since ?? this.now();
      this.active.set(id, { target, state, since, ...(message ? { message } : {}) });
    }
    if (ENDS.has(state) && !QUIET.has(state)) {
      this.above(nodeLine(this.paint(STYLES[state] ?? 'reset', state.padEnd(10)), plainText(id), message && plainText(message)));
    }
  }

  private above(line: string): void {
    this.clear();
    this.out.write(`${this.again ? '\n' : ''}${line}\n`);
    this.again?.();
    // there is nothing to draw before it has begun
    if (this.timer) { this.draw(); }
  }

  private draw(): void {
    this.clear();
    const rows = Math.max(3, (this.out.rows ?? 24) - 2);
    const lines = this.lines().slice(0, rows);
    this.out.write(lines.map((line) => `${line}\n`).join(''));
    this.drawn = lines.length;
  }

  private lines(): string[] {
    const width = Math.max(20, (this.out.columns ?? 80) - 1);
    const ended = [...this.ended.values()].reduce((sum, ids) => sum + ids.size, 0);
    return [
      cut(`${ended} of ${this.total}`, width),
      ...[...this.ended].filter(([target]) => target !== '').flatMap(([target, ids]) => {
        // what waits longest is what people ask for
        const active = [...this.active].filter(([, each]) => each.target === target).sort(([, a], [, b]) => a.since - b.since);
        const shown = active.slice(0, 5).map(([id, { state, message, since }]) => cut(
          plainText(`  ${WAITS.has(state) ? '…' : '→'} ${id} ${state} ${Math.floor((this.now() - since) / 1000)} s${message ? `: ${message}` : ''}`), width));
        return [
          cut(`${target}: ${ids.size} done${active.length > 0 ? `, ${active.length} at work` : ''}`, width),
          ...shown,
          ...(active.length > 5 ? [`  … and ${active.length - 5} more`] : []),
        ];
      }),
    ];
  }

  // up as many lines as were drawn, and all below is cleared
  private clear(): void {
    if (this.drawn > 0) { this.out.write(`\u001b[${this.drawn}A\u001b[J`); }
    this.drawn = 0;
  }

  private paint(style: Style, text: string): string {
    return this.colours ? styleText(style, text) : text;
  }
}

// a line that is longer than the terminal would break, and the next frame would not find its beginning
function cut(line: string, width: number): string {
  const one = line.replace(/\s+/g, (space) => (space.includes('\n') ? ' ' : space));
  const characters = [...one];
  return characters.length <= width ? one : `${characters.slice(0, width - 1).join('')}…`;
}

/** The format of a run's events: `json` is one event per line. */
export type ProgressFormat = 'text' | 'json';

/** The best that a terminal can show: a tree that is redrawn, else a line per event. */
export function progressFor(format: ProgressFormat, out: Terminal, colors: boolean, env: NodeJS.ProcessEnv = process.env): Progress {
  if (format === 'json') { return new JsonProgress(out); }
  return out.isTTY === true && !env.CI && env.TERM !== 'dumb' ? new ProgressTree(out, colors) : new LineProgress(out);
}

/** One JSON object a line. */
class JsonProgress implements Progress {
  public constructor(private readonly out: Terminal) {}

  public on(event: RunEvent): void {
    this.out.write(`${printable(JSON.stringify({ time: new Date().toISOString(), ...event }))}\n`);
  }

  public ask(): void { /* machines are asked nothing */ }

  public close(): void { /* nothing is held */ }
}

/** What long waiting looks like in a log: a sign of life, but not a page. */
const HEARTBEAT_MS = 30_000;

/** A line per event, for logs. */
class LineProgress implements Progress {
  private readonly waiting = new Map<string, string>();
  private again?: () => void;
  private timer?: NodeJS.Timeout;

  public constructor(private readonly out: Terminal) {}

  public on(event: RunEvent): void {
    switch (event.type) {
      case 'start':
        this.line(`${event.command}: ${event.nodes} steps on ${event.targets.join(', ')}`);
        this.timer = setInterval(() => { this.heartbeat(); }, HEARTBEAT_MS).unref();
        break;
      case 'node': this.node(event.id, event.state, event.message); break;
      case 'roll': this.line(`machines: ${lossText(event)}`); break;
      case 'warning': this.line(`warning: ${event.id ?? event.target ?? ''}${event.id ?? event.target ? ': ' : ''}${event.message}`); break;
      case 'end':
        this.close();
        summaryLines(event.summary).forEach((line) => this.line(line));
    }
  }

  public ask(again: (() => void) | undefined): void {
    // elsewhere than on a terminal nothing overwrites the question
    this.again = this.out.isTTY === true ? again : undefined;
  }

  public close(): void {
    clearInterval(this.timer);
  }

  private node(id: string, state: NodeState, message?: string): void {
    if (WAITS.has(state)) { this.waiting.set(id, message ?? state); } else { this.waiting.delete(id); }
    if (state !== 'applying') { this.line(nodeLine(state.padEnd(10), id, message)); }
  }

  private heartbeat(): void {
    if (this.waiting.size === 0) { return; }
    const [[id, why]] = this.waiting;
    this.line(`still waiting for ${this.waiting.size}: ${id}: ${why}${this.waiting.size > 1 ? ', …' : ''}`);
  }

  private line(text: string): void {
    this.out.write(`${this.again ? '\n' : ''}${plainText(text)}\n`);
    this.again?.();
  }
}
