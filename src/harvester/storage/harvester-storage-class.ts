import { Duration } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { checkStorageClass } from './harvester-storage-class.check';
import { CdiCloneStrategy, VolumeAccessMode } from './storage.data';
import {
  ANNOTATION_CDI,
  ANNOTATION_DEFAULT_CLASS,
  API_STORAGE,
  BUILT_IN_STORAGE_CLASSES,
  CSI_SECRET_PAIRS,
  LONGHORN,
  LONGHORN_PROVISIONER,
  LVM_PROVISIONER,
  LVM_TOPOLOGY_KEY,
} from './storage.kind';
import { IVolumeEncryption } from './volume-encryption';
import { ExistingResourceOptions } from '../../core/app/resource';
import { Ordering, OrderingType } from '../../core/construct/edge';
import { attach, attached } from '../../core/construct/scope';
import { IHarvesterTarget } from '../../core/construct/target';
import { sortedKeys } from '../../core/manifest/manifest';
import { asProps, collectProblems, failOnErrors } from '../../core/problem/problem';
import { defined } from '../../core/text/values';
import { FeatureGates } from '../../core/version/feature-gates';
import { requireSameHarvester } from '../harvester-object';
import {
  ExistingHarvesterResource,
  HarvesterResource,
  HarvesterResourceProps,
} from '../harvester-resource';
import { IHarvesterResource } from '../harvester-resource-ref';
import { IHarvesterNode } from '../node/node-ref';
import { HarvesterGate, HarvesterVersion } from '../version/harvester-version';

/** What happens to a volume when its claim is deleted. */
export enum ReclaimPolicy {
  /** The volume is deleted too, also on the Harvester. */
  DELETE = 'Delete',
  /** The volume is kept. */
  RETAIN = 'Retain',
}

/** When a volume is created. */
export enum VolumeBindingMode {
  /** The volume is created with its claim. */
  IMMEDIATE = 'Immediate',
  /** The volume is created when a pod first uses it. */
  WAIT_FOR_FIRST_CONSUMER = 'WaitForFirstConsumer',
}

/** The props that set fields of other names. */
const PROPS = {
  [`metadata.annotations[${ANNOTATION_CDI.MODES}]`]: 'cdi.accessModes',
  [`metadata.annotations[${ANNOTATION_CDI.CLONE}]`]: 'cdi.cloneStrategy',
  [`metadata.annotations[${ANNOTATION_CDI.SNAPSHOT_CLASS}]`]: 'cdi.volumeSnapshotClassName',
  [`metadata.annotations[${ANNOTATION_CDI.OVERHEAD}]`]: 'cdi.filesystemOverhead',
  'provisioner': 'driver.provisioner',
  'parameters': 'driver.parameters',
  'allowedTopologies[0].matchLabelExpressions': 'allowedTopologies',
};

const CLASSES = Symbol.for('cdk8s-harvester.DefaultStorageClass');
const USERS = Symbol.for('cdk8s-harvester.DefaultStorageClass.users');

/**
 * Makes an image or the user of a claim wait for its storage: an image, a class, or the default
 * class of the program.
 */
export function awaitStorage(
  user: IConstruct,
  harvester: IHarvesterTarget,
  image?: IConstruct,
  storageClass?: IConstruct,
): void {
  if (image) {
    Ordering.of(user)._add(image, OrderingType.READY);
  } else if (storageClass) {
    Ordering.of(user)._add(storageClass, OrderingType.APPLIED);
  } else {
    attach(harvester, USERS, user);
    for (const declared of attached<IConstruct>(harvester, CLASSES)) {
      Ordering.of(user)._add(declared, OrderingType.APPLIED);
    }
  }
}

/**
 * The data locality of Longhorn: whether a replica is on the node of the volume's virtual machine.
 */
export enum DataLocality {
  /** Replicas are on any nodes. */
  DISABLED = 'disabled',
  /** One replica follows the virtual machine. */
  BEST_EFFORT = 'best-effort',
}

/** The data engine of Longhorn. */
export enum LonghornEngine {
  /** The data engine v1, which needs no configuration. */
  V1 = 'v1',
  /** The data engine v2, based on SPDK, which must be enabled on the Harvester. */
  V2 = 'v2',
}

