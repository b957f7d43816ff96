import { DraftProps, FoundObject } from '../core/draft/draft';
import { namespaceProp } from '../core/draft/inverse';
import { annotationsOf } from '../core/manifest/manifest';
import { ANNOTATION_DESCRIPTION } from '../core/manifest/names';

/** The description, where an object has one. */
export function descriptionProp({ manifest }: FoundObject): DraftProps {
  const description = annotationsOf(manifest)[ANNOTATION_DESCRIPTION];
  return typeof description === 'string' && description !== '' ? { description } : {};
}

/** The props of all constructs whose object is in a namespace. */
export function namespacedProps(object: FoundObject): DraftProps {
  const namespace = namespaceProp(object);
  return { ...(namespace ? { namespace } : {}), ...descriptionProp(object) };
}
