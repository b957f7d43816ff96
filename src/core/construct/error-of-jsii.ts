/**
 * Errors of the library in a program of another language. The kernel of jsii passes on an error of a
 * constructor, and makes one of its own of the text of others.
 *
 * @see aws/jsii:packages/@jsii/kernel/src/kernel.ts RuntimeError
 */

/** How a language writes a method after its class, if it writes names in Pascal case. */
const PASCAL: readonly (readonly [agent: RegExp, ofClass: string])[] = [
  [/^go\d/, '_'],
  [/^DotNet\//, '.'],
];

/** What a line begins with: how bad it is, and the construct. */
const SUBJECT = /^(?:error {2})?(?:\[[^\]]*\] )?/;
/** Then the call and the prop, such as `IpPool.fromName: ` and `ports[0].targetPort: `. */
const PLACES = /^(?:(?:[A-Z]\w*\.)?[a-z]\w*(?:\[\d+\])?(?:\.[a-z]\w*(?:\[\d+\])?)*: )+/i;
/** Fields of objects have the same names in each language. */
const FIELD = /^(?:apiVersion|data|metadata|spec|status|stringData)\b/;
/** A name that is not a word: what is in quotes is a value. */
const NAME = /(?<![\w.'"/-])[a-z]+(?:[A-Z][a-z0-9]*)+(?![\w.'"/-])/g;
const FIX = '. Fix: ';

function inPascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function placeIn(place: string, ofClass: string): string {
  const [, type, names] = /^([A-Z]\w*\.)?(.*)$/s.exec(place)!;
  const written = names!.replace(/[a-z]\w*/gi, inPascal);
  return type === undefined ? written : `${type.slice(0, -1)}${ofClass}${written}`;
}

function lineIn(line: string, ofClass: string): string {
  const [subject] = SUBJECT.exec(line)!;
  const [places] = PLACES.exec(line.slice(subject.length)) ?? [];
  if (places === undefined || FIELD.test(places)) {
    return line;
  }
  const written = places
    .split(/(?<=: )/)
    .map((place) => placeIn(place, ofClass))
    .join('');
  const [what, ...fix] = line.slice(subject.length + places.length).split(FIX);
  const rest = [what, ...fix.map((text) => text.replace(NAME, inPascal))].join(FIX);
  return `${subject}${written}${rest}`;
}

/** A message with the names of props and methods as the language of the program writes them. */
export function inLanguageOf(agent: string, message: string): string {
  const [, ofClass] = PASCAL.find(([pattern]) => pattern.test(agent)) ?? [];
  return ofClass === undefined
    ? message
    : message
        .split('\n')
        .map((line) => lineIn(line, ofClass))
        .join('\n');
}

/** The runtime for Python reads the stack, and the package for Python prints neither. */
const PYTHON = /^Python\//;

/** How V8 writes stacks while no error is on its way to the program. */
let prepare: { readonly own: typeof Error.prepareStackTrace } | undefined;

/**
 * Prepares an error for the kernel, whose runtimes print a stack below the message: there is none,
 * neither here nor in the error that the kernel makes of it. `withStacks` ends that, at the next
 * call of the program.
 */
export function passOn(error: Error): void {
  const agent = process.env.JSII_AGENT!;
  if (PYTHON.test(agent)) {
    return;
  }
  error.message = inLanguageOf(agent, error.message);
  // the kernel takes the text of an error that a method throws, which begins with the name
  error.name = '';
  error.stack = undefined;
  prepare ??= { own: Error.prepareStackTrace };
  Error.prepareStackTrace = () => undefined;
}

/** Errors have stacks again. */
export function withStacks(): void {
  if (prepare) {
    Error.prepareStackTrace = prepare.own;
    prepare = undefined;
  }
}
