import { Command } from 'commander';
import { repeatable } from './repeatable';
import { AssemblyTarget } from '../../core/output/assembly';
import { BindOptions, Binding, bindTargets } from '../../engine/auth/bind-targets';
import { DEFAULT_APP } from '../../engine/inventory/apply-set';
import { plainText } from '../../engine/plan/plan';

/** Adds the option that names the app. */
export function withAppOption(command: Command): Command {
  return command.option('--app <name>', 'name that separates this program\'s inventory from other programs on the same clusters', DEFAULT_APP);
}

/** The options by which commands find clusters, as commander gives them. */
export interface TargetFlags {
  readonly context: readonly string[];
  readonly kubeconfig?: string;
  readonly config?: string;
  readonly allowVersionSkew?: boolean;
  readonly insecureSkipTlsVerify: readonly string[];
  readonly acceptNewCluster: readonly string[];
  /** False for `--no-exec`. */
  readonly exec?: boolean;
}

/** Adds the options by which a command finds clusters; they are the last of its help. */
export function withTargetOptions(command: Command): Command {
  return command
    .optionsGroup('Options by which clusters are found:')
    .addOption(repeatable('--context <target=context>', 'the kubeconfig context of a target, where it is not called like the target'))
    .option('--kubeconfig <file>', 'read contexts from this kubeconfig; default: KUBECONFIG, or ~/.kube/config')
    .option('--config <file>', 'read the contexts of targets from this file; default: cdk8s-harvester.yaml, if it exists')
    .option('--allow-version-skew', 'continue if a cluster has another minor version than the target names')
    .addOption(repeatable('--accept-new-cluster <target>', 'accept that the cluster of this target, or the Rancher Cluster with this ID, was recreated since the last run'))
    .addOption(repeatable('--insecure-skip-tls-verify <target>', 'do not check the certificate of this target, if its kubeconfig skips the check too'))
    .option('--no-exec', 'run no command that a kubeconfig names for its credentials');
}

/** Binds the targets of an assembly; warnings go to stderr. */
export async function bindByFlags(targets: readonly AssemblyTarget[], flags: TargetFlags): Promise<Binding> {
  return bindTargets(targets, bindOptionsOf(flags));
}

/** The options by which the engine finds clusters; warnings go to stderr. */
export function bindOptionsOf(flags: TargetFlags): BindOptions {
  return {
    onWarning: (where, message) => { process.stderr.write(`warning: ${where}: ${plainText(message)}\n`); },
    contexts: contextsOf(flags.context),
    kubeconfig: flags.kubeconfig,
    configFile: flags.config,
    allowVersionSkew: flags.allowVersionSkew,
    insecureSkipTlsVerify: flags.insecureSkipTlsVerify,
    acceptNewCluster: flags.acceptNewCluster,
    noExec: flags.exec === false,
  };
}

function contextsOf(flags: readonly string[]): Map<string, string> {
  const contexts = new Map<string, string>();
  for (const flag of flags) {
    const [target, context] = [flag.slice(0, Math.max(0, flag.indexOf('='))), flag.slice(flag.indexOf('=') + 1)];
    if (!target || !context) { throw new Error(`--context: must be <target>=<context>, e.g. rancher=prod-rancher, got ${JSON.stringify(flag)}`); }
    const other = contexts.get(target);
    if (other !== undefined && other !== context) {
      throw new Error(`--context: must name one context for target ${target}, got ${other} and ${context}`);
    }
    contexts.set(target, context);
  }
  return contexts;
}
