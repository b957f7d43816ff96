import { checkClusterNetworkName, checkMtu, checkVlanConfig, DEFAULT_MTU, effectiveMtu } from './cluster-network.check';
import { ANNOTATION_UPLINK_MTU, LABEL_CLUSTER_NETWORK, LABEL_WITNESS, MGMT_CLUSTER_NETWORK } from './cluster-network.kind';
import { isLate } from '../../core/late/late-token';
import { annotationsOf, isFromServer, isRecord, labelsOf, Manifest, objectLabel, sameValue, valueAt } from '../../core/manifest/manifest';
import { GROUP_HARVESTER_NETWORK } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { grouped } from '../../core/text/values';
import { hasFeature } from '../../core/version/target-features';
import { perTarget, some, specOf } from '../context.rules';
import { clusterNetworkOf } from '../network/vm-network.check';
import { netConfOf, GROUP_ATTACHMENT } from '../network/vm-network.kind';
import { knownNodes } from '../node/node.rules';
import { HarvesterGate } from '../version/harvester-version';

const VLAN_CONFIG_KINDS = ['network.harvesterhci.io/VlanConfig'];
const VLAN_CONFIG_VALIDATOR = 'harvester/network-controller-harvester:pkg/webhook/vlanconfig/validator.go';

const SPEC: Rule = {
  id: 'vlan-config/spec',
  level: 'error',
  kinds: VLAN_CONFIG_KINDS,
  what: 'a VlanConfig has uplinks for a cluster network other than mgmt, with a valid MTU and bond mode',
  source: VLAN_CONFIG_VALIDATOR,
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    for (const problem of checkVlanConfig(specOf(manifest))) {
      // Harvester created that one
      if (!(isFromServer(manifest) && specOf(manifest).clusterNetwork === MGMT_CLUSTER_NETWORK)) { yield problem; }
    }
  },
};

const NETWORK: Rule = {
  id: 'vlan-config/cluster-network',
  level: 'error',
  kinds: VLAN_CONFIG_KINDS,
  what: 'the cluster network of a VlanConfig exists, if the cluster networks are known',
  source: `${VLAN_CONFIG_VALIDATOR}; Harvester 1.6.1 and later, earlier versions create it`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (hasFeature(object.target, HarvesterGate.CLUSTER_NETWORK_MUST_EXIST) === false) { return NO_PROBLEMS; }
    const { clusterNetwork } = specOf(object.manifest);
    return judgeKnown(object, world, 'spec.clusterNetwork', clusterNetwork, `it refers to a none-existing cluster network ${plainText(clusterNetwork)}`);
  },
};

function others(object: JudgedObject, world: World): readonly JudgedObject[] {
  const { clusterNetwork } = specOf(object.manifest);
  if (typeof clusterNetwork !== 'string' || isLate(clusterNetwork)) { return []; }
  const { name } = object.manifest.metadata;
  return (vlanConfigsBeside(object, world).get(clusterNetwork) ?? []).filter(({ manifest }) => manifest.metadata.name !== name);
}

const VLAN_CONFIG_MTU: Rule = {
  id: 'vlan-config/mtu',
  level: 'error',
  kinds: VLAN_CONFIG_KINDS,
  what: 'all VlanConfigs of a cluster network have one MTU',
  source: `${VLAN_CONFIG_VALIDATOR} validateMTU`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (isLate(valueAt(object.manifest, 'spec', 'uplink', 'linkAttributes', 'mtu'))) { return NO_PROBLEMS; }
    const mtu = mtuOf(object.manifest);
    const other = others(object, world).find(({ manifest }) => mtuOf(manifest) !== mtu);
    if (!other) { return NO_PROBLEMS; }
    const { name } = object.manifest.metadata;
    const { name: otherName } = other.manifest.metadata;
    return [{
      path: 'spec.uplink.linkAttributes.mtu',
      value: mtu,
      message: `must be ${mtuOf(other.manifest)}, the MTU of the VlanConfig ${otherName} of this cluster network`,
      fix: 'use one MTU for all of them',
      says: `the vlanconfig ${name} MTU ${mtu} is different with another vlanconfig ${otherName} MTU ${mtuOf(other.manifest)}, all vlanconfigs on one clusternetwork need to have same MTU`,
    }];
  },
};

