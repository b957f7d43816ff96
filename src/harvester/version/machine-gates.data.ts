import { HARVESTER_PRODUCT, HarvesterGate } from './harvester-version';
import { GateRow } from '../../core/version/feature-gate';

const product = HARVESTER_PRODUCT;

/** What Harvester's version decides of virtual machines. */
export const MACHINE_GATES: readonly GateRow[] = [
  {
    id: HarvesterGate.VM_PERSISTENT_STATE,
    product,
    since: ['1.5.0'],
    what: 'a TPM and EFI variables of a virtual machine that are kept when it stops',
    source: 'harvester/harvester deploy/charts/harvester/values.yaml vmStateStorageClass, in v1.5.0, not in v1.4.3',
  },
  {
    id: HarvesterGate.CPU_MEMORY_HOTPLUG,
    product,
    since: ['1.6.0'],
    what: 'hotplug of CPUs and memory of a virtual machine',
    source: 'harvester/harvester pkg/webhook/resources/virtualmachine/mutator.go generateMemoryPatch, in v1.6.0, not in v1.5.2',
  },
  {
    id: HarvesterGate.STATIC_ADDRESSES,
    product,
    since: ['1.9.0'],
    what: 'a static address of a virtual machine in an overlay network',
    source: 'harvester/harvester pkg/webhook/resources/virtualmachineinstance/mutator.go generateKubeOVNStaticIPPatch, in v1.9.0-rc6, not in v1.8.2',
  },
  {
    id: HarvesterGate.VM_FILESYSTEMS,
    product,
    since: ['1.8.0'],
    what: 'a file system of a ConfigMap, Secret or ServiceAccount in a virtual machine',
    source: 'harvester/harvester deploy/charts/harvester/values.yaml EnableVirtioFsConfigVolumes, in v1.8.0, not in v1.7.2',
  },
  {
    id: HarvesterGate.EMPTY_CD_ROM,
    product,
    since: ['1.8.0'],
    what: 'an empty CD-ROM drive, into which an image is inserted while the virtual machine runs',
    source: 'harvester/harvester pkg/util/virtualmachine/virtualmachine.go SupportInsertCdRomVolume, in v1.8.0, not in v1.7.0',
  },
  {
    id: HarvesterGate.SHAREABLE_DISK_CHECKED,
    product,
    since: ['1.9.0'],
    what: 'the rule that a shareable disk is a ReadWriteMany block volume that is not of Longhorn, without cache, and does not boot',
    source: 'harvester/harvester pkg/webhook/resources/virtualmachine/validator.go checkShareableVolumes, in v1.9.0-rc4 and later, not in v1.8.2',
  },
  {
    id: HarvesterGate.CPU_MANAGER_TERM_FIXED,
    product,
    since: ['1.9.0'],
    what: 'the rule that only Harvester writes the key cpumanager of a node affinity',
    source: 'harvester/harvester pkg/webhook/resources/virtualmachine/mutator.go checkCpuManagerAffinityTermChanged, in v1.9.0-rc6, not in v1.8.2',
  },
  {
    id: HarvesterGate.CPU_MANAGER,
    product,
    since: ['1.4.0'],
    what: 'the CPU manager, which pinned CPUs need',
    source: 'harvester/harvester v1.4.0',
  },
];
