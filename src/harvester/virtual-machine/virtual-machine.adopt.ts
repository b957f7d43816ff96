import {
  ANNOTATION_HOTPLUG,
  ANNOTATION_RESERVED_MEMORY,
  ANNOTATION_RUN_STRATEGY,
  ANNOTATION_SSH_NAMES,
  CLOUD_INIT_VOLUME,
  CREATOR_HARVESTER,
  CREATOR_TERRAFORM,
  LABEL_MAINTENANCE,
  LABEL_OS,
  LABEL_VM_NAME,
  STATIC_ADDRESS_PREFIX,
  TAG_PREFIX,
  cloudInitVolumeOf,
  instanceOf,
  isHotplug,
} from './machine-manifest.facts';
import { TargetKind } from '../../core/construct/target';
import {
  Draft,
  DraftProps,
  DraftValue,
  EnumValue,
  FoundObject,
  call,
  enumValue,
  Inverse,
  Surroundings,
  refer,
  referOn,
  sizeCall,
  unless,
  byName,
  declare,
} from '../../core/draft/draft';
import {
  Fields,
  Manifest,
  annotationsOf,
  at,
  isFromServer,
  isRecord,
  itemsAt,
  kindKey,
  labelsOf,
  pathOf,
  records,
  replacedAt,
  sameValue,
  valueAt,
  textsAt,
} from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { filledText } from '../../core/text/plain-text';
import { filledFields, filledList, jsonOf, quantityOf } from '../../core/text/values';
import {
  VM_CREATOR_DRIVER,
  VM_LABEL_CREATOR,
  VM_LABEL_GUEST_CLUSTER,
} from '../../guest/cluster/cluster.kind';
import { affinityOf, areNodesOfHarvester, tolerationsProp } from '../affinity/vm-affinity.adopt';
import { REQUIRED } from '../affinity/vm-affinity.check';
import { cloudInitTextCall, networkDataText } from '../cloud-init/cloud-init.adopt';
import {
  CLOUD_CONFIG_HEADER,
  checkNetworkData,
  checkUserData,
} from '../cloud-init/cloud-init.check';
import { hostDeviceProps } from '../device/device-claim.adopt';
import { DEVICE_KIND, GROUP_DEVICES } from '../device/device.kind';
import { namespacedProps, osTypeProp } from '../harvester-object.adopt';
import { VIRTUAL_MACHINE, disksOf } from '../machine/disk.adopt';
import { nicProps } from '../machine/nic.adopt';
import { VGPU_NVIDIA } from '../machine/vgpu';

const INSTANCE = 'spec.template.spec';
const INSTANCE_LABELS = 'spec.template.metadata.labels';
const INSTANCE_ANNOTATIONS = 'spec.template.metadata.annotations';
const AFFINITY = `${INSTANCE}.affinity`;
const MEMORY = `${INSTANCE}.domain.memory`;
const MAX_SOCKETS = `${INSTANCE}.domain.cpu.maxSockets`;
const GRACE_PERIOD = 'default-vm-termination-grace-period-seconds';

/** From a VirtualMachine to the construct. Machines of guest clusters belong to their pools. */
export const VIRTUAL_MACHINE_INVERSE: Inverse = {
  kinds: [VIRTUAL_MACHINE],
  on: TargetKind.HARVESTER,
  drafts: draftsOf,
  defaults: {
    // @see kubevirt/kubevirt:pkg/virt-api/webhooks/mutating-webhook/mutators/vms-mutator.go
    // setDefaultMachineType
    [`${INSTANCE}.domain.machine.type`]: 'q35',
    // setDefaultArchitecture
    [`${INSTANCE}.architecture`]: 'amd64',
  },
  own: [AFFINITY, MEMORY, MAX_SOCKETS],
  // @see harvester/harvester:pkg/controller/master/virtualmachine/vm_controller.go StoreRunStrategy
  filled: [`metadata.annotations[${ANNOTATION_RUN_STRATEGY}]`],
  existing: byName('VirtualMachine'),
};

