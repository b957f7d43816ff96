import { isInGuest } from './guest-target.adopt';
import { TargetKind } from '../core/app/target';
import { Inverse } from '../core/draft/inverse';

/** From a Namespace of a guest cluster to the construct. */
export const GUEST_NAMESPACE_INVERSE: Inverse = {
  kinds: ['/Namespace'],
  drafts: (object, around) => (isInGuest(object, around)
    ? { type: 'GuestNamespace', id: object.manifest.metadata.name, props: {}, declares: [object] } : []),
  existing: ({ target, name }, around) => (around.cluster(target).kind === TargetKind.GUEST
    ? { type: 'GuestNamespace', method: 'fromName', props: { name } } : undefined),
};
