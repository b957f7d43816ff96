import { createHash } from 'crypto';
import { existsSync, readFileSync, statSync } from 'fs';
import { dirname, isAbsolute, join, resolve, sep } from 'path';
import { ASSEMBLY_FILE } from '../output/assembly';
import { attempt } from '../text/values';

/** What a synthesis was made of, and for: what another branch of a repository changes. */
export interface ProgramContent {
  /** The digest of the assembly in the output folder. @default - there was none */
  readonly output?: string;
  /** What the repository has checked out. @default - the folder is in no repository */
  readonly head?: string;
  /** The files of the program. Empty if they are not known, as those of another language. */
  readonly files: readonly string[];
  /** The digest of the contents of these files. */
  readonly program: string;
}

/** Programs have fewer files; more would cost time in each synthesis that fails. */
const MAX_FILES = 500;

/** The folder of this package's own code. */
const OWN = join(__dirname, '..', '..') + sep;

/**
 * The modules of the program that runs, without those of packages. Some loaders hide the cache.
 */
export function filesOfProgram(): readonly string[] {
  const modules = Object.keys((require.cache as NodeJS.Dict<NodeModule> | undefined) ?? {});
  return [...new Set([process.argv[1] ?? '', ...modules])]
    .filter(
      (file) =>
        isAbsolute(file) &&
        !file.startsWith(OWN) &&
        !file.includes(`${sep}node_modules${sep}`) &&
        existsSync(file),
    )
    .slice(0, MAX_FILES);
}

/** The content of an output, and of the program that is to replace it, as they are now. */
export function contentOf(outdir: string, files: readonly string[]): ProgramContent {
  const output = digestOf(join(outdir, ASSEMBLY_FILE));
  const head = headOf(resolve(outdir));
  const digest = createHash('sha256');
  for (const file of files) {
    digest.update(`${file} ${digestOf(file) ?? ''}\n`);
  }
  return {
    ...(output === undefined ? {} : { output }),
    ...(head === undefined ? {} : { head }),
    files,
    program: digest.digest('hex'),
  };
}

/**
 * Whether the output is the one that a synthesis did not replace, and the program is still to
 * replace it: an edit does not change that, but another branch has another program.
 */
export function isContentOf(outdir: string, then: ProgramContent): boolean {
  const now = contentOf(outdir, then.files);
  const isSameProgram = then.files.length > 0 && now.program === then.program;
  return now.output === then.output && (now.head === then.head || isSameProgram);
}

function digestOf(file: string): string | undefined {
  return attempt(() => createHash('sha256').update(readFileSync(file)).digest('hex'));
}

/**
 * What the Git repository of a folder has checked out: a branch, or a commit.
 * @see https://git-scm.com/docs/gitrepository-layout
 */
function headOf(folder: string): string | undefined {
  const git = join(folder, '.git');
  const found = statSync(git, { throwIfNoEntry: false });
  if (found) {
    return attempt(() => readFileSync(join(gitFolder(git, found.isFile()), 'HEAD'), 'utf8').trim());
  }
  const parent = dirname(folder);
  return parent === folder ? undefined : headOf(parent);
}

/** The folder of a repository; a worktree and a submodule have a file that names it. */
function gitFolder(git: string, isFile: boolean): string {
  return isFile
    ? resolve(
        dirname(git),
        readFileSync(git, 'utf8')
          .replace(/^gitdir:/, '')
          .trim(),
      )
    : git;
}
