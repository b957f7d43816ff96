import { checkManagementClusterId } from './provisioning-cluster.check';
import { ANNOTATION_MANAGEMENT_CLUSTER_NAME } from './provisioning-cluster.kind';
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

/** The id that a Cluster asks for, or has: once it is live, `status.clusterName` counts and the annotation no more. */
export function managementClusterIdOf(manifest: Manifest): string | undefined {
  const live = valueAt(manifest, 'status', 'clusterName');
  const id = typeof live === 'string' && live !== '' ? live : askedIdOf(manifest);
  return id === '' ? undefined : id;
}

function askedIdOf(manifest: Manifest): string | undefined {
  const id = annotationsOf(manifest)[ANNOTATION_MANAGEMENT_CLUSTER_NAME];
  return typeof id === 'string' ? id : undefined;
}

const FORM: Rule = {
  id: 'cluster/id-form',
  level: 'error',
  kinds: KINDS,
  what: 'a chosen management cluster id is an RFC 1123 label of up to 63 characters and not of the legacy form c-xxxxx',
  source: CONTROLLER,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const id = askedIdOf(manifest);
    if (id === '') {
      yield { path: PATH, level: 'warning', message: 'is empty: Rancher chooses a random id', fix: 'give an id, or leave the annotation out' };
    } else if (id !== undefined) {
      // the text of an annotation may be anything, so it is not shown
      for (const { value, ...problem } of checkManagementClusterId(PATH, id, manifest.metadata.name)) { yield problem; }
    }
  },
};

const VERSION: Rule = {
  id: 'cluster/id-ignored',
  level: 'error',
  kinds: KINDS,
  what: 'choosing the management cluster id needs Rancher 2.8; earlier ones make a random id and say nothing',
  source: CONTROLLER,
  *judge({ manifest, target }: JudgedObject): Iterable<Problem> {
    const id = askedIdOf(manifest);
    const lacks = id ? rancherLacks(target, GateId.MANAGEMENT_CLUSTER_NAME) : undefined;
    if (lacks) { yield { path: PATH, message: `is ignored: ${lacks}`, fix: 'upgrade Rancher, or take the id from status.clusterName as a late value' }; }
  },
};

const TAKEN: Rule = {
  id: 'cluster/id-taken',
  level: 'error',
  kinds: KINDS,
  what: 'every provisioning Cluster has a management cluster of its own; two with one id share it, and deleting either removes projects, members and '
    + 'tokens of both',
  source: CONTROLLER,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = object;
    const id = managementClusterIdOf(manifest);
    if (id === undefined || isLate(id)) { return; }
    const fix = 'give each Cluster an id of its own';
    const { namespace, name } = manifest.metadata;
    // of two manifests without a name the server makes two objects
    const others = clustersWithId(object, world, id)
      .filter((other) => other !== manifest && (name === '' || other.metadata.namespace !== namespace || other.metadata.name !== name));
    if (others.length > 0) {
      const message = `is also the management cluster ID of ${others.map(objectLabel).join(', ')}: they would share one management cluster, and deleting either deletes it`;
      yield { path: PATH, message, fix: `${fix}; to rename only the construct, set its prop name to the name of before` };
      return;
    }
    if (isItsOwn(object, world, id)) { return; }
    const existing = world.find(object, GROUPS.MANAGEMENT, 'Cluster', undefined, id)?.manifest;
    if (!existing) { return; }
    const owner = ownerOf(existing);
    if (owner) {
      if (owner.name === name && (owner.namespace === undefined || owner.namespace === namespace)) { return; }
      yield { path: PATH, message: `is the id of a management cluster that exists and belongs to ${owner.name}: Rancher would take it over`, fix };
    } else if (isForAnother(existing, name, namespace)) {
      yield {
        path: PATH,
        level: 'warning',
        message: 'is the id of a management cluster that exists and is displayed by another name: unless it is this Cluster\'s own, Rancher would take it over',
        fix: `compare it with status.clusterName of the live Cluster; ${fix}`,
      };
    }
  },
};

