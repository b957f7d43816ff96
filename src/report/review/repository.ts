import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { CommandOptions, CommandResult, runCommand } from './run-command';

/** A commit as people know it. */
export interface Commit {
  readonly sha: string;
  readonly subject: string;
}

/** No hook of the repository runs for what a review does. */
const GIT = ['git', '-c', 'core.hooksPath=/dev/null', '-c', 'core.quotePath=false'];

/** The mode of a submodule in a tree. @see https://git-scm.com/docs/git-ls-tree */
const SUBMODULE_MODE = '160000';

/** The Git repository of a program. */
export class Repository {
  /** The repository that a folder is in. Throws if it is in none. */
  public static async of(folder: string, signal?: AbortSignal): Promise<Repository> {
    const command = [...GIT, 'rev-parse', '--show-toplevel', '--show-prefix'];
    const { status, stdout } = await runCommand(command, { cwd: folder, signal }).catch(
      (error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT'
          ? new Error(
              `${folder}: cannot be reviewed without Git. Fix: install git, and set the folder of the program`,
            )
          : error;
      },
    );
    if (status !== 0) {
      throw new Error(
        `${folder}: must be in the work tree of a Git repository. Fix: run review in the folder of the program`,
      );
    }
    const [root, prefix] = stdout.split('\n');
    return new Repository(root, prefix, signal);
  }

  private constructor(
    /** The top folder of the work tree. */
    public readonly root: string,
    /** The folder of the program below it, with a slash at its end; empty for the top folder. */
    public readonly prefix: string,
    private readonly signal?: AbortSignal,
  ) {}

  /** The commit to compare with. Throws if this clone does not have it. */
  public async base(ref: string, isExact: boolean): Promise<Commit> {
    const sha = await this.shaOf(ref);
    if (sha === undefined) {
      const remote =
        (await this.shaOf(`origin/${ref}`)) === undefined ? '' : `, or set --base origin/${ref}`;
      throw new Error(
        `--base: must be a commit of this clone, got ${JSON.stringify(ref)}. Fix: fetch it (git fetch origin)${remote}`,
      );
    }
    if (isExact) {
      return this.commit(sha);
    }
    const { status, stdout } = await this.run(['merge-base', sha, 'HEAD']);
    if (status === 0) {
      return this.commit(stdout.trim());
    }
    const isShallow = (await this.git('rev-parse', '--is-shallow-repository')).trim() === 'true';
    throw new Error(
      `--base: ${ref} and HEAD have no common ancestor${isShallow ? ' in this clone, which is shallow' : ''}. Fix: ${
        isShallow
          ? 'fetch the whole history: fetch-depth: 0 of actions/checkout, GIT_DEPTH: 0 of GitLab, or git fetch --unshallow'
          : 'set --exact-base to compare with this commit itself'
      }`,
    );
  }

  /** The commit of the work tree. */
  public async head(): Promise<Commit> {
    return this.commit('HEAD');
  }

  /**
   * Whether files of the work tree have changes that are not committed; files that Git does not
   * have are those of a pipeline.
   */
  public async isDirty(): Promise<boolean> {
    return (
      (await this.git('status', '--porcelain', '--untracked-files=no', '--', '.')).trim() !== ''
    );
  }

  /** Whether Git has files of a path. */
  public async isTracked(path: string): Promise<boolean> {
    return (await this.git('ls-files', '--', path)).trim() !== '';
  }

  /**
   * The files of a path that are not in Git, from the top folder. Ignored files are not among them.
   */
  public async untracked(path: string): Promise<readonly string[]> {
    return (
      await this.git('ls-files', '-z', '--full-name', '--others', '--exclude-standard', '--', path)
    )
      .split('\0')
      .filter((file) => file !== '');
  }

  /** The files in which the work tree differs from a commit, from the top folder. */
  public async changedFiles({ sha }: Commit): Promise<readonly string[]> {
    return (await this.git('diff', '--name-only', '-z', '--no-relative', sha))
      .split('\0')
      .filter((file) => file !== '');
  }

  /** The files of a commit, from the top folder. */
  public async filesOf({ sha }: Commit): Promise<readonly string[]> {
    return (await this.git('ls-tree', '-r', '-z', '--full-tree', '--name-only', sha))
      .split('\0')
      .filter((file) => file !== '');
  }

  /**
   * Acts on a work tree of a commit in a temporary folder, which is always removed.
   *
   * @param act receives the top folder of the work tree, and an empty folder
   */
  public async withWorktree<T>(
    commit: Commit,
    act: (tree: string, scratch: string) => Promise<T>,
  ): Promise<T> {
    // the paths of links and of the modules of a program are real ones; only its owner can read it
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cdk8s-harvester-review-')));
    const [tree, scratch] = [join(folder, 'base'), join(folder, 'output')];
    mkdirSync(scratch);
    try {
      await this.git('worktree', 'add', '--quiet', '--detach', tree, commit.sha);
      await this.addSubmodules(commit, tree, folder);
      return await act(tree, scratch);
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      // also after an interrupt
      await runCommand([...GIT, 'worktree', 'prune'], { cwd: this.root }).catch(() => undefined);
    }
  }

  /** Files of submodules, from the clones that the work tree has of them. */
  private async addSubmodules({ sha }: Commit, tree: string, scratch: string): Promise<void> {
    const entries = (await this.git('ls-tree', '-r', '-z', '--full-tree', sha))
      .split('\0')
      .filter((entry) => entry.startsWith(SUBMODULE_MODE));
    for (const [index, entry] of entries.entries()) {
      const [, module, path] = /^\d+ commit (\w+)\t(.*)$/s.exec(entry)!;
      const cwd = join(this.root, path);
      const top = await runCommand([...GIT, 'rev-parse', '--show-toplevel'], {
        cwd,
        signal: this.signal,
      }).catch(() => undefined);
      // a submodule that is not checked out here is not in the base either
      if (top?.stdout.trim() !== cwd) {
        continue;
      }
      const archive = join(scratch, `submodule-${index}.tar`);
      for (const command of [
        [...GIT, 'archive', `--output=${archive}`, module],
        ['tar', '-xf', archive, '-C', join(tree, path)],
      ]) {
        const { status, stderr } = await runCommand(command, { cwd, signal: this.signal });
        if (status !== 0) {
          throw new Error(
            `submodule ${path}: its commit ${module.slice(0, 7)} in the base cannot be read: ${stderr.trim()}. ` +
              `Fix: fetch it, e.g. git -C ${path} fetch origin`,
          );
        }
      }
    }
  }

  private async commit(ref: string): Promise<Commit> {
    const [sha, subject] = (await this.git('log', '-1', '--format=%H%n%s', ref)).split('\n');
    return { sha, subject };
  }

  private async shaOf(ref: string): Promise<string | undefined> {
    // an option is not a commit
    if (ref.startsWith('-')) {
      return undefined;
    }
    const { status, stdout } = await this.run([
      'rev-parse',
      '--verify',
      '--quiet',
      `${ref}^{commit}`,
    ]);
    return status === 0 ? stdout.trim() : undefined;
  }

  private async git(...args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await this.run(args);
    if (status !== 0) {
      throw new Error(`git ${args[0]} failed: ${stderr.trim()}`);
    }
    return stdout;
  }

  private async run(args: readonly string[]): Promise<CommandResult> {
    const options: CommandOptions = { cwd: join(this.root, this.prefix), signal: this.signal };
    return runCommand([...GIT, ...args], options);
  }
}