const OVERLAP: Rule = {
  id: 'vlan-config/overlap',
  level: 'error',
  kinds: VLAN_CONFIG_KINDS,
  what: 'a node has only one VlanConfig of a cluster network',
  source: `${VLAN_CONFIG_VALIDATOR} checkOverlaps`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const nodes = nodesBeside(object, world);
    const { nodeSelector } = specOf(object.manifest);
    for (const { manifest } of others(object, world)) {
      const theirs = specOf(manifest).nodeSelector;
      const shared = nodes.filter((node) => matches(node, nodeSelector) && matches(node, theirs)).map(({ metadata }) => metadata.name);
      // the nodes are seldom known; two VlanConfigs for all nodes, or with one selector, surely overlap
      const surely = isForAll(nodeSelector) || isForAll(theirs) || sameValue(nodeSelector, theirs);
      if (shared.length === 0 && (nodes.length > 0 || !surely)) { continue; }
      yield {
        path: 'spec.nodeSelector',
        ...(nodeSelector === undefined ? {} : { value: nodeSelector }),
        level: shared.length > 0 ? 'error' : 'warning',
        message: shared.length > 0
          ? `cannot select ${some(shared)}, which the VlanConfig ${manifest.metadata.name} of this cluster network selects`
          : `cannot overlap the VlanConfig ${manifest.metadata.name} of this cluster network`,
        fix: 'select different nodes in each of them',
        says: `it overlaps with other vlanconfigs matching node(s) [${shared.join(' ')}]`,
      };
      return;
    }
  },
};

function isForAll(selector: unknown): boolean {
  return !isRecord(selector) || Object.keys(selector).length === 0;
}

const NODES: Rule = {
  id: 'vlan-config/nodes',
  level: 'warning',
  kinds: VLAN_CONFIG_KINDS,
  what: 'a VlanConfig selects a node, if the nodes are known',
  source: `${VLAN_CONFIG_VALIDATOR} getMatchNodes; seen on Harvester 1.7.2, whose webhook fails at the next update of such a VlanConfig`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const nodes = nodesBeside(object, world);
    const { nodeSelector } = specOf(object.manifest);
    if (nodes.length > 0 && isRecord(nodeSelector) && !nodes.some((node) => matches(node, nodeSelector))) {
      return [{ path: 'spec.nodeSelector', value: nodeSelector, message: 'must match a node: none of the known nodes gets these uplinks', fix: 'use labels of the nodes' }];
    }
    return NO_PROBLEMS;
  },
};

