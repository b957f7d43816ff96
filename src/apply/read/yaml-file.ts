import { readFileSync } from 'fs';
import { Document, parseAllDocuments, Tags } from 'yaml';
import { isRecord, Manifest } from '../../model/manifest';

/** More than this is no manifest that people write, and would take minutes to judge. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A file could not be read as YAML; the message says where, never what stands there. */
export class NoYaml extends Error {}

/**
 * The Kubernetes objects of a YAML or JSON file, in order; lists are opened, documents of other kinds are left out.
 */
export function readManifests(file: string): Manifest[] {
  const content = readFileSync(file, 'utf8');
  if (content.length > MAX_BYTES) { throw new NoYaml(`has ${content.length} bytes, ${MAX_BYTES} are read`); }
  return parseManifests(content);
}

/** The same for text. */
export function parseManifests(content: string): Manifest[] {
  const documents = parseAllDocuments(content, {
    // the rules of the YAML that kubectl and API servers read: y, on and 0775 are what they are there
    version: '1.1',
    customTags: (tags: Tags): Tags => tags.filter((tag) => typeof tag === 'string' || tag.tag !== 'tag:yaml.org,2002:timestamp'),
  });
  const list: Document[] = Array.isArray(documents) ? documents : [];
  for (const { errors } of list) {
    // the parser's message ends with a piece of the file
    if (errors.length > 0) { throw new NoYaml(errors[0].message.split('\n')[0].replace(/:$/, '')); }
  }
  return list.flatMap((document) => manifestsIn(document.toJS({ maxAliasCount: 1000 })));
}

function manifestsIn(value: unknown): Manifest[] {
  if (!isRecord(value) || typeof value.apiVersion !== 'string' || typeof value.kind !== 'string') { return []; }
  if (value.kind.endsWith('List') && Array.isArray(value.items)) { return value.items.flatMap(manifestsIn); }
  const metadata = isRecord(value.metadata) ? value.metadata : {};
  // an object with generateName has no name yet; rules see an empty one
  const name = typeof metadata.name === 'string' ? metadata.name : '';
  const { namespace, ...others } = metadata;
  return [{
    ...value,
    apiVersion: value.apiVersion,
    kind: value.kind,
    metadata: { ...others, name, ...(typeof namespace === 'string' ? { namespace } : {}) },
  }];
}
