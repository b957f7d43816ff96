import { isRecord } from '../../src/core/manifest/manifest';

/** Whether a value that is not stored may count as stored. */
export type Dropped = (value: unknown) => boolean;

/**
 * The paths at which a stored object lacks what was sent, or has something else. What the server
 * has besides is its own matter.
 */
export function lost(
  sent: unknown,
  stored: unknown,
  mayDrop: Dropped = () => false,
  path = '',
): string[] {
  if (stored === undefined && mayDrop(sent)) {
    return [];
  }
  if (isRecord(sent) && isRecord(stored)) {
    return Object.entries(sent).flatMap(([key, value]) =>
      lost(value, stored[key], mayDrop, `${path}.${key}`),
    );
  }
  if (Array.isArray(sent) && Array.isArray(stored) && sent.length === stored.length) {
    return sent.flatMap((value, index) => lost(value, stored[index], mayDrop, `${path}[${index}]`));
  }
  return sent === stored
    ? []
    : [`${path}: sent ${JSON.stringify(sent)}, stored ${JSON.stringify(stored)}`];
}

/** Built-in types leave out what is empty or zero; custom resources keep every byte. */
export function isEmpty(value: unknown): boolean {
  return !value || (typeof value === 'object' && Object.keys(value).length === 0);
}
