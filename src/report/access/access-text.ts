import { AccessEntry, AccessMatrix, Right } from './access-matrix';
import { PERMISSIONS, Permission } from './permissions';
import { AccessPlace } from './places';
import { htmlPage, htmlText } from '../../core/text/html';
import { inEnvironment } from '../../core/text/plain-text';
import { BLANK, Block, line, list as foldedList, table, toned } from '../../core/text/screen';
import { markdownCode, markdownTable, markdownText } from '../../core/text/table';
import { grouped } from '../../core/text/values';

/** The style of the page: no fonts, images or sheets from elsewhere. */
const STYLE = `
:root { color-scheme: light dark; --line: #8886; --all: #1a7f37; --read: #0969da; --some: #9a6700; --who: 14rem; --place: 13rem; }
@media (prefers-color-scheme: dark) { :root { --all: #57c26d; --read: #6cb2ff; --some: #e0b341; } }
@media (max-width: 40rem) { :root { --who: 7rem; --place: 9rem; } }
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem; margin: clamp(.75rem, 3vw, 1.5rem); }
h1 { font-size: 1.4rem; margin: 0 0 .5rem; } h2 { font-size: 1.1rem; }
form { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; margin: 1rem 0; }
label { display: grid; gap: .15rem; font-size: .85rem; flex: 1 1 10rem; max-width: 20rem; min-width: 0; }
select, input, button { font: inherit; padding: .25rem .4rem; height: 2.2rem; box-sizing: border-box; width: 100%; }
button, [role=status] { width: auto; } [role=status] { line-height: 2.2rem; }
li { overflow-wrap: anywhere; }
.scroll { overflow: auto; max-height: 80vh; border: 1px solid var(--line); border-width: 1px 0 0 1px; }
/* the borders of a cell that keeps its place move with it only where they are its own */
table { border-collapse: separate; border-spacing: 0; }
th, td { border: 1px solid var(--line); border-width: 0 1px 1px 0; padding: .25rem .45rem; text-align: left; vertical-align: top; }
thead th { position: sticky; top: 0; background: Canvas; z-index: 1; vertical-align: bottom; }
.matrix thead th:first-child { left: 0; z-index: 2; }
.matrix thead th.permission { padding: .4rem .2rem; }
.matrix thead th.permission span { writing-mode: vertical-rl; transform: rotate(180deg); max-height: 10rem; line-height: 1.15; font-weight: 500; }
.matrix tbody th { font-weight: 600; position: sticky; left: 0; background: Canvas; }
.matrix th:first-child { min-width: var(--who); max-width: var(--who); overflow-wrap: anywhere; }
.matrix td.place { min-width: var(--place); max-width: 20rem; overflow-wrap: anywhere; }
.matrix td.right { text-align: center; font-size: .85rem; }
.list { min-width: 44rem; } .list th, .list td { overflow-wrap: anywhere; } .list tbody th { font-weight: 600; }
small { display: block; opacity: .75; font-weight: 400; overflow-wrap: anywhere; }
abbr { text-decoration: none; }
.all { color: var(--all); font-weight: 600; } .yes { color: var(--all); } .read { color: var(--read); } .some { color: var(--some); } .none { color: #888; }
details { margin-top: 1.5rem; } summary { cursor: pointer; font-weight: 600; margin-bottom: .5rem; }
[hidden] { display: none !important; }
@media print { form { display: none; } .scroll { max-height: none; overflow: visible; } }
`;

/** Filters both tables; without scripts everything is shown. */
const SCRIPT = `
(() => {
  const form = document.querySelector('form');
  const rows = [...document.querySelectorAll('tr[data-who]')];
  const columns = [...document.querySelectorAll('[data-permission]:not(tr)')];
  const status = document.querySelector('[role=status]');
  const apply = () => {
    const { who, where, what, text } = Object.fromEntries(new FormData(form));
    const words = text.toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const { who: person, where: place, permission, has } = row.dataset;
      const fits = (!who || who === person) && (!where || where === place) && (!words || row.textContent.toLowerCase().includes(words))
        && (!what || permission === what || (has !== undefined && has.split(' ').includes(what)));
      row.hidden = !fits;
      if (fits && has !== undefined) { shown += 1; }
    }
    for (const cell of columns) { cell.hidden = what !== '' && cell.dataset.permission !== what; }
    status.textContent = shown + ' of ' + rows.filter((row) => row.dataset.has !== undefined).length + ' rows';
  };
  form.addEventListener('input', apply);
  form.addEventListener('reset', () => setTimeout(apply));
  form.addEventListener('submit', (event) => event.preventDefault());
  form.hidden = false;
  apply();
})();
`;

