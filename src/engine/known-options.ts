import { BindOptions } from './auth/bind-targets';
import { FieldOptions } from './fields/managed-fields';
import { ResolveOptions } from './late/resolve-program';
import { PlanRunOptions } from './plan/plan-program';
import { ReadOptions } from './read/find-files';
import { LintOptions } from './read/lint';
import { TargetOptions } from './read/read-input';
import { ApplyRunOptions } from './run/apply-program';
import { DestroyRunOptions } from './run/destroy-program';
import { RegisterRunOptions } from './run/register-harvester';
import { RunOptions } from './run/run-context';
import { problemText } from '../core/rule/problem';
import { nearestName } from '../core/text/plain-text';

/** Every name of a type of options. */
type Names<T> = { readonly [name in keyof Required<T>]: true };

const READING: Names<ReadOptions> = { maxFileSize: true, followLinks: true };
const JUDGING: Names<TargetOptions> = { ...READING, target: true, rancherVersion: true, harvesterVersion: true, kubernetesVersion: true };
const BINDING: Names<BindOptions> = {
  needed: true,
  optional: true,
  context: true,
  kubeconfig: true,
  config: true,
  allowVersionSkew: true,
  insecureSkipTlsVerify: true,
  noExec: true,
  knownUid: true,
  acceptNewCluster: true,
  onWarning: true,
  transport: true,
  env: true,
  cwd: true,
  connect: true,
};
const CLUSTERS = { ...BINDING, app: true, signal: true } as const;
const FIELDS: Names<Omit<FieldOptions, 'fieldManager'>> = { adopt: true, adoptFrom: true, migrateManagedFields: true, forceConflicts: true };
const RUNNING: Names<RunOptions> = {
  ...FIELDS,
  app: true,
  version: true,
  onEvent: true,
  redactor: true,
  signal: true,
  clock: true,
  random: true,
  acceptNewCluster: true,
  formerInventory: true,
  deleteAnyway: true,
  removeFinalizer: true,
  concurrency: true,
  failFast: true,
  timeoutMs: true,
  preflight: true,
};
const WRITING = { ...CLUSTERS, ...RUNNING } as const;
const PLANNING: Names<Omit<PlanRunOptions, 'rolls'>> = {
  ...FIELDS,
  app: true,
  acceptNewCluster: true,
  formerInventory: true,
  pruneMachines: true,
  allowEmpty: true,
  preflight: true,
  dryRun: true,
  onWarning: true,
  signal: true,
};
const APPLYING: Names<Omit<ApplyRunOptions, 'rolls'>> = {
  ...RUNNING, wait: true, prune: true, allowEmpty: true, pruneMachines: true, recreateFailedImages: true, plan: true, keepMachines: true,
};
const DESTROYING: Names<DestroyRunOptions> = { ...RUNNING, confirm: true, target: true };
const REGISTERING: Names<Omit<RegisterRunOptions, 'harvester'>> = { ...RUNNING, again: true, confirm: true };

/** The options of each function of `cdk8s-harvester/engine`. */
export const KNOWN_OPTIONS = {
  lint: { ...JUDGING, world: true, before: true } satisfies Names<LintOptions>,
  fits: { ...JUDGING, world: true },
  impact: { ...JUDGING, before: true },
  review: { ...READING, base: true, exactBase: true, committed: true, synth: true, install: true, failOn: true, signal: true },
  plan: { ...CLUSTERS, ...PLANNING },
  apply: { ...WRITING, ...APPLYING },
  destroy: { ...WRITING, ...DESTROYING },
  register: { ...WRITING, ...REGISTERING },
  forget: { ...CLUSTERS, confirm: true },
  resolve: { ...BINDING, timeoutMs: true, signal: true, out: true, writeManifests: true } satisfies Names<ResolveOptions>,
  deliver: { ...READING, delivery: true, out: true, secrets: true, targetSecrets: true, targets: true, plainSecrets: true },
  adopt: {
    ...READING,
    context: true,
    kubeconfig: true,
    config: true,
    insecureSkipTlsVerify: true,
    noExec: true,
    onWarning: true,
    transport: true,
    env: true,
    cwd: true,
    from: true,
    guests: true,
    serverUrl: true,
    terraform: true,
    select: true,
    signal: true,
  },
  adoptUpdate: { ...CLUSTERS, select: true },
  status: CLUSTERS,
  doctor: { ...CLUSTERS, drift: true },
} as const;

/** Options whose name differs from that of the command line, since their value does. */
const OTHER_WORDS: { readonly [word: string]: string } = { exec: 'noExec', timeout: 'timeoutMs', targetSecret: 'targetSecrets' };

/** Throws if an option is unknown to a function of `cdk8s-harvester/engine`: plain JavaScript would pass it silently, and delete what `prune: false` keeps. */
export function refuseUnknownOptions(call: keyof typeof KNOWN_OPTIONS, options: object): void {
  const known = Object.keys(KNOWN_OPTIONS[call]);
  const problems = Object.keys(options).filter((name) => !known.includes(name)).map((name) => {
    const meant = OTHER_WORDS[name] ?? nearestName(name, known);
    return { path: `${call}: ${name}`, message: 'is not an option', fix: meant !== undefined && known.includes(meant) ? `use ${meant}` : `use ${known.join(', ')}` };
  });
  if (problems.length > 0) { throw new Error(problems.map(problemText).join('\n')); }
}
