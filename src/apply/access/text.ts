import { AccessMatrix, Right } from './matrix';
import { doubts, namespacesText, placeText, roleNames } from './words';

/** The matrix for a terminal: a block for each person, a paragraph for each place. */
export function accessText({ entries, notes }: AccessMatrix): string {
  if (entries.length === 0) { return ['nobody is given anything here: no bindings', ...notes.map((note) => `note: ${note}`)].join('\n'); }
  const lines: string[] = [];
  let person = '';
  for (const entry of entries) {
    const { who, where, may } = entry;
    if (who.principal !== person) {
      if (person) { lines.push(''); }
      lines.push(`${who.name}  ${who.kind}  ${who.principal}`);
      person = who.principal;
    }
    const namespaces = namespacesText(where);
    lines.push(`  ${placeText(where)}${namespaces ? `, ${namespaces}` : ''}: ${roleNames(entry)}`);
    for (const [level, title] of [['all', 'all of'], ['yes', 'may   '], ['read', 'read  '], ['some', 'some  ']] as const) {
      const rights = may.filter((right) => right.level === level);
      if (rights.length > 0) { lines.push(`    ${title}  ${rights.map(rightText).join(', ')}`); }
    }
    if (may.length === 0) { lines.push('    nothing of what is asked for here'); }
  }
  const reasons = doubts(entries);
  if (reasons.length > 0) { lines.push('', ...reasons.map((reason) => `* not confirmed: ${reason}`)); }
  if (notes.length > 0) { lines.push('', ...notes.map((note) => `note: ${note}`)); }
  return lines.join('\n');
}

function rightText(right: Right): string {
  const verbs = right.level === 'some' ? ` (${right.verbs.join(' ')})` : '';
  const names = right.names ? ` named ${right.names.join(' or ')}` : '';
  return `${right.label}${verbs}${names}${right.unconfirmed ? '*' : ''}`;
}
