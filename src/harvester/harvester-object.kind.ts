import { ON_HARVESTER } from '../core/kind/kind';
import { GROUPS } from '../core/manifest/names';

/**
 * What descriptions of the kinds in Harvester's own API have in common. Some are not namespaced.
 */
export const HARVESTER_KIND = {
  group: GROUPS.HARVESTER,
  version: 'v1beta1',
  scope: 'Namespaced',
  targets: ON_HARVESTER,
} as const;
