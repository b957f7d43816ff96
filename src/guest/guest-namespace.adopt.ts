import { TargetKind } from '../core/app/target';
import { Inverse, byName, declare } from '../core/draft/inverse';

/** From a Namespace of a guest cluster to the construct. */
export const GUEST_NAMESPACE_INVERSE: Inverse = {
  kinds: ['/Namespace'],
  on: TargetKind.GUEST,
  drafts: (object) => declare(object, 'GuestNamespace', {}),
  existing: byName('GuestNamespace'),
};
