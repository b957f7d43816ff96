import { BindingConfig, readConfigFile } from './config-file';
import { connectGuest, ManagingRancher, ProvisioningRef } from './guest';
import { checkIdentity, WrongClusterError } from './identity';
import { connectContext } from './kubeconfig';
import {
  ProcessEnvironment,
  Kubeconfig,
  KubeconfigContext,
  readKubeconfigFiles,
} from './kubeconfig-files';
import { AssemblyTarget } from '../../core/output/assembly';
import { remembered } from '../../core/text/values';
import { kubeconfigSecretOf } from '../../guest/cluster/cluster.kind';
import { ApiCluster } from '../cluster/api-cluster';
import { BoundTarget, BoundTargets, Cluster, clusterUid } from '../cluster/cluster';
import { EngineError } from '../engine-error';
import { ApiError, Connection, isFailure, onFailure } from '../transport/api';
import { NodeTransport, NodeTransportOptions } from '../transport/node-transport';

/** A cluster and its connection. */
export interface BoundCluster {
  readonly cluster: Cluster;
  readonly connection: Connection;
}

/** A target that connects on first use, and again after a failure. */
export class Bound implements BoundTarget {
  private connecting?: Promise<BoundCluster>;
  private readonly opened: Cluster[] = [];

  /** @param uids the targets of the same command by the UID of their cluster */
  public constructor(
    public readonly target: AssemblyTarget,
    public readonly by: string,
    private readonly connect: (signal?: AbortSignal) => Promise<Connection>,
    private readonly options: BindOptions,
    private readonly uids: Map<string, string>,
  ) {
    // callers pass it on without its object
    this.cluster = this.cluster.bind(this);
  }

  public async cluster(signal?: AbortSignal): Promise<Cluster> {
    return (await this.connected(signal)).cluster;
  }

  public async connected(signal?: AbortSignal): Promise<BoundCluster> {
    const connecting = (this.connecting ??= this.open(signal));
    try {
      return await connecting;
    } catch (error) {
      if (this.connecting === connecting) {
        this.connecting = undefined;
      }
      // another caller aborted it
      if (isFailure(error, 'aborted') && !signal?.aborted) {
        return this.connected(signal);
      }
      throw error;
    }
  }

  public close(): void {
    this.opened.forEach((cluster) => cluster.close());
  }

  private async open(signal?: AbortSignal): Promise<BoundCluster> {
    const { name } = this.target;
    const warn = (message: string): void => this.options.onWarning?.(name, message);
    try {
      const connection = await this.connect(signal);
      const cluster = new ApiCluster(
        new NodeTransport(connection, { onNotice: warn, ...this.options.transport }),
      );
      this.opened.push(cluster);
      const { acceptVersionSkew } = this.options;
      await checkIdentity(this.target, cluster, { signal, acceptVersionSkew, warn });
      await this.checkUid(cluster, signal);
      return { cluster, connection };
    } catch (error) {
      throw withPlace(error, `target ${name} (${this.by})`);
    }
  }

  private async checkUid(cluster: Cluster, signal?: AbortSignal): Promise<void> {
    const known = await this.options.knownUid?.(this.target);
    const uid = await clusterUid(cluster, { signal }).catch(
      onFailure(known === undefined ? ['forbidden'] : [], () => undefined),
    );
    if (uid === undefined) {
      this.options.onWarning?.(
        this.target.name,
        'cannot read the Namespace kube-system, and so cannot check whether this is the cluster of the previous run',
      );
      return;
    }
    if (
      known !== undefined &&
      uid !== known &&
      !this.options.acceptNewCluster?.includes(this.target.name)
    ) {
      throw new WrongClusterError(
        `must be the cluster of the previous run (kube-system UID ${known}), got another one (${uid}). Fix: bind the target to the previous cluster, ` +
          `or, if that was recreated, set --accept-new-cluster ${this.target.name}`,
      );
    }
    const other = this.uids.get(uid);
    if (other !== undefined && other !== this.target.name) {
      throw new WrongClusterError(
        `is the cluster that target ${other} is bound to; each target must be a separate cluster. Fix: bind one of them to another context`,
      );
    }
    this.uids.set(uid, this.target.name);
  }
}

// adds the target and keeps the class of the error
function withPlace(error: unknown, place: string): unknown {
  if (error instanceof ApiError) {
    return error.at(place);
  }
  if (error instanceof WrongClusterError) {
    return new WrongClusterError(`${place}: ${error.message}`);
  }
  return new Error(`${place}: ${(error as Error).message}`);
}

