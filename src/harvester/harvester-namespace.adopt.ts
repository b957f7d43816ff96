import { descriptionProp } from './harvester-object.adopt';
import { TargetKind } from '../core/app/target';
import { Inverse, byName, declare } from '../core/draft/inverse';

/** From a Namespace of a Harvester that is in no project to the construct. */
export const HARVESTER_NAMESPACE_INVERSE: Inverse = {
  kinds: ['/Namespace'],
  on: TargetKind.HARVESTER,
  drafts: (object) => declare(object, 'HarvesterNamespace', descriptionProp(object)),
  existing: byName('HarvesterNamespace'),
};
