import { Product } from '../../core/version/product';

/** Rancher, the management server. */
export const RANCHER_PRODUCT: Product = { id: 'rancher', name: 'Rancher', what: 'rancher version', example: '2.13.8', distributions: false };