function draftsOf(object: FoundObject, around: Surroundings): Draft[] {
  const { manifest } = object;
  const props = { ...namespacedProps(object), ...vmProps(object, around) };
  const draft = declare(object, 'VirtualMachine', props, { serverOwns: serverOwns(manifest) });
  const hasAddresses = Object.keys(annotationsOf(manifest)).some((key) =>
    key.startsWith(STATIC_ADDRESS_PREFIX),
  );
  return hasAddresses
    ? [
        draft,
        {
          ...draft,
          props: {
            ...props,
            nics: undefined,
            networks: undefined,
            ...nicProps(object, { takesAddresses: false }),
          },
        },
      ]
    : [draft];
}

/** Which form of a VM is read. */
interface VmForm {
  /** Whether it is a template: its VMs get MAC addresses and labels of their own. @default false */
  readonly isTemplate?: boolean;
  /** Whether it lacks what Harvester's UI writes. @default - by its fields */
  readonly isSparse?: boolean;
}

/** The props of a VM, or of a version of a template, except for those that every object has. */
export function vmProps(
  object: FoundObject,
  around: Surroundings,
  { isTemplate = false, isSparse: isKnown = false }: VmForm = {},
): DraftProps {
  const { manifest } = object;
  const isSparse = isKnown || lacksDefaults(manifest, isTemplate);
  const { hostname } = instanceOf(manifest);
  const { cloudInitDiskName, ...cloudInit } = cloudInitProps(object);
  const hasKeys = cloudInit.sshKeys !== undefined;
  return {
    ...resourceProps(manifest),
    resources: resourcesOf(manifest, isTemplate),
    disks: disksOf(object, isSparse),
    ...nicProps(object, { isSparse }),
    ...cloudInit,
    ...runStrategyProps(manifest),
    hostname: isFromServer(manifest)
      ? unless(filledText(hostname), manifest.metadata.name)
      : filledText(hostname),
    ...deviceProps(object, around),
    ...machineTypeProp(manifest, isTemplate),
    ...placeProps(object, around),
    ...tolerationProps(manifest),
    ...labelProps(manifest),
    instanceAnnotations: instanceAnnotationsOf(manifest, { isSparse, hasKeys }),
    acpi: acpiProp(manifest, isSparse),
    ...(isSparse ? sparseProps(manifest) : {}),
    adopted: filledFields({
      asWritten: isSparse || undefined,
      createdBy: creatorProp(manifest, around, isSparse),
      cloudInitDiskName,
    }),
  };
}

function runStrategyProps({ spec }: Manifest): DraftProps {
  const [strategy, running] = ['runStrategy', 'running'].map((field) => valueAt(spec, field));
  return {
    runStrategy: enumValue(
      'VmRunStrategy',
      strategy === undefined && running === true ? 'running' : unless(strategy, 'RerunOnFailure'),
    ),
  };
}

/** Whether a VM lacks what Harvester's UI writes and constructs write by default. */
function lacksDefaults(manifest: Manifest, isTemplate: boolean): boolean {
  const { domain, evictionStrategy } = instanceOf(manifest);
  const cpu = valueAt(domain, 'cpu');
  const lacksStrategy =
    annotationsOf(manifest)[ANNOTATION_RUN_STRATEGY] === undefined &&
    !['Halted', undefined].includes(filledText(valueAt(manifest, 'spec', 'runStrategy')));
  const interfaces = records(domain, 'devices', 'interfaces').map(([, each]) => each);
  const lacksIdentity =
    interfaces.some(({ macAddress }) => macAddress === undefined) ||
    valueAt(at(manifest, pathOf(INSTANCE_LABELS)), LABEL_VM_NAME) === undefined;
  return (
    evictionStrategy === undefined ||
    ['sockets', 'threads'].some((field) => valueAt(cpu, field) === undefined) ||
    interfaces.some(({ model }) => model === undefined) ||
    (isTemplate ? lacksStrategy : lacksIdentity)
  );
}

