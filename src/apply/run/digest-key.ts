import { randomBytes } from 'crypto';
import { App } from './app';
import { Manifest, valueAt } from '../../model/manifest';
import { Cluster, ObjectRef } from '../cluster/cluster';
import { ApiError } from '../transport/api';

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
