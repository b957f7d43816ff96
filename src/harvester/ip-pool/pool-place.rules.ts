import { KIND_IP_POOL } from './ip-pool.kind';
import { holds, printRange, readPool } from './pool-selection.check';
import { contains, parseCidr, printNetwork } from '../../core/go/go-ip';
import { isLate } from '../../core/late/late-token';
import { annotationsOf, namespacedName } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { perTarget } from '../context.rules';
import { GROUP_LOAD_BALANCER } from '../load-balancer/load-balancer.kind';
import { ANNOTATION_ROUTE, GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT } from '../network/vm-network.kind';

const KINDS = [`${GROUP_LOAD_BALANCER}/${KIND_IP_POOL}`];

/** The ranges of networks that a user set, by the name of the network. */
export const networkRanges = perTarget(GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT, (networks) => new Map(networks.flatMap(({ manifest }) => {
  const route = annotationsOf(manifest)[ANNOTATION_ROUTE];
  const text = typeof route === 'string' ? /"cidr"\s*:\s*"([^"]+)"/.exec(route)?.[1] : undefined;
  const cidr = text === undefined || isLate(text) ? undefined : parseCidr(text);
  return cidr ? [[namespacedName(manifest), cidr] as const] : [];
})));

const VIP: Rule = {
  id: 'ip-pool/management-address',
  level: 'error',
  kinds: KINDS,
  what: 'no pool contains the management address of its Harvester cluster, which a load balancer would get',
  source: 'harvester/load-balancer-harvester:pkg/ipam/allocator.go, which knows only the gateway and its own allocations',
  *judge({ manifest, target: { vip } }: JudgedObject): Iterable<Problem> {
    if (vip === undefined || isLate(vip)) { return; }
    const range = readPool(manifest).ranges.find((each) => holds(each, vip));
    if (!range) { return; }
    yield {
      path: 'spec.ranges',
      value: printRange(range),
      message: `must not contain ${vip}, the management address of the Harvester cluster: a load balancer would get it`,
      fix: 'exclude it with rangeStart and rangeEnd',
    };
  },
};

const NETWORK_RANGE: Rule = {
  id: 'ip-pool/network-range',
  level: 'warning',
  kinds: KINDS,
  what: 'the addresses of a pool are in the range of its network, if that is known: others are not routed there',
  source: 'harvester/docs networking/ippool.md, networking/harvester-network.md',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { network, ranges } = readPool(object.manifest);
    const known = network === '' ? undefined : networkRanges(object, world).get(network);
    for (const range of known ? ranges : []) {
      const ends = [range.first, range.last].map((bits) => ({ family: range.family, bits }));
      if (known!.family !== range.family || ends.every((ip) => contains(known!, ip))) { continue; }
      yield {
        path: 'spec.ranges', value: printRange(range), message: `must be in ${printNetwork(known!)}, the range of the network ${network}`, fix: 'correct the range, or the route of the network',
      };
    }
  },
};

/** Rules for the place of a pool's addresses. */
export const POOL_PLACE_RULES: readonly Rule[] = [VIP, NETWORK_RANGE];
