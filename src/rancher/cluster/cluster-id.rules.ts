import { checkManagementClusterId } from './provisioning-cluster.check';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME, PROVISIONING_CLUSTER_DESCRIPTION } from './provisioning-cluster.kind';
import { immutableRule } from '../../core/immutable/immutable-fields.rules';
import { isLate } from '../../core/late/late-token';
import { Manifest, groupOf, objectLabel, valueAt } from '../../core/manifest/manifest';
import { annotationsOf } from '../../core/manifest/metadata';
import { ANNOTATION_OWNER_NAME, ANNOTATION_OWNER_NAMESPACE, GROUPS } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { GateId } from '../../core/version/gate-id';
import { rancherLacks } from '../version/rancher-gates';

const KINDS = ['provisioning.cattle.io/Cluster'];
const PATH = `metadata.annotations[${ANNOTATION_MANAGEMENT_CLUSTER_NAME}]`;
const CONTROLLER = 'rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go; seen on Rancher 2.13.8';

/** The management cluster ID of a Cluster: `status.clusterName` once it is live, before that the annotation. */
export function managementClusterIdOf(manifest: Manifest): string | undefined {
  const live = valueAt(manifest, 'status', 'clusterName');
  const id = typeof live === 'string' && live !== '' ? live : annotatedIdOf(manifest);
  return id === '' ? undefined : id;
}

function annotatedIdOf(manifest: Manifest): string | undefined {
  const id = annotationsOf(manifest)[ANNOTATION_MANAGEMENT_CLUSTER_NAME];
  return typeof id === 'string' ? id : undefined;
}

const FORM: Rule = {
  id: 'cluster/id-form',
  level: 'error',
  kinds: KINDS,
  what: 'a fixed management cluster ID is an RFC 1123 label of at most 63 characters and not of the legacy form c-xxxxx',
  source: CONTROLLER,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const id = annotatedIdOf(manifest);
    if (id === '') {
      yield { path: PATH, level: 'warning', message: 'cannot be empty: Rancher would choose a random ID', fix: 'set an ID, or remove the annotation' };
    } else if (id !== undefined) {
      // no value: the text of an annotation may be anything
      for (const { value, ...problem } of checkManagementClusterId(PATH, id, manifest.metadata.name)) { yield problem; }
    }
  },
};

const VERSION: Rule = {
  id: 'cluster/id-ignored',
  level: 'error',
  kinds: KINDS,
  what: 'a fixed management cluster ID needs Rancher 2.8; earlier versions silently choose a random ID',
  source: CONTROLLER,
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    const id = annotatedIdOf(manifest);
    const lacks = id ? rancherLacks(target, GateId.MANAGEMENT_CLUSTER_NAME) : undefined;
    if (lacks) { yield { path: PATH, message: `has no effect: ${lacks}`, fix: 'upgrade Rancher, or read the ID from status.clusterName as a late value' }; }
  },
};

const TAKEN: Rule = {
  id: 'cluster/id-taken',
  level: 'error',
  kinds: KINDS,
  what: 'each provisioning Cluster has its own management cluster; two with one ID share it, and deleting either removes projects, members and '
    + 'tokens of both',
  source: CONTROLLER,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = object;
    const id = managementClusterIdOf(manifest);
    if (id === undefined || isLate(id)) { return; }
    const fix = 'use another ID for each Cluster';
    const { namespace, name } = manifest.metadata;
    // the server creates two objects from two manifests without a name
    const others = clustersWithId(object, world, id)
      .filter((other) => other !== manifest && (name === '' || other.metadata.namespace !== namespace || other.metadata.name !== name));
    if (others.length > 0) {
      const message = `is also the management cluster ID of ${others.map(objectLabel).join(', ')}: they would share one management cluster, and deleting either deletes it`;
      yield { path: PATH, message, fix: `${fix}; to rename only the construct, set its prop name to the previous name` };
      return;
    }
    if (isItsOwn(object, world, id)) { return; }
    const existing = world.find(object, GROUPS.MANAGEMENT, 'Cluster', undefined, id)?.manifest;
    if (!existing) { return; }
    const owner = ownerOf(existing);
    if (owner) {
      if (owner.name === name && (owner.namespace === undefined || owner.namespace === namespace)) { return; }
      yield { path: PATH, message: `is the ID of an existing management cluster of ${owner.name}, which Rancher would adopt`, fix };
    } else if (isForAnother(existing, name, namespace)) {
      yield {
        path: PATH,
        level: 'warning',
        message: 'is the ID of an existing management cluster with another display name, which Rancher would adopt',
        fix: `compare it with status.clusterName of the live Cluster; ${fix}`,
      };
    }
  },
};

