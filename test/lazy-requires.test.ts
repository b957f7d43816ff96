import { join } from 'path';

const { lazyRequires, withExtensions } =
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  require(join(__dirname, '..', 'projenrc', 'lazy-requires')) as {
    readonly [name: string]: (text: string) => string;
  };

test('a module is loaded where it is first used, on the line of its use', () => {
  const compiled = 'const kind_1 = require("./image.kind");\nexports.image = () => kind_1.IMAGE;\n';
  expect(lazyRequires(compiled)).toBe(
    'var kind_1;\nexports.image = () => (kind_1 ??= require("./image.kind")).IMAGE;\n',
  );
});

test('own modules get the extension of their file, and others keep their names', () => {
  const texts = [
    ['require("./image.kind")', 'require("./image.kind.js")'],
    ['(a ??= require("../../core/app")).A', '(a ??= require("../../core/app.js")).A'],
    ['require("./public-api.js")', 'require("./public-api.js")'],
    ['require("../schema/kinds.json")', 'require("../schema/kinds.json")'],
    ['require("cdk8s")', 'require("cdk8s")'],
    ['require("node:fs")', 'require("node:fs")'],
  ] as const;
  expect(texts.map(([compiled]) => withExtensions(compiled))).toEqual(
    texts.map(([, written]) => written),
  );
});