/** How targets find their clusters, and what is checked. */
export interface BindOptions extends FindOptions {
  /** Selects the targets to bind; the others need no context. @default - all */
  readonly needed?: (target: AssemblyTarget) => boolean;
  /**
   * Selects the targets that are left out if they have no context.
   * @default - none: a target without a context is an error
   */
  readonly optional?: (target: AssemblyTarget) => boolean;
  /** Config file. @default - `cdk8s-harvester.yaml` in the current folder, if it exists */
  readonly config?: string;
  /** Report another minor version than declared as a warning. @default false: as an error */
  readonly acceptVersionSkew?: boolean;
  /**
   * The UID of a target's kube-system in an earlier run; another one is an error.
   * @default - unknown
   */
  readonly knownUid?: (target: AssemblyTarget) => Promise<string | undefined> | string | undefined;
  /**
   * Targets, and IDs of provisioning Clusters, that may have been recreated.
   * @default - a recreated cluster is an error
   */
  readonly acceptNewCluster?: readonly string[];
  readonly transport?: NodeTransportOptions;
  /**
   * Connects targets without a kubeconfig Secret on Rancher, for callers with their own clusters.
   * @default - by kubeconfig contexts
   */
  readonly connect?: (target: AssemblyTarget) => Promise<Connection>;
}

/** The targets of a command and the connections that they opened. */
export interface Binding {
  readonly targets: BoundTargets;
  /** Closes the idle connections of all clusters. */
  close(): void;
}

/**
 * Binds each target to its cluster, which is connected and checked on first use. Throws one error
 * that names all targets without a cluster.
 *
 * A target is bound by `--context`, or by the config file; otherwise a guest cluster by its Secret
 * on Rancher, and any other target by the context with its name.
 */
export async function bindTargets(
  targets: readonly AssemblyTarget[],
  options: BindOptions = {},
): Promise<Binding> {
  const problems = unknownTargets(targets, options);
  const bound = new Map<string, Bound>();
  const ways = new Ways(targets, options, bound);
  const taken = new Map<string, string>();
  const uids = new Map<string, string>();
  for (const target of neededTargets(targets, options)) {
    try {
      const way = ways.of(target);
      const other = taken.get(way.by);
      if (other !== undefined) {
        throw new Error(
          `is bound to ${way.by}, and so is target ${other}; each target must be a separate cluster. Fix: bind one of them to another context`,
        );
      }
      taken.set(way.by, target.name);
      bound.set(
        target.name,
        new Bound(target, way.by, async (signal) => way.connect(signal), options, uids),
      );
    } catch (error) {
      // a context that was asked for must exist
      if (options.optional?.(target) && !ways.isNamed(target)) {
        continue;
      }
      problems.push(`target ${target.name}: ${(error as Error).message}`);
    }
  }
  if (problems.length > 0) {
    throw new EngineError('not-bound', problems.join('\n'));
  }
  return { targets: bound, close: () => bound.forEach((target) => target.close()) };
}

/** The names in options that are of no target, each as a sentence. */
function unknownTargets(targets: readonly AssemblyTarget[], options: BindOptions): string[] {
  const {
    insecureSkipTlsVerify = [],
    context: contexts = new Map<string, string>(),
    acceptNewCluster = [],
  } = options;
  const names = targets.map((target) => target.name);
  // provisioning Clusters are named by object IDs, which contain a slash
  return [
    ...contexts.keys(),
    ...insecureSkipTlsVerify,
    ...acceptNewCluster.filter((name) => !name.includes('/')),
  ]
    .filter((name) => !names.includes(name))
    .map((name) => `${name}: must be a target: ${names.join(', ')}`);
}

/** The targets to bind: guest clusters are reached through their Ranchers. */
function neededTargets(
  targets: readonly AssemblyTarget[],
  { needed = () => true }: BindOptions,
): AssemblyTarget[] {
  const managers = new Set(
    targets
      .filter((target) => target.kind === 'guest' && needed(target))
      .map(({ properties }) => properties.rancher),
  );
  return targets.filter((target) => needed(target) || managers.has(target.name));
}

/** Finds how targets are reached; reads each file once. */
class Ways {
  private readonly config: BindingConfig;
  private readonly contexts: ContextFinder;

