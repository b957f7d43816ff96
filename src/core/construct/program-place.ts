import { isAbsolute, join, sep } from 'path';
import { fileURLToPath } from 'url';
import { Construct } from 'constructs';
import { passOn, withStacks } from './error-of-jsii';
import { printIfUncaught } from './uncaught';
import { shortPath } from '../text/plain-text';

/**
 * Where in a program something is, e.g. `main.ts:12:3`, relative to the working directory if it is
 * below. ts-node and tsx map the stacks that V8 writes to the sources.
 *
 * A call of a program into the library captures the stack once, for the constructs that it creates.
 * V8 formats a captured stack when it is read, which only a finding or an error does.
 */

/** A function that a program calls: the frames above it are those of the program. */
export type Entry = (...args: never[]) => unknown;

/** What `Error.captureStackTrace` fills. */
interface Captured {
  readonly stack?: string;
}

/** The folder of this package's own code. */
const OWN = join(__dirname, '..', '..') + sep;

const FRAME = /^ +at (?:async )?(?:([^/\\(]+) \()?(.+?):(\d+):(\d+)\)?$/;

/** A frame of a stack. */
interface Frame {
  /** The function; undefined at the top of a module. */
  readonly name?: string;
  readonly file: string;
  /** `main.ts:12:3` */
  readonly place: string;
}

let ofJsii: boolean | undefined;

/**
 * Whether the library runs in a process of jsii, for a program in another language: its frames are
 * not those of the program.
 */
const isOfJsii = (): boolean => (ofJsii ??= process.env.JSII_AGENT !== undefined);

/**
 * What calls the library, be it a wrapper of another package: each further frame takes time for
 * each construct of a program.
 */
const KEPT = 1;

/** As deep as calls within the library get. */
const ALL = 100;

/** Tail calls of bun leave no frame, perhaps not that of the function which the program called. */
const HAS_TAIL_CALLS = process.versions.bun !== undefined;

function capture(below: Entry, limit: number, captured: Captured = {}): Captured {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = HAS_TAIL_CALLS ? ALL : limit;
  Error.captureStackTrace(captured, HAS_TAIL_CALLS ? undefined : below);
  Error.stackTraceLimit = before;
  return captured;
}

function frameOf(line: string): Frame[] {
  const [, name, given, row, column] = FRAME.exec(line) ?? [];
  if (given === undefined || given.startsWith('node:')) {
    return [];
  }
  const file = given.startsWith('file://') ? fileURLToPath(given.replace(/\?.*$/, '')) : given;
  if (!isAbsolute(file)) {
    return [];
  }
  const place = `${shortPath(file)}:${row}:${column}`;
  return [
    { file, place, ...(name === undefined || /(^|\.)<anonymous>$/.test(name) ? {} : { name }) },
  ];
}

function framesOf({ stack = '' }: Captured): Frame[] {
  return stack.split('\n').flatMap(frameOf);
}

const isOwn = ({ file }: Frame): boolean => file.startsWith(OWN);
const isInstalled = ({ file }: Frame): boolean => file.includes(`${sep}node_modules${sep}`);

/** The frames of the program itself, or of what calls the library for it. */
function ofProgram(frames: readonly Frame[]): readonly Frame[] {
  const others = frames.filter((frame) => !isOwn(frame));
  const written = others.filter((frame) => !isInstalled(frame));
  const shown = written.length > 0 ? written : others;
  // tsx shows the top of a module twice
  const isTwice = ({ name, file }: Frame, before?: Frame): boolean =>
    name === undefined && before?.name === undefined && before?.file === file;
  return shown.filter((frame, index) => !isTwice(frame, shown[index - 1]));
}

/**
 * The call of the program that runs. Calls within it, of methods that the library shares with
 * programs, belong to it.
 */
let running: { place?: Captured } | undefined;

const PLACE = Symbol.for('cdk8s-harvester.Place');

/** Records that the call of the program that runs creates a construct, or sets a part of one. */
export function keepPlace(construct: object): void {
  if (!running || PLACE in construct || isOfJsii()) {
    return;
  }
  // the stack is captured where the call returns: that takes less time than below the constructors
  // of the library
  (construct as { [PLACE]?: Captured })[PLACE] = running.place ??= {};
}

/** The place that created a construct; undefined if no call of the program was recorded for it. */
export function programPlaceOf(construct: object): string | undefined {
  const captured = (construct as { readonly [PLACE]?: Captured })[PLACE];
  return captured && ofProgram(framesOf(captured))[0]?.place;
}

/**
 * Runs a call of a program: an error names the place of the call, and its stack consists of the
 * program's own frames.
 *
 * @param entry the function that the program called
 */
export function calledByProgram<T>(entry: Entry, call: () => T): T {
  return atBoundary(entry, call, (text, [{ place }]) => `${text}\n  at ${place}`);
}

/**
 * Runs a call of a program that creates an object. If it is a construct, findings about it name the
 * place of the call.
 */
export function createdByProgram<T>(entry: Entry, create: () => T): T {
  return calledByProgram(entry, () => {
    const created = create();
    if (Construct.isConstruct(created)) {
      keepPlace(created);
    }
    return created;
  });
}

/**
 * Runs a call of a program that reports on the whole program: the place of the call does not help.
 */
export function reportsToProgram<T>(entry: Entry, call: () => T): T {
  return atBoundary(entry, call, (text) => text);
}

function atBoundary<T>(
  entry: Entry,
  call: () => T,
  messageOf: (text: string, frames: readonly [Frame, ...Frame[]]) => string,
): T {
  if (running) {
    return call();
  }
  withStacks();
  const started: { place?: Captured } = (running = {});
  try {
    return call();
  } catch (error) {
    refine(error, entry, messageOf);
    // without this comment, node prints this line above an error that the program does not catch
    throw error; // node-do-not-add-exception-line
  } finally {
    running = undefined;
    if (started.place) {
      capture(entry, KEPT, started.place);
    }
  }
}

function frameText({ name, place }: Frame): string {
  return name === undefined ? place : `${name} (${place})`;
}

/** Errors of the language, which a mistake of the library leads to: their stacks are needed. */
const MISTAKES = [TypeError, RangeError, ReferenceError, SyntaxError, EvalError];

function refine(
  error: unknown,
  entry: Entry,
  messageOf: (text: string, frames: readonly [Frame, ...Frame[]]) => string,
): void {
  if (!(error instanceof Error) || MISTAKES.some((type) => error instanceof type)) {
    return;
  }
  if (isOfJsii()) {
    passOn(error);
    return;
  }
  const [thrown] = framesOf(error);
  // code of the program that the library called
  if (thrown && !isOwn(thrown) && !isInstalled(thrown)) {
    return;
  }
  const [first, ...others] = ofProgram(framesOf(capture(entry, ALL)));
  if (!first) {
    return;
  }
  const { message, name } = error;
  error.message = messageOf(message, [first, ...others]);
  error.stack = [
    `${name}: ${message}`,
    ...[first, ...others].map((frame) => `    at ${frameText(frame)}`),
  ].join('\n');
  printIfUncaught(error, others.map(frameText));
}
