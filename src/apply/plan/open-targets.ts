import { PlanTarget } from './plan';
import { API_VERSIONS } from '../../model/names';
import { BoundTarget, BoundTargets } from '../bind/targets';
import { Cluster, LiveObject, ObjectRef } from '../cluster/cluster';
import { clusterUid } from '../cluster/cluster-uid';
import { ListedObjects } from '../cluster/listed-objects';
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
  private readonly listed = new Map<string, ListedObjects>();

  public constructor(private readonly targets: BoundTargets, private readonly signal?: AbortSignal) {}

  public async open(name: string): Promise<OpenTarget> {
    let opening = this.opened.get(name);
    if (!opening) {
      opening = this.connect(name);
      this.opened.set(name, opening);
    }
    return opening;
  }

  /** From now on the objects of a target are read by lists where that is better. */
  public readBy(target: string, listed: ListedObjects): void {
    this.listed.set(target, listed);
  }

  /** Undefined where it is not there, or its cluster is not. */
  public async read(target: string, ref: ObjectRef): Promise<LiveObject | undefined> {
    const { cluster } = await this.open(target);
    if (!cluster) { return undefined; }
    const key = JSON.stringify([target, ref.apiVersion, ref.kind, ref.namespace ?? '', ref.name]);
    let reading = this.objects.get(key);
    if (!reading) {
      reading = (this.listed.get(target) ?? cluster).read(ref, { signal: this.signal });
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
    try {
      const live = await this.read(properties.rancher, { apiVersion: API_VERSIONS.PROVISIONING, kind: 'Cluster', namespace, name });
      return live ? undefined : `the cluster is yet to be made: Cluster ${namespace}/${name} is not on ${properties.rancher}`;
    } catch (error) {
      // one with a context of its own is reached all the same; the others are refused by their connection, which says where
      if (error instanceof ApiError && error.failure === 'forbidden') { return undefined; }
      throw error;
    }
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
