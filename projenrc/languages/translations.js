// Writes the program of an example in the other languages.
'use strict';

const { csharpOf } = require('./csharp');
const { goOf } = require('./go');
const { javaOf } = require('./java');
const { programOf } = require('./program');
const { pythonOf } = require('./python');

/** The languages by the names of their tabs, in the order of these. */
const LANGUAGES = [
  { title: 'Python', fence: 'python', write: pythonOf },
  { title: 'Java', fence: 'java', write: javaOf },
  { title: 'Go', fence: 'go', write: goOf },
  { title: 'C#', fence: 'csharp', write: csharpOf },
];

/** Types whose example has no translation, and why. */
const UNTRANSLATED = {
  HarvesterTesting:
    'judges findings with functions of JavaScript; docs/testing.md has tests in Python',
};

/**
 * A program in each language: `{ title, fence, code }`. Throws for a form that it does not know:
 * a wrong program is worse than none.
 *
 * @param text a whole program of TypeScript
 * @param library the types that it imports
 */
function translationsOf(text, library) {
  const statements = programOf(text, library);
  return LANGUAGES.map(({ title, fence, write }) => ({
    title,
    fence,
    code: write(statements, library),
  }));
}

module.exports = { LANGUAGES, UNTRANSLATED, translationsOf };
