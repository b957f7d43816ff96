import { readFileSync } from 'fs';
import { join } from 'path';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { ROOT } from '../support/source-library';

const { lazyRequires } = jest.requireActual<{ lazyRequires: (text: string) => string }>(
  join(ROOT, 'projenrc', 'lazy-requires.js'),
);

// a process of jsii deletes the files of this package before the handlers of `exit` run
test('the removal of test folders at the end of a process loads no module of the package', () => {
  const source = readFileSync(join(ROOT, 'src', 'testing', 'app-impacts.ts'), 'utf8');
  const { outputText } = transpileModule(source, {
    compilerOptions: { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 },
  });
  const compiled = lazyRequires(outputText);
  const [remove] = /\nfunction remove\(folder\) \{[^]*?\n\}/.exec(compiled)!;
  const [handler] = /process\.on\('exit',[^]*?\n {8}\}\);/.exec(compiled)!;
  const loaded = [...`${remove}${handler}`.matchAll(/require\("([^"]+)"\)/g)].map(
    ([, name]) => name,
  );
  expect(loaded).toEqual(['fs']);
  expect(handler).toContain('made.forEach(remove)');
});