const RENAMED: Rule = {
  id: 'cluster/id-of-renamed',
  level: 'error',
  kinds: KINDS,
  what: 'a Cluster with a fixed management cluster ID keeps its name; under another name it shares the management cluster with the previous one, and '
    + 'deleting that deletes projects, members and tokens',
  source: CONTROLLER,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = object;
    const id = managementClusterIdOf(manifest);
    if (id === undefined || isLate(id)) { return; }
    const removed = goneWithId(object, world, id);
    if (removed) {
      const { name, namespace } = removed.metadata;
      yield {
        path: PATH,
        message: `is the management cluster ID of ${objectLabel(removed)}, which is removed: both share one management cluster, so removing it deletes `
          + 'the projects, members and tokens of this Cluster too',
        fix: keepName(name, namespace === manifest.metadata.namespace ? undefined : namespace),
      };
    }
  },
};

/** The fix where a renamed or moved Cluster would share a management cluster with its previous one. */
export function keepName(name: string, namespace?: string): string {
  return `to rename only the construct, set its prop name to ${JSON.stringify(name)}${namespace === undefined ? '' : ` and its prop fleetWorkspace to ${JSON.stringify(namespace)}`}; `
    + 'for another cluster, use another managementClusterId';
}

type ById = ReadonlyMap<string, readonly Manifest[]>;

// one index per world: the time for many clusters is linear
const BY_ID = new WeakMap<World, ById>();
const GONE_BY_ID = new WeakMap<World, ById>();

function clustersWithId(object: JudgedObject, world: World, id: string): readonly Manifest[] {
  return withId(BY_ID, object, world, id, () => world.ofKind(GROUPS.PROVISIONING, 'Cluster'));
}

function goneWithId(object: JudgedObject, world: World, id: string): Manifest | undefined {
  const clusters = (): readonly JudgedObject[] => (
    world.gone().filter(({ manifest: { apiVersion, kind } }) => kind === 'Cluster' && groupOf(apiVersion) === GROUPS.PROVISIONING));
  return withId(GONE_BY_ID, object, world, id, clusters)[0];
}

function withId(
  indexes: WeakMap<World, ById>, object: JudgedObject, world: World, id: string, clusters: () => readonly JudgedObject[],
): readonly Manifest[] {
  let index = indexes.get(world);
  if (!index) {
    const found = new Map<string, Manifest[]>();
    for (const { manifest, target } of clusters()) {
      const key = `${target.name} ${managementClusterIdOf(manifest) ?? ''}`;
      found.set(key, [...(found.get(key) ?? []), manifest]);
    }
    index = found;
    indexes.set(world, index);
  }
  return index.get(`${object.target.name} ${id}`) ?? [];
}

/** Whether the management Cluster of an ID is that of this Cluster: it has the ID already, or was created from it, as legacy imports are. */
function isItsOwn(object: JudgedObject, world: World, id: string): boolean {
  const { manifest } = object;
  const before = world.beforeOf(object);
  return valueAt(manifest, 'status', 'clusterName') === id || manifest.metadata.name === id || (before !== undefined && managementClusterIdOf(before) === id);
}

/** The provisioning Cluster that a management Cluster was created from; undefined without its annotations. */
function ownerOf(existing: Manifest): { readonly name: string; readonly namespace?: string } | undefined {
  const { [ANNOTATION_OWNER_NAME]: name, [ANNOTATION_OWNER_NAMESPACE]: namespace } = annotationsOf(existing);
  if (typeof name !== 'string' || name === '') { return undefined; }
  return { name, ...(typeof namespace === 'string' && namespace !== '' ? { namespace } : {}) };
}

// users change display names, so a difference is only a hint
function isForAnother(existing: Manifest, name: string, namespace: string | undefined): boolean {
  const [displayName, workspace] = ['displayName', 'fleetWorkspaceName'].map((field) => valueAt(existing, 'spec', field));
  if (typeof displayName !== 'string' || displayName === '') { return false; }
  return displayName !== name || (typeof workspace === 'string' && workspace !== '' && workspace !== namespace);
}

const CHANGED: Rule = {
  ...immutableRule('cluster/id-changed', PROVISIONING_CLUSTER_DESCRIPTION),
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const now = annotatedIdOf(manifest);
    const old = managementClusterIdOf(before);
    // removing the annotation has no effect; late IDs are compared when they are known
    if (!now || now === old || isLate(now) || isLate(old)) { return; }
    // Rancher ignored it before, and the cluster works
    if (now === annotatedIdOf(before)) {
      yield { path: PATH, level: 'warning', message: `must be ${old}: Rancher reads the annotation only at creation`, fix: `set it to ${old}` };
      return;
    }
    if (old === undefined) {
      yield {
        path: PATH,
        level: 'warning',
        message: 'cannot be added to an existing Cluster: Rancher ignores it unless it is the ID of the cluster',
        fix: 'compare it with status.clusterName of the live object',
      };
      return;
    }
    yield {
      path: PATH,
      message: `must remain ${old}: Rancher reads the annotation only at creation`,
      fix: `set it to ${old}, or recreate the Cluster, which deletes projects, members and tokens`,
    };
  },
};

/** Rules for the management cluster ID. */
export const CLUSTER_ID_RULES: readonly Rule[] = [FORM, VERSION, TAKEN, RENAMED, CHANGED];
