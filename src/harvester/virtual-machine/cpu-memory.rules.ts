import { ANNOTATION_HOTPLUG, instanceOf, isHotplug, MACHINE_KINDS } from './machine-manifest.facts';
import { isLate } from '../../core/late/late-token';
import { isRecord, Manifest, records, sameValue, valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { errorIf, needs } from '../../core/rule/kit/relations';
import { JudgedObject, World } from '../../core/rule/rule';
import { compare, quantityOf } from '../../core/text/values';
import { hasFeature } from '../../core/version/target-features';
import { HarvesterGate } from '../version/harvester-version';

/**
 * The label of nodes with the CPU manager, which Harvester asks for in the affinity of VMs with
 * pinned CPUs.
 * @see kubevirt/api:core/v1/types.go CPUManager
 */
const CPU_MANAGER = 'cpumanager';

const REQUIRED = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'];
const PATH = `spec.template.spec.${REQUIRED.join('.')}`;

/** The expressions on the CPU manager in the required node affinity of a VM, sorted. */
function termsOf(machine: Manifest): readonly string[] {
  const terms = records(instanceOf(machine), ...REQUIRED, 'nodeSelectorTerms');
  const expressions = terms.flatMap(([, term]) => records(term.matchExpressions));
  return expressions
    .filter(([, { key }]) => key === CPU_MANAGER)
    .map(([, { operator, values }]) => JSON.stringify([operator, values]))
    .sort(compare);
}

/**
 * Whether a VM has pinned CPUs and required terms of its own, to which Harvester adds the label.
 */
function isPinnedByTerms(machine: Manifest): boolean {
  const instance = instanceOf(machine);
  const terms = records(instance, ...REQUIRED, 'nodeSelectorTerms');
  return valueAt(instance, 'domain', 'cpu', 'dedicatedCpuPlacement') === true && terms.length > 0;
}

const DOMAIN = 'spec.template.spec.domain';
const GUEST_PATH = `${DOMAIN}.memory.guest`;
const MIB = 1024 ** 2;

/** KubeVirt's conditions for CPU and memory that are added while a VM runs. */
function* checkHotplug(machine: Manifest): Iterable<Problem> {
  const domain = valueAt(instanceOf(machine), 'domain');
  yield* checkMaxSockets(domain);
  yield* checkMaxGuest(domain);
}

function* checkMaxSockets(domain: unknown): Iterable<Problem> {
  const sockets = valueAt(domain, 'cpu', 'sockets');
  const maxSockets = valueAt(domain, 'cpu', 'maxSockets');
  if (
    typeof sockets === 'number' &&
    typeof maxSockets === 'number' &&
    maxSockets !== 0 &&
    sockets > maxSockets
  ) {
    yield {
      path: `${DOMAIN}.cpu.sockets`,
      value: sockets,
      message: `must be at most ${maxSockets}, the maxSockets of the VM`,
      fix: 'increase maxSockets, or set fewer sockets',
      says: 'Number of sockets in CPU topology is greater than the maximum sockets allowed',
    };
  }
}

function* checkMaxGuest(domain: unknown): Iterable<Problem> {
  const guest = valueAt(domain, 'memory', 'guest');
  const maxGuest = valueAt(domain, 'memory', 'maxGuest');
  if (maxGuest === undefined || isLate(guest) || isLate(maxGuest)) {
    return;
  }
  const at = { path: GUEST_PATH, value: guest };
  const bytes = quantityOf(guest);
  const most = quantityOf(maxGuest);
  if (bytes === undefined) {
    yield {
      ...at,
      message: 'must be set: the VM has maxGuest',
      fix: 'set the memory that the VM starts with',
      says: 'Guest memory must be configured when memory hotplug is enabled',
    };
    return;
  }
  if (most !== undefined && bytes > most) {
    yield {
      ...at,
      message: `must be at most ${String(maxGuest)}, the maxGuest of the VM`,
      fix: 'increase maxGuest, or set less memory',
      says: 'Guest memory is greater than the configured maxGuest memory',
    };
  }
  if (bytes < 1024 * MIB) {
    yield {
      ...at,
      message: 'must be at least 1Gi: memory can be added to the VM',
      fix: 'set 1Gi or more',
      says: 'Memory hotplug is only available for VMs with at least 1Gi of guest memory',
    };
  }
  yield* checkAligned('guest', guest, 'Guest memory must be 2Mi aligned');
  yield* checkAligned('maxGuest', maxGuest, 'MaxGuest must be 2Mi aligned');
}

function* checkAligned(field: string, value: unknown, says: string): Iterable<Problem> {
  const size = quantityOf(value);
  if (size === undefined || size % (2 * MIB) === 0) {
    return;
  }
  yield {
    path: `${DOMAIN}.memory.${field}`,
    value,
    message: 'must be a multiple of 2Mi: memory can be added to the VM',
    fix: 'set an even number of Mi',
    says,
  };
}

const SOCKETS = `${DOMAIN}.cpu.sockets`;

/** What an edit changes if the server judges the sockets again. */
const JUDGED_PARTS = [['cpu'], ['memory'], ['resources'], ['devices', 'hostDevices']];

/** Whether Harvester limits a VM to one socket, and the VM has more. */
function hasTooManySockets({ manifest }: Pick<JudgedObject, 'manifest'>): boolean {
  const instance = instanceOf(manifest);
  const sockets = valueAt(instance, 'domain', 'cpu', 'sockets');
  const isArm = valueAt(instance, 'architecture') === 'arm64';
  return typeof sockets === 'number' && sockets > 1 && !isHotplug(manifest) && !isArm;
}

function socketProblem({ manifest, target }: JudgedObject): Problem {
  return {
    path: SOCKETS,
    value: valueAt(instanceOf(manifest), 'domain', 'cpu', 'sockets'),
    level: errorIf(hasFeature(target, HarvesterGate.SOCKETS_LIMITED)),
    message:
      'must be 1 without hotplug: Harvester 1.6.1 to 1.8 writes maxSockets 1, which KubeVirt compares',
    fix: `use cores or threads, or the annotation ${ANNOTATION_HOTPLUG}: "true" with maxSockets, or upgrade Harvester to 1.9`,
    says: 'Number of sockets in CPU topology is greater than the maximum sockets allowed',
  };
}

/** The part of a VM into which Harvester cannot write the CPUs. */
function lackOfCpu(object: JudgedObject, world: World): Problem | undefined {
  const { manifest } = object;
  const template = valueAt(manifest, 'spec', 'template');
  const says =
    'replace operation does not apply: doc is missing path: /spec/template/spec/domain/cpu';
  if (isRecord(template) && (template.spec ?? undefined) === undefined) {
    return { path: 'spec.template.spec', message: 'must be set', fix: 'describe the VM', says };
  }
  const instance = instanceOf(manifest);
  const lacks =
    isRecord(instance.domain) &&
    (instance.domain.cpu ?? undefined) === undefined &&
    valueAt(instance.domain, 'resources', 'limits', 'memory') !== undefined;
  if (
    lacks &&
    !world.exists(object) &&
    !isHotplug(manifest) &&
    instance.architecture !== 'arm64' &&
    valueAt(manifest, 'spec', 'instancetype') === undefined
  ) {
    return {
      path: `${DOMAIN}.cpu`,
      message: 'must be set',
      fix: 'set cores, sockets, and threads',
      says,
    };
  }
  return undefined;
}

/**
 * Rules on CPU and memory of virtual machines: the CPU manager, and what can be added while they
 * run.
 */
export const CPU_MEMORY_RULES = rules({ kinds: MACHINE_KINDS, surelyOn: 'harvester' }, [
  {
    id: 'virtual-machine/hotplug',
    what: 'a virtual machine whose CPU and memory can be added while it runs begins with at most the maximum, at least 1Gi, and whole blocks of 2Mi',
    source:
      'kubevirt/kubevirt:pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go validateLiveUpdateFeatures; pkg/liveupdate/memory/memory.go',
    // without the annotation, Harvester itself writes guest and maxSockets
    when: ({ manifest }) => isHotplug(manifest),
    judge: ({ manifest }) => checkHotplug(manifest),
  },
  {
    id: 'virtual-machine/sockets',
    what: 'a virtual machine without hotplug has one CPU socket on Harvester 1.6.1 to 1.8',
    source:
      'harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go generateMemoryPatch; harvester/harvester#10757; ' +
      'kubevirt/kubevirt:pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go validateCPUHotplug; seen on Harvester 1.8.2',
    gate: HarvesterGate.SOCKETS_LIMITED,
    creation: true,
    when: hasTooManySockets,
    judge: socketProblem,
    judgeUpdate: (object, before, world) =>
      JUDGED_PARTS.some((part) => {
        const earlier = world.writtenBefore(object) ?? before;
        const [now, was] = [object.manifest, earlier].map((machine) =>
          valueAt(instanceOf(machine), 'domain', ...part),
        );
        return now !== undefined && was !== undefined && !sameValue(now, was);
      }) && socketProblem(object),
  },
  {
    id: 'virtual-machine/cpu',
    what: 'a virtual machine with a memory limit has cpu on Harvester 1.6.1 to 1.8, whose webhook fails without it',
    source:
      'harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go generateMemoryPatch; seen on Harvester 1.8.2',
    gate: HarvesterGate.SOCKETS_LIMITED,
    unknownVersion: 'warning',
    judge: lackOfCpu,
  },
  {
    id: 'virtual-machine/hotplug-version',
    what: 'CPU and memory can be added while a virtual machine runs from Harvester 1.6.0 on: before, the guest gets all of its limits',
    source:
      'harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go generateMemoryPatch, in v1.6.0, not in v1.5.2',
    when: ({ manifest }) => isHotplug(manifest),
    field: `metadata.annotations[${ANNOTATION_HOTPLUG}]`,
    check: needs(HarvesterGate.CPU_MEMORY_HOTPLUG),
  },
  {
    id: 'virtual-machine/cpu-manager',
    what: 'the required node affinity of a virtual machine keeps what Harvester writes into it for pinned CPUs (cpumanager)',
    says: `key ${JSON.stringify(CPU_MANAGER)} is automatically operated by Harvester controller and can't be changed manually`,
    source:
      'harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go checkCpuManagerAffinityTermChanged (1.9.0)',
    gate: HarvesterGate.CPU_MANAGER_TERM_FIXED,
    unknownVersion: 'warning',
    judge: (object, world) => {
      if (termsOf(object.manifest).length > 0) {
        return (
          !world.exists(object) && {
            path: PATH,
            message: `cannot contain ${CPU_MANAGER}, which Harvester writes for pinned CPUs`,
            fix: 'remove it',
          }
        );
      }
      return (
        hasFeature(object.target, HarvesterGate.CPU_MANAGER_TERM_FIXED) &&
        isPinnedByTerms(object.manifest) && {
          path: PATH,
          level: 'warning',
          message:
            `cannot be applied twice: Harvester adds ${CPU_MANAGER} for pinned CPUs, a server-side apply removes it ` +
            'again, and Harvester refuses that (unconfirmed)',
          fix: 'use nodeSelector or preferred terms',
        }
      );
    },
    // without required terms of its own, an apply keeps those of the server
    judgeUpdate: ({ manifest }, before) =>
      valueAt(instanceOf(manifest), ...REQUIRED) !== undefined &&
      !sameValue(termsOf(manifest), termsOf(before)) && {
        path: PATH,
        message: `must keep the expressions of the live object on ${CPU_MANAGER}: Harvester refuses every change of them`,
        fix: 'use nodeSelector or preferred terms for rules of your own, or repeat the expressions of the live object',
      },
  },
]);
