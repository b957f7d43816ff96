import { VirtualMachineProps, VmHostDevice, VmNic } from './virtual-machine-props';
import { MachineIdentity, PlacedDisk, clusterNameOf, isBridged, nicName, nicsOf, placedDisks } from './virtual-machine-spec';
import { checkMachine } from './virtual-machine.check';
import { CLOUD_INIT_VOLUME, NIC_PREFIX } from './virtual-machine.kind';
import { IHarvesterTarget } from '../../core/app/target';
import { Manifest, isRecord } from '../../core/manifest/manifest';
import { RFC1123_LABEL } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { VmDisk, checkSize } from '../storage/volume';
import { HarvesterVersion } from '../version/harvester-version';

const LABEL_FIX = 'use up to 63 of a-z, 0-9 and hyphens, a letter or digit first and last';

/** What is wrong with the props of a machine, before a manifest is made of them. */
export function checkProps(machine: MachineIdentity, props: VirtualMachineProps, harvester: IHarvesterTarget): Problem[] {
  const seconds = props.terminationGracePeriod?.toSeconds({ integral: false });
  return [
    ...label('name', machine.name, 'is no name of a virtual machine'),
    ...(props.hostname === undefined ? [] : label('hostname', props.hostname, 'is no host name')),
    ...(Number.isInteger(props.cpus) && props.cpus >= 1 ? [] : [{
      path: 'cpus', value: props.cpus, message: 'is no number of processors', fix: 'give a whole number from 1',
    }]),
    ...checkSize('memory', props.memory),
    ...(props.reservedMemory ? checkSize('reservedMemory', props.reservedMemory) : []),
    ...(seconds === undefined || Number.isInteger(seconds) ? [] : [{
      path: 'terminationGracePeriod', value: seconds, message: 'is no number of whole seconds', fix: 'give whole seconds',
    }]),
    ...(props.secureBoot && !props.efi ? [{ path: 'secureBoot', message: 'needs efi', fix: 'set efi too' }] : []),
    ...(props.isolateEmulatorThread && !props.cpuPinning ? [{
      path: 'isolateEmulatorThread', message: 'needs cpuPinning', fix: 'set cpuPinning too',
    }] : []),
    ...checkDisks(machine, props, harvester),
    ...checkNics(props, harvester),
    ...checkCloudInit(machine, props, harvester),
    ...checkAffinity(machine, props),
    ...checkGuest(machine, props),
    ...checkDevices('hostDevices', props.hostDevices),
    ...checkDevices('gpus', props.gpus),
  ];
}

function checkDisks(machine: MachineIdentity, props: VirtualMachineProps, harvester: IHarvesterTarget): Problem[] {
  const foreign = props.disks.flatMap((disk, index) => (isVmDisk(disk) ? [] : [foreignDisk(`disks[${index}]`, disk)]));
  if (foreign.length > 0) { return foreign; }
  const disks = placedDisks(machine, props.disks);
  if (disks.length === 0) {
    return [{ path: 'disks', message: 'has no disk', fix: 'give one, e.g. VmDisk.image(image, Size.gibibytes(40))' }];
  }
  const claims = disks.map(({ claimName }) => claimName);
  return disks.flatMap((placed, index) => [
    ...checkDisk(`disks[${index}]`, placed, machine, harvester),
    ...(placed.claimName === undefined || claims.indexOf(placed.claimName) === index ? [] : [{
      path: `disks[${index}]`, value: placed.claimName, message: 'is the volume of two disks', fix: 'give each disk a volume of its own',
    }]),
  ]);
}

/** By what it has, not by its class: two copies of the library in one program have two of these. */
function isVmDisk(disk: unknown): disk is VmDisk {
  return isRecord(disk) && '_cdRom' in disk && isRecord(disk._options);
}

/** TypeScript refuses it; a program in JavaScript gets this far. */
function foreignDisk(path: string, disk: unknown): Problem {
  const [got, fix] = isRecord(disk) && '_kind' in disk
    ? ['a Disk, which is for the machines of a pool', 'use VmDisk with the same arguments, e.g. VmDisk.image(image, size)']
    : [disk === null ? 'null' : Array.isArray(disk) ? 'a list' : typeof disk, 'use VmDisk, e.g. VmDisk.image(image, Size.gibibytes(40))'];
  return { path, message: `must be a VmDisk, got ${got}`, fix };
}

