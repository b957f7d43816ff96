import { Duration } from 'cdk8s';

/** The kind of a store of the External Secrets Operator. */
export enum SecretStoreKind {
  /** For all namespaces of a cluster. */
  CLUSTER_SECRET_STORE = 'ClusterSecretStore',
  /** In the namespace of the Secret. */
  SECRET_STORE = 'SecretStore',
}

/** Properties of secrets that the External Secrets Operator reads from a store. */
export interface ExternalSecretsProps {
  /** Name of the store on the cluster. */
  readonly store: string;
  /** Kind of the store. @default SecretStoreKind.CLUSTER_SECRET_STORE */
  readonly storeKind?: SecretStoreKind;
  /**
   * The key of the store that contains a Secret, with `{target}`, `{namespace}` and `{name}` in place of the Secret's own. The value of the key is a map with a
   * property for each key of the Secret. With `{key}`, each key of the Secret has a key of its own in the store.
   * @default {target}/{namespace}/{name}
   */
  readonly keyOf?: string;
  /** How often the operator reads the store. @default 1 hour */
  readonly refreshInterval?: Duration;
}

/** The key in the store without `keyOf`. */
export const DEFAULT_KEY = '{target}/{namespace}/{name}';

const PLACEHOLDERS = ['target', 'namespace', 'name', 'key'];

/** Throws for a store that cannot be right, or for keys that Secrets would share. */
export function checkExternalProps({ store, keyOf = DEFAULT_KEY }: ExternalSecretsProps): void {
  if (!/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(store)) {
    throw new Error(`SecretDelivery.externalSecrets: store must be the name of a store on the cluster, got ${JSON.stringify(store)}. Fix: set the name of a ClusterSecretStore`);
  }
  const unknown = [...keyOf.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name).filter((name) => !PLACEHOLDERS.includes(name));
  const known = PLACEHOLDERS.map((name) => `{${name}}`).join(', ');
  if (unknown.length > 0) { throw new Error(`SecretDelivery.externalSecrets: keyOf must contain ${known} only, got {${unknown.join('}, {')}}. Fix: use these`); }
  if (!keyOf.includes('{name}')) {
    throw new Error(`SecretDelivery.externalSecrets: keyOf must contain {name}, got ${JSON.stringify(keyOf)}: all Secrets would have the same values. Fix: add {name}`);
  }
}
