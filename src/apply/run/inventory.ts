import { gunzipSync, gzipSync } from 'zlib';
import { App } from './app';
import { APPLY_SET, applySetId, contentsOf, TOOL } from './apply-set';
import { AssemblyTarget } from '../../model/assembly';
import { compare } from '../../model/compare';
import { isRecord, Manifest, valueAt } from '../../model/manifest';
import { Cluster, LiveObject, ObjectRef } from '../cluster/cluster';
import { Inventory, InventoryEntry, InventoryReader } from '../plan/inventory-reader';

/** The inventory of one app on one cluster, as it stands there. */
export interface StoredInventory extends Inventory {
  /** Of the ConfigMap. */
  readonly uid: string;
  /** The uids of kube-system of all targets, as runs saw them: a target that is bound to another cluster than before is noticed. */
  readonly clusterUids: { readonly [target: string]: string };
}

/** What is kept; the rest is the parent's own. */
export type InventoryContent = Pick<StoredInventory, 'entries' | 'clusterUids'>;

/** Changes when a reader of the former version would misunderstand it. */
const SCHEMA = 1;

/** The key of the list below `binaryData`. */
const KEY = 'inventory';

/** What a ConfigMap holds at most, less what the rest of it takes. @see kubernetes/kubernetes:pkg/apis/core/validation MaxSecretSize */
const MAX_BYTES = 1_000_000;

/** Far more than a list of that size can hold; what is larger was not written by us. */
const MAX_UNPACKED = 64_000_000;

/** Where the inventory of an app is on a cluster. */
export function parentOf({ parent }: App): ObjectRef {
  return { apiVersion: 'v1', kind: 'ConfigMap', ...parent };
}

/** What an app has on a cluster; undefined where it was never applied there. Throws where the ConfigMap is not one of ours. */
export async function readInventory(cluster: Cluster, app: App, signal?: AbortSignal): Promise<StoredInventory | undefined> {
  const live = await cluster.read(parentOf(app), { signal });
  if (!live) { return undefined; }
  const place = `ConfigMap ${app.parent.namespace}/${app.parent.name}`;
  checkParent(live, app, place);
  return { uid: live.metadata.uid, labelSelector: `${APPLY_SET.PART_OF}=${applySetId(app)}`, ...unpack(live, place) };
}

/** Reads inventories for a plan. */
export function inventoryReader(app: App): InventoryReader {
  return async (cluster: Cluster, _: AssemblyTarget, signal?: AbortSignal) => readInventory(cluster, app, signal);
}

/**
 * Writes it. Every object must stand in it before it is written itself, so that nothing is ever on a cluster that no inventory knows.
 */
export async function writeInventory(cluster: Cluster, app: App, content: InventoryContent, version: string, signal?: AbortSignal): Promise<void> {
  const entries = [...content.entries].sort((a, b) => compare(a.id, b.id));
  const packed = gzipSync(JSON.stringify({ schema: SCHEMA, app: app.id, clusterUids: content.clusterUids, entries })).toString('base64');
  if (packed.length > MAX_BYTES) {
    throw new Error(`the inventory of ${entries.length} objects is larger than a ConfigMap may be; split the program in two, each with its own --app`);
  }
  const { kinds, namespaces } = contentsOf(entries.filter(({ policy }) => policy === 'delete'), app);
  const { apiVersion, kind, namespace, name } = parentOf(app);
  const manifest: Manifest = {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      labels: { [APPLY_SET.ID]: applySetId(app) },
      annotations: { [APPLY_SET.TOOLING]: `${TOOL}/${version}`, [APPLY_SET.KINDS]: kinds, [APPLY_SET.NAMESPACES]: namespaces },
    },
    binaryData: { [KEY]: packed },
  };
  // it is ours alone
  await cluster.apply(manifest, { fieldManager: app.fieldManager, force: true, signal });
}

/** Takes the inventory away, where it is still the one that was read. */
export async function removeInventory(cluster: Cluster, app: App, signal?: AbortSignal): Promise<void> {
  const live = await cluster.read(parentOf(app), { signal });
  if (live) { await cluster.delete(parentOf(app), live.metadata.uid, { signal }); }
}

function checkParent({ metadata: { labels = {}, annotations = {} } }: LiveObject, app: App, place: string): void {
  const tooling = annotations[APPLY_SET.TOOLING];
  if (tooling === undefined) { throw new Error(`${place}: is none of ours, it has no annotation ${APPLY_SET.TOOLING}; give another --app, or remove it`); }
  const tool = tooling.slice(0, Math.max(0, tooling.lastIndexOf('/'))) || tooling;
  if (tool !== TOOL) { throw new Error(`${place}: ApplySet parent object already exists and is managed by tooling ${JSON.stringify(tool)} instead of ${JSON.stringify(TOOL)}; give another --app`); }
  if (labels[APPLY_SET.ID] !== applySetId(app)) {
    throw new Error(`${place}: its label ${APPLY_SET.ID} is not the one of its name, so it was copied or changed; correct it to ${applySetId(app)}`);
  }
}

function unpack(live: LiveObject, place: string): InventoryContent {
  let content: unknown;
  try {
    content = JSON.parse(gunzipSync(Buffer.from(String(valueAt(live, 'binaryData', KEY) ?? ''), 'base64'), { maxOutputLength: MAX_UNPACKED }).toString('utf8'));
  } catch {
    throw new Error(`${place}: its list can not be read, somebody changed it; restore it, or remove the ConfigMap: then nothing that was applied before is pruned`);
  }
  const { schema, entries, clusterUids } = isRecord(content) ? content : {};
  if (schema !== SCHEMA) {
    throw new Error(`${place}: got schema ${String(schema)}, expected ${SCHEMA}: it was written by another version of cdk8s-harvester; use that one, or a newer one`);
  }
  if (!Array.isArray(entries) || !entries.every(isEntry)) { throw new Error(`${place}: its list is damaged; restore it, or remove the ConfigMap`); }
  return { entries, clusterUids: isRecord(clusterUids) ? clusterUids as StoredInventory['clusterUids'] : {} };
}

function isEntry(value: unknown): value is InventoryEntry {
  return isRecord(value) && [value.id, value.apiVersion, value.kind, value.name].every((text) => typeof text === 'string')
    && ['delete', 'reset', 'keep'].includes(value.policy as string);
}
