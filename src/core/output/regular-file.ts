import { closeSync, constants, fstatSync, openSync, readSync, Stats } from 'fs';

/**
 * The size limit of a file that synthesis wrote: far more than a program has, and less than a text
 * may have in this runtime.
 */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** A file is not one to read: of another kind, or too large. The message has no path. */
export class UnfitFile extends Error {}

/** What a path is that is not a regular file: reading it could block, or never end. */
export function fileKind(
  entry: Pick<Stats, 'isDirectory' | 'isFIFO' | 'isSocket' | 'isCharacterDevice' | 'isBlockDevice'>,
): string {
  if (entry.isDirectory()) {
    return 'a folder';
  }
  if (entry.isFIFO()) {
    return 'a pipe';
  }
  if (entry.isSocket()) {
    return 'a socket';
  }
  return entry.isCharacterDevice() || entry.isBlockDevice() ? 'a device' : 'a special file';
}

/** The size in a message, e.g. `16 MiB`. */
export function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes} bytes` : `${Math.ceil(bytes / (1024 * 1024))} MiB`;
}

/** The text of a regular file in UTF-8. Throws UnfitFile for anything else. */
export function readRegularText(path: string): string {
  return readRegularFile(path).toString('utf8');
}

/**
 * Reads a regular file of limited size: a pipe without a writer would block, and a device may never
 * end. @throws UnfitFile for anything else
 */
export function readRegularFile(path: string, maxBytes = MAX_OUTPUT_BYTES): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY + (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) {
      throw new UnfitFile(`must be a regular file, got ${fileKind(stats)}`);
    }
    if (stats.size > maxBytes) {
      throw new UnfitFile(`must have at most ${sizeText(maxBytes)}, got ${sizeText(stats.size)}`);
    }
    let bytes = Buffer.allocUnsafe(stats.size + 1);
    let length = 0;
    // some files of the system are longer than their size
    for (let read = 1; read > 0; length += read) {
      if (length === bytes.length) {
        bytes = Buffer.concat([bytes, Buffer.allocUnsafe(length)]);
      }
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
      if (length + read > maxBytes) {
        throw new UnfitFile(`must have at most ${sizeText(maxBytes)}, and has more`);
      }
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}
