import { join } from 'path';
import { goldenOf, replacing, TeamProgram } from './_team';
import { lintPaths } from '../../src/engine/read/lint';
import { fitRows } from '../../src/report/fits/fit-table';
import { printReview } from '../../src/report/review/render-review';
import { reviewProject } from '../../src/report/review/review';
import { GitProject } from '../support/git-project';

const DIST = join(__dirname, 'environments', 'dist');

/** The program in a repository, with its output. */
function repository(): { readonly program: TeamProgram; readonly project: GitProject } {
  const program = new TeamProgram('environments');
  program.run();
  return { program, project: new GitProject({}, program.folder) };
}

test('writes the committed output of all environments', () => {
  expect(new TeamProgram('environments').run()).toEqual(goldenOf('environments'));
});

test('writes one environment, and leaves the others alone', () => {
  const program = new TeamProgram('environments');
  const prodOnly = program.run(undefined, { ENVIRONMENT: 'prod' });
  expect(new Set(Object.keys(prodOnly).map((file) => file.split('/')[0]))).toEqual(
    new Set(['prod']),
  );
  const before = program.run();
  const after = program.run(replacing('environments/dev.json', '"machines": 1', '"machines": 3'), {
    ENVIRONMENT: 'stage',
  });
  expect(after).toEqual(before);
});

test('has no error in any environment, alone or together', () => {
  const counted = (path: string): string[] =>
    lintPaths([path]).flatMap(({ level, rule }) => (level === 'error' ? [rule] : []));
  expect(counted(DIST)).toEqual([]);
  expect(counted(join(DIST, 'prod'))).toEqual([]);
});

test('compares the quota of each environment with its own machines', () => {
  const rows = fitRows([DIST]);
  expect(new Set(rows.map(({ environment }) => environment))).toEqual(
    new Set(['dev', 'prod', 'stage']),
  );
  expect(new Set(rows.map((row) => row.fits))).toEqual(new Set(['yes']));
});

test('shows a promotion where it takes effect', async () => {
  const { program, project } = repository();
  program.run(replacing('environments/prod.json', 'v1.33.6+rke2r1', 'v1.34.2+rke2r1'));
  const found = await reviewProject(project.folder, { base: 'HEAD', committed: ['dist'] });
  expect(found.environments.map(({ name }) => name)).toEqual(['dev', 'prod', 'stage']);
  expect(found.impacts.map(({ environment, effect }) => `${environment} ${effect}`)).toEqual([
    'prod restart',
  ]);
  expect(found.stops).toEqual([]);
  const text = printReview(found, 'markdown');
  expect(text).toContain('## `prod`');
  expect(text).toContain('`dev`, `stage`: no object changes, and no finding is new.');
});

test('shows an edit of the program in every environment', async () => {
  const { program, project } = repository();
  program.run(replacing('main.ts', 'Size.gibibytes(8)', 'Size.gibibytes(16)'));
  const found = await reviewProject(project.folder, { base: 'HEAD', committed: ['dist'] });
  const replaced = found.impacts.filter(({ effect }) => effect === 'replace');
  expect(replaced.map(({ environment, machines }) => [environment, machines])).toEqual([
    ['dev', 1],
    ['prod', 3],
    ['stage', 3],
  ]);
  expect(found.stops).toEqual(['losses']);
});

test('shows an environment that is removed as lost, and a new one as created', async () => {
  const { program, project } = repository();
  program.clean();
  program.run((sources) => {
    sources['environments/lab.json'] = sources['environments/dev.json']!;
    sources['main.ts'] = sources['main.ts']!.replace("['dev', 'stage', 'prod']", "['lab', 'prod']");
  });
  const found = await reviewProject(project.folder, { base: 'HEAD', committed: ['dist'] });
  const effects = (environment: string): string[] => [
    ...new Set(
      found.impacts.filter((each) => each.environment === environment).map((each) => each.effect),
    ),
  ];
  expect(effects('lab')).toEqual(['create']);
  expect(effects('prod')).toEqual([]);
  expect(effects('dev')).toContain('kept');
});
