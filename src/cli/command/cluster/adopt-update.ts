import { writeFileSync } from 'fs';
import { dirname, resolve } from 'path';
import { Project } from '../../../adopt/update/project';
import { readTargets } from '../../../adopt/update/read-targets';
import { updateBlocks } from '../../../adopt/update/report';
import { Update, updateOf } from '../../../adopt/update/update';
import { Redactor } from '../../../core/secret/redactor';
import { withTexts } from '../../../core/text/screen';
import { emptyTargets } from '../../../engine/auth/bind-program';
import { bindTargets } from '../../../engine/auth/bind-targets';
import { appOf } from '../../../engine/inventory/apply-set';
import { loadAssembly } from '../../../engine/read/load-assembly';
import { compareObjects } from '../../../report/doctor/drift';
import { emit } from '../../option/output-options';
import { TargetFlags, bindOptionsOf } from '../../option/run-options';
import { EXIT, ScreenFlags, printPainted } from '../../process';

/** The options of `adopt --update`. */
export interface UpdateFlags extends Omit<TargetFlags, 'acceptNewCluster'>, ScreenFlags {
  readonly app: string;
  readonly select: readonly string[];
  readonly out?: string;
  readonly output: 'text' | 'json';
}

/** Shows what the clusters have that a program lacks. Returns the exit code. */
export async function runUpdate(path: string, flags: UpdateFlags, signal: AbortSignal): Promise<number> {
  const { out, select } = flags;
  const loaded = loadAssembly(path);
  const { assembly, manifests } = loaded;
  const app = appOf(flags.app);
  const empty = emptyTargets(assembly);
  const redactor = Redactor.of(manifests.values());
  const scrub = (text: string): string => redactor.scrub(text);
  const binding = await bindTargets(assembly.targets, {
    ...bindOptionsOf({ ...flags, acceptNewCluster: [] }), allowVersionSkew: true, optional: ({ name }) => empty.has(name),
  });
  try {
    const read = await readTargets(binding.targets, signal);
    const reached = new Set(read.clusters.map(({ name }) => name));
    const compared = await compareObjects(loaded, binding.targets, reached, app, { signal });
    const folder = dirname(resolve(path));
    const update = updateOf({ assembly, app, read, compared, select, scrub, project: new Project(folder, resolve(path)) });
    print(update, flags, scrub);
    if (out !== undefined) { writeFileSync(out, update.diff); }
    if (update.unreached.length > 0) { return EXIT.FAILED; }
    return update.added.length + update.drifted.length > 0 ? EXIT.CHANGES : EXIT.DONE;
  } finally {
    binding.close();
  }
}

function print(update: Update, { output, out, ...screen }: UpdateFlags, scrub: (text: string) => string): void {
  if (output === 'json') {
    emit(scrub(JSON.stringify({ schemaVersion: '1', ...update }, undefined, 2)), screen);
    return;
  }
  emit(withTexts(updateBlocks(update), scrub), screen);
  // git apply skips the report above it
  if (out === undefined && update.diff !== '') { printPainted(`\n${update.diff}`); }
}
