import { IConstruct } from 'constructs';
import { ownersFrom } from './ownership';
import { Manifest } from '../manifest/manifest';

/** The labels and annotations that a program gives a construct for all that it writes. */
interface GivenMetadata {
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
}

const METADATA = Symbol.for('cdk8s-harvester.OwnedMetadata');

/** Keeps the labels and annotations of a construct. */
export function giveMetadata(construct: IConstruct, { labels, annotations }: GivenMetadata): void {
  if (labels || annotations) {
    Object.defineProperty(construct, METADATA, { value: { labels, annotations } });
  }
}

/**
 * An object with the labels and annotations of the constructs that wrote it, on which cluster it
 * may be. Its own take precedence, then those of the nearest construct.
 */
export function withOwnedMetadata(object: IConstruct, manifest: Manifest): Manifest {
  const { scope } = object.node;
  for (const owner of scope ? ownersFrom(scope) : []) {
    const given = (owner as { [METADATA]?: GivenMetadata })[METADATA];
    if (!given) {
      continue;
    }
    for (const key of KEYS) {
      addMissing(manifest.metadata as MutableMetadata, key, given[key]);
    }
  }
  return manifest;
}

const KEYS = ['labels', 'annotations'] as const;

interface MutableMetadata {
  [key: string]: { [text: string]: unknown } | undefined;
}

function addMissing(
  metadata: MutableMetadata,
  key: (typeof KEYS)[number],
  given: { readonly [text: string]: string } | undefined,
): void {
  const missing = Object.entries(given ?? {}).filter(
    ([text]) => !Object.hasOwn(metadata[key] ?? {}, text),
  );
  if (missing.length > 0) {
    metadata[key] = { ...metadata[key], ...Object.fromEntries(missing) };
  }
}
