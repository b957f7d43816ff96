import { checkAttachment, checkRouteText } from './vm-network.check';
import { netConfOf, NetConf, VlanTrunk, GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT, ANNOTATION_ROUTE, CNI, STORAGE_NETWORK, VM_NETWORK_DESCRIPTION } from './vm-network.kind';
import { immutableRule } from '../../core/immutable/immutable-fields.rules';
import { isLate } from '../../core/late/late-token';
import { Manifest, valueAt, annotationsOf, isFromServer, labelsOf, objectLabel, sameValue } from '../../core/manifest/manifest';
import { GROUP_HARVESTER_NETWORK } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { hasFeature, lacksFeature } from '../../core/version/target-features';
import { effectiveMtu } from '../cluster-network/cluster-network.check';
import { attachmentNetwork, judgeKnown, networkMtu } from '../cluster-network/cluster-network.rules';
import { perTarget, settingContext, some, specOf, valueBeside } from '../context.rules';
import { networkOf } from '../settings/catalogue/network.check';
import { HarvesterGate } from '../version/harvester-version';

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
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const place = object.target.kind === 'harvester' ? placeOf(object.manifest) : undefined;
    const first = place === undefined ? undefined : firstByPlace(object, world).get(place);
    if (first === undefined || first === object.manifest.metadata.name) { return NO_PROBLEMS; }
    const vlan = netConfOf(valueAt(object.manifest, 'spec', 'config'))?.vlan;
    return [{ path: 'spec.config.vlan', value: vlan, message: `is also the VLAN of the network ${first}`, fix: 'correct the VLAN, or use one network' }];
  },
};

/** Rules for networks with one VLAN. */
export const VLAN_TWICE_RULES: readonly Rule[] = [TWICE];

const KINDS = ['k8s.cni.cncf.io/NetworkAttachmentDefinition'];
const VALIDATOR = 'harvester/network-controller-harvester:pkg/webhook/nad/validator.go';
const ROUTE_PATH = `metadata.annotations[${ANNOTATION_ROUTE}]`;

// Multus runs on other clusters too, where the rules of Harvester do not apply
function isHarvesters({ manifest, target }: JudgedObject): boolean {
  if (target.kind) { return target.kind === 'harvester'; }
  return [...Object.keys(labelsOf(manifest)), ...Object.keys(annotationsOf(manifest))].some((key) => key.startsWith(`${GROUP_HARVESTER_NETWORK}/`));
}

const CONFIG: Rule = {
  id: 'network-attachment/config',
  level: 'error',
  kinds: KINDS,
  what: 'the config of a network has the bridge of a cluster network and valid VLANs, and matches the labels',
  source: `${VALIDATOR}; pkg/utils/nad.go`,
  judge(object: JudgedObject): Iterable<Problem> {
    if (!isHarvesters(object)) { return NO_PROBLEMS; }
    const { manifest, target } = object;
    const { name, namespace = 'default' } = manifest.metadata;
    return checkAttachment(specOf(manifest).config, { name, namespace, labels: labelsOf(manifest) }, {
      lacksTrunk: lacksFeature(target, HarvesterGate.NETWORK_TRUNK),
      lacksOverlay: lacksFeature(target, HarvesterGate.NETWORK_OVERLAY),
      overlayAnywhere: hasFeature(target, HarvesterGate.HOST_NETWORK_CONFIG),
    });
  },
};

const ROUTE: Rule = {
  id: 'network-attachment/route',
  level: 'error',
  kinds: KINDS,
  what: 'the route of a network is auto, or manual with a range and a gateway',
  source: 'harvester/network-controller-harvester:pkg/utils/nad.go NewLayer3NetworkConf',
  judge(object: JudgedObject): Iterable<Problem> {
    if (isHarvesters(object)) { return checkRouteText(ROUTE_PATH, annotationsOf(object.manifest)[ANNOTATION_ROUTE]); }
    return NO_PROBLEMS;
  },
};

const NETWORK: Rule = {
  id: 'network-attachment/cluster-network',
  level: 'error',
  kinds: KINDS,
  what: 'the cluster network of a network exists, if the cluster networks are known',
  source: `${VALIDATOR} checkNadConfig; seen on network-controller-harvester 1.8.2`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (!isHarvesters(object) || hasFeature(object.target, HarvesterGate.CLUSTER_NETWORK_MUST_EXIST) === false) { return NO_PROBLEMS; }
    const network = attachmentNetwork(object.manifest);
    if (network === undefined || isLate(network)) { return NO_PROBLEMS; }
    return judgeKnown(object, world, 'spec.config.bridge', network, `clusternetworks.network.harvesterhci.io "${network}" not found`);
  },
};

const MTU: Rule = {
  id: 'network-attachment/mtu',
  level: 'warning',
  kinds: KINDS,
  what: 'the MTU of a network is that of its cluster network, with which the server overwrites any other',
  source: 'harvester/network-controller-harvester:pkg/webhook/nad/mutator.go patchMTU; pkg/webhook/nad/validator.go',
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const conf = isHarvesters(object) ? netConfOf(specOf(object.manifest).config) : undefined;
    const network = attachmentNetwork(object.manifest);
    if (!conf || conf.type === CNI.KUBE_OVN || network === undefined) { return NO_PROBLEMS; }
    const mtu = networkMtu(object, world, network);
    if (mtu === undefined || mtu === effectiveMtu(conf.mtu)) { return NO_PROBLEMS; }
    return [{
      path: 'spec.config.mtu',
      ...(conf.mtu === 0 ? {} : { value: conf.mtu }),
      message: `must be ${mtu}, the MTU of the cluster network ${network}, got ${effectiveMtu(conf.mtu)}: the server overwrites that of a new network, and refuses a change`,
      fix: `set "mtu":${mtu}`,
      says: `nad MTU ${conf.mtu} does not match cluster network MTU ${mtu}`,
    }];
  },
};

