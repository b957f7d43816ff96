import { PlanTarget } from './plan';
import { API_VERSIONS } from '../../core/manifest/names';
import { remembered } from '../../core/text/values';
import {
  BoundTarget,
  BoundTargets,
  Cluster,
  clusterUid,
  ListedObjects,
  LiveObject,
  ObjectRef,
} from '../cluster/cluster';
import { isFailure, onFailure } from '../transport/api';

/** A target and its cluster, or why it has none. */
export interface OpenTarget {
  readonly bound: BoundTarget;
  readonly cluster?: Cluster;
  readonly plan: PlanTarget;
}

/** The clusters of a plan. Each object is read once. */
export class OpenTargets {
  private readonly opened = new Map<string, Promise<OpenTarget>>();
  private readonly objects = new Map<string, Promise<LiveObject | undefined>>();
  private readonly listed = new Map<string, ListedObjects>();

  public constructor(
    private readonly targets: BoundTargets,
    private readonly signal?: AbortSignal,
  ) {}

  public async open(name: string): Promise<OpenTarget> {
    return remembered(this.opened, name, async () => this.connect(name));
  }

  /** Reads the objects of a target by lists from now on, where that takes fewer requests. */
  public readBy(target: string, listed: ListedObjects): void {
    this.listed.set(target, listed);
  }

  /** Reads objects again from now on: time has passed. */
  public forgetObjects(): void {
    this.objects.clear();
  }

  /** The live object; undefined if it or its cluster does not exist. */
  public async read(target: string, ref: ObjectRef): Promise<LiveObject | undefined> {
    const { cluster } = await this.open(target);
    if (!cluster) {
      return undefined;
    }
    const key = JSON.stringify([target, ref.apiVersion, ref.kind, ref.namespace ?? '', ref.name]);
    return remembered(this.objects, key, async () =>
      (this.listed.get(target) ?? cluster).read(ref, { signal: this.signal }),
    );
  }

  private async connect(name: string): Promise<OpenTarget> {
    const bound = this.targets.get(name);
    if (!bound) {
      throw new Error(
        `target ${name}: must be bound to a cluster. Fix: set --context ${name}=<context>`,
      );
    }
    const about = { name, by: bound.by, version: bound.target.version };
    const absent = await this.absence(bound);
    if (absent) {
      return { bound, plan: { ...about, absent } };
    }
    try {
      const cluster = await bound.cluster(this.signal);
      // an identity that cannot read kube-system can still plan
      const uid = await clusterUid(cluster, { signal: this.signal }).catch(
        onFailure(['forbidden', 'not-found'], () => undefined),
      );
      return { bound, cluster, plan: { ...about, ...(uid ? { clusterUid: uid } : {}) } };
    } catch (error) {
      // Rancher has not written the credentials of this guest cluster yet
      if (bound.target.kind !== 'guest' || !isFailure(error, 'not-found', 'blocked')) {
        throw error;
      }
      return {
        bound,
        plan: { ...about, absent: `the cluster cannot be reached yet: ${error.message}` },
      };
    }
  }

  // a guest cluster that Rancher has not created yet has no kubeconfig to ask for
  private async absence({ target }: BoundTarget): Promise<string | undefined> {
    const { kind, properties } = target;
    const [namespace, name] = properties.provisioningCluster?.split('/') ?? [];
    if (kind !== 'guest' || !name || !properties.rancher || !this.targets.has(properties.rancher)) {
      return undefined;
    }
    const absent = `the cluster does not exist yet: ${properties.rancher} has no Cluster ${namespace}/${name}`;
    // a guest with its own context can still be reached; for the others, connecting fails and
    // reports where
    return this.read(properties.rancher, {
      apiVersion: API_VERSIONS.PROVISIONING,
      kind: 'Cluster',
      namespace,
      name,
    }).then(
      (live) => (live ? undefined : absent),
      onFailure(['forbidden'], () => undefined),
    );
  }
}
