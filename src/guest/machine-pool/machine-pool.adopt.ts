import {
  DraftProps,
  DraftValue,
  SecretRead,
  StaticCall,
  call,
  enumValue,
  member,
  variableName,
  optional,
  referOn,
  unless,
} from '../../core/draft/draft';
import { goDurationOf } from '../../core/draft/durations';
import { isRecord, Fields } from '../../core/manifest/manifest';
import { filledText } from '../../core/text/plain-text';
import { filledFields, jsonOf } from '../../core/text/values';
import { affinityOf } from '../../harvester/affinity/vm-affinity.adopt';
import { machineSetName } from '../../harvester/affinity/vm-affinity.check';
import {
  cloudInitCall,
  cloudInitTextCall,
  networkDataOf,
  networkDataText,
} from '../../harvester/cloud-init/cloud-init.adopt';
import { GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT } from '../../harvester/network/vm-network.kind';
import { HARVESTER_LONGHORN } from '../../harvester/storage/storage.kind';
import { GLOBAL_DATA } from '../../rancher/credential/secret.kind';
import { MACHINE_DEFAULTS } from '../cluster/cluster.kind';
import { itemsOf, onHarvester, textMapOf } from '../guest-target.adopt';
import {
  AUTOSCALER_MAX,
  AUTOSCALER_MIN,
  MACHINE_CONFIG_PREFIX,
  RANCHER_AUTOSCALER,
} from '../machine-config/machine-config.kind';
import { driverText } from '../machine-config/machine-json.facts';
import {
  MACHINE_TEXTS,
  MachineText,
  faultOfMachineText,
} from '../machine-config/machine-text.check';

/** What a pool of a live cluster is read with. */
export interface PoolPlace {
  /** The target of Rancher. */
  readonly rancher: string;
  /** The target of the Harvester that the machines run on. */
  readonly harvester: string;
  readonly cluster: string;
  readonly fleetWorkspace: string;
  /** The paths of files that the cluster adds to the user data. */
  readonly files: readonly string[];
  /** How exactly texts are given, by their fields. */
  readonly levels: ReadonlyMap<string, number>;
}

/** The levels of a text: by props, by its text, with the bytes of the live object. */
const BY_PROPS = 0;
const BY_TEXT = 1;
const EXACT = 2;

/**
 * The next level of a text of a machine config that is rendered otherwise; undefined where there is
 * none.
 */
export function nextLevel(field: string, level = BY_PROPS): number | undefined {
  if (!MACHINE_TEXTS.includes(field as MachineText) || level === EXACT) {
    return undefined;
  }
  return level === BY_PROPS && (field === 'userData' || field === 'networkData') ? BY_TEXT : EXACT;
}

/** The pool of a machine config, as a program writes it. */
export function poolProps(entry: Fields, config: Fields, place: PoolPlace): DraftProps {
  const machine = machineProps(entry, config, place);
  return {
    ...entryProps(entry, place),
    ...machine,
    adopted: filledFields({
      ...exactTexts(config, place, machine),
      singleFields: hasSingleFields(config) || undefined,
      displayName: filledText(entry.displayName),
    }),
  };
}

const ROLES: { readonly [roles: string]: string } = {
  'true,true,true': 'ALL',
  'true,true,false': 'CONTROL_PLANE_ETCD',
  'true,false,false': 'CONTROL_PLANE',
  'false,true,false': 'ETCD',
  'false,false,true': 'WORKER',
};

