import { inverseOf, textAt } from '../../core/draft/draft';
import { kindKey } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { namespacedProps } from '../harvester-object.adopt';

/** From a KeyPair to the construct. */
export const KEY_PAIR_INVERSE = inverseOf(
  'KeyPair',
  kindKey(GROUPS.HARVESTER, 'KeyPair'),
  (manifest, object) => ({
    ...namespacedProps(object),
    publicKey: textAt(manifest, 'spec', 'publicKey')?.trim(),
  }),
);
