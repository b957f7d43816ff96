import { spawnSync } from 'child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'fs';
import { delimiter, join } from 'path';
import { Authority } from '../authority';
import { GitProject } from '../git-project';
import { ROOT } from '../source-library';
import { tempFolder } from '../temp';

/**
 * Programs that blocks call, and that a stub replaces: it records the call, and does the little
 * that the next commands need.
 */
const STUBBED = [
  'argocd',
  'cdk8s-harvester',
  'flux',
  'git',
  'go',
  'jq',
  'kubectl',
  'kubeseal',
  'node',
  'npm',
  'npx',
  'pip',
  'python',
  'sops',
  'terraform',
];

/**
 * Programs of every shell that blocks and stubs may call. Any other one is not found, and the block
 * fails.
 */
const REAL = ['bash', 'cat', 'cp', 'mkdir', 'mktemp', 'rm', 'tar', 'touch'];

const STUB = `#!/bin/bash
name=\${0##*/}
printf '%s\\0' "$PWD" "$name" "$#" "$@" >> "$CALLS"
case "$name $*" in
  'npx tsx '* | 'npm run synth'*)
    out=\${CDK8S_OUTDIR:-dist}
    if [ "$out" != dist ]; then cp -r dist/. "$out"; fi
    # so that there is something to commit
    if [ -f "$out/assembly.json" ]; then echo >> "$out/assembly.json"; fi ;;
  *'cdk8s-harvester init '*) mkdir -p "\${@: -1}" ;;
  *'cdk8s-harvester adopt --update '*) printf -- '--- /dev/null\\n+++ b/adopted.ts\\n@@ -0,0 +1 @@\\n+export {};\\n' > "\${@: -1}" ;;
  *'cdk8s-harvester adopt '*) mkdir -p "\${@: -1}" ;;
  'git clone '*) "$REAL_GIT" init --quiet "\${@: -1}" ;;
  'git push'* | 'git -C '*' push'*) ;;
  'git '*) exec "$REAL_GIT" "$@" ;;
  'kubectl get '*) printf 'apiVersion: v1\\nkind: List\\nitems: []\\n' ;;
  'python -m venv '*) mkdir -p "$3/bin" && touch "$3/bin/activate" ;;
  'sops exec-env '*) bash -ec "$3" ;;
esac
`;

/** In place of programs that encrypt, which are not on every machine: they have a version. */
const TOOLS = { kubeseal: 'kubeseal version: 0.32.2', sops: 'sops 3.13.3' };

/** A call of a program by a block. */
export interface Call {
  readonly program: string;
  readonly args: readonly string[];
  /** Where it is called. */
  readonly cwd: string;
}

/** The folder of the programs that blocks may call, which one test file needs once. */
let bin: string | undefined;

/** The certificate of a controller of sealed secrets. */
let cert: string | undefined;

/** Creates a folder with the programs that a block may call. */
function programs(): string {
  const folder = tempFolder();
  for (const name of STUBBED) {
    writeFileSync(join(folder, name), STUB, { mode: 0o755 });
  }
  for (const name of REAL) {
    symlinkSync(find(name), join(folder, name));
  }
  return folder;
}

/**
 * What the commands of a block find: a project with the output of an example, and the files that
 * pages name.
 */
export class ShellProject {
  public readonly folder = tempFolder();
  private readonly dist: string;
  private readonly tools = tempFolder();

  /**
   * @param example whose output the project has
   * @param inGit whether it is in Git, on a branch that adds a commit to main
   */
  public constructor(example: string, inGit: boolean) {
    this.dist = join(ROOT, 'examples', example, 'dist');
    cert ??= new Authority().issue({ rsa: true }).cert;
    const files = {
      'main.js':
        "require('fs').cpSync('output', process.env.CDK8S_OUTDIR ?? 'dist', { recursive: true });\n",
      'cdk8s.yaml': 'language: typescript\napp: node main.js\n',
      'certs/rancher.pem': cert,
      'certs/dc1.pem': cert,
    };
    mkdirSync(join(this.folder, 'certs'));
    for (const [file, text] of Object.entries(files)) {
      writeFileSync(join(this.folder, file), text);
    }
    for (const copy of ['dist', 'output', 'previous/dist']) {
      this.addManifests(copy, ['.']);
    }
    symlinkSync(join(ROOT, 'examples'), join(this.folder, 'examples'), 'dir');
    for (const [name, version] of Object.entries(TOOLS)) {
      writeFileSync(join(this.tools, name), `#!/bin/bash\necho ${version}\n`, { mode: 0o755 });
    }
    if (!inGit) {
      return;
    }
    const git = new GitProject({}, this.folder);
    // as after a fetch
    git.git('update-ref', 'refs/remotes/origin/main', 'main');
    git.git('switch', '--quiet', '--create', 'change');
    git.commit('Change it', { 'README.md': 'Change' });
  }

  /** Copies files and folders of the output to a folder of this name. */
  public addManifests(name: string, parts: readonly string[]): void {
    for (const part of parts.filter((each) => existsSync(join(this.dist, each)))) {
      cpSync(join(this.dist, part), join(this.folder, name, part), { recursive: true });
    }
  }

  /**
   * Runs a script; returns the calls that its commands made, in their order. Throws if a command
   * fails.
   *
   * @param cwd where it runs
   */
  public run(script: string, cwd = this.folder): Call[] {
    bin ??= programs();
    const calls = join(this.tools, 'calls');
    const person = Object.fromEntries(
      ['GIT_AUTHOR', 'GIT_COMMITTER'].flatMap((role) => [
        [`${role}_NAME`, 'Ana'],
        [`${role}_EMAIL`, 'ana@example.com'],
      ]),
    );
    const { status, stderr } = spawnSync(
      join(bin, 'bash'),
      ['--noprofile', '--norc', '-euc', script],
      {
        cwd,
        encoding: 'utf8',
        env: {
          ...person,
          PATH: bin,
          HOME: this.folder,
          TMPDIR: this.tools,
          CALLS: calls,
          REAL_GIT: find('git'),
          GIT_CONFIG_GLOBAL: '/dev/null',
          GIT_CONFIG_NOSYSTEM: '1',
          PASSWORD: 'a-long-password',
        },
      },
    );
    if (status !== 0) {
      throw new Error(`exit code ${status}: ${stderr}`);
    }
    return existsSync(calls) ? callsIn(readFileSync(calls, 'utf8')) : [];
  }

  /** The PATH of commands that are run later. */
  public get path(): string {
    return [this.tools, process.env.PATH].join(delimiter);
  }
}

function callsIn(recorded: string): Call[] {
  const words = recorded.split('\0').slice(0, -1);
  const calls: Call[] = [];
  while (words.length > 0) {
    const [cwd, program, count] = words.splice(0, 3);
    calls.push({ cwd, program, args: words.splice(0, Number(count)) });
  }
  return calls;
}

function find(program: string): string {
  const found = process.env
    .PATH!.split(delimiter)
    .map((folder) => join(folder, program))
    .find(existsSync);
  if (!found) {
    throw new Error(`there is no program ${program} on this machine`);
  }
  return found;
}
