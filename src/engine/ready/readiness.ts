import { Condition, READY, Readiness, conditionOf, count, textOf, waiting } from './conditions';
import { KIND_RULES, ReadyContext } from './kind-rules';
import { groupOf, isRecord, kindKey, valueAt } from '../../core/manifest/manifest';
import { LiveObject } from '../cluster/cluster';

/**
 * Kubernetes' own kinds; undefined for others.
 *
 * @see sigs.k8s.io/cli-utils:pkg/kstatus/status/core.go
 */
export function kubernetesReadiness(live: LiveObject): Readiness | undefined {
  return RULES.get(kindKey(groupOf(live.apiVersion), live.kind))?.(live);
}

const RULES: ReadonlyMap<string, (live: LiveObject) => Readiness> = new Map([
  ['/Namespace', phase('Active')],
  ['/PersistentVolumeClaim', phase('Bound')],
  ['/Service', service],
  ['/Secret', serviceAccountToken],
  ['/Pod', pod],
  ['apps/Deployment', deployment],
  ['apps/StatefulSet', statefulSet],
  ['apps/DaemonSet', daemonSet],
  ['apps/ReplicaSet', replicaSet],
  ['batch/Job', job],
  ['apiextensions.k8s.io/CustomResourceDefinition', definition],
  ['apiregistration.k8s.io/APIService', available],
]);

function phase(expected: string): (live: LiveObject) => Readiness {
  return (live) => {
    const found = valueAt(live, 'status', 'phase');
    return found === expected ? READY : waiting(`is ${String(found ?? 'new')}, not ${expected}`);
  };
}

function service(live: LiveObject): Readiness {
  if (valueAt(live, 'spec', 'type') !== 'LoadBalancer') { return READY; }
  const ingress = valueAt(live, 'status', 'loadBalancer', 'ingress');
  return Array.isArray(ingress) && ingress.length > 0 ? READY : waiting('has no address of a load balancer yet');
}

function serviceAccountToken(live: LiveObject): Readiness {
  return live.type === 'kubernetes.io/service-account-token' && valueAt(live, 'data', 'token') === undefined
    ? waiting('Kubernetes has not written the token of its ServiceAccount yet') : READY;
}

function pod(live: LiveObject): Readiness {
  const found = String(valueAt(live, 'status', 'phase') ?? '');
  if (found === 'Succeeded' || conditionOf(live, 'Ready')?.status === 'True') { return READY; }
  if (found === 'Failed') { return { state: 'failed', why: `Failed: ${String(valueAt(live, 'status', 'message') ?? 'no reason given')}` }; }
  const states = valueAt(live, 'status', 'containerStatuses');
  const stuck = (Array.isArray(states) ? states : []).map((container) => valueAt(container, 'state', 'waiting'))
    .find((state) => /BackOff|ErrImage|InvalidImage|CreateContainer/.test(String(valueAt(state, 'reason'))));
  if (stuck) { return { state: 'failing', why: `${String(valueAt(stuck, 'reason'))}: ${String(valueAt(stuck, 'message') ?? '')}` }; }
  return waiting(found === '' ? 'is not scheduled yet' : found);
}

function deployment(live: LiveObject): Readiness {
  const wanted = wantedReplicas(live);
  const progressing = conditionOf(live, 'Progressing');
  if (progressing?.reason === 'ProgressDeadlineExceeded') { return { state: 'failed', why: textOf(progressing) }; }
  return first(
    seen(live),
    atLeast(live, 'updatedReplicas', wanted, 'updated'),
    count(live, 'status', 'replicas') > wanted ? waiting('former replicas are still there') : undefined,
    atLeast(live, 'availableReplicas', wanted, 'available'),
    unless(conditionOf(live, 'Available')),
  );
}

function statefulSet(live: LiveObject): Readiness {
  const wanted = wantedReplicas(live);
  if (valueAt(live, 'spec', 'updateStrategy', 'type') === 'OnDelete') { return seen(live) ?? READY; }
  return first(seen(live), atLeast(live, 'readyReplicas', wanted, 'ready'), atLeast(live, 'updatedReplicas', wanted, 'updated'));
}

function daemonSet(live: LiveObject): Readiness {
  const wanted = count(live, 'status', 'desiredNumberScheduled');
  return first(seen(live), atLeast(live, 'updatedNumberScheduled', wanted, 'updated'), atLeast(live, 'numberAvailable', wanted, 'available'));
}

function replicaSet(live: LiveObject): Readiness {
  return first(seen(live), atLeast(live, 'availableReplicas', wantedReplicas(live), 'available'));
}

/** A Job has done what it is for when it is through. */
function job(live: LiveObject): Readiness {
  const failed = conditionOf(live, 'Failed');
  if (failed?.status === 'True') { return { state: 'failed', why: textOf(failed) }; }
  return conditionOf(live, 'Complete')?.status === 'True' ? READY : waiting(`${count(live, 'status', 'active')} of its pods run`);
}

function definition(live: LiveObject): Readiness {
  const names = conditionOf(live, 'NamesAccepted');
  if (names?.status === 'False') { return { state: 'failed', why: textOf(names) }; }
  return conditionOf(live, 'Established')?.status === 'True' ? READY : waiting('is not served yet');
}

function available(live: LiveObject): Readiness {
  const condition = conditionOf(live, 'Available');
  return condition?.status === 'True' ? READY : waiting(condition ? textOf(condition) : 'is not served yet');
}

function wantedReplicas(live: LiveObject): number {
  const replicas = valueAt(live, 'spec', 'replicas');
  return typeof replicas === 'number' ? replicas : 1;
}

/** Controllers of these kinds always say which generation they saw. */
function seen(live: LiveObject): Readiness | undefined {
  return isRecord(live.status) && typeof live.status.observedGeneration === 'number' ? undefined : waiting('its controller has not seen it yet');
}

function atLeast(live: LiveObject, field: string, wanted: number, word: string): Readiness | undefined {
  const there = count(live, 'status', field);
  return there < wanted ? waiting(`${there} of ${wanted} are ${word}`) : undefined;
}

function unless(condition: Condition | undefined): Readiness | undefined {
  return condition && condition.status !== 'True' ? waiting(textOf(condition)) : undefined;
}

function first(...verdicts: readonly (Readiness | undefined)[]): Readiness {
  return verdicts.find((verdict) => verdict !== undefined) ?? READY;
}

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
