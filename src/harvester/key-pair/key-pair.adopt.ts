import { Inverse, textAt, unless } from '../../core/draft/inverse';
import { kindKey } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { namespacedProps } from '../harvester-object.adopt';

/** From a KeyPair to the construct. */
export const KEY_PAIR_INVERSE: Inverse = {
  kinds: [kindKey(GROUPS.HARVESTER, 'KeyPair')],
  drafts: (object) => {
    const props = { ...namespacedProps(object), publicKey: textAt(object.manifest, 'spec', 'publicKey')?.trim() };
    return { type: 'KeyPair', id: object.manifest.metadata.name, props, declares: [object] };
  },
  existing: ({ namespace, name }) => ({ type: 'KeyPair', method: 'fromName', props: { namespace: unless(namespace, 'default'), name } }),
};
