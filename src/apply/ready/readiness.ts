import { conditionOf, Readiness, READY, textOf, waiting } from './conditions';
import { KIND_RULES, ReadyContext } from './kind-rules';
import { kubernetesReadiness } from './kubernetes';
import { groupOf, kindKey, valueAt } from '../../model/manifest';
import { LiveObject } from '../cluster/cluster';

const MINUTE = 60_000;

/** For how long an object is waited for where its kind says nothing else. */
const DEFAULT_TIMEOUT_MS = 5 * MINUTE;

/** Whether an object does what it is for, by what it says itself. */
export function readinessOf(live: LiveObject, about: ReadyContext = {}): Readiness {
  if (live.metadata.deletionTimestamp !== undefined) { return { state: 'waiting', why: 'is being deleted' }; }
  const observed = valueAt(live, 'status', 'observedGeneration');
  if (typeof observed === 'number' && live.metadata.generation !== undefined && observed < live.metadata.generation) {
    return waiting('its controller has not seen the latest change yet');
  }
  const rule = KIND_RULES.get(kindKey(groupOf(live.apiVersion), live.kind));
  return rule ? rule.judge(live, about) : kubernetesReadiness(live) ?? byConditions(live);
}

/** For how long an object is waited for. */
export function readyTimeoutMs(live: { readonly apiVersion: string; readonly kind: string }): number {
  return KIND_RULES.get(kindKey(groupOf(live.apiVersion), live.kind))?.timeoutMs ?? DEFAULT_TIMEOUT_MS;
}

/** Kinds that nobody knows: what most controllers agree on. @see sigs.k8s.io/cli-utils:pkg/kstatus/status/generic.go */
function byConditions(live: LiveObject): Readiness {
  const [reconciling, stalled, ready] = ['Reconciling', 'Stalled', 'Ready'].map((type) => conditionOf(live, type));
  if (reconciling?.status === 'True') { return waiting(textOf(reconciling)); }
  if (stalled?.status === 'True') { return { state: 'failed', why: textOf(stalled) }; }
  return ready && ready.status !== 'True' ? waiting(textOf(ready)) : READY;
}
