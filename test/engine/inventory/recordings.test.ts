import { standingOf } from '../../../src/engine/inventory/standing';
import { withFamilies } from '../../support/recordings';

const FIELD_MANAGER = 'cdk8s-harvester';

/**
 * Harvester 1.8.2 adds fields to its value and moves credentials out of it: the inventory remembers
 * what was written.
 */
const REWRITTEN = 'harvesterhci.io/v1beta1/Setting//containerd-registry';

test.each(withFamilies())(
  'an object that a server shows after its apply is as declared: $title',
  ({ objects }) => {
    const seen = objects.filter(({ states }) => states.length > 0);
    expect(seen.length).toBeGreaterThan(0);
    const differing = seen.filter(
      ({ applied, states }) =>
        !standingOf(applied, states.at(-1)!.object, { fieldManager: FIELD_MANAGER }).same,
    );
    expect(differing.map(({ object }) => object).filter((object) => object !== REWRITTEN)).toEqual(
      [],
    );
  },
);
