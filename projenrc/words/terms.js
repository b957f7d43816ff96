// The terms of .words.yml.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { parse } = require('yaml');

const FILE = path.join(__dirname, '..', '..', '.words.yml');

// between two words: blanks, line breaks, and the signs that begin a line of a comment
const BLANK = '(?:\\s|\\*|//)+';

/**
 * The terms, each with the expression that finds it in prose, and one that finds it or more in a
 * whole file: { use, find, near, bad, good }.
 */
function readWords() {
  const { paths, except = [], quotations, terms } = parse(fs.readFileSync(FILE, 'utf8'));
  return {
    paths,
    except,
    quotations,
    terms: terms.map((term) => ({ bad: [], good: [], ...term, ...expressionsOf(term) })),
  };
}

function expressionsOf({ match, case: exact }) {
  // source text writes an apostrophe with a backslash in a string, and people write a curly one
  const source = match
    .replace(/ (\?)?/g, (_, optional) => (optional ? `(?:${BLANK})?` : BLANK))
    .replace(/'/g, "\\\\?['’]");
  return {
    find: new RegExp(`(?<![\\w-])(?:${source})(?![\\w-])`, exact ? 'g' : 'gi'),
    // a hyphen or an underscore can be markup, with which prose ends
    near: new RegExp(`(?<![A-Za-z0-9])(?:${source})(?![A-Za-z0-9])`, exact ? '' : 'i'),
  };
}

/** The rule, as textlint takes it. */
function wordsRule(context, { terms }) {
  const { Syntax, RuleError, report, getSource, locator } = context;
  return {
    [Syntax.Str](node) {
      const text = getSource(node);
      for (const { find, use } of terms) {
        for (const found of text.matchAll(find)) {
          const range = [found.index, found.index + found[0].length];
          const words = found[0].replace(new RegExp(BLANK, 'g'), ' ').trim();
          report(node, new RuleError(`"${words}" (use ${use})`, { padding: locator.range(range) }));
        }
      }
    },
  };
}

module.exports = { readWords, wordsRule };
