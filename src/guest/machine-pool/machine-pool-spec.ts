import { ApiObject, Duration, Size, SizeRoundingBehavior } from 'cdk8s';
import { MachineAutoscaler, MachinePool } from './machine-pool';
import { machineConfigProps, machinePoolsProps } from './machine-pool-props';
import { checkShared } from './machine-pool.check';
import { machineTexts } from './machine-texts';
import { Ordering, OrderingType } from '../../core/construct/edge';
import { note } from '../../core/construct/object-notes';
import { sameValue } from '../../core/manifest/manifest';
import { failOnErrors, parsed } from '../../core/problem/problem';
import { defined, filledList, lazily, remembered } from '../../core/text/values';
import { LateValue } from '../../core/value/late-value';
import { FeatureGates } from '../../core/version/feature-gates';
import { PoolIdentity } from '../../harvester/affinity/vm-affinity';
import { machineSetName } from '../../harvester/affinity/vm-affinity.check';
import { CloudInit } from '../../harvester/cloud-init/cloud-init';
import { fileFields } from '../../harvester/cloud-init/cloud-init-props';
import { Disk } from '../../harvester/machine/disk';
import { givenNics } from '../../harvester/machine/machine-props';
import { Nic } from '../../harvester/machine/nic';
import { HARVESTER_LONGHORN } from '../../harvester/storage/storage.kind';
import { isExpanded } from '../machine-config/machine-config.check';
import {
  HARVESTER_CONFIG_KIND,
  AUTOSCALER_MAX,
  AUTOSCALER_MIN,
  MACHINE_CONFIG_API,
  MACHINE_CONFIG_PREFIX,
  RANCHER_AUTOSCALER,
  VGPU_PLACEHOLDER,
} from '../machine-config/machine-config.kind';
import { ClusterContext, ClusterFields, NodeFile } from '../parts/cluster-parts';
import { GuestGate } from '../version/guest-gates.data';

/** What the pools of a cluster become, computed once for its checks and for its objects. */
export class PoolManifests {
  private readonly machines = new Map<MachinePool, ClusterFields>();
  private readonly entries = new Map<MachinePool, ClusterFields>();

  /**
   * The fields of the HarvesterConfig of a pool, except for the texts that need the files of the
   * cluster.
   */
  public machineOf(context: ClusterContext, pool: MachinePool): ClusterFields {
    return remembered(this.machines, pool, () => machineOf(context, pool));
  }

  /** The entry of a pool in `rkeConfig.machinePools`. */
  public entryOf(context: ClusterContext, pool: MachinePool): ClusterFields {
    return remembered(this.entries, pool, () => poolEntryOf(context, pool));
  }
}

/**
 * Writes the HarvesterConfigs of a cluster's pools below its construct and returns the entries of
 * the pools for the Cluster.
 *
 * @param files that every node of the cluster has
 * @param manifests that the checks of the pools computed
 */
export function addMachinePools(
  context: ClusterContext,
  pools: readonly MachinePool[],
  files: readonly NodeFile[],
  manifests = new PoolManifests(),
) {
  const userData = userDataWith(files);
  const machinePools = pools.flatMap((given) =>
    expandedPools([given]).map((pool) => ({ pool, given })),
  );
  return {
    // of `rkeConfig.machinePools`
    entries: machinePools.map(({ pool }) => manifests.entryOf(context, pool)),
    // the HarvesterConfigs, which several pools may share
    configs: machinePools.map(({ pool, given }) =>
      addMachineConfig(context, pool, given, manifests, userData),
    ),
    // the machine sets of the control plane, by the label of their virtual machines
    controlPlane: machinePools
      .filter(({ pool }) => pool.roles.controlPlane)
      .map(({ pool }) => machineSetName(context.vmNamespace!, context.name, pool.name)),
    // by the fields of the Cluster that hold them
    props: machinePoolsProps(machinePools.map(({ given }) => given.name)),
    // those that the program gives the pools, of which each may be several
    names: machinePools.map(({ given }) => given.name),
  };
}

/**
 * The pools of Rancher that the pools of a program become: one for each fixed address. Only after
 * `checkFixedAddresses`.
 */
export function expandedPools(pools: readonly MachinePool[]): readonly MachinePool[] {
  return pools.flatMap((pool): MachinePool | MachinePool[] => {
    const { fixedAddresses, quantity, ...others } = pool;
    return fixedAddresses
      ? fixedAddresses._machines(quantity).map(({ suffix, networkData, paused }) => ({
          ...others,
          name: `${pool.name}-${suffix}`,
          quantity: 1,
          networkData,
          // two machines cannot have the address
          rollingUpdate: pool.rollingUpdate ?? { maxSurge: '0', maxUnavailable: '1' },
          ...(paused ? { paused } : {}),
        }))
      : pool;
  });
}

