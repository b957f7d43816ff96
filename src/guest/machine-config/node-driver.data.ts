import { ProductVersion, versionParser } from '../../core/version/product-version';
import { NODE_DRIVER_PRODUCT } from '../version/products';

/**
 * A version of the Harvester node driver, e.g. `1.0.6`. The version of Rancher determines which one runs: see
 * `SupportMatrix.nodeDriver`.
 *
 * @see https://github.com/harvester/docker-machine-driver-harvester/releases
 */
export class NodeDriverVersion extends ProductVersion {
  /**
   * Reads a version.
   *
   * @param version three numbers and an optional pre-release, with or without a leading v: `1.0.6`
   */
  public static readonly parse = versionParser((version) => new NodeDriverVersion(version));

  private constructor(version: string) {
    super(NODE_DRIVER_PRODUCT, version);
  }
}

/** A rule of an RBAC role. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/**
 * The permissions that the Harvester node driver, and the cleanup of Rancher, need in the namespace of the machines.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/client.go; rancher/rancher:pkg/controllers/provisioningv2/harvestercleanup/controller.go
 */
export const NODE_DRIVER_RULES: readonly PolicyRule[] = [
  { apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] },
  { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances'], verbs: ['get', 'list', 'watch'] },
  {
    apiGroups: ['subresources.kubevirt.io'],
    resources: ['virtualmachines/start', 'virtualmachines/stop', 'virtualmachines/restart'],
    verbs: ['update'],
  },
  // the cloud-init of a machine, which is deleted with the machine
  { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
  // driver 1.0.5 and later (Rancher 2.14) lists the volumes of a cluster before it deletes a machine, and keeps the machine if it cannot
  { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get', 'list', 'delete'] },
];

/**
 * The permissions to look up single objects by name, in any namespace, before the driver creates a machine.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/precreate.go
 */
export const NODE_DRIVER_LOOKUP_RULES: readonly PolicyRule[] = [
  { apiGroups: ['harvesterhci.io'], resources: ['settings'], resourceNames: ['server-version'], verbs: ['get'] },
  { apiGroups: ['harvesterhci.io'], resources: ['virtualmachineimages', 'keypairs'], verbs: ['get'] },
  { apiGroups: ['k8s.cni.cncf.io'], resources: ['network-attachment-definitions'], verbs: ['get'] },
  { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['get'] },
];

/**
 * The permission that the CSI driver of a guest cluster needs from 0.2.7 on (chart 0.1.27), in the namespace of the machines: it adds a volume to
 * the VirtualMachine with a patch if Harvester is 1.8 or later, or if it cannot read the version. ClusterRole `harvesterhci.io:csi-driver`
 * has it from Harvester 1.8.0 on.
 *
 * @see harvester/harvester-csi-driver:pkg/csi/controller_server.go addVolumeToVM, pkg/utils/version.go; harvester/harvester#10548
 */
export const CSI_PATCH_RULES: readonly PolicyRule[] = [{ apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], verbs: ['patch'] }];
