import { readFileSync } from 'fs';
import { join } from 'path';
import { Assembly, ASSEMBLY_FILE } from '../../model/assembly';
import { isRecord } from '../../model/manifest';

/**
 * Reads the assembly of an output folder.
 */
export function readAssembly(folder: string): Assembly {
  const file = join(folder, ASSEMBLY_FILE);
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file}: ${error instanceof SyntaxError ? 'is no JSON' : (error as Error).message}`);
  }
  if (!isRecord(content) || content.schemaVersion !== '1') {
    const found = isRecord(content) ? String(content.schemaVersion) : 'none';
    throw new Error(`${file}: got schemaVersion ${found}, expected 1; it was written by another version of cdk8s-harvester, synthesize again`);
  }
  return content as unknown as Assembly;
}
