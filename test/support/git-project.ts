import { spawnSync } from 'child_process';
import { mkdirSync, rmSync, writeFileSync } from 'fs';
import { dirname, join } from 'path';
import { tempFolder } from './temp';

/** Files by path; undefined for one that is removed. */
export type Files = { readonly [file: string]: string | undefined };

/** A Git repository in a temporary folder. */
export class GitProject {
  public constructor(
    files: Files = {},
    public readonly folder = tempFolder(),
  ) {
    this.git('init', '--quiet', '--initial-branch', 'main');
    this.commit('Begin', files);
  }

  /** Writes files, and does not commit them. */
  public write(files: Files): void {
    for (const [file, text] of Object.entries(files)) {
      const path = join(this.folder, file);
      if (text === undefined) {
        rmSync(path, { recursive: true });
        continue;
      }
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
  }

  public commit(subject: string, files: Files): void {
    this.write(files);
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '--message', subject);
  }

  /** Runs git as someone without a configuration; returns what it prints. */
  public git(...args: readonly string[]): string {
    const person = ['GIT_AUTHOR', 'GIT_COMMITTER'].flatMap((role) => [
      [`${role}_NAME`, 'Ana'],
      [`${role}_EMAIL`, 'ana@example.com'],
    ]);
    const env = {
      ...process.env,
      ...(Object.fromEntries(person) as object),
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
    };
    const { status, stdout, stderr } = spawnSync(
      'git',
      ['-c', 'protocol.file.allow=always', ...args],
      { cwd: this.folder, encoding: 'utf8', env },
    );
    if (status !== 0) {
      throw new Error(`git ${args.join(' ')} failed: ${stderr}`);
    }
    return stdout.trim();
  }
}
