import { DEFAULT_MTU, checkClusterNetworkName, checkMtu, effectiveMtu } from './cluster-network.check';
import { ANNOTATION_UPLINK_MTU, LABEL_CLUSTER_NETWORK, LABEL_WITNESS, MGMT_CLUSTER_NETWORK } from './cluster-network.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, objectLabel, valueAt } from '../../core/manifest/manifest';
import { annotationsOf, isFromServer, labelsOf } from '../../core/manifest/metadata';
import { GROUP_HARVESTER_NETWORK } from '../../core/manifest/names';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { plainText } from '../../core/text/plain-text';
import { perTarget, some, specOf } from '../context.rules';
import { netConfOf } from '../network/net-conf.check';
import { clusterNetworkOf } from '../network/vm-network.check';
import { GROUP_ATTACHMENT } from '../network/vm-network.kind';

/** The objects of one target by their cluster network. */
type ByNetwork = ReadonlyMap<string, readonly JudgedObject[]>;

function grouped(objects: readonly JudgedObject[], networkOf: (manifest: Manifest) => unknown): ByNetwork {
  const groups = new Map<string, JudgedObject[]>();
  for (const object of objects) {
    const network = networkOf(object.manifest);
    if (typeof network !== 'string') { continue; }
    const group = groups.get(network);
    if (group) { group.push(object); } else { groups.set(network, [object]); }
  }
  return groups;
}

/** The VlanConfigs on the target of an object. */
export const vlanConfigsBeside = perTarget(GROUP_HARVESTER_NETWORK, 'VlanConfig', (objects) => grouped(objects, (manifest) => (
  labelOf(manifest) ?? specOf(manifest).clusterNetwork)));

/** The VM networks on the target of an object. */
export const attachmentsBeside = perTarget(GROUP_ATTACHMENT, 'NetworkAttachmentDefinition', (objects) => grouped(objects, (manifest) => (
  labelOf(manifest) ?? attachmentNetwork(manifest))));

// Harvester uses the label, which it writes at creation: an object from a server has it, or has no cluster network
function labelOf(manifest: Manifest): unknown {
  return isFromServer(manifest) ? labelsOf(manifest)[LABEL_CLUSTER_NETWORK] ?? '' : undefined;
}

/** The cluster networks on the target of an object, by name. */
export const clusterNetworksBeside = perTarget(GROUP_HARVESTER_NETWORK, 'ClusterNetwork', (objects) => new Map(objects.map((object) => [object.manifest.metadata.name, object])));

/** The nodes on the target of an object that carry cluster networks. */
export const nodesBeside = perTarget('', 'Node', (objects) => objects.map(({ manifest }) => manifest).filter((node) => labelsOf(node)[LABEL_WITNESS] === undefined));

/** The cluster network of a NetworkAttachmentDefinition. */
export function attachmentNetwork(manifest: Manifest): string | undefined {
  const conf = netConfOf(specOf(manifest).config);
  return conf && clusterNetworkOf(conf);
}

/** The MTU of a VlanConfig. */
export function mtuOf(manifest: Manifest): number {
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
    message: 'must be an existing ClusterNetwork, and is not known',
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
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    if (!world.exists(object)) { yield* checkClusterNetworkName('metadata.name', object.manifest.metadata.name); }
  },
};

const MTU: Rule = {
  id: 'cluster-network/mtu',
  level: 'error',
  kinds: KINDS,
  what: 'the MTU of a cluster network comes from its VlanConfigs, and only for mgmt from an annotation',
  source: VALIDATOR,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { name } = object.manifest.metadata;
    const text = annotationsOf(object.manifest)[ANNOTATION_UPLINK_MTU];
    if (text === undefined || isLate(text)) { return; }
    if (name === MGMT_CLUSTER_NETWORK) {
      yield* checkMtu(ANNOTATION, /^\d+$/.test(plainText(text)) ? Number(text) : text);
    } else if (!world.exists(object)) {
      yield {
        path: ANNOTATION, value: text, message: 'cannot be set: Harvester writes it', fix: 'set the MTU in the VlanConfigs of the cluster network', says: `annotation ${ANNOTATION_UPLINK_MTU} can't be added`,
      };
    } else {
      const mtu = Number(plainText(text));
      const other = vlanConfigsBeside(object, world).get(name)?.find(({ manifest }) => mtu > 0 && mtuOf(manifest) !== mtu);
      if (other) {
        yield {
          path: ANNOTATION,
          value: text,
          message: `must be ${mtuOf(other.manifest)}, the MTU of the VlanConfig ${other.manifest.metadata.name}`,
          fix: 'remove the annotation, which Harvester writes',
          says: `clusternetwork has MTU ${plainText(text)}, but the vlanconfigs ${other.manifest.metadata.name} has another MTU ${mtuOf(other.manifest)}`,
        };
      }
    }
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
      yield { path: '', message: 'cannot be deleted', fix: 'keep it', says: `can't delete cluster network ${MGMT_CLUSTER_NETWORK} because it is not allowed` };
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