const DASH = '–';

/**
 * The matrix as one self-contained page: a table of who and where against what, with filters, and a
 * list of every permission.
 */
export function accessHtml({ entries, notes }: AccessMatrix): string {
  const columns = PERMISSIONS.filter(({ id }) =>
    entries.some(({ may }) => may.some(({ permission }) => permission === id)),
  );
  const reasons = doubts(entries);
  return htmlPage({
    title: 'Who may do what where',
    style: STYLE,
    script: SCRIPT,
    body: [
      '<h1>Who may do what where</h1>',
      legend(entries, reasons),
      ...filters(entries, columns),
      ...matrixHtml(entries, columns),
      ...permissionList(entries),
      ...list('Not confirmed', reasons),
      ...list('Notes', notes),
    ],
  });
}

/** What the words in the matrix mean. */
function legend(entries: readonly AccessEntry[], reasons: readonly string[]): string {
  const hasNames = entries.some(({ may }) => may.some(({ names }) => names));
  return (
    '<p><span class="all">all</span> is every verb or create to delete, <span class="read">read</span> is get, list and watch, other verbs are spelled out, ' +
    '<span class="yes">yes</span> is an action, ' +
    `${DASH} is nothing.${hasNames ? ' A permission (named) is for some objects only, see the list.' : ''}` +
    `${reasons.length > 0 ? ' A permission with a star is not confirmed, see below.' : ''}</p>`
  );
}

function filters(entries: readonly AccessEntry[], columns: readonly Permission[]): string[] {
  const people = new Map(
    entries.map(({ who }) => [who.principal, `${who.name} (${who.principal})`]),
  );
  const places = new Map(entries.map(({ where }) => [placeText(where), placeText(where)]));
  return [
    '<form hidden>',
    select('who', 'Person or group', people),
    select('where', 'Place', places),
    select('what', 'Permission', new Map(columns.map(({ id, label }) => [id, label]))),
    '<label>Text <input type="search" name="text"></label>',
    '<button type="reset">Show all</button>',
    '<span role="status" aria-live="polite"></span>',
    '</form>',
  ];
}

/** The table of who and where against what. */
function matrixHtml(entries: readonly AccessEntry[], columns: readonly Permission[]): string[] {
  const ids = columns.map(({ id }) => id);
  return [
    '<div class="scroll" tabindex="0" role="region" aria-label="Matrix of permissions">',
    '<table class="matrix">',
    '<caption hidden>Who and where against what</caption>',
    `<thead><tr><th scope="col">Who</th><th scope="col">Where</th>${columns.map(columnTitle).join('')}</tr></thead>`,
    '<tbody>',
    ...entries.map((entry) => matrixRow(entry, ids)),
    '</tbody>',
    '</table>',
    '</div>',
  ];
}

/** The table of every permission, folded. */
function permissionList(entries: readonly AccessEntry[]): string[] {
  return [
    '<details>',
    '<summary>Every permission and the roles that grant it</summary>',
    '<div class="scroll" tabindex="0" role="region" aria-label="List of permissions">',
    '<table class="list">',
    '<thead><tr><th scope="col">Who</th><th scope="col">Where</th><th scope="col">What</th><th scope="col">May</th><th scope="col">Through</th></tr></thead>',
    '<tbody>',
    ...entries.flatMap((entry) => entry.may.map((right) => detailRow(entry, right))),
    '</tbody>',
    '</table>',
    '</div>',
    '</details>',
  ];
}

function columnTitle({ id, label }: Permission): string {
  return `<th scope="col" class="permission" data-permission="${id}"><span>${htmlText(label)}</span></th>`;
}

function matrixRow(entry: AccessEntry, columns: readonly string[]): string {
  const { who, where, may } = entry;
  const rights = new Map(may.map((right) => [right.permission, right]));
  const namespaces = namespacesText(where);
  return (
    `<tr data-who="${htmlText(who.principal)}" data-where="${htmlText(placeText(where))}" data-has="${[...rights.keys()].join(' ')}">` +
    `<th scope="row">${htmlText(who.name)}<small>${htmlText(who.kind)} ${htmlText(who.principal)}</small></th>` +
    `<td class="place">${htmlText(placeText(where))}<small>${htmlText(roleNames(entry))}</small>${namespaces ? `<small>${htmlText(namespaces)}</small>` : ''}</td>` +
    `${columns.map((id) => matrixCell(id, rights.get(id))).join('')}</tr>`
  );
}