/** Parameters of volumes on Longhorn. */
export interface LonghornStorageProps {
  /** The number of replicas: 1 to 20, at most the number of nodes. @default 3 */
  readonly replicas?: number;
  /**
   * The time after which a failed replica is removed, in whole minutes.
   * @default Duration.minutes(30)
   */
  readonly staleReplicaTimeout?: Duration;
  /**
   * Whether VMs can migrate live with their volumes. Volumes that pods of guest clusters share
   * require false.
   * @default true
   */
  readonly migratable?: boolean;
  /** The data locality. @default - the default of Longhorn */
  readonly dataLocality?: DataLocality;
  /** The data engine. Immutable. @default - the default of Longhorn, v1 */
  readonly engine?: LonghornEngine;
  /** Tags of the disks for replicas, all of which must match. @default - all disks */
  readonly diskTags?: string[];
  /** Tags of Longhorn's nodes for replicas, all of which must match. @default - all nodes */
  readonly nodeTags?: string[];
  /**
   * The file system of volumes with the mode Filesystem, e.g. `ext4`, `xfs`.
   * @default - the default of Longhorn
   */
  readonly fsType?: string;
  /**
   * Mount options of volumes that pods share, e.g.
   * `vers=4.2,noresvport,softerr,timeo=600,retrans=5`. Requires `migratable: false`.
   * @default - no mount options
   */
  readonly nfsOptions?: string;
  /** The key of encrypted volumes. @default - volumes are not encrypted */
  readonly encryption?: IVolumeEncryption;
  /**
   * Other parameters of Longhorn by their names in the StorageClass.
   * @default - no other parameters
   */
  readonly parameters?: { readonly [key: string]: string };
}

/** The type of volumes in a volume group of LVM. */
export enum LvmType {
  /** Striped over all disks of the group. A snapshot takes as much space as its volume. */
  STRIPED = 'striped',
  /** Thin: space is allocated on write. */
  DM_THIN = 'dm-thin',
}

/**
 * Parameters of volumes on LVM, on the disks of one node. Requires the add-on
 * harvester-csi-driver-lvm.
 */
export interface LvmStorageProps {
  /** The node. VMs with these volumes cannot migrate. */
  readonly node: IHarvesterNode;
  /** The name of the volume group. */
  readonly volumeGroup: string;
  /** The type of the volumes. */
  readonly type: LvmType;
}

/** Parameters of volumes of another CSI driver. */
export interface CsiStorageOptions {
  /** The parameters by their names in the StorageClass. @default - no parameters */
  readonly parameters?: { readonly [key: string]: string };
}

/** Labels of nodes on which volumes may be. */
export interface StorageTopology {
  /** The label, e.g. `topology.kubernetes.io/zone`. */
  readonly key: string;
  /** The accepted values of the label. */
  readonly values: string[];
}

/** The CSI driver of a storage class, with its parameters. */
export class StorageDriver {
  /** Longhorn, on all nodes: the built-in storage of Harvester. */
  public static longhorn(props: LonghornStorageProps = {}): StorageDriver {
    const { encryption, staleReplicaTimeout = Duration.minutes(30) } = props;
    const given: { readonly [key: string]: string | undefined } = {
      [LONGHORN.REPLICAS]: String(props.replicas ?? 3),
      [LONGHORN.STALE_TIMEOUT]: String(staleReplicaTimeout.toMinutes()),
      [LONGHORN.MIGRATABLE]: String(props.migratable ?? true),
      [LONGHORN.DATA_LOCALITY]: props.dataLocality,
      [LONGHORN.DATA_ENGINE]: props.engine,
      [LONGHORN.DISK_SELECTOR]: props.diskTags?.join(','),
      [LONGHORN.NODE_SELECTOR]: props.nodeTags?.join(','),
      [LONGHORN.FS_TYPE]: props.fsType,
      [LONGHORN.NFS_OPTIONS]: props.nfsOptions,
      ...(encryption ? { [LONGHORN.ENCRYPTED]: 'true' } : {}),
    };
    const secrets = encryption
      ? CSI_SECRET_PAIRS.flatMap(({ name, namespace }) => [
          [name, encryption.name],
          [namespace, encryption.namespace],
        ])
      : [];
    const parameters = { ...given, ...Object.fromEntries(secrets), ...props.parameters };
    return new StorageDriver(
      LONGHORN_PROVISIONER,
      parameters,
      undefined,
      encryption && ['driver.encryption', encryption],
    );
  }

