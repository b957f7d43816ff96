import { cpSync, mkdirSync, rmSync, writeFileSync } from 'fs';
import { join } from 'path';
import { impact } from '../../../src/engine';
import { environmentsIn } from '../../../src/engine/read/environments';
import { lint } from '../../../src/engine/read/lint';
import { tempFolder } from '../../support/temp';

const EXAMPLE = join(__dirname, '..', '..', '..', 'examples', 'reference-stack', 'dist');

/** A repository with the outputs of one program for several environments. */
function repository(...environments: readonly string[]): string {
  const folder = join(tempFolder(), 'dist');
  mkdirSync(folder);
  for (const environment of environments) {
    cpSync(EXAMPLE, join(folder, environment), { recursive: true });
  }
  return folder;
}

const brief = (folder: string, before?: string): string[] =>
  lint([folder], before === undefined ? {} : { before: [before] }).map(
    ({ level, rule, object }) => `${level} ${rule} ${object?.name ?? ''}`,
  );

test('judges three environments in one folder one by one', () => {
  const alone = brief(EXAMPLE);
  const together = brief(repository('dev', 'stage', 'prod'));
  expect(together).toEqual([...alone, ...alone, ...alone].sort());
});

test('judges manifests in none of the outputs as a world of their own', () => {
  const folder = repository('dev', 'prod');
  const shared = join(folder, 'shared.yaml');
  writeFileSync(shared, 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shared\n');
  expect(environmentsIn([folder], [], {})).toEqual([
    { paths: [join(folder, 'dev')], before: [] },
    { paths: [join(folder, 'prod')], before: [] },
    { paths: [shared], before: [] },
  ]);
});

test('joins output folders that are given one by one', () => {
  const folder = repository('rancher', 'harvester');
  const paths = [join(folder, 'rancher'), join(folder, 'harvester')];
  expect(environmentsIn(paths, [], {})).toEqual([{ paths, before: [] }]);
  expect(environmentsIn(paths, [folder], {})).toEqual([{ paths, before: [folder] }]);
});

test('compares each environment with its previous state', () => {
  const before = repository('dev', 'prod');
  const after = repository('dev', 'prod');
  expect(brief(after, before)).toEqual(brief(after));
  expect(impact([after], { before: [before] }).result).toEqual([]);
  rmSync(join(after, 'prod'), { recursive: true });
  const removed = brief(after, before).filter((finding) => finding.startsWith('error'));
  expect(removed.length).toBeGreaterThan(0);
  expect(brief(EXAMPLE, EXAMPLE)).not.toEqual(expect.arrayContaining(removed));
});
