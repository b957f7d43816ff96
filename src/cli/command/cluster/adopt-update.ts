import { mkdirSync, writeFileSync } from 'fs';
import { dirname } from 'path';
import { updateBlocks } from '../../../adopt/update/report';
import { withTexts } from '../../../core/text/screen';
import { AdoptUpdate, Report, adoptUpdate } from '../../../engine';
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
  const { app, select, out } = flags;
  const found = await adoptUpdate(path, { ...bindOptionsOf({ ...flags, acceptNewCluster: [] }), app, select, signal });
  const { added, pending, drifted, missing, diff, unreached } = found.result;
  if (out !== undefined) {
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, diff);
  }
  print(found, flags);
  if (unreached.length > 0) { return EXIT.FAILED; }
  return [added, pending, drifted, missing].some(({ length }) => length > 0) ? EXIT.CHANGES : EXIT.DONE;
}

function print({ result, scrub }: Report<AdoptUpdate>, { output, out, ...screen }: UpdateFlags): void {
  if (output === 'json') {
    emit(scrub(JSON.stringify({ schemaVersion: '1', ...result }, undefined, 2)), screen);
    return;
  }
  emit(withTexts(updateBlocks(result, { out, cwd: process.cwd() }), scrub), screen);
  // git apply skips the report above it
  if (out === undefined && result.diff !== '') { printPainted(`\n${result.diff}`); }
}
