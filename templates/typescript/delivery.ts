import { Delivery, type HarvesterAppProps } from 'cdk8s-harvester';

/** How the output reaches the clusters, and how it keeps secrets. */
export const DELIVERY: HarvesterAppProps = {
  delivery: Delivery.none(),
  // makes the IDs of clusters unpredictable; with another salt, they are other clusters
  idSalt: '00000000000000000000000000000000',
};
