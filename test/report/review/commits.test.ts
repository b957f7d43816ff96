import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'fs';
import { join } from 'path';
import { Platform, PLATFORM, written } from './_platform';
import { Assembly } from '../../../src/core/output/assembly';
import { Block, render } from '../../../src/core/text/screen';
import { loadReadable } from '../../../src/engine/read/load-assembly';
import { outputChange } from '../../../src/engine/read/output-change';
import { readInput } from '../../../src/engine/read/read-input';
import { whatLeaves } from '../../../src/engine/read/what-leaves';
import { Fate, whatBecomes } from '../../../src/engine/removal/removal';
import { diff, printDiff } from '../../../src/report/review/diff';
import { someOf } from '../../support/cases';
import { tempFolder } from '../../support/temp';

const GOLDEN = join(__dirname, 'golden');

/** What a commit changes of the platform before it. */
type Commit = (before: Platform) => Platform;

function renamed<T>(map: { readonly [name: string]: T }, from: string, to: string) {
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name === from ? to : name, value]),
  );
}

function without<T>(map: { readonly [name: string]: T }, name: string) {
  return Object.fromEntries(Object.entries(map).filter(([other]) => other !== name));
}

/** A year of a platform: each is committed on top of the previous one. */
const COMMITS: { readonly [name: string]: Commit } = {
  'add-team': (before) => ({
    ...before,
    teams: {
      ...before.teams,
      robots: {
        site: 'fra',
        owners: ['robot-leads'],
        creators: ['robots'],
        namespaces: ['robots', 'robots-dev'],
        cpus: 32,
      },
    },
  }),
  'grow': (before) => ({
    ...before,
    teams: { ...before.teams, plant: { ...before.teams.plant!, cpus: 128 } },
    guests: { ...before.guests, shop: { ...before.guests.shop!, workers: 4 } },
  }),
  'change-members': (before) => ({
    ...before,
    teams: {
      ...before.teams,
      ml: { ...before.teams.ml!, owners: ['ml-leads', 'platform'], creators: [] },
    },
  }),
  'rename-team': (before) => ({ ...before, teams: renamed(before.teams, 'search', 'find') }),
  'remove-machine': (before) => ({
    ...before,
    machines: without(before.machines, 'files'),
    accepted: ['ber/kubevirt.io/VirtualMachine/office/files'],
  }),
  'move-team': (before) => ({
    ...before,
    teams: { ...before.teams, robots: { ...before.teams.robots!, site: 'ber' } },
    accepted: [],
  }),
  'more-memory': (before) => ({
    ...before,
    guests: { ...before.guests, vision: { ...before.guests.vision!, memory: 16 } },
  }),
  'upgrade-rancher': (before) => ({ ...before, rancher: '2.15.0' }),
  'upgrade-kubernetes': (before) => ({
    ...before,
    guests: Object.fromEntries(
      Object.entries(before.guests).map(([name, guest]) => [
        name,
        { ...guest, kubernetes: 'v1.34.10+rke2r1' },
      ]),
    ),
  }),
  'upgrade-harvester': (before) => ({ ...before, sites: { ...before.sites, fra: '1.8.2' } }),
  'remove-guest': (before) => ({ ...before, guests: without(before.guests, 'shop') }),
  'revert': () => PLATFORM,
};

/** Other commits on the platform, each for itself. */
const OTHERS: { readonly [name: string]: Commit } = {
  'add-salt': (before) => ({ ...before, idSalt: 'x'.repeat(32) }),
  'rename-target': (before) => ({
    ...before,
    sites: renamed(before.sites, 'ber', 'bln'),
    teams: { ...before.teams, office: { ...before.teams.office!, site: 'bln' } },
    machines: { ...before.machines, files: { ...before.machines.files!, site: 'bln' } },
  }),
  'rename-namespace': (before) => ({
    ...before,
    teams: { ...before.teams, office: { ...before.teams.office!, namespaces: ['bureau'] } },
    machines: { ...before.machines, files: { ...before.machines.files!, namespace: 'bureau' } },
  }),
  'rename-machine': (before) => ({ ...before, machines: renamed(before.machines, 'files', 'nas') }),
  'remove-team': (before) => ({ ...before, teams: without(before.teams, 'search') }),
};