  public constructor(
    private readonly targets: readonly AssemblyTarget[],
    private readonly options: BindOptions,
    private readonly bound: ReadonlyMap<string, Bound>,
  ) {
    this.config = readConfigFile(options.config, options.cwd ?? process.cwd());
    this.contexts = new ContextFinder(options, this.config);
    for (const name of this.config.targets.keys()) {
      if (!targets.some((target) => target.name === name)) {
        options.onWarning?.(name, `is in ${this.config.file}, but no target of this program`);
      }
    }
  }

  /** Whether an option or the config file names the context or the kubeconfig of a target. */
  public isNamed({ name }: AssemblyTarget): boolean {
    return this.contexts.isNamed(name);
  }

  public of(target: AssemblyTarget): BindingWay {
    const named = this.contexts.named(target.name);
    const managed =
      named === undefined && this.config.targets.get(target.name)?.kubeconfig === undefined
        ? this.guest(target)
        : undefined;
    if (managed) {
      return managed;
    }
    const { connect } = this.options;
    if (connect) {
      return { by: `context ${named ?? target.name}`, connect: async () => connect(target) };
    }
    return this.contexts.way(target.name);
  }

  private guest(target: AssemblyTarget): BindingWay | undefined {
    const { provisioningCluster, rancher } = target.properties;
    if (target.kind !== 'guest' || provisioningCluster === undefined || rancher === undefined) {
      return undefined;
    }
    if (!this.targets.some(({ name }) => name === rancher)) {
      throw new Error(
        `its kubeconfig is on target ${rancher}, which is not one of the targets. Fix: set --context ${target.name}=<context>`,
      );
    }
    const ref = provisioningRef(provisioningCluster);
    return {
      by: `Secret ${ref.namespace}/${kubeconfigSecretOf(ref.name)} on ${rancher}`,
      connect: async (signal) => {
        const bound = this.bound.get(rancher)!;
        const manager: BoundCluster = await bound.connected(signal);
        // Rancher refuses, not the guest cluster
        const refused = onFailure(['forbidden'], (error): never => {
          throw error.at(`${rancher} (${bound.by})`);
        });
        return connectGuest(
          ref,
          { target: bound.target, ...manager, env: this.contexts.env },
          { signal },
        ).catch(refused);
      },
    };
  }
}

function provisioningRef(text: string): ProvisioningRef {
  const [namespace, name, ...rest] = text.split('/');
  if (!namespace || !name || rest.length > 0) {
    throw new Error(`provisioningCluster: must be <namespace>/<name>, got ${JSON.stringify(text)}`);
  }
  return { namespace, name };
}

/** A cluster that no program declares yet. */
export interface OpenCluster {
  readonly name: string;
  /** How it is reached, e.g. `context prod`. */
  readonly by: string;
  readonly cluster: Cluster;
  readonly connection: Connection;
}

/** How clusters are found that no program declares yet. */
export type OpenOptions = Pick<
  BindOptions,
  | 'context'
  | 'kubeconfig'
  | 'config'
  | 'insecureSkipTlsVerify'
  | 'noExec'
  | 'onWarning'
  | 'transport'
  | 'env'
  | 'cwd'
>;

/**
 * Connects to the clusters that options or a config file name, which is read only if an option
 * names it. What they are is not checked.
 *
 * @throws one error that names all contexts that cannot be used
 */
