import { KIND_IP_POOL } from './ip-pool.kind';
import { ANY_OF_SCOPE } from './pool-selection.facts';
import {
  StaticCall,
  call,
  inverseOf,
  listAt,
  numberAt,
  referOn,
  textAt,
  unless,
} from '../../core/draft/draft';
import { kindKey, valueAt } from '../../core/manifest/manifest';
import { GROUP_LOAD_BALANCER } from '../../core/manifest/names';
import { isListedOnly, listedDescriptionProp } from '../harvester-object.adopt';
import { GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT } from '../network/vm-network.kind';

/** From an IPPool to the construct. */
export const IP_POOL_INVERSE = inverseOf(
  'IpPool',
  kindKey(GROUP_LOAD_BALANCER, KIND_IP_POOL),
  (manifest, object) => {
    const { target } = object;
    const [namespace, network] = textAt(manifest, 'spec', 'selector', 'network')?.split('/') ?? [];
    const ranges = listAt(manifest, 'spec', 'ranges');
    const found = listAt(manifest, 'spec', 'selector', 'scope');
    // Harvester's UI writes all three
    const isSparse = found.some((scope) => SCOPE_FIELDS.some((field) => !valueAt(scope, field)));
    const asWritten =
      isSparse || isListedOnly(manifest) || valueAt(manifest, 'spec', 'selector') === undefined;
    const scopes = found.map((scope) => scopeOf(scope, asWritten));
    const common = {
      ...listedDescriptionProp(object),
      network:
        network === undefined
          ? undefined
          : referOn(target, kindKey(GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT), network, namespace),
    };
    return {
      ...common,
      ranges: ranges.map(({ subnet, rangeStart: start, rangeEnd: end, gateway }) => ({
        subnet,
        start,
        end,
        gateway,
      })),
      scopes: scopes.length > 0 ? scopes : undefined,
      priority: unless(numberAt(manifest, 'spec', 'selector', 'priority'), 0),
      adopted: asWritten ? { asWritten } : undefined,
    };
  },
);

const SCOPE_FIELDS = ['project', 'namespace', 'guestCluster'] as const;

function scopeOf(
  scope: { readonly [field: string]: string | undefined },
  asWritten: boolean,
): StaticCall {
  const fields = Object.fromEntries(
    SCOPE_FIELDS.map((field) => [
      field,
      asWritten ? scope[field] : unless(scope[field], ANY_OF_SCOPE),
    ]),
  );
  return Object.values(fields).every((each) => each === undefined)
    ? call('IpPoolScope', 'everything')
    : call('IpPoolScope', 'of', fields);
}
