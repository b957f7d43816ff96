import { readFileSync } from 'fs';
import { isRecord, Manifest } from '../../model/manifest';
import { Problem } from '../../model/problem';
import { NoYaml, readYaml } from '../../model/yaml-reader';

/** More than this is no manifest that people write, and would take minutes to judge. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Lists in lists deeper than this are no manifests; one that holds itself by an alias has no end. */
const MAX_LISTS = 16;

/** A Kubernetes object of a file. */
export interface ReadManifest {
  readonly manifest: Manifest;
  /** Which of the file's documents it is, from 1 on. */
  readonly document: number;
  /** What of its metadata could not be read and was left out. */
  readonly malformed: readonly Problem[];
}

/**
 * The Kubernetes objects of a YAML or JSON file, in order; lists are opened, documents of other kinds are left out.
 */
export function readManifests(file: string): ReadManifest[] {
  const bytes = readFileSync(file);
  if (bytes.length > MAX_BYTES) { throw new NoYaml(`has ${bytes.length} bytes, ${MAX_BYTES} are read`); }
  try {
    return parseManifests(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw error instanceof TypeError ? new NoYaml('is no text in UTF-8') : error;
  }
}

function parseManifests(content: string): ReadManifest[] {
  return readYaml(content).flatMap((value, index) => manifestsIn(value, index + 1, 0));
}

function manifestsIn(value: unknown, document: number, depth: number): ReadManifest[] {
  if (!isRecord(value) || typeof value.apiVersion !== 'string' || typeof value.kind !== 'string') { return []; }
  if (value.kind.endsWith('List') && Array.isArray(value.items)) {
    if (depth >= MAX_LISTS) { throw new NoYaml('its lists hold each other without end'); }
    return value.items.flatMap((item) => manifestsIn(item, document, depth + 1));
  }
  const { metadata, malformed } = metadataOf(value.metadata);
  return [{ manifest: { ...value, apiVersion: value.apiVersion, kind: value.kind, metadata }, document, malformed }];
}

/** Metadata as rules expect them, and what was left out for it. */
function metadataOf(value: unknown): { metadata: Manifest['metadata']; malformed: Problem[] } {
  const malformed: Problem[] = [];
  const expected = (path: string, type: string): void => {
    malformed.push({ path, message: `must be ${type}`, fix: `give ${type}`, says: `${path}: Invalid value: must be of type ${type.replace(/^an? /, '')}` });
  };
  if (!isRecord(value)) {
    expected('metadata', 'a map');
    return { metadata: { name: '' }, malformed };
  }
  const { name, namespace, labels, annotations, ...others } = value;
  if (name !== undefined && name !== null && typeof name !== 'string') { expected('metadata.name', 'a string'); }
  if (namespace !== undefined && namespace !== null && typeof namespace !== 'string') { expected('metadata.namespace', 'a string'); }
  for (const [field, map] of [['labels', labels], ['annotations', annotations]] as const) {
    if (map !== undefined && map !== null && !isRecord(map)) { expected(`metadata.${field}`, 'a map of strings'); }
  }
  if ((name === undefined || name === null || name === '') && !others.generateName) {
    malformed.push({ path: 'metadata.name', message: 'is missing', fix: 'name the object', says: 'resource name may not be empty' });
  }
  return {
    malformed,
    metadata: {
      ...others,
      // an object with generateName has no name yet; rules see an empty one
      name: typeof name === 'string' ? name : '',
      ...(typeof namespace === 'string' ? { namespace } : {}),
      ...(isRecord(labels) ? { labels: labels as { [key: string]: string } } : {}),
      ...(isRecord(annotations) ? { annotations: annotations as { [key: string]: string } } : {}),
    },
  };
}
