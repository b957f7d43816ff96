import { BindingConfig } from './config-file';
import { connectContext } from './kubeconfig';
import { Environment, Kubeconfig, KubeconfigContext, readKubeconfig } from './kubeconfig-files';
import { remembered } from '../../core/text/values';
import { Connection } from '../transport/api';

/** How contexts are found. */
export interface FindOptions {
  /** Kubeconfig contexts by target (`--context <target>=<context>`). @default - from the config file, or the context with the target's name */
  readonly context?: ReadonlyMap<string, string>;
  /** Kubeconfig file of targets without one in the config file. @default - KUBECONFIG, or ~/.kube/config */
  readonly kubeconfig?: string;
  /** Targets whose certificates are not verified, if their kubeconfig allows that. @default - all certificates are verified */
  readonly insecureSkipTlsVerify?: readonly string[];
  /** Do not run exec plugins of a kubeconfig. @default false */
  readonly noExec?: boolean;
  readonly onWarning?: (target: string, message: string) => void;
  /** Environment variables. @default process.env */
  readonly env?: Environment;
  /** @default process.cwd() */
  readonly cwd?: string;
}

/** How a target is reached. */
export interface Way {
  readonly by: string;
  connect(signal?: AbortSignal): Promise<Connection>;
}

/** Finds the contexts of targets by their names; reads each file once. */
export class ContextFinder {
  public readonly env: Environment;
  public readonly cwd: string;
  private readonly kubeconfigs = new Map<string, Kubeconfig>();

  /** @param config the content of the config file. @default - no file is read */
  public constructor(private readonly options: FindOptions, private readonly config: Pick<BindingConfig, 'targets'> = { targets: new Map() }) {
    this.env = options.env ?? process.env;
    this.cwd = options.cwd ?? process.cwd();
  }

  /** The context that an option or the config file names. */
  public named(name: string): string | undefined {
    return this.options.context?.get(name) ?? this.config.targets.get(name)?.context;
  }

  /** Whether an option or the config file names the context or the kubeconfig of a target. */
  public isNamed(name: string): boolean {
    return this.options.context?.has(name) === true || this.config.targets.has(name);
  }

  /** Throws where there is no context. */
  public way(target: string): Way {
    const named = this.named(target);
    const file = this.config.targets.get(target)?.kubeconfig;
    const context = this.find(this.kubeconfig(file ?? this.options.kubeconfig), named ?? target, named !== undefined, target);
    const insecure = this.options.insecureSkipTlsVerify?.includes(target) ?? false;
    if (insecure) {
      this.options.onWarning?.(target, context.cluster['insecure-skip-tls-verify'] === true
        ? 'its certificate is not verified: an attacker on the network could read and change everything'
        : '--insecure-skip-tls-verify has no effect: its kubeconfig does not set insecure-skip-tls-verify');
    }
    const settings = { insecureSkipTlsVerify: insecure, noExec: this.options.noExec, env: this.env };
    return {
      // contexts of two files may have the same name
      by: `context ${context.name}${file === undefined ? '' : ` of ${file}`}`,
      connect: async () => connectContext(context, settings),
    };
  }

  private find({ contexts, from, isMissing }: Kubeconfig, name: string, asked: boolean, target: string): KubeconfigContext {
    const context = contexts.get(name);
    if (context instanceof Error) { throw context; }
    if (context) { return context; }
    if (isMissing) {
      throw new Error(`${asked ? `cannot find context ${name}` : 'has no context'}: no kubeconfig at ${from}. `
        + 'Fix: set --kubeconfig <file> or KUBECONFIG, or name a kubeconfig in the config file');
    }
    const what = asked ? `context ${name} is not in ${from}` : `is not bound to a context: ${from} has none with the name ${name}`;
    const there = contexts.size === 0 ? 'none' : [...contexts.keys()].join(', ');
    throw new Error(`${what}; its contexts: ${there}. Fix: set --context ${target}=<context>, or name the context in the config file`);
  }

  private kubeconfig(file: string | undefined): Kubeconfig {
    return remembered(this.kubeconfigs, file ?? '', () => readKubeconfig(file, this.env, this.cwd));
  }
}
