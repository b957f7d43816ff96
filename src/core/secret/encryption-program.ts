import { SpawnSyncReturns, spawnSync } from 'child_process';
import { mkdtempSync, rmSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';

const MAX_OUTPUT = 64 * 1024 * 1024;

/** What is known of a program that encrypts. */
interface KnownProgram {
  readonly name: string;
  /** The first version with all that is used. */
  readonly since: readonly [major: number, minor: number];
  /** Its words before its version. */
  readonly version: RegExp;
  /** Its repository on GitHub. */
  readonly repository: string;
}

/** A program that encrypts. Texts in plain text reach it by its standard input only. */
export class EncryptionProgram {
  private isChecked = false;

  constructor(
    protected readonly program: string,
    private readonly known: KnownProgram,
  ) {}

  /** Throws if the program is missing, or too old. */
  public check(): void {
    if (this.isChecked) {
      return;
    }
    const { name, since, version, repository } = this.known;
    const { status, stdout, error } = this.run(['--version'], '');
    const fix = `Fix: install ${name} ${since.join('.')} or later (https://github.com/${repository}/releases)`;
    if (error || status !== 0) {
      throw new Error(
        `the program ${this.program} ${error ? reasonText(error) : 'cannot be run'}. ${fix}, or set its path`,
      );
    }
    const [, own = ''] = new RegExp(`${version.source}v?(\\d+\\.\\d+)`, 'm').exec(stdout) ?? [];
    const [major, minor] = own.split('.').map(Number);
    if (own === '' || major! < since[0] || (major === since[0] && minor! < since[1])) {
      throw new Error(
        `the program ${this.program} must be ${name} ${since.join('.')} or later, got ${JSON.stringify(firstLine(stdout))}. ${fix}`,
      );
    }
    this.isChecked = true;
  }

  protected run(
    args: readonly string[],
    input: string,
    env: NodeJS.ProcessEnv = process.env,
  ): SpawnSyncReturns<string> {
    return spawnSync(this.program, args, { input, env, encoding: 'utf8', maxBuffer: MAX_OUTPUT });
  }
}

function reasonText({ code, message }: NodeJS.ErrnoException): string {
  return code === 'ENOENT' ? 'was not found' : `cannot be run: ${message}`;
}

/** Uses a folder that nothing else uses, and removes it. */
export function inNewFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'cdk8s-harvester-encrypt-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The message of a program before its details, which may quote what it was given. */
export function firstLine(text: string): string {
  return text
    .trim()
    .split('\n', 1)[0]
    .replace(/^error: /, '')
    .slice(0, 200);
}
