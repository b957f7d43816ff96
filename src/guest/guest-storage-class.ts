import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { IHostStorageClass } from '../harvester';
import { ReclaimPolicy, VolumeBindingMode } from '../harvester/storage-class-options';
import { CSI_PARAMETER, HOST_VOLUME_FILESYSTEM } from '../model/cloud-provider-names';
import { fail } from '../model/errors';
import { CSI_PROVISIONER } from '../model/guest/rancher-names';
import { ANNOTATION_DEFAULT_CLASS } from '../model/infrastructure-names';
import { isLate } from '../model/late-token';
import { note } from '../model/object-notes';
import { guestTargetOf } from '../model/target';

/**
 * Properties of a storage class in a guest cluster.
 */
export interface GuestStorageClassProps {
  /** The name of the StorageClass; `harvester` is the one that the chart of the CSI driver makes. @default - the id of the construct */
  readonly name?: string;
  /** The storage class of the Harvester that the volumes lie in. @default - that of the CSI driver, else the default one of the Harvester */
  readonly hostStorageClass?: IHostStorageClass;
  /** Whether volumes are file systems on the Harvester, for host storage that has no block volumes. @default false */
  readonly hostFilesystem?: boolean;
  /** Whether claims that name no class get this one. A cluster has one such class, and that of the chart is one. @default false */
  readonly isDefault?: boolean;
  /** @default ReclaimPolicy.DELETE */
  readonly reclaimPolicy?: ReclaimPolicy;
  /** @default VolumeBindingMode.IMMEDIATE */
  readonly volumeBindingMode?: VolumeBindingMode;
  /** Whether volumes can be made larger; online with CSI chart 0.1.24 and Harvester 1.6.0 and later. @default true */
  readonly allowVolumeExpansion?: boolean;
  /** Options of the mount. @default - none */
  readonly mountOptions?: string[];
}

/**
 * A storage class in a guest cluster whose volumes lie on its Harvester, by the CSI driver.
 *
 * ReadWriteOnce volumes always; ReadWriteMany needs CSI chart 0.1.20 and Harvester 1.4.0 or later, and a storage class of the Harvester for it. A
 * class can not be changed, only its default mark and whether volumes can be made larger: give a changed one another name.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/csi-driver
 */
export class GuestStorageClass extends Construct {
  /** The name of the StorageClass. */
  public readonly storageClassName: string;

  constructor(scope: Construct, id: string, props: GuestStorageClassProps = {}) {
    super(scope, id);
    guestTargetOf(this, 'GuestStorageClass');
    this.storageClassName = className(this, props.name ?? id);
    const parameters = {
      ...(props.hostStorageClass ? { [CSI_PARAMETER.HOST_STORAGE_CLASS]: props.hostStorageClass.storageClassName } : {}),
      ...(props.hostFilesystem ? { [CSI_PARAMETER.HOST_VOLUME_MODE]: HOST_VOLUME_FILESYSTEM } : {}),
    };
    const storageClass = new ApiObject(this, 'Resource', {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: this.storageClassName, annotations: props.isDefault ? { [ANNOTATION_DEFAULT_CLASS]: 'true' } : undefined },
      provisioner: CSI_PROVISIONER,
      parameters: Object.keys(parameters).length > 0 ? parameters : undefined,
      reclaimPolicy: props.reclaimPolicy ?? ReclaimPolicy.DELETE,
      volumeBindingMode: props.volumeBindingMode ?? VolumeBindingMode.IMMEDIATE,
      allowVolumeExpansion: props.allowVolumeExpansion ?? true,
      mountOptions: props.mountOptions,
    });
    note(storageClass, { deletion: { policy: 'delete', reason: 'volumes that are there stay, new ones can not be made by it' } });
  }
}

/** The name of a class, an RFC 1123 subdomain. */
export function className(construct: Construct, name: string): string {
  if (!isLate(name) && !/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name)) {
    fail(construct, [{ path: 'name', value: name, message: 'is no name of a class', fix: 'use a-z, 0-9, hyphens and dots' }]);
  }
  return name;
}
