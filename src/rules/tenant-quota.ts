import { annotationsOf } from '../model/checks/metadata-maps';
import { isLate } from '../model/late-token';
import { isRecord, Manifest } from '../model/manifest';
import { ANNOTATION_RESOURCE_QUOTA } from '../model/tenancy/names';
import { QuotaLimit } from '../model/tenancy/quota-keys';
import { quotaLimitOf } from '../model/tenancy/quota-text';

/** What an annotation with JSON says. */
export interface JsonAnnotation {
  /** Its fields; undefined where there is no annotation, or none that can be read. */
  readonly fields?: { readonly [key: string]: unknown };
  /** Why it can not be read. */
  readonly broken?: string;
}

/** The object in an annotation that holds JSON; a late value is not looked at. */
export function jsonAnnotation(manifest: Manifest, annotation: string): JsonAnnotation {
  const text = annotationsOf(manifest)[annotation];
  // Rancher takes an empty text for none
  if (typeof text !== 'string' || text === '' || isLate(text)) { return {}; }
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? { fields: value } : { broken: 'is no object' };
  } catch {
    return { broken: 'is no JSON' };
  }
}

/** The quota of a Namespace's own, as its annotation says. */
export function tenantQuotaOf(namespace: Manifest): { readonly limit?: QuotaLimit; readonly broken?: string } {
  const { fields, broken } = jsonAnnotation(namespace, ANNOTATION_RESOURCE_QUOTA);
  if (broken) { return { broken }; }
  return fields ? { limit: quotaLimitOf(fields.limit) } : {};
}
