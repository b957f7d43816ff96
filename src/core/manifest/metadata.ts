import { Manifest, isRecord } from './manifest';

/**
 * The annotations of a manifest; none if they are not a map. Rules judge any JSON, where the type of a manifest is only hoped for.
 */
export function annotationsOf({ metadata }: Manifest): { readonly [key: string]: unknown } {
  return isRecord(metadata.annotations) ? metadata.annotations : {};
}

/** The labels of a manifest; none if they are not a map. */
export function labelsOf({ metadata }: Manifest): { readonly [key: string]: unknown } {
  return isRecord(metadata.labels) ? metadata.labels : {};
}

/** Whether the server makes up the name of an object, so that there is none to judge. */
export function isNameGenerated({ metadata }: Manifest): boolean {
  return metadata.name === '' && typeof metadata.generateName === 'string' && metadata.generateName !== '';
}

/** Whether a manifest was read from a server: the server sets these fields, fills in others, and refuses to create an object that contains them. */
export function isFromServer({ metadata }: Manifest): boolean {
  return metadata.uid !== undefined || metadata.resourceVersion !== undefined;
}
