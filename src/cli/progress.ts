import { nodeLine, Progress, summaryLines, Terminal, WAITS } from './progress-text';
import { ProgressTree } from './progress-tree';
import { plainText } from '../apply/plan/plan-summary';
import { NodeState, RunEvent } from '../apply/run/events';
import { lossText } from '../apply/run/machine-loss';

/** How a run is told of: `json` is one event a line. */
export type ProgressFormat = 'text' | 'json';

/** The best that a terminal can show: a tree that is drawn anew, else a line for each thing that happens. */
export function progressFor(format: ProgressFormat, out: Terminal, env: NodeJS.ProcessEnv = process.env): Progress {
  if (format === 'json') { return new JsonProgress(out); }
  return out.isTTY === true && !env.CI && env.TERM !== 'dumb' ? new ProgressTree(out, !env.NO_COLOR) : new LineProgress(out);
}

/** One JSON object a line. */
class JsonProgress implements Progress {
  public constructor(private readonly out: Terminal) {}

  public on(event: RunEvent): void {
    this.out.write(`${JSON.stringify({ time: new Date().toISOString(), ...event })}\n`);
  }

  public ask(): void { /* machines are asked nothing */ }

  public close(): void { /* nothing is held */ }
}

/** What long waiting looks like in a log: a sign of life, but not a page. */
const HEARTBEAT_MS = 30_000;

/** A line for each thing that happens; for logs. */
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
    // elsewhere than on a terminal nothing stands in the way of the question
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