function acpiProp(manifest: Manifest, isSparse: boolean): boolean | undefined {
  const isEnabled = valueAt(instanceOf(manifest), 'domain', 'features', 'acpi', 'enabled') === true;
  const isOfTerraform = labelsOf(manifest)[VM_LABEL_CREATOR] === CREATOR_TERRAFORM;
  return unless(isEnabled, !isSparse && !isOfTerraform);
}

/** What a VM has of the defaults that it does not have all of. */
function sparseProps(manifest: Manifest): DraftProps {
  const { domain, evictionStrategy } = instanceOf(manifest);
  const cpu = valueAt(domain, 'cpu');
  const name = valueAt(at(manifest, pathOf(INSTANCE_LABELS)), LABEL_VM_NAME);
  const [sockets, threads] = ['sockets', 'threads'].map((field) => valueAt(cpu, field));
  const { instanceLabels } = labelProps(manifest);
  const inputs = inputsOf(domain);
  return {
    cpuSockets: typeof sockets === 'number' ? sockets : undefined,
    cpuThreads: typeof threads === 'number' ? threads : undefined,
    inputs: inputs.length > 0 ? inputs : undefined,
    evictionStrategy: enumValue('VmEvictionStrategy', filledText(evictionStrategy)),
    instanceLabels:
      typeof name === 'string'
        ? { ...(instanceLabels as DraftProps), [LABEL_VM_NAME]: name }
        : instanceLabels,
  };
}

/** Who created a VM; undefined where its construct has the same by default. */
function creatorProp(manifest: Manifest, around: Surroundings, isSparse: boolean): DraftValue {
  if (isSparse) {
    return sparseCreator(manifest);
  }
  return guestOf(manifest, around) ? undefined : creatorOf(manifest);
}

/** Who created a VM that has nothing but its props; undefined for no one. */
function sparseCreator(manifest: Manifest): DraftValue {
  const creator = labelsOf(manifest)[VM_LABEL_CREATOR];
  const isOfInstance = valueAt(at(manifest, pathOf(INSTANCE_LABELS)), VM_LABEL_CREATOR) === creator;
  // only Harvester's UI leaves out the label of the instance
  return creator === undefined || (!isOfInstance && creator !== CREATOR_HARVESTER)
    ? undefined
    : (creatorOf(manifest) ?? new EnumValue('VmCreator', CREATOR_HARVESTER));
}

/** The input devices of a VM. */
function inputsOf(domain: unknown): readonly DraftProps[] {
  return records(domain, 'devices', 'inputs').map(([, { name, bus }]) => ({
    name: String(name),
    bus: enumValue('InputBus', unless(bus, 'usb')),
  }));
}

/** What Harvester and KubeVirt write, unless CPU and memory can be added while the VM runs. */
function serverOwns(manifest: Manifest): readonly string[] {
  const instance = instanceOf(manifest);
  const isUsers = annotationsOf(manifest)[ANNOTATION_HOTPLUG] !== undefined;
  const limit = valueAt(instance, 'domain', 'resources', 'limits', 'memory');
  return [
    ...(isUsers || limit === undefined ? [] : [`${MEMORY}.guest`]),
    ...(isUsers ? [] : [MAX_SOCKETS]),
    ...(areNodesOfHarvester(instance.affinity) ? [`${AFFINITY}.nodeAffinity.${REQUIRED}`] : []),
    // the name of the VM is also the default
    ...(isFromServer(manifest) && instance.hostname === manifest.metadata.name
      ? [`${INSTANCE}.hostname`]
      : []),
  ];
}

