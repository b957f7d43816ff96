import { chmodSync, writeFileSync } from 'fs';
import { join } from 'path';

/**
 * Writes a program to a folder that replaces the values below the keys of `--encrypted-regex`, as
 * sops does. It has a private key where FAKE_SOPS_KEY is set. Returns its path.
 *
 * @param salt equal values have equal ciphertexts with the same one
 * @param decrypts whether it can decrypt what it encrypted: a ciphertext then contains its value
 */
export function fakeSops(folder: string, salt = '', decrypts = false): string {
  const file = join(folder, 'sops');
  writeFileSync(
    file,
    `#!${process.execPath}
if (process.argv.includes('--version')) { console.log('sops 3.13.3'); process.exit(); }
const { parse, stringify } = require(${JSON.stringify(require.resolve('yaml'))});
const { createHash } = require('crypto');
const text = require('fs').readFileSync(0, 'utf8');
const asks = (format) => process.argv.join(' ').includes('output-type ' + format);
const print = (value) => console.log(asks('json') ? JSON.stringify(value) : stringify(value));
if (process.argv.includes('decrypt')) {
  if (!process.env.FAKE_SOPS_KEY) { console.error('no private key'); process.exit(128); }
  const { sops, ...fields } = parse(text);
  const plain = (_, leaf) => /^ENC\\[/.test(leaf) ? JSON.parse(Buffer.from(/iv:([^,]*)/.exec(leaf)[1], 'base64')) : leaf;
  print(JSON.parse(JSON.stringify(fields, plain)));
  process.exit();
}
const regex = new RegExp(process.argv[process.argv.indexOf('--encrypted-regex') + 1]);
const ciphertext = (value) => {
  const digest = createHash('sha256').update(${JSON.stringify(salt)} + JSON.stringify(value)).digest('hex');
  const kept = ${decrypts} ? Buffer.from(JSON.stringify(value)).toString('base64') : 'x';
  return 'ENC[AES256_GCM,data:' + digest + ',iv:' + kept + ',tag:x,type:str]';
};
const hidden = (value, isHidden) => {
  if (Array.isArray(value)) { return value.map((inner) => hidden(inner, isHidden)); }
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hidden(inner, isHidden || regex.test(key))]));
  }
  return isHidden && value !== '' ? ciphertext(value) : value;
};
const encrypted = { ...hidden(parse(text), false), sops: { age: [{ recipient: 'age1x', enc: 'x' }], mac: 'ENC[AES256_GCM,data:x]' } };
print(encrypted);
`,
  );
  chmodSync(file, 0o755);
  return file;
}
