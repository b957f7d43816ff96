import { changesOf } from './changes';
import { JUDGED_TARGETS } from './compare';
import { chosenChanges, schemaOf } from './run';
import { Manifest } from '../../../src/core/manifest/manifest';

const TARGET = JUDGED_TARGETS.harvester;

const POOL: Manifest = {
  apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
  kind: 'IPPool',
  metadata: { name: 'web' },
  spec: { ranges: [{ subnet: '10.0.0.0/24' }] },
};

const whats = (mode: 'create' | 'edit'): string[] =>
  changesOf(POOL, schemaOf(POOL, TARGET), mode).map(({ what }) => what);

test('changes one field at a time: those of the object, unknown ones, and those that it lacks', () => {
  expect(whats('edit')).toEqual(
    expect.arrayContaining([
      'nothing',
      'a copy under another name',
      'remove spec',
      'spec.ranges[0].subnet = 7',
      'spec.ranges[0] = {"subnet":"10.0.0.0/24","notAField":"x"}',
      'notAField = "x"',
      'spec.ranges[0].gateway = 7',
      'spec.selector = "x"',
    ]),
  );
  expect(whats('create')).toContain('metadata.name = "Not_Valid!" of 10');
  expect(new Set(whats('create')).size).toBe(whats('create').length);
});

test('chooses the same changes each time', () => {
  const chosen = chosenChanges(POOL, 'create', TARGET);
  expect(chosenChanges(POOL, 'create', TARGET)).toEqual(chosen);
  expect(chosen[0]!.what).toBe('nothing');
});
