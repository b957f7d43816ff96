import { parseDocument } from 'yaml';
import { isRecord } from '../../model/manifest';

/** More is no config that people write. */
const MAX_CHARACTERS = 10_000_000;

/**
 * The map that a YAML text holds. The error says where it is broken, never what stands there: there are credentials in it.
 */
export function parseYamlMap(text: string): { readonly [key: string]: unknown } {
  if (text.length > MAX_CHARACTERS) { throw new Error(`is longer than ${MAX_CHARACTERS} characters`); }
  const document = parseDocument(text, { logLevel: 'error' });
  const [error] = document.errors;
  if (error) {
    const place = error.linePos ? ` at line ${error.linePos[0].line}, column ${error.linePos[0].col}` : '';
    throw new Error(`is no YAML: ${error.code.toLowerCase().replace(/_/g, ' ')}${place}`);
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch {
    throw new Error('is no YAML: its aliases can not be resolved');
  }
  if (!isRecord(value)) { throw new Error('is no map'); }
  return value;
}
