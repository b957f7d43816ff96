import { Inverse, textAt, byName, declare } from '../../core/draft/inverse';
import { kindKey } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { namespacedProps } from '../harvester-object.adopt';

/** From a KeyPair to the construct. */
export const KEY_PAIR_INVERSE: Inverse = {
  kinds: [kindKey(GROUPS.HARVESTER, 'KeyPair')],
  drafts: (object) => declare(object, 'KeyPair', { ...namespacedProps(object), publicKey: textAt(object.manifest, 'spec', 'publicKey')?.trim() }),
  existing: byName('KeyPair'),
};