/** The autoscaler of a pool, and the annotations that do not follow from it. */
function scalingOf(entry: Fields): {
  readonly autoscaling?: DraftProps;
  readonly annotations: ReturnType<typeof textMapOf>;
} {
  const annotations = textMapOf(entry.machineDeploymentAnnotations);
  if (typeof entry.autoscalingMaxSize === 'number') {
    const min = typeof entry.autoscalingMinSize === 'number' ? entry.autoscalingMinSize : 0;
    return { autoscaling: { min, max: entry.autoscalingMaxSize }, annotations };
  }
  const forms: readonly { readonly keys: readonly string[]; readonly more: DraftProps }[] = [
    { keys: [AUTOSCALER_MIN, AUTOSCALER_MAX], more: {} },
    {
      keys: [RANCHER_AUTOSCALER.MIN, RANCHER_AUTOSCALER.MAX],
      more: { autoscaler: enumValue('MachineAutoscaler', 'rancher') },
    },
  ];
  for (const { keys, more } of forms) {
    const [min, max] = keys.map((key) => annotations?.[key]);
    if (min !== undefined && max !== undefined) {
      const others = Object.entries(annotations!).filter(([key]) => !keys.includes(key));
      return {
        autoscaling: { min: Number(min), max: Number(max), ...more },
        annotations: others.length > 0 ? Object.fromEntries(others) : undefined,
      };
    }
  }
  return { annotations };
}

/** The number of machines that a pool is created with; none where it follows from the others. */
function firstQuantity(
  { quantity }: Fields,
  autoscaling: DraftProps | undefined,
): number | undefined {
  if (autoscaling && autoscaling.autoscaler === undefined) {
    return undefined;
  }
  return unless(quantity as number | undefined, (autoscaling?.min as number | undefined) ?? 1);
}

function entryProps(entry: Fields, { rancher, cluster, fleetWorkspace }: PoolPlace): DraftProps {
  const [controlPlane, etcd, worker] = ['controlPlaneRole', 'etcdRole', 'workerRole'].map(
    (field) => entry[field] === true,
  );
  const role = ROLES[[controlPlane, etcd, worker].join()];
  const { autoscaling, annotations } = scalingOf(entry);
  const { maxSurge, maxUnavailable } = isRecord(entry.rollingUpdate)
    ? entry.rollingUpdate
    : ({} as Fields);
  const configName = isRecord(entry.machineConfigRef) ? entry.machineConfigRef.name : undefined;
  return {
    name: entry.name as string,
    quantity: firstQuantity(entry, autoscaling),
    roles: role
      ? member('MachineRoles', role)
      : call('MachineRoles', 'of', {
          controlPlane: controlPlane || undefined,
          etcd: etcd || undefined,
          worker: worker || undefined,
        }),
    autoscaling,
    nodeLabels: textMapOf(entry.labels),
    taints: itemsOf(entry.taints)
      ?.filter(isRecord)
      .map(({ key, value, effect }) => ({
        key: key as string,
        value: value === '' ? undefined : (value as string),
        effect: enumValue('TaintEffect', effect),
      })),
    machineDeploymentLabels: textMapOf(entry.machineDeploymentLabels),
    machineDeploymentAnnotations: annotations,
    drainBeforeDelete: entry.drainBeforeDelete === true ? undefined : false,
    drainBeforeDeleteTimeout: goDurationOf(entry.drainBeforeDeleteTimeout),
    unhealthyNodeTimeout:
      entry.unhealthyNodeTimeout === '0s' ? undefined : goDurationOf(entry.unhealthyNodeTimeout),
    nodeStartupTimeout: goDurationOf(entry.nodeStartupTimeout),
    maxUnhealthy: entry.maxUnhealthy as string | undefined,
    unhealthyRange: entry.unhealthyRange as string | undefined,
    rollingUpdate: isRecord(entry.rollingUpdate)
      ? { maxSurge: intOrText(maxSurge), maxUnavailable: intOrText(maxUnavailable) }
      : undefined,
    hostnameLengthLimit: entry.hostnameLengthLimit as number | undefined,
    paused: entry.paused === true ? true : undefined,
    machineOs: enumValue('MachineOs', entry.machineOS === '' ? undefined : entry.machineOS),
    credential: credentialOf(rancher, entry.cloudCredentialSecretName, fleetWorkspace),
    machineConfigName:
      configName === `${MACHINE_CONFIG_PREFIX}${cluster}-${String(entry.name)}`
        ? undefined
        : (configName as string),
  };
}

