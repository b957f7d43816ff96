import { chmodSync, writeFileSync } from 'fs';
import { join } from 'path';

/**
 * Writes a program to a folder that replaces the values below the keys of `--encrypted-regex`, as
 * sops does, and has no private key. Returns its path.
 *
 * @param salt equal values have equal ciphertexts with the same one
 */
export function fakeSops(folder: string, salt = ''): string {
  const file = join(folder, 'sops');
  writeFileSync(
    file,
    `#!${process.execPath}
if (process.argv.includes('--version')) { console.log('sops 3.13.3'); process.exit(); }
if (process.argv.includes('decrypt')) { console.error('no private key'); process.exit(128); }
const { parse, stringify } = require(${JSON.stringify(require.resolve('yaml'))});
const { createHash } = require('crypto');
const text = require('fs').readFileSync(0, 'utf8');
const regex = new RegExp(process.argv[process.argv.indexOf('--encrypted-regex') + 1]);
const ciphertext = (value) => {
  const digest = createHash('sha256').update(${JSON.stringify(salt)} + JSON.stringify(value)).digest('hex');
  return 'ENC[AES256_GCM,data:' + digest + ',iv:x,tag:x,type:str]';
};
const hidden = (value, isHidden) => {
  if (Array.isArray(value)) { return value.map((inner) => hidden(inner, isHidden)); }
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hidden(inner, isHidden || regex.test(key))]));
  }
  return isHidden && value !== '' ? ciphertext(value) : value;
};
const encrypted = { ...hidden(parse(text), false), sops: { age: [{ recipient: 'age1x', enc: 'x' }], mac: 'ENC[AES256_GCM,data:x]' } };
console.log(text.startsWith('{') || process.argv.join(' ').includes('output-type json') ? JSON.stringify(encrypted) : stringify(encrypted));
`,
  );
  chmodSync(file, 0o755);
  return file;
}