const LABEL: Rule = {
  id: 'vlan-config/label',
  level: 'error',
  kinds: VLAN_CONFIG_KINDS,
  what: 'the label with the cluster network matches the spec, and is not removed',
  source: 'harvester/network-controller-harvester:pkg/webhook/vlanconfig/mutator.go',
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = object;
    if (world.exists(object)) { return NO_PROBLEMS; }
    const label = labelsOf(manifest)[LABEL_CLUSTER_NETWORK];
    const { clusterNetwork } = specOf(manifest);
    if (label === undefined || label === clusterNetwork || isLate(label) || isLate(clusterNetwork)) { return NO_PROBLEMS; }
    return [{ path: `metadata.labels[${LABEL_CLUSTER_NETWORK}]`, value: label, level: 'warning', message: `must be ${plainText(clusterNetwork)}: Harvester overwrites it`, fix: `set ${plainText(clusterNetwork)}` }];
  },
  *judgeUpdate({ manifest, target }: JudgedObject, before: Manifest): Iterable<Problem> {
    const { clusterNetwork } = specOf(manifest);
    const [label, old] = [manifest, before].map((state) => labelsOf(state)[LABEL_CLUSTER_NETWORK]);
    // Harvester updates the label when the cluster network changes
    if (clusterNetwork !== specOf(before).clusterNetwork || isLate(label) || isLate(clusterNetwork)) { return; }
    const removed = label === undefined && old !== undefined && !isFromServer(before);
    if (!removed && (label === undefined || label === clusterNetwork)) { return; }
    yield {
      path: `metadata.labels[${LABEL_CLUSTER_NETWORK}]`,
      ...(removed ? {} : { value: label }),
      ...(hasFeature(target, HarvesterGate.VLAN_CONFIG_LABEL_CHECKED) === false ? { level: 'warning' as const } : {}),
      message: removed ? 'cannot be removed: Harvester finds the VlanConfigs of a cluster network by it' : `must be ${plainText(clusterNetwork)}, the cluster network of the spec`,
      fix: `set ${plainText(clusterNetwork)}`,
      says: `cluster network label ${plainText(label ?? '')} is invalid and must not be updated by user`,
    };
  },
};

const UPDATE: Rule = {
  id: 'vlan-config/update',
  level: 'warning',
  kinds: VLAN_CONFIG_KINDS,
  what: 'uplinks can be changed, and a VlanConfig deleted, only while no virtual machine on its nodes uses the cluster network',
  source: `${VLAN_CONFIG_VALIDATOR} checkVmi, checkStorageNetwork`,
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const [now, old] = [specOf(manifest), specOf(before)];
    if (!sameValue(now.clusterNetwork, old.clusterNetwork) || (!isFromServer(before) && !sameValue(now.uplink, old.uplink))) {
      yield {
        path: sameValue(now.clusterNetwork, old.clusterNetwork) ? 'spec.uplink' : 'spec.clusterNetwork',
        message: 'cannot be changed while virtual machines on these nodes use the cluster network',
        fix: 'first stop those virtual machines, or move them to nodes of another VlanConfig',
        says: 'it is blocked by VM(s) … which must be stopped at first',
      };
    }
  },
  *judgeDeletion(gone: JudgedObject, world: World): Iterable<Problem> {
    const { clusterNetwork } = specOf(gone.manifest);
    const networks = typeof clusterNetwork === 'string' ? attachmentsBeside(gone, world).get(clusterNetwork) ?? [] : [];
    if (networks.length === 0) { return; }
    yield {
      path: '',
      message: `cannot be deleted while virtual machines on its nodes use ${some(networks.map(({ manifest }) => objectLabel(manifest)))}, which lose their uplinks`,
      fix: 'stop those virtual machines, or move them to nodes of another VlanConfig, in an earlier step',
      says: 'it is blocked by VM(s) … which must be stopped at first',
    };
  },
};

/** Rules on the uplinks of cluster networks. */
export const VLAN_CONFIG_RULES: readonly Rule[] = [SPEC, NETWORK, VLAN_CONFIG_MTU, OVERLAP, NODES, LABEL, UPDATE];

/** The objects of one target by their cluster network. */
type ByNetwork = ReadonlyMap<string, readonly JudgedObject[]>;

function byNetwork(objects: readonly JudgedObject[], networkOf: (manifest: Manifest) => unknown): ByNetwork {
  const networks = grouped(objects, ({ manifest }) => networkOf(manifest));
  return new Map([...networks].filter((entry): entry is [string, JudgedObject[]] => typeof entry[0] === 'string'));
}

/** The VlanConfigs on the target of an object. */
export const vlanConfigsBeside = perTarget(GROUP_HARVESTER_NETWORK, 'VlanConfig', (objects) => byNetwork(objects, (manifest) => (
  labelOf(manifest) ?? specOf(manifest).clusterNetwork)));

