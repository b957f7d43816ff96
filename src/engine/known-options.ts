import { EngineError } from './engine-error';
import { isRecord } from '../core/manifest/manifest';
import { oneLine } from '../core/problem/problem';
import { nearestName } from '../core/text/plain-text';

/** The values that an option can have, in words. */
const FORMS = {
  text: 'a text that is not empty',
  texts: 'a list of texts',
  flag: 'true or false',
  number: 'a number of 0 or more',
  function: 'a function',
  object: 'an object',
  contexts: 'a Map of targets and contexts',
  signal: 'an AbortSignal',
} as const;

type Form = keyof typeof FORMS;

const READING = { maxFileSize: 'number', followLinks: 'flag', exclude: 'texts' } as const;
const JUDGING = {
  ...READING,
  targetKind: 'text',
  rancherVersion: 'text',
  harvesterVersion: 'text',
  kubernetesVersion: 'text',
} as const;
const CONNECTING = {
  context: 'contexts',
  kubeconfig: 'text',
  config: 'text',
  insecureSkipTlsVerify: 'texts',
  noExec: 'flag',
  onWarning: 'function',
} as const;
const BINDING = { ...CONNECTING, acceptVersionSkew: 'flag', acceptNewCluster: 'texts' } as const;
const CLUSTERS = { ...BINDING, app: 'text', signal: 'signal' } as const;
const TAKING = {
  acceptExisting: 'texts',
  takeFieldsFrom: 'texts',
  migrateManagedFields: 'flag',
} as const;
const WRITING = {
  ...CLUSTERS,
  formerInventory: 'texts',
  forceConflicts: 'texts',
  onEvent: 'function',
  acceptInUse: 'texts',
  removeFinalizer: 'texts',
  concurrency: 'number',
  failFast: 'flag',
  timeoutMs: 'number',
  preflight: 'flag',
} as const;

const DELIVERING = {
  delivery: 'object',
  outputDir: 'text',
  secrets: 'object',
  targetSecrets: 'object',
  acceptPlainSecrets: 'flag',
} as const;

/**
 * The options of each function of `cdk8s-harvester/engine`. The compiler compares them with the
 * types of its parameters.
 */
export const KNOWN_OPTIONS = {
  lint: { ...JUDGING, world: 'texts', before: 'texts' },
  fits: { ...JUDGING, world: 'texts' },
  impact: { ...JUDGING, before: 'texts' },
  graph: { of: 'text', before: 'texts', world: 'texts' },
  review: {
    ...READING,
    base: 'text',
    exactBase: 'flag',
    committed: 'texts',
    synth: 'text',
    install: 'text',
    failOn: 'texts',
    signal: 'signal',
  },
  plan: {
    ...CLUSTERS,
    ...TAKING,
    target: 'texts',
    formerInventory: 'texts',
    forceConflicts: 'texts',
    pruneMachines: 'flag',
    acceptEmpty: 'flag',
    preflight: 'flag',
    dryRun: 'flag',
  },
  apply: {
    ...WRITING,
    ...TAKING,
    target: 'texts',
    wait: 'flag',
    prune: 'flag',
    acceptEmpty: 'flag',
    pruneMachines: 'flag',
    recreateFailedImages: 'flag',
    plan: 'object',
    failOnMachineLoss: 'flag',
  },
  destroy: { ...WRITING, confirm: 'function', target: 'text' },
  register: { ...WRITING, acceptConnected: 'flag', confirm: 'function' },
  forget: { ...CLUSTERS, confirm: 'function' },
  resolve: {
    ...BINDING,
    timeoutMs: 'number',
    signal: 'signal',
    writeValues: 'text',
    writeManifests: 'text',
  },
  deliver: DELIVERING,
  deliverManifests: { ...READING, ...DELIVERING },
  adopt: {
    ...READING,
    ...CONNECTING,
    from: 'object',
    guests: 'flag',
    serverUrl: 'text',
    terraform: 'texts',
    select: 'texts',
    include: 'texts',
    versions: 'object',
    imports: 'object',
    signal: 'signal',
  },
  adoptUpdate: { ...CLUSTERS, select: 'texts' },
  takeOver: { ...WRITING, onPlan: 'function' },
  status: CLUSTERS,
  doctor: { ...CLUSTERS, drift: 'flag' },
} as const satisfies { readonly [call: string]: { readonly [option: string]: Form } };

type Call = keyof typeof KNOWN_OPTIONS;
type Known<C extends Call> = keyof (typeof KNOWN_OPTIONS)[C];

