import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { checkManifest, checkProps } from './check-virtual-machine';
import { macAddressPath } from './mac-address';
import { VirtualMachineProps, VmRunStrategy } from './virtual-machine-props';
import { clusterNameOf, isBridged, macAddressesOf, machineManifest, nicsOf } from './virtual-machine-spec';
import {
  ANNOTATION_DEVICES, ANNOTATION_HOTPLUG, ANNOTATION_INSUFFICIENT, ANNOTATION_MAC_ADDRESS, ANNOTATION_NETWORK_IPS, ANNOTATION_RUN_STRATEGY, API_KUBEVIRT, GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE,
} from './virtual-machine.kind';
import { know } from '../../core/app/known-objects';
import { IHarvesterTarget, harvesterTargetOf } from '../../core/app/target';
import { EdgeType, Edges } from '../../core/late/edge';
import { LateType } from '../../core/late/late-text';
import { LateSource, LateValue } from '../../core/late/late-value';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { annotationsOf } from '../../core/manifest/metadata';
import { API_VERSIONS } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { failOnErrors } from '../../core/rule/problem';
import { plainText } from '../../core/text/plain-text';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { CloudInit } from '../cloud-init/cloud-init';
import { GuestAgent } from '../cloud-init/cloud-init-props';
import { CloudInitSecret, ICloudInitSecret } from '../cloud-init/cloud-init-secret';
import { CLOUD_INIT_SUFFIX } from '../cloud-init/cloud-init.kind';
import { IKeyPair } from '../key-pair/key-pair';
import { DEFAULT_NAMESPACE } from '../namespace/namespace.kind';
import { objectName, objectNamespace } from '../object-name';
import { useDefaultClass } from '../storage/host-storage-class';
import { HarvesterVersion } from '../version/harvester-version';

/**
 * A virtual machine on a Harvester: one that the program declares, or one that is there.
 */
export interface IVirtualMachine extends IConstruct {
  /** The name of the VirtualMachine. */
  readonly vmName: string;
  /** Its namespace. */
  readonly namespace: string;
  /** The Harvester that it is on. */
  readonly harvester: IHarvesterTarget;
}

const INSTANCE = 'spec.template.spec';

/** Where the memory and the most sockets of a machine stand. */
const MEMORY = `${INSTANCE}.domain.memory`;
const MAX_SOCKETS = `${INSTANCE}.domain.cpu.maxSockets`;

// what Harvester and KubeVirt fill in; the affinity gets the hosts of the networks also where it is ours
const OTHERS_WRITE: readonly string[] = [
  ...[ANNOTATION_MAC_ADDRESS, ANNOTATION_NETWORK_IPS, ANNOTATION_DEVICES, ANNOTATION_INSUFFICIENT].map((key) => `metadata.annotations[${key}]`),
  ...['latest-observed-api-version', 'storage-observed-api-version'].map((key) => `metadata.annotations[${GROUP_KUBEVIRT}/${key}]`),
  'metadata.finalizers', 'spec.template.metadata.creationTimestamp',
  MAX_SOCKETS, MEMORY,
  ...['resources.requests', 'firmware.uuid', 'firmware.serial']
    .map((field) => `${INSTANCE}.domain.${field}`),
  `${INSTANCE}.affinity`, `${INSTANCE}.architecture`, 'status',
];

/**
 * Where the CSI driver of a guest cluster adds volumes to the machines that are its nodes, and removes them.
 *
 * @see harvester/harvester-csi-driver:pkg/csi/controller_server.go addVolumeToVM, removeVolumeFromVM; before 0.2.7 KubeVirt does the same for addvolume
 */
const HOTPLUGGED: readonly string[] = [`${INSTANCE}.volumes`, `${INSTANCE}.domain.devices.disks`];

/**
 * A virtual machine on a Harvester, in the form in which Harvester's UI writes it.
 *
 * Its volumes are made by Harvester, once: another image or class for a disk that is there changes nothing, and volumes stay when the machine is
 * deleted, to be found again by a machine of the same name. What changes processors, memory or devices counts from its next start. From
 * Harvester 1.8 on the StorageClass of an image is a late value, and so the machine is in the assembly and not in the output, unless the image has
 * `storageClassName`.
 *
 * Beside it, on the same Harvester, a Secret with its cloud-init: `<name>-cloudinit`.
 *
 * @see https://docs.harvesterhci.io/latest/vm/index
 */
export class VirtualMachine extends Construct implements IVirtualMachine {
  /**
   * A machine that is there.
   *
   * @param scope below a HarvesterChart
   * @param id of the construct
   * @param name of the VirtualMachine
   * @param namespace of it; the default is `default`
   */
  public static fromName(scope: Construct, id: string, name: string, namespace?: string): IVirtualMachine {
    return new ExistingMachine(scope, id, name, namespace ?? DEFAULT_NAMESPACE);
  }

  public readonly vmName: string;
  public readonly namespace: string;
  public readonly harvester: IHarvesterTarget;
  /**
   * The Secret with its cloud-init, its own or the one that it was given.
   * @default - it has none
   */
  public readonly cloudInitSecret?: ICloudInitSecret;
  /**
   * The hardware addresses of its network cards, in their order: those of the program, and derived ones for all others. Where `apply` adopts a
   * machine that is there, the live address of a card wins over a derived one.
   */
  public readonly macAddresses: string[];

