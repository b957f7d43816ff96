import { Review, Stop } from './review';
import { isCounted, report } from '../../core/rule/report';
import { plainText } from '../../core/text/plain-text';
import { BLANK, Block, line, list, toned } from '../../core/text/screen';
import { markdownCode, markdownFence, markdownText } from '../../core/text/table';
import { MAX_LENGTH, sharesOf } from '../../engine/plan/render-plan';
import { NOTHING_LIMITED, printFits } from '../fits/fit-table';
import { impactReport } from '../impact/impact';

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

const SIDES = { base: 'the base', change: 'the change' } as const;

/** A review for a terminal, a comment, or a program. */
export function printReview(review: Review, format: Exclude<ReviewFormat, 'text'>): string;
export function printReview(review: Review, format: ReviewFormat): string | readonly Block[];
export function printReview(review: Review, format: ReviewFormat): string | readonly Block[] {
  switch (format) {
    case 'text':
      return textReview(review);
    case 'markdown':
      return markdownReview(review);
    case 'json':
      return jsonReview(review);
  }
}

/** What the review found, in one line. */
function verdict({ failures, stops }: Review): string {
  const reasons = [
    ...failures.map(({ side }) => `${SIDES[side]} cannot be compared`),
    ...stops.map((stop) => STOP_TEXTS[stop]),
  ];
  return reasons.length === 0 ? 'nothing to stop for' : reasons.join('; ');
}

function isComplete({ failures }: Review): boolean {
  return failures.length === 0;
}

/** What a change does to one environment, or to the only one. */
interface Part extends Pick<Review, 'findings' | 'known' | 'impacts' | 'fits'> {
  /** Undefined for the only one. */
  readonly name?: string;
}

/** The environments of a program; those that a change does not touch are named only. */
interface Parts {
  readonly shown: readonly Part[];
  readonly untouched: readonly string[];
}

/** The environments, and as the last one what belongs to none of them, if there is anything. */
function partsOf(review: Review): Parts {
  const { environments, findings, impacts, fits, known } = review;
  if (environments.length === 0) {
    return { shown: [{ findings, impacts, fits, known }], untouched: [] };
  }
  const ofEnvironment = (name: string | undefined): Omit<Part, 'known'> => {
    const isOwn = ({ environment }: { readonly environment?: string }): boolean =>
      (environment || undefined) === name;
    return {
      findings: findings.filter(isOwn),
      impacts: impacts.filter(isOwn),
      fits: fits.filter(isOwn),
    };
  };
  const named = environments.map((environment) => ({
    ...ofEnvironment(environment.name),
    ...environment,
  }));
  const knownOfNamed = named.reduce((sum, part) => sum + part.known, 0);
  const others = { ...ofEnvironment(undefined), name: OTHER_FILES, known: known - knownOfNamed };
  const touched = [...named, others].filter(isTouched);
  return {
    shown: touched,
    untouched: named.filter((part) => !isTouched(part)).map(({ name }) => name),
  };
}

const OTHER_FILES = 'files of no output';

function isTouched({ findings, impacts, fits }: Part): boolean {
  return findings.some(isCounted) || impacts.length + tight({ fits }).length > 0;
}

const UNTOUCHED = 'no finding is new, and no machine changes';

function hasChange({ failures }: Review): boolean {
  return !failures.some(({ side }) => side === 'change');
}

/** The rows that a reviewer must see. */
function tight({ fits }: Pick<Review, 'fits'>): Review['fits'] {
  return fits.filter((row) => row.fits !== 'yes');
}

function roomText(part: Part): string {
  const [all, less] = [part.fits.length, tight(part).length];
  return all === 0
    ? NOTHING_LIMITED
    : less === 0
      ? `all ${all} limits are kept`
      : `${less} of ${all} limits`;
}

/** e.g. `12 findings are as in the base` */
function knownText({ known }: Part): string[] {
  return known === 0
    ? []
    : [`${known} ${known === 1 ? 'finding is' : 'findings are'} as in the base`];
}

function textReview(review: Review): Block[] {
  const { program, base, head, failures, outputs, remarks, notes, stops } = review;
  const { shown, untouched } = partsOf(review);
  const section = (title: string, blocks: readonly Block[]): Block[] => [
    BLANK,
    line(toned('section', title)),
    ...blocks,
  ];
  const tone = failures.length + stops.length > 0 ? 'error' : 'good';
  return [
    line([
      toned('title', program === '.' ? 'Review' : `Review of ${program}`),
      ': ',
      toned(tone, verdict(review)),
    ]),
    line(`base    ${base.sha.slice(0, 9)} ${base.subject}`),
    line(`change  ${head.sha.slice(0, 9)} ${head.subject}`),
    ...failures.flatMap(({ side, reason }) =>
      section(`${SIDES[side]} cannot be compared`, linesOf(reason)),
    ),
    ...shown.flatMap((part) => [
      ...(isComplete(review)
        ? section(titleOf('Impact', part), impactReport(part.impacts, 'text'))
        : []),
      ...(hasChange(review)
        ? [
            ...section(titleOf('Findings', part), [
              ...blocksOf(report(part.findings, 'text')),
              ...knownText(part).map((text) => line(text)),
            ]),
            ...section(
              `${titleOf('Room', part)}: ${roomText(part)}`,
              tight(part).length === 0 ? [] : blocksOf(printFits(tight(part), 'text')),
            ),
          ]
        : []),
    ]),
    ...(untouched.length > 0 && isComplete(review)
      ? [BLANK, line(`${untouched.join(', ')}: ${UNTOUCHED}`)]
      : []),
    ...(hasChange(review)
      ? [
          ...outputs.flatMap(({ folder, differences, secrets }) =>
            section(`Committed output ${folder}: ${staleText({ differences, secrets })}`, [
              list(
                differences.map((each) => line(each, 2)),
                'differences',
                2,
              ),
              ...(differences.length === 0 ? [] : [line(STALE_FIX, 2)]),
            ]),
          ),
        ]
      : []),
    ...(remarks.length === 0
      ? []
      : section(
          'To correct',
          remarks.map((remark) => line(`- ${remark}`)),
        )),
    ...(notes.length === 0
      ? []
      : section(
          'Not judged here',
          notes.map((note) => line(`- ${note}`)),
        )),
  ];
}

