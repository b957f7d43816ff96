import { Manifest, annotationsOf, isRecord, itemsAt, labelsOf } from '../../core/manifest/manifest';
import { filledText } from '../../core/text/plain-text';
import { compare } from '../../core/text/values';
import { ANNOTATION_CREATOR_ID, ANNOTATION_CREATOR_PRINCIPAL } from '../binding/binding.kind';
import { LABEL_CREATOR } from '../project-secret/project-secret.kind';

/** Annotations that name the user who created an object. */
const CREATORS = [ANNOTATION_CREATOR_ID, ANNOTATION_CREATOR_PRINCIPAL] as const;

/**
 * Who wrote a live object, as far as it shows that: its creator, its owners, and its field
 * managers, the first writer first. The user who creates an object can set
 * all of them, so they name a suspect and prove nothing.
 *
 * @param self a field manager that is not reported
 */
export function secretWriters(live: Manifest, self?: string): readonly string[] {
  const annotations = annotationsOf(live);
  const creators = CREATORS.flatMap((key) => {
    const creator = filledText(annotations[key]);
    return creator === undefined ? [] : [`created by ${creator} (${key})`];
  });
  const label = filledText(labelsOf(live)[LABEL_CREATOR]);
  const owners = itemsAt(live.metadata, 'ownerReferences').flatMap((owner) =>
    isRecord(owner) ? [`owned by ${String(owner.kind)} ${String(owner.name)}`] : [],
  );
  const managers = managersOf(live).filter((manager) => manager !== self);
  return [
    ...creators,
    ...(label === undefined ? [] : [`created by ${label} (${LABEL_CREATOR})`]),
    ...owners,
    ...(managers.length === 0 ? [] : [`written by ${managers.join(', ')}`]),
  ];
}

/** The field managers of an object, in the order of their first write. */
function managersOf({ metadata }: Manifest): readonly string[] {
  const entries = itemsAt(metadata, 'managedFields').flatMap((entry) =>
    isRecord(entry) && typeof entry.manager === 'string'
      ? [{ manager: entry.manager, time: String(entry.time ?? '') }]
      : [],
  );
  const sorted = [...entries].sort((a, b) => compare(a.time, b.time));
  return [...new Set(sorted.map(({ manager }) => manager))];
}
