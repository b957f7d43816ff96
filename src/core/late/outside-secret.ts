import { readFileSync } from 'fs';

/** A secret that is outside of the program: in an environment variable, or in a file. */
export interface OutsideSecret {
  readonly resolver: 'environment' | 'file';
  /** The name of the variable, or the path of the file from the working directory. */
  readonly name: string;
  /** Whether a line break at the end of the file is part of the secret. @default false */
  readonly keepTrailingNewline?: boolean;
}

/** Whether a late value is a secret outside of the program. */
export function isOutside(source: { readonly resolver: string }): source is OutsideSecret {
  return source.resolver === 'environment' || source.resolver === 'file';
}

/** Where the secret is, e.g. `environment variable TOKEN`. */
export function outsideLabel({ resolver, name }: OutsideSecret): string {
  return resolver === 'file' ? `file ${name}` : `environment variable ${name}`;
}

/** The secret; an empty text where there is none. */
export function readOutside({ resolver, name, keepTrailingNewline = false }: OutsideSecret): string {
  return resolver === 'file' ? textOf(name, keepTrailingNewline) : process.env[name] ?? '';
}

function textOf(path: string, keepTrailingNewline: boolean): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') { return ''; }
    throw new Error(`the secret from file ${path} cannot be read: ${(error as Error).message}`);
  }
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) { throw new Error(`the secret from file ${path} must be text in UTF-8. Fix: store binary files in base64`); }
  return keepTrailingNewline ? text : text.replace(/\r?\n$/, '');
}
