import { kindOf } from '../../core/kind/all-kinds';
import { MINUTE, READY, Readiness, ReadyContext, conditionOf, textOf, waiting } from '../../core/kind/readiness';
import { Manifest, valueAt } from '../../core/manifest/manifest';
import { AssemblyTarget } from '../../core/output/assembly';
import { LiveObject } from '../cluster/cluster';

/** The versions of a target for readiness checks. */
export function readyContext({ kind, version }: Pick<AssemblyTarget, 'kind' | 'version'>): ReadyContext {
  // the version of a target that is no longer declared may be unknown
  return kind === 'harvester' && version !== '' ? { harvesterVersion: version } : {};
}

/** The readiness of an object by its status. */
export function readinessOf(live: LiveObject, about: ReadyContext = {}): Readiness {
  if (live.metadata.deletionTimestamp !== undefined) { return { state: 'waiting', why: 'is being deleted' }; }
  const observed = valueAt(live, 'status', 'observedGeneration');
  if (typeof observed === 'number' && live.metadata.generation !== undefined && observed < live.metadata.generation) {
    return waiting('its controller has not seen the latest change yet');
  }
  return (kindOf(live)?.ready?.judge ?? byCommonConditions)(live, about);
}

/** How long to wait for an object, in milliseconds. */
export function readyTimeoutMs(live: Pick<Manifest, 'apiVersion' | 'kind'>): number {
  return kindOf(live)?.ready?.timeoutMs ?? 5 * MINUTE;
}

/** Kinds without a rule: the conventions of most controllers. @see sigs.k8s.io/cli-utils:pkg/kstatus/status/generic.go */
function byCommonConditions(live: Manifest): Readiness {
  const [reconciling, stalled, ready] = ['Reconciling', 'Stalled', 'Ready'].map((type) => conditionOf(live, type));
  if (reconciling?.status === 'True') { return waiting(textOf(reconciling)); }
  if (stalled?.status === 'True') { return { state: 'failed', why: textOf(stalled) }; }
  return ready && ready.status !== 'True' ? waiting(textOf(ready)) : READY;
}