/** The VM networks on the target of an object. */
const attachmentsBeside = perTarget(GROUP_ATTACHMENT, 'NetworkAttachmentDefinition', (objects) => byNetwork(objects, (manifest) => (
  labelOf(manifest) ?? attachmentNetwork(manifest))));

// Harvester uses the label, which it writes at creation: an object from a server has it, or has no cluster network
function labelOf(manifest: Manifest): unknown {
  return isFromServer(manifest) ? labelsOf(manifest)[LABEL_CLUSTER_NETWORK] ?? '' : undefined;
}

/** The cluster networks on the target of an object, by name. */
export const clusterNetworksBeside = perTarget(GROUP_HARVESTER_NETWORK, 'ClusterNetwork', (objects) => new Map(objects.map((object) => [object.manifest.metadata.name, object])));

/** The nodes on the target of an object that carry cluster networks. */
export function nodesBeside(object: JudgedObject, world: World): Manifest[] {
  return knownNodes(object, world).filter((node) => labelsOf(node)[LABEL_WITNESS] === undefined);
}

/** The cluster network of a NetworkAttachmentDefinition. */
export function attachmentNetwork(manifest: Manifest): string | undefined {
  const conf = netConfOf(specOf(manifest).config);
  return conf && clusterNetworkOf(conf);
}

/** The MTU of a VlanConfig. */
function mtuOf(manifest: Manifest): number {
  return effectiveMtu(valueAt(manifest, 'spec', 'uplink', 'linkAttributes', 'mtu'));
}

/** The MTU of a cluster network. Undefined if not known. */
export function networkMtu(object: JudgedObject, world: World, clusterNetwork: string): number | undefined {
  const network = clusterNetworksBeside(object, world).get(clusterNetwork);
  const text = network && annotationsOf(network.manifest)[ANNOTATION_UPLINK_MTU];
  if (typeof text === 'string' && /^\d+$/.test(text)) { return Number(text) || DEFAULT_MTU; }
  const uplink = vlanConfigsBeside(object, world).get(clusterNetwork)?.[0];
  return uplink && mtuOf(uplink.manifest);
}

/** Whether a node has all labels of a map. */
export function matches(node: Manifest, selector: unknown): boolean {
  const labels = labelsOf(node);
  return !isRecord(selector) || Object.entries(selector).every(([label, value]) => labels[label] === value);
}

/**
 * Judges a reference to a cluster network that is not known, if others are.
 * @param path the path of the reference
 */
export function* judgeKnown(object: JudgedObject, world: World, path: string, clusterNetwork: unknown, says: string): Iterable<Problem> {
  const known = clusterNetworksBeside(object, world);
  // a program without cluster networks leaves them to someone else
  if (typeof clusterNetwork !== 'string' || isLate(clusterNetwork) || known.size === 0 || clusterNetwork === MGMT_CLUSTER_NETWORK) { return; }
  if (world.knows(object, GROUP_HARVESTER_NETWORK, 'ClusterNetwork', undefined, clusterNetwork)) { return; }
  yield {
    path,
    value: clusterNetwork,
    ...(world.isListed(object, GROUP_HARVESTER_NETWORK, 'ClusterNetwork') ? {} : { level: 'warning' as const }),
    message: 'must be an existing ClusterNetwork',
    fix: `declare it, or use one of ${[...new Set([MGMT_CLUSTER_NETWORK, ...known.keys()])].join(', ')}`,
    says,
  };
}

const KINDS = ['network.harvesterhci.io/ClusterNetwork'];
const VALIDATOR = 'harvester/network-controller-harvester:pkg/webhook/clusternetwork/validator.go';
const ANNOTATION = `metadata.annotations[${ANNOTATION_UPLINK_MTU}]`;

