import { PlanTarget } from './plan';
import { API_VERSIONS } from '../../model/names';
import { BoundTarget, BoundTargets } from '../bind/targets';
import { Cluster, LiveObject, ObjectRef } from '../cluster/cluster';
import { clusterUid } from '../cluster/cluster-uid';
import { ApiError } from '../transport/api';

/** A target while a plan is made: its cluster, or why there is none. */
export interface OpenTarget {
  readonly bound: BoundTarget;
  readonly cluster?: Cluster;
  readonly plan: PlanTarget;
}

/** The clusters of a plan. Objects are read once, who ever asks. */
export class OpenTargets {
  private readonly opened = new Map<string, Promise<OpenTarget>>();
  private readonly objects = new Map<string, Promise<LiveObject | undefined>>();

  public constructor(private readonly targets: BoundTargets, private readonly signal?: AbortSignal) {}

  public async open(name: string): Promise<OpenTarget> {
    let opening = this.opened.get(name);
    if (!opening) {
      opening = this.connect(name);
      this.opened.set(name, opening);
    }
    return opening;
  }

  /** Undefined where it is not there, or its cluster is not. */
  public async read(target: string, ref: ObjectRef): Promise<LiveObject | undefined> {
    const { cluster } = await this.open(target);
    if (!cluster) { return undefined; }
    const key = JSON.stringify([target, ref.apiVersion, ref.kind, ref.namespace ?? '', ref.name]);
    let reading = this.objects.get(key);
    if (!reading) {
      reading = cluster.read(ref, { signal: this.signal });
      this.objects.set(key, reading);
    }
    return reading;
  }

  private async connect(name: string): Promise<OpenTarget> {
    const bound = this.targets.get(name);
    if (!bound) { throw new Error(`target ${name} has no cluster: bind it, e.g. by --context ${name}=<context>`); }
    const about = { name, by: bound.by, version: bound.target.version };
    const absent = await this.absence(bound);
    if (absent) { return { bound, plan: { ...about, absent } }; }
    try {
      const cluster = await bound.cluster(this.signal);
      const uid = await this.uidOf(cluster);
      return { bound, cluster, plan: { ...about, ...(uid ? { clusterUid: uid } : {}) } };
    } catch (error) {
      // a guest whose credentials Rancher has not written yet
      if (bound.target.kind !== 'guest' || !(error instanceof ApiError) || !['not-found', 'blocked'].includes(error.failure)) { throw error; }
      return { bound, plan: { ...about, absent: `the cluster can't be reached yet: ${error.message}` } };
    }
  }

  // a guest that Rancher is yet to make has no kubeconfig: nobody asks for it
  private async absence({ target: { kind, properties } }: BoundTarget): Promise<string | undefined> {
    const [namespace, name] = properties.provisioningCluster?.split('/') ?? [];
    if (kind !== 'guest' || !name || !properties.rancher || !this.targets.has(properties.rancher)) { return undefined; }
    const live = await this.read(properties.rancher, { apiVersion: API_VERSIONS.PROVISIONING, kind: 'Cluster', namespace, name });
    return live ? undefined : `the cluster is yet to be made: Cluster ${namespace}/${name} is not on ${properties.rancher}`;
  }

  // an identity that may not read kube-system can still plan
  private async uidOf(cluster: Cluster): Promise<string | undefined> {
    try {
      return await clusterUid(cluster, { signal: this.signal });
    } catch (error) {
      if (error instanceof ApiError && (error.failure === 'forbidden' || error.failure === 'not-found')) { return undefined; }
      throw error;
    }
  }
}
