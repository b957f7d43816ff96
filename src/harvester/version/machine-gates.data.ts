import { HARVESTER_PRODUCT, HarvesterGate } from './harvester-version';
import { GateRow, rowsOf } from '../../core/version/feature-gate';

const harvester = rowsOf(HARVESTER_PRODUCT);

/** What Harvester's version decides of virtual machines. */
export const MACHINE_GATES: readonly GateRow[] = [
  harvester(HarvesterGate.VM_PERSISTENT_STATE, ['1.5.0'], 'a TPM and EFI variables of a virtual machine that are kept when it stops',
    'harvester/harvester deploy/charts/harvester/values.yaml vmStateStorageClass, in v1.5.0, not in v1.4.3'),
  harvester(HarvesterGate.CPU_MEMORY_HOTPLUG, ['1.6.0'], 'hotplug of CPUs and memory of a virtual machine',
    'harvester/harvester pkg/webhook/resources/virtualmachine/mutator.go generateMemoryPatch, in v1.6.0, not in v1.5.2'),
  harvester(HarvesterGate.STATIC_ADDRESSES, ['1.9.0'], 'a static address of a virtual machine in an overlay network',
    'harvester/harvester pkg/webhook/resources/virtualmachineinstance/mutator.go generateKubeOVNStaticIPPatch, in v1.9.0-rc6, not in v1.8.2'),
  harvester(HarvesterGate.VM_FILESYSTEMS, ['1.8.0'], 'a file system of a ConfigMap, Secret or ServiceAccount in a virtual machine',
    'harvester/harvester deploy/charts/harvester/values.yaml EnableVirtioFsConfigVolumes, in v1.8.0, not in v1.7.2'),
  harvester(HarvesterGate.EMPTY_CD_ROM, ['1.8.0'], 'an empty CD-ROM drive, into which an image is inserted while the virtual machine runs',
    'harvester/harvester pkg/util/virtualmachine/virtualmachine.go SupportInsertCdRomVolume, in v1.8.0, not in v1.7.0'),
  harvester(HarvesterGate.SHAREABLE_DISK_CHECKED, ['1.9.0'],
    'the rule that a shareable disk is a ReadWriteMany block volume that is not of Longhorn, without cache, and does not boot',
    'harvester/harvester pkg/webhook/resources/virtualmachine/validator.go checkShareableVolumes, in v1.9.0-rc4 and later, not in v1.8.2'),
  harvester(HarvesterGate.CPU_MANAGER_TERM_FIXED, ['1.9.0'], 'the rule that only Harvester writes the key cpumanager of a node affinity',
    'harvester/harvester pkg/webhook/resources/virtualmachine/mutator.go checkCpuManagerAffinityTermChanged, in v1.9.0-rc6, not in v1.8.2'),
  harvester(HarvesterGate.CPU_MANAGER, ['1.4.0'], 'the CPU manager, which pinned CPUs need',
    'harvester/harvester v1.4.0'),
];
