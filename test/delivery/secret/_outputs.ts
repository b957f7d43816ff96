import { readFileSync, readdirSync, statSync } from 'fs';
import { join } from 'path';

/** The files of a folder, by their path below it. */
export function textsIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(folder, file)).isFile())
    .sort();
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
}

/** What a run prints to standard error. */
export function printed(run: () => void): string {
  jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
  const write = jest.spyOn(process.stderr, 'write').mockImplementation(() => true);
  try {
    run();
    return write.mock.calls.map(([text]) => String(text)).join('');
  } finally {
    jest.restoreAllMocks();
  }
}

/** A text in the forms in which a secret may leak. */
export function formsOf(secret: string): string[] {
  // without the ends, which the bytes around it change
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.from(`${'x'.repeat(shift)}${secret}`)
      .toString('base64')
      .slice(4, -4),
  );
  return [secret, ...base64, encodeURIComponent(secret), Buffer.from(secret).toString('hex')];
}
