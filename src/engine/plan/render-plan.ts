import {
  countText,
  forceOption,
  isProblem,
  labelOf,
  lossText,
  outcomeOf,
  Plan,
  PlanAction,
  PlanOutcome,
  PlanStep,
  PlanTarget,
  RemovalStep,
  valueText,
} from './plan';
import { plainText } from '../../core/text/plain-text';
import {
  BLANK,
  Block,
  PLAIN,
  Tone,
  line as textLine,
  list,
  pinned,
  render,
  toned,
} from '../../core/text/screen';
import { markdownFence } from '../../core/text/table';
import { grouped } from '../../core/text/values';
import { adoptHint } from '../fields/managed-fields';

/** The kind of a line of a plan: it decides the color. */
type LineTone = 'title' | 'add' | 'change' | 'remove' | 'problem' | 'quiet' | 'plain';

/** One line of a plan, indented by `depth` spaces. */
interface PlanLine {
  readonly tone: LineTone;
  readonly depth: number;
  readonly text: string;
  /** Why, after the text. */
  readonly note?: string;
}

const SIGNS: { readonly [action in PlanAction]: readonly [sign: string, tone: LineTone] } = {
  create: ['+', 'add'],
  update: ['~', 'change'],
  unknown: ['?', 'change'],
  reset: ['0', 'remove'],
  prune: ['-', 'remove'],
  keep: ['=', 'quiet'],
  unchanged: [' ', 'quiet'],
};

/** Options of `planText`. */
interface RenderOptions {
  /** Print steps without a change, too. @default false */
  readonly all?: boolean;
}

/**
 * The steps that are printed: a live value may win over the program without a change, or remain
 * although the program no longer sets it.
 */
function shownSteps(steps: readonly PlanStep[], options: RenderOptions = {}): PlanStep[] {
  return steps.filter(
    ({ action, reason, warnings = [] }) =>
      options.all || action !== 'unchanged' || reason !== undefined || warnings.length > 0,
  );
}

/** The lines of one cluster's steps, in the order of the apply. */
function targetLines(target: PlanTarget, steps: readonly PlanStep[]): PlanLine[] {
  return [...shownSteps(steps).flatMap((step) => stepLines(step)), ...absentLines(target)];
}

function absentLines({ absent }: PlanTarget): PlanLine[] {
  return absent ? [{ tone: 'quiet', depth: 0, text: plainText(absent) }] : [];
}

/** The title of a target: `rancher (context prod, 2.13.8)`. */
function targetTitle(target: PlanTarget): string {
  return plainText(`${target.name}${titleEnd(target)}`);
}

function titleEnd({ by, version }: PlanTarget): string {
  return ` (${by}${version ? `, ${version}` : ''})`;
}

/** The steps of one target. */
function stepsOf(plan: Plan, target: PlanTarget): PlanStep[] {
  return plan.steps.filter((step) => step.target === target.name);
}

/**
 * The machines of guest clusters that are replaced or deleted, or may be; apply prints the same
 * before it begins.
 */
function rollLines({ rolls }: Plan): PlanLine[] {
  return rolls.map((loss) => ({ tone: 'remove', depth: 0, text: plainText(lossText(loss)) }));
}

/** Why an apply would not begin. */
function problemLinesOf(lines: readonly string[] = []): PlanLine[] {
  return lines.map((line) => ({ tone: 'problem', depth: 0, text: plainText(`! ${line}`) }));
}

/** Targets that the program no longer declares. */
function noteLines({ notes = [] }: Plan): PlanLine[] {
  return notes.map((line) => ({ tone: 'change', depth: 0, text: plainText(line) }));
}