  constructor(scope: Construct, id: string, props: VirtualMachineProps) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'VirtualMachine');
    this.vmName = objectName(this, props.name);
    this.namespace = objectNamespace(this, this.harvester, props.namespace);
    const identity = { target: this.harvester.targetName, name: this.vmName, namespace: this.namespace };
    failOnErrors(this, checkProps(identity, props, this.harvester));

    this.cloudInitSecret = props.cloudInitSecret ?? this.ownSecret(props);
    const manifest = machineManifest(identity, props, this.cloudInitSecret);
    failOnErrors(this, checkManifest(manifest));
    const machine = new ApiObject(this, 'Resource', manifest);
    this.macAddresses = macAddressesOf(identity, props);
    note(machine, {
      derived: nicsOf(props).flatMap(({ _options: { macAddress } }, index) => (
        macAddress === undefined ? [{ path: macAddressPath(index), value: this.macAddresses[index] }] : [])),
      deletion: { policy: 'delete', reason: 'volumes stay but for those of disks with deleteWithMachine, whose data is lost' },
      othersWrite: (rendered) => [
        ...OTHERS_WRITE.filter((field) => !isOfHotplug(rendered, field)),
        ...(props.runStrategy === VmRunStrategy.HALTED ? [`metadata.annotations[${ANNOTATION_RUN_STRATEGY}]`] : []),
        ...(props.machineType === undefined ? [`${INSTANCE}.domain.machine`] : []),
        ...(props.terminationGracePeriod ? [] : [`${INSTANCE}.terminationGracePeriodSeconds`]),
        ...this.bindings(props),
        ...(clusterNameOf(props) === undefined ? [] : HOTPLUGGED),
      ],
    });
    if (this.cloudInitSecret) { Edges.of(machine)._add(this.cloudInitSecret, EdgeType.APPLIED); }
    this.waitFor(props);
  }

  // Harvester exchanges the two by what the Subnet of the network says
  private bindings(props: VirtualMachineProps): string[] {
    if (!FeatureGates.of(GateId.OVERLAY_BINDING_BY_SUBNET).supports(HarvesterVersion.parse(this.harvester.version))) { return []; }
    return nicsOf(props).flatMap(({ _network: network }, index) => (
      network && !isBridged(network) ? ['bridge', 'binding'].map((field) => `${INSTANCE}.domain.devices.interfaces[${index}].${field}`) : []));
  }

  private ownSecret(props: VirtualMachineProps): CloudInitSecret | undefined {
    const { sshKeys = [], cloudInit, networkData, namespace } = props;
    if (!cloudInit && !networkData && sshKeys.length === 0) { return undefined; }
    // as the UI does: keys first; and they alone are no reason to leave the agent out
    const keys = sshKeys.length === 0 ? [] : [CloudInit.of({
      sshAuthorizedKeys: sshKeys.map((key) => this.publicKey(key)), guestAgent: cloudInit ? GuestAgent._unsaid() : undefined,
    })];
    const parts = [...keys, ...(cloudInit ? [cloudInit] : [])];
    return new CloudInitSecret(this, 'CloudInit', {
      name: `${this.vmName}${CLOUD_INIT_SUFFIX}`, namespace, networkData, cloudInit: parts.length === 0 ? undefined : CloudInit.combine(...parts),
    });
  }

  private publicKey(key: IKeyPair): string {
    return key.publicKey ?? new LateValue(this, `Key-${key.namespace}-${key.keyPairName}`, {
      description: `public key of KeyPair ${key.keyPairId}`,
      type: LateType.STRING,
      source: LateSource.field({
        target: key.harvester, apiVersion: API_VERSIONS.HARVESTER, kind: 'KeyPair', namespace: key.namespace, name: key.keyPairName,
      }, 'spec.publicKey'),
    }).token;
  }

  private waitFor(props: VirtualMachineProps): void {
    const edges = Edges.of(this);
    // the Cluster alone: charts of what lies in it wait for its nodes
    const cluster = props.guestCluster?.node.defaultChild;
    if (cluster) { edges._add(cluster, EdgeType.APPLIED); }
    for (const { _claim: claim, _volume: volume } of props.disks) {
      if (claim?.image) {
        edges._add(claim.image, EdgeType.READY);
      } else if (claim?.storageClass) {
        edges._add(claim.storageClass, EdgeType.APPLIED);
      } else if (claim) {
        useDefaultClass(this.harvester, this);
      }
      if (volume) { edges._add(volume, EdgeType.APPLIED); }
    }
    for (const { _network: network } of nicsOf(props)) {
      if (network) { edges._add(network, EdgeType.APPLIED); }
    }
    for (const key of props.sshKeys ?? []) { edges._add(key, EdgeType.APPLIED); }
  }
}

/**
 * Whether a field is the user's, because processors and memory are added while the machine runs.
 *
 * @see harvester/harvester:pkg/webhook/resources/virtualmachine/mutator.go generateMemoryPatch (1.6.0 and later)
 */
function isOfHotplug(machine: Manifest, field: string): boolean {
  if (plainText(annotationsOf(machine)[ANNOTATION_HOTPLUG]).toLowerCase() !== 'true') { return false; }
  return field === MAX_SOCKETS || (field === MEMORY && isRecord(valueAt(machine, ...MEMORY.split('.'))));
}

class ExistingMachine extends Construct implements IVirtualMachine {
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, public readonly vmName: string, public readonly namespace: string) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'VirtualMachine.fromName');
    objectName(this, vmName);
    objectName(this, namespace, 'namespace');
    know(this, { target: this.harvester, apiVersion: API_KUBEVIRT, kind: KIND_VIRTUAL_MACHINE, namespace, name: vmName });
  }
}