  /** LVM, on the disks of one node. */
  public static lvm(props: LvmStorageProps): StorageDriver {
    const { node, type, volumeGroup: vgName } = props;
    return new StorageDriver(
      LVM_PROVISIONER,
      { type, vgName },
      { key: LVM_TOPOLOGY_KEY, values: [node.name] },
      ['driver.node', node],
    );
  }

  /**
   * Another CSI driver, which is installed on the Harvester.
   *
   * @param provisioner the name of the driver
   */
  public static csi(provisioner: string, options: CsiStorageOptions = {}): StorageDriver {
    return new StorageDriver(provisioner, options.parameters ?? {});
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */
    public readonly _provisioner: string,
    /** @internal */
    public readonly _parameters: { readonly [key: string]: string | undefined },
    /** @internal */
    public readonly _topology?: StorageTopology,
    /** What it refers to on the same Harvester, with the path of the prop. @internal */
    public readonly _reference?: readonly [path: string, resource: IHarvesterResource],
  ) {}
}

/** A StorageClass of a Harvester: declared by the program, or existing. */
export interface IHarvesterStorageClass extends IHarvesterResource {
  /** The ID of the object in Rancher's API, which is its name. */
  readonly storageClassId: string;
}

const KIND = { apiVersion: API_STORAGE, kind: 'StorageClass' };

/**
 * The configuration of CDI, which fills volumes from images, for a storage class. Not for the data
 * engine v1 of Longhorn.
 */
export interface CdiStorageProps {
  /**
   * Access modes by volume mode, e.g. `{ [VolumeMode.BLOCK]: [VolumeAccessMode.READ_WRITE_ONCE] }`.
   * Required for drivers that CDI does not know.
   * @default - decided by CDI
   */
  readonly accessModes?: { readonly [volumeMode: string]: VolumeAccessMode[] };
  /** How volumes are cloned. @default - decided by CDI */
  readonly cloneStrategy?: CdiCloneStrategy;
  /** The VolumeSnapshotClass for clones by snapshot. @default - not set */
  readonly volumeSnapshotClassName?: string;
  /**
   * The overhead of the file system as a share of the volume: 0 to 1, at most three decimals.
   * @default - the default of CDI
   */
  readonly filesystemOverhead?: number;
}

/** Properties of a storage class. */
export interface HarvesterStorageClassProps extends HarvesterResourceProps {
  /** The CSI driver. Immutable. @default StorageDriver.longhorn() */
  readonly driver?: StorageDriver;
  /**
   * Whether it is the default StorageClass. Only one can be the default. After installation it is
   * `harvester-longhorn`: set `isDefault: false` there first.
   * @default false
   */
  readonly isDefault?: boolean;
  /**
   * What happens to a volume when its claim is deleted. Immutable.
   * @default ReclaimPolicy.DELETE
   */
  readonly reclaimPolicy?: ReclaimPolicy;
  /**
   * When volumes are created. Immutable.
   * @default - IMMEDIATE, and WAIT_FOR_FIRST_CONSUMER with LVM
   */
  readonly volumeBindingMode?: VolumeBindingMode;
  /** Whether volumes can be expanded. @default true */
  readonly allowVolumeExpansion?: boolean;
  /**
   * Labels of the nodes on which volumes may be, all of which must match.
   * @default - all nodes; with LVM its node
   */
  readonly allowedTopologies?: StorageTopology[];
  /**
   * The mount options of volumes with the mode Filesystem.
   * @default - the mount options of the driver
   */
  readonly mountOptions?: string[];
  /**
   * The configuration of CDI.
   * @default - written by the server for LVM and the data engine v2 of Longhorn, not set for others
   */
  readonly cdi?: CdiStorageProps;
}

/**
 * The StorageClass of a Harvester: driver and parameters of volumes for virtual machines, images
 * and guest clusters.
 *
 * Driver, parameters, reclaim policy and binding mode are immutable: a change needs a class with a
 * different name.
 *
 * @see https://docs.harvesterhci.io/latest/advanced/storageclass
 * @example
 * new HarvesterStorageClass(dc1, 'two-replicas', { driver: StorageDriver.longhorn({ replicas: 2 }) });
 */
