import { ConstructBook } from './explain-construct';
import { Explanation, explanation } from './explanation';
import { Passage, passages } from './search-pages';
import { Rule } from '../../core/rule/rule';
import { grouped } from '../../core/text/values';

/** Something with a name that a search can find. */
interface Entry {
  /** What `explain` takes. */
  readonly name: string;
  readonly what: string;
  /** The words of a server, which people have in hand. */
  readonly says?: string;
  /** What else is known of it, such as its default. */
  readonly more?: string;
}

/** As many results as a screen shows. */
const MOST = 12;
/** As many passages of guides. */
const MOST_PAGES = 5;
/** One word more of a passage weighs more than where it begins. */
const FAR = 10_000;
/** Characters of a passage that are shown. */
const LONGEST = 220;
/** A server's words that are found whole weigh more than any words. */
const WHOLE = 100;
/** A part of a message that is as long is hardly there by chance. */
const PART = 12;
const IN_NAME = 5;
/** Letters of a word that can have a plural. */
const SHORTEST = 3;
/** The part of the words that a result must have. */
const ENOUGH = 0.6;
/** Words that are everywhere. */
const STOP_WORDS = new Set(
  'a an and are at be by cannot for from got in is it its must not of on or the to'.split(' '),
);
const COLUMNS = ['NAME', 'WHAT'];

/**
 * What a name is called in other places, by the words that people search for: the vendor, the
 * product, the abbreviation.
 */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['entra', ['azure']],
  ['gpus', ['gpu']],
  ['lb', ['balancer']],
  ['loadbalancer', ['balancer']],
  ['ssl', ['tls', 'ssl']],
  ['vms', ['machine']],
]);

/** Words of names and sentences: `sshUser`, `ssh_user`, and `SSH user` are the same two. */
function wordsOf(text: string): string[] {
  const separated = text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  const words = separated.toLowerCase().split(/[^a-z0-9]+/);
  return words.filter((word) => word !== '');
}

function isWord(word: string, wanted: string): boolean {
  // a plural; `dns` is none
  return (
    word === wanted ||
    (Math.min(word.length, wanted.length) >= SHORTEST &&
      (word === `${wanted}s` || `${word}s` === wanted))
  );
}

/**
 * What the words of a topic are about, the best first: rules by the words of servers, and
 * everything with a name.
 *
 * @returns no explanation where nothing has most of the words
 */
export function searchExplanation(
  topic: string,
  {
    rules,
    settings,
    book,
  }: {
    readonly rules: readonly Rule[];
    readonly settings: readonly Entry[];
    readonly book: ConstructBook;
  },
): Explanation[] {
  const entries: readonly Entry[] = [
    ...rules.map(({ id, what, says }) => ({
      name: id,
      what,
      ...(says === undefined ? {} : { says }),
    })),
    ...settings,
    ...book.entries,
  ];
  const wanted = wordsOf(topic).filter((word) => !STOP_WORDS.has(word) && !/^\d+$/.test(word));
  if (wanted.length === 0) {
    return [];
  }
  const scored = entries
    .map((entry) => ({ entry, score: scoreOf(entry, topic, wanted) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const found = scored.slice(0, MOST).map(({ entry }) => entry);
  const pages = pagesWith(wanted);
  if (found.length + pages.length === 0) {
    return [];
  }
  return [
    explanation(
      'search',
      topic,
      'Found by a search for these words. Explain one of:',
      'docs/README.md',
      {
        found: found.map(({ name, what }) => ({
          columns: COLUMNS,
          cells: [name, what],
          text: `${name}: ${what}`,
        })),
        pages: pages.map(({ page, text }) => `${page}: ${text}`),
      },
    ),
  ];
}

/** The passages of guides with all words, one for each page: those that begin with them first. */
function pagesWith(wanted: readonly string[]): readonly Pick<Passage, 'page' | 'text'>[] {
  const found = passages().flatMap(({ page, heading, text }) => {
    const words = wordsOf(text);
    const inText = wanted.filter((word) => hasNameOf(words, word));
    const all = [...wordsOf(`${page} ${heading}`), ...words];
    const hasAll = inText.length > 0 && wanted.every((word) => hasNameOf(all, word));
    const begin = text.toLowerCase().indexOf(inText[0] ?? '');
    return hasAll ? [{ page, text, order: begin - FAR * inText.length }] : [];
  });
  const byPage = grouped(
    found.sort((a, b) => a.order - b.order),
    ({ page }) => page.replace(/#.*/, ''),
  );
  return [...byPage.values()]
    .slice(0, MOST_PAGES)
    .map(([{ page, text }]) => ({ page, text: excerpt(text, wanted) }));
}

/** A part of a text with the first of the words. */
function excerpt(text: string, wanted: readonly string[]): string {
  const sentences = text.split(/(?<=[.:;|]) /);
  const at = sentences.findIndex((each) => wanted.some((word) => hasWord(wordsOf(each), word)));
  const part = sentences.slice(Math.max(at, 0)).join(' ');
  return part.length > LONGEST ? `${part.slice(0, LONGEST).replace(/\s\S*$/, '')} …` : part;
}

function hasWord(words: readonly string[], wanted: string): boolean {
  return words.some((each) => isWord(each, wanted));
}

/** Whether a word is there, or what it is called in other places. */
function hasNameOf(words: readonly string[], wanted: string): boolean {
  const names = SYNONYMS.get(wanted) ?? [wanted];
  return names.some((name) => hasWord(words, name));
}

function scoreOf(
  { name, what, says = '', more = '' }: Entry,
  topic: string,
  wanted: readonly string[],
): number {
  if (quotes(says, topic)) {
    return WHOLE + says.length;
  }
  const inName = wordsOf(name);
  const inText = wordsOf(`${what} ${says} ${more}`);
  const scores = wanted.map((word) => {
    return hasNameOf(inName, word)
      ? IN_NAME + Number(name.toLowerCase().endsWith(word))
      : Number(hasNameOf(inText, word));
  });
  // shorter names are of what is more general
  const found = scores.filter((score) => score > 0).length;
  return found < wanted.length * ENOUGH
    ? 0
    : scores.reduce((sum, score) => sum + score, 0) + 1 / name.length;
}

/**
 * Whether the words of a server are in a message, or a part of a message in them. `…` is
 * what differs.
 */
function quotes(says: string, topic: string): boolean {
  const plain = (text: string): string => text.toLowerCase().replace(/["'`]/g, '').trim();
  const message = plain(topic);
  const parts = plain(says)
    .split('…')
    .map((part) => part.trim())
    .filter(Boolean);
  if (parts.length === 0) {
    return false;
  }
  const isWhole = parts.every((part) => message.includes(part));
  return (
    (isWhole && parts.join('').length >= PART) ||
    (message.length >= PART && plain(says).includes(message))
  );
}