function machineOf(context: ClusterContext, pool: MachinePool): ClusterFields {
  return machineFields(pool, {
    vmNamespace: context.vmNamespace ?? '',
    cluster: context.name,
    pool: pool.name,
  });
}

function configNameOf({ name }: ClusterContext, pool: MachinePool): string {
  return pool.machineConfigName ?? `${MACHINE_CONFIG_PREFIX}${name}-${pool.name}`;
}

/** @param given the pool of the program, of which `pool` may be one machine */
function addMachineConfig(
  context: ClusterContext,
  pool: MachinePool,
  given: MachinePool,
  manifests: PoolManifests,
  userData: (cloudInit: CloudInit) => string | undefined,
): ApiObject {
  const name = configNameOf(context, pool);
  const { scope } = context;
  const id = `MachineConfig-${name}`;
  const shared = scope.node.tryFindChild(id) as ApiObject | undefined;
  // plain, so that people can review it, or in base64, which the node driver also reads, if
  // Kubernetes would otherwise change it on the way
  const encode = (what: string, text: string): string =>
    isExpanded(text)
      ? LateValue._base64Of(scope, `${name}-${what}`, text, {
          description: `cloud-init of machines, ${name}-${what}`,
          sensitive: true,
        })
      : text;
  const { fields, outdated } = parsed(scope, `pools[${pool.name}]`, () =>
    machineConfigFields(manifests.machineOf(context, pool), pool, userData, encode),
  );
  const maps = defined({
    labels: filled(pool.machineConfigLabels),
    annotations: filled(pool.machineConfigAnnotations),
  });
  const metadata = { name, namespace: context.fleetWorkspace, ...maps };
  if (shared) {
    const {
      apiVersion,
      kind,
      metadata: sharedMetadata,
      ...others
    } = shared.toJson() as ClusterFields;
    const same = sameValue(sharedMetadata, { ...metadata });
    failOnErrors(
      scope,
      checkShared(pool, name, { ...fields, metadata: true }, { ...others, metadata: same }),
    );
    return shared;
  }

  const config = new ApiObject(scope, id, {
    apiVersion: MACHINE_CONFIG_API,
    kind: HARVESTER_CONFIG_KIND,
    metadata,
    ...fields,
  });
  note(config, { outdated, props: machineConfigProps(given) });
  awaitParts(config, pool);
  // the Cluster waits for the HarvesterConfig, and so for the credential
  if (pool.credential) {
    Ordering.of(config)._add(pool.credential, OrderingType.APPLIED);
  }
  return config;
}

/**
 * The fields of a HarvesterConfig without user data and network data: whole numbers as text,
 * defaults of the node driver left out.
 *
 * Every string is a contract: Rancher compares them literally and replaces the machines of the pool
 * if one differs, even by a blank.
 */
export function machineFields(pool: MachinePool, identity: PoolIdentity): ClusterFields {
  const vGPURequests = filledList(
    pool.vgpus?.map(({ _resourceName: deviceName }) => ({ name: VGPU_PLACEHOLDER, deviceName })),
  );
  const fields: ClusterFields = {
    vmNamespace: identity.vmNamespace,
    cpuCount: String(pool.cpus),
    memorySize: String(gibibytes(pool.memory)),
    reservedMemorySize:
      pool.reservedMemory &&
      String(pool.reservedMemory.toMebibytes({ rounding: SizeRoundingBehavior.NONE })),
    cpuModel: pool.cpuModel,
    cpuPinning: pool.cpuPinning || undefined,
    isolateEmulatorThread: pool.isolateEmulatorThread || undefined,
    enableEfi: pool.efi || undefined,
    enableSecureBoot: pool.secureBoot || undefined,
    enableTpm: pool.tpm || undefined,
    ...(singleFields(pool) ?? {
      diskInfo: JSON.stringify({ disks: pool.disks.map(diskFields) }),
      networkInfo: JSON.stringify({ interfaces: (givenNics(pool) ?? []).map(nicFields) }),
    }),
    vgpuInfo: vGPURequests && JSON.stringify({ vGPURequests }),
    vmAffinity: pool.affinity?._render(identity),
    sshUser: pool.sshUser,
    sshPassword: pool.sshPassword?._unwrap(),
    sshPort: pool.sshPort === undefined || pool.sshPort === 22 ? undefined : String(pool.sshPort),
  };
  return defined(fields);
}

/**
 * The fields of a machine with one disk and one NIC.
 * @see harvester/docker-machine-driver-harvester:harvester/flags.go SetConfigFromFlags
 */