function matrixCell(id: string, right: Right | undefined): string {
  if (!right) {
    return `<td class="right none" data-permission="${id}">${DASH}</td>`;
  }
  const title = `${right.label}${namesText(right)}: ${right.verbs.join(', ')}, through ${right.through.join(', ')}`;
  return (
    `<td class="right ${right.level}" data-permission="${id}" title="${htmlText(title)}">` +
    `${htmlText(levelText(right))}${right.names ? ' (named)' : ''}${star(right)}</td>`
  );
}

function detailRow({ who, where }: AccessEntry, right: Right): string {
  return (
    `<tr data-who="${htmlText(who.principal)}" data-where="${htmlText(placeText(where))}" data-permission="${right.permission}">` +
    `<th scope="row">${htmlText(who.name)}</th><td>${htmlText(placeText(where))}</td><td>${htmlText(right.label + namesText(right))}</td>` +
    `<td class="${right.level}">${htmlText(levelText(right))}${star(right)}</td><td>${htmlText(right.through.join(', '))}</td></tr>`
  );
}

function star({ unconfirmed }: Right): string {
  return unconfirmed ? '<abbr title="not confirmed">*</abbr>' : '';
}

function select(name: string, label: string, options: ReadonlyMap<string, string>): string {
  const all = [...options].map(
    ([value, text]) => `<option value="${htmlText(value)}">${htmlText(text)}</option>`,
  );
  return `<label>${label} <select name="${name}"><option value="">all</option>${all.join('')}</select></label>`;
}

function list(title: string, items: readonly string[]): string[] {
  if (items.length === 0) {
    return [];
  }
  return [
    `<h2>${title}</h2>`,
    `<ul>${items.map((item) => `<li>${htmlText(item)}</li>`).join('')}</ul>`,
  ];
}

/** A place in words, e.g. `project Payments on dc1`. */
export function placeText(where: AccessPlace): string {
  return inEnvironment(placeInEnvironment(where), where.environment);
}

function placeInEnvironment({ kind, name, clusterName }: AccessPlace): string {
  switch (kind) {
    case 'rancher':
      return 'Rancher';
    case 'rancher namespace':
      return `namespace ${name} on Rancher`;
    case 'cluster':
      return `cluster ${name}`;
    case 'project':
      return `project ${name} on ${clusterName}`;
    case 'namespace':
      return `namespace ${name} on ${clusterName}`;
  }
}

/** The namespaces of a place in words; undefined where there is nothing to add. */
function namespacesText({ kind, namespaces = [] }: AccessPlace): string | undefined {
  if (kind !== 'project') {
    return undefined;
  }
  return namespaces.length === 0
    ? 'no namespaces that are known here'
    : `${namespaces.length === 1 ? 'namespace' : 'namespaces'} ${namespaces.join(', ')}`;
}

/** The level of a permission, in one word or its verbs. */
export function levelText({ level, verbs }: Right): string {
  return level === 'some' ? verbs.join(', ') : level;
}

/** All reasons why permissions are not confirmed, each once. */
function doubts(entries: readonly AccessEntry[]): string[] {
  return [
    ...new Set(entries.flatMap(({ may }) => may.flatMap(({ unconfirmed }) => unconfirmed ?? []))),
  ];
}

/** The roles of an entry by name, each once. */
function roleNames({ roles }: AccessEntry): string {
  return [...new Set(roles.map(({ id, name }) => (name === id ? id : `${name} (${id})`)))].join(
    ', ',
  );
}

const LEVELS = [
  ['all', 'all of', 'add'],
  ['yes', 'may', 'add'],
  ['read', 'read', 'quiet'],
  ['some', 'some', 'change'],
] as const;

