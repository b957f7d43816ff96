import { Inverse, mapAt } from '../../core/draft/inverse';

/** Secrets that no construct declares: their values are not read, and an ApiObject without them would empty the live one. */
export const SECRET_INVERSE: Inverse = {
  kinds: ['/Secret'],
  notPlain: ({ manifest }) => (mapAt(manifest, 'data') ?? mapAt(manifest, 'stringData') ? 'holds values that are not read' : undefined),
};
