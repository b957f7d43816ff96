import { KindAccess } from './description/access';
import { KindDelivery } from './description/delivery';
import { KindFields } from './description/fields';
import { KindIdentity } from './description/identity';
import { KindReadiness } from './description/readiness';
import { KindReferences } from './description/references';
import { KindRefusals } from './description/refusals';
import { KindRemoval } from './description/removal';
import { TargetKind } from '../construct/target';

/**
 * Everything that is known of one kind of object, in groups: those who read it take the groups that
 * they need. `src/registry/all-kinds.ts` lists the descriptions; nothing else in the library lists
 * kinds.
 */
export interface KindDescription
  extends
    KindIdentity,
    KindReferences,
    KindFields,
    KindReadiness,
    KindDelivery,
    KindRefusals,
    KindRemoval,
    KindAccess {}

/** The management cluster of Rancher. */
export const ON_RANCHER: readonly TargetKind[] = [TargetKind.RANCHER];

/** Harvester clusters. */
export const ON_HARVESTER: readonly TargetKind[] = [TargetKind.HARVESTER];

/** Rancher, and the Rancher that each Harvester embeds. */
export const ON_RANCHER_AND_HARVESTER: readonly TargetKind[] = [
  TargetKind.RANCHER,
  TargetKind.HARVESTER,
];

/** Every target. */
export const EVERYWHERE: readonly TargetKind[] = [
  TargetKind.RANCHER,
  TargetKind.HARVESTER,
  TargetKind.GUEST,
];
