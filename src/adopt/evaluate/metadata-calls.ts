import { lastStep, PatchOperation } from './statements';
import { isRecord } from '../../core/manifest/manifest';

/** A call of the metadata of an object, which adds a label or an annotation. */
export interface MetadataCall {
  readonly method: 'addLabel' | 'addAnnotation';
  readonly key: string;
  readonly value: string;
}

/** What completes an object: labels and annotations, and what only JSON patches can. */
export interface ObjectChanges {
  readonly metadata: readonly MetadataCall[];
  readonly patches: readonly PatchOperation[];
}

/** Separates what adds labels and annotations from the other JSON patches of an object. */
export function changesOfObject(operations: readonly PatchOperation[]): ObjectChanges {
  const metadata: MetadataCall[] = [];
  const patches: PatchOperation[] = [];
  for (const operation of operations) {
    const calls = metadataCalls(operation);
    metadata.push(...(calls ?? []));
    patches.push(...(calls ? [] : [operation]));
  }
  return { metadata, patches };
}

const METADATA = /^\/metadata\/(label|annotation)s(\/[^/]+)?$/;

/** Undefined for another operation, and for values that the program reads from the environment. */
function metadataCalls({ op, path, value }: PatchOperation): MetadataCall[] | undefined {
  const [, kind, key] = METADATA.exec(path) ?? [];
  if (op !== 'add' || kind === undefined) {
    return undefined;
  }
  const texts = key === undefined ? value : { [lastStep(path)]: value };
  if (!isRecord(texts) || !Object.values(texts).every((text) => typeof text === 'string')) {
    return undefined;
  }
  const method = kind === 'label' ? 'addLabel' : 'addAnnotation';
  return Object.entries(texts).map(([name, text]) => ({ method, key: name, value: String(text) }));
}
