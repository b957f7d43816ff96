import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { Manifest } from '../../../src/core/manifest/manifest';
import { ALL_RULES } from '../../../src/core/rule/all-rules';
import { judge } from '../../../src/core/rule/judge';
import { JudgedObject, JudgedTarget, World } from '../../../src/core/rule/rule';

const FOLDER = join(__dirname, '..', '..', 'recordings');

interface RecordedObject {
  readonly object: string;
  readonly applied?: Manifest;
  readonly answers?: ReadonlyArray<{ readonly status: number }>;
  readonly states?: ReadonlyArray<{ readonly object: Manifest }>;
}

// what the recordings ran on
const RANCHER: JudgedTarget = { name: 'rancher', kind: 'rancher', rancherVersion: '2.13.8' };
const HARVESTER: JudgedTarget = { name: 'dc1', kind: 'harvester', harvesterVersion: '1.7.2' };

const scenarios = readdirSync(FOLDER).filter((file) => file.endsWith('.json')).map((file) => {
  const { objects } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as { objects: RecordedObject[] };
  const target = file.startsWith('harvester') ? HARVESTER : RANCHER;
  return { file, target, accepted: objects.filter(({ answers = [] }) => answers.some(({ status }) => status === 200 || status === 201)) };
});

const errorsOf = (objects: readonly JudgedObject[]): string[] => judge(ALL_RULES, new World(objects)).filter(({ level }) => level === 'error')
  .map(({ rule, path, message, object }) => `${object?.kind} ${object?.name}: ${rule} ${path} ${message}`);

describe.each(scenarios)('what the servers accepted in $file', ({ target, accepted }) => {
  test('is not an error when it is written', () => {
    expect(accepted.length).toBeGreaterThan(0);
    expect(errorsOf(accepted.flatMap(({ applied }) => (applied ? [{ manifest: applied, target }] : [])))).toEqual([]);
  });

  test('is not an error as the servers show it afterwards', () => {
    const last = accepted.flatMap(({ states = [] }) => states.slice(-1)).filter(({ object }) => object?.kind !== undefined);
    // the recordings leave UIDs out, which every object of a server has
    expect(errorsOf(last.map(({ object }) => ({ manifest: { ...object, metadata: { ...object.metadata, uid: 'uid' } }, target })))).toEqual([]);
  });
});
