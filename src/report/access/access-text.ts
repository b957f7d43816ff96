import { AccessEntry, AccessMatrix, Place, Right } from './matrix';
import { markdownCode, markdownTable, markdownText } from '../../core/text/table';

/** A place in words, e.g. `project Payments on dc1`. */
export function placeText({ kind, name, clusterName }: Place): string {
  switch (kind) {
    case 'rancher': return 'Rancher';
    case 'rancher namespace': return `namespace ${name} on Rancher`;
    case 'cluster': return `cluster ${name}`;
    case 'project': return `project ${name} on ${clusterName}`;
    case 'namespace': return `namespace ${name} on ${clusterName}`;
  }
}

/** The namespaces of a place in words; undefined where there is nothing to add. */
export function namespacesText({ kind, namespaces = [] }: Place): string | undefined {
  if (kind !== 'project') { return undefined; }
  return namespaces.length === 0 ? 'no namespaces that are known here' : `${namespaces.length === 1 ? 'namespace' : 'namespaces'} ${namespaces.join(', ')}`;
}

/** The level of a permission, in one word or its verbs. */
export function levelText({ level, verbs }: Right): string {
  return level === 'some' ? verbs.join(', ') : level;
}

/** All reasons why permissions are not confirmed, each once. */
export function doubts(entries: readonly AccessEntry[]): string[] {
  return [...new Set(entries.flatMap(({ may }) => may.flatMap(({ unconfirmed }) => unconfirmed ?? [])))];
}

/** The roles of an entry by name, each once. */
export function roleNames({ roles }: AccessEntry): string {
  return [...new Set(roles.map(({ id, name }) => (name === id ? id : `${name} (${id})`)))].join(', ');
}

/** The matrix for a terminal: a block for each person, a paragraph for each place. */
export function accessText({ entries, notes }: AccessMatrix): string {
  if (entries.length === 0) { return ['no permissions: there are no bindings', ...notes.map((note) => `note: ${note}`)].join('\n'); }
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

/** The names that a permission is limited to, e.g. ` named a or b`; empty where it has no limit. */
export function namesText({ names }: Right): string {
  return names ? ` named ${names.join(' or ')}` : '';
}

function rightText(right: Right): string {
  const verbs = right.level === 'some' ? ` (${right.verbs.join(' ')})` : '';
  return `${right.label}${verbs}${namesText(right)}${right.unconfirmed ? '*' : ''}`;
}

/** The matrix as a page for Git: the same for the same program, so that a change of permissions shows in a diff. */
export function accessMarkdown({ entries, notes }: AccessMatrix): string {
  const reasons = doubts(entries);
  return [
    '# Who may do what where',
    '',
    ...(entries.length === 0 ? ['No permissions: there are no bindings.', ''] : [...overview(entries), ...people(entries)]),
    ...(reasons.length > 0 ? ['## Not confirmed', '', 'These permissions, marked with a star, are not confirmed:', '', ...reasons.map((reason) => `- ${markdownText(reason)}`), ''] : []),
    ...(notes.length > 0 ? ['## Notes', '', ...notes.map((note) => `- ${markdownText(note)}`), ''] : []),
  ].join('\n');
}

function overview(entries: readonly AccessEntry[]): string[] {
  return [
    ...markdownTable(['who', 'where', 'as'], entries.map((entry) => [whoCell(entry), markdownText(placeText(entry.where)), markdownText(roleNames(entry))])),
    '',
  ];
}

function people(entries: readonly AccessEntry[]): string[] {
  return [...groupByPerson(entries).values()].flatMap((own) => [`## ${markdownText(own[0].who.name)}`, '', `${own[0].who.kind} ${markdownCode(own[0].who.principal)}`, '', ...own.flatMap(place)]);
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
    `### ${markdownText(placeText(where))}`,
    '',
    ...(namespaces ? [markdownText(namespaces), ''] : []),
    ...(may.length === 0 ? ['Nothing of what is asked for here.', ''] : [
      ...markdownTable(['what', 'may', 'through'], may.map((right) => [
        markdownText(right.label + namesText(right)), `${markdownText(levelText(right))}${right.unconfirmed ? ' \\*' : ''}`, markdownText(right.through.join(', ')),
      ])),
      '',
    ]),
  ];
}

function whoCell({ who }: AccessEntry): string {
  return `${markdownText(who.name)} (${markdownCode(who.principal)})`;
}
