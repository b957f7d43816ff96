import { BindOptions } from './bind-targets';
import { readConfigFile } from './config-file';
import { ContextFinder, Way } from './find-context';
import { ManagingRancher, ProvisioningRef, connectGuest } from './guest';
import { kubeconfigSecretOf } from '../../guest/cluster/cluster.kind';
import { ApiCluster } from '../cluster/api-cluster';
import { Cluster } from '../cluster/cluster';
import { ApiError, Connection } from '../transport/api';
import { NodeTransport } from '../transport/node-transport';

/** A cluster that no program declares yet. */
export interface OpenCluster {
  readonly name: string;
  /** How it is reached, e.g. `context prod`. */
  readonly by: string;
  readonly cluster: Cluster;
  readonly connection: Connection;
}

/** How clusters are found that no program declares yet. */
export type OpenOptions = Pick<BindOptions, 'context' | 'kubeconfig' | 'config' | 'insecureSkipTlsVerify' | 'noExec' | 'onWarning' | 'transport' | 'env' | 'cwd'>;

/**
 * Connects to the clusters that options or a config file name, which is read only if an option names it. What they are is not checked.
 *
 * @throws one error that names all contexts that cannot be used
 */
export async function openContexts(options: OpenOptions): Promise<readonly OpenCluster[]> {
  const config = options.config === undefined ? undefined : readConfigFile(options.config, options.cwd ?? process.cwd());
  const finder = new ContextFinder(options, config);
  const problems: string[] = [];
  const opened: OpenCluster[] = [];
  for (const name of new Set([...options.context?.keys() ?? [], ...config?.targets.keys() ?? []])) {
    try {
      opened.push(await open(name, finder.way(name), options));
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`);
    }
  }
  if (problems.length === 0) { return opened; }
  opened.forEach(({ cluster }) => cluster.close());
  throw new Error(problems.join('\n'));
}

/** Connects to a guest cluster by the Secret with its kubeconfig on Rancher, which is kept in memory. */
export async function openGuest(
  name: string, { namespace, name: cluster }: ProvisioningRef, { name: rancher, ...manager }: OpenCluster, serverUrl: string | undefined,
  options: OpenOptions, signal?: AbortSignal,
): Promise<OpenCluster> {
  const properties: ManagingRancher['target']['properties'] = serverUrl === undefined ? {} : { serverUrl };
  const managing: ManagingRancher = { ...manager, target: { name: rancher, properties }, env: options.env ?? process.env };
  const by = `Secret ${namespace}/${kubeconfigSecretOf(cluster)} on ${rancher}`;
  return open(name, { by, connect: async () => connectGuest({ namespace, name: cluster }, managing, { signal }) }, options);
}

async function open(name: string, { by, connect }: Way, { onWarning, transport }: OpenOptions): Promise<OpenCluster> {
  try {
    const connection = await connect();
    const cluster = new ApiCluster(new NodeTransport(connection, { onNotice: (message) => onWarning?.(name, message), ...transport }));
    return { name, by, cluster, connection };
  } catch (error) {
    throw error instanceof ApiError ? error.at(by) : error;
  }
}
