import { ApiObject, Duration } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { checkStorageClass } from './host-storage-class.check';
import {
  ANNOTATION_CDI, ANNOTATION_DEFAULT_CLASS, API_STORAGE, BUILT_IN_STORAGE_CLASSES, CSI_SECRET_PAIRS, LONGHORN, LONGHORN_PROVISIONER, LVM_PROVISIONER, LVM_TOPOLOGY_KEY,
} from './host-storage-class.kind';
import { ReclaimPolicy, VolumeBindingMode } from './storage-class-options';
import { IVolumeEncryption } from './volume-encryption';
import { know } from '../../core/app/known-objects';
import { attach, attached } from '../../core/app/scope';
import { IHarvesterTarget, harvesterTargetOf } from '../../core/app/target';
import { EdgeType, Edges } from '../../core/late/edge';
import { ANNOTATION_DESCRIPTION } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, fail, failOnErrors } from '../../core/rule/problem';
import { compare, defined } from '../../core/text/values';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { failUnlessSameHarvester, objectName } from '../object-name';
import { HarvesterVersion } from '../version/harvester-version';

const CLASSES = Symbol.for('cdk8s-harvester.DefaultStorageClass');
const USERS = Symbol.for('cdk8s-harvester.DefaultStorageClass.users');

/** Declares a StorageClass that claims and images get which name none; those of the program wait for it, wherever they are declared. */
export function declareDefaultClass(harvester: IHarvesterTarget, storageClass: IConstruct): void {
  attach(harvester, CLASSES, storageClass);
  for (const user of attached<IConstruct>(harvester, USERS)) { Edges.of(user)._add(storageClass, EdgeType.APPLIED); }
}

/** Declares what gets the default StorageClass. */
export function useDefaultClass(harvester: IHarvesterTarget, user: IConstruct): void {
  attach(harvester, USERS, user);
  for (const storageClass of attached<IConstruct>(harvester, CLASSES)) { Edges.of(user)._add(storageClass, EdgeType.APPLIED); }
}

/**
 * Whether Longhorn keeps a replica on the node of a volume's virtual machine.
 */
export enum DataLocality {
  /** Replicas are where there is room. */
  DISABLED = 'disabled',
  /** One follows the virtual machine. */
  BEST_EFFORT = 'best-effort',
}

/**
 * The engine of Longhorn.
 */
export enum LonghornEngine {
  /** The one that needs nothing. */
  V1 = 'v1',
  /** The one on SPDK, which must be enabled on the Harvester. */
  V2 = 'v2',
}

/**
 * How Longhorn makes volumes.
 */
export interface LonghornStorageProps {
  /** How many copies: 1 to 20, not more than nodes. @default 3 */
  readonly replicas?: number;
  /** After what time a replica that failed is given up; whole minutes. @default Duration.minutes(30) */
  readonly staleReplicaTimeout?: Duration;
  /**
   * Whether volumes move with virtual machines while they run. Volumes that pods of guest clusters share need false.
   * @default true
   */
  readonly migratable?: boolean;
  /** Whether a copy follows the virtual machine. @default - Longhorn's own */
  readonly dataLocality?: DataLocality;
  /** The engine. Create-only. @default - Longhorn's own, v1 */
  readonly engine?: LonghornEngine;
  /** Tags of the disks that may hold copies, all of them. @default - all disks */
  readonly diskSelector?: string[];
  /** Tags of Longhorn's nodes that may hold copies, all of them. @default - all nodes */
  readonly nodeSelector?: string[];
  /** The file system of volumes that are no block devices, e.g. `ext4`, `xfs`. @default - Longhorn's own */
  readonly fsType?: string;
  /** Mount options of volumes that pods share, e.g. `vers=4.2,noresvport,softerr,timeo=600,retrans=5`. Needs `migratable: false`. @default - none */
  readonly nfsOptions?: string;
  /** The key that volumes are encrypted with. @default - not encrypted */
  readonly encryption?: IVolumeEncryption;
  /** Further parameters of Longhorn, as they stand in the StorageClass. @default - none */
  readonly parameters?: { readonly [key: string]: string };
}

