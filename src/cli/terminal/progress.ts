import { Active, ENDS, TICK_MS, Work } from './work';
import { printable } from '../../core/text/plain-text';
import {
  Block,
  TextPart,
  Text,
  Tone,
  line,
  listed,
  render,
  table,
  toned,
} from '../../core/text/screen';
import { lossText } from '../../engine/plan/plan';
import {
  DONE_STATES,
  DoneState,
  NodeState,
  RunEvent,
  RunSummary,
} from '../../engine/run/context/events';

/**
 * Prints the events of a run while it runs. Libraries such as listr2 run the tasks that they show;
 * these events come from a run that needs no terminal, and questions are asked meanwhile.
 */
export interface Progress {
  on(event: RunEvent): void;
  /**
   * Shows a question on the terminal: events are printed above it, and it is asked again.
   * Undefined: it is answered.
   */
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

const TONES: { readonly [state in NodeState]?: Tone } = {
  'created': 'add',
  'configured': 'change',
  'adopted': 'change',
  'deleted': 'remove',
  'reset': 'remove',
  'failed': 'error',
  'skipped': 'quiet',
  'kept': 'quiet',
  'waiting': 'warning',
  'not-ready': 'warning',
  'deleting': 'warning',
};

/** Words for states whose own name does not fit: late values are resolved. */
const DONE_WORDS: { readonly [state in DoneState]?: string } = { resolved: 'late values' };

/** Columns of the longest state that ends a node. */
const STATE_COLUMNS = 10;

/** The message of a node with its id before it, which a failure has already. */
function withNodeId(id: string, message: string | undefined): string {
  if (!message) {
    return id;
  }
  if (message.startsWith(`${id}:`) || message.startsWith(`${id} (`)) {
    return message;
  }
  return `${id}: ${message}`;
}

/** The line of a node: what solves a failure is to be copied. */
function nodeLine(state: NodeState, id: string, message?: string): Block {
  const text = [
    inTone(state, state),
    `${' '.repeat(Math.max(0, STATE_COLUMNS - state.length))} ${withNodeId(id, message)}`,
  ];
  return (state === 'failed' ? line : listed)(text, 0, STATE_COLUMNS + 1);
}

function warningLine({ id, target, message }: RunEvent & { type: 'warning' }): Block {
  const where = id ?? target;
  return line([toned('warning', 'warning'), `: ${where ? `${where}: ` : ''}${message}`]);
}

function lossLine(event: RunEvent & { type: 'roll' }): Block {
  return line([toned('remove', 'machines'), `: ${lossText(event)}`]);
}

function inTone(state: NodeState, text: string): TextPart {
  const tone = TONES[state];
  return tone ? toned(tone, text) : text;
}

/** The end of a run: what was done, what was not and what to do. */
function summaryLines({
  done,
  counts: how,
  failed,
  skipped,
  pending,
  kept = [],
  interrupted,
  seconds,
}: RunSummary): Block[] {
  const isComplete = failed.length + skipped.length + pending.length === 0;
  const others: readonly (readonly [tone: Tone, count: number, what: string])[] = [
    ['error', failed.length, 'failed'],
    ['warning', skipped.length, 'skipped'],
    ['quiet', kept.length, 'kept'],
    ['warning', pending.length, 'not begun or not through'],
  ];
  const counts: TextPart[] = [
    isComplete ? toned('good', `${done.length} done`) : `${done.length} done`,
    ...others
      .filter(([, count]) => count > 0)
      .flatMap(([tone, count, what]) => [', ', toned(tone, `${count} ${what}`)]),
  ];
  const told = DONE_STATES.flatMap((state) =>
    how[state] === undefined ? [] : [`${how[state]} ${DONE_WORDS[state] ?? state}`],
  );
  return [
    line([
      ...(interrupted ? [toned('warning', 'interrupted'), ': '] : []),
      ...counts,
      ` in ${seconds} s${told.length > 0 ? ` (${told.join(', ')})` : ''}`,
    ]),
    ...failed.map(({ message }) => line([toned('error', 'failed'), `: ${message}`], 2)),
    ...kept.map(({ id, message }) => line([toned('quiet', 'kept'), `: ${id}: ${message}`], 2)),
    ...(interrupted ? pending.map((id) => line([toned('warning', 'not done'), `: ${id}`], 2)) : []),
    ...(isComplete ? [] : [line('run the same command again to go on where this one ended')]),
  ];
}

/** Not printed on lines of their own: there may be thousands. */
const QUIET: ReadonlySet<NodeState> = new Set<NodeState>([
  'unchanged',
  'applying',
  'resolved',
  'ready',
]);

/** Not more often than an eye sees. */
const FRAME_MS = 100;
/** Nodes of a target that the tree shows, and rows of each. */
const SHOWN = 5;
const ROWS = 3;

/** A live tree on a terminal: past events above, below them what is running, by target. */
class ProgressTree implements Progress {
  private work = new Work();
  private readonly ended = new Map<string, Set<string>>();
  private command = '';
  private drawn = 0;
  private total = 0;
  private again?: () => void;
  private timer?: NodeJS.Timeout;

