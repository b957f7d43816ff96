import type { BindOptions } from './bind-targets';
import { checkIdentity, WrongClusterError } from './identity';
import { BoundTarget } from './targets';
import { AssemblyTarget } from '../../model/assembly';
import { ApiCluster } from '../cluster/api-cluster';
import { Cluster } from '../cluster/cluster';
import { clusterUid } from '../cluster/cluster-uid';
import { ApiError } from '../transport/api';
import { Connection } from '../transport/connection';
import { NodeTransport } from '../transport/node-transport';

/** A cluster and how it is reached. */
export interface BoundCluster {
  readonly cluster: Cluster;
  readonly connection: Connection;
}

/** A target that is connected to when it is first asked for, and again where that failed. */
export class Bound implements BoundTarget {
  private connecting?: Promise<BoundCluster>;
  private readonly opened: Cluster[] = [];

  /**
   * @param uids of the clusters that other targets of the same command are, by uid
   */
  public constructor(
    public readonly target: AssemblyTarget,
    public readonly by: string,
    private readonly connect: (signal?: AbortSignal) => Promise<Connection>,
    private readonly options: BindOptions,
    private readonly uids: Map<string, string>,
  ) {}

  public async cluster(signal?: AbortSignal): Promise<Cluster> {
    return (await this.connected(signal)).cluster;
  }

  public async connected(signal?: AbortSignal): Promise<BoundCluster> {
    const connecting = this.connecting ??= this.open(signal);
    try {
      return await connecting;
    } catch (error) {
      if (this.connecting === connecting) { this.connecting = undefined; }
      // who ended it was somebody else: we still want it
      if (error instanceof ApiError && error.failure === 'aborted' && !signal?.aborted) { return this.connected(signal); }
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
      const cluster = new ApiCluster(new NodeTransport(connection, { onNotice: warn, ...this.options.transport }));
      this.opened.push(cluster);
      const { allowVersionSkew } = this.options;
      await checkIdentity(this.target, cluster, { signal, allowVersionSkew, warn });
      await this.checkUid(cluster, signal);
      return { cluster, connection };
    } catch (error) {
      throw withPlace(error, `target ${name} (${this.by})`);
    }
  }

  private async checkUid(cluster: Cluster, signal?: AbortSignal): Promise<void> {
    const known = await this.options.knownUid?.(this.target);
    let uid: string;
    try {
      uid = await clusterUid(cluster, { signal });
    } catch (error) {
      if (known !== undefined || !(error instanceof ApiError && error.failure === 'forbidden')) { throw error; }
      this.options.onWarning?.(this.target.name, 'the Namespace kube-system may not be read, so nobody can tell whether this is the cluster of the runs before');
      return;
    }
    if (known !== undefined && uid !== known && !this.options.acceptNewCluster?.includes(this.target.name)) {
      throw new WrongClusterError(`is another cluster than before (uid of kube-system ${uid}, was ${known}); bind the target to the cluster of before, `
        + `or, where that was made anew, give --accept-new-cluster ${this.target.name}`);
    }
    const other = this.uids.get(uid);
    if (other !== undefined && other !== this.target.name) {
      throw new WrongClusterError(`is the very cluster that target ${other} is bound to; each target is a cluster of its own, bind one of them to another context`);
    }
    this.uids.set(uid, this.target.name);
  }
}

// says which target it was, and stays what it is
function withPlace(error: unknown, place: string): unknown {
  if (error instanceof ApiError) { return error.at(place); }
  if (error instanceof WrongClusterError) { return new WrongClusterError(`${place}: ${error.message}`); }
  return new Error(`${place}: ${(error as Error).message}`);
}