/**
 * How volumes lie in a volume group of LVM.
 */
export enum LvmType {
  /** Over all disks of the group; a snapshot takes as much room as its volume. */
  STRIPED = 'striped',
  /** Thin: room is taken as it is written. */
  DM_THIN = 'dm-thin',
}

/**
 * How LVM makes volumes on the disks of one node. Needs the add-on harvester-csi-driver-lvm.
 */
export interface LvmStorageProps {
  /** The node; its virtual machines can not move. */
  readonly node: string;
  /** The name of the volume group. */
  readonly volumeGroup: string;
  /** How volumes lie in it. */
  readonly type: LvmType;
}

/**
 * Labels of nodes that volumes may be on.
 */
export interface StorageTopology {
  /** The label, e.g. `topology.kubernetes.io/zone`. */
  readonly key: string;
  /** Its values. */
  readonly values: string[];
}

/**
 * What makes the volumes of a storage class.
 */
export class StorageDriver {
  /**
   * Longhorn, on all nodes: the storage that Harvester comes with.
   * @param props how it makes them
   */
  public static longhorn(props: LonghornStorageProps = {}): StorageDriver {
    const { encryption, staleReplicaTimeout = Duration.minutes(30) } = props;
    const given: { readonly [key: string]: string | undefined } = {
      [LONGHORN.REPLICAS]: String(props.replicas ?? 3),
      [LONGHORN.STALE_TIMEOUT]: String(staleReplicaTimeout.toMinutes()),
      [LONGHORN.MIGRATABLE]: String(props.migratable ?? true),
      [LONGHORN.DATA_LOCALITY]: props.dataLocality,
      [LONGHORN.DATA_ENGINE]: props.engine,
      [LONGHORN.DISK_SELECTOR]: props.diskSelector?.join(','),
      [LONGHORN.NODE_SELECTOR]: props.nodeSelector?.join(','),
      [LONGHORN.FS_TYPE]: props.fsType,
      [LONGHORN.NFS_OPTIONS]: props.nfsOptions,
      ...(encryption ? { [LONGHORN.ENCRYPTED]: 'true' } : {}),
    };
    const secrets = encryption ? secretParameters(encryption) : {};
    return new StorageDriver(LONGHORN_PROVISIONER, { ...given, ...secrets, ...props.parameters }, undefined, encryption);
  }

  /**
   * LVM, on the disks of one node.
   * @param props where it makes them
   */
  public static lvm(props: LvmStorageProps): StorageDriver {
    return new StorageDriver(LVM_PROVISIONER, { type: props.type, vgName: props.volumeGroup }, { key: LVM_TOPOLOGY_KEY, values: [props.node] });
  }

  /**
   * Another CSI driver that is installed on the Harvester.
   *
   * @param provisioner name of the driver
   * @param parameters of it, as they stand in the StorageClass
   */
  public static csi(provisioner: string, parameters: { [key: string]: string } = {}): StorageDriver {
    return new StorageDriver(provisioner, parameters);
  }

  private constructor(
    /** @internal */
    public readonly _provisioner: string,
    /** @internal */
    public readonly _parameters: { readonly [key: string]: string | undefined },
    /** @internal */
    public readonly _topology?: StorageTopology,
    /** @internal */
    public readonly _encryption?: IVolumeEncryption,
  ) {}
}

function secretParameters({ secretName, namespace: secretNamespace }: IVolumeEncryption): { readonly [key: string]: string } {
  return Object.fromEntries(CSI_SECRET_PAIRS.flatMap(({ name, namespace }) => [[name, secretName], [namespace, secretNamespace]]));
}

/**
 * A StorageClass of a Harvester: one that the program declares, or one that is there.
 */
export interface IHostStorageClass extends IConstruct {
  /** The name of the StorageClass. */
  readonly storageClassName: string;
  /** The Harvester that it is on. */
  readonly harvester: IHarvesterTarget;
}