function resourceProps(manifest: Manifest): DraftProps {
  const domain = valueAt(instanceOf(manifest), 'domain');
  const limits = valueAt(domain, 'resources', 'limits');
  const cpu = valueAt(domain, 'cpu');
  const [cores, sockets, threads] = ['cores', 'sockets', 'threads'].map((field) =>
    Number(valueAt(cpu, field) ?? 1),
  );
  const annotations = annotationsOf(manifest);
  const guest = sizeCall(valueAt(domain, 'memory', 'guest'));
  const [maxCpus, maxMemory] = [
    valueAt(cpu, 'maxSockets'),
    sizeCall(valueAt(domain, 'memory', 'maxGuest')),
  ];
  // where it has all limits up to which it can grow
  const hotplug =
    isHotplug(manifest) && typeof maxCpus === 'number' && maxMemory !== undefined
      ? { maxCpus, maxMemory }
      : undefined;
  const mark = annotations[ANNOTATION_HOTPLUG];
  const cpus = cores * sockets * threads;
  return {
    cpus: hotplug || cpus > 1 ? cpus : Number(valueAt(limits, 'cpu') ?? cpus),
    memory: hotplug
      ? guest
      : (sizeCall(valueAt(limits, 'memory')) ??
        guest ??
        sizeCall(valueAt(domain, 'resources', 'requests', 'memory'))),
    hotplug,
    cpuSockets: hotplug ? undefined : unless(sockets, 1),
    cpuThreads: hotplug ? undefined : unless(threads, 1),
    reservedMemory: sizeCall(annotations[ANNOTATION_RESERVED_MEMORY]),
    cpuModel: filledText(valueAt(cpu, 'model')),
    cpuPinning: valueAt(cpu, 'dedicatedCpuPlacement') === true ? true : undefined,
    isolateEmulatorThread: valueAt(cpu, 'isolateEmulatorThread') === true ? true : undefined,
    // decides which fields are those of users
    annotations: hotplug || mark === undefined ? undefined : { [ANNOTATION_HOTPLUG]: String(mark) },
  };
}

/**
 * The limits and requests, where they are not the limits alone. Harvester derives the others from limits:
 * of VMs, not of templates.
 * @see harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go patchResourceOvercommit
 */
function resourcesOf(manifest: Manifest, isTemplate: boolean): DraftProps | undefined {
  if (isHotplug(manifest)) {
    return undefined;
  }
  const domain = valueAt(instanceOf(manifest), 'domain');
  const [limits, requests] = ['limits', 'requests'].map((each) =>
    valueAt(domain, 'resources', each),
  );
  const guestMemory = sizeCall(valueAt(domain, 'memory', 'guest'));
  const [cpuLimit, cpuRequest] = [limits, requests].map((each) => {
    const cpus = quantityOf(valueAt(each, 'cpu'));
    return cpus === undefined || !Number.isFinite(cpus) ? undefined : cpus;
  });
  const [memoryLimit, memoryRequest] = [limits, requests].map((each) =>
    sizeCall(valueAt(each, 'memory')),
  );
  const hasLimits = cpuLimit !== undefined && memoryLimit !== undefined;
  const hasOthers = [guestMemory, cpuRequest, memoryRequest].some((each) => each !== undefined);
  // the server refuses a VM without either
  const isAccepted = memoryLimit !== undefined || guestMemory !== undefined;
  return isAccepted && (!hasLimits || (isTemplate && hasOthers))
    ? { cpuLimit, memoryLimit, cpuRequest, memoryRequest, guestMemory }
    : undefined;
}

/** The taints that the host may have, and the priority. */
function tolerationProps(manifest: Manifest): DraftProps {
  const { tolerations, priorityClassName } = instanceOf(manifest);
  return {
    tolerations: tolerationsProp(itemsAt(tolerations)),
    priorityClassName: filledText(priorityClassName),
  };
}

