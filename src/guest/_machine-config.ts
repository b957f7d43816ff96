import { Size, SizeRoundingBehavior } from 'cdk8s';
import { Fields, NodeFile } from './_parts';
import { Disk } from './disk';
import { MachineInterface } from './machine-interface';
import { MachinePool } from './machine-pool';
import { PoolIdentity } from './vm-selector';
import { CloudInit } from '../harvester/cloud-init';
import { fileFields } from '../harvester/cloud-init/cloud-init-file';
import { defined } from '../model/defined';

/**
 * The fields of a HarvesterConfig: whole numbers as text, what is the driver's default left out.
 *
 * Every string is a contract: Rancher compares literal texts and replaces the machines of the pool when one differs, be it by a blank.
 *
 * @param encode user data and network data for the way that they take to the driver
 */
export function machineConfigFields(
  pool: MachinePool, identity: PoolIdentity, files: readonly NodeFile[], encode: (id: string, text: string) => string,
): Fields {
  const cloudInit = pool.cloudInit ?? CloudInit.of();
  const fields: Fields = {
    vmNamespace: identity.vmNamespace,
    cpuCount: String(pool.cpus),
    memorySize: String(gibibytes(pool.memory)),
    reservedMemorySize: pool.reservedMemory && String(pool.reservedMemory.toMebibytes()),
    cpuModel: pool.cpuModel,
    cpuPinning: pool.cpuPinning || undefined,
    isolateEmulatorThread: pool.isolateEmulatorThread || undefined,
    enableEfi: pool.efi || undefined,
    enableSecureBoot: pool.secureBoot || undefined,
    enableTpm: pool.tpm || undefined,
    diskInfo: JSON.stringify({ disks: pool.disks.map(diskFields) }),
    networkInfo: JSON.stringify({ interfaces: interfacesOf(pool).map(interfaceFields) }),
    vgpuInfo: pool.vgpus && pool.vgpus.length > 0 ? JSON.stringify({ vGPURequests: pool.vgpus.map((vgpu) => vgpu._request()) }) : undefined,
    vmAffinity: pool.affinity?._render(identity),
    sshUser: pool.sshUser,
    sshPassword: pool.sshPassword?._unwrap(),
    sshPort: pool.sshPort === undefined || pool.sshPort === 22 ? undefined : String(pool.sshPort),
    userData: encode('UserData', cloudInit._render(files.map(nodeFile))),
    networkData: pool.networkData && encode('NetworkData', pool.networkData.toText()),
  };
  return defined(fields);
}

/** The network cards of a pool, from either of the two props. */
export function interfacesOf({ networks, interfaces }: MachinePool): readonly MachineInterface[] {
  return interfaces ?? (networks ?? []).map((network) => ({ network }));
}

/** The place of a disk in the boot order. */
export function bootOrderOf(disk: Disk, index: number): number {
  return disk._options.bootOrder ?? index + 1;
}

/** A size in GiB, broken ones too. */
export function gibibytes(size: Size): number {
  return size.toGibibytes({ rounding: SizeRoundingBehavior.NONE });
}

/**
 * The keys stand in the order in which Rancher's UI writes those that it writes.
 * @see rancher/dashboard:pkg/harvester-manager/machine-config/harvester.vue
 */
function diskFields(disk: Disk, index: number): object {
  const { bus, hotPluggable } = disk._options;
  return {
    ...(disk._image ? { imageName: disk._image.imageId } : { storageClassName: disk._storageClassName }),
    bootOrder: bootOrderOf(disk, index),
    size: gibibytes(disk._size),
    ...(bus ? { bus } : {}),
    ...(disk._kind === 'disk' ? {} : { type: disk._kind }),
    ...(hotPluggable ? { hotPlugAble: true } : {}),
  };
}

function interfaceFields({ network, macAddress, model }: MachineInterface): object {
  return { networkName: network.networkId, macAddress: macAddress?.toLowerCase() ?? '', ...(model ? { model } : {}) };
}

// as the scripts of Harvester write the file of the cloud provider
function nodeFile({ path, content, encoding, owner = 'root:root', permissions = '0644' }: NodeFile): Fields {
  return { ...fileFields({ encoding, content, owner, path, permissions }) };
}
