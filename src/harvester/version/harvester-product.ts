import { Product } from '../../core/version/product';

/** Harvester, also sold as SUSE Virtualization. */
export const HARVESTER_PRODUCT: Product = { id: 'harvester', name: 'Harvester', what: 'harvester version', example: '1.7.2', distributions: false };
