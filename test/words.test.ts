import { execFileSync } from 'child_process';
import { join } from 'path';
import { testOfAll } from './support/cases';

interface Found {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

interface Words {
  readonly words: {
    readonly paths: readonly string[];
    readonly terms: readonly {
      readonly use: string;
      readonly bad: readonly string[];
      readonly good: readonly string[];
    }[];
  };
  readonly check: (text: string, file: string) => Promise<readonly Found[]>;
  readonly checkNames: (text: string, file: string) => readonly Found[];
}

const ROOT = join(__dirname, '..');
const { check, checkNames, words } = jest.requireActual<Words>('../projenrc/words.js');

async function found(text: string, file = 'page.md'): Promise<string[]> {
  return (await check(text, file)).map(
    ({ line, column, message }) => `${line}:${column}: ${message}`,
  );
}

describe('every term of .words.yml', () => {
  test.each(words.terms.flatMap(({ use, bad }) => bad.map((text) => [text, use])))(
    'reports "%s" and proposes "%s"',
    async (text, use) => {
      expect((await check(text, 'page.md')).map(({ message }) => message)).toContainEqual(
        expect.stringContaining(`(use ${use})`),
      );
    },
  );

  test.each(words.terms.flatMap(({ use, good }) => good.map((text) => [text, use])))(
    'accepts "%s", which is near to what "%s" replaces',
    async (text, use) => {
      expect(
        (await check(text, 'page.md')).filter(({ message }) => message.endsWith(`(use ${use})`)),
      ).toEqual([]);
    },
  );

  test('has a text that it must report', () => {
    expect(words.terms.filter(({ bad }) => bad.length === 0)).toEqual([]);
  });
});

describe('in Markdown', () => {
  test('reports the place and the replacement', async () => {
    expect(await found('# Title\n\nThis can not be read.\n')).toEqual([
      '3:6: "can not" (use cannot)',
    ]);
  });

  test('finds a term across the end of a line', async () => {
    expect(await found('This can\nnot be read.\n')).toEqual(['1:6: "can not" (use cannot)']);
  });

  test('leaves code and waived lines alone', async () => {
    expect(await found('It prints `can not`.\n\n```\ncan not\n```\n')).toEqual([]);
    expect(await found('<!-- words-ok: the name of a song -->\nI can not stay.\n')).toEqual([]);
  });
});

describe('in TypeScript', () => {
  test('reads comments, doc comments, messages and titles of tests', async () => {
    const code = [
      '/** Reads a pool,',
      ' * which can',
      ' * not be deleted. */',
      'export function read(): void {',
      '  // it stays',
      '  throw new Error(`pool ${1} can not be read`);',
      '}',
      "test('stays where it is', () => {",
      '  // made anew',
      '});',
    ];
    expect(await found(code.join('\n'), 'a.ts')).toEqual([
      '2:10: "can not" (use cannot)',
      '5:9: "stays" (use keep, remain, is kept)',
      '6:30: "can not" (use cannot)',
      '8:7: "stays" (use keep, remain, is kept)',
      '9:11: "anew" (use recreate, again, new)',
    ]);
  });

  test('leaves imports, names, keys, quotations and code alone', async () => {
    expect(
      await found(
        [
          "import { anew } from './stays anew';",
          "const stays = { anew, key: 'stays', other: anew };",
          '/** Like `stays` and "it stays here". @see rancher/rancher:pkg/stays.go */',
          'export { stays };',
        ].join('\n'),
        'a.ts',
      ),
    ).toEqual([]);
  });

  test('leaves the words of servers alone', async () => {
    expect(
      await found(
        "export const rule = { says: 'it can not be deleted', what: 'it can not be deleted' };",
        'a.ts',
      ),
    ).toEqual(['1:64: "can not" (use cannot)']);
  });

  test('lets through what a comment with a reason waives', async () => {
    expect(
      await found(
        "// words-ok: what the UI shows\nconst a = 'it can not be';\nconst b = 'it can not be'; // words-ok: what the UI shows",
        'a.ts',
      ),
    ).toEqual([]);
    expect(await found("// words-ok:\nconst a = 'it can not be';", 'a.ts')).toEqual([
      '2:15: "can not" (use cannot)',
    ]);
  });
});

test('reports names that a file declares, but not those that it uses', () => {
  const reported = checkNames(
    'export const isNoPool = (told: string) => told.stays;\nexport interface Rule { says: string }',
    'a.ts',
  );
  expect(reported.map(({ line, column, message }) => `${line}:${column}: ${message}`)).toEqual([
    '1:14: name "is no pool": "is no" (use is not a …, is not valid …, has no …)',
    '1:26: name "told": "told" (use report, print, warn, show)',
  ]);
});

testOfAll('reports nothing in what is listed as clean', () => {
  expect(execFileSync('node', ['projenrc/words.js'], { cwd: ROOT, encoding: 'utf8' })).toBe('');
});
