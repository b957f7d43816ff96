import { createHmac } from 'crypto';

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
