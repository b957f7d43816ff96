import * as fs from 'node:fs';
import * as path from 'node:path';

/** How time is in a child process. */
export interface ChildClock {
  /** How far its wall clock is ahead of that of the test. @default 0 */
  readonly aheadMs?: number;
  /** The speed of its time, pauses included: 10 makes a minute last six seconds. @default 1 */
  readonly speed?: number;
  /**
   * When this file is there, the wall clock jumps ahead so far and the monotonic one does not: as
   * when Linux was asleep.
   */
  readonly jump?: { readonly file: string; readonly ms: number };
}

/** The environment that gives a child process of Node another clock. */
export function childClock(
  folder: string,
  clock: ChildClock,
): { readonly NODE_OPTIONS: string; readonly CHILD_CLOCK: string } {
  const file = path.join(folder, 'child-clock.cjs');
  fs.writeFileSync(file, HOOK);
  return { NODE_OPTIONS: `--require ${file}`, CHILD_CLOCK: JSON.stringify(clock) };
}

const HOOK = `
const fs = require('node:fs');
const timers = require('node:timers/promises');
const { aheadMs = 0, speed = 1, jump } = JSON.parse(process.env.CHILD_CLOCK);
const real = { Date, now: performance.now.bind(performance), setTimeout, setInterval, sleep: timers.setTimeout };
const began = real.Date.now() + aheadMs;
const now = () => Math.round(began + real.now() * speed + (jump && fs.existsSync(jump.file) ? jump.ms : 0));
performance.now = () => real.now() * speed;
globalThis.Date = class Date extends real.Date {
  constructor(...args) { if (args.length === 0) { super(now()); } else { super(...args); } }
  static now() { return now(); }
};
if (speed !== 1) {
  globalThis.setTimeout = (act, ms, ...args) => real.setTimeout(act, ms / speed, ...args);
  globalThis.setInterval = (act, ms, ...args) => real.setInterval(act, ms / speed, ...args);
  timers.setTimeout = (ms, ...args) => real.sleep(ms / speed, ...args);
}
`;
