import { rancherHas, rancherLacks } from './rancher-gates';
import { JudgedObject } from './rule';
import { World } from './world';
import { checkDisruptionBudget } from '../model/checks/disruption-budget';
import { checkPriorityClass } from '../model/checks/priority-class';
import { isRecord, Manifest, valueAt } from '../model/manifest';
import { FEATURE_AGENT_SCHEDULING, GROUPS } from '../model/names';
import { Problem } from '../model/problem';
import { sameValue } from '../model/same-value';
import { GateId } from '../versions/gate-id';

/** The fields of a Cluster, provisioning or management, that customize an agent. */
export const AGENT_CUSTOMIZATIONS = ['clusterAgentDeploymentCustomization', 'fleetAgentDeploymentCustomization'] as const;

const SAYS_DISABLED = `the '${FEATURE_AGENT_SCHEDULING}' feature must be enabled in order to configure a Priority Class or Pod Disruption Budget`;
const SAYS_REMOVAL_ONLY = `'${FEATURE_AGENT_SCHEDULING}' feature is disabled, will only permit removal of Scheduling Customization fields until reenabled`;

/**
 * What Rancher refuses in the scheduling of its agents: values, and anything at all as long as the feature is off.
 *
 * @param definition whether the kind has a structural definition that judges the values before the webhook does
 */
export function* judgeAgentScheduling(object: JudgedObject, world: World, definition: boolean): Iterable<Problem> {
  const before = world.beforeOf(object);
  for (const agent of AGENT_CUSTOMIZATIONS) {
    const path = `spec.${agent}.schedulingCustomization`;
    const scheduling = schedulingOf(object.manifest, agent);
    if (!isRecord(scheduling)) { continue; }
    const lacks = rancherLacks(object.target, GateId.SCHEDULING_CUSTOMIZATION);
    if (lacks) {
      yield { path, message: `is ignored: ${lacks}`, fix: 'leave it out, or upgrade Rancher' };
      continue;
    }
    yield* judgeDisruptionBudget(object, `${path}.podDisruptionBudget`, scheduling.podDisruptionBudget, definition);
    yield* checkPriorityClass(`${path}.priorityClass`, scheduling.priorityClass);
    const old = before && schedulingOf(before, agent);
    for (const field of ['podDisruptionBudget', 'priorityClass']) {
      if (isRecord(scheduling[field])) {
        yield* judgeFeature(object, world, `${path}.${field}`, scheduling[field], valueAt(old, field));
      }
    }
  }
}

/**
 * What Rancher refuses in a disruption budget. Where its version is not known, what only a structural definition refuses is a warning.
 */
export function judgeDisruptionBudget({ target }: JudgedObject, path: string, budget: unknown, definition: boolean): Problem[] {
  const structural = definition ? rancherHas(target, GateId.STRUCTURAL_CLUSTER_DEFINITION) : false;
  const refused = [...checkDisruptionBudget(path, budget, structural ? 'definition' : 'webhook')];
  if (structural !== undefined || refused.length > 0) { return refused; }
  return [...checkDisruptionBudget(path, budget, 'definition')].map((problem) => ({ ...problem, level: 'warning' }));
}

function schedulingOf(manifest: Manifest, agent: string): unknown {
  return valueAt(manifest, 'spec', agent, 'schedulingCustomization');
}

// what stands there already may stay while the feature is off, so that a cluster can still be edited
function* judgeFeature(object: JudgedObject, world: World, path: string, now: unknown, before: unknown): Iterable<Problem> {
  const enabled = featureEnabled(object, world);
  const existed = isRecord(before);
  if (enabled === true || (existed && sameValue(now, before))) { return; }
  const fix = `enable the feature ${FEATURE_AGENT_SCHEDULING} on Rancher first, it is off by default`;
  const says = existed ? SAYS_REMOVAL_ONLY : SAYS_DISABLED;
  if (enabled === false) {
    yield { path, message: `needs the feature ${FEATURE_AGENT_SCHEDULING}, which is off`, fix, says };
  } else if (!existed && !world.exists(object)) {
    yield { path, message: `is refused unless the feature ${FEATURE_AGENT_SCHEDULING} is on`, fix, says, level: 'warning' };
  }
}

/** Whether the feature is on; undefined where no Feature object of the target says so. */
function featureEnabled(object: JudgedObject, world: World): boolean | undefined {
  const feature = world.find(object, GROUPS.MANAGEMENT, 'Feature', undefined, FEATURE_AGENT_SCHEDULING)?.manifest;
  const value = valueAt(feature, 'spec', 'value') ?? valueAt(feature, 'status', 'default');
  return typeof value === 'boolean' ? value : undefined;
}