function checkDisk(path: string, { disk, name, claimName }: PlacedDisk, machine: MachineIdentity, harvester: IHarvesterTarget): Problem[] {
  const { _claim: claim, _volume: volume } = disk;
  return [
    ...label(`${path}.name`, name, 'is no name of a disk'),
    ...(name === CLOUD_INIT_VOLUME ? [{
      path: `${path}.name`,
      value: name,
      message: 'is that of the disk with cloud-init',
      fix: 'give another',
    }] : []),
    ...(claim && claimName !== undefined && !/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(claimName) ? [{
      path: `${path}.volumeName`, value: claimName, message: 'is no name of a PersistentVolumeClaim', fix: 'use a-z, 0-9, hyphens and dots',
    }] : []),
    ...(claim ? checkSize(`${path}.size`, claim.size) : []),
    ...elsewhere(path, claim?.image?.imageId, claim?.image?.harvester, harvester),
    ...elsewhere(path, claim?.storageClass?.storageClassName, claim?.storageClass?.harvester, harvester),
    ...elsewhere(path, volume?.volumeName, volume?.harvester, harvester),
    ...otherNamespace(path, volume?.volumeName, volume?.namespace, machine),
    ...(disk._options.hotPluggable && disk._container !== undefined ? [{
      path: `${path}.hotPluggable`, message: 'does not go with a container image', fix: 'leave it out',
    }] : []),
  ];
}

function checkNics(props: VirtualMachineProps, harvester: IHarvesterTarget): Problem[] {
  return nicsOf(props).flatMap((nic, index) => [
    ...label(`nics[${index}].name`, nicName(nic, index), 'is no name of a network card'),
    ...elsewhere(`nics[${index}]`, nic._network?.networkId, nic._network?.harvester, harvester),
    ...(nic._options.managedTap ? checkManagedTap(`nics[${index}].managedTap`, nic, harvester) : []),
  ]);
}

function checkManagedTap(path: string, { _network: network }: VmNic, harvester: IHarvesterTarget): Problem[] {
  const fix = 'leave it out, or give VmNic.network an OverlayNetwork';
  if (!network) { return [{ path, value: true, message: 'cannot be set for a card in the management network', fix }]; }
  if (isBridged(network)) { return [{ path, value: true, message: `is for overlay networks only: ${network.networkId} is a bridge`, fix }]; }
  const lacks = FeatureGates.of(GateId.NETWORK_OVERLAY).problem(HarvesterVersion.parse(harvester.version));
  return lacks ? [{ path, value: true, message: lacks, fix: 'leave it out, or upgrade Harvester' }] : [];
}

function checkCloudInit(machine: MachineIdentity, props: VirtualMachineProps, harvester: IHarvesterTarget): Problem[] {
  const { cloudInitSecret: secret, sshKeys = [] } = props;
  const beside = (['cloudInit', 'networkData', 'sshKeys'] as const).filter((prop) => props[prop] !== undefined);
  return [
    ...(secret && beside.length > 0 ? [{
      path: 'cloudInitSecret',
      value: secret.secretName,
      message: `does not go with ${beside.join(', ')}, which would not be in it`,
      fix: 'give one of both',
    }] : []),
    ...elsewhere('cloudInitSecret', secret?.secretName, secret?.harvester, harvester),
    ...otherNamespace('cloudInitSecret', secret?.secretName, secret?.namespace, machine),
    ...sshKeys.flatMap((key, index) => elsewhere(`sshKeys[${index}]`, key.keyPairId, key.harvester, harvester)),
  ];
}

function checkAffinity(machine: MachineIdentity, props: VirtualMachineProps): Problem[] {
  const { affinity } = props;
  const cluster = clusterNameOf(props);
  if (!affinity) { return []; }
  if (affinity._isRelativeTo('pool')) {
    return [{
      path: 'affinity',
      message: 'speaks of machines of the same pool, and this one is in none',
      fix: 'use VmSelector.labels, with labels that instanceLabels give',
    }];
  }
  if (cluster === undefined && affinity._isRelativeTo('cluster')) {
    return [{
      path: 'affinity',
      message: 'speaks of machines of the same cluster, and this one is a node of none',
      fix: 'give guestCluster, or use VmSelector.labels',
    }];
  }
  return affinity._check('affinity', { vmNamespace: machine.namespace, cluster: cluster ?? '', pool: '' });
}

