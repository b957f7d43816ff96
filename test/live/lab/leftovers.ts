import { setTimeout as sleep } from 'node:timers/promises';
import { pointerOf } from '../../../src/core/manifest/manifest';
import { Cluster, JsonPatchOperation, LiveObject } from '../../../src/engine/cluster/cluster';
import { ApiError } from '../../../src/engine/transport/api';

/**
 * How long objects may take to go, whose controllers have finalizers on them. A busy server needs
 * ten seconds for each namespace.
 */
const GONE_MS = 480_000;
/** How long what Rancher holds may be held. */
const HELD_MS = 45_000;
const LOOK_MS = 3_000;

/** Kinds that expire by themselves, or that a server computes when it is asked. */
const PASSING = new Set(['Event', 'ComponentStatus', 'APIService', 'Lease', 'PodMetrics']);

/**
 * The label of a Project that Rancher's webhook refuses to delete, also while its namespace is
 * deleted. Rancher deletes it with its cluster, but not one that it made at the same time.
 *
 * @see rancher/rancher:pkg/controllers/management/auth/project_cluster/cluster_handler.go deleteSystemProject
 */
const SYSTEM_PROJECT = 'authz.management.cattle.io/system-project';
const UNMARKED: readonly JsonPatchOperation[] = [
  { op: 'remove', path: pointerOf(['metadata', 'labels', SYSTEM_PROJECT]) },
];

/**
 * What Rancher cannot finish deleting while one of its clusters never connected, or after the
 * cluster of a member is gone. A run never grants anything on a cluster of others, so its objects
 * may go without.
 *
 * @see rancher/rancher:pkg/controllers/management/auth/globalroles/globalrolebinding_handler.go
 */
const HELD_KINDS = [
  'GlobalRoleBinding',
  'RoleTemplate',
  'ClusterRoleTemplateBinding',
  'ProjectRoleTemplateBinding',
];
const FINALIZERS_GONE: readonly JsonPatchOperation[] = [
  { op: 'remove', path: pointerOf(['metadata', 'finalizers']) },
];

/** A kind that a server lists and deletes. */
interface Served {
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: string;
}

/** What a run left on a server: every object of any kind that mentions its prefix, also those of controllers. */
export class Leftovers {
  public constructor(
    private readonly cluster: Cluster,
    private readonly prefix: string,
  ) {}

  /** All objects that mention the prefix. */
  public async find(): Promise<LiveObject[]> {
    const found: LiveObject[] = [];
    for (const served of await this.kinds()) {
      const { apiVersion, kind } = served;
      for (const item of await this.items(served)) {
        if (JSON.stringify(withoutManagers(item)).includes(this.prefix)) {
          found.push({ ...item, apiVersion, kind });
        }
      }
    }
    return found;
  }

  /**
   * Deletes what has the prefix in its name or namespace, and waits until nothing mentions it.
   *
   * @returns what still does
   */
  public async remove(): Promise<string[]> {
    const deadline = Date.now() + GONE_MS;
    for (;;) {
      const left = await this.find();
      if (left.length === 0 || Date.now() > deadline) {
        return left.map(labelOf).sort();
      }
      for (const object of left.filter((each) => this.isOwn(each))) {
        await this.try(object);
      }
      await sleep(LOOK_MS);
    }
  }

  private isOwn({ userName, metadata: { name, namespace = '' } }: LiveObject): boolean {
    return [name, namespace, userName].some(
      (text) => typeof text === 'string' && text.includes(this.prefix),
    );
  }

  private async try(object: LiveObject): Promise<void> {
    try {
      if (object.metadata.deletionTimestamp === undefined) {
        await this.delete(object);
      } else if (isHeld(object)) {
        await this.patch(object, FINALIZERS_GONE);
      }
    } catch (error) {
      // what others need is deleted later, and what a webhook refuses is reported in the end
      if (!(error instanceof ApiError)) {
        throw error;
      }
    }
  }

  private async delete(object: LiveObject): Promise<void> {
    const { apiVersion, kind, metadata } = object;
    const { name, namespace, uid, labels } = metadata;
    if (labels?.[SYSTEM_PROJECT] !== undefined) {
      await this.patch(object, UNMARKED);
    }
    await this.cluster.delete({ apiVersion, kind, name, namespace }, uid);
  }

  private async patch(
    { apiVersion, kind, metadata: { name, namespace } }: LiveObject,
    operations: readonly JsonPatchOperation[],
  ): Promise<void> {
    const by = { fieldManager: 'live-scenarios' };
    await this.cluster.patch({ apiVersion, kind, name, namespace }, operations, by);
  }

  private async items({ path }: Served): Promise<LiveObject[]> {
    const items: LiveObject[] = [];
    let next = '';
    do {
      const list = await this.cluster
        .get(`${path}?limit=500${next && `&continue=${encodeURIComponent(next)}`}`)
        .catch(emptyIfUnavailable);
      items.push(...(list.items ?? []));
      next = list.metadata?.continue ?? '';
    } while (next !== '');
    return items;
  }

  private async kinds(): Promise<Served[]> {
    const { groups } = await this.cluster.get('/apis');
    const versions: string[] = groups.map(
      (group: { preferredVersion: { groupVersion: string } }) =>
        group.preferredVersion.groupVersion,
    );
    const lists = await Promise.all(
      ['v1', ...versions].map(async (apiVersion) => {
        const at = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
        const { resources = [] } = await this.cluster.get(at).catch(emptyIfUnavailable);
        return (resources as { name: string; kind: string; verbs: string[] }[])
          .filter(({ name, verbs }) => !name.includes('/') && verbs.includes('list'))
          .filter(({ kind, verbs }) => verbs.includes('delete') && !PASSING.has(kind))
          .map(({ name, kind }) => ({ apiVersion, kind, path: `${at}/${name}` }));
      }),
    );
    return lists.flat();
  }
}

function isHeld({ kind, metadata: { deletionTimestamp, finalizers = [] } }: LiveObject): boolean {
  const sinceMs = Date.now() - Date.parse(String(deletionTimestamp));
  return HELD_KINDS.includes(kind) && finalizers.length > 0 && sinceMs > HELD_MS;
}

/** An aggregated API whose server is down, or that cannot be listed, has no object of a run. */
function emptyIfUnavailable(error: unknown): {
  items?: LiveObject[];
  resources?: object[];
  metadata?: { continue?: string };
} {
  if (error instanceof ApiError && error.failure !== 'auth') {
    return {};
  }
  throw error;
}

function withoutManagers({ metadata: { managedFields: _, ...metadata }, ...rest }: LiveObject) {
  return { ...rest, metadata };
}

function labelOf({ kind, metadata: { name, namespace } }: LiveObject): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