  public constructor(
    private readonly out: Terminal,
    private readonly colors: boolean,
  ) {}

  public on(event: RunEvent): void {
    switch (event.type) {
      case 'start':
        this.work = new Work();
        this.command = event.command;
        this.total = event.nodes;
        event.targets.forEach((target) => this.ended.set(target, new Set()));
        this.timer = setInterval(() => {
          this.draw();
        }, FRAME_MS).unref();
        break;
      case 'node':
        this.node(event);
        break;
      case 'roll':
        this.above(lossLine(event));
        break;
      case 'warning':
        this.above(warningLine(event));
        break;
      case 'end':
        this.close();
        summaryLines(event.summary).forEach((each) =>
          this.out.write(`${this.rows(each).join('\n')}\n`),
        );
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

  private node(event: RunEvent & { type: 'node' }): void {
    const { id, target, state, message } = event;
    this.work.on(event);
    if (!ENDS.has(state)) {
      return;
    }
    if (!this.ended.has(target)) {
      this.ended.set(target, new Set());
    }
    this.ended.get(target)!.add(id);
    if (!QUIET.has(state)) {
      this.above(nodeLine(state, id, message));
    }
  }

  private above(block: Block): void {
    this.clear();
    this.out.write(`${this.again ? '\n' : ''}${this.rows(block).join('\n')}\n`);
    this.again?.();
    // there is nothing to draw before it has begun
    if (this.timer) {
      this.draw();
    }
  }

  private draw(): void {
    this.clear();
    const rows = Math.max(3, (this.out.rows ?? 24) - 2);
    const lines = this.lines().slice(0, rows);
    this.out.write(lines.map((each) => `${each}\n`).join(''));
    this.drawn = lines.length;
  }

  private lines(): string[] {
    const ended = [...this.ended.values()].reduce((sum, ids) => sum + ids.size, 0);
    // cells, since none of their rows is wider than the terminal: the next frame would not find its
    // beginning
    return [
      ...this.rows(
        table(
          [],
          [
            [
              [
                toned('title', this.command),
                ` ${this.work.elapsed}: ${ended} of ${this.total} done`,
              ],
            ],
          ],
        ),
      ),
      ...[...this.ended]
        .filter(([target]) => target !== '')
        .flatMap(([target, ids]) => {
          const active = this.work.of(target);
          return [
            ...this.rows(
              table(
                [],
                [
                  [
                    [
                      toned('title', target),
                      `: ${ids.size} done${active.length > 0 ? `, ${active.length} at work` : ''}`,
                    ],
                  ],
                ],
              ),
            ),
            ...active.slice(0, SHOWN).flatMap((each) => this.activeRows(each)),
            ...(active.length > SHOWN
              ? this.rows(line(toned('quiet', `… and ${active.length - SHOWN} more`), 2))
              : []),
          ];
        }),
    ];
  }

  private activeRows(each: Active): string[] {
    const { id, state, message } = each;
    const text: Text = [
      `${id} `,
      inTone(state, state),
      ` ${this.work.timeOf(each)}${message ? `: ${message}` : ''}`,
    ];
    const rows = this.rows(table([], [[inTone(state, WAITS.has(state) ? '…' : '→'), text]], 2));
    const shown =
      rows.length > ROWS ? [...rows.slice(0, ROWS - 1), ...this.rows(line('…', 5))] : rows;
    return each.hint !== undefined && this.work.isLong(each)
      ? [...shown, ...this.rows(line(toned('quiet', each.hint), 4))]
      : shown;
  }

  private rows(block: Block): string[] {
    return render([block], {
      colors: this.colors,
      width: Math.max(20, (this.out.columns ?? 80) - 1),
    }).split('\n');
  }

  // up as many lines as were drawn, and all below is cleared
  private clear(): void {
    if (this.drawn > 0) {
      this.out.write(`\u001b[${this.drawn}A\u001b[J`);
    }
    this.drawn = 0;
  }
}

/** The format of a run's events: `json` is one event per line. */
export type ProgressFormat = 'text' | 'json';

/** The best that a terminal can show: a tree that is redrawn, else a line per event. */
export function progressFor(
  format: ProgressFormat,
  out: Terminal,
  colors: boolean,
  env: NodeJS.ProcessEnv = process.env,
): Progress {
  if (format === 'json') {
    return new JsonProgress(out);
  }
  return out.isTTY === true && !env.CI && env.TERM !== 'dumb'
    ? new ProgressTree(out, colors)
    : new LineProgress(out, colors);
}

/** One JSON object a line. What takes long is repeated, with the seconds that it has taken. */
class JsonProgress implements Progress {
  private work = new Work();
  private timer?: NodeJS.Timeout;

  public constructor(private readonly out: Terminal) {}

  public on(event: RunEvent): void {
    switch (event.type) {
      case 'start':
        this.work = new Work();
        this.timer = setInterval(() => {
          this.repeatLong();
        }, TICK_MS).unref();
        break;
      case 'node':
        this.work.on(event);
        break;
      case 'end':
        this.close();
    }
    this.write(event);
  }

  public ask(): void {
    /* machines are asked nothing */
  }

  public close(): void {
    clearInterval(this.timer);
  }

  private repeatLong(): void {
    for (const each of this.work.due()) {
      const { since: _, ...event } = each;
      this.write({ type: 'node', ...event, waitedSeconds: this.work.secondsOf(each) });
    }
  }

  private write(event: object): void {
    this.out.write(`${printable(JSON.stringify({ time: new Date().toISOString(), ...event }))}\n`);
  }
}

/** The number of nodes that a log shows at a time of those that take long. */
const MOST_REPORTED = 5;

/** A line per event, for logs. */
class LineProgress implements Progress {
  private work = new Work();
  private again?: () => void;
  private timer?: NodeJS.Timeout;

  public constructor(
    private readonly out: Terminal,
    private readonly colors: boolean,
  ) {}

  public on(event: RunEvent): void {
    switch (event.type) {
      case 'start':
        this.work = new Work();
        this.line(line(`${event.command}: ${event.nodes} steps on ${event.targets.join(', ')}`));
        this.timer = setInterval(() => {
          this.reportLong();
        }, TICK_MS).unref();
        break;
      case 'node':
        if (this.work.on(event) && event.state !== 'applying') {
          this.line(nodeLine(event.state, event.id, event.message));
        }
        break;
      case 'roll':
        this.line(lossLine(event));
        break;
      case 'warning':
        this.line(warningLine(event));
        break;
      case 'end':
        this.close();
        summaryLines(event.summary).forEach((each) => this.line(each));
    }
  }

  public ask(again: (() => void) | undefined): void {
    // elsewhere than on a terminal nothing overwrites the question
    this.again = this.out.isTTY === true ? again : undefined;
  }

  public close(): void {
    clearInterval(this.timer);
  }

  /** Reports what takes long: since when, why, and what to do. */
  private reportLong(): void {
    const due = this.work.due();
    for (const each of due.slice(0, MOST_REPORTED)) {
      const { id, state, message, hint } = each;
      const why = message ? `: ${message}` : '';
      this.line(line(`${this.work.elapsed}: ${id} ${state} for ${this.work.timeOf(each)}${why}`));
      if (hint !== undefined) {
        this.line(line(hint, 2));
      }
    }
    if (due.length > MOST_REPORTED) {
      this.line(line(`… and ${due.length - MOST_REPORTED} more take as long`, 2));
    }
  }

  private line(block: Block): void {
    this.out.write(`${this.again ? '\n' : ''}${render([block], { colors: this.colors })}\n`);
    this.again?.();
  }
}
