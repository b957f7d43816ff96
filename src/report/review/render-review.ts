import { LibraryVersions } from './library-versions';
import { FoundReview, ReviewedOutput, Stop } from './review';
import { ReviewPart, UNTOUCHED, reviewHeadLines, reviewPartsOf, shownOnce } from './review-parts';
import { isCounted, reportFindings } from '../../core/rule/report';
import { plainText } from '../../core/text/plain-text';
import { BLANK, Block, line, list, toned } from '../../core/text/screen';
import { markdownCode, markdownFence, markdownProse } from '../../core/text/table';
import { MAX_LENGTH, sharesOf } from '../../engine/plan/render-plan';
import { Change } from '../changes/change';
import { isRefused } from '../changes/change-findings';
import { Section, accessSection, changeSections } from '../changes/markdown-changes';
import { accessBlocks, changeBlocks } from '../changes/print-changes';
import { printFits } from '../fits/fit-table';
import { impactReport } from '../impact/print-impact';

/** The formats of a review. */
export const REVIEW_FORMATS = ['text', 'markdown', 'json'] as const;
export type ReviewFormat = (typeof REVIEW_FORMATS)[number];

const STOP_TEXTS: { readonly [stop in Stop]: string } = {
  errors: 'errors',
  warnings: 'warnings',
  losses: 'machines or data are, or may be, lost',
  unfit: 'machines or load balancers do not fit',
  stale: 'the committed output is not what the program writes',
};

/** Columns of the first words of a report. */
const LABEL = 10;

const SIDES = { base: 'the base', change: 'the change' } as const;

/** A review for a terminal, a comment, or a program. */
export function printReview(review: FoundReview, format: Exclude<ReviewFormat, 'text'>): string;
export function printReview(review: FoundReview, format: ReviewFormat): string | readonly Block[];
export function printReview(review: FoundReview, format: ReviewFormat): string | readonly Block[] {
  switch (format) {
    case 'text':
      return textReview(review);
    case 'markdown':
      return markdownReview(review);
    case 'json':
      return changeJson(review, isComplete(review));
  }
}

/** What the review found, in one line. */
function verdict({ failures, stops }: FoundReview): string {
  const reasons = [
    ...failures.map(({ side }) => `${SIDES[side]} cannot be compared`),
    ...stops.map((stop) => STOP_TEXTS[stop]),
  ];
  return reasons.length === 0 ? 'nothing to stop for' : reasons.join('; ');
}

/** The cause of what changes, where another version of the library may write it otherwise. */
function libraryText({ before, after, isOnlyChange }: LibraryVersions): string {
  const cause = isOnlyChange
    ? 'the program is the same, so the new version writes all that changes'
    : 'what changes may come from the program or from the new version';
  return `cdk8s-harvester ${before} → ${after}: ${cause}. The changelog has the reasons`;
}

function isComplete({ failures }: FoundReview): boolean {
  return failures.length === 0;
}

function textReview(review: FoundReview): Block[] {
  const { program, base, head, failures, outputs, remarks, notes, stops } = review;
  const { shown, untouched } = reviewPartsOf(review);
  const tone = failures.length + stops.length > 0 ? 'error' : 'good';
  return [
    line([
      toned('title', program === '.' ? 'Review' : `Review of ${program}`),
      ': ',
      toned(tone, verdict(review)),
    ]),
    line(`base    ${base.sha.slice(0, 9)} ${base.subject}`),
    line(`change  ${head.sha.slice(0, 9)} ${head.subject}`),
    ...(review.library ? [line(`library ${libraryText(review.library)}`)] : []),
    ...failures.flatMap(({ side, reason }) =>
      titled(`${SIDES[side]} cannot be compared`, linesOf(reason)),
    ),
    ...(hasChange(review) ? changeReport(shown, untouched, isComplete(review)) : []),
    ...outputs.flatMap((output) => outputBlocks(output, isRefused(review.findings))),
    ...bulletBlocks('To correct', remarks),
    ...bulletBlocks('Not judged here', notes),
  ];
}

/** How a committed output differs from what the program writes; nothing if it does not. */
function outputBlocks(
  { folder, differences, secrets }: ReviewedOutput,
  isWithErrors: boolean,
): Block[] {
  if (differences.length + secrets === 0) {
    return [];
  }
  if (differences.length > 0 && isWithErrors) {
    return [BLANK, line([toned('section', `Committed output ${folder}`), `: ${REFUSED}`])];
  }
  const shown = differences.map((each) => line(each, 2));
  return titled(`Committed output ${folder}: ${staleText({ differences, secrets })}`, [
    list(shown, 'differences', 2),
    ...(differences.length === 0 ? [] : [line(STALE_FIX, 2)]),
  ]);
}

