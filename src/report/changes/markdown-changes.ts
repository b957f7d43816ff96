import { AccessChange } from './access-changes';
import { Change } from './change';
import { Action, ChangeGroup, ObjectChange } from './object-changes';
import {
  accessTexts,
  changedFieldText,
  listedTargets,
  objectText,
  targetText,
} from './print-changes';
import { plainText } from '../../core/text/plain-text';
import { markdownCode, markdownFence, markdownProse } from '../../core/text/table';
import { grouped } from '../../core/text/values';

/** A part of a comment, of which lines at the end may be left out. */
export type Section = readonly string[];

/** `diff` blocks color a line by its first character. */
const MARKS: { readonly [action in Action]: string } = {
  added: '+',
  changed: '!',
  renamed: '-',
  moved: '-',
  removed: '-',
};

/** A group with more lines is folded. */
const MOST_LINES = 12;

/** The objects of a change in Markdown: a section for each group. */
export function changeSections(change: Change): Section[] {
  const { targets, objects: groups } = change;
  const listed = listedTargets(change);
  if (targets.length + groups.length === 0) {
    return [];
  }
  return [
    [
      '### Changes',
      ...(listed.length === 0 ? [] : ['']),
      ...listed.map((target) => `- ${markdownProse(targetText(target))}`),
    ],
    ...groups.map(groupSection),
  ];
}

function groupSection({ title, objects, judged }: ChangeGroup): Section {
  const lines = [...grouped(objects, ({ target }) => target)].flatMap(([target, own]) => [
    ` ${target}`,
    ...own.flatMap(objectLines),
  ]);
  const text = lines.map(plainText).join('\n');
  const fence = markdownFence(text, 3);
  const block = [`${fence}diff`, ...text.split('\n'), fence];
  const after = [
    ...(judged?.cause === undefined || judged.cause === title
      ? []
      : [`**Cause:** ${markdownProse(judged.cause)}`]),
    ...(judged?.fixes ?? []).map((fix) => `**Fix:** ${markdownProse(fix)}`),
    ...(judged?.accepted ?? []).map((reason) => `**Accepted:** ${markdownProse(reason)}`),
  ].flatMap((each) => ['', each]);
  const isFolded = lines.length > MOST_LINES;
  const name = markdownCode(title);
  return isFolded
    ? [
        `<details><summary>${escaped(title)}: ${objects.length} objects</summary>`,
        '',
        ...block,
        '',
        '</details>',
        ...after,
      ]
    : [name, '', ...block, ...after];
}

function objectLines(change: ObjectChange): string[] {
  const mark = MARKS[change.action];
  return [
    `${mark} ${objectText(change)}`,
    ...change.fields.map((field) => `${mark}   ${changedFieldText(field).replace(/\n/g, ' ')}`),
  ];
}

/** Who gains and loses access, in Markdown. */
export function accessSection(changes: readonly AccessChange[]): Section {
  const lines = changes.flatMap(accessTexts).map(([, text]) => plainText(text));
  const fence = markdownFence(lines.join('\n'), 3);
  return ['### Access', '', `${fence}diff`, ...lines, fence];
}

function escaped(text: string): string {
  return plainText(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