function singleFields(pool: MachinePool): ClusterFields | undefined {
  const { adopted, disks } = pool;
  if (!adopted?.singleFields || disks.length !== 1) {
    return undefined;
  }
  const [nic, ...nics] = givenNics(pool) ?? [];
  if (nics.length > 0 || !nic || nic._options.macAddress !== undefined) {
    return undefined;
  }
  const [{ _claim, _bus: diskBus, _options: disk, _cdRom: isCdRom }] = disks;
  const { image, size } = _claim ?? {};
  const isPlain = !isCdRom && !disk.hotPluggable && bootOrderOf(disks[0], 0) === 1;
  if (!isPlain || !image || !size) {
    return undefined;
  }
  const { _network: network } = nic;
  const { model: networkModel } = nic._options;
  return {
    imageName: image.imageId,
    diskSize: String(gibibytes(size)),
    diskBus,
    networkName: network?.networkId,
    networkModel,
  };
}

/**
 * All fields of a HarvesterConfig, and the texts of `adopted` that are not among them.
 *
 * @param machine the fields without user data and network data
 * @param userData the text of user data, with the files of the cluster
 * @param encode prepares user data and network data for their way to the node driver
 */
export function machineConfigFields(
  machine: ClusterFields,
  pool: MachinePool,
  userData: (cloudInit: CloudInit) => string | undefined,
  encode: (id: string, text: string) => string,
) {
  const texts = {
    userData: userData(pool.cloudInit ?? defaultCloudInit()),
    networkData: pool.networkData?.toText() || undefined,
  };
  const { kept, outdated } = machineTexts(pool, { ...machine, ...texts });
  const field = (name: keyof typeof texts, id: string): ClusterFields => {
    const text = texts[name];
    return text === undefined || kept[name] !== undefined ? {} : { [name]: encode(id, text) };
  };
  return {
    fields: {
      ...machine,
      ...field('userData', 'UserData'),
      ...field('networkData', 'NetworkData'),
      ...kept,
    },
    outdated,
  };
}

const defaultCloudInit = lazily(() => CloudInit.of());

/** User data with the files of a cluster, of which most pools have the same. */
export function userDataWith(
  files: readonly NodeFile[],
): (cloudInit: CloudInit) => string | undefined {
  // as the scripts of Harvester write the file of the cloud provider
  const nodeFiles = files.map(
    ({ path, content, encoding, owner = 'root:root', permissions = '0644' }) =>
      fileFields({ encoding, content, owner, path, permissions }),
  );
  const texts = new Map<CloudInit, string>();
  return (cloudInit) => {
    if (nodeFiles.length === 0 && cloudInit._isNone()) {
      return undefined;
    }
    const text = texts.get(cloudInit) ?? cloudInit._render(nodeFiles);
    texts.set(cloudInit, text);
    return text;
  };
}

/** Makes the object of a pool's machines wait for their images, storage classes and networks. */
export function awaitParts(config: ApiObject, pool: MachinePool): void {
  for (const { _claim } of pool.disks) {
    const { image, storageClass } = _claim ?? {};
    if (image) {
      Ordering.of(config)._add(image, OrderingType.READY);
    }
    if (storageClass) {
      Ordering.of(config)._add(storageClass, OrderingType.APPLIED);
    }
  }
  for (const { _network: network } of givenNics(pool) ?? []) {
    if (network) {
      Ordering.of(config)._add(network, OrderingType.APPLIED);
    }
  }
}

/** The position of a disk in the boot order. */
export function bootOrderOf(disk: Disk, index: number): number {
  return disk._options.bootOrder ?? index + 1;
}

/** A size in GiB, perhaps with a fraction. */
export function gibibytes(size: Size): number {
  return size.toGibibytes({ rounding: SizeRoundingBehavior.NONE });
}

/**
 * Keys have the order in which Rancher's UI writes them.
 * @see rancher/dashboard:pkg/harvester-manager/machine-config/harvester.vue
 */
function diskFields(disk: Disk, index: number): object {
  const { image, storageClass, size } = disk._claim ?? {};
  return {
    ...(image
      ? { imageName: image.imageId }
      : { storageClassName: storageClass?.name ?? HARVESTER_LONGHORN }),
    bootOrder: bootOrderOf(disk, index),
    size: size && gibibytes(size),
    ...(disk._bus ? { bus: disk._bus } : {}),
    ...(disk._cdRom ? { type: 'cd-rom' } : {}),
    ...(disk._options.hotPluggable ? { hotPlugAble: true } : {}),
  };
}

function nicFields({ _network: network, _options }: Nic): object {
  const { macAddress, model } = _options;
  return {
    networkName: network?.networkId,
    macAddress: macAddress?.toLowerCase() ?? '',
    ...(model ? { model } : {}),
  };
}

/**
 * Seconds in the form that Rancher writes back for a duration, e.g. `1h0m0s`: any other form would
 * show up as drift.
 * @see https://pkg.go.dev/time#Duration.String
 */