/** The lines of a step. */
function stepLines(step: PlanStep): PlanLine[] {
  const below = (of: LineTone, text: string): PlanLine => ({
    tone: of,
    depth: 2,
    text: plainText(text),
  });
  return [
    headOf(step),
    ...step.changes.map((change): PlanLine => {
      const path = plainText(change.path);
      if (!('before' in change)) {
        return { tone: 'add', depth: 2, text: `+ ${path}: ${valueText(change.after)}` };
      }
      if (!('after' in change)) {
        return { tone: 'remove', depth: 2, text: `- ${path}: ${valueText(change.before)}` };
      }
      return {
        tone: 'change',
        depth: 2,
        text: `~ ${path}: ${valueText(change.before)} -> ${valueText(change.after)}`,
      };
    }),
    ...step.waitsFor.map((id) => below('quiet', `waits for late value ${id} (known after apply)`)),
    ...(step.forces ?? []).map(({ field, manager }) =>
      below('change', `! ${field} is taken from ${manager}`),
    ),
    ...(step.warnings ?? []).map((text) => below('change', `! warning: ${text}`)),
    ...problemLines(step).map((line) => ({ ...line, depth: 2 })),
  ];
}

/** Why an apply would fail at a step, and the fix. */
function problemLines({ id, conflicts, refused }: PlanStep): PlanLine[] {
  const line = (tone: LineTone, text: string): PlanLine => ({
    tone,
    depth: 0,
    text: plainText(text),
  });
  return [
    ...conflicts.map(({ field, manager }) => line('problem', `! ${field} is owned by ${manager}`)),
    ...(conflicts.length > 0
      ? [
          line(
            'plain',
            `Fix: remove it from the program, or take it with ${forceOption(id)}${adoptHint(conflicts)}`,
          ),
        ]
      : []),
    ...(refused
      ? [
          line('problem', `! refused: ${refused}`),
          ...(conflicts.length > 0 ? [] : [line('quiet', `id: ${id}`)]),
        ]
      : []),
  ];
}

/** The first line of a step. */
function headOf(step: RemovalStep): PlanLine {
  const [sign, tone] = SIGNS[step.action];
  return {
    tone,
    depth: 0,
    text: `${sign} ${labelOf(step)}`,
    ...(step.reason ? { note: `  (${plainText(step.reason)})` } : {}),
  };
}

const TONES: { readonly [tone in LineTone]?: Tone } = {
  title: 'title',
  add: 'add',
  change: 'change',
  remove: 'remove',
  problem: 'error',
  quiet: 'quiet',
};

const OUTCOME_TONES: { readonly [outcome in PlanOutcome]: Tone } = {
  nothing: 'good',
  changes: 'change',
  problems: 'error',
};

/** A plan as text, complete and without colors. */
export function planText(plan: Plan, options: RenderOptions = {}): string {
  return render(planBlocks(plan, options), PLAIN);
}

function printLine({ tone, depth, text, note = '' }: PlanLine): Block {
  const color = TONES[tone];
  return textLine(
    [color === undefined ? text : toned(color, text), toned('quiet', note)],
    depth + 2,
  );
}

/** The objects of a destroy, by cluster. */
export function removalBlocks(steps: readonly RemovalStep[]): Block[] {
  return [...grouped(steps, ({ target }) => target)].flatMap(([target, own]) => [
    textLine(toned('title', target)),
    ...own.map((step) => printLine(headOf(step))),
  ]);
}

/**
 * A plan for a screen: a terminal shows the first steps of each cluster, and all that delete
 * something or would fail.
 */
export function planBlocks(plan: Plan, options: RenderOptions = {}): Block[] {
  const clusters = plan.targets.flatMap((target) => {
    const steps = shownSteps(stepsOf(plan, target), options).map((step) => {
      const blocks = stepLines(step).map(printLine);
      return isFoldable(step) ? blocks : pinned(blocks);
    });
    const absent = absentLines(target).map(printLine);
    const nothing =
      steps.length + absent.length > 0 ? [] : [textLine(toned('quiet', 'no changes'), 2)];
    return [
      textLine([toned('title', target.name), titleEnd(target)]),
      list(steps, 'steps', 2),
      ...absent,
      ...nothing,
      BLANK,
    ];
  });
  const others = [
    ['machines of guest clusters', rollLines(plan)],
    ['targets that the program no longer declares', noteLines(plan)],
    ['why an apply would not begin', problemLinesOf(plan.problems)],
    ['missing permissions', problemLinesOf(plan.missingRights)],
  ] as const;
  const sections = others.flatMap(([title, lines]) =>
    lines.length > 0 ? [textLine(toned('title', title)), ...lines.map(printLine), BLANK] : [],
  );
  return [
    ...clusters,
    ...sections,
    textLine([
      toned('title', 'plan'),
      ': ',
      toned(OUTCOME_TONES[outcomeOf(plan)], countText(plan.steps)),
    ]),
  ];
}

