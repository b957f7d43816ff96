import { LABEL_CLUSTER_NETWORK, MGMT_CLUSTER_NETWORK } from './cluster-network.kind';
import { attachmentsBeside, judgeKnown, matches, mtuOf, nodesBeside, vlanConfigsBeside } from './cluster-network.rules';
import { checkVlanConfig } from './vlan-config.check';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, objectLabel, sameValue, valueAt } from '../../core/manifest/manifest';
import { isFromServer, labelsOf } from '../../core/manifest/metadata';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { GateId } from '../../core/version/gate-id';
import { harvesterHas, some, specOf } from '../context.rules';

const KINDS = ['network.harvesterhci.io/VlanConfig'];
const VALIDATOR = 'harvester/network-controller-harvester:pkg/webhook/vlanconfig/validator.go';

const SPEC: Rule = {
  id: 'vlan-config/spec',
  level: 'error',
  kinds: KINDS,
  what: 'a VlanConfig has uplinks for a cluster network other than mgmt, with a valid MTU and bond mode',
  source: VALIDATOR,
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
  kinds: KINDS,
  what: 'the cluster network of a VlanConfig exists, if the cluster networks are known',
  source: `${VALIDATOR}; Harvester 1.6.1 and later, earlier versions create it`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (harvesterHas(object.target, GateId.CLUSTER_NETWORK_MUST_EXIST) === false) { return; }
    const { clusterNetwork } = specOf(object.manifest);
    yield* judgeKnown(object, world, 'spec.clusterNetwork', clusterNetwork, `it refers to a none-existing cluster network ${plainText(clusterNetwork)}`);
  },
};

function others(object: JudgedObject, world: World): readonly JudgedObject[] {
  const { clusterNetwork } = specOf(object.manifest);
  if (typeof clusterNetwork !== 'string' || isLate(clusterNetwork)) { return []; }
  const { name } = object.manifest.metadata;
  return (vlanConfigsBeside(object, world).get(clusterNetwork) ?? []).filter(({ manifest }) => manifest.metadata.name !== name);
}

const MTU: Rule = {
  id: 'vlan-config/mtu',
  level: 'error',
  kinds: KINDS,
  what: 'all VlanConfigs of a cluster network have one MTU',
  source: `${VALIDATOR} validateMTU`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (isLate(valueAt(object.manifest, 'spec', 'uplink', 'linkAttributes', 'mtu'))) { return; }
    const mtu = mtuOf(object.manifest);
    const other = others(object, world).find(({ manifest }) => mtuOf(manifest) !== mtu);
    if (!other) { return; }
    const { name } = object.manifest.metadata;
    const { name: otherName } = other.manifest.metadata;
    yield {
      path: 'spec.uplink.linkAttributes.mtu',
      value: mtu,
      message: `must be ${mtuOf(other.manifest)}, the MTU of the VlanConfig ${otherName} of this cluster network`,
      fix: 'use one MTU for all of them',
      says: `the vlanconfig ${name} MTU ${mtu} is different with another vlanconfig ${otherName} MTU ${mtuOf(other.manifest)}, all vlanconfigs on one clusternetwork need to have same MTU`,
    };
  },
};

const OVERLAP: Rule = {
  id: 'vlan-config/overlap',
  level: 'error',
  kinds: KINDS,
  what: 'a node has only one VlanConfig of a cluster network',
  source: `${VALIDATOR} checkOverlaps`,
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
  kinds: KINDS,
  what: 'a VlanConfig selects a node, if the nodes are known',
  source: `${VALIDATOR} getMatchNodes; seen on Harvester 1.7.2, whose webhook fails at the next update of such a VlanConfig`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const nodes = nodesBeside(object, world);
    const { nodeSelector } = specOf(object.manifest);
    if (nodes.length > 0 && isRecord(nodeSelector) && !nodes.some((node) => matches(node, nodeSelector))) {
      yield { path: 'spec.nodeSelector', value: nodeSelector, message: 'must match a node: none of the known nodes gets these uplinks', fix: 'use labels of the nodes' };
    }
  },
};

const LABEL: Rule = {
  id: 'vlan-config/label',
  level: 'error',
  kinds: KINDS,
  what: 'the label with the cluster network matches the spec, and is not removed',
  source: 'harvester/network-controller-harvester:pkg/webhook/vlanconfig/mutator.go',
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { manifest } = object;
    if (world.exists(object)) { return; }
    const label = labelsOf(manifest)[LABEL_CLUSTER_NETWORK];
    const { clusterNetwork } = specOf(manifest);
    if (label === undefined || label === clusterNetwork || isLate(label) || isLate(clusterNetwork)) { return; }
    yield { path: `metadata.labels[${LABEL_CLUSTER_NETWORK}]`, value: label, level: 'warning', message: `must be ${plainText(clusterNetwork)}: Harvester overwrites it`, fix: `set ${plainText(clusterNetwork)}` };
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
      ...(harvesterHas(target, GateId.VLAN_CONFIG_LABEL_CHECKED) === false ? { level: 'warning' as const } : {}),
      message: removed ? 'cannot be removed: Harvester finds the VlanConfigs of a cluster network by it' : `must be ${plainText(clusterNetwork)}, the cluster network of the spec`,
      fix: `set ${plainText(clusterNetwork)}`,
      says: `cluster network label ${plainText(label ?? '')} is invalid and must not be updated by user`,
    };
  },
};

const UPDATE: Rule = {
  id: 'vlan-config/update',
  level: 'warning',
  kinds: KINDS,
  what: 'uplinks can be changed, and a VlanConfig deleted, only while no virtual machine on its nodes uses the cluster network',
  source: `${VALIDATOR} checkVmi, checkStorageNetwork`,
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
export const VLAN_CONFIG_RULES: readonly Rule[] = [SPEC, NETWORK, MTU, OVERLAP, NODES, LABEL, UPDATE];
