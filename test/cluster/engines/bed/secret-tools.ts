import { execFileSync } from 'child_process';
import { enginePath } from './engine-folder';

/** A key pair of age. */
export interface AgeKey {
  /** `age1…`, which encrypts. */
  readonly recipient: string;
  /** The contents of a key file, which decrypts. */
  readonly identity: string;
}

/** A new key pair, by age-keygen. */
export function newAgeKey(): AgeKey {
  const identity = execFileSync(enginePath('secrets', 'age-keygen'), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { identity, recipient: /public key: (age1\w+)/.exec(identity)![1] };
}

/** Encrypts the fields of a YAML text whose names match, by sops. */
export function encryptFields(text: string, { recipient }: AgeKey, fields: string): string {
  return execFileSync(
    enginePath('secrets', 'sops'),
    [
      'encrypt',
      `--age=${recipient}`,
      `--encrypted-regex=${fields}`,
      '--input-type=yaml',
      '--output-type=yaml',
      '--filename-override=in.yaml',
    ],
    {
      input: text,
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    },
  );
}
