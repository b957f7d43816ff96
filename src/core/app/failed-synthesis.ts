import { createHash } from 'crypto';
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'fs';
import { dirname, join, resolve } from 'path';
import { ProgramContent, contentOf, isContentOf, filesOfProgram } from './program-content';
import { isRecord, textsAt, valueAt } from '../manifest/manifest';
import { readRegularFile } from '../output/regular-file';
import { anyText } from '../text/plain-text';
import { attempt } from '../text/values';

/** The last synthesis of an output, which failed. */
export interface FailedSynthesis {
  /** In ISO 8601. */
  readonly time: string;
  /** How many errors there were. */
  readonly errors: number;
}

/** What the file of a failed synthesis contains. */
interface Mark extends FailedSynthesis {
  readonly content: ProgramContent;
}

const MODULES = 'node_modules';
/**
 * Where tools keep what may be deleted at any time.
 * @see https://github.com/sindresorhus/find-cache-dir
 */
const CACHE = join(MODULES, '.cache', 'cdk8s-harvester');

/** A mark has a path for each file of a program. */
const MAX_BYTES = 256 * 1024;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * The file that marks an output whose synthesis failed: outside of the output, whose folder remains
 * as it is. Undefined without a folder for it.
 */
function markOf(outdir: string): string | undefined {
  const folder = resolve(outdir);
  const project = ancestorWithModules(dirname(folder));
  return project === undefined
    ? undefined
    : join(project, CACHE, `${createHash('sha256').update(folder).digest('hex')}.json`);
}

function ancestorWithModules(folder: string): string | undefined {
  if (statSync(join(folder, MODULES), { throwIfNoEntry: false })?.isDirectory()) {
    return folder;
  }
  const parent = dirname(folder);
  return parent === folder ? undefined : ancestorWithModules(parent);
}

/** Records that the synthesis of an output failed; nothing where that is not possible. */
export function markFailure(
  outdir: string,
  errors: number,
  files: readonly string[] = filesOfProgram(),
): void {
  attempt(() => {
    const mark = markOf(outdir);
    if (mark === undefined) {
      return;
    }
    mkdirSync(dirname(mark), { recursive: true });
    const part = `${mark}.${process.pid}`;
    const failed: Mark = {
      time: new Date().toISOString(),
      errors,
      content: contentOf(outdir, files),
    };
    writeFileSync(part, `${JSON.stringify(failed)}\n`, { flag: 'wx' });
    renameSync(part, mark);
  });
}

/** Forgets the failures of an output: its synthesis succeeded. */
export function unmarkFailure(outdir: string): void {
  attempt(() => {
    const mark = markOf(outdir);
    if (mark !== undefined) {
      rmSync(mark, { force: true });
    }
  });
}

/**
 * The failed synthesis that an output is older than; undefined if the last one succeeded, is not
 * known, or was of another program or for another output, e.g. on another branch.
 */
export function failedSynthesis(outdir: string): FailedSynthesis | undefined {
  return attempt(() => {
    const mark = markOf(outdir);
    if (mark === undefined || !statSync(mark, { throwIfNoEntry: false })) {
      return undefined;
    }
    const content: unknown = JSON.parse(readRegularFile(mark, MAX_BYTES).toString('utf8'));
    if (
      !isRecord(content) ||
      typeof content.time !== 'string' ||
      !TIME.test(content.time) ||
      !Number.isSafeInteger(content.errors)
    ) {
      return undefined;
    }
    return isContentOf(outdir, programContent(content.content))
      ? { time: content.time, errors: content.errors as number }
      : undefined;
  });
}

function programContent(value: unknown): ProgramContent {
  const text = (field: keyof ProgramContent): string | undefined => anyText(valueAt(value, field));
  return {
    output: text('output'),
    head: text('head'),
    files: textsAt(value, 'files'),
    program: text('program') ?? '',
  };
}
