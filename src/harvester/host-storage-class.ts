import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { declareDefaultClass } from './_default-class';
import { failUnlessSameHarvester, objectName } from './_object-name';
import { StorageDriver, StorageTopology } from './storage-driver';
import { ReclaimPolicy, VolumeBindingMode } from './storage-class-options';
import { EdgeType, Edges } from '../late';
import { checkStorageClass } from '../model/checks/storage-class';
import { compare } from '../model/compare';
import { defined } from '../model/defined';
import { fail, failOnErrors } from '../model/errors';
import {
  ANNOTATION_CDI, ANNOTATION_DEFAULT_CLASS, BUILT_IN_STORAGE_CLASSES, INFRASTRUCTURE_API, LVM_PROVISIONER,
} from '../model/infrastructure-names';
import { know } from '../model/known-objects';
import { ANNOTATION_DESCRIPTION } from '../model/labels';
import { note } from '../model/object-notes';
import { Problem } from '../model/problem';
import { harvesterTargetOf, IHarvesterTarget } from '../model/target';
import { FeatureGates, GateId, HarvesterVersion } from '../versions';

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
      apiVersion: INFRASTRUCTURE_API.STORAGE,
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
    know(this, { target: this.harvester, apiVersion: INFRASTRUCTURE_API.STORAGE, kind: 'StorageClass', name: storageClassName });
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
