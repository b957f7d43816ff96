import { instanceOf, MACHINE_KINDS, records } from './machine-manifest.facts';
import { Manifest, sameValue, valueAt } from '../../core/manifest/manifest';
import { rules } from '../../core/rule/kit/fact';
import { compare } from '../../core/text/values';
import { hasFeature } from '../../core/version/target-features';
import { HarvesterGate } from '../version/harvester-version';

/**
 * The label of nodes with the CPU manager, which Harvester asks for in the affinity of VMs with pinned CPUs.
 * @see kubevirt/api:core/v1/types.go CPUManager
 */
const CPU_MANAGER = 'cpumanager';

const REQUIRED = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'];
const PATH = `spec.template.spec.${REQUIRED.join('.')}`;

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
  const terms = records(valueAt(instance, ...REQUIRED, 'nodeSelectorTerms'));
  return valueAt(instance, 'domain', 'cpu', 'dedicatedCpuPlacement') === true && terms.length > 0;
}

/** Rules on the CPU manager. */
export const CPU_MANAGER_RULES = rules({ kinds: MACHINE_KINDS }, [
  {
    id: 'virtual-machine/cpu-manager',
    level: 'error',
    what: 'the required node affinity of a virtual machine keeps what Harvester writes into it for pinned CPUs (cpumanager)',
    says: `key ${JSON.stringify(CPU_MANAGER)} is automatically operated by Harvester controller and can't be changed manually`,
    source: 'harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go checkCpuManagerAffinityTermChanged (1.9.0)',
    surelyOn: 'harvester',
    gate: HarvesterGate.CPU_MANAGER_TERM_FIXED,
    unknownVersion: 'warning',
    judge: (object, world) => {
      if (termsOf(object.manifest).length > 0) {
        return !world.exists(object) && {
          path: PATH, message: `cannot contain ${CPU_MANAGER}, which Harvester writes for pinned CPUs`, fix: 'remove it',
        };
      }
      return hasFeature(object.target, HarvesterGate.CPU_MANAGER_TERM_FIXED) && isPinnedByTerms(object.manifest) && {
        path: PATH,
        level: 'warning',
        message: `cannot be applied twice: Harvester adds ${CPU_MANAGER} for pinned CPUs, a server-side apply removes it `
          + 'again, and Harvester refuses that (unconfirmed)',
        fix: 'use nodeSelector or preferred terms',
      };
    },
    // without required terms of its own, an apply keeps those of the server
    judgeUpdate: ({ manifest }, before) => (
      valueAt(instanceOf(manifest), ...REQUIRED) !== undefined && !sameValue(termsOf(manifest), termsOf(before)) && {
        path: PATH,
        message: `must keep the expressions of the live object on ${CPU_MANAGER}: Harvester refuses every change of them`,
        fix: 'use nodeSelector or preferred terms for rules of your own, or repeat the expressions of the live object',
      }),
  },
]);