/** The matrix for a terminal: a block for each person, a paragraph for each place. */
export function accessText({ entries, notes }: AccessMatrix): Block[] {
  const remarks = notes.map((note) => line([toned('quiet', 'note: '), note]));
  if (entries.length === 0) {
    return [line('no permissions: there are no bindings'), ...remarks];
  }
  const people = [...grouped(entries, ({ who }) => who.principal).values()].map((own, index) => [
    ...(index > 0 ? [BLANK] : []),
    ...personText(own),
  ]);
  const reasons = doubts(entries).map((reason) =>
    line([toned('warning', '* not confirmed'), `: ${reason}`]),
  );
  const after = (lines: readonly Block[]): Block[] => (lines.length > 0 ? [BLANK, ...lines] : []);
  return [
    foldedList(people, 'people, groups, and service accounts'),
    ...after(reasons),
    ...after(remarks),
  ];
}

function personText(entries: readonly AccessEntry[]): Block[] {
  const { who } = entries[0];
  return [
    line([toned('title', who.name), toned('quiet', `  ${who.kind}  ${who.principal}`)]),
    foldedList(entries.map(placeBlocks), 'places', 2),
  ];
}

function placeBlocks(entry: AccessEntry): Block[] {
  const { where, may } = entry;
  const namespaces = namespacesText(where);
  const rows = LEVELS.flatMap(([level, title, tone]) => {
    const rights = may.filter((right) => right.level === level);
    return rights.length > 0 ? [[toned(tone, title), rights.map(rightText).join(', ')]] : [];
  });
  return [
    line(`${placeText(where)}${namespaces ? `, ${namespaces}` : ''}: ${roleNames(entry)}`, 2),
    rows.length === 0
      ? line(toned('quiet', 'nothing of what is asked for here'), 4)
      : table([], rows, 4),
  ];
}

/** The names that a permission is limited to, e.g. ` named a or b`; empty where it has no limit. */
function namesText({ names }: Right): string {
  return names ? ` named ${names.join(' or ')}` : '';
}

function rightText(right: Right): string {
  const verbs = right.level === 'some' ? ` (${right.verbs.join(' ')})` : '';
  return `${right.label}${verbs}${namesText(right)}${right.unconfirmed ? '*' : ''}`;
}

/**
 * The matrix as a page for Git: the same for the same program, so that a change of permissions
 * shows in a diff.
 */
export function accessMarkdown({ entries, notes }: AccessMatrix): string {
  const reasons = doubts(entries);
  return [
    '# Who may do what where',
    '',
    ...(entries.length === 0
      ? ['No permissions: there are no bindings.', '']
      : [...overview(entries), ...personSections(entries)]),
    ...(reasons.length > 0
      ? [
          '## Not confirmed',
          '',
          'These permissions, marked with a star, are not confirmed:',
          '',
          ...reasons.map((reason) => `- ${markdownText(reason)}`),
          '',
        ]
      : []),
    ...(notes.length > 0
      ? ['## Notes', '', ...notes.map((note) => `- ${markdownText(note)}`), '']
      : []),
  ].join('\n');
}

function overview(entries: readonly AccessEntry[]): string[] {
  return [
    ...markdownTable(
      ['who', 'where', 'as'],
      entries.map((entry) => [
        whoCell(entry),
        markdownText(placeText(entry.where)),
        markdownText(roleNames(entry)),
      ]),
    ),
    '',
  ];
}

function personSections(entries: readonly AccessEntry[]): string[] {
  return [...grouped(entries, ({ who }) => who.principal).values()].flatMap((own) => {
    const { name, kind, principal } = own[0].who;
    return [
      `## ${markdownText(name)}`,
      '',
      `${kind} ${markdownCode(principal)}`,
      '',
      ...own.flatMap(place),
    ];
  });
}

function place(entry: AccessEntry): string[] {
  const { where, may } = entry;
  const namespaces = namespacesText(where);
  return [
    `### ${markdownText(placeText(where))}`,
    '',
    ...(namespaces ? [markdownText(namespaces), ''] : []),
    ...(may.length === 0
      ? ['Nothing of what is asked for here.', '']
      : [
          ...markdownTable(
            ['what', 'may', 'through'],
            may.map((right) => [
              markdownText(right.label + namesText(right)),
              `${markdownText(levelText(right))}${right.unconfirmed ? ' \\*' : ''}`,
              markdownText(right.through.join(', ')),
            ]),
          ),
          '',
        ]),
  ];
}

function whoCell({ who }: AccessEntry): string {
  return `${markdownText(who.name)} (${markdownCode(who.principal)})`;
}
