import { createHmac, randomBytes } from 'crypto';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { Cluster, ObjectRef } from '../cluster/cluster';
import { App } from '../inventory/apply-set';
import { ApiError } from '../transport/api';

/** JSON with sorted keys: the same text for what is the same to a server. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (
    isRecord(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item)) ?? 'null';
}

/**
 * What an app wrote last into fields that controllers rewrite, as a digest: it tells an edit of the program from a change on the cluster.
 */
export interface Written {
  readonly digest: string;
  /** The key of the digest, which the inventory does not hold; undefined for digests of earlier versions, which had none. */
  readonly key?: string;
}

/** A digest that is of no use without the key: nobody can try out secrets with it. */
export function sealed(digest: string, key: string): Written {
  return { key, digest: createHmac('sha256', key).update(digest).digest('hex') };
}

/** Whether a digest is of what was written. */
export function isOf({ digest, key }: Written, plain: string | undefined): boolean {
  return plain !== undefined && digest === (key === undefined ? plain : sealed(plain, key).digest);
}

/** The key of the key below `data`. */
const KEY = 'key';

/** Long enough that nobody guesses it. */
const BYTES = 32;

/** Where the key of an app's digests is: next to its inventory, and in a Secret, so that who reads the inventory does not have it. */
export function digestKeyOf({ parent }: App): ObjectRef {
  return { apiVersion: 'v1', kind: 'Secret', ...parent };
}

/** The key of an app on a cluster; undefined where there is none, or this identity may not read it. */
export async function readDigestKey(cluster: Cluster, app: App, signal?: AbortSignal): Promise<string | undefined> {
  try {
    const key = valueAt(await cluster.read(digestKeyOf(app), { signal }), 'data', KEY);
    return typeof key === 'string' && key !== '' ? key : undefined;
  } catch (error) {
    if (error instanceof ApiError && error.failure === 'forbidden') { return undefined; }
    throw error;
  }
}

/** The key of an app on a cluster; makes one where there is none. */
export async function ensureDigestKey(cluster: Cluster, app: App, signal?: AbortSignal): Promise<string> {
  const known = await readDigestKey(cluster, app, signal);
  if (known !== undefined) { return known; }
  const key = randomBytes(BYTES).toString('base64');
  const { apiVersion, kind, namespace, name } = digestKeyOf(app);
  const manifest: Manifest = { apiVersion, kind, metadata: { name, namespace }, type: 'Opaque', data: { [KEY]: key } };
  await cluster.apply(manifest, { fieldManager: app.fieldManager, force: true, signal });
  return key;
}

/** Deletes the key of an app, where there is one. */
export async function removeDigestKey(cluster: Cluster, app: App, signal?: AbortSignal): Promise<void> {
  try {
    const live = await cluster.read(digestKeyOf(app), { signal });
    if (live) { await cluster.delete(digestKeyOf(app), live.metadata.uid, { signal }); }
  } catch (error) {
    // this identity was never needed to make one
    if (!(error instanceof ApiError) || error.failure !== 'forbidden') { throw error; }
  }
}