/**
 * What CDI, which fills volumes from images, is told of a storage class. Not for the engine v1 of Longhorn.
 */
export interface CdiStorageProps {
  /** Access modes by volume mode, e.g. `{ Block: ['ReadWriteOnce'] }`. Needed for drivers that CDI does not know. @default - what CDI knows */
  readonly accessModes?: { readonly [volumeMode: string]: string[] };
  /** How volumes are cloned: `copy`, `snapshot` or `csi-clone`. @default - what CDI knows */
  readonly cloneStrategy?: string;
  /** The VolumeSnapshotClass of clones by snapshot. @default - none */
  readonly snapshotClass?: string;
  /** The share of a volume that its file system takes: 0 to 1, up to three decimals. @default - that of CDI */
  readonly filesystemOverhead?: number;
}

/**
 * Properties of a storage class.
 */
export interface HostStorageClassProps {
  /** What makes the volumes. Create-only. @default StorageDriver.longhorn() */
  readonly driver?: StorageDriver;
  /**
   * Whether it is the class of claims that name none. One class may be it, and `harvester-longhorn` is from the start: reset that first.
   * @default false
   */
  readonly isDefault?: boolean;
  /** What becomes of a volume when its claim is deleted. Create-only. @default ReclaimPolicy.DELETE */
  readonly reclaimPolicy?: ReclaimPolicy;
  /** When volumes are made. Create-only. @default - IMMEDIATE, and WAIT_FOR_FIRST_CONSUMER with LVM */
  readonly volumeBindingMode?: VolumeBindingMode;
  /** Whether volumes may grow. @default true */
  readonly allowVolumeExpansion?: boolean;
  /** Labels of the nodes that volumes may be on, all of them. @default - all nodes; with LVM its node */
  readonly allowedTopologies?: StorageTopology[];
  /** What CDI is told. @default - what the server writes for LVM and the engine v2 of Longhorn, nothing for others */
  readonly cdi?: CdiStorageProps;
  /** The name of the StorageClass. @default - the id of the construct */
  readonly name?: string;
  /** Text that the UI shows. @default - none */
  readonly description?: string;
  /** Labels of the StorageClass. @default - none */
  readonly labels?: { readonly [key: string]: string };
}

/**
 * A StorageClass of a Harvester: how volumes of virtual machines, images and guest clusters are made.
 *
 * Driver, parameters, reclaim policy and binding mode can not be changed: another class needs another name.
 *
 * @see https://docs.harvesterhci.io/latest/advanced/storageclass
 */
export class HostStorageClass extends Construct implements IHostStorageClass {
  /**
   * A class that is there, e.g. `harvester-longhorn`.
   *
   * @param scope below a HarvesterChart
   * @param id of the construct
   * @param name of the StorageClass
   */
  public static fromName(scope: Construct, id: string, name: string): IHostStorageClass {
    return new ExistingStorageClass(scope, id, name);
  }

  public readonly storageClassName: string;
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, props: HostStorageClassProps = {}) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'HostStorageClass');
    this.storageClassName = objectName(this, props.name);
    if (BUILT_IN_STORAGE_CLASSES.includes(this.storageClassName)) {
      fail(this, [{ path: 'name', value: this.storageClassName, message: 'comes with Harvester', fix: 'use HostStorageClass.fromName, or give another name' }]);
    }
    const driver = props.driver ?? StorageDriver.longhorn();
    const annotations = annotationsOf(props);
    const fields = fieldsOf(props, driver);
    const asksForModes = FeatureGates.of(GateId.STORAGE_ACCESS_MODES_ASKED).supports(HarvesterVersion.parse(this.harvester.version));
    failOnErrors(this, [...checkStorageClass(fields, annotations, asksForModes)].map(inProps));
    const encryption = driver._encryption;
    if (encryption) {
      failUnlessSameHarvester(this, 'driver.encryption', encryption.secretName, encryption.harvester, this.harvester);
      Edges.of(this)._add(encryption, EdgeType.APPLIED);
    }
    const storageClass = new ApiObject(this, 'Resource', {
      apiVersion: API_STORAGE,
      kind: 'StorageClass',
      metadata: { name: this.storageClassName, labels: props.labels, annotations: Object.keys(annotations).length === 0 ? undefined : annotations },
      ...fields,
    });
    note(storageClass, {
      deletion: { policy: 'delete', reason: 'volumes stay; Harvester refuses it while images use it' },
      othersWrite: Object.values(ANNOTATION_CDI).map((key) => `metadata.annotations[${key}]`),
    });
    if (props.isDefault) { declareDefaultClass(this.harvester, this); }
  }
}

