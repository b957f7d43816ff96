import * as fs from 'node:fs';
import * as path from 'node:path';
import { ROOT, run } from './installed';
import {
  COMBINATIONS,
  describeInstalled,
  environment,
  filesIn,
  init,
  project,
  script,
  work,
} from './new-project';
import { blocksOfPages } from '../support/docs/blocks';

describeInstalled('a project in Python that init writes', () => {
  const venv = path.join(work, 'venv');
  const bin = path.join(venv, 'bin');

  beforeAll(() => {
    const dist = path.join(work, 'wheels');
    run(
      process.execPath,
      [
        path.join(ROOT, 'node_modules', 'jsii-pacmak', 'bin', 'jsii-pacmak'),
        '--target',
        'python',
        '--outdir',
        dist,
        '--no-npmignore',
        ROOT,
      ],
      ROOT,
      { ...process.env, JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION: '20' },
    );
    run('python3', ['-m', 'venv', venv], work);
    const [wheel] = fs
      .readdirSync(path.join(dist, 'python'))
      .filter((file) => file.endsWith('.whl'));
    run(
      path.join(bin, 'python'),
      ['-m', 'pip', 'install', '--quiet', path.join(dist, 'python', wheel), 'pytest>=8'],
      work,
    );
  }, 600_000);

  test.each([COMBINATIONS[0], COMBINATIONS[5]])('passes its own checks: %s', (...combination) => {
    const folder = fs.mkdtempSync(path.join(work, 'python-'));
    init(folder, 'python', combination);
    fs.symlinkSync(path.join(project, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
    const env = environment('node 22', [bin]);
    script(folder, 'synth', env);
    const first = filesIn(path.join(folder, 'dist'));
    const output = script(folder, 'check', env);
    expect(output).toContain('2 passed');
    expect(output).toContain('0 errors, ');
    script(folder, 'synth', env);
    expect(filesIn(path.join(folder, 'dist'))).toEqual(first);
  });

  test.each(blocksOfPages().filter(({ language }) => language === 'python'))(
    'passes the test of $name',
    ({ code }) => {
      const folder = fs.mkdtempSync(path.join(work, 'python-'));
      init(folder, 'python', COMBINATIONS[0]);
      fs.symlinkSync(path.join(project, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
      const env = environment('node 22', [bin]);
      script(folder, 'synth', env);
      fs.writeFileSync(path.join(folder, 'test_page.py'), code);
      expect(
        run(path.join(bin, 'python'), ['-m', 'pytest', 'test_page.py'], folder, env).stdout,
      ).toContain('2 passed');
    },
  );
});
