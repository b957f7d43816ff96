import { Product } from './product';
import { SemverRules } from './semver';

/** How the versions of a product are read and how error texts call them. Not exported by the folder. */
export const VERSION_RULES: Record<Product, SemverRules> = {
  [Product.RANCHER]: { what: 'rancher version', example: '2.13.8', distributions: false },
  [Product.HARVESTER]: { what: 'harvester version', example: '1.7.2', distributions: false },
  [Product.NODE_DRIVER]: { what: 'node driver version', example: '1.0.6', distributions: false },
  [Product.KUBERNETES]: { what: 'kubernetes version', example: 'v1.33.6+rke2r1', distributions: true },
};

/** How error texts call a product. */
export const PRODUCT_NAMES: Record<Product, string> = {
  [Product.RANCHER]: 'Rancher',
  [Product.HARVESTER]: 'Harvester',
  [Product.NODE_DRIVER]: 'the Harvester node driver',
  [Product.KUBERNETES]: 'Kubernetes',
};
