import { createHmac, randomBytes, scryptSync } from 'crypto';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { filledText } from '../../core/text/plain-text';
import { Cluster, ObjectRef } from '../cluster/cluster';
import { App } from '../fields/apply-set';
import { onFailure } from '../transport/api';

/** JSON with sorted keys: the same text for values that are equal to a server. */
export function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, item: unknown) =>
      isRecord(item)
        ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
        : item,
    ) ?? 'null'
  );
}

/**
 * The digest of the app's last write to fields that controllers rewrite: it distinguishes an edit
 * of the program from a change on the cluster.
 */
export interface Written {
  readonly digest: string;
  /**
   * The key of the digest, which is not in the inventory; undefined for digests of earlier
   * versions.
   */
  readonly key?: string;
}

/** A digest that is useless without the key: it cannot be used to guess secrets. */
export function sealed(digest: string, key: string): Written {
  return { key, digest: createHmac('sha256', key).update(digest).digest('hex') };
}

/** Whether a digest is of what was written. */
export function isOf({ digest, key }: Written, plain: string | undefined): boolean {
  return plain !== undefined && digest === (key === undefined ? plain : sealed(plain, key).digest);
}

/** Digests of late values by ID. */
export type LateDigests = { readonly [id: string]: string };

/**
 * The digest of a late value: it shows whether the value changed, and is useless without the key.
 * Slow to compute, since values may be passwords.
 */
export function lateDigest(id: string, value: string, key: string): string {
  return sealed(
    scryptSync(value, `cdk8s-harvester late value ${id}`, 16, { N: 1024 }).toString('hex'),
    key,
  ).digest;
}

/** The field of the key in `data`. */
const KEY = 'key';

/** Bytes of the key. */
const BYTES = 32;

/**
 * The Secret with the key of an app's digests, next to its inventory: reading the inventory does
 * not reveal it.
 */
export function digestKeyOf({ parent }: App): ObjectRef {
  return { apiVersion: 'v1', kind: 'Secret', ...parent };
}

/** The key of an app on a cluster; undefined if there is none, or this identity cannot read it. */
export async function readDigestKey(
  cluster: Cluster,
  app: App,
  signal?: AbortSignal,
): Promise<string | undefined> {
  return filledText(
    valueAt(
      await cluster
        .read(digestKeyOf(app), { signal })
        .catch(onFailure(['forbidden'], () => undefined)),
      'data',
      KEY,
    ),
  );
}

/** The key of an app on a cluster; creates one if there is none. */
export async function ensureDigestKey(
  cluster: Cluster,
  app: App,
  signal?: AbortSignal,
): Promise<string> {
  const known = await readDigestKey(cluster, app, signal);
  if (known !== undefined) {
    return known;
  }
  const key = randomBytes(BYTES).toString('base64');
  const { apiVersion, kind, namespace, name } = digestKeyOf(app);
  const manifest: Manifest = {
    apiVersion,
    kind,
    metadata: { name, namespace },
    type: 'Opaque',
    data: { [KEY]: key },
  };
  await cluster.apply(manifest, { fieldManager: app.fieldManager, force: true, signal });
  return key;
}

/** Deletes the key of an app, if there is one. */
export async function removeDigestKey(
  cluster: Cluster,
  app: App,
  signal?: AbortSignal,
): Promise<void> {
  // without permission to read it, this identity never created one
  const passOver = onFailure(['forbidden'], () => undefined);
  const live = await cluster.read(digestKeyOf(app), { signal }).catch(passOver);
  if (live) {
    await cluster.delete(digestKeyOf(app), live.metadata.uid, { signal }).catch(passOver);
  }
}
