import { existsSync } from 'fs';
import { basename, dirname, join } from 'path';
import { LOCK_FILES, PACKAGE_FILE } from './dependencies';
import { Commit, Repository } from './repository';
import { valueAt } from '../../core/manifest/manifest';
import { readRegularText } from '../../core/output/regular-file';
import { anyText } from '../../core/text/plain-text';
import { attempt, jsonOf } from '../../core/text/values';

/** The npm package of the library. */
const PACKAGE = 'cdk8s-harvester';

/** The file of Python with packages. */
const REQUIREMENTS = 'requirements.txt';

/** The versions of the library that both sides of a review are synthesized by. */
export interface LibraryVersions {
  readonly before: string;
  readonly after: string;
  /** Whether nothing but packages and the output differs: the new version writes all that changes. */
  readonly isOnlyChange: boolean;
}

/**
 * The versions of the library, where they differ.
 *
 * @param tree the top folder of the work tree of the base
 * @param outdirs the output folders, from the folder of the program
 */
export async function libraryVersions(
  repository: Repository,
  base: Commit,
  tree: string,
  outdirs: readonly string[],
): Promise<LibraryVersions | undefined> {
  const [before, after] = [tree, repository.root].map((root) =>
    installedVersion(join(root, repository.prefix)),
  );
  if (before === undefined || after === undefined || before === after) {
    return undefined;
  }
  const isOutput = (file: string): boolean =>
    outdirs.some((outdir) => file.startsWith(`${join(repository.prefix, outdir)}/`));
  const isOfPackages = (file: string): boolean =>
    [PACKAGE_FILE, REQUIREMENTS, ...LOCK_FILES].includes(basename(file));
  const changed = await repository.changedFiles(base);
  return {
    before,
    after,
    isOnlyChange: changed.every((file) => isOutput(file) || isOfPackages(file)),
  };
}

/** The version of the package that a program in a folder loads. */
function installedVersion(folder: string): string | undefined {
  const file = join(folder, 'node_modules', PACKAGE, PACKAGE_FILE);
  if (existsSync(file)) {
    return anyText(attempt(() => valueAt(jsonOf(readRegularText(file)), 'version')));
  }
  const above = dirname(folder);
  return above === folder ? undefined : installedVersion(above);
}
