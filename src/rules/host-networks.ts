import { isFromServer, perTarget, specOf } from './infrastructure-context';
import { JudgedObject } from './rule';
import { World } from './world';
import { annotationsOf, labelsOf } from '../model/checks/metadata-maps';
import { DEFAULT_MTU, effectiveMtu } from '../model/checks/mtu';
import { ANNOTATION_UPLINK_MTU, INFRASTRUCTURE_GROUP, LABEL_CLUSTER_NETWORK, LABEL_WITNESS, MGMT_CLUSTER_NETWORK } from '../model/infrastructure-names';
import { isLate } from '../model/late-token';
import { isRecord, Manifest, valueAt } from '../model/manifest';
import { GROUP_HARVESTER_NETWORK } from '../model/names';
import { clusterNetworkOf, netConfOf } from '../model/networks/attachment-check';
import { Problem } from '../model/problem';

/** The objects of one target by the cluster network that they are on. */
export type ByNetwork = ReadonlyMap<string, readonly JudgedObject[]>;

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

/** The VlanConfigs next to an object. */
export const vlanConfigsBeside = perTarget(GROUP_HARVESTER_NETWORK, 'VlanConfig', (objects) => grouped(objects, (manifest) => (
  labelOf(manifest) ?? specOf(manifest).clusterNetwork)));

/** The networks of virtual machines next to an object. */
export const attachmentsBeside = perTarget(INFRASTRUCTURE_GROUP.ATTACHMENT, 'NetworkAttachmentDefinition', (objects) => grouped(objects, (manifest) => (
  labelOf(manifest) ?? attachmentNetwork(manifest))));

// Harvester goes by the label, which it writes at creation: what was read from a server has it, or is on none
function labelOf(manifest: Manifest): unknown {
  return isFromServer(manifest) ? labelsOf(manifest)[LABEL_CLUSTER_NETWORK] ?? '' : undefined;
}

/** The cluster networks beside an object, by name. */
export const clusterNetworksBeside = perTarget(GROUP_HARVESTER_NETWORK, 'ClusterNetwork', (objects) => new Map(objects.map((object) => [object.manifest.metadata.name, object])));

/** The nodes beside an object that carry cluster networks. */
export const nodesBeside = perTarget('', 'Node', (objects) => objects.map(({ manifest }) => manifest).filter((node) => labelsOf(node)[LABEL_WITNESS] === undefined));

/** The cluster network that a NetworkAttachmentDefinition lies on. */
export function attachmentNetwork(manifest: Manifest): string | undefined {
  const conf = netConfOf(specOf(manifest).config);
  return conf && clusterNetworkOf(conf);
}

/** The MTU of a VlanConfig. */
export function mtuOf(manifest: Manifest): number {
  return effectiveMtu(valueAt(manifest, 'spec', 'uplink', 'linkAttributes', 'mtu'));
}

/** The MTU of a cluster network; undefined where nothing that is known says it. */
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
 * What to say of a cluster network that is not known, where others are.
 * @param path of the field that names it
 */
export function* judgeKnown(object: JudgedObject, world: World, path: string, clusterNetwork: unknown, says: string): Iterable<Problem> {
  const known = clusterNetworksBeside(object, world);
  // a program that has none of them leaves them to somebody else
  if (typeof clusterNetwork !== 'string' || isLate(clusterNetwork) || known.size === 0 || clusterNetwork === MGMT_CLUSTER_NETWORK) { return; }
  if (world.knows(object, GROUP_HARVESTER_NETWORK, 'ClusterNetwork', undefined, clusterNetwork)) { return; }
  yield {
    path,
    value: clusterNetwork,
    ...(world.isListed(object, GROUP_HARVESTER_NETWORK, 'ClusterNetwork') ? {} : { level: 'warning' as const }),
    message: 'is no ClusterNetwork that is known here; it must be there first',
    fix: `name one of ${[...new Set([MGMT_CLUSTER_NETWORK, ...known.keys()])].join(', ')}`,
    says,
  };
}