/** The text of a golden file, which is written where it differs. */
function golden(file: string, text: string): string {
  const path = join(GOLDEN, file);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (before !== text) {
    mkdirSync(GOLDEN, { recursive: true });
    writeFileSync(path, text);
  }
  return before;
}

/** The report about a change, as a terminal of 100 columns and as a comment. */
function reports(before: string, after: string): { readonly text: string; readonly page: string } {
  const found = diff(before, after);
  const plain = (text: string): string =>
    `${text.replaceAll(before, 'before').replaceAll(after, 'after')}\n`;
  return {
    text: plain(render(printDiff(found, 'text') as Block[], { width: 100, colors: false })),
    page: plain(printDiff(found, 'markdown')),
  };
}

/** Each commit, and the one that it follows. */
function edits(): (readonly [name: string, before: Platform, after: Platform])[] {
  let last = PLATFORM;
  const year = Object.entries(COMMITS).map(([name, commit]) => {
    const before = last;
    last = commit(before);
    return [name, before, last] as const;
  });
  return [
    ...year,
    ...Object.entries(OTHERS).map(([name, commit]) => [name, PLATFORM, commit(PLATFORM)] as const),
  ];
}

const outputs = new Map<Platform, string>();

/** The output of a platform, which nothing changes. */
function outputOf(platform: Platform): string {
  const known = outputs.get(platform) ?? written(platform, join(tempFolder(), 'dist'));
  outputs.set(platform, known);
  return known;
}

const EDITS = edits();
/** So many are tried where not all are. */
const MOST_EDITS = 5;

/** Names that are copied, such as an ID or a path, are whole. */
function longestWord(row: string): number {
  return Math.max(...row.split(' ').map(({ length }) => length));
}

test.each([80, 120])('breaks reports between words in a terminal of %s columns', (width) => {
  const chosen = EDITS.filter(([name]) => ['rename-target', 'more-memory'].includes(name));
  const tooLong = chosen.flatMap(([, before, after]) => {
    const blocks = printDiff(diff(outputOf(before), outputOf(after)), 'text') as Block[];
    return render(blocks, { width, colors: false })
      .split('\n')
      .filter((row) => row.length > width && longestWord(row) < width / 2);
  });
  expect(tooLong).toEqual([]);
});

test.each(someOf(EDITS, MOST_EDITS))('reports what the commit %s does', (name, before, after) => {
  const [was, is] = [outputOf(before), outputOf(after)];
  const { text, page } = reports(was, is);
  expect({ text, page }).toEqual({
    text: golden(`${name}.txt`, text),
    page: golden(`${name}.md`, page),
  });
});

/** What an apply makes of the objects that leave: it knows their manifests, and the new program. */
function fatesByApply(was: string, is: string): Record<string, Fate> {
  const [before, after] = [loadReadable(was), loadReadable(is)];
  const declared = new Set(after.assembly.objects.map(({ id }) => id));
  const left = before.assembly.objects.filter(({ id }) => !declared.has(id));
  const isLeft = (id: string): boolean => left.some((object) => object.id === id);
  // a live kubeconfig has the token of its account, for which the edge of what left is used here
  const tokens = before.assembly.edges.filter(({ from }) => isLeft(from));
  const assembly: Assembly = {
    ...after.assembly,
    objects: [...after.assembly.objects, ...left],
    groups: [...before.assembly.groups, ...after.assembly.groups],
    edges: [...tokens, ...after.assembly.edges],
  };
  const becomes = whatBecomes({
    assembly,
    manifests: new Map([...before.manifests, ...after.manifests]),
    way: 'apply',
    removed: new Set(left.map(({ id }) => id)),
  });
  return Object.fromEntries([...becomes].map(([id, { fate }]) => [id, fate]));
}

/** What reports make of them: they know the previous program. */
function fatesByReport(was: string, is: string): Record<string, Fate> {
  const [before, after] = [readInput([was], {}), readInput([is], {})];
  const becomes = whatLeaves(outputChange(before, after), before.assemblies);
  return Object.fromEntries([...becomes].map(([id, { fate }]) => [id, fate]));
}

test.each(someOf(EDITS, MOST_EDITS))(
  'reports of what leaves by %s what an apply does',
  (_, before, after) => {
    const [was, is] = [outputOf(before), outputOf(after)];
    expect(fatesByReport(was, is)).toEqual(fatesByApply(was, is));
  },
);
