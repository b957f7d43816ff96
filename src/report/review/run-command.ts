import { spawn } from 'child_process';

/** How a command ended, and what it printed. */
export interface CommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of `runCommand`. */
export interface CommandOptions {
  readonly cwd: string;
  readonly env?: { readonly [name: string]: string | undefined };
  /** Ends the command and all that it started. */
  readonly signal?: AbortSignal;
}

/** Characters of a stream that are kept: the last ones say why a command failed. */
const MOST = 16 * 1024 * 1024;

/**
 * Variables by which Git runs its hooks: they name the repository of the hook, not that of the
 * folder.
 * @see git rev-parse --local-env-vars
 */
const HOOK_VARIABLES = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_PREFIX',
  'GIT_OBJECT_DIRECTORY',
  'GIT_COMMON_DIR',
];

/**
 * Runs a command to its end.
 *
 * @param command a program and its arguments, or a line for the shell
 * @throws if it cannot be started, or is ended by the signal
 */
export async function runCommand(
  command: string | readonly string[],
  { cwd, env = process.env, signal }: CommandOptions,
): Promise<CommandResult> {
  signal?.throwIfAborted();
  const own = Object.fromEntries(
    Object.entries(env).filter(([name]) => !HOOK_VARIABLES.includes(name)),
  );
  const isWindows = process.platform === 'win32';
  // in a group of its own, so that what a shell starts ends with it
  const options = {
    cwd,
    env: own,
    detached: !isWindows,
    stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'],
  };
  const child =
    typeof command === 'string'
      ? spawn(command, { ...options, shell: true })
      : spawn(command[0], command.slice(1), options);
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      printed[stream] = (printed[stream] + text).slice(-MOST);
    });
  }
  const stop = (): void => {
    try {
      if (isWindows || child.pid === undefined) {
        child.kill();
      } else {
        process.kill(-child.pid, 'SIGTERM');
      }
    } catch {
      // it has ended meanwhile
    }
  };
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const status = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject).on('close', resolve);
    });
    signal?.throwIfAborted();
    return { status, ...printed };
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
