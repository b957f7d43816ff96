import { chmodSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'fs';
import { join } from 'path';
import { Plan } from '../../../src/engine/plan/plan';
import { readPlan, writePlan } from '../../../src/engine/plan/plan-file';
import { tempFolder } from '../../support/temp';

const PLAN: Plan = {
  schemaVersion: '3',
  assembly: 'a',
  targets: [{ name: 'rancher', by: 'context prod' }],
  rolls: [],
  steps: [
    {
      id: 'i',
      target: 'rancher',
      action: 'create',
      changes: [],
      conflicts: [],
      waitsFor: [],
      digest: 'd',
    },
  ],
};

test('is read as it was written, by its owner alone, and leaves nothing else behind', () => {
  const folder = tempFolder();
  const file = join(folder, 'plan.json');
  writePlan(file, PLAN);
  writePlan(file, PLAN);
  expect(readPlan(file)).toEqual(PLAN);
  expect(statSync(file).mode % 0o1000).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['plan.json']);
});

test('goes through no link, and over no file that others read', () => {
  const folder = tempFolder();
  const [target, link] = [join(folder, 'target'), join(folder, 'link')];
  writeFileSync(target, 'mine', { mode: 0o600 });
  symlinkSync(target, link);
  expect(() => writePlan(link, PLAN)).toThrow(`${link}: must not be a symbolic link`);
  chmodSync(target, 0o644);
  expect(() => writePlan(target, PLAN)).toThrow(`${target}: others can read it`);
  expect(readFileSync(target, 'utf8')).toBe('mine');
});

test.each([
  ['no JSON', '{"schemaVersion":', 'is not valid JSON'],
  [
    'another version',
    '{"schemaVersion":"1"}',
    'schemaVersion must be 3, got 1, of another version of cdk8s-harvester. Fix: make a new plan with `cdk8s-harvester plan --write-plan`',
  ],
  ['a list', '[]', 'schemaVersion must be 3, got none'],
  [
    'a part of a plan',
    '{"schemaVersion":"3","assembly":"a","targets":[],"steps":[{"id":"x"}],"rolls":[]}',
    'is not a complete plan',
  ],
  [
    'an unknown action',
    JSON.stringify({ ...PLAN, steps: [{ ...PLAN.steps[0], action: 'drop' }] }),
    'is not a complete plan',
  ],
])('%s is refused', (_, text, words) => {
  const file = join(tempFolder(), 'plan.json');
  writeFileSync(file, text);
  expect(() => readPlan(file)).toThrow(words);
  expect(() => readPlan(file)).toThrow('cdk8s-harvester plan --write-plan');
});
