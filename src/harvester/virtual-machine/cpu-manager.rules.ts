import { instanceOf, isHarvesters, MACHINE_KINDS, records } from './machine-manifest.facts';
import { Manifest, sameValue, valueAt } from '../../core/manifest/manifest';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { compare } from '../../core/text/values';
import { hasFeature } from '../../core/version/target-features';
import { HarvesterGate } from '../version/harvester-version';

/** The label of nodes with the CPU manager, which Harvester asks for in the affinity of VMs with pinned CPUs. @see kubevirt/api:core/v1/types.go CPUManager */
const CPU_MANAGER = 'cpumanager';

const REQUIRED = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'];
const PATH = `spec.template.spec.${REQUIRED.join('.')}`;
const SAYS = `key ${JSON.stringify(CPU_MANAGER)} is automatically operated by Harvester controller and can't be changed manually`;

/** The expressions on the CPU manager in the required node affinity of a VM, sorted. */
function termsOf(machine: Manifest): readonly string[] {
  return records(valueAt(instanceOf(machine), ...REQUIRED, 'nodeSelectorTerms'))
    .flatMap(([, term]) => records(term.matchExpressions))
    .filter(([, { key }]) => key === CPU_MANAGER)
    .map(([, { operator, values }]) => JSON.stringify([operator, values]))
    .sort(compare);
}

/** Whether a VM has pinned CPUs and required terms of its own, to which Harvester adds the label. */
function isPinnedByTerms(machine: Manifest): boolean {
  const instance = instanceOf(machine);
  return valueAt(instance, 'domain', 'cpu', 'dedicatedCpuPlacement') === true && records(valueAt(instance, ...REQUIRED, 'nodeSelectorTerms')).length > 0;
}

const AFFINITY: Rule = {
  id: 'virtual-machine/cpu-manager',
  level: 'error',
  kinds: MACHINE_KINDS,
  what: 'the required node affinity of a virtual machine keeps what Harvester writes into it for pinned CPUs (cpumanager)',
  says: SAYS,
  source: 'harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go checkCpuManagerAffinityTermChanged (1.9.0)',
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (!isHarvesters(object)) { return NO_PROBLEMS; }
    if (termsOf(object.manifest).length > 0) {
      return world.exists(object) ? NO_PROBLEMS : refused(object, `cannot contain ${CPU_MANAGER}, which Harvester writes for pinned CPUs`, 'remove it');
    }
    return hasFeature(object.target, HarvesterGate.CPU_MANAGER_TERM_FIXED) === true && isPinnedByTerms(object.manifest) ? [{
      path: PATH,
      level: 'warning',
      message: `cannot be applied twice: Harvester adds ${CPU_MANAGER} for pinned CPUs, a server-side apply removes it again, and Harvester refuses that (unconfirmed)`,
      fix: 'use nodeSelector or preferred terms',
      says: SAYS,
    }] : NO_PROBLEMS;
  },
  judgeUpdate(object: JudgedObject, before: Manifest): Iterable<Problem> {
    // without required terms of its own, an apply keeps those of the server
    if (!isHarvesters(object) || valueAt(instanceOf(object.manifest), ...REQUIRED) === undefined) { return NO_PROBLEMS; }
    const [now, was] = [termsOf(object.manifest), termsOf(before)];
    if (sameValue(now, was)) { return NO_PROBLEMS; }
    return refused(object, `must keep the expressions of the live object on ${CPU_MANAGER}: Harvester refuses every change of them`,
      'use nodeSelector or preferred terms for rules of your own, or repeat the expressions of the live object');
  },
};

function refused(object: JudgedObject, message: string, fix: string): Problem[] {
  const checked = hasFeature(object.target, HarvesterGate.CPU_MANAGER_TERM_FIXED);
  return checked === false ? [] : [{ path: PATH, message, fix, says: SAYS, ...(checked ? {} : { level: 'warning' as const }) }];
}

/** Rules on the CPU manager. */
export const CPU_MANAGER_RULES: readonly Rule[] = [AFFINITY];
