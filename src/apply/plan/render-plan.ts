import { forceOption } from './forced';
import { Plan, PlanAction, PlanStep, PlanTarget } from './plan';
import { countText, labelOf, plainText, valueText } from './plan-summary';
import { adoptHint } from '../managed-fields/words';
import { lossText } from '../run/machine-loss';

/** What a line of a plan is about, for its colour. */
export type LineTone = 'title' | 'add' | 'change' | 'remove' | 'problem' | 'quiet' | 'plain';

/** One line of a plan: `depth` steps to the right. */
export interface PlanLine {
  readonly tone: LineTone;
  readonly depth: number;
  readonly text: string;
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

export interface RenderOptions {
  /** Steps without a change, too. @default false */
  readonly all?: boolean;
}

/** The steps of one cluster, in the order that an apply would do them. */
export function targetLines(target: PlanTarget, steps: readonly PlanStep[], options: RenderOptions = {}): PlanLine[] {
  return steps.filter(({ action }) => options.all || action !== 'unchanged').flatMap((step) => stepLines(step, 0))
    .concat(target.absent ? [{ tone: 'quiet', depth: 0, text: plainText(target.absent) }] : []);
}

/** `rancher (context prod, 2.13.8)`. */
export function targetTitle({ name, by, version }: PlanTarget): string {
  return plainText(`${name} (${by}${version ? `, ${version}` : ''})`);
}

export function stepsOf(plan: Plan, target: PlanTarget): PlanStep[] {
  return plan.steps.filter((step) => step.target === target.name);
}

/** The machines of guest clusters that go, or may go; the same as an apply tells before it begins. */
export function rollLines({ rolls }: Plan): PlanLine[] {
  return rolls.map((loss) => ({ tone: 'remove', depth: 0, text: plainText(lossText(loss)) }));
}

/** Why an apply would not begin. */
export function refusalLines({ problems = [] }: Plan): PlanLine[] {
  return problems.map((line) => ({ tone: 'problem', depth: 0, text: plainText(`! ${line}`) }));
}

/** Targets that the program does not have any more. */
export function noteLines({ notes = [] }: Plan): PlanLine[] {
  return notes.map((line) => ({ tone: 'change', depth: 0, text: plainText(line) }));
}

/** The rights that the identity lacks. */
export function rightsLines({ missingRights = [] }: Plan): PlanLine[] {
  return missingRights.map((line) => ({ tone: 'problem', depth: 0, text: plainText(`! ${line}`) }));
}

function stepLines(step: PlanStep, depth: number): PlanLine[] {
  const below = (of: LineTone, text: string): PlanLine => ({ tone: of, depth: depth + 2, text: plainText(text) });
  return [
    { ...headOf(step), depth },
    ...step.changes.map((change): PlanLine => {
      const path = plainText(change.path);
      if (!('before' in change)) { return { tone: 'add', depth: depth + 2, text: `+ ${path}: ${valueText(change.after)}` }; }
      if (!('after' in change)) { return { tone: 'remove', depth: depth + 2, text: `- ${path}: ${valueText(change.before)}` }; }
      return { tone: 'change', depth: depth + 2, text: `~ ${path}: ${valueText(change.before)} -> ${valueText(change.after)}` };
    }),
    ...step.waitsFor.map((id) => below('quiet', `waits for late value ${id} (known after apply)`)),
    ...(step.forces ?? []).map(({ field, manager }) => below('change', `! ${field} is taken from ${manager}`)),
    ...(step.warnings ?? []).map((text) => below('change', `! warning: ${text}`)),
    ...problemLines(step).map((line) => ({ ...line, depth: depth + 2 })),
  ];
}

/** Why an apply would end at a step, and what to do about it. */
export function problemLines({ id, conflicts, refused }: PlanStep): PlanLine[] {
  const line = (tone: LineTone, text: string): PlanLine => ({ tone, depth: 0, text: plainText(text) });
  return [
    ...conflicts.map(({ field, manager }) => line('problem', `! ${field} is ${manager}'s`)),
    ...(conflicts.length > 0 ? [line('plain', `leave it out of the program, or take it by ${forceOption(id)}${adoptHint(conflicts)}`)] : []),
    ...(refused ? [line('problem', `! refused: ${refused}`), ...(conflicts.length > 0 ? [] : [line('quiet', `id: ${id}`)])] : []),
  ];
}

/** The line that names a step. */
export function headOf(step: PlanStep): PlanLine {
  const [sign, tone] = SIGNS[step.action];
  return { tone, depth: 0, text: `${sign} ${labelOf(step)}${step.reason ? `  (${plainText(step.reason)})` : ''}` };
}

/** How a line is coloured; as it is where the output is no terminal. */
export type Paint = (tone: LineTone, text: string) => string;

/** A plan for people at a terminal. */
export function planText(plan: Plan, paint: Paint = (_, text) => text, options: RenderOptions = {}): string {
  const print = ({ tone, depth, text }: PlanLine): string => `${' '.repeat(depth + 2)}${paint(tone, text)}`;
  const clusters = plan.targets.flatMap((target) => {
    const steps = stepsOf(plan, target);
    const lines = targetLines(target, steps, options);
    return [paint('title', targetTitle(target)), ...(lines.length > 0 ? lines.map(print) : [print({ tone: 'quiet', depth: 0, text: 'no changes' })]), ''];
  });
  const rolls = rollLines(plan).map(print);
  const rights = rightsLines(plan).map(print);
  const refusals = refusalLines(plan).map(print);
  const notes = noteLines(plan).map(print);
  return [...clusters, ...(rolls.length > 0 ? [paint('title', 'machines of guest clusters'), ...rolls, ''] : []),
    ...(notes.length > 0 ? [paint('title', 'targets that are no longer in the program'), ...notes, ''] : []),
    ...(refusals.length > 0 ? [paint('title', 'why an apply would not begin'), ...refusals, ''] : []),
    ...(rights.length > 0 ? [paint('title', 'rights that are missing'), ...rights, ''] : []), `plan: ${countText(plan.steps)}`].join('\n');
}