/** Whether a terminal may leave out a step: nothing is lost, and nothing is wrong. */
function isFoldable(step: PlanStep): boolean {
  const { action, forces = [], warnings = [] } = step;
  return (
    ['create', 'update', 'unchanged'].includes(action) &&
    !isProblem(step) &&
    forces.length + warnings.length === 0
  );
}

/** A comment on GitHub may have 65,536 characters. */
export const MAX_LENGTH = 60_000;

/** Characters for each part of the summary; the clusters get the rest. */
const MAX_SUMMARY = 9_000;

/** Longer lines are cut. */
const MAX_LINE = 1_000;

/**
 * Characters of a section besides its title and lines: tags, fences and the note about lines that
 * are left out.
 */
const AROUND = 400;

/** `diff` blocks color a line by its first character. */
const MARKS: { readonly [tone in LineTone]: string } = {
  title: ' ',
  add: '+',
  change: '!',
  remove: '-',
  problem: '-',
  quiet: ' ',
  plain: ' ',
};

/** A section and its lines, each with its cluster. */
interface Section {
  readonly title: string;
  readonly lines: readonly (PlanLine & { readonly target: string })[];
  readonly open?: boolean;
}

/**
 * A plan as Markdown for a pull request: first deletions and problems, then a folded section per
 * cluster.
 */
export function planMarkdown(plan: Plan): string {
  const heading = {
    nothing: 'Plan: no changes',
    changes: 'Plan',
    problems: 'Plan: an apply would fail',
  }[outcomeOf(plan)];
  const parts = [
    `### ${heading}`,
    escapeHtml(countText(plan.steps)),
    ...summaryOf(plan).map((part) => rendered(part, MAX_SUMMARY)),
  ];
  const sections = plan.targets.map((target): Section => {
    const steps = stepsOf(plan, target);
    return {
      title: `${targetTitle(target)}: ${countText(steps)}`,
      lines: targetLines(target, steps).map((line) => ({ ...line, target: target.name })),
    };
  });
  let left = MAX_LENGTH - parts.join('\n\n').length;
  const shares = sharesOf(sections.map(sizeOf), left);
  for (const [index, section] of sections.entries()) {
    const text = rendered(section, shares[index]);
    left -= text.length + 2;
    // hundreds of clusters: not even their titles fit
    if (left < 0) {
      parts.push(
        `${sections.length - index} of ${sections.length} clusters are left out; see the text of the plan.`,
      );
      break;
    }
    parts.push(text);
  }
  return parts.join('\n\n');
}

