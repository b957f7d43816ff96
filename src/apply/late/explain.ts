import { isRecord, valueAt } from '../../model/manifest';
import { Redactor } from '../../model/secret/redactor';
import { Cluster, ObjectRef, RequestOptions } from '../cluster/cluster';
import { conditionsOf, textOf } from '../ready/conditions';

/** As many of the latest events as help. */
const EVENTS = 3;

/**
 * What is known of an object for somebody who waited for it in vain, as a sentence for each: its conditions that are not True, and the latest events
 * about it. Nothing where nothing is known, or may be read.
 */
export async function explain(cluster: Cluster, ref: ObjectRef, options: RequestOptions = {}): Promise<readonly string[]> {
  try {
    const live = await cluster.read(ref, options);
    const conditions = live ? conditionsOf(live).filter(({ status }) => status !== 'True').map(textOf) : [];
    const redactor = new Redactor();
    return [...conditions, ...await events(cluster, ref, options).catch(() => [])].map((text) => redactor.scrub(text));
  } catch {
    return [];
  }
}

async function events(cluster: Cluster, { kind, namespace = 'default', name }: ObjectRef, options: RequestOptions): Promise<string[]> {
  const fieldSelector = encodeURIComponent(`involvedObject.kind=${kind},involvedObject.name=${name}`);
  const { items } = await cluster.get(`/api/v1/namespaces/${encodeURIComponent(namespace)}/events?fieldSelector=${fieldSelector}`, options);
  if (!Array.isArray(items)) { return []; }
  return items.filter(isRecord).map((event) => ({ at: timeOf(event), text: `event ${String(event.reason)}: ${String(event.message)}` }))
    .sort((a, b) => (a.at < b.at ? -1 : 1)).slice(-EVENTS).map(({ text }) => text);
}

/** @see k8s.io/api:core/v1/types.go Event */
function timeOf(event: { readonly [field: string]: unknown }): string {
  return String(event.lastTimestamp ?? event.eventTime ?? valueAt(event, 'metadata', 'creationTimestamp') ?? '');
}
