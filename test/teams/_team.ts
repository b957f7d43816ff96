import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'fs';
import { dirname, join } from 'path';
import { loadAssembly } from '../../src/engine/read/load-assembly';
import { SmallProgram } from '../engine/graph/_assemblies';
import { filesIn } from '../support/programs';
import { runModule } from '../support/run-program';
import { tempFolder } from '../support/temp';

/** The committed files of a team's program, except for what it writes. */
export function sourcesOf(team: string): { readonly [file: string]: string } {
  const files = Object.entries(filesIn(join(__dirname, team)));
  return Object.fromEntries(files.filter(([file]) => !file.startsWith('dist/')));
}

/** What a team's program writes, as committed. */
export function goldenOf(team: string): { readonly [file: string]: string } {
  return filesIn(join(__dirname, team, 'dist'));
}

/** Edits the files of a program. */
export type Edit = (sources: { [file: string]: string }) => void;

/** A copy of a team's program in a folder, which it runs in. */
export class TeamProgram {
  public readonly folder = tempFolder();
  private sources: { [file: string]: string };

  public constructor(team: string) {
    this.sources = { ...sourcesOf(team) };
  }

  public get dist(): string {
    return join(this.folder, 'dist');
  }

  /** Runs the program, edited or not, with environment variables. Returns what is in `dist` then. */
  public run(
    edit: Edit = () => undefined,
    env: NodeJS.ProcessEnv = {},
  ): { readonly [file: string]: string } {
    edit(this.sources);
    for (const [file, text] of Object.entries(this.sources)) {
      const path = join(this.folder, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    const [cwd, before] = [process.cwd(), { ...process.env }];
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      process.chdir(this.folder);
      delete process.env.CDK8S_OUTDIR;
      Object.assign(process.env, env);
      runModule(join(this.folder, 'main.ts'));
      return filesIn(this.dist);
    } finally {
      process.chdir(cwd);
      process.env = before;
      stderr.mockRestore();
    }
  }

  /** Removes what the program wrote. */
  public clean(): void {
    rmSync(this.dist, { recursive: true, force: true });
  }

  /** The output as a program that the engine applies. */
  public get declared(): SmallProgram {
    const { assembly, manifests } = loadAssembly(this.dist);
    return { assembly, manifests, targets: assembly.targets } as unknown as SmallProgram;
  }
}

/** A replacement in the sources of a program that must find what it replaces. */
export function replacing(file: string, from: string, to: string): Edit {
  return (sources) => {
    const text = sources[file] ?? readFileSync(file, 'utf8');
    if (!text.includes(from)) {
      throw new Error(`${file} has no ${from}`);
    }
    sources[file] = text.replace(from, to);
  };
}
