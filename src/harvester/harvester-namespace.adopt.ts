import { descriptionProp } from './harvester-object.adopt';
import { TargetKind } from '../core/app/target';
import { Inverse } from '../core/draft/inverse';

/** From a Namespace of a Harvester that is in no project to the construct. */
export const HARVESTER_NAMESPACE_INVERSE: Inverse = {
  kinds: ['/Namespace'],
  drafts: (object, around) => (around.cluster(object.target).kind === TargetKind.HARVESTER
    ? { type: 'HarvesterNamespace', id: object.manifest.metadata.name, props: descriptionProp(object), declares: [object] } : []),
  existing: ({ target, name }, around) => (around.cluster(target).kind === TargetKind.HARVESTER
    ? { type: 'HarvesterNamespace', method: 'fromName', props: { name } } : undefined),
};
