import { resolve } from 'path';
import { Project, projectFolder } from './project';
import { readTargets } from './read-targets';
import { AdoptUpdate, updateOf } from './update';
import { readConfigFile } from '../../engine/auth/config-file';
import { App } from '../../engine/inventory/apply-set';
import { Program } from '../../engine/run/run-context';
import { compareObjects } from '../../report/doctor/drift';

/** What is looked for on the clusters of a program, and where its sources are. */
export interface UpdateOptions {
  readonly select?: readonly string[];
  readonly config?: string;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  /** Removes the secrets of the program from a text. */
  readonly scrub: (text: string) => string;
}

/** Reads the clusters of a program, and finds what the program lacks. Nothing is written. */
export async function updateProgram(program: Program, app: App, options: UpdateOptions): Promise<AdoptUpdate> {
  const { select, config, cwd = process.cwd(), signal, scrub } = options;
  const { targets, folder } = program;
  const { ignore } = readConfigFile(config, cwd);
  const project = new Project(projectFolder(folder, cwd), resolve(cwd, folder));
  const read = await readTargets(targets, signal);
  const reached = new Set(read.clusters.map(({ name }) => name));
  const compared = await compareObjects(program, targets, reached, app, { signal });
  return updateOf({ program, app, read, compared, project, select, ignore, scrub });
}
