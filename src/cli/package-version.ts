import { readFileSync } from 'fs';
import { join } from 'path';

/** Of the package that this command line is part of. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8')).version;
}
