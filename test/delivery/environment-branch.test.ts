import { execFileSync } from 'child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'fs';
import { join } from 'path';
import { Delivery, HarvesterApp, HarvesterChart } from '../../src';
import { configMap } from '../support/programs';
import { tempFolder } from '../support/temp';

const ENGINES: readonly (readonly [string, Delivery])[] = [
  ['Flux', Delivery.flux({ sourceName: 'platform', path: '.' })],
  ['Argo CD', Delivery.argoCd({ repository: 'https://git.example.com/platform.git', path: '.' })],
  ['Fleet', Delivery.fleet({ repository: 'https://git.example.com/platform.git', path: '.' })],
];

/** Files of other tools: next to the output, and in its folders. */
const OTHERS = [
  'README.md',
  '.sops.yaml',
  'apps/kustomization.yaml',
  'dc1/notes.txt',
  'flux/notifications.yaml',
];

/** A clone of the branch of an environment, which contains files of other tools. */
function branch(): string {
  const folder = tempFolder();
  git(folder, 'init', '--quiet');
  for (const file of OTHERS) {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), `# ${file}\n`);
  }
  commit(folder);
  return folder;
}

function git(folder: string, ...command: readonly string[]): string {
  return execFileSync(
    'git',
    ['-C', folder, '-c', 'user.name=ci', '-c', 'user.email=ci@example.com', ...command],
    { encoding: 'utf8' },
  );
}

function commit(folder: string): void {
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'render');
}

function render(folder: string, delivery: Delivery, ...names: readonly string[]): void {
  const app = new HarvesterApp({ outdir: folder, printWarnings: false, delivery });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2' });
  for (const name of names) {
    configMap(dc1, name, { key: name });
  }
  app.synth();
}

const changes = (folder: string): string[] =>
  git(folder, 'status', '--porcelain', '--untracked-files=all')
    .split('\n')
    .filter((line) => line !== '');

describe.each(ENGINES)('the branch of an environment for %s', (_, delivery) => {
  test('changes only with the program, and keeps the files of other tools', () => {
    const folder = branch();
    render(folder, delivery, 'a', 'b');
    expect(existsSync(join(folder, 'dc1', 'namespace-default', '15-configmap.yaml'))).toBe(true);
    commit(folder);
    render(folder, delivery, 'a', 'b');
    expect(changes(folder)).toEqual([]);
    render(folder, delivery, 'a');
    expect(changes(folder)).toEqual([
      ' M assembly.json',
      ' M dc1/namespace-default/15-configmap.yaml',
    ]);
    expect(
      readFileSync(join(folder, 'dc1', 'namespace-default', '15-configmap.yaml'), 'utf8'),
    ).not.toContain('key: b');
    commit(folder);
    render(folder, delivery);
    // the last object of a target takes its files with it, also those of the engine
    expect(
      changes(folder).filter(
        (line) => !/^ (M assembly\.json|D (dc1|flux|argo-cd|fleet)\/.*)$/.test(line),
      ),
    ).toEqual([]);
    expect(existsSync(join(folder, 'dc1', 'namespace-default', '15-configmap.yaml'))).toBe(false);
    expect(
      OTHERS.filter((file) => readFileSync(join(folder, file), 'utf8') !== `# ${file}\n`),
    ).toEqual([]);
  });

  test('has the same bytes, whatever was rendered into it before', () => {
    const [folder, other] = [branch(), tempFolder()];
    render(folder, delivery, 'c', 'a');
    render(folder, delivery, 'a', 'b');
    render(other, delivery, 'b', 'a');
    for (const file of OTHERS) {
      rmSync(join(folder, file));
    }
    rmSync(join(folder, '.git'), { recursive: true });
    const read = (root: string): { [file: string]: string } =>
      Object.fromEntries(
        readdirSync(root, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .map((file) => [file.slice(root.length), readFileSync(file, 'utf8')]),
      );
    expect(read(folder)).toEqual(read(other));
  });
});