/** A Secret of cloud-init is referred to: its content is not read. */
function cloudInitProps(object: FoundObject): DraftProps {
  const { manifest } = object;
  const volume = cloudInitVolumeOf(manifest);
  const drive =
    volume && 'cloudInitConfigDrive' in volume ? 'cloudInitConfigDrive' : 'cloudInitNoCloud';
  const source = valueAt(volume, drive);
  const [secret, network] = ['secretRef', 'networkDataSecretRef'].map((field) =>
    filledText(valueAt(source, field, 'name')),
  );
  const referTo = (name: string | undefined): DraftValue =>
    name === undefined ? undefined : refer(object, '/Secret', name, manifest.metadata.namespace);
  const data =
    secret === undefined && network === undefined
      ? inlineProps(source)
      : {
          cloudInitSecret: referTo(secret),
          networkDataSecret: network === secret ? undefined : referTo(network),
        };
  if (!data) {
    return {};
  }
  const keys = textsAt(
    jsonOf(valueAt(manifest, 'spec', 'template', 'metadata', 'annotations', ANNOTATION_SSH_NAMES)),
  );
  return {
    ...data,
    cloudInitDrive: enumValue('CloudInitDrive', unless(drive, 'cloudInitNoCloud')),
    cloudInitDiskName: unless(filledText(volume?.name), CLOUD_INIT_VOLUME),
    sshKeys: filledList(
      keys.map((id) => {
        const [namespace, name] = id.split('/');
        return refer(object, kindKey(GROUPS.HARVESTER, 'KeyPair'), name ?? '', namespace);
      }),
    ),
  };
}

/**
 * Cloud-init in the VM itself, by its text, so that no byte changes; undefined for what the props
 * refuse.
 */
function inlineProps(source: unknown): DraftProps | undefined {
  if (!isRecord(source)) {
    return undefined;
  }
  const { userData, networkData, ...more } = source;
  const isRefused = (check: typeof checkUserData, text: unknown): boolean =>
    text !== undefined &&
    (typeof text !== 'string' || [...check('', text)].some(({ level }) => level !== 'warning'));
  const isOther = typeof userData === 'string' && !userData.startsWith(CLOUD_CONFIG_HEADER.trim());
  if (
    Object.keys(more).length > 0 ||
    isOther ||
    isRefused(checkUserData, userData) ||
    (networkData !== '' && isRefused(checkNetworkData, networkData))
  ) {
    return undefined;
  }
  return {
    cloudInitInline: true,
    cloudInit: userData === undefined ? undefined : cloudInitTextCall(String(userData)),
    networkData: inlineNetworkData(networkData),
  };
}

function inlineNetworkData(given: unknown): DraftValue {
  if (given === '') {
    return call('NetworkData', 'empty');
  }
  return given === undefined ? undefined : networkDataText(String(given));
}

/** The credentials that the guest agent sets. */
function credentialsOf(instance: Manifest['spec']): DraftValue {
  const list = records(instance, 'accessCredentials').flatMap(([, each]): DraftValue[] => {
    const [keys, passwords] = ['sshPublicKey', 'userPassword'].map((field) =>
      filledText(valueAt(each, field, 'source', 'secret', 'secretName')),
    );
    const users = valueAt(each, 'sshPublicKey', 'propagationMethod', 'qemuGuestAgent', 'users');
    if (keys !== undefined && Array.isArray(users)) {
      return [call('VmAccessCredential', 'sshKeys', keys, users.map(String))];
    }
    return passwords === undefined ? [] : [call('VmAccessCredential', 'passwords', passwords)];
  });
  return list.length > 0 ? list : undefined;
}

