import { gunzipSync, gzipSync } from 'zlib';
import { App } from './app';
import { compare } from '../../model/compare';
import { isRecord, valueAt } from '../../model/manifest';
import { LiveObject } from '../cluster/cluster';
import { InventoryEntry, KnownTarget } from '../plan/inventory-reader';

/** What an inventory holds. */
export interface InventoryContent {
  readonly entries: readonly InventoryEntry[];
  /** The uids of kube-system of all targets, as runs saw them: a target that is bound to another cluster than before is noticed. */
  readonly clusterUids: { readonly [target: string]: string };
  /** The targets that the app had, so that one which is no longer in the program is noticed. */
  readonly targets?: { readonly [target: string]: KnownTarget };
  /** The uid of the ConfigMap of an earlier version that this one replaces and that is still to be deleted. */
  readonly replaces?: string;
}

/** The key of the list below `binaryData`. */
export const INVENTORY_KEY = 'inventory';

/** Changes when a reader of the former version would misunderstand it: 2 lies in another namespace, and its digests have a key. */
const SCHEMA = 2;

/** What an inventory in the former place has. */
export const FORMER_SCHEMA = 1;

/** What a ConfigMap holds at most, less what the rest of it takes. @see kubernetes/kubernetes:pkg/apis/core/validation MaxSecretSize */
const MAX_BYTES = 1_000_000;

/** Far more than a list of that size can hold; what is larger was not written by us. */
const MAX_UNPACKED = 64_000_000;

/** The content as a ConfigMap keeps it. Digests that have no key are left out: a weak secret could be guessed from them. */
export function packed({ entries, clusterUids, targets, replaces }: InventoryContent, app: App): string {
  const stored = [...entries].sort((a, b) => compare(a.id, b.id)).map(({ written, ...entry }) => (
    written?.key === undefined ? entry : { ...entry, written: written.digest }));
  const content = { schema: SCHEMA, app: app.id, clusterUids, targets, replaces, entries: stored };
  const text = gzipSync(JSON.stringify(content)).toString('base64');
  if (text.length > MAX_BYTES) {
    throw new Error(`the inventory of ${entries.length} objects is larger than a ConfigMap may be; split the program in two, each with its own --app`);
  }
  return text;
}

/** The content of a ConfigMap; digests are without their key. */
export function unpacked(live: LiveObject, place: string, expected = SCHEMA): InventoryContent {
  let content: unknown;
  try {
    content = JSON.parse(gunzipSync(Buffer.from(String(valueAt(live, 'binaryData', INVENTORY_KEY) ?? ''), 'base64'), { maxOutputLength: MAX_UNPACKED }).toString('utf8'));
  } catch {
    throw new Error(`${place}: its list cannot be read, someone changed it. Fix: restore it, or delete the ConfigMap; then nothing that was applied before is pruned`);
  }
  const { schema, entries, clusterUids, targets, replaces } = isRecord(content) ? content : {};
  if (schema !== expected) {
    throw new Error(`${place}: got schema ${String(schema)}, expected ${expected}: it was written by another version of cdk8s-harvester. Fix: use that version, or a newer one`);
  }
  if (!Array.isArray(entries) || !entries.every(isStored)) { throw new Error(`${place}: its list is damaged. Fix: restore it, or delete the ConfigMap`); }
  return {
    entries: entries.map(({ written, ...entry }) => (typeof written === 'string' ? { ...entry, written: { digest: written } } : entry)),
    clusterUids: isRecord(clusterUids) ? clusterUids as InventoryContent['clusterUids'] : {},
    ...(isRecord(targets) ? { targets: targets as InventoryContent['targets'] } : {}),
    ...(typeof replaces === 'string' ? { replaces } : {}),
  };
}

type StoredEntry = Omit<InventoryEntry, 'written'> & { readonly written?: unknown };

function isStored(value: unknown): value is StoredEntry {
  return isRecord(value) && [value.id, value.apiVersion, value.kind, value.name].every((text) => typeof text === 'string')
    && ['delete', 'reset', 'keep'].includes(value.policy as string);
}