/** A section with a line for each text; nothing without any. */
function bulletBlocks(title: string, texts: readonly string[]): Block[] {
  const bullets = texts.map((text) => line(`- ${text}`));
  return bullets.length === 0 ? [] : titled(title, bullets);
}

function titled(title: string, blocks: readonly Block[]): Block[] {
  return [BLANK, line(toned('section', title)), ...blocks];
}

/** What a change does, for a screen: the facts that a reviewer needs first, then all of it. */
export function changeReport(
  shown: readonly ReviewPart[],
  untouched: readonly string[],
  isCompared: boolean,
): Block[] {
  return [
    ...shown.flatMap((part) => textPart(part, isCompared)),
    ...(untouched.length > 0 && isCompared
      ? [BLANK, line(`${untouched.join(', ')}: ${UNTOUCHED}`)]
      : []),
  ];
}

function textPart(part: ReviewPart, isCompared: boolean): Block[] {
  const { impacts, findings, fits } = shownOnce(part);
  const sections: readonly (readonly [title: string, blocks: readonly Block[]])[] = [
    ['Impact', impacts.length === 0 ? [] : impactReport(impacts, 'text')],
    ['Changes', isCompared ? changeBlocks(part) : []],
    ['Access', part.access.length === 0 ? [] : accessBlocks(part.access)],
    ['Findings', findings.some(isCounted) ? blocksOf(reportFindings(findings, 'text')) : []],
    ['Room', fits.length === 0 ? [] : blocksOf(printFits(fits, 'text'))],
  ];
  return [
    BLANK,
    ...(part.name === undefined ? [] : [line(toned('section', part.name))]),
    ...reviewHeadLines(part, isCompared).map(({ label, text, tone }) =>
      line([toned('title', label.padEnd(LABEL)), tone ? toned(tone, text) : text], 0, LABEL),
    ),
    ...sections
      .filter(([, blocks]) => blocks.length > 0)
      .flatMap(([title, blocks]) => titled(titleOf(title, part), blocks)),
  ];
}

function hasChange({ failures }: FoundReview): boolean {
  return !failures.some(({ side }) => side === 'change');
}

function titleOf(title: string, { name }: ReviewPart): string {
  return name === undefined ? title : `${title} on ${name}`;
}

/** What becomes of the committed output while objects leave without consent. */
const REFUSED = 'synthesis does not write it until the errors above are resolved';

const STALE_FIX = 'Fix: synthesize the program, and commit its output';

function staleText({
  differences,
  secrets,
}: Pick<FoundReview['outputs'][number], 'differences' | 'secrets'>): string {
  const values =
    secrets === 0
      ? ''
      : `; the secrets of ${secrets} ${secrets === 1 ? 'object' : 'objects'} are not compared`;
  return `${differences.length === 0 ? 'is what the program writes' : `${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}`}${values}`;
}

/** The blocks of a report, which may be a text. */
function blocksOf(result: string | readonly Block[]): readonly Block[] {
  return typeof result === 'string' ? linesOf(result) : result;
}

function linesOf(text: string): Block[] {
  return text
    .split('\n')
    .map((each) => line(each.trimStart(), each.length - each.trimStart().length));
}

/**
 * The first line of a comment, by which the next run finds it: hidden, and the same for every run
 * of a program.
 */
function marker({ program }: FoundReview): string {
  return `<!-- cdk8s-harvester review: ${encodeURIComponent(program).replace(/-/g, '%2D')} -->`;
}

