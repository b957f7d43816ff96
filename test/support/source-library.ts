import { join } from 'path';

/** The top folder of this repository. */
export const ROOT = join(__dirname, '..', '..');

/**
 * JavaScript that gives a process of its own the library, from its sources: the compiled package loads no more either.
 *
 * @param used the file below src that defines each name
 */
export function loadLibrary(used: { readonly [name: string]: string }): string {
  const getters = Object.entries(used).map(([name, file]) => `  get ${name}() { return require(${JSON.stringify(join(ROOT, 'src', file))}).${name}; },`);
  return `require(${JSON.stringify(require.resolve('tsx/cjs'))});\nrequire(${JSON.stringify(join(ROOT, 'src', 'registry', 'register'))});\nconst library = {\n${getters.join('\n')}\n};`;
}
