import { EngineError } from './engine-error';
import { problemText } from '../core/rule/problem';
import { nearestName } from '../core/text/plain-text';

const READING = ['maxFileSize', 'followLinks', 'exclude'] as const;
const JUDGING = [
  ...READING,
  'targetKind',
  'rancherVersion',
  'harvesterVersion',
  'kubernetesVersion',
] as const;
const CONNECTING = [
  'context',
  'kubeconfig',
  'config',
  'insecureSkipTlsVerify',
  'noExec',
  'onWarning',
  'transport',
  'env',
  'cwd',
] as const;
const BINDING = [
  ...CONNECTING,
  'needed',
  'optional',
  'acceptVersionSkew',
  'knownUid',
  'acceptNewCluster',
  'connect',
] as const;
const CLUSTERS = [...BINDING, 'app', 'signal'] as const;
const TAKING = [
  'acceptExisting',
  'takeFieldsFrom',
  'migrateManagedFields',
  'forceConflicts',
  'formerInventory',
] as const;
const WRITING = [
  ...CLUSTERS,
  ...TAKING,
  'version',
  'onEvent',
  'redactor',
  'clock',
  'random',
  'acceptInUse',
  'removeFinalizer',
  'concurrency',
  'failFast',
  'timeoutMs',
  'preflight',
] as const;

const DELIVERING = [
  'delivery',
  'outputDir',
  'secrets',
  'targetSecrets',
  'acceptPlainSecrets',
] as const;

/**
 * The options of each function of `cdk8s-harvester/engine`. The compiler compares them with the
 * types of its parameters.
 */
export const KNOWN_OPTIONS = {
  lint: [...JUDGING, 'world', 'before'],
  fits: [...JUDGING, 'world'],
  impact: [...JUDGING, 'before'],
  review: [...READING, 'base', 'exactBase', 'committed', 'synth', 'install', 'failOn', 'signal'],
  plan: [...CLUSTERS, ...TAKING, 'target', 'pruneMachines', 'acceptEmpty', 'preflight', 'dryRun'],
  apply: [
    ...WRITING,
    'target',
    'wait',
    'prune',
    'acceptEmpty',
    'pruneMachines',
    'recreateFailedImages',
    'plan',
    'failOnMachineLoss',
  ],
  destroy: [...WRITING, 'confirm', 'target'],
  register: [...WRITING, 'acceptConnected', 'confirm'],
  forget: [...CLUSTERS, 'confirm'],
  resolve: [...BINDING, 'timeoutMs', 'signal', 'writeValues', 'writeManifests'],
  deliver: DELIVERING,
  deliverManifests: [...READING, ...DELIVERING],
  adopt: [
    ...READING,
    ...CONNECTING,
    'from',
    'guests',
    'serverUrl',
    'terraform',
    'select',
    'include',
    'versions',
    'imports',
    'signal',
  ],
  adoptUpdate: [...CLUSTERS, 'select'],
  takeOver: [...WRITING, 'onPlan'],
  status: CLUSTERS,
  doctor: [...CLUSTERS, 'drift'],
} as const;

type Call = keyof typeof KNOWN_OPTIONS;
type Known<C extends Call> = (typeof KNOWN_OPTIONS)[C][number];

/** The options of a function among the flags of a command. */
export function optionsOf<C extends Call, F extends object>(
  call: C,
  flags: F,
): Pick<F, Extract<keyof F, Known<C>>> {
  const known: readonly string[] = KNOWN_OPTIONS[call];
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

/**
 * Throws if an option is unknown to a function of `cdk8s-harvester/engine`: plain JavaScript would
 * pass it silently, and delete what `prune: false` keeps.
 */
export function refuseUnknownOptions<C extends Call, T extends object>(
  call: C,
  options: T & Complete<C, T>,
): void {
  const known: readonly string[] = KNOWN_OPTIONS[call];
  const problems = Object.keys(options)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant =
        OTHER_WORDS[name]?.find((word) => known.includes(word)) ?? nearestName(name, known);
      return {
        path: `${call}: ${name}`,
        message: 'is not an option',
        fix: `use ${meant ?? known.join(', ')}`,
      };
    });
  if (problems.length > 0) {
    throw new EngineError('invalid-argument', problems.map(problemText).join('\n'));
  }
}

/** Throws if paths are not a list of texts: a text alone is a list of its letters otherwise. */
export function checkPaths(call: Call, paths: unknown): void {
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string' && path !== '')) {
    const given = typeof paths === 'string' ? JSON.stringify(paths) : 'something else';
    throw new EngineError(
      'invalid-argument',
      `${call}: paths: must be a list of texts, got ${given}. Fix: use e.g. ['dist']`,
    );
  }
}