/** The file systems that the guest mounts. */
function filesystemsOf(instance: Manifest['spec']): DraftValue {
  const volumes = new Map(records(instance, 'volumes').map(([, volume]) => [volume.name, volume]));
  const list = records(instance, 'domain', 'devices', 'filesystems').flatMap(
    ([, { name }]): DraftValue[] => {
      const source = [
        ['configMap', 'name'],
        ['secret', 'secretName'],
        ['serviceAccount', 'serviceAccountName'],
      ]
        .map(
          ([method, field]) =>
            [method, filledText(valueAt(volumes.get(name), method, field))] as const,
        )
        .find(([, found]) => found !== undefined);
      return source ? [call('VmFilesystem', source[0], String(name), source[1])] : [];
    },
  );
  return list.length > 0 ? list : undefined;
}

function deviceProps({ target, manifest }: FoundObject, around: Surroundings): DraftProps {
  const domain = valueAt(instanceOf(manifest), 'domain');
  const devices = valueAt(domain, 'devices');
  const list = (field: string) => records(devices, field).map(([, each]) => each);
  const inputs = inputsOf(domain);
  const efi = valueAt(domain, 'firmware', 'bootloader', 'efi');
  // from Harvester 1.8 on a virtual GPU is a host device
  const isVgpu = ({ name }: Fields): boolean =>
    around.find({
      target,
      group: GROUP_DEVICES,
      kind: DEVICE_KIND.VGPU,
      name: String(name),
    }) !== undefined;
  const hostDevices = list('hostDevices')
    .filter((each) => !isVgpu(each))
    .map(({ name, deviceName }) =>
      hostDeviceProps(target, String(name), String(deviceName), around),
    );
  const vgpus = [...list('gpus'), ...list('hostDevices').filter(isVgpu)].map(
    ({ name, deviceName }) => vgpuOf(String(deviceName), String(name)),
  );
  return {
    efi: isRecord(efi) ? true : undefined,
    secureBoot: valueAt(efi, 'secureBoot') === true ? true : undefined,
    tpm: isRecord(valueAt(devices, 'tpm')) ? true : undefined,
    tpmPersistent: valueAt(devices, 'tpm', 'persistent') === true ? true : undefined,
    efiPersistent: valueAt(efi, 'persistent') === true ? true : undefined,
    sysprepSecretName: records(instanceOf(manifest).volumes)
      .map(([, volume]) => filledText(valueAt(volume, 'sysprep', 'secret', 'name')))
      .find(Boolean),
    accessCredentials: credentialsOf(instanceOf(manifest)),
    filesystems: filesystemsOf(instanceOf(manifest)),
    inputs: sameValue(inputs, [{ name: 'tablet', bus: undefined }]) ? undefined : inputs,
    hostDevices: hostDevices.length > 0 ? hostDevices : undefined,
    vgpus: vgpus.length > 0 ? vgpus : undefined,
  };
}

/** KubeVirt fills in that of VMs alone. */
function machineTypeProp(manifest: Manifest, isTemplate: boolean): DraftProps {
  const type = filledText(valueAt(instanceOf(manifest), 'domain', 'machine', 'type'));
  return { machineType: isTemplate ? type : unless(type, 'q35') };
}

function vgpuOf(deviceName: string, device: string): DraftValue {
  return deviceName.startsWith(VGPU_NVIDIA)
    ? call('VGpu', 'nvidia', deviceName.slice(VGPU_NVIDIA.length).replace(/_/g, ' '), { device })
    : call('VGpu', 'of', deviceName, { device });
}

