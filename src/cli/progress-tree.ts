import { styleText } from 'util';
import { nodeLine, Progress, summaryLines, Terminal, WAITS } from './progress-text';
import { plainText } from '../apply/plan/plan-summary';
import { NodeState, RunEvent } from '../apply/run/events';
import { lossText } from '../apply/run/machine-loss';

type Style = Parameters<typeof styleText>[0];

const STYLES: { readonly [state in NodeState]?: Style } = {
  created: 'green', configured: 'yellow', deleted: 'red', reset: 'red', failed: 'magenta', skipped: 'gray', kept: 'gray',
};

/** Not told on lines of their own: there may be thousands. */
const QUIET: ReadonlySet<NodeState> = new Set<NodeState>(['unchanged', 'applying', 'resolved', 'ready']);

const ENDS: ReadonlySet<NodeState> = new Set<NodeState>([
  'created', 'configured', 'unchanged', 'resolved', 'deleted', 'reset', 'kept', 'failed', 'skipped', 'ready',
]);

interface Active {
  readonly target: string;
  readonly state: NodeState;
  readonly message?: string;
  readonly since: number;
}

/** Not more often than an eye sees. */
const FRAME_MS = 100;

/**
 * A live tree on a terminal: what happened stands above, below it what is going on, by target.
 */
export class ProgressTree implements Progress {
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
      case 'warning': this.above(this.paint('yellow', `warning: ${event.id ?? event.target ?? ''}${event.id ?? event.target ? ': ' : ''}${plainText(event.message)}`)); break;
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
      this.above(nodeLine(this.paint(STYLES[state] ?? 'reset', state.padEnd(10)), id, message && plainText(message)));
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
          `  ${WAITS.has(state) ? '…' : '→'} ${id} ${state} ${Math.floor((this.now() - since) / 1000)} s${message ? `: ${plainText(message)}` : ''}`, width));
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