/** The options of a function among the flags of a command. */
export function optionsOf<C extends Call, F extends object>(
  call: C,
  flags: F,
): Pick<F, Extract<keyof F, Known<C>>> {
  const known = Object.keys(KNOWN_OPTIONS[call]);
  return Object.fromEntries(Object.entries(flags).filter(([name]) => known.includes(name))) as Pick<
    F,
    Extract<keyof F, Known<C>>
  >;
}

/** Nothing that fits if the names of a type are not the options of a function. */
type Complete<C extends Call, T> = [keyof T, Known<C>] extends [Known<C>, keyof T]
  ? unknown
  : never;

/** What is meant by names that options had, or have on the command line, where the value differs. */
const OTHER_WORDS: { readonly [word: string]: readonly string[] } = {
  exec: ['noExec'],
  timeout: ['timeoutMs'],
  targetSecret: ['targetSecrets'],
  onlyTargets: ['target'],
  target: ['targetKind'],
  adopt: ['acceptExisting'],
  adoptFrom: ['takeFieldsFrom'],
  allowEmpty: ['acceptEmpty'],
  allowVersionSkew: ['acceptVersionSkew'],
  deleteAnyway: ['acceptInUse'],
  again: ['acceptConnected'],
  plainSecrets: ['acceptPlainSecrets'],
  keepMachines: ['failOnMachineLoss'],
  out: ['outputDir', 'writeValues'],
};

/** A problem with an argument of a function. */
interface WrongArgument {
  /** The argument, or the option. */
  readonly name: string;
  readonly message: string;
  readonly fix: string;
  /** What was given. @default - the name is the problem */
  readonly value?: string;
}

/**
 * Throws if a function of `cdk8s-harvester/engine` does not have an option, or if its value is of
 * another type: plain JavaScript would pass it silently, and delete what `prune: false` keeps.
 */
export function checkOptions<C extends Call, T extends object>(
  call: C,
  options: T & Complete<C, T>,
): void {
  if (!isRecord(options)) {
    refuse(call, [wrongForm('options', 'object', options)]);
  }
  const forms: { readonly [option: string]: Form } = KNOWN_OPTIONS[call];
  const given = Object.entries(options);
  refuse(call, [
    ...given
      .filter(([name]) => !Object.hasOwn(forms, name))
      .map(([name]) => unknownOption(name, Object.keys(forms))),
    ...given
      .filter(([name, value]) => Object.hasOwn(forms, name) && value !== undefined)
      .filter(([name, value]) => !HAS_FORM[forms[name]](value))
      .map(([name, value]) => wrongForm(name, forms[name], value)),
  ]);
}

/** Throws if an argument of a function is not a text; each by its name. */
export function checkTexts(call: Call, given: { readonly [name: string]: unknown }): void {
  const wrong = Object.entries(given).filter(([, value]) => !isText(value));
  refuse(
    call,
    wrong.map(([name, value]) => wrongForm(name, 'text', value)),
  );
}

/** Throws if paths are not a list of texts: a text alone is a list of its letters otherwise. */
export function checkPaths(call: Call, paths: unknown): void {
  if (!Array.isArray(paths) || !paths.every(isText)) {
    refuse(call, [{ ...wrongForm('paths', 'texts', paths), fix: "use e.g. ['dist']" }]);
  }
}

function unknownOption(name: string, known: readonly string[]): WrongArgument {
  const others = Object.hasOwn(OTHER_WORDS, name) ? OTHER_WORDS[name] : [];
  const meant = others.find((word) => known.includes(word)) ?? nearestName(name, known);
  return { name, message: 'is not an option', fix: `use ${meant ?? known.join(', ')}` };
}

function wrongForm(name: string, form: Form, value: unknown): WrongArgument {
  const message = `must be ${FORMS[form]}`;
  return { name, message, fix: 'pass such a value, or leave it out', value: shown(value) };
}

/** What was given; a list or an object may contain secrets. */
function shown(value: unknown): string {
  if (Array.isArray(value)) {
    return 'a list';
  }
  if (isRecord(value)) {
    return 'an object';
  }
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** Throws one error with all problems, if there are any. */
function refuse(call: Call, wrong: readonly WrongArgument[]): void {
  if (wrong.length > 0) {
    const lines = wrong.map(({ name, ...problem }) =>
      oneLine({ path: `${call}: ${name}`, ...problem }),
    );
    throw new EngineError('invalid-argument', lines.join('\n'));
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** Whether a value has the form of an option. */
const HAS_FORM: { readonly [form in Form]: (value: unknown) => boolean } = {
  text: isText,
  texts: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  flag: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number' && value >= 0,
  function: (value) => typeof value === 'function',
  object: isRecord,
  contexts: (value) => value instanceof Map,
  signal: (value) => value instanceof AbortSignal,
};