/** Where the VM runs, and when it leaves. */
function placeProps(object: FoundObject, around: Surroundings): DraftProps {
  const { target, manifest } = object;
  const instance = instanceOf(manifest);
  const guest = guestOf(manifest, around);
  // Harvester writes which nodes the VM needs
  const chosen =
    areNodesOfHarvester(instance.affinity) && isRecord(instance.affinity)
      ? replacedAt(instance.affinity, ['nodeAffinity', REQUIRED], undefined)
      : instance.affinity;
  const affinity = affinityOf(chosen, { target });
  const setting = around.find({
    target,
    group: GROUPS.HARVESTER,
    kind: 'Setting',
    name: GRACE_PERIOD,
  });
  const seconds = instance.terminationGracePeriodSeconds;
  const usual = Number(filledText(setting?.manifest.value) ?? 120);
  return {
    guestCluster: guest,
    nodeSelector:
      isRecord(instance.nodeSelector) && Object.keys(instance.nodeSelector).length > 0
        ? (instance.nodeSelector as DraftProps)
        : undefined,
    affinity: guest && affinity && sameValue(affinity.args, [{}]) ? undefined : affinity,
    evictionStrategy: enumValue(
      'VmEvictionStrategy',
      unless(filledText(instance.evictionStrategy), 'LiveMigrateIfPossible'),
    ),
    terminationGracePeriod:
      typeof seconds === 'number' && (seconds !== usual || !isFromServer(manifest))
        ? call('Duration', 'seconds', seconds)
        : undefined,
  };
}

/** The guest cluster whose node a VM is; undefined for another VM. */
function guestOf(manifest: Manifest, around: Surroundings): DraftValue {
  const labels = labelsOf(manifest);
  const cluster = labels[VM_LABEL_GUEST_CLUSTER];
  const rancher = around.clusters.find(({ kind }) => kind === TargetKind.RANCHER)?.name;
  return typeof cluster === 'string' &&
    labels[VM_LABEL_CREATOR] === VM_CREATOR_DRIVER &&
    rancher !== undefined
    ? referOn(rancher, kindKey(GROUPS.PROVISIONING, 'Cluster'), cluster, 'fleet-default')
    : undefined;
}

/**
 * Who created the VM: Harvester's UI leaves out the label of the instance, and manifests that were
 * written by hand both, or have a label of their own.
 */
function creatorOf(manifest: Manifest): DraftValue {
  const [own, instance] = [labelsOf(manifest), at(manifest, pathOf(INSTANCE_LABELS))].map(
    (labels) => valueAt(labels, VM_LABEL_CREATOR),
  );
  if (own === CREATOR_TERRAFORM) {
    return new EnumValue('VmCreator', own);
  }
  return instance === undefined
    ? new EnumValue('VmCreator', own === CREATOR_HARVESTER ? 'harvester-ui' : 'none')
    : undefined;
}

function labelProps(manifest: Manifest): DraftProps {
  const labels = labelsOf(manifest);
  const tags = Object.entries(labels)
    .filter(([key]) => key.startsWith(TAG_PREFIX))
    .map(([key, value]) => [key.slice(TAG_PREFIX.length), value]);
  const own = [VM_LABEL_CREATOR, LABEL_VM_NAME, VM_LABEL_GUEST_CLUSTER];
  const instance = Object.entries(at(manifest, pathOf(INSTANCE_LABELS)) ?? {}).filter(
    ([key]) => !own.includes(key),
  );
  return {
    maintenanceStrategy: enumValue(
      'VmMaintenanceStrategy',
      unless(labels[LABEL_MAINTENANCE], 'Migrate'),
    ),
    osType: osTypeProp(labels[LABEL_OS]),
    tags: tags.length > 0 ? (Object.fromEntries(tags) as DraftProps) : undefined,
    instanceLabels: instance.length > 0 ? (Object.fromEntries(instance) as DraftProps) : undefined,
  };
}

/** The annotations of the instance, except for the SSH keys that the construct writes. */
function instanceAnnotationsOf(
  manifest: Manifest,
  { isSparse, hasKeys }: { readonly isSparse: boolean; readonly hasKeys: boolean },
): DraftProps | undefined {
  const others = Object.entries(at(manifest, pathOf(INSTANCE_ANNOTATIONS)) ?? {}).filter(
    ([key, value]) => key !== ANNOTATION_SSH_NAMES || (!hasKeys && (isSparse || value !== '[]')),
  );
  return others.length > 0 ? (Object.fromEntries(others) as DraftProps) : undefined;
}
