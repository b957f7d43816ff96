import { isUtf8 } from 'buffer';
import { decryptedDocuments } from './decrypt';
import { isRecord, Manifest } from '../../core/manifest/manifest';
import { readRegularFile } from '../../core/output/regular-file';
import { Problem } from '../../core/problem/problem';
import { filledText, textOrEmpty } from '../../core/text/plain-text';
import { NoYaml } from '../../core/yaml/yaml-reader';

/** Depth limit of lists in lists: a list may contain itself by an alias. */
const MAX_LISTS = 16;

/** A Kubernetes object of a file. */
export interface ReadManifest {
  readonly manifest: Manifest;
  /** The number of its document in the file, from 1. */
  readonly document: number;
  /** Problems of its metadata, which is left out there. */
  readonly malformed: readonly Problem[];
}

/**
 * The documents of a YAML or JSON file, decrypted where they are encrypted. Throws NotDecrypted
 * without a key, and NoYaml.
 */
export function documentsIn(bytes: Uint8Array): readonly unknown[] {
  if (!isUtf8(bytes)) {
    throw new NoYaml('must be UTF-8 text');
  }
  return decryptedDocuments(new TextDecoder().decode(bytes));
}

/**
 * The Kubernetes objects of a YAML or JSON file, in order. Lists are expanded, other documents are
 * skipped.
 */
export function readManifests(file: string): ReadManifest[] {
  return manifestsOfDocuments(documentsIn(readRegularFile(file)));
}

/** The Kubernetes objects of documents, in order. */
export function manifestsOfDocuments(documents: readonly unknown[]): ReadManifest[] {
  return documents.flatMap((value, index) => manifestsIn(value, index + 1, 0));
}

/** A value of a file that rules do not judge. */
export interface NotJudged {
  /** Where, e.g. `document 2`. */
  readonly place: string;
  readonly message: string;
  /** Whether no API server could read it as an object. */
  readonly isBroken: boolean;
}

/** The values of documents that are not Kubernetes objects. Empty documents are none. */
export function notJudgedIn(documents: readonly unknown[]): NotJudged[] {
  const found: NotJudged[] = [];
  const look = (value: unknown, place: string, depth: number): void => {
    if (!isRecord(value)) {
      found.push({ place, isBroken: true, message: `must be a map, got ${kindOfValue(value)}` });
      return;
    }
    const wrong = (['apiVersion', 'kind'] as const).filter(
      (field) => value[field] !== undefined && !filledText(value[field]),
    );
    const missing = (['apiVersion', 'kind'] as const).filter((field) => value[field] === undefined);
    for (const field of wrong) {
      found.push({
        place,
        isBroken: true,
        message: `${field} must be a text, got ${kindOfValue(value[field])}`,
      });
    }
    if (wrong.length === 0 && missing.length > 0) {
      found.push({ place, isBroken: false, message: `has no ${missing.join(' and no ')}` });
    }
    if (isList(value) && depth < MAX_LISTS) {
      value.items.forEach((item, index) => {
        look(item, `${place} items[${index}]`, depth + 1);
      });
    }
  };
  documents.forEach((value, index) => {
    if (value !== null && value !== undefined) {
      look(value, `document ${index + 1}`, 0);
    }
  });
  return found;
}

// never the value itself, which may be a secret
function kindOfValue(value: unknown): string {
  if (Array.isArray(value)) {
    return 'a list';
  }
  if (value === null || value === undefined || value === '') {
    return 'nothing';
  }
  return (
    { string: 'a text', number: 'a number', bigint: 'a number', boolean: 'true or false' }[
      typeof value as string
    ] ?? 'a map'
  );
}

function isList(value: {
  readonly [field: string]: unknown;
}): value is { readonly kind: string; readonly items: readonly unknown[] } {
  return (
    typeof value.kind === 'string' && value.kind.endsWith('List') && Array.isArray(value.items)
  );
}

function manifestsIn(value: unknown, document: number, depth: number): ReadManifest[] {
  if (!isRecord(value) || typeof value.apiVersion !== 'string' || typeof value.kind !== 'string') {
    return [];
  }
  if (isList(value)) {
    if (depth >= MAX_LISTS) {
      throw new NoYaml('its lists contain each other endlessly');
    }
    return value.items.flatMap((item) => manifestsIn(item, document, depth + 1));
  }
  const { metadata, malformed } = metadataOf(value.metadata);
  return [
    {
      manifest: { ...value, apiVersion: value.apiVersion, kind: value.kind, metadata },
      document,
      malformed,
    },
  ];
}

/** Metadata as rules expect it, and the problems of what is left out. */
function metadataOf(value: unknown): { metadata: Manifest['metadata']; malformed: Problem[] } {
  const malformed: Problem[] = [];
  const expected = (path: string, type: string): void => {
    malformed.push({
      path,
      message: `must be ${type}`,
      fix: `set it to ${type}`,
      says: `${path}: Invalid value: must be of type ${type.replace(/^an? /, '')}`,
    });
  };
  if (!isRecord(value)) {
    expected('metadata', 'a map');
    return { metadata: { name: '' }, malformed };
  }
  const { name, namespace, labels, annotations, ...others } = value;
  if (name !== undefined && name !== null && typeof name !== 'string') {
    expected('metadata.name', 'a string');
  }
  if (namespace !== undefined && namespace !== null && typeof namespace !== 'string') {
    expected('metadata.namespace', 'a string');
  }
  for (const [field, map] of [
    ['labels', labels],
    ['annotations', annotations],
  ] as const) {
    if (map !== undefined && map !== null && !isRecord(map)) {
      expected(`metadata.${field}`, 'a map of strings');
    }
  }
  if ((name === undefined || name === null || name === '') && !others.generateName) {
    malformed.push({
      path: 'metadata.name',
      message: 'is missing',
      fix: 'name the object',
      says: 'resource name may not be empty',
    });
  }
  return {
    malformed,
    metadata: {
      ...others,
      // an object with generateName has no name yet; rules see an empty one
      name: textOrEmpty(name),
      ...(typeof namespace === 'string' ? { namespace } : {}),
      ...(isRecord(labels) ? { labels: labels as { [key: string]: string } } : {}),
      ...(isRecord(annotations) ? { annotations: annotations as { [key: string]: string } } : {}),
    },
  };
}