export function durationText(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours > 0) {
    return `${hours}h${minutes}m${seconds % 60}s`;
  }
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`;
}

function poolEntryOf(context: ClusterContext, pool: MachinePool): ClusterFields {
  const { roles, autoscaling, rollingUpdate } = pool;
  const health = FeatureGates.of(GuestGate.MACHINE_POOL_HEALTH).supports(context.rancherVersion);
  const autoscalingFields =
    !isScaledByRancherProvider(pool) &&
    FeatureGates.of(GuestGate.AUTOSCALING).supports(context.rancherVersion);
  const entry: ClusterFields = {
    name: pool.name,
    displayName: pool.adopted?.displayName,
    quantity: quantityOf(pool),
    controlPlaneRole: roles.controlPlane || undefined,
    etcdRole: roles.etcd || undefined,
    workerRole: roles.worker || undefined,
    machineConfigRef: { kind: HARVESTER_CONFIG_KIND, name: configNameOf(context, pool) },
    cloudCredentialSecretName: pool.credential?.credentialId,
    machineOS: pool.machineOs,
    hostnameLengthLimit: pool.hostnameLengthLimit,
    labels: filled(pool.nodeLabels),
    taints: filledList(pool.taints?.map(({ key, value, effect }) => ({ key, value, effect }))),
    machineDeploymentLabels: filled(pool.machineDeploymentLabels),
    machineDeploymentAnnotations: filled({
      ...resourceAnnotations(pool),
      ...pool.machineDeploymentAnnotations,
      ...(autoscalingFields ? {} : boundAnnotations(pool)),
    }),
    autoscalingMinSize: autoscalingFields ? autoscaling?.min : undefined,
    autoscalingMaxSize: autoscalingFields ? autoscaling?.max : undefined,
    drainBeforeDelete: pool.drainBeforeDelete ?? (health ? true : undefined),
    drainBeforeDeleteTimeout: timeText(pool.drainBeforeDeleteTimeout),
    unhealthyNodeTimeout: timeText(
      pool.unhealthyNodeTimeout ?? (health ? Duration.seconds(0) : undefined),
    ),
    nodeStartupTimeout: timeText(pool.nodeStartupTimeout),
    maxUnhealthy: pool.maxUnhealthy,
    unhealthyRange: pool.unhealthyRange,
    rollingUpdate: rollingUpdate && {
      maxSurge: intOrPercentage(rollingUpdate.maxSurge),
      maxUnavailable: intOrPercentage(rollingUpdate.maxUnavailable),
    },
    paused: pool.paused || undefined,
  };
  return defined(entry);
}

/** Whether kubernetes/autoscaler scales a pool with its provider for Rancher. */
export function isScaledByRancherProvider({ autoscaling }: MachinePool): boolean {
  return autoscaling?.autoscaler === MachineAutoscaler.RANCHER;
}

function quantityOf(pool: MachinePool): number | undefined {
  const { autoscaling, quantity } = pool;
  if (isScaledByRancherProvider(pool)) {
    return quantity ?? autoscaling!.min;
  }
  return autoscaling ? undefined : (quantity ?? 1);
}

/** The bounds of an autoscaler, where annotations hold them. */
function boundAnnotations(pool: MachinePool): { readonly [key: string]: string } {
  const { autoscaling } = pool;
  if (!autoscaling) {
    return {};
  }
  const [min, max] = isScaledByRancherProvider(pool)
    ? [RANCHER_AUTOSCALER.MIN, RANCHER_AUTOSCALER.MAX]
    : [AUTOSCALER_MIN, AUTOSCALER_MAX];
  return { [min]: String(autoscaling.min), [max]: String(autoscaling.max) };
}

/** What a node of a pool has, by which the provider for Rancher scales a pool without machines. */
function resourceAnnotations(pool: MachinePool): { readonly [key: string]: string } {
  const storage = pool.autoscaling?.ephemeralStorage;
  if (!isScaledByRancherProvider(pool) || storage === undefined) {
    return {};
  }
  return {
    [RANCHER_AUTOSCALER.CPU]: String(pool.cpus),
    [RANCHER_AUTOSCALER.MEMORY]: `${gibibytes(pool.memory)}Gi`,
    [RANCHER_AUTOSCALER.EPHEMERAL_STORAGE]: `${gibibytes(storage)}Gi`,
  };
}

function timeText(time?: Duration): string | undefined {
  return time && durationText(time.toSeconds({ integral: false }));
}

// the server reads a number as text as a percentage and refuses it
function intOrPercentage(value?: string): string | number | undefined {
  return value !== undefined && /^\d+$/.test(value) ? Number(value) : value;
}

function filled(map?: { readonly [key: string]: string }): { [key: string]: string } | undefined {
  return map && Object.keys(map).length > 0 ? { ...map } : undefined;
}