const STORAGE_VLAN: Rule = {
  id: 'network-attachment/storage-vlan',
  level: 'error',
  kinds: KINDS,
  what: 'the exclusive VLAN of the storage network carries no other network',
  source: 'harvester/network-controller-harvester master (Harvester 1.9); unconfirmed (not verified on a running system)',
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const conf = isHarvesters(object) ? netConfOf(specOf(object.manifest).config) : undefined;
    if (!conf || isStorageNetwork(object.manifest)) { return NO_PROBLEMS; }
    const storage = networkOf('storage-network', valueBeside(object, world, 'storage-network') ?? '', settingContext(object.target));
    if (!storage?.exclusiveVlan || storage.vlan < 2) { return NO_PROBLEMS; }
    if (storage.clusterNetwork !== attachmentNetwork(object.manifest) || !carries(conf, storage.vlan)) { return NO_PROBLEMS; }
    return [{
      path: conf.vlan === storage.vlan ? 'spec.config.vlan' : 'spec.config.vlanTrunk',
      value: storage.vlan,
      level: hasFeature(object.target, HarvesterGate.STORAGE_VLAN_EXCLUSIVE) === true ? 'error' : 'warning',
      message: 'cannot be the VLAN that the setting storage-network reserves exclusively',
      fix: 'use a different VLAN, or remove exclusiveVlan from the setting',
      says: `vlan ${storage.vlan} is exclusively reserved for storage network`,
    }];
  },
};

function isStorageNetwork({ metadata }: Manifest): boolean {
  return metadata.namespace === STORAGE_NETWORK.NAMESPACE && metadata.name.startsWith(STORAGE_NETWORK.PREFIX);
}

function carries({ vlan, vlanTrunk = [] }: NetConf, wanted: number): boolean {
  const inRange = ({ id, minID = Infinity, maxID = -Infinity }: VlanTrunk = {}) => id === wanted || (minID <= wanted && wanted <= maxID);
  return vlan === wanted || vlanTrunk.some(inRange);
}

const IMMUTABLE = immutableRule('network-attachment/update', VM_NETWORK_DESCRIPTION);

const UPDATE: Rule = {
  ...IMMUTABLE,
  *judgeUpdate(object: JudgedObject, before: Manifest, world: World): Iterable<Problem> {
    if (!isHarvesters(object)) { return; }
    const problems = [...IMMUTABLE.judgeUpdate(object, before, world)];
    yield* problems;
    const [now, old] = [object.manifest, before].map((manifest) => netConfOf(specOf(manifest).config));
    if (problems.length === 0 && now && old && !isFromServer(before) && changes(now, old)) {
      yield {
        path: 'spec.config', level: 'warning', message: 'cannot be changed while virtual machines on this network run', fix: 'stop the VMs first', says: 'it\'s still used by VM(s) … which must be stopped at first',
      };
    }
  },
};

function changes(now: NetConf, old: NetConf): boolean {
  return now.vlan !== old.vlan || !sameValue(now.vlanTrunk, old.vlanTrunk) || effectiveMtu(now.mtu) !== effectiveMtu(old.mtu);
}

const DELETION: Rule = {
  id: 'network-attachment/in-use',
  level: 'error',
  kinds: KINDS,
  what: 'a network cannot be deleted while virtual machines or Subnets of Kube-OVN use it',
  source: `${VALIDATOR} checkVM, checkSubnetsUsingNAD`,
  *judgeDeletion(gone: JudgedObject, world: World): Iterable<Problem> {
    if (!isHarvesters(gone)) { return; }
    const { name, namespace = 'default' } = gone.manifest.metadata;
    const id = `${namespace}/${name}`;
    const machines = world.beside(gone, 'kubevirt.io', 'VirtualMachine').filter(({ manifest }) => usesNetwork(manifest, id));
    const subnets = world.beside(gone, 'kubeovn.io', 'Subnet').filter(({ manifest }) => valueAt(manifest, 'spec', 'provider') === `${name}.${namespace}.ovn`);
    const users = [...machines, ...subnets];
    if (users.length === 0) { return; }
    yield {
      path: '',
      message: `cannot be deleted while ${some(users.map(({ manifest }) => objectLabel(manifest)))} use it`,
      fix: 'remove it from them in an earlier step',
      says: machines.length > 0
        ? `it's still used by VM(s) ${machines.map(({ manifest }) => manifest.metadata.name).join(', ')} which must remove the related networks and interfaces`
        : `subnet ${subnets[0]!.manifest.metadata.name} is still using the nad ${name} ${namespace}`,
    };
  },
};

function usesNetwork(machine: Manifest, id: string): boolean {
  const networks = valueAt(machine, 'spec', 'template', 'spec', 'networks');
  const own = machine.metadata.namespace ?? 'default';
  return Array.isArray(networks) && networks.some((network) => {
    const name = valueAt(network, 'multus', 'networkName');
    return typeof name === 'string' && (name.includes('/') ? name : `${own}/${name}`) === id;
  });
}

/** Rules on VM networks. */
export const NETWORK_ATTACHMENT_RULES: readonly Rule[] = [CONFIG, ROUTE, NETWORK, MTU, STORAGE_VLAN, UPDATE, DELETION];
