import { judge } from '../../../src/core/rule/judge';
import { JudgedObject, JudgedTarget, World } from '../../../src/core/rule/rule';
import { ALL_RULES } from '../../../src/registry/all-rules';
import { withFamilies, withValues } from '../../support/recordings';

const scenarios = withFamilies().map(({ title, product, generation, objects }) => ({
  title,
  target: (product === 'harvester'
    ? { name: 'dc1', kind: 'harvester', harvesterVersion: generation.harvester }
    : {
        name: 'rancher',
        kind: 'rancher',
        rancherVersion: generation.rancher,
      }) satisfies JudgedTarget as JudgedTarget,
  accepted: objects.filter(({ answers }) =>
    answers.some(({ status }) => status === 200 || status === 201),
  ),
}));

const errorsOf = (objects: readonly JudgedObject[], live: readonly JudgedObject[] = []): string[] =>
  judge(ALL_RULES, new World(objects, live))
    .filter(({ level }) => level === 'error')
    .map(
      ({ rule, path, message, object }) =>
        `${object?.kind} ${object?.name}: ${rule} ${path} ${message}`,
    );

describe.each(scenarios)('what the servers accepted in $title', ({ target, accepted }) => {
  const written = accepted.map(({ applied }) => ({ manifest: withValues(applied), target }));
  const last = accepted
    .flatMap(({ states }) => states.slice(-1))
    .filter(({ object }) => object?.kind !== undefined);
  // the recordings leave UIDs out, which every object of a server has
  const shown = last.map(({ object }) => ({
    manifest: withValues({ ...object, metadata: { ...object.metadata, uid: 'uid' } }),
    target,
  }));

  test('is not an error when it is written', () => {
    expect(accepted.length).toBeGreaterThan(0);
    expect(errorsOf(written)).toEqual([]);
  });

  test('is not an error when it is written again', () => {
    expect(errorsOf(written, shown)).toEqual([]);
  });

  test('is not an error as the servers show it afterwards', () => {
    expect(errorsOf(shown)).toEqual([]);
  });
});
