import {
  Condition,
  READY,
  Readiness,
  conditionOf,
  count,
  conditionText,
  waiting,
} from '../kind/ready/readiness';
import { Manifest, isRecord, valueAt, itemsAt } from '../manifest/manifest';

/**
 * When objects of Kubernetes itself are ready.
 * @see sigs.k8s.io/cli-utils:pkg/kstatus/status/core.go
 */

/** Ready when `status.phase` has a value. */
export function phase(expected: string): (live: Manifest) => Readiness {
  return (live) => {
    const found = valueAt(live, 'status', 'phase');
    return found === expected ? READY : waiting(`is ${String(found ?? 'new')}, not ${expected}`);
  };
}

/** A Service of type LoadBalancer is ready when it has an address. */
export function service(live: Manifest): Readiness {
  if (valueAt(live, 'spec', 'type') !== 'LoadBalancer') {
    return READY;
  }
  return itemsAt(live, 'status', 'loadBalancer', 'ingress').length > 0
    ? READY
    : waiting('has no address of a load balancer yet');
}

/** A Secret for the token of a ServiceAccount is ready when Kubernetes has written the token. */
export function serviceAccountToken(live: Manifest): Readiness {
  return live.type === 'kubernetes.io/service-account-token' &&
    valueAt(live, 'data', 'token') === undefined
    ? waiting('Kubernetes has not written the token of its ServiceAccount yet')
    : READY;
}

/** A Pod. */
export function pod(live: Manifest): Readiness {
  const found = String(valueAt(live, 'status', 'phase') ?? '');
  if (found === 'Succeeded' || conditionOf(live, 'Ready')?.status === 'True') {
    return READY;
  }
  if (found === 'Failed') {
    return {
      state: 'failed',
      why: `Failed: ${String(valueAt(live, 'status', 'message') ?? 'no reason given')}`,
    };
  }
  const stuck = itemsAt(live, 'status', 'containerStatuses')
    .map((container) => valueAt(container, 'state', 'waiting'))
    .find((state) =>
      /BackOff|ErrImage|InvalidImage|CreateContainer/.test(String(valueAt(state, 'reason'))),
    );
  if (stuck) {
    return {
      state: 'failing',
      why: `${String(valueAt(stuck, 'reason'))}: ${String(valueAt(stuck, 'message') ?? '')}`,
    };
  }
  return waiting(found === '' ? 'is not scheduled yet' : found);
}

/** A Deployment. */
export function deployment(live: Manifest): Readiness {
  const wanted = wantedReplicas(live);
  const progressing = conditionOf(live, 'Progressing');
  if (progressing?.reason === 'ProgressDeadlineExceeded') {
    return { state: 'failed', why: conditionText(progressing) };
  }
  return first(
    seen(live),
    atLeast(live, 'updatedReplicas', wanted, 'updated'),
    count(live, 'status', 'replicas') > wanted
      ? waiting('previous replicas still exist')
      : undefined,
    atLeast(live, 'availableReplicas', wanted, 'available'),
    unless(conditionOf(live, 'Available')),
  );
}

/** A StatefulSet. */
export function statefulSet(live: Manifest): Readiness {
  const wanted = wantedReplicas(live);
  if (valueAt(live, 'spec', 'updateStrategy', 'type') === 'OnDelete') {
    return seen(live) ?? READY;
  }
  return first(
    seen(live),
    atLeast(live, 'readyReplicas', wanted, 'ready'),
    atLeast(live, 'updatedReplicas', wanted, 'updated'),
  );
}

/** A DaemonSet. */
export function daemonSet(live: Manifest): Readiness {
  const wanted = count(live, 'status', 'desiredNumberScheduled');
  return first(
    seen(live),
    atLeast(live, 'updatedNumberScheduled', wanted, 'updated'),
    atLeast(live, 'numberAvailable', wanted, 'available'),
  );
}

/** A ReplicaSet. */
export function replicaSet(live: Manifest): Readiness {
  return first(seen(live), atLeast(live, 'availableReplicas', wantedReplicas(live), 'available'));
}

/** A Job is ready when it is complete. */
export function job(live: Manifest): Readiness {
  const failed = conditionOf(live, 'Failed');
  if (failed?.status === 'True') {
    return { state: 'failed', why: conditionText(failed) };
  }
  return conditionOf(live, 'Complete')?.status === 'True'
    ? READY
    : waiting(`${count(live, 'status', 'active')} of its pods run`);
}

/** A CustomResourceDefinition. */
export function definition(live: Manifest): Readiness {
  const names = conditionOf(live, 'NamesAccepted');
  if (names?.status === 'False') {
    return { state: 'failed', why: conditionText(names) };
  }
  return conditionOf(live, 'Established')?.status === 'True' ? READY : waiting('is not served yet');
}

/** An APIService. */
export function available(live: Manifest): Readiness {
  const condition = conditionOf(live, 'Available');
  return condition?.status === 'True'
    ? READY
    : waiting(condition ? conditionText(condition) : 'is not served yet');
}

/**
 * An output or flow of the logging operator.
 * @see kube-logging/logging-operator:pkg/sdk/logging/api/v1beta1/output_types.go OutputStatus
 */
export function withoutProblems(live: Manifest): Readiness {
  const problems = valueAt(live, 'status', 'problems');
  return Array.isArray(problems) && problems.length > 0
    ? { state: 'failing', why: problems.map(String).join('; ') }
    : READY;
}

function wantedReplicas(live: Manifest): number {
  const replicas = valueAt(live, 'spec', 'replicas');
  return typeof replicas === 'number' ? replicas : 1;
}

/** Controllers of these kinds always report the generation that they saw. */
function seen(live: Manifest): Readiness | undefined {
  return isRecord(live.status) && typeof live.status.observedGeneration === 'number'
    ? undefined
    : waiting('its controller has not seen it yet');
}

function atLeast(
  live: Manifest,
  field: string,
  wanted: number,
  word: string,
): Readiness | undefined {
  const there = count(live, 'status', field);
  return there < wanted ? waiting(`${there} of ${wanted} are ${word}`) : undefined;
}

function unless(condition: Condition | undefined): Readiness | undefined {
  return condition && condition.status !== 'True' ? waiting(conditionText(condition)) : undefined;
}

function first(...verdicts: readonly (Readiness | undefined)[]): Readiness {
  return verdicts.find((verdict) => verdict !== undefined) ?? READY;
}
