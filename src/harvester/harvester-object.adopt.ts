import { OsType } from './machine/os-type';
import { TargetKind } from '../core/construct/target';
import {
  DraftProps,
  FoundObject,
  DraftValue,
  call,
  member,
  inverseOf,
  namespaceProp,
  textAt,
} from '../core/draft/draft';
import { annotationsOf, Manifest, valueAt } from '../core/manifest/manifest';
import { ANNOTATION_DESCRIPTION } from '../core/manifest/names';
import { filledText } from '../core/text/plain-text';

/** The description, where an object has one. */
export function descriptionProp({ manifest }: FoundObject): DraftProps {
  const description = annotationsOf(manifest)[ANNOTATION_DESCRIPTION];
  return typeof description === 'string' && description !== '' ? { description } : {};
}

/**
 * The description of an object whose construct writes it to a field, too, as lists of the UI show
 * it. Forms and Terraform write the annotation alone, which remains one.
 */
export function listedDescriptionProp({ manifest }: FoundObject): DraftProps {
  const description = textAt(manifest, 'spec', 'description');
  const annotation = annotationsOf(manifest)[ANNOTATION_DESCRIPTION];
  return {
    description: annotation === description || annotation === undefined ? description : undefined,
  };
}

/** Whether a manifest has a description in its field alone, as only those have that someone wrote. */
export function isListedOnly(manifest: Manifest): boolean {
  return (
    filledText(valueAt(manifest, 'spec', 'description')) !== undefined &&
    annotationsOf(manifest)[ANNOTATION_DESCRIPTION] === undefined
  );
}

/** The props of all constructs whose object is in a namespace. */
export function namespacedProps(object: FoundObject): DraftProps {
  const namespace = namespaceProp(object);
  return { ...(namespace ? { namespace } : {}), ...descriptionProp(object) };
}

/** From a Namespace of a Harvester that is in no project to the construct. */
export const HARVESTER_NAMESPACE_INVERSE = inverseOf(
  'HarvesterNamespace',
  '/Namespace',
  (_, object) => descriptionProp(object),
  {
    on: TargetKind.HARVESTER,
  },
);

/** An operating system by the value of its label; undefined for none. */
export function osTypeProp(value: unknown): DraftValue {
  if (typeof value !== 'string' || value === '') {
    return undefined;
  }
  const known = Object.entries(OsType).find(([, each]) => each.value === value);
  return known ? member('OsType', known[0]) : call('OsType', 'of', value);
}