/** The sections that a reviewer must see, of all clusters. */
function summaryOf(plan: Plan): Section[] {
  const of = (
    steps: readonly PlanStep[],
    linesOf: (step: PlanStep) => readonly PlanLine[],
  ): Section['lines'] =>
    steps.flatMap((step) => linesOf(step).map((line) => ({ ...line, target: step.target })));
  const named = (step: PlanStep): PlanLine => {
    const head = headOf(step);
    return { ...head, note: `${head.note ?? ''}  on ${step.target}` };
  };
  const parts: Section[] = [
    {
      title: 'why an apply would not begin',
      lines: problemLinesOf(plan.problems).map((line) => ({ ...line, target: '' })),
    },
    {
      title: 'targets that the program no longer declares',
      lines: noteLines(plan).map((line) => ({ ...line, target: '' })),
    },
    {
      title: 'missing permissions',
      lines: problemLinesOf(plan.missingRights).map((line) => ({ ...line, target: '' })),
    },
    {
      title: 'an apply would fail at',
      lines: of(plan.steps.filter(isProblem), (step) => [
        { ...named(step), tone: 'problem' },
        ...problemLines(step).map((line) => ({ ...line, depth: 2 })),
      ]),
    },
    {
      title: 'machines of guest clusters that are replaced or deleted, or may be',
      lines: rollLines(plan).map((line, index) => ({ ...line, target: plan.rolls[index].target })),
    },
    {
      title: 'deleted and reset',
      lines: of(
        plan.steps.filter((step) => ['prune', 'reset'].includes(step.action) && !isProblem(step)),
        (step) => [named(step)],
      ),
    },
  ];
  return parts.filter(({ lines }) => lines.length > 0).map((part) => ({ ...part, open: true }));
}

/** Divides a total: small sizes get what they need, large ones get equal shares. */
export function sharesOf(sizes: readonly number[], total: number): number[] {
  const shares = sizes.map(() => 0);
  let left = total;
  const order = sizes.map((_, index) => index).sort((a, b) => sizes[a] - sizes[b]);
  order.forEach((index, done) => {
    shares[index] = Math.min(sizes[index], Math.floor(left / (order.length - done)));
    left -= shares[index];
  });
  return shares;
}

function sizeOf({ title, lines }: Section): number {
  return lines.reduce(
    (sum, line) => sum + textOf(line).length + 1,
    escapeHtml(title).length + AROUND,
  );
}

function textOf({ tone, depth, text, note = '' }: PlanLine): string {
  const line = `${MARKS[tone]} ${' '.repeat(depth)}${text}${note}`;
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE)}…`;
}

/** A section of at most `length` characters: lines at its end are left out and counted. */
function rendered({ title, lines, open = false }: Section, length: number): string {
  const summary = `<summary>${escapeHtml(title)}</summary>`;
  if (lines.length === 0) {
    return `<details>\n${summary}\n\nNo changes.\n\n</details>`;
  }
  let left = length - AROUND - escapeHtml(title).length;
  const texts = lines.map(textOf);
  const end = texts.findIndex((text) => (left -= text.length + 1) < 0);
  const shown = end < 0 ? texts : texts.slice(0, end);
  const body = shown.length > 0 ? `${block(shown.join('\n'))}\n\n` : '';
  return `<details${open ? ' open' : ''}>\n${summary}\n\n${body}${end < 0 ? '' : `${leftOut(lines.slice(end))}\n\n`}</details>`;
}

function block(text: string): string {
  // longer than any fence within a value
  const fence = markdownFence(text, 3);
  return `${fence}diff\n${text}\n${fence}`;
}

const MAX_NAMES = 4;

/** `12 more lines are left out: 10 of rancher, 2 of dc1; see the text of the plan.` */
function leftOut(lines: Section['lines']): string {
  const counts = new Map<string, number>();
  for (const { target } of lines) {
    counts.set(target, (counts.get(target) ?? 0) + 1);
  }
  const named = [...counts]
    .filter(([target]) => target !== '')
    .map(([target, count]) => `${count} of ${escapeHtml(target)}`);
  const more = named.length > MAX_NAMES ? [`others of ${named.length - MAX_NAMES} more`] : [];
  const which = named.length > 0 ? `: ${[...named.slice(0, MAX_NAMES), ...more].join(', ')}` : '';
  return `${lines.length} more ${lines.length === 1 ? 'line is' : 'lines are'} left out${which}; see the text of the plan.`;
}

// also the characters of Markdown's links, mentions and images
function escapeHtml(text: string): string {
  return text.replace(/[&<>"'@#[\]()*_`!|~\\]/g, (character) => `&#${character.charCodeAt(0)};`);
}
