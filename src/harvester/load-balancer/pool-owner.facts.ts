import { NAME_WITHOUT_HASH } from './address-plan.facts';
import { KIND_LOAD_BALANCER } from './load-balancer.kind';
import { Manifest, namespacedName } from '../../core/manifest/manifest';
import { JudgedTarget, World } from '../../core/rule/rule';
import { isLoadBalancer } from '../../guest/balancer/load-balancer-service.check';
import { HASH_LENGTH } from '../ip-pool/pool-selection.facts';

/**
 * Whether a load balancer that a pool allocated an address to is deleted in the same change: itself, or
 * the Service that the cloud provider created it for.
 *
 * @param owner as the status of the pool names it
 * @param harvester the target of the pool
 */
export function ownerIsGone(owner: string, harvester: JudgedTarget, world: World): boolean {
  return world
    .gone()
    .some(({ manifest, target }) =>
      manifest.kind === KIND_LOAD_BALANCER
        ? target.name === harvester.name && namespacedName(manifest) === owner
        : manifest.kind === 'Service' && isLoadBalancer(manifest) && isOwnerOf(manifest, owner),
    );
}

// the name of the guest cluster is not known here: only what follows it
function isOwnerOf({ metadata }: Manifest, owner: string): boolean {
  const { namespace = 'default', name } = metadata;
  const made = owner.slice(owner.indexOf('/') + 1, -HASH_LENGTH);
  const end = `-${namespace}-${name}-`;
  return made.endsWith(end) || (made.length === NAME_WITHOUT_HASH && isCutOff(made, end));
}

function isCutOff(made: string, end: string): boolean {
  const start = made.lastIndexOf(end.slice(0, end.indexOf('-', 1) + 1));
  return start > 0 && end.startsWith(made.slice(start));
}
