import { FieldFacts } from './compare';
import { Inverse } from '../../core/draft/draft';

/** What is known of the fields of an object that no inverse reads. */
export const NO_FACTS: FieldFacts = {
  defaults: {},
  own: [],
  filled: [],
  exact: [],
  overwritten: [],
};

/** What all inverses know of the fields of a kind. */
export function factsByKind(inverses: readonly Inverse[]): ReadonlyMap<string, FieldFacts> {
  const facts = new Map<string, FieldFacts>();
  for (const inverse of inverses) {
    for (const kind of inverse.kinds) {
      facts.set(kind, joined(facts.get(kind) ?? NO_FACTS, inverse));
    }
  }
  return facts;
}

function joined(
  known: FieldFacts,
  { defaults, own = [], filled = [], exact = [], overwritten = [] }: Inverse,
): FieldFacts {
  return {
    defaults: { ...known.defaults, ...defaults },
    own: [...known.own, ...own],
    filled: [...known.filled, ...filled],
    exact: [...known.exact, ...exact],
    overwritten: [...known.overwritten, ...overwritten],
  };
}
