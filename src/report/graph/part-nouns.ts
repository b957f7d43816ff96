import { KindIdentity } from '../../core/kind/description/identity';
import { kindOf } from '../../core/kind/kinds';
import { Manifest, valueAt } from '../../core/manifest/manifest';
import { filledText } from '../../core/text/plain-text';
import { ANNOTATION_NAME } from '../../guest/cloud-provider/cloud-provider.kind';

/** The place of an object among those of its construct, if it is a part of its own. */
export function placeOf(manifest: Manifest): number | undefined {
  return partNoun(manifest) === undefined ? undefined : kindOf<KindIdentity>(manifest)?.part?.order;
}

/** What a part is called by its main object, e.g. `IP pool`; its kind where it has no other word. */
export function nounOf(manifest: Manifest): string {
  return partNoun(manifest) ?? manifest.kind;
}

function partNoun(manifest: Manifest): string | undefined {
  const noun = kindOf<KindIdentity>(manifest)?.part?.noun;
  return typeof noun === 'function' ? noun(manifest) : noun;
}

/** The words for several parts. */
export function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) {
    return `${noun.slice(0, -1)}ies`;
  }
  return /(?:s|ss|x|ch)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** The name that people gave an object, e.g. that of a project whose ID is generated. */
export function titleOf(manifest: Manifest): string {
  const { metadata, spec } = manifest;
  return (
    filledText(valueAt(spec, 'displayName')) ??
    filledText(valueAt(manifest, 'metadata', 'annotations', ANNOTATION_NAME)) ??
    metadata.name
  );
}
