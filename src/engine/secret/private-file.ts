import { randomBytes } from 'crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'fs';
import { basename, dirname, join } from 'path';

/** File mode: only the owner can read and write. */
export const PRIVATE_MODE = 0o600;

/**
 * Writes a file that only its owner can read: all or nothing, replacing only a file that is already
 * private.
 *
 * @param mode file mode. @default - private
 */
export function writePrivateFile(file: string, content: string, mode = PRIVATE_MODE): void {
  checkPrivateFile(file, mode);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`);
  // fails if the name exists, so that no link is followed
  const handle = openSync(temporary, 'wx', PRIVATE_MODE);
  try {
    try {
      // before the content; a umask may have removed bits
      fchmodSync(handle, mode);
      writeFileSync(handle, content);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new Error(`${file}: ${(error as Error).message}; the previous file is left untouched`);
  }
}

/** Throws if a file cannot be written privately: check before spending minutes on its content. */
export function checkPrivateFile(file: string, mode = PRIVATE_MODE): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found) {
    return;
  }
  if (found.isSymbolicLink()) {
    throw new Error(`${file}: must not be a symbolic link. Fix: remove it, or choose another file`);
  }
  if (!found.isFile()) {
    throw new Error(`${file}: must be a file. Fix: choose another one`);
  }
  // Windows has no mode bits
  const bits = (found.mode % 0o1000).toString(8).padStart(3, '0');
  if (mode === PRIVATE_MODE && process.platform !== 'win32' && !bits.endsWith('00')) {
    throw new Error(
      `${file}: others can read it (mode ${bits}), but it will contain secrets. Fix: chmod 600 it, remove it, or choose another file`,
    );
  }
}
