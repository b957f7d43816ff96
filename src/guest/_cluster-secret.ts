import { createHash } from 'crypto';
import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { ClusterContext } from './_parts';
import { SecretValue } from '../late';
import { fail, parsed } from '../model/errors';
import { waitsForCluster } from '../model/late-token';
import { API_VERSIONS } from '../model/names';
import { note } from '../model/object-notes';

/** What a Secret or ConfigMap beside a Cluster holds; what is undefined is left out. */
export interface SecretContent {
  /** Of a Secret. */
  readonly type?: string;
  readonly data: { readonly [key: string]: string | SecretValue | undefined };
}

/** An object beside a Cluster, before it is written. */
export interface ClusterObject {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly name: string;
  readonly content: SecretContent;
  readonly annotations?: { readonly [key: string]: string };
  /** What goes wrong when it goes. */
  readonly reason: string;
}

/** What Kubernetes takes, and Rancher's definition of a registry's Secrets. */
const MAX_NAME = 253;

/**
 * The name of an object that belongs to a cluster and, e.g., a registry: readable, and another one for another text.
 */
export function objectName(prefix: string, text: string): string {
  const clean = text.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
  const name = clean ? `${prefix}-${clean}` : prefix;
  if (/^[a-z0-9.-]+$/.test(text) && text.replace(/\./g, '-') === clean && !text.includes('-') && name.length <= MAX_NAME) { return name; }
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 6);
  return `${name.slice(0, MAX_NAME - 7).replace(/-+$/, '')}-${hash}`;
}

/** Writes a Secret or ConfigMap into the namespace of a Cluster. */
export function writeClusterObject({ scope, clusterNamespace }: ClusterContext, id: string, object: ClusterObject): ApiObject {
  const { kind, name, content, annotations, reason } = object;
  const holder = new Construct(scope, id);
  const data = Object.fromEntries(Object.entries(content.data).flatMap(([key, value]) => (
    value === undefined ? [] : [[key, kind === 'Secret' ? base64(holder, key, value) : textOf(holder, key, value)]])));
  const written = new ApiObject(holder, 'Resource', {
    apiVersion: API_VERSIONS.CORE,
    kind,
    metadata: { name, namespace: clusterNamespace, annotations },
    type: content.type,
    data,
  });
  note(written, { deletion: { policy: 'delete', reason } });
  return written;
}

function textOf(scope: Construct, key: string, value: string | SecretValue): string {
  return typeof value === 'string' ? value : parsed(scope, key, () => value._unwrap());
}

function base64(scope: Construct, key: string, text: string | SecretValue): string {
  if (typeof text !== 'string') { return parsed(scope, key, () => text._base64()); }
  if (waitsForCluster(text)) {
    fail(scope, [{
      path: `data[${key}]`,
      message: 'holds a late value, which would be put into base64 before it is known',
      fix: 'make the Secret yourself, with the base64 of the LateValue, and give its name',
    }]);
  }
  return Buffer.from(text).toString('base64');
}
