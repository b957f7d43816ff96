import { ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as ts from 'typescript';

const ROOT = path.resolve(__dirname, '..', '..', '..');

/** Exit code and output of a process of the command line. */
export interface CliEnd {
  readonly stdout: string;
  readonly stderr: string;
  /** Undefined where a signal ended it. */
  readonly exitCode?: number;
}

/** A process of the command line, as people run it. */
export class CliProcess {
  /** Resolves when it is over. */
  public readonly ended: Promise<CliEnd>;
  private readonly child: ChildProcess;
  private stdout = '';
  private stderr = '';

  public constructor(
    args: readonly string[],
    options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
  ) {
    const { NODE_OPTIONS: _, JEST_WORKER_ID: __, KUBECONFIG: ___, ...env } = process.env;
    this.child = spawn(
      process.execPath,
      [path.join(compiledCli(), 'bin', 'cdk8s-harvester'), ...args],
      {
        cwd: options.cwd,
        env: { ...env, ...options.env },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    this.child.stdout!.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString('utf8');
    });
    this.child.stderr!.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString('utf8');
    });
    this.ended = new Promise((resolve, reject) => {
      this.child.once('error', reject);
      this.child.once('close', (code) =>
        resolve({
          stdout: this.stdout,
          stderr: this.stderr,
          ...(code === null ? {} : { exitCode: code }),
        }),
      );
    });
  }

  /** Its output so far. */
  public get said(): string {
    return this.stdout + this.stderr;
  }

  public kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}

const PREFIX = 'cdk8s-harvester-cli-';

/** What the command line finds next to its own code, as in the package. */
const LINKED = ['node_modules', 'schema', 'templates'];

let compiled: string | undefined;

/**
 * The command line, compiled from the sources as they are, without `lib/`, which may be of another
 * day. Kept by a hash of the sources.
 */
export function compiledCli(): string {
  return (compiled ??= compile());
}

function compile(): string {
  const files = fs
    .readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|json)$/.test(file))
    .sort();
  const sources = files.map(
    (file) => [file, fs.readFileSync(path.join(ROOT, 'src', file), 'utf8')] as const,
  );
  const folder = path.join(
    os.tmpdir(),
    `${PREFIX}${createHash('sha256')
      .update(JSON.stringify([ROOT, LINKED]))
      .update(JSON.stringify(sources))
      .digest('hex')
      .slice(0, 16)}`,
  );
  if (fs.existsSync(folder)) {
    return folder;
  }
  removeFormer();
  const unfinished = fs.mkdtempSync(path.join(os.tmpdir(), `${PREFIX}unfinished-`));
  const compilerOptions: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    esModuleInterop: true,
    experimentalDecorators: true,
  };
  for (const [file, source] of sources) {
    const out = path.join(unfinished, 'lib', file.replace(/\.ts$/, '.js'));
    fs.mkdirSync(path.dirname(out), { recursive: true });
    fs.writeFileSync(
      out,
      file.endsWith('.ts')
        ? ts.transpileModule(source, { compilerOptions, fileName: path.join(ROOT, 'src', file) })
            .outputText
        : source,
    );
  }
  fs.mkdirSync(path.join(unfinished, 'bin'));
  fs.copyFileSync(
    path.join(ROOT, 'bin', 'cdk8s-harvester'),
    path.join(unfinished, 'bin', 'cdk8s-harvester'),
  );
  fs.copyFileSync(path.join(ROOT, 'package.json'), path.join(unfinished, 'package.json'));
  for (const name of LINKED) {
    fs.symlinkSync(path.join(ROOT, name), path.join(unfinished, name));
  }
  try {
    // atomic: another worker may compile at the same time
    fs.renameSync(unfinished, folder);
  } catch (error) {
    if (!fs.existsSync(folder)) {
      throw error;
    }
    fs.rmSync(unfinished, { recursive: true });
  }
  return folder;
}

/** Those of other sources; another run may still use one that is not old. */
function removeFormer(): void {
  for (const name of fs.readdirSync(os.tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    const folder = path.join(os.tmpdir(), name);
    if (Date.now() - fs.statSync(folder).mtimeMs > 86_400_000) {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  }
}