function intOrText(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}

/** A cloud credential by the field of a Cluster that names it. */
export function credentialOf(rancher: string, id: unknown, fleetWorkspace: string): DraftValue {
  if (typeof id !== 'string' || id === '') {
    return undefined;
  }
  const [first, second] = id.split(':');
  return second === undefined
    ? referOn(rancher, '/Secret', first, fleetWorkspace)
    : referOn(rancher, '/Secret', second, first === '' ? GLOBAL_DATA : first);
}

function machineProps(entry: Fields, config: Fields, place: PoolPlace): DraftProps {
  const { harvester, cluster, levels } = place;
  const vmNamespace = String(config.vmNamespace);
  const text = (field: string): string | undefined => filledText(config[field]);
  const machineSet = machineSetName(vmNamespace, cluster, String(entry.name));
  const affinity = affinityOf(jsonIn(text('vmAffinity')), {
    target: harvester,
    cluster,
    namespace: vmNamespace,
    machineSet,
  });
  const reserved = Number(text('reservedMemorySize') ?? -1);
  return {
    cpus: Number(text('cpuCount') ?? MACHINE_DEFAULTS.cpuCount),
    memory: call('Size', 'gibibytes', Number(text('memorySize') ?? MACHINE_DEFAULTS.memorySize)),
    reservedMemory: reserved >= 0 ? call('Size', 'mebibytes', reserved) : undefined,
    cpuModel: text('cpuModel'),
    cpuPinning: config.cpuPinning === true ? true : undefined,
    isolateEmulatorThread: config.isolateEmulatorThread === true ? true : undefined,
    efi: config.enableEfi === true ? true : undefined,
    secureBoot: config.enableSecureBoot === true ? true : undefined,
    tpm: config.enableTpm === true ? true : undefined,
    disks: disksIn(config).map((disk, index) => diskOf(disk, index, vmNamespace, harvester)),
    ...nicsOf(nicsIn(config), vmNamespace, harvester),
    vgpus: itemsOf(
      listIn(text('vgpuInfo'), 'vGPURequests').map(({ deviceName }) =>
        call('VGpu', 'of', String(deviceName)),
      ),
    ),
    affinity,
    sshUser: unless(text('sshUser'), MACHINE_DEFAULTS.sshUser),
    sshPort:
      text('sshPort') === undefined
        ? undefined
        : unless(Number(text('sshPort')), Number(MACHINE_DEFAULTS.sshPort)),
    sshPassword:
      text('sshPassword') === undefined
        ? undefined
        : new SecretRead(
            text('sshPassword')!,
            variableName(cluster, entry.name, 'ssh', 'password'),
          ),
    cloudInit: userDataProp(text('userData'), place),
    networkData: networkDataProp(text('networkData'), levels.get('networkData')),
  };
}

/** The texts of a live pool that its props are not rendered as. */
function exactTexts(
  config: Fields,
  { levels }: PoolPlace,
  { affinity }: DraftProps,
): Partial<Record<MachineText, string>> {
  const texts = MACHINE_TEXTS.filter(
    (field) =>
      levels.get(field) === EXACT &&
      // a text that means something else than the props would have no effect
      (field !== 'vmAffinity' || affinity !== undefined),
  ).map((field) => [field, filledText(config[field]) ?? ''] as const);
  return Object.fromEntries(
    texts.filter(([field, text]) => faultOfMachineText(field, text) === undefined),
  );
}

function userDataProp(
  encoded: string | undefined,
  { files, levels }: PoolPlace,
): StaticCall | undefined {
  if (encoded === undefined) {
    return call('CloudInit', 'none');
  }
  const text = driverText(encoded);
  const typed =
    (levels.get('userData') ?? BY_PROPS) === BY_PROPS ? cloudInitCall(text, files) : undefined;
  if (typed) {
    return typed.args.length === 0 ? undefined : typed;
  }
  // a patch has what the node driver cannot read
  return faultOfMachineText('userData', encoded) === undefined
    ? cloudInitTextCall(text)
    : undefined;
}

