import { Product } from '../../core/version/product';

/** Kubernetes of a guest cluster, with the release of its distribution (RKE2 or K3s). */
export const KUBERNETES_PRODUCT: Product = {
  id: 'kubernetes', name: 'Kubernetes', prefix: 'v', what: 'kubernetes version', example: 'v1.33.6+rke2r1', distributions: true,
};

/** The machine driver by which Rancher creates virtual machines on Harvester. */
export const NODE_DRIVER_PRODUCT: Product = {
  id: 'node-driver', name: 'the Harvester node driver', what: 'node driver version', example: '1.0.6', distributions: false,
};
