import { IP_POOL_FIELDS } from './ip-pool';
import { KIND_IP_POOL } from './ip-pool.kind';
import { SCOPE_DIMENSIONS } from './pool-selection.facts';
import { inverseOf, listAt } from '../../core/draft/draft';
import { kindKey, valueAt } from '../../core/manifest/manifest';
import { GROUP_LOAD_BALANCER } from '../../core/manifest/names';
import { isListedOnly, listedDescriptionProp } from '../harvester-object.adopt';

/** From an IPPool to the construct. */
export const IP_POOL_INVERSE = inverseOf(
  'IpPool',
  kindKey(GROUP_LOAD_BALANCER, KIND_IP_POOL),
  (manifest, object) => {
    const scopes = listAt(manifest, 'spec', 'selector', 'scope');
    // Harvester's UI writes all three
    const isSparse = scopes.some((scope) =>
      SCOPE_DIMENSIONS.some((dimension) => !valueAt(scope, dimension)),
    );
    const asWritten =
      isSparse || isListedOnly(manifest) || valueAt(manifest, 'spec', 'selector') === undefined;
    return {
      ...listedDescriptionProp(object),
      ...IP_POOL_FIELDS.read(object, asWritten),
      adopted: asWritten ? { asWritten } : undefined,
    };
  },
);
