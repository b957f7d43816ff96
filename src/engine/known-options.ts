import { problemText } from '../core/rule/problem';
import { nearestName } from '../core/text/plain-text';

const READING = ['maxFileSize', 'followLinks', 'exclude'] as const;
const JUDGING = [
  ...READING,
  'target',
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
  'allowVersionSkew',
  'knownUid',
  'acceptNewCluster',
  'connect',
] as const;
const CLUSTERS = [...BINDING, 'app', 'signal'] as const;
const TAKING = [
  'adopt',
  'adoptFrom',
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
  'deleteAnyway',
  'removeFinalizer',
  'concurrency',
  'failFast',
  'timeoutMs',
  'preflight',
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
  plan: [
    ...CLUSTERS,
    ...TAKING,
    'onlyTargets',
    'pruneMachines',
    'allowEmpty',
    'preflight',
    'dryRun',
  ],
  apply: [
    ...WRITING,
    'onlyTargets',
    'wait',
    'prune',
    'allowEmpty',
    'pruneMachines',
    'recreateFailedImages',
    'plan',
    'keepMachines',
  ],
  destroy: [...WRITING, 'confirm', 'target'],
  register: [...WRITING, 'again', 'confirm'],
  forget: [...CLUSTERS, 'confirm'],
  resolve: [...BINDING, 'timeoutMs', 'signal', 'out', 'writeManifests'],
  deliver: [...READING, 'delivery', 'out', 'secrets', 'targetSecrets', 'targets', 'plainSecrets'],
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

/** Options whose name differs from that of the command line, since their value does. */
const OTHER_WORDS: { readonly [word: string]: string } = {
  exec: 'noExec',
  timeout: 'timeoutMs',
  targetSecret: 'targetSecrets',
  target: 'onlyTargets',
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
      const meant = OTHER_WORDS[name] ?? nearestName(name, known);
      return {
        path: `${call}: ${name}`,
        message: 'is not an option',
        fix:
          meant !== undefined && known.includes(meant) ? `use ${meant}` : `use ${known.join(', ')}`,
      };
    });
  if (problems.length > 0) {
    throw new Error(problems.map(problemText).join('\n'));
  }
}