const NAME: Rule = {
  id: 'cluster-network/name',
  level: 'error',
  kinds: KINDS,
  what: 'the name of a new cluster network has at most 12 characters',
  source: VALIDATOR,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (!world.exists(object)) { return checkClusterNetworkName('metadata.name', object.manifest.metadata.name); }
    return NO_PROBLEMS;
  },
};

const MTU: Rule = {
  id: 'cluster-network/mtu',
  level: 'error',
  kinds: KINDS,
  what: 'the MTU of a cluster network comes from its VlanConfigs, and only for mgmt from an annotation',
  source: VALIDATOR,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { name } = object.manifest.metadata;
    const text = annotationsOf(object.manifest)[ANNOTATION_UPLINK_MTU];
    if (text === undefined || isLate(text)) { return NO_PROBLEMS; }
    if (name === MGMT_CLUSTER_NETWORK) {
      return checkMtu(ANNOTATION, /^\d+$/.test(plainText(text)) ? Number(text) : text);
    } else if (!world.exists(object)) {
      return [{
        path: ANNOTATION, value: text, message: 'cannot be set: Harvester writes it', fix: 'set the MTU in the VlanConfigs of the cluster network', says: `annotation ${ANNOTATION_UPLINK_MTU} can't be added`,
      }];
    } else {
      const mtu = Number(plainText(text));
      const other = vlanConfigsBeside(object, world).get(name)?.find(({ manifest }) => mtu > 0 && mtuOf(manifest) !== mtu);
      if (other) {
        return [{
          path: ANNOTATION,
          value: text,
          message: `must be ${mtuOf(other.manifest)}, the MTU of the VlanConfig ${other.manifest.metadata.name}`,
          fix: 'remove the annotation, which Harvester writes',
          says: `clusternetwork has MTU ${plainText(text)}, but the vlanconfigs ${other.manifest.metadata.name} has another MTU ${mtuOf(other.manifest)}`,
        }];
      }
    }
    return NO_PROBLEMS;
  },
};

const MGMT: Rule = {
  id: 'cluster-network/mgmt',
  level: 'error',
  kinds: KINDS,
  what: 'the cluster network mgmt cannot be deleted',
  source: VALIDATOR,
  *judgeDeletion({ manifest }: JudgedObject): Iterable<Problem> {
    if (manifest.metadata.name === MGMT_CLUSTER_NETWORK) {
      yield {
        path: '',
        message: `cannot be deleted: every Harvester has ${MGMT_CLUSTER_NETWORK}`,
        fix: 'declare it again',
        says: `can't delete cluster network ${MGMT_CLUSTER_NETWORK} because it is not allowed`,
      };
    }
  },
};

const DELETION: Rule = {
  id: 'cluster-network/in-use',
  level: 'error',
  kinds: KINDS,
  what: 'a cluster network cannot be deleted while VlanConfigs or networks use it',
  source: VALIDATOR,
  *judgeDeletion(gone: JudgedObject, world: World): Iterable<Problem> {
    const { name } = gone.manifest.metadata;
    // a new one may have the same name
    if (clusterNetworksBeside(gone, world).has(name)) { return; }
    for (const [users, says] of [
      [vlanConfigsBeside(gone, world).get(name) ?? [], 'vlanconfig(s) [%s] under this clusternetwork are still existing'],
      [attachmentsBeside(gone, world).get(name) ?? [], 'nads(s) %s under this clusternetwork are still existing'],
    ] as const) {
      if (users.length === 0) { continue; }
      yield {
        path: '',
        message: `cannot be deleted while ${some(users.map(({ manifest }) => objectLabel(manifest)))} use it`,
        fix: 'delete those in an earlier step',
        says: `can't delete cluster network ${name} because ${says.replace('%s', users.map(({ manifest }) => manifest.metadata.name).join(' '))}`,
      };
    }
  },
};

/** Rules on cluster networks. */
export const CLUSTER_NETWORK_RULES: readonly Rule[] = [NAME, MTU, MGMT, DELETION];