const RENAMED: Rule = {
  id: 'cluster/id-of-renamed',
  level: 'error',
  kinds: KINDS,
  what: 'a Cluster with a fixed management cluster ID keeps its name; under another name it shares the management cluster with the former one, and '
    + 'deleting that deletes projects, members and tokens',
  source: CONTROLLER,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = object;
    const id = managementClusterIdOf(manifest);
    if (id === undefined || isLate(id)) { return; }
    const former = goneWithId(object, world, id);
    if (former) {
      const { name, namespace } = former.metadata;
      yield {
        path: PATH,
        message: `is the management cluster ID of ${objectLabel(former)}, which is removed: both share one management cluster, so removing it deletes `
          + 'the projects, members and tokens of this Cluster too',
        fix: keepName(name, namespace === manifest.metadata.namespace ? undefined : namespace),
      };
    }
  },
};

/** What to do where one management cluster would belong to two Clusters, because the first was renamed or moved. */
export function keepName(name: string, namespace?: string): string {
  return `to rename only the construct, set its prop name to ${JSON.stringify(name)}${namespace === undefined ? '' : ` and its prop namespace to ${JSON.stringify(namespace)}`}; `
    + 'for another cluster, use another managementClusterId';
}

type ById = ReadonlyMap<string, readonly Manifest[]>;

// one index a world, so that many clusters stay linear
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

/** Whether the management Cluster of an id is that of this very Cluster: it has it by now, or was made from it, as from legacy imports. */
function isItsOwn(object: JudgedObject, world: World, id: string): boolean {
  const { manifest } = object;
  const before = world.beforeOf(object);
  return valueAt(manifest, 'status', 'clusterName') === id || manifest.metadata.name === id || (before !== undefined && managementClusterIdOf(before) === id);
}

/** The provisioning Cluster that a management Cluster was made from, as far as it says so. */
function ownerOf(existing: Manifest): { readonly name: string; readonly namespace?: string } | undefined {
  const { [ANNOTATION_OWNER_NAME]: name, [ANNOTATION_OWNER_NAMESPACE]: namespace } = annotationsOf(existing);
  if (typeof name !== 'string' || name === '') { return undefined; }
  return { name, ...(typeof namespace === 'string' && namespace !== '' ? { namespace } : {}) };
}

// people change display names, so these prove nothing
function isForAnother(existing: Manifest, name: string, namespace: string | undefined): boolean {
  const [displayName, workspace] = ['displayName', 'fleetWorkspaceName'].map((field) => valueAt(existing, 'spec', field));
  if (typeof displayName !== 'string' || displayName === '') { return false; }
  return displayName !== name || (typeof workspace === 'string' && workspace !== '' && workspace !== namespace);
}

const CHANGED: Rule = {
  id: 'cluster/id-changed',
  level: 'error',
  kinds: KINDS,
  what: 'the management cluster id is chosen at creation; a later change is ignored without a word',
  source: CONTROLLER,
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const now = askedIdOf(manifest);
    const old = managementClusterIdOf(before);
    // removing the annotation does nothing, and late ids are compared when they are known
    if (!now || now === old || isLate(now) || isLate(old)) { return; }
    // it was ignored before, and the cluster works
    if (now === askedIdOf(before)) {
      yield { path: PATH, level: 'warning', message: `is not the id, which is ${old}: Rancher reads the annotation at creation only`, fix: `write ${old}` };
      return;
    }
    if (old === undefined) {
      yield {
        path: PATH,
        level: 'warning',
        message: 'is added to a Cluster that exists: Rancher ignores it unless it is the id that the cluster has',
        fix: 'compare it with status.clusterName of the live object',
      };
      return;
    }
    yield {
      path: PATH,
      message: `changes the id, which stays ${old}: Rancher reads the annotation at creation only`,
      fix: `write ${old} again, or delete the Cluster and create it anew: projects, members and tokens go with it`,
    };
  },
};

/** Rules for the management cluster id. */
export const CLUSTER_ID_RULES: readonly Rule[] = [FORM, VERSION, TAKEN, RENAMED, CHANGED];
