import { JudgedObject, Rule } from './rule';
import { isLate } from '../model/late-token';
import { isRecord } from '../model/manifest';
import { Problem } from '../model/problem';

/** Of all values of a ConfigMap or a Secret together, in bytes. */
const MAX_DATA = 1024 * 1024;

export const SIZE: Rule = {
  id: 'object/size',
  level: 'warning',
  kinds: ['/ConfigMap', '/Secret'],
  what: 'the values of a ConfigMap or a Secret have up to 1 MiB together',
  source: 'kubernetes/kubernetes:pkg/apis/core/validation/validation.go ValidateConfigMap, ValidateSecret',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const isSecret = manifest.kind === 'Secret';
    const [texts, encoded] = (isSecret ? [manifest.stringData, manifest.data] : [manifest.data, manifest.binaryData]).map(valuesOf);
    // the text of a Secret takes the place of what is encoded under the same key
    const others = [...encoded].filter(([key]) => !texts.has(key));
    const sizes = [...[...texts.values()].map((value) => Buffer.byteLength(value)), ...others.map(([, value]) => Buffer.byteLength(value, 'base64'))];
    const size = sizes.reduce((sum, bytes) => sum + bytes, 0);
    if (size <= MAX_DATA) { return; }
    yield {
      path: 'data',
      message: `its values have ${size} bytes together, ${MAX_DATA} are allowed`,
      fix: 'split it, or keep large content elsewhere, e.g. in an image',
      says: `Too long: may not be more than ${MAX_DATA} bytes`,
    };
  },
};

// what a late value will be nobody knows
function valuesOf(map: unknown): ReadonlyMap<string, string> {
  const entries = isRecord(map) ? Object.entries(map) : [];
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string' && !isLate(entry[1])));
}