// the cloud provider looks for the virtual machine of a node by the name of the node
function checkGuest(machine: MachineIdentity, props: VirtualMachineProps): Problem[] {
  const { guestCluster, guestClusterName, hostname } = props;
  const cluster = clusterNameOf(props);
  if (cluster === undefined) { return []; }
  const named = props.cloudInit?._hostnameKey();
  const cards = nicsOf(props).map(nicName);
  return [
    ...(guestCluster && guestClusterName !== undefined ? [{
      path: 'guestClusterName', value: guestClusterName, message: 'stands beside guestCluster', fix: 'give one of both',
    }] : []),
    ...label(guestCluster ? 'guestCluster' : 'guestClusterName', cluster, 'is no name of a cluster'),
    ...(hostname === undefined || hostname === machine.name ? [] : [{
      path: 'hostname',
      value: hostname,
      message: 'is not the name of the virtual machine, by which the cloud provider looks for the node',
      fix: 'leave it out',
    }]),
    ...(named === undefined ? [] : [{
      path: 'cloudInit',
      value: named,
      message: 'names the node, and the cloud provider looks for it by the name of the virtual machine',
      fix: `leave ${named} out`,
    }]),
    ...(cards.some((name) => /^nic-\d+$/.test(name)) ? [] : [{
      path: 'nics',
      value: cards,
      message: `has no card called ${NIC_PREFIX}<number>, by which Harvester finds the address of a node`,
      fix: 'give VmNic.network(network)',
    }]),
  ];
}

function checkDevices(prop: string, devices: readonly VmHostDevice[] = []): Problem[] {
  const names = devices.map(({ name }) => name);
  return devices.flatMap(({ name, deviceName }, index): Problem[] => [
    ...(names.indexOf(name) === index ? [] : [{
      path: `${prop}[${index}].name`,
      value: name,
      message: 'is the name of two devices',
      fix: 'give each device once',
    }]),
    ...(/^[a-z0-9.-]+\/[-A-Za-z0-9_.]+$/.test(deviceName) ? [] : [{
      path: `${prop}[${index}].deviceName`,
      value: deviceName,
      message: 'is no resource of a device',
      fix: 'give <vendor>/<type>, as the PCIDevice says in status.resourceName',
    }]),
  ]);
}

const PROPS: readonly (readonly [pattern: RegExp, prop: string])[] = [
  [/^spec\.template\.spec\.domain\.devices\.disks/, 'disks'],
  [/^spec\.template\.spec\.domain\.devices\.interfaces/, 'nics'],
  [/^spec\.template\.spec\.networks/, 'nics'],
  [/^spec\.template\.spec\.terminationGracePeriodSeconds/, 'terminationGracePeriod'],
  [/^metadata\.annotations\[harvesterhci\.io\/reservedMemory\]/, 'reservedMemory'],
];

/** What the server would refuse of the manifest, in the words of props. */
export function checkManifest(manifest: Manifest): Problem[] {
  return [...checkMachine(manifest)].map((problem) => {
    const rule = PROPS.find(([pattern]) => pattern.test(problem.path));
    return { ...problem, path: rule ? problem.path.replace(rule[0], rule[1]).replace(/\.(?:cdrom|disk)\.bus$/, '.bus') : problem.path };
  });
}

function label(path: string, value: string, message: string): Problem[] {
  return RFC1123_LABEL.test(value) ? [] : [{ path, value, message, fix: LABEL_FIX }];
}

function elsewhere(path: string, value: string | undefined, given: IHarvesterTarget | undefined, harvester: IHarvesterTarget): Problem[] {
  return !given || given === harvester ? [] : [{
    path, value, message: `is on ${given.targetName}, and the machine on ${harvester.targetName}`, fix: `give one of ${harvester.targetName}`,
  }];
}

function otherNamespace(path: string, value: string | undefined, namespace: string | undefined, machine: MachineIdentity): Problem[] {
  return namespace === undefined || namespace === machine.namespace ? [] : [{
    path,
    value: `${namespace}/${value}`,
    message: `is in another namespace than the machine, which is in ${machine.namespace}`,
    fix: 'use one namespace',
  }];
}
