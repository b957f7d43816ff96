import { SizeRoundingBehavior } from 'cdk8s';
import { gibibytes } from './_machine-config';
import { ClusterContext } from './_parts';
import { MachinePool } from './machine-pool';
import { isLate } from '../model/late-token';
import { isExpanded } from '../model/machine-config/process-argument';
import { Problem } from '../model/problem';
import { inlineText } from '../model/yaml-scalar';

/** What is wrong with processor, memory, firmware, login and cloud-init of a pool's machines. */
export function checkMachineHardware(context: ClusterContext, pool: MachinePool): Problem[] {
  return [
    ...checkCpus(pool), ...checkMemory(pool), ...checkFirmware(pool), ...checkLogin(pool), ...checkCloudInit(pool), ...checkAffinity(context, pool),
  ];
}

function checkCpus({ cpus, cpuModel, cpuPinning, isolateEmulatorThread }: MachinePool): Problem[] {
  return [
    ...(Number.isInteger(cpus) && cpus > 0 ? [] : [{
      path: 'cpus', value: cpus, message: 'is no number of CPUs', fix: 'give a whole number from 1',
    }]),
    ...(cpuModel === undefined || /^[A-Za-z0-9][-A-Za-z0-9._]*$/.test(cpuModel) ? [] : [{
      path: 'cpuModel', value: cpuModel, message: 'is no model of a CPU', fix: 'use one that Harvester\'s UI offers, e.g. host-passthrough',
    }]),
    ...(isolateEmulatorThread && !cpuPinning ? [{
      path: 'isolateEmulatorThread',
      message: 'needs cpuPinning',
      fix: 'set cpuPinning too',
      says: 'IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement',
    }] : []),
  ];
}

function checkMemory({ memory, reservedMemory }: MachinePool): Problem[] {
  const gib = gibibytes(memory);
  if (!Number.isInteger(gib) || gib < 1) {
    return [{
      path: 'memory',
      value: memory.asString(),
      message: 'is no whole number of GiB, which is all that Rancher\'s node driver takes',
      fix: `give Size.gibibytes(${Math.max(1, Math.ceil(gib))}), that is ${Math.max(1, Math.ceil(gib)) * 1024} MiB`,
    }];
  }
  const mib = reservedMemory?.toMebibytes({ rounding: SizeRoundingBehavior.NONE });
  if (mib === undefined) { return []; }
  if (!Number.isInteger(mib) || mib < 1) {
    return [{
      path: 'reservedMemory',
      value: reservedMemory!.asString(),
      message: 'is no whole number of MiB, which is all that Rancher\'s node driver takes',
      fix: 'round it',
    }];
  }
  return mib < gib * 1024 ? [] : [{
    path: 'reservedMemory',
    value: reservedMemory!.asString(),
    message: `leaves nothing of ${memory.asString()}`,
    fix: 'reserve less than the memory',
    says: 'reservedMemory cannot be equal or greater than limits.memory',
  }];
}

function checkFirmware({ efi, secureBoot, vgpus = [] }: MachinePool): Problem[] {
  return [
    ...(secureBoot && !efi ? [{ path: 'secureBoot', message: 'needs efi', fix: 'set efi too', says: 'enable secure boot requires enable EFI' }] : []),
    ...vgpus.flatMap(({ _deviceName: value }, index) => (/^[a-z0-9.-]+\/[-A-Za-z0-9_.]+$/.test(value) ? [] : [{
      path: `vgpus[${index}]`, value, message: 'is no resource of a virtual GPU', fix: 'give <vendor>/<type>, e.g. nvidia.com/NVIDIA_A2-2Q, or use VGpu.nvidia',
    }])),
  ];
}

function checkLogin({ sshUser, sshPassword, sshPort }: MachinePool): Problem[] {
  const problems: Problem[] = [];
  if (sshUser !== undefined && !/^[a-z_][-a-z0-9_.]{0,31}$/.test(sshUser)) {
    problems.push({ path: 'sshUser', value: sshUser, message: 'is no login name', fix: 'give the user of the image, e.g. ubuntu' });
  }
  if (sshPort !== undefined && (!Number.isInteger(sshPort) || sshPort < 1 || sshPort > 65535)) {
    problems.push({ path: 'sshPort', value: sshPort, message: 'is no port', fix: 'give 1 to 65535' });
  }
  const password = sshPassword?._unwrap();
  if (password === undefined || isLate(password)) { return problems; }
  if (inlineText(password) !== password || isExpanded(password)) {
    problems.push({
      path: 'sshPassword',
      message: 'holds what the node driver can not pass on: it writes the password into YAML without quotes, behind Kubernetes\' own `$`',
      fix: 'use letters, digits, - and _, not digits alone, or a user with a passwordHash in cloudInit',
    });
  }
  return problems;
}

function checkCloudInit({ cloudInit, networkData, quantity = 1, autoscaling }: MachinePool): Problem[] {
  const key = cloudInit?._hostnameKey();
  return [
    ...(key === undefined ? [] : [{
      path: 'cloudInit',
      value: key,
      message: 'settles the host name: every machine of the pool would have the same, and no node that of its virtual machine, by which the '
        + 'Harvester cloud provider looks for it',
      fix: `leave ${key} out: Rancher gives each machine the name of its virtual machine`,
    }]),
    ...(networkData?._isStatic && (quantity > 1 || autoscaling) ? [{
      path: 'networkData',
      message: 'gives a fixed address to each machine of a pool of several',
      fix: 'make one pool a machine, each with quantity 1 and its own address, or use DHCP',
    }] : []),
  ];
}

function checkAffinity({ vmNamespace = '', name: cluster }: ClusterContext, { name: pool, affinity }: MachinePool): Problem[] {
  return affinity ? affinity._check('affinity', { vmNamespace, cluster, pool }) : [];
}
