import { readFileSync, writeFileSync } from 'fs';
import { join } from 'path';
import { stringify } from 'yaml';
import { fits } from '../../../../src/commands';
import { machine } from '../../../support/machines';
import { runCli } from '../../../support/run-cli';
import { tempFolder } from '../../../support/temp';
import { tenant } from '../../../support/tenancy';

function folder(limitsMemory: string): string {
  const root = tempFolder();
  const quota = tenant('default', 'c-1:payments', {
    'field.cattle.io/resourceQuota': JSON.stringify({ limit: { limitsMemory } }),
  });
  writeFileSync(
    join(root, 'all.yaml'),
    [quota, machine('web')].map((object) => stringify(object)).join('---\n'),
  );
  return root;
}

test.each([
  ['8Gi', 0, 'yes'],
  ['1Gi', 3, 'no'],
])('reads any folder of YAML: a quota of %s exits with %d', async (limit, code, verdict) => {
  const { stdout, exitCode } = await runCli('fits', folder(limit), '--target-kind', 'harvester');
  expect(exitCode).toBe(code);
  expect(stdout).toMatch(
    new RegExp(
      `^Namespace default on harvester\n.*\n +limitsMemory +${limit} .* ${verdict}\n +limitsMemory: used by VirtualMachine default/web `,
      'm',
    ),
  );
});

test('writes JSON to a file, and judges by a version', async () => {
  const file = join(tempFolder(), 'fits.json');
  const needs = async (version: string): Promise<string> => {
    await runCli(
      'fits',
      folder('8Gi'),
      '--target-kind',
      'harvester',
      '--harvester-version',
      version,
      '--output',
      'json',
      '--output-file',
      file,
    );
    return JSON.parse(readFileSync(file, 'utf8'))[0].needs;
  };
  expect([await needs('1.7.2'), await needs('1.4.3')]).toEqual(['1.44Gi', '1.41Gi']);
});

test('counts what is live, and is a function, too', async () => {
  const root = tempFolder();
  writeFileSync(
    join(root, 'machine.yaml'),
    stringify({ ...machine('db'), metadata: { ...machine('db').metadata, uid: 'u' } }),
  );
  const { rows } = await fits([folder('8Gi')], { targetKind: 'harvester', world: [root] });
  const [row] = rows;
  expect(row.users.map((user) => user.replace(/ \([\d.]+Gi\)$/, ''))).toEqual([
    'VirtualMachine default/web',
    'VirtualMachine default/db',
  ]);
});

test('lint reports what does not fit', async () => {
  const { stdout, exitCode } = await runCli('lint', folder('1Gi'), '--target-kind', 'harvester');
  expect([exitCode, stdout.includes('quota/fits')]).toEqual([3, true]);
});

test('impact reports an edit after which a machine no longer fits', async () => {
  const { stdout, exitCode } = await runCli('impact', folder('1Gi'), '--before', folder('8Gi'));
  expect([
    exitCode,
    stdout.includes('refuse  not enough limitsMemory: 1.44Gi of 1Gi are needed'),
  ]).toEqual([3, true]);
});

test('exits with 1 if a path does not exist', async () => {
  expect((await runCli('fits', join(tempFolder(), 'none'))).exitCode).toBe(1);
});
