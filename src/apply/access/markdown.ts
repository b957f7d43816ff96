import { AccessEntry, AccessMatrix } from './matrix';
import { doubts, levelText, namespacesText, placeText, roleNames } from './words';

/** The matrix as a page for Git: the same for the same program, so that a change of rights shows in a diff. */
export function accessMarkdown({ entries, notes }: AccessMatrix): string {
  const reasons = doubts(entries);
  return [
    '# Who may do what where',
    '',
    ...(entries.length === 0 ? ['Nobody is given anything: there are no bindings.', ''] : [...overview(entries), ...people(entries)]),
    ...(reasons.length > 0 ? ['## Not confirmed', '', 'Rights with a star are not sure:', '', ...reasons.map((reason) => `- ${cell(reason)}`), ''] : []),
    ...(notes.length > 0 ? ['## Notes', '', ...notes.map((note) => `- ${cell(note)}`), ''] : []),
  ].join('\n');
}

function overview(entries: readonly AccessEntry[]): string[] {
  return [
    '| who | where | as |',
    '|---|---|---|',
    ...entries.map((entry) => `| ${whoCell(entry)} | ${cell(placeText(entry.where))} | ${cell(roleNames(entry))} |`),
    '',
  ];
}

function people(entries: readonly AccessEntry[]): string[] {
  return [...groupByPerson(entries).values()].flatMap((own) => [`## ${cell(own[0].who.name)}`, '', `${own[0].who.kind} ${code(own[0].who.principal)}`, '', ...own.flatMap(place)]);
}

function groupByPerson(entries: readonly AccessEntry[]): Map<string, AccessEntry[]> {
  const groups = new Map<string, AccessEntry[]>();
  for (const entry of entries) { groups.set(entry.who.principal, [...groups.get(entry.who.principal) ?? [], entry]); }
  return groups;
}

function place(entry: AccessEntry): string[] {
  const { where, may } = entry;
  const namespaces = namespacesText(where);
  return [
    `### ${cell(placeText(where))}`,
    '',
    ...(namespaces ? [cell(namespaces), ''] : []),
    ...(may.length === 0 ? ['Nothing of what is asked for here.', ''] : [
      '| what | may | through |',
      '|---|---|---|',
      ...may.map((right) => {
        const names = right.names ? ` named ${right.names.join(' or ')}` : '';
        return `| ${cell(right.label + names)} | ${cell(levelText(right))}${right.unconfirmed ? ' \\*' : ''} | ${cell(right.through.join(', '))} |`;
      }),
      '',
    ]),
  ];
}

function whoCell({ who }: AccessEntry): string {
  return `${cell(who.name)} (${code(who.principal)})`;
}

/** Text that can not break a table or a line, and is no markup. */
function cell(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').replace(/[\\`*_[\]<>|]/g, (character) => `\\${character}`);
}

// a backtick can't be escaped inside code, and no principal needs one
function code(text: string): string {
  return `\`${text.replace(/[\r\n`]+/g, ' ').replace(/\|/g, '\\|')}\``;
}
