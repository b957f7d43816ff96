import { symlinkSync } from 'fs';
import { join } from 'path';
import { buildSync } from 'esbuild';
import { tempFolder } from './temp';

/** The top folder of this repository. */
export const ROOT = join(__dirname, '..', '..');

/**
 * JavaScript that gives a process of its own the library: from its sources, since the compiled
 * package may be an earlier one, and in one file, which is read in half of the time.
 *
 * @param used the file below src that defines each name
 */
export function loadLibrary(used: { readonly [name: string]: string }): string {
  const folder = tempFolder();
  for (const shared of ['node_modules', 'package.json', 'schema']) {
    symlinkSync(join(ROOT, shared), join(folder, shared));
  }
  // as deep as the modules that read files of the package
  const outfile = join(folder, 'lib', 'core', 'library', 'library.js');
  const contents = [
    "import './registry/register';",
    ...Object.entries(used).map(([name, file]) => `export { ${name} } from './${file}';`),
  ].join('\n');
  buildSync({
    stdin: { contents, resolveDir: join(ROOT, 'src') },
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
  });
  return `const library = require(${JSON.stringify(outfile)});`;
}