function markdownReview(review: FoundReview): string {
  const { program, base, head, failures, outputs, remarks, notes } = review;
  const { shown, untouched } = reviewPartsOf(review);
  const icon = failures.length + review.stops.length > 0 ? '❌' : '✅';
  const name = program === '.' ? '' : ` of ${markdownCode(program)}`;
  const commit = ({ sha, subject }: FoundReview['base']): string =>
    `${sha.slice(0, 9)} (${markdownProse(subject)})`;
  const sections: Section[] = [
    ...failures.map(({ side, reason }): Section => [
      `### ${capital(SIDES[side])} cannot be compared`,
      '',
      ...fenced(reason),
    ]),
    ...(hasChange(review) ? shown.flatMap((part) => markdownPart(part, isComplete(review))) : []),
    ...(untouched.length > 0 && isComplete(review)
      ? [[`${untouched.map(markdownCode).join(', ')}: ${UNTOUCHED}.`]]
      : []),
    ...outputs
      .filter(({ differences, secrets }) => differences.length + secrets > 0)
      .map((output): Section => {
        const title = `### Committed output ${markdownCode(output.folder)}: `;
        if (output.differences.length > 0 && isRefused(review.findings)) {
          return [`${title}${REFUSED}`];
        }
        const differences = output.differences.map((each) => `- ${markdownProse(each)}`);
        return [
          `${title}${staleText(output)}`,
          ...(differences.length === 0 ? [] : ['', ...differences, '', STALE_FIX]),
        ];
      }),
    ...(remarks.length === 0
      ? []
      : [['### To correct', '', ...remarks.map((remark) => `- ${markdownProse(remark)}`)]]),
    ...(notes.length === 0
      ? []
      : [['### Not judged here', '', ...notes.map((note) => `- ${markdownProse(note)}`)]]),
  ];
  const first = [
    marker(review),
    `## ${icon} Review${name}: ${verdict(review)}`,
    `Compares ${commit(head)} with ${commit(base)}.`,
    ...(review.library ? [`Library: ${libraryText(review.library)}.`] : []),
  ].join('\n\n');
  const shares = sharesOf(
    sections.map((section) => section.join('\n').length + 2),
    MAX_LENGTH - first.length - 2,
  );
  return [first, ...sections.map((section, index) => shortened(section, shares[index]))].join(
    '\n\n',
  );
}

/** What a change does, as sections of a comment. */
export function markdownPart(part: ReviewPart, isCompared: boolean): Section[] {
  const { impacts, findings, fits } = shownOnce(part);
  const head = reviewHeadLines(part, isCompared).map(
    ({ label, text }) => `- **${label}:** ${markdownProse(text)}`,
  );
  return [
    ...(part.name === undefined ? [] : [[`## ${markdownCode(part.name)}`]]),
    head,
    ...(impacts.length === 0 ? [] : [lines(impactReport(impacts, 'markdown'))]),
    ...(isCompared ? changeSections(part) : []),
    ...(isCompared ? pictureSection(part) : []),
    ...(part.access.length === 0 ? [] : [accessSection(part.access)]),
    ...(findings.some(isCounted) ? [lines(reportFindings(findings, 'markdown'))] : []),
    ...(fits.length === 0 ? [] : [['### Room', '', ...lines(printFits(fits, 'markdown'))]]),
  ];
}

/** What changes, for servers that draw Mermaid, as GitHub and GitLab do. */
function pictureSection({ picture }: ReviewPart): Section[] {
  if (picture === undefined) {
    return [];
  }
  return [
    [
      '<details><summary>Picture of what changes</summary>',
      '',
      '```mermaid',
      ...lines(picture),
      '```',
      '',
      '</details>',
    ],
  ];
}

/** Characters for what closes a section, and for the number of lines that are left out. */
const AROUND = 200;

/** A section of at most `length` characters. */
function shortened(section: Section, length: number): string {
  if (section.join('\n').length + 2 <= length) {
    return section.join('\n');
  }
  let left = length - AROUND;
  const end = section.findIndex((text) => (left -= text.length + 1) < 0);
  const shown = section.slice(0, Math.max(0, end));
  const fences = shown.filter((text) => /^`{3,}$/.test(text));
  const open = (tag: string): number =>
    shown.reduce((count, text) => count + text.split(tag).length - 1, 0);
  const more = section.length - shown.length;
  return [
    ...shown,
    ...(fences.length % 2 === 1 ? [fences[0]] : []),
    ...Array<string>(open('<details>') - open('</details>')).fill('\n</details>'),
    '',
    `${more} more ${more === 1 ? 'line is' : 'lines are'} left out; \`cdk8s-harvester review --output text\` prints them.`,
  ].join('\n');
}

function lines(text: string): string[] {
  return text.split('\n');
}

function fenced(text: string): string[] {
  const fence = markdownFence(text, 3);
  return [fence, ...lines(text).map(plainText), fence];
}

function capital(text: string): string {
  return `${text[0].toUpperCase()}${text.slice(1)}`;
}

/**
 * A change with what else is known of it. The parts are as the commands print them: every field is
 * always there.
 *
 * @param isCompared whether both sides were compared
 */
export function changeJson<T extends Change & Pick<FoundReview, 'environments'>>(
  found: T,
  isCompared: boolean,
): string {
  // the picture is for comments
  const { findings, impacts, fits, environments, picture: _, ...others } = found;
  const part = (text: string): object => JSON.parse(text) as object;
  return JSON.stringify(
    {
      schemaVersion: '1',
      ...others,
      environments: environments.map(({ name, known }) => ({ name, known })),
      ...part(reportFindings(findings, 'json')),
      impact: isCompared ? part(impactReport(impacts, 'json')) : null,
      fits: part(printFits(fits, 'json')),
    },
    undefined,
    2,
  );
}
