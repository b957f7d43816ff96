import { BindOptions } from './bind-targets';
import { BindingConfig, readConfigFile } from './config-file';
import { connectContext } from './kubeconfig';
import { readKubeconfig } from './kubeconfig-files';
import { ApiCluster } from '../cluster/api-cluster';
import { Cluster } from '../cluster/cluster';
import { ApiError } from '../transport/api';
import { NodeTransport } from '../transport/node-transport';

/** A cluster that no program declares yet. */
export interface OpenCluster {
  readonly name: string;
  /** The kubeconfig context. */
  readonly context: string;
  readonly cluster: Cluster;
}

/** How clusters are found that no program declares yet. */
export type OpenOptions = Pick<BindOptions, 'context' | 'kubeconfig' | 'config' | 'insecureSkipTlsVerify' | 'noExec' | 'onWarning' | 'transport' | 'env' | 'cwd'>;

/**
 * Connects to the clusters that options or a config file name. What they are is not checked.
 *
 * @throws one error that names all contexts that cannot be used
 */
export async function openContexts(options: OpenOptions): Promise<readonly OpenCluster[]> {
  const { env = process.env, cwd = process.cwd(), noExec, insecureSkipTlsVerify = [] } = options;
  const targets = options.config === undefined ? new Map() as BindingConfig['targets'] : readConfigFile(options.config, cwd).targets;
  const names = [...new Set([...options.context?.keys() ?? [], ...targets.keys()])];
  const problems: string[] = [];
  const opened: OpenCluster[] = [];
  for (const name of names) {
    const configured = targets.get(name);
    const context = options.context?.get(name) ?? configured?.context ?? name;
    try {
      const found = readKubeconfig(configured?.kubeconfig ?? options.kubeconfig, env, cwd);
      const known = found.contexts.get(context);
      if (known === undefined) { throw new Error(`${found.from} has no context ${context}. Fix: set one of: ${[...found.contexts.keys()].join(', ') || 'none is there'}`); }
      if (known instanceof Error) { throw known; }
      const connection = await connectContext(known, { env, noExec, insecureSkipTlsVerify: insecureSkipTlsVerify.includes(name) });
      const transport = new NodeTransport(connection, { onNotice: (message) => options.onWarning?.(name, message), ...options.transport });
      opened.push({ name, context, cluster: new ApiCluster(transport) });
    } catch (error) {
      problems.push(`${name}: ${error instanceof ApiError ? error.at(`context ${context}`).message : (error as Error).message}`);
    }
  }
  if (problems.length === 0) { return opened; }
  opened.forEach(({ cluster }) => cluster.close());
  throw new Error(problems.join('\n'));
}