function networkDataProp(encoded: string | undefined, level = BY_PROPS): StaticCall | undefined {
  if (encoded === undefined || faultOfMachineText('networkData', encoded) !== undefined) {
    return undefined;
  }
  const text = driverText(encoded);
  return level === BY_PROPS ? networkDataOf(text) : networkDataText(text);
}

/** What the node driver reads from a text that is JSON, plain or in base64. */
function jsonIn(text: string | undefined): unknown {
  return text === undefined ? undefined : jsonOf(driverText(text));
}

function listIn(text: unknown, key: string): readonly Fields[] {
  const value = jsonIn(filledText(text));
  return isRecord(value) && Array.isArray(value[key])
    ? (value[key] as readonly unknown[]).filter(isRecord)
    : [];
}

/**
 * The disks of a machine config. The driver still reads the fields of a single disk, where there is
 * no list.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/flags.go SetConfigFromFlags
 */
function disksIn({ diskInfo, imageName, diskSize, diskBus }: Fields): readonly Fields[] {
  return hasSingleFields({ diskInfo, imageName })
    ? [{ imageName, size: diskSize, bus: diskBus ?? '' }]
    : listIn(diskInfo, 'disks');
}

/** The network interfaces of a machine config, which may have the fields of a single one. */
function nicsIn({ networkInfo, networkName, networkModel }: Fields): readonly Fields[] {
  return filledText(networkName) !== undefined && filledText(networkInfo) === undefined
    ? [{ networkName, macAddress: '', model: networkModel ?? '' }]
    : listIn(networkInfo, 'interfaces');
}

/** Whether the only disk of a machine config is in fields of its own. */
function hasSingleFields({ diskInfo, imageName }: Fields): boolean {
  return filledText(imageName) !== undefined && filledText(diskInfo) === undefined;
}

function qualified(name: unknown, namespace: string): string {
  return String(name).includes('/') ? String(name) : `${namespace}/${String(name)}`;
}

function diskOf(disk: Fields, index: number, namespace: string, harvester: string): StaticCall {
  const isCdRom = disk.type === 'cd-rom';
  const size = call('Size', 'gibibytes', Number(disk.size));
  const common = {
    bus:
      disk.bus === '' || (isCdRom && disk.bus === 'sata')
        ? undefined
        : enumValue('DiskBus', disk.bus),
    bootOrder: unless(disk.bootOrder as number | undefined, index + 1),
    hotPluggable: disk.hotPlugAble === true ? true : undefined,
  };
  if (typeof disk.imageName === 'string' && disk.imageName !== '') {
    const image = onHarvester(
      harvester,
      'harvesterhci.io/VirtualMachineImage',
      qualified(disk.imageName, namespace),
    );
    return call('Disk', isCdRom ? 'cdRom' : 'image', image, size, ...optional(common));
  }
  const storageClass =
    disk.storageClassName === HARVESTER_LONGHORN
      ? undefined
      : onHarvester(harvester, 'storage.k8s.io/StorageClass', disk.storageClassName);
  return call('Disk', 'empty', size, ...optional({ ...common, storageClass }));
}

function nicsOf(list: readonly Fields[], namespace: string, harvester: string): DraftProps {
  const nics = list.map(({ networkName, macAddress, model }) => ({
    network: onHarvester(
      harvester,
      `${GROUP_ATTACHMENT}/${KIND_NETWORK_ATTACHMENT}`,
      qualified(networkName, namespace),
    ),
    options: {
      macAddress: macAddress === '' ? undefined : (macAddress as string | undefined),
      model: model === '' ? undefined : enumValue('InterfaceModel', model),
    },
  }));
  const isPlain = nics.every(
    ({ options }) => options.macAddress === undefined && options.model === undefined,
  );
  return isPlain
    ? { networks: nics.map(({ network }) => network) }
    : { nics: nics.map(({ network, options }) => call('Nic', 'network', network, options)) };
}
