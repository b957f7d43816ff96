import { netConfOf } from './net-conf.check';
import { GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT } from './vm-network.kind';
import { Manifest, valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { perTarget } from '../context.rules';

/** What a network with a VLAN is to others of its namespace: bridge and VLAN. */
function placeOf(manifest: Manifest): string | undefined {
  const { bridge, vlan } = netConfOf(valueAt(manifest, 'spec', 'config')) ?? {};
  return bridge && vlan ? `${manifest.metadata.namespace ?? 'default'} ${bridge} ${vlan}` : undefined;
}

const firstByPlace = perTarget(GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT, (networks) => {
  const first = new Map<string, string>();
  for (const { manifest } of networks) {
    const place = placeOf(manifest);
    if (place !== undefined && !first.has(place)) { first.set(place, manifest.metadata.name); }
  }
  return first;
});

const TWICE: Rule = {
  id: 'network-attachment/vlan-twice',
  level: 'warning',
  kinds: [`${GROUP_ATTACHMENT}/${KIND_NETWORK_ATTACHMENT}`],
  what: 'a VLAN of a cluster network has one network in a namespace: two are the same network under two names, and IP pools are for only one of them',
  source: 'harvester/docs networking/harvester-network.md',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const place = object.target.kind === 'harvester' ? placeOf(object.manifest) : undefined;
    const first = place === undefined ? undefined : firstByPlace(object, world).get(place);
    if (first === undefined || first === object.manifest.metadata.name) { return; }
    const vlan = netConfOf(valueAt(object.manifest, 'spec', 'config'))?.vlan;
    yield { path: 'spec.config.vlan', value: vlan, message: `is also the VLAN of the network ${first}`, fix: 'correct the VLAN, or use one network' };
  },
};

/** Rules for networks with one VLAN. */
export const VLAN_TWICE_RULES: readonly Rule[] = [TWICE];