export async function openContexts(options: OpenOptions): Promise<readonly OpenCluster[]> {
  const config =
    options.config === undefined
      ? undefined
      : readConfigFile(options.config, options.cwd ?? process.cwd());
  const finder = new ContextFinder(options, config);
  const problems: string[] = [];
  const opened: OpenCluster[] = [];
  for (const name of new Set([
    ...(options.context?.keys() ?? []),
    ...(config?.targets.keys() ?? []),
  ])) {
    try {
      opened.push(await open(name, finder.way(name), options));
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`);
    }
  }
  if (problems.length === 0) {
    return opened;
  }
  opened.forEach(({ cluster }) => cluster.close());
  throw new Error(problems.join('\n'));
}

/**
 * Connects to a guest cluster by the Secret with its kubeconfig on Rancher, which is kept in
 * memory.
 */
export async function openGuest(
  name: string,
  { namespace, name: cluster }: ProvisioningRef,
  { name: rancher, ...manager }: OpenCluster,
  serverUrl: string | undefined,
  options: OpenOptions,
  signal?: AbortSignal,
): Promise<OpenCluster> {
  const properties: ManagingRancher['target']['properties'] =
    serverUrl === undefined ? {} : { serverUrl };
  const managing: ManagingRancher = {
    ...manager,
    target: { name: rancher, properties },
    env: options.env ?? process.env,
  };
  const by = `Secret ${namespace}/${kubeconfigSecretOf(cluster)} on ${rancher}`;
  return open(
    name,
    { by, connect: async () => connectGuest({ namespace, name: cluster }, managing, { signal }) },
    options,
  );
}

async function open(
  name: string,
  { by, connect }: BindingWay,
  { onWarning, transport }: OpenOptions,
): Promise<OpenCluster> {
  try {
    const connection = await connect();
    const cluster = new ApiCluster(
      new NodeTransport(connection, {
        onNotice: (message) => onWarning?.(name, message),
        ...transport,
      }),
    );
    return { name, by, cluster, connection };
  } catch (error) {
    throw error instanceof ApiError ? error.at(by) : error;
  }
}

/** How contexts are found. */
interface FindOptions {
  /**
   * Kubeconfig contexts by target (`--context <target>=<context>`).
   * @default - from the config file, or the context with the target's name
   */
  readonly context?: ReadonlyMap<string, string>;
  /**
   * Kubeconfig file of targets without one in the config file.
   * @default - KUBECONFIG, or ~/.kube/config
   */
  readonly kubeconfig?: string;
  /**
   * Targets whose certificates are not verified, if their kubeconfig allows that.
   * @default - all certificates are verified
   */
  readonly insecureSkipTlsVerify?: readonly string[];
  /** Do not run exec plugins of a kubeconfig. @default false */
  readonly noExec?: boolean;
  readonly onWarning?: (target: string, message: string) => void;
  /** Environment variables. @default process.env */
  readonly env?: ProcessEnvironment;
  /** @default process.cwd() */
  readonly cwd?: string;
}

/** How a target is reached. */
export interface BindingWay {
  readonly by: string;
  connect(signal?: AbortSignal): Promise<Connection>;
}

/** Finds the contexts of targets by their names; reads each file once. */
class ContextFinder {
  public readonly env: ProcessEnvironment;
  public readonly cwd: string;
  private readonly kubeconfigs = new Map<string, Kubeconfig>();

  /** @param config the content of the config file. @default - no file is read */
  public constructor(
    private readonly options: FindOptions,
    private readonly config: Pick<BindingConfig, 'targets'> = { targets: new Map() },
  ) {
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
  public way(target: string): BindingWay {
    const named = this.named(target);
    const file = this.config.targets.get(target)?.kubeconfig;
    const context = this.find(
      this.kubeconfig(file ?? this.options.kubeconfig),
      named ?? target,
      named !== undefined,
      target,
    );
    const insecure = this.options.insecureSkipTlsVerify?.includes(target) ?? false;
    if (insecure) {
      this.options.onWarning?.(
        target,
        context.cluster['insecure-skip-tls-verify'] === true
          ? 'its certificate is not verified: an attacker on the network could read and change everything'
          : '--insecure-skip-tls-verify has no effect: its kubeconfig does not set insecure-skip-tls-verify',
      );
    }
    const settings = {
      insecureSkipTlsVerify: insecure,
      noExec: this.options.noExec,
      env: this.env,
    };
    return {
      // contexts of two files may have the same name
      by: `context ${context.name}${file === undefined ? '' : ` of ${file}`}`,
      connect: async () => connectContext(context, settings),
    };
  }

  private find(
    { contexts, from, isMissing }: Kubeconfig,
    name: string,
    asked: boolean,
    target: string,
  ): KubeconfigContext {
    const context = contexts.get(name);
    if (context instanceof Error) {
      throw context;
    }
    if (context) {
      return context;
    }
    if (isMissing) {
      throw new Error(
        `${asked ? `cannot find context ${name}` : 'has no context'}: no kubeconfig at ${from}. ` +
          'Fix: set --kubeconfig <file> or KUBECONFIG, or name a kubeconfig in the config file',
      );
    }
    const what = asked
      ? `context ${name} is not in ${from}`
      : `is not bound to a context: ${from} has none with the name ${name}`;
    const there = contexts.size === 0 ? 'none' : [...contexts.keys()].join(', ');
    throw new Error(
      `${what}; its contexts: ${there}. Fix: set --context ${target}=<context>, or name the context in the config file`,
    );
  }

  private kubeconfig(file: string | undefined): Kubeconfig {
    return remembered(this.kubeconfigs, file ?? '', () =>
      readKubeconfigFiles(file, this.env, this.cwd),
    );
  }
}
