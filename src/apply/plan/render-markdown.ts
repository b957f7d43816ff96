import { Plan } from './plan';
import { countText, outcomeOf } from './plan-summary';
import { LineTone, PlanLine, rollLines, stepsOf, targetLines, targetTitle } from './render-plan';

/** What a comment on GitHub takes is 65,536 characters. */
const MAX_LENGTH = 60_000;

/** How `diff` blocks colour a line: by its first character. */
const MARKS: { readonly [tone in LineTone]: string } = {
  title: ' ', add: '+', change: '!', remove: '-', problem: '-', quiet: ' ', plain: ' ',
};

/** A plan for a pull request: a section a cluster, folded. */
export function planMarkdown(plan: Plan): string {
  const heading = { nothing: 'Plan: no changes', changes: 'Plan', problems: 'Plan: an apply would fail' }[outcomeOf(plan)];
  const sections = plan.targets.map((target) => {
    const steps = stepsOf(plan, target);
    return section(`${targetTitle(target)}: ${countText(steps)}`, targetLines(target, steps));
  });
  const rolls = rollLines(plan);
  const machines = rolls.length > 0 ? [section('virtual machines that are replaced', rolls, true)] : [];
  const parts = [`### ${heading}`, `${escapeHtml(countText(plan.steps))}`, ...machines];
  let length = parts.join('\n\n').length;
  for (const [index, text] of sections.entries()) {
    length += text.length + 2;
    if (length > MAX_LENGTH) {
      parts.push(`The rest is too long for a comment: ${sections.length - index} of ${sections.length} clusters are left out, see the text of the plan.`);
      break;
    }
    parts.push(text);
  }
  return parts.join('\n\n');
}

function section(title: string, lines: readonly PlanLine[], open = false): string {
  const summary = `<summary>${escapeHtml(title)}</summary>`;
  if (lines.length === 0) { return `<details>\n${summary}\n\nNo changes.\n\n</details>`; }
  const text = lines.map((line) => `${MARKS[line.tone]} ${' '.repeat(line.depth)}${line.text}`).join('\n');
  // nothing in a value ends the block
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `<details${open ? ' open' : ''}>\n${summary}\n\n${fence}diff\n${text}\n${fence}\n\n</details>`;
}

// also what Markdown makes links, mentions and images of
function escapeHtml(text: string): string {
  return text.replace(/[&<>"'@#[\]()*_`!|~\\]/g, (character) => `&#${character.charCodeAt(0)};`);
}
