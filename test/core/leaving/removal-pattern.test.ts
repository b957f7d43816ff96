import { matchesPattern, patternsFor } from '../../../src/core/leaving/removal-pattern';
import { fc } from '../../support/properties';

const idsOf = (...names: string[]): string[] =>
  names.map((name) => `dc1/kubevirt.io/VirtualMachine/${name}`);

describe('patterns of objects that leave', () => {
  test('are the name that they have in common', () => {
    const leaving = [
      'dc1//Namespace//choreo',
      'rancher/management.cattle.io/Project/c-m-1/choreo',
      'dc1//Secret/choreo/choreo-k8s-token',
      'rancher//Secret/c-m-1-choreo/x',
    ];
    expect(patternsFor(leaving, idsOf('shop/web'))).toEqual(['*choreo*']);
  });

  test('are a longer name where an object that remains has the short one', () => {
    expect(patternsFor(idsOf('a/team-web-1', 'a/team-web-2'), idsOf('a/team-db', 'b/web'))).toEqual(
      ['*team-web*'],
    );
  });

  test('are the target where all of it leaves, and the IDs where they have nothing in common', () => {
    expect(patternsFor(['dc2//Namespace//one', 'dc2//Namespace//two'], idsOf('a/b'))).toEqual([
      'dc2/*',
    ]);
    expect(patternsFor(['dc1//Namespace//one', 'dc1//Namespace//two'], idsOf('a/b'))).toEqual([
      'dc1//Namespace//one',
      'dc1//Namespace//two',
    ]);
    expect(patternsFor(['dc1//Namespace//one'], [])).toEqual(['dc1//Namespace//one']);
  });

  test('match all that leaves and nothing that remains', () => {
    const word = fc.constantFrom('choreo', 'shop', 'k8s', 'net', 'choreography', 'a', 'x.y');
    const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('-'));
    const kind = fc.constantFrom('/Namespace', '/Secret', 'kubevirt.io/VirtualMachine');
    const id = fc
      .tuple(fc.constantFrom('dc1', 'dc2', 'choreo'), kind, fc.option(name, { nil: '' }), name)
      .map(([target, groupKind, namespace, own]) => `${target}/${groupKind}/${namespace}/${own}`);
    const ids = fc.uniqueArray(id, { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(ids, fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }), (all, leaves) => {
        const leaving = all.filter((_, at) => leaves[at] || at === 0);
        const patterns = patternsFor(
          leaving,
          all.filter((each) => !leaving.includes(each)),
        );
        expect(
          all.filter((each) => patterns.some((pattern) => matchesPattern(pattern, each))),
        ).toEqual(leaving);
        expect(patterns.length).toBeLessThanOrEqual(leaving.length);
      }),
      { numRuns: 1_000, seed: 26 },
    );
  });
});
