import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { COMPILERS, INSTALLED_ENV, Installed, ROOT, run } from './installed';

const given = process.env[INSTALLED_ENV];
const { project, runtimes } = given
  ? (JSON.parse(given) as Installed)
  : { project: '', runtimes: {} as Installed['runtimes'] };
const describeInstalled = given ? describe : describe.skip;

const USES = `
expect.extend(matchers);
const app = HarvesterTesting.app();
expect(app).toHaveNoFindings({ warnings: true });
expect('dist').not.toReplaceNoMachines('before');
expect(app).toDeclare({ kind: 'Setting', metadata: { name: expect.stringContaining('ntp') } }, { target: 'dc1' });
`;
const MISUSES = `
expect(app).toHaveNoFindings({ warning: true });
expect(app).toReplaceNoMachines();
expect(app).toDeclares({ kind: 'Setting' });
`;
const IMPORTS =
  "import { HarvesterTesting } from 'cdk8s-harvester';\nimport { matchers } from 'cdk8s-harvester/testing';\n";

/** The test files of a runner that are right and wrong, and what their compilation needs. */
const RUNNERS = {
  jest: { imports: '', types: ['node', 'jest'] },
  vitest: { imports: "import { expect } from 'vitest';\n", types: ['node'] },
};

describeInstalled.each(Object.entries(RUNNERS))(
  'the types of the matchers in tests of %s',
  (runner, { imports, types }) => {
    const folder = path.join(project, `types-${runner}`);

    beforeAll(() => {
      fs.mkdirSync(path.join(folder, 'node_modules'), { recursive: true });
      // its types import packages that are installed with it
      if (runner === 'vitest') {
        fs.symlinkSync(
          path.dirname(runtimes.vitest),
          path.join(folder, 'node_modules', 'vitest'),
          'dir',
        );
      }
      fs.writeFileSync(path.join(folder, 'right.test.ts'), `${imports}${IMPORTS}${USES}`);
      fs.writeFileSync(
        path.join(folder, 'wrong.test.ts'),
        `${imports}${IMPORTS}const app = HarvesterTesting.app();${MISUSES}`,
      );
      for (const name of ['right', 'wrong']) {
        fs.writeFileSync(
          path.join(folder, `tsconfig.${name}.json`),
          JSON.stringify({
            // as in the projects that init writes
            compilerOptions: {
              target: 'es2022',
              module: 'preserve',
              strict: true,
              noEmit: true,
              skipLibCheck: true,
              types,
              typeRoots: [path.join(ROOT, 'node_modules', '@types')],
            },
            files: [`${name}.test.ts`],
          }),
        );
      }
    });

    test.each(Object.keys(COMPILERS))(
      'accept what they take, and refuse what they do not, with %s',
      (compiler) => {
        run(process.execPath, [runtimes[compiler], '-p', 'tsconfig.right.json'], folder);
        const { status, stdout } = spawnSync(
          process.execPath,
          [runtimes[compiler], '-p', 'tsconfig.wrong.json'],
          { cwd: folder, encoding: 'utf8' },
        );
        const errors = stdout
          .split('\n')
          .flatMap((text) => /^wrong\.test\.ts\((\d+),.* error /.exec(text)?.[1] ?? []);
        const first = `${imports}${IMPORTS}`.split('\n').length + 1;
        expect({ status: status !== 0, errors }).toEqual({
          status: true,
          errors: [first, first + 1, first + 2].map(String),
        });
      },
    );
  },
);