class ExistingStorageClass extends Construct implements IHostStorageClass {
  public readonly harvester: IHarvesterTarget;

  constructor(scope: Construct, id: string, public readonly storageClassName: string) {
    super(scope, id);
    this.harvester = harvesterTargetOf(this, 'HostStorageClass.fromName');
    objectName(this, storageClassName);
    know(this, { target: this.harvester, apiVersion: API_STORAGE, kind: 'StorageClass', name: storageClassName });
  }
}

function annotationsOf({ isDefault, cdi = {}, description }: HostStorageClassProps): { readonly [key: string]: string } {
  return {
    ...(description === undefined ? {} : { [ANNOTATION_DESCRIPTION]: description }),
    ...(isDefault ? { [ANNOTATION_DEFAULT_CLASS]: 'true' } : {}),
    ...(cdi.accessModes ? { [ANNOTATION_CDI.MODES]: modesOf(cdi.accessModes) } : {}),
    ...(cdi.cloneStrategy === undefined ? {} : { [ANNOTATION_CDI.CLONE]: cdi.cloneStrategy }),
    ...(cdi.snapshotClass === undefined ? {} : { [ANNOTATION_CDI.SNAPSHOT_CLASS]: cdi.snapshotClass }),
    ...(cdi.filesystemOverhead === undefined ? {} : { [ANNOTATION_CDI.OVERHEAD]: String(cdi.filesystemOverhead) }),
  };
}

function modesOf(accessModes: { readonly [volumeMode: string]: string[] }): string {
  return JSON.stringify(Object.fromEntries(Object.entries(accessModes).sort(([a], [b]) => compare(a, b))));
}

function fieldsOf(props: HostStorageClassProps, driver: StorageDriver): { readonly [field: string]: unknown } {
  const given = [...driver._topology ? [driver._topology] : [], ...props.allowedTopologies ?? []];
  const parameters = defined(driver._parameters);
  const late = driver._provisioner === LVM_PROVISIONER ? VolumeBindingMode.WAIT_FOR_FIRST_CONSUMER : VolumeBindingMode.IMMEDIATE;
  return {
    provisioner: driver._provisioner,
    parameters,
    reclaimPolicy: props.reclaimPolicy ?? ReclaimPolicy.DELETE,
    volumeBindingMode: props.volumeBindingMode ?? late,
    allowVolumeExpansion: props.allowVolumeExpansion ?? true,
    allowedTopologies: given.length === 0 ? undefined : [{ matchLabelExpressions: given.map(({ key, values }) => ({ key, values })) }],
  };
}

const CDI_PROPS: readonly (readonly [key: string, prop: string])[] = [
  [ANNOTATION_CDI.MODES, 'accessModes'], [ANNOTATION_CDI.CLONE, 'cloneStrategy'], [ANNOTATION_CDI.SNAPSHOT_CLASS, 'snapshotClass'], [ANNOTATION_CDI.OVERHEAD, 'filesystemOverhead'],
];

function inProps(problem: Problem): Problem {
  const cdi = CDI_PROPS.find(([key]) => problem.path === `metadata.annotations[${key}]`);
  if (cdi) { return { ...problem, path: `cdi.${cdi[1]}` }; }
  return { ...problem, path: problem.path.replace(/^(provisioner|parameters)/, 'driver.$1') };
}
