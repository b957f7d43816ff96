import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, symlinkSync } from 'fs';
import { dirname, join, relative, sep } from 'path';
import { Commit, Repository } from './repository';
import { CommandOptions, runCommand } from './run-command';
import { isRecord, sameValue } from '../../core/manifest/manifest';
import { jsonOf } from '../../core/text/values';

/** The file of npm with the packages that a program needs. */
export const PACKAGE_FILE = 'package.json';

/**
 * What installs exactly the packages of a lock file; for others, the version of the package manager
 * decides.
 */
const INSTALLS: { readonly [lock: string]: string | undefined } = {
  'package-lock.json': 'npm ci --no-audit --no-fund',
  'npm-shrinkwrap.json': 'npm ci --no-audit --no-fund',
  'yarn.lock': undefined,
  'pnpm-lock.yaml': undefined,
  'bun.lock': undefined,
  'bun.lockb': undefined,
};

/** Files with the exact versions of packages. */
export const LOCK_FILES: readonly string[] = Object.keys(INSTALLS);

/** The fields of package.json that decide what is installed, without a lock file. */
const DEPENDENCY_FIELDS = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'overrides',
  'workspaces',
];

/**
 * Makes the packages of a program available in the work tree of its base: those that are installed
 * here, if both sides need the same.
 *
 * @param install the command that installs them, in the folder of the program. @default - by the lock file
 */
export async function provideDependencies(
  repository: Repository,
  base: Commit,
  tree: string,
  install: string | undefined,
  options: Omit<CommandOptions, 'cwd'>,
): Promise<void> {
  const folder = join(tree, repository.prefix);
  if (install !== undefined) {
    return runInstall(install, folder, options);
  }
  const lock = lockOf(tree, repository.prefix);
  if (lock === undefined && !existsSync(join(folder, PACKAGE_FILE))) {
    return;
  }
  const isSame =
    lock === undefined
      ? hasSamePackages(folder, join(repository.root, repository.prefix))
      : contentOf(join(tree, lock)) === contentOf(join(repository.root, lock));
  if (isSame) {
    const files = await repository.filesOf(base);
    const packages = files
      .filter((file) => file === PACKAGE_FILE || file.endsWith(`/${PACKAGE_FILE}`))
      .map(dirname);
    for (const each of packages) {
      linkModules(join(each, 'node_modules'), repository.root, tree);
    }
    return;
  }
  const command =
    lock === undefined
      ? 'npm install --no-audit --no-fund --no-package-lock'
      : INSTALLS[lock.split('/').pop()!];
  if (command === undefined) {
    throw new Error(
      `${lock} of the base differs, and how its packages are installed is not known. ` +
        "Fix: set --install, e.g. --install 'pnpm install --frozen-lockfile'",
    );
  }
  return runInstall(command, lock === undefined ? folder : join(tree, dirname(lock)), options);
}

async function runInstall(
  command: string,
  cwd: string,
  options: Omit<CommandOptions, 'cwd'>,
): Promise<void> {
  const { status, stdout, stderr } = await runCommand(command, { cwd, ...options });
  if (status !== 0) {
    throw new Error(`${command} failed:\n${(stderr.trim() || stdout).trim()}`);
  }
}

/** The lock file of a program, from the top folder: next to it, or above it, as of workspaces. */
function lockOf(tree: string, prefix: string): string | undefined {
  const steps = prefix.split('/').filter((step) => step !== '');
  const folders = Array.from({ length: steps.length + 1 }, (_, index) =>
    steps.slice(0, steps.length - index).join('/'),
  );
  return folders
    .flatMap((folder) =>
      Object.keys(INSTALLS).map((name) => (folder === '' ? name : `${folder}/${name}`)),
    )
    .find((file) => existsSync(join(tree, file)));
}

function hasSamePackages(one: string, other: string): boolean {
  const [a, b] = [one, other].map((folder) =>
    jsonOf(contentOf(join(folder, PACKAGE_FILE)) ?? '{}'),
  );
  return (
    isRecord(a) && isRecord(b) && DEPENDENCY_FIELDS.every((field) => sameValue(a[field], b[field]))
  );
}

function contentOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'latin1') : undefined;
}

/**
 * Links each installed package. Those of the repository itself, in workspaces, are those of the
 * other work tree.
 */
function linkModules(folder: string, root: string, tree: string): void {
  const [from, to] = [join(root, folder), join(tree, folder)];
  if (!existsSync(from) || existsSync(to)) {
    return;
  }
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    if (entry.name.startsWith('@') && entry.isDirectory()) {
      linkModules(join(folder, entry.name), root, tree);
    } else if (existsSync(source)) {
      const real = relative(realpathSync(root), realpathSync(source));
      const isOwn =
        entry.isSymbolicLink() &&
        !real.split(sep).some((step) => step === '..' || step === 'node_modules');
      symlinkSync(
        isOwn ? join(tree, real) : realpathSync(source),
        join(to, entry.name),
        entry.isFile() ? 'file' : 'junction',
      );
    }
  }
}
