import { chmodSync, writeFileSync } from 'fs';
import { join } from 'path';

/**
 * Writes a program to a folder that replaces the values of an object, as sops does, and has no
 * private key. Returns its path.
 */
export function fakeSops(folder: string): string {
  const file = join(folder, 'sops');
  writeFileSync(
    file,
    `#!${process.execPath}
if (process.argv.includes('--version')) { console.log('sops 3.13.3'); process.exit(); }
if (process.argv.includes('decrypt')) { console.error('no private key'); process.exit(128); }
const { parse, stringify } = require(${JSON.stringify(require.resolve('yaml'))});
const text = require('fs').readFileSync(0, 'utf8');
const hidden = (value) => (typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hidden(inner)])) : 'ENC[AES256_GCM,data:x,iv:x,tag:x,type:str]');
const { apiVersion, kind, metadata, ...fields } = parse(text);
const encrypted = { apiVersion, kind, metadata, ...hidden(fields), sops: { age: [{ recipient: 'age1x', enc: 'x' }], mac: 'ENC[AES256_GCM,data:x]' } };
console.log(text.startsWith('{') || process.argv.join(' ').includes('output-type json') ? JSON.stringify(encrypted) : stringify(encrypted));
`,
  );
  chmodSync(file, 0o755);
  return file;
}
