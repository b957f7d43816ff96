import { readFileSync } from 'fs';
import { join } from 'path';
import { Assembly, ASSEMBLY_FILE } from '../../model/assembly';
import { parseAssembly } from '../../model/check-assembly';

/**
 * Reads the assembly of an output folder. Throws where it is damaged, with the place and what to do.
 */
export function readAssembly(folder: string): Assembly {
  const file = join(folder, ASSEMBLY_FILE);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`);
  }
  return parseAssembly(text, file);
}