export class HarvesterStorageClass extends HarvesterResource implements IHarvesterStorageClass {
  /** A reference to an existing class, e.g. `harvester-longhorn`. */
  public static fromName(
    scope: Construct,
    id: string,
    options: ExistingResourceOptions,
  ): IHarvesterStorageClass {
    return new ExistingHostStorageClass(scope, id, 'HarvesterStorageClass.fromName', KIND, options);
  }

  /** Whether it is the default class of the Harvester. */
  public readonly isDefault: boolean;

  constructor(scope: Construct, id: string, props: HarvesterStorageClassProps = {}) {
    super(scope, id, props);
    this.isDefault = props.isDefault ?? false;
    if (BUILT_IN_STORAGE_CLASSES.includes(this.name)) {
      collectProblems(this, [
        {
          path: 'name',
          value: this.name,
          message: 'cannot be created: Harvester has this StorageClass',
          fix: 'use HarvesterStorageClass.fromName, or choose a different name',
        },
      ]);
    }
    const driver = props.driver ?? StorageDriver.longhorn();
    const annotations = annotationsOf(props);
    const fields = fieldsOf(props, driver);
    const asksForModes = FeatureGates.of(HarvesterGate.STORAGE_ACCESS_MODES_ASKED).supports(
      HarvesterVersion.parse(this.harvester.version),
    );
    const [path, resource] = driver._reference ?? [];
    if (path && resource) {
      requireSameHarvester(this, path, resource.name, resource.harvester, this.harvester);
    }
    failOnErrors(this, asProps(checkStorageClass(fields, annotations, asksForModes), PROPS));
    if (resource) {
      Ordering.of(this)._add(resource, OrderingType.APPLIED);
    }
    this._write({ ...KIND, metadata: { annotations }, ...fields }, { props: PROPS });
    if (props.isDefault) {
      attach(this.harvester, CLASSES, this);
      // those of the program wait for it, declared in any order
      for (const user of attached<IConstruct>(this.harvester, USERS)) {
        Ordering.of(user)._add(this, OrderingType.APPLIED);
      }
    }
  }

  public get storageClassId(): string {
    return this.name;
  }
}

class ExistingHostStorageClass extends ExistingHarvesterResource implements IHarvesterStorageClass {
  public get storageClassId(): string {
    return this.name;
  }
}

function annotationsOf({ isDefault, cdi = {} }: HarvesterStorageClassProps): {
  readonly [key: string]: string;
} {
  return {
    ...(isDefault ? { [ANNOTATION_DEFAULT_CLASS]: 'true' } : {}),
    ...(cdi.accessModes
      ? { [ANNOTATION_CDI.MODES]: JSON.stringify(sortedKeys(cdi.accessModes)) }
      : {}),
    ...(cdi.cloneStrategy === undefined ? {} : { [ANNOTATION_CDI.CLONE]: cdi.cloneStrategy }),
    ...(cdi.volumeSnapshotClassName === undefined
      ? {}
      : { [ANNOTATION_CDI.SNAPSHOT_CLASS]: cdi.volumeSnapshotClassName }),
    ...(cdi.filesystemOverhead === undefined
      ? {}
      : { [ANNOTATION_CDI.OVERHEAD]: String(cdi.filesystemOverhead) }),
  };
}

function fieldsOf(
  props: HarvesterStorageClassProps,
  driver: StorageDriver,
): { readonly [field: string]: unknown } {
  const given = [
    ...(driver._topology ? [driver._topology] : []),
    ...(props.allowedTopologies ?? []),
  ];
  const parameters = defined(driver._parameters);
  const late =
    driver._provisioner === LVM_PROVISIONER
      ? VolumeBindingMode.WAIT_FOR_FIRST_CONSUMER
      : VolumeBindingMode.IMMEDIATE;
  return {
    provisioner: driver._provisioner,
    parameters: Object.keys(parameters).length > 0 ? parameters : undefined,
    reclaimPolicy: props.reclaimPolicy ?? ReclaimPolicy.DELETE,
    volumeBindingMode: props.volumeBindingMode ?? late,
    mountOptions: props.mountOptions,
    // as files write it: false means the same as none
    allowVolumeExpansion: (props.allowVolumeExpansion ?? true) || undefined,
    allowedTopologies:
      given.length === 0
        ? undefined
        : [{ matchLabelExpressions: given.map(({ key, values }) => ({ key, values })) }],
  };
}
