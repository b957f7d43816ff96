import { judge } from '../../../src/core/rule/judge';
import { World } from '../../../src/core/rule/rule';
import { SHAPE_RULES } from '../../../src/core/shape/shape.rules';
import { withFamilies, withValues } from '../../support/recordings';

/**
 * What running servers took and answered with, which therefore has the structure of the
 * definitions.
 */
test.each(withFamilies())(
  'nothing is found in what running servers accepted and answered: $title',
  ({ product, generation, objects }) => {
    const target =
      product === 'rancher'
        ? ({ name: 'rancher', kind: 'rancher', rancherVersion: generation.rancher } as const)
        : ({ name: 'dc1', kind: 'harvester', harvesterVersion: generation.harvester } as const);
    const accepted = objects.filter(({ answers }) => answers.at(-1)!.status < 300);
    // of an object that is gone nothing but that is recorded
    const manifests = accepted
      .flatMap(({ applied, states }) => [applied, ...states.map(({ object }) => object)])
      .filter(({ kind }) => kind !== undefined);
    expect(manifests.length).toBeGreaterThan(0);
    for (const manifest of manifests) {
      expect(judge(SHAPE_RULES, new World([{ manifest: withValues(manifest), target }]))).toEqual(
        [],
      );
    }
  },
);
