import { randomBytes } from 'crypto';
import { Stats, closeSync, fchmodSync, fsyncSync, lstatSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'fs';
import { basename, dirname, join } from 'path';

/** Only the user may read and write it. */
export const PRIVATE_MODE = 0o600;

/**
 * Writes a file that nobody else may read: whole or not at all, and in the place of nothing but a file that is private already.
 *
 * @param mode of the file where it need not be private
 */
export function writePrivateFile(file: string, content: string, mode = PRIVATE_MODE): void {
  checkPrivateFile(file, mode);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`);
  // fails where there is anything of that name, so that no link is followed
  const handle = openSync(temporary, 'wx', PRIVATE_MODE);
  try {
    try {
      // before anything stands in it; a umask may have taken bits away
      fchmodSync(handle, mode);
      writeFileSync(handle, content);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new Error(`${file}: ${(error as Error).message}; what was there before stays`);
  }
}

/** Throws where a file can't be written so: worth asking before minutes are spent on what goes into it. */
export function checkPrivateFile(file: string, mode = PRIVATE_MODE): void {
  const found = statOf(file);
  if (!found) { return; }
  if (found.isSymbolicLink()) { throw new Error(`${file}: is a symbolic link, which may lead anywhere; remove it, or name another file`); }
  if (!found.isFile()) { throw new Error(`${file}: is no file; name another one`); }
  // Windows has no such bits
  const bits = (found.mode % 0o1000).toString(8).padStart(3, '0');
  if (mode === PRIVATE_MODE && process.platform !== 'win32' && !bits.endsWith('00')) {
    throw new Error(`${file}: can be read by others (mode ${bits}) and secrets go into it; chmod 600 it, remove it, or name another file`);
  }
}

function statOf(file: string): Stats | undefined {
  return lstatSync(file, { throwIfNoEntry: false });
}
