import { ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as path from 'node:path';

/** What must not outlive this process: servers, and the folders they write to. */
const running = new Set<Daemon>();
const folders = new Set<string>();

/** What a server has beyond its arguments. */
export interface DaemonOptions {
  /** Variables added to the environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** Whether it is a program of others, which does not end when its standard input does. */
  readonly foreign?: boolean;
}

/** Ends a program when standard input ends. */
const UNTIL_STDIN_ENDS =
  'exec 3<&0; "$@" </dev/null & program=$!; { cat <&3 >/dev/null; kill -9 $program 2>/dev/null; } & wait $program';

/** A server in the background that writes to a log file and ends when this process does. */
export class Daemon {
  private readonly process: ChildProcess;
  private readonly log: string;
  private readonly exited: Promise<void>;
  private exit?: string;

  public constructor(
    private readonly program: string,
    args: string[],
    folder: string,
    { env, foreign = false }: DaemonOptions = {},
  ) {
    this.log = path.join(folder, `${this.name}.log`);
    const log = fs.openSync(this.log, 'a');
    const [file, ...given] = foreign
      ? ['/bin/sh', '-c', UNTIL_STDIN_ENDS, 'sh', program, ...args]
      : [program, ...args];
    this.process = spawn(file, given, {
      cwd: folder,
      // our own build ends when the pipe of its standard input closes, so not even a SIGKILL of
      // this process leaves it behind
      env: { ...process.env, EXIT_WITH_STDIN: '1', ...env },
      stdio: ['pipe', log, log],
    });
    fs.closeSync(log);
    running.add(this);
    this.exited = new Promise((resolve) => {
      const done = (reason: string) => {
        this.exit = reason;
        running.delete(this);
        resolve();
      };
      this.process.once('error', (error) => done(error.message));
      this.process.once('exit', (code, signal) => done(`exited with ${signal ?? code}`));
    });
    // servers must not keep a process alive that has nothing else to do
    this.process.unref();
    (this.process.stdin as net.Socket).unref();
  }

  public get name(): string {
    return path.basename(this.program);
  }

  /** Throws if the server has ended, so that no test waits for it. */
  public assertRunning(): void {
    if (this.exit) {
      throw new Error(`${this.name} ${this.exit}\n${this.lastLines(20)}`);
    }
  }

  /**
   * What it has taken of the processors so far, in milliseconds; undefined if the system does not
   * report it.
   */
  public get cpuMs(): number | undefined {
    try {
      // behind the name, which may hold anything: state, and then numbers; user and system time are
      // the 14th and 15th of all, in hundredths
      const fields = fs
        .readFileSync(`/proc/${this.process.pid}/stat`, 'utf8')
        .split(') ')[1]
        .split(' ');
      return (Number(fields[11]) + Number(fields[12])) * 10;
    } catch {
      return undefined;
    }
  }

  /** Everything that it has logged. */
  public get text(): string {
    return fs.readFileSync(this.log, 'utf8');
  }

  public lastLines(count: number): string {
    const lines = this.text.trimEnd().split('\n');
    return [
      `--- ${this.name}${this.exit ? ` (${this.exit})` : ''}, last lines`,
      ...lines.slice(-count),
    ].join('\n');
  }

  /** Calls a function while the server is stopped: what it has written does not change then. */
  public whilePaused(action: () => void): void {
    this.process.kill('SIGSTOP');
    try {
      action();
    } finally {
      this.process.kill('SIGCONT');
    }
  }

  /**
   * Everything in these servers is thrown away, so they are killed: a clean shutdown of the API
   * server takes a minute.
   */
  public async kill(): Promise<void> {
    this.killNow();
    await this.exited;
  }

  public killNow(): void {
    this.process.kill('SIGKILL');
  }
}

/** Has a folder removed when this process ends, after the servers that write to it. */
export function removeAtExit(folder: string): void {
  folders.add(folder);
}

export function removeNow(folder: string): void {
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  folders.delete(folder);
}

/** Ends every server that this process started and removes what they wrote. */
export function cleanUp(): void {
  running.forEach((daemon) => daemon.killNow());
  folders.forEach(removeNow);
}

process.once('exit', cleanUp);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    cleanUp();
    // the handler was removed: this ends the process the way the signal means it
    process.kill(process.pid, signal);
  });
}
