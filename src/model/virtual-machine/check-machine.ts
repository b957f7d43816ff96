import { checkDisks, checkNetworkCards } from './check-devices';
import { checkClaims } from './claims';
import { ANNOTATION_RESERVED_MEMORY } from './names';
import { annotationsOf } from '../checks/metadata-maps';
import { quantityOf } from '../checks/quantity';
import { isLate } from '../late-token';
import { isRecord, Manifest, valueAt } from '../manifest';
import { Problem } from '../problem';

/** Where the description of a machine's instance stands. */
export const INSTANCE_PATH = 'spec.template.spec';

const RUN_STRATEGIES: readonly string[] = ['Always', 'RerunOnFailure', 'Halted', 'Manual', 'Once', 'WaitAsReceiver'];

/** KubeVirt's limit for user data that stands in the machine itself, in bytes. */
const MAX_INLINE_DATA = 2048;

/**
 * What Harvester and KubeVirt refuse in a virtual machine by itself.
 *
 * @see harvester/harvester:pkg/webhook/resources/virtualmachine/validator.go
 * @see kubevirt/kubevirt:pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go
 */
export function* checkMachine(machine: Manifest): Iterable<Problem> {
  yield* checkRunning(machine);
  yield* checkClaims(machine);
  const instance = valueAt(machine, 'spec', 'template', 'spec');
  if (!isRecord(instance)) { return; }
  yield* checkMemory(machine, instance);
  yield* checkCpu(instance);
  yield* checkFirmware(instance);
  const grace = instance.terminationGracePeriodSeconds;
  if (typeof grace === 'number' && grace < 0) {
    yield {
      path: `${INSTANCE_PATH}.terminationGracePeriodSeconds`,
      value: grace,
      message: 'is negative',
      fix: 'give 0 or more',
      says: 'Termination grace period can\'t be negative',
    };
  }
  yield* checkDisks(instance);
  yield* checkNetworkCards(instance);
  yield* checkInlineData(instance);
}

function* checkRunning({ spec }: Manifest): Iterable<Problem> {
  const [running, runStrategy] = [valueAt(spec, 'running'), valueAt(spec, 'runStrategy')];
  const given = (value: unknown) => value !== undefined && value !== null;
  if (given(running) && given(runStrategy)) {
    yield {
      path: 'spec.running',
      value: running,
      message: 'does not go with runStrategy',
      fix: 'leave it out',
      says: 'Running and RunStrategy are mutually exclusive',
    };
  } else if (!given(running) && !given(runStrategy) && isRecord(spec)) {
    yield {
      path: 'spec.runStrategy',
      message: 'is missing',
      fix: 'give RerunOnFailure, as Harvester\'s UI does',
      says: 'One of Running or RunStrategy must be specified',
    };
  } else if (typeof runStrategy === 'string' && !isLate(runStrategy) && !RUN_STRATEGIES.includes(runStrategy)) {
    yield {
      path: 'spec.runStrategy',
      value: runStrategy,
      message: 'is no run strategy',
      fix: `use ${RUN_STRATEGIES.slice(0, -1).join(', ')}`,
      says: `Invalid RunStrategy (${runStrategy})`,
    };
  }
}

function* checkMemory(machine: Manifest, instance: { readonly [field: string]: unknown }): Iterable<Problem> {
  const limit = quantityOf(valueAt(instance, 'domain', 'resources', 'limits', 'memory'));
  const guest = valueAt(instance, 'domain', 'memory', 'guest');
  // an instance type brings memory of its own
  const sized = valueAt(machine, 'spec', 'instancetype') !== undefined;
  if (!limit && (guest === undefined || guest === null) && !sized && !isLate(valueAt(instance, 'domain', 'resources', 'limits', 'memory'))) {
    yield {
      path: `${INSTANCE_PATH}.domain`,
      message: 'has no memory',
      fix: 'give resources.limits.memory, from which Harvester reckons what the guest gets',
      says: 'either memory.guest or resources.limits.memory must be set',
    };
  }
  const path = `metadata.annotations[${ANNOTATION_RESERVED_MEMORY}]`;
  const given = annotationsOf(machine)[ANNOTATION_RESERVED_MEMORY];
  if (typeof given !== 'string' || given === '' || isLate(given) || limit === undefined || limit === 0) { return; }
  const reserved = quantityOf(given);
  if (reserved === undefined) {
    yield { path, value: given, message: 'is no quantity', fix: 'give e.g. 256Mi', says: 'quantities must match the regular expression' };
  } else if (reserved < 0) {
    yield { path, value: given, message: 'is negative', fix: 'give e.g. 256Mi', says: 'reservedMemory cannot be less than 0' };
  } else if (reserved >= limit) {
    yield {
      path,
      value: given,
      message: 'leaves nothing of the memory',
      fix: 'reserve less than the memory',
      says: 'reservedMemory cannot be equal or greater than limits.memory',
    };
  }
}

function* checkCpu(instance: { readonly [field: string]: unknown }): Iterable<Problem> {
  const cpu = valueAt(instance, 'domain', 'cpu');
  if (valueAt(cpu, 'isolateEmulatorThread') === true && valueAt(cpu, 'dedicatedCpuPlacement') !== true) {
    yield {
      path: `${INSTANCE_PATH}.domain.cpu.isolateEmulatorThread`,
      message: 'needs dedicatedCpuPlacement',
      fix: 'set dedicatedCpuPlacement: true too',
      says: 'IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement',
    };
  }
}

function* checkFirmware(instance: { readonly [field: string]: unknown }): Iterable<Problem> {
  const efi = valueAt(instance, 'domain', 'firmware', 'bootloader', 'efi');
  const smm = valueAt(instance, 'domain', 'features', 'smm');
  // left out, it is on
  const secure = isRecord(efi) && (efi.secureBoot ?? true) === true;
  if (secure && !(isRecord(smm) && (smm.enabled ?? true) === true)) {
    yield {
      path: `${INSTANCE_PATH}.domain.firmware.bootloader.efi.secureBoot`,
      message: 'is on, as it is unless it is set to false, and needs features.smm',
      fix: 'set features.smm.enabled: true, or secureBoot: false',
      says: 'has EFI SecureBoot enabled. SecureBoot requires SMM, which is currently disabled.',
    };
  }
}

function* checkInlineData({ volumes }: { readonly [field: string]: unknown }): Iterable<Problem> {
  for (const [index, volume] of (Array.isArray(volumes) ? volumes : []).entries()) {
    for (const kind of ['cloudInitNoCloud', 'cloudInitConfigDrive']) {
      for (const [field, secret] of [['userData', 'secretRef'], ['networkData', 'networkDataSecretRef']] as const) {
        const text = valueAt(volume, kind, field);
        if (typeof text !== 'string' || isLate(text) || Buffer.byteLength(text) <= MAX_INLINE_DATA) { continue; }
        yield {
          // never the value: it may hold passwords
          path: `${INSTANCE_PATH}.volumes[${index}].${kind}.${field}`,
          message: `has ${Buffer.byteLength(text)} bytes, more than ${MAX_INLINE_DATA}`,
          fix: `put it into a Secret, and name that by ${secret}`,
          says: `exceeds ${MAX_INLINE_DATA} byte limit`,
        };
      }
    }
  }
}
