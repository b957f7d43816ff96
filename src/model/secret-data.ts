import { isRecord, Manifest } from './manifest';

/**
 * What a Secret says under a key: its text, or why there is none.
 */
export interface SecretEntry {
  /** Where it stands, e.g. `data.token`. */
  readonly path: string;
  /** The text; undefined where it can't be read. */
  readonly text?: string;
  /** What the API server says of a value that it does not take. */
  readonly says?: string;
}

// what encoding/base64 of Go takes: padded, line breaks allowed
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * The entry of a key in a Secret; undefined where it has none. `stringData` wins over `data`, as on the server.
 *
 * @param isPlaceholder whether a text in `data` stands for something that is filled in later, and so need not be base64
 */
export function secretEntry(secret: Manifest, key: string, isPlaceholder: (text: string) => boolean): SecretEntry | undefined {
  const { data, stringData } = secret;
  if (isRecord(stringData) && stringData[key] !== undefined && stringData[key] !== null) {
    return textEntry(`stringData.${key}`, stringData[key]);
  }
  if (!isRecord(data) || data[key] === undefined) { return undefined; }
  const path = `data.${key}`;
  const encoded = data[key];
  // null is an empty value
  if (encoded === null) { return { path, text: '' }; }
  if (typeof encoded !== 'string' || isPlaceholder(encoded)) { return textEntry(path, encoded); }
  const joined = encoded.replace(/[\r\n]/g, '');
  return BASE64.test(joined) ? { path, text: Buffer.from(joined, 'base64').toString('utf8') } : { path, says: 'illegal base64 data at input byte' };
}

function textEntry(path: string, value: unknown): SecretEntry {
  return typeof value === 'string' ? { path, text: value } : { path, says: `must be of type string: "${typeof value}"` };
}
