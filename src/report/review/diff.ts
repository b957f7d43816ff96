import { compareAll, ReviewSide } from './compare';
import { changeJson, changeReport, markdownPart } from './render-review';
import { reviewPartsOf } from './review-parts';
import { Redactor } from '../../core/secret/redactor';
import { Block, line, toned } from '../../core/text/screen';
import { markdownCode } from '../../core/text/table';
import { ReadOptions } from '../../engine/files/find-files';
import { readInput } from '../../engine/read/read-input';
import { Change, EnvironmentChange } from '../changes/change';

/** The formats of a comparison of two outputs. */
export const DIFF_FORMATS = ['text', 'markdown', 'json'] as const;
export type DiffFormat = (typeof DIFF_FORMATS)[number];

/** What differs between two outputs. */
export interface Diff extends Change {
  /** The previous output. */
  readonly before: string;
  readonly after: string;
  /** Empty unless both contain several outputs. */
  readonly environments: readonly EnvironmentChange[];
}

/**
 * Compares two outputs, or two folders of manifests, without a repository, a program, or a cluster.
 *
 * @param before path of the previous output
 * @param after path of the new output
 * @returns what differs, in which no text is a secret
 */
export function diff(before: string, after: string, reading: ReadOptions = {}): Diff {
  const [was, is] = [before, after].map((folder): ReviewSide => ({
    outputs: [{ folder, outdir: folder }],
    input: readInput([folder], reading),
  }));
  const {
    unused: _,
    unfitBefore: __,
    ...change
  } = compareAll(was, is!, {
    ...reading,
    committed: [after],
  });
  const redactor = Redactor.of(
    [...was!.input.objects, ...is!.input.objects].map(({ manifest }) => manifest),
  );
  return JSON.parse(JSON.stringify({ before, after, ...change }), (___, value: unknown) =>
    typeof value === 'string' ? redactor.scrub(value) : value,
  ) as Diff;
}

/** Whether both outputs are for the same objects and clusters. */
export function isSame({ objects, targets }: Change): boolean {
  return objects.length + targets.length === 0;
}

/** What differs, for a terminal, a comment, or a program. */
export function printDiff(found: Diff, format: Exclude<DiffFormat, 'text'>): string;
export function printDiff(found: Diff, format: DiffFormat): string | readonly Block[];
export function printDiff(found: Diff, format: DiffFormat): string | readonly Block[] {
  const { before, after } = found;
  const { shown, untouched } = reviewPartsOf(found);
  switch (format) {
    case 'text':
      return [
        line([toned('title', `From ${before} to ${after}`)]),
        ...changeReport(shown, untouched, true),
      ];
    case 'markdown':
      return [
        `## From ${markdownCode(before)} to ${markdownCode(after)}`,
        ...shown.flatMap((part) => markdownPart(part, true)).map((lines) => lines.join('\n')),
      ].join('\n\n');
    case 'json':
      return changeJson(found, true);
  }
}
