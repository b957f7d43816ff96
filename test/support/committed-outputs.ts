import { existsSync, readdirSync } from 'fs';
import { join } from 'path';

const ROOT = join(__dirname, '..', '..');

/** The output folder of a program, or that of the first of several environments, which are alike. */
function outputOf(program: string): string | undefined {
  const dist = join(program, 'dist');
  if (!existsSync(dist)) {
    return undefined;
  }
  const environments = readdirSync(dist).map((environment) => join(dist, environment));
  return [dist, ...environments].find((folder) => existsSync(join(folder, 'assembly.json')));
}

/** The committed outputs of the examples and of the programs of teams, by a short name. */
export const COMMITTED_OUTPUTS: { readonly [name: string]: string } = Object.fromEntries(
  ['examples', join('test', 'teams')].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => {
        const output = outputOf(join(ROOT, folder, name));
        return output === undefined ? [] : [[name, output] as const];
      }),
  ),
);