function titleOf(title: string, { name }: Part): string {
  return name === undefined ? title : `${title} on ${name}`;
}

const STALE_FIX = 'Fix: synthesize the program, and commit its output';

function staleText({
  differences,
  secrets,
}: Pick<Review['outputs'][number], 'differences' | 'secrets'>): string {
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

/** A part of a comment, of which lines at the end may be left out. */
type Section = readonly string[];

/**
 * The first line of a comment, by which the next run finds it: hidden, and the same for every run
 * of a program.
 */
function marker({ program }: Review): string {
  return `<!-- cdk8s-harvester review: ${encodeURIComponent(program).replace(/-/g, '%2D')} -->`;
}

function markdownReview(review: Review): string {
  const { program, base, head, failures, outputs, remarks, notes } = review;
  const { shown, untouched } = partsOf(review);
  const icon = failures.length + review.stops.length > 0 ? '❌' : '✅';
  const name = program === '.' ? '' : ` of ${markdownCode(program)}`;
  const commit = ({ sha, subject }: Review['base']): string =>
    `${sha.slice(0, 9)} (${prose(subject)})`;
  const sections: Section[] = [
    ...failures.map(({ side, reason }): Section => [
      `### ${capital(SIDES[side])} cannot be compared`,
      '',
      ...fenced(reason),
    ]),
    ...shown.flatMap((part): Section[] => [
      ...(part.name === undefined ? [] : [[`## ${markdownCode(part.name)}`]]),
      ...(isComplete(review) ? [lines(impactReport(part.impacts, 'markdown'))] : []),
      ...(hasChange(review)
        ? [
            [
              ...lines(report(part.findings, 'markdown')),
              ...knownText(part).flatMap((text) => ['', `${capital(text)}.`]),
            ],
            [
              `### Room: ${roomText(part)}`,
              ...(tight(part).length === 0
                ? []
                : ['', ...lines(printFits(tight(part), 'markdown'))]),
            ],
          ]
        : []),
    ]),
    ...(untouched.length > 0 && isComplete(review)
      ? [[`${untouched.map(markdownCode).join(', ')}: ${UNTOUCHED}.`]]
      : []),
    ...(hasChange(review)
      ? [
          ...outputs.map((output): Section => [
            `### Committed output ${markdownCode(output.folder)}: ${staleText(output)}`,
            ...(output.differences.length === 0
              ? []
              : ['', ...output.differences.map((each) => `- ${prose(each)}`), '', STALE_FIX]),
          ]),
        ]
      : []),
    ...(remarks.length === 0
      ? []
      : [['### To correct', '', ...remarks.map((remark) => `- ${prose(remark)}`)]]),
    ...(notes.length === 0
      ? []
      : [['### Not judged here', '', ...notes.map((note) => `- ${prose(note)}`)]]),
  ];
  const first = [
    marker(review),
    `## ${icon} Review${name}: ${verdict(review)}`,
    `Compares ${commit(head)} with ${commit(base)}.`,
  ].join('\n\n');
  const shares = sharesOf(
    sections.map((section) => section.join('\n').length + 2),
    MAX_LENGTH - first.length - 2,
  );
  return [first, ...sections.map((section, index) => shortened(section, shares[index]))].join(
    '\n\n',
  );
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

/** A sentence in Markdown, which notifies no one. */
function prose(text: string): string {
  return markdownText(plainText(text)).replace(/@/g, '@<!-- -->');
}

function capital(text: string): string {
  return `${text[0].toUpperCase()}${text.slice(1)}`;
}

/** The parts are as the commands print them: every field is always there. */
function jsonReview(review: Review): string {
  const { findings, impacts, fits, ...others } = review;
  const part = (text: string): object => JSON.parse(text) as object;
  return JSON.stringify(
    {
      schemaVersion: '1',
      ...others,
      ...part(report(findings, 'json')),
      impact: isComplete(review) ? part(impactReport(impacts, 'json')) : null,
      fits: part(printFits(fits, 'json')),
    },
    undefined,
    2,
  );
}
