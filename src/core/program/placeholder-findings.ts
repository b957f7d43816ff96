import { isPlaceholder } from './secrets';
import { Manifest, isRecord, objectKey, refKey } from '../manifest/manifest';
import { ANNOTATION_PLACEHOLDER } from '../manifest/names';
import { Finding, FindingLevel } from '../rule/finding';

/**
 * Findings without errors about the form of a placeholder: the secret that it replaces is not
 * known, e.g. to a review. That an object contains placeholders is a finding of its own.
 */
export function withoutPlaceholderErrors(
  findings: readonly Finding[],
  objects: readonly { readonly target?: { readonly name: string }; readonly manifest: Manifest }[],
): readonly Finding[] {
  const byKey = new Map(
    objects
      .filter(({ manifest }) => manifest.metadata.annotations?.[ANNOTATION_PLACEHOLDER])
      .map(({ target, manifest }) => [`${target?.name} ${objectKey(manifest)}`, manifest] as const),
  );
  if (byKey.size === 0) {
    return findings;
  }
  return findings.filter(({ level, object, target, path }) => {
    const manifest = object && byKey.get(`${target} ${refKey(object)}`);
    return (
      level !== FindingLevel.ERROR ||
      manifest === undefined ||
      !isPlaceholder(textAt(manifest, path))
    );
  });
}

/** The text of a field, decoded in a Secret. */
function textAt(manifest: Manifest, path: string): string {
  const steps = path.match(/[^.[\]]+|\[[^\]]*\]/g) ?? [];
  const value = steps
    .map((step) => step.replace(/^\[|\]$/g, ''))
    .reduce<unknown>(
      (found, step) =>
        isRecord(found) || Array.isArray(found)
          ? (found as { readonly [key: string]: unknown })[step]
          : undefined,
      manifest,
    );
  if (typeof value !== 'string') {
    return '';
  }
  const isEncoded = manifest.kind === 'Secret' && steps[0] === 'data';
  return isEncoded ? Buffer.from(value, 'base64').toString() : value;
}
