import { FieldPath, Manifest } from '../manifest/manifest';
import { isSecretObject } from '../secret/secret-fields';
import { escapeRegExp } from '../text/values';

/** Keys that must remain readable, whatever they hold. */
const READABLE = new Set(['apiVersion', 'kind', 'metadata', 'name', 'namespace', 'labels', 'annotations', 'type']);

/** Matches the keys of these fields, and none that must remain readable. */
export function encryptedRegex(manifest: Manifest, fields: readonly FieldPath[]): string {
  const isWhole = isSecretObject(manifest) || manifest.kind === 'Setting';
  const keys = new Set(fields.map((path) => {
    const steps = path.filter((step): step is string => typeof step === 'string');
    return (isWhole && path[0] !== 'metadata' ? undefined : [...steps].reverse().find((step) => !READABLE.has(step))) ?? steps[0];
  }));
  return `^(${[...keys].sort().map(escapeRegExp).join('|')})$`;
}
