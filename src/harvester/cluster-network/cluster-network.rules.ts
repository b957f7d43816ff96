import {
  checkClusterNetworkName,
  checkMtu,
  checkVlanConfig,
  DEFAULT_MTU,
  effectiveMtu,
} from './cluster-network.check';
import {
  ANNOTATION_UPLINK_MTU,
  LABEL_CLUSTER_NETWORK,
  LABEL_WITNESS,
  MGMT_CLUSTER_NETWORK,
} from './cluster-network.kind';
import { isLate } from '../../core/late/late-token';
import {
  annotationsOf,
  isFromServer,
  isRecord,
  labelsOf,
  Manifest,
  objectLabel,
  sameValue,
  valueAt,
  specOf,
} from '../../core/manifest/manifest';
import { GROUP_HARVESTER_NETWORK } from '../../core/manifest/names';
import { Problem } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { errorIf, levelIfMissing } from '../../core/rule/kit/relations';
import { JudgedObject, World } from '../../core/rule/rule';
import { perTarget } from '../../core/rule/world-lookup';
import { givenValue, plainText, some } from '../../core/text/plain-text';
import { grouped } from '../../core/text/values';
import { hasFeature } from '../../core/version/target-features';
import { clusterNetworkOf } from '../network/vm-network.check';
import { netConfOf, GROUP_ATTACHMENT } from '../network/vm-network.kind';
import { knownNodes } from '../node/node.rules';
import { HarvesterGate } from '../version/harvester-version';

const VLAN_CONFIG_VALIDATOR =
  'harvester/network-controller-harvester:pkg/webhook/vlanconfig/validator.go';

function others(object: JudgedObject, world: World): readonly JudgedObject[] {
  const { clusterNetwork } = specOf(object.manifest);
  if (typeof clusterNetwork !== 'string' || isLate(clusterNetwork)) {
    return [];
  }
  const { name } = object.manifest.metadata;
  return (vlanConfigsBeside(object, world).get(clusterNetwork) ?? []).filter(
    ({ manifest }) => manifest.metadata.name !== name,
  );
}

function isForAll(selector: unknown): boolean {
  return !isRecord(selector) || Object.keys(selector).length === 0;
}

/** Rules on the uplinks of cluster networks. */
export const VLAN_CONFIG_RULES = rules({ kinds: ['network.harvesterhci.io/VlanConfig'] }, [
  {
    id: 'vlan-config/spec',
    what: 'a VlanConfig is for a cluster network other than mgmt, and has a valid MTU and network interfaces, each once',
    source: VLAN_CONFIG_VALIDATOR,
    *judge({ manifest }) {
      for (const problem of checkVlanConfig(specOf(manifest))) {
        // Harvester created that one
        if (!(isFromServer(manifest) && specOf(manifest).clusterNetwork === MGMT_CLUSTER_NETWORK)) {
          yield problem;
        }
      }
    },
  },
  {
    id: 'vlan-config/cluster-network',
    what: 'the cluster network of a VlanConfig exists, if the cluster networks are known',
    source: `${VLAN_CONFIG_VALIDATOR}; Harvester 1.6.1 and later, earlier versions create it`,
    gate: HarvesterGate.CLUSTER_NETWORK_MUST_EXIST,
    field: 'spec.clusterNetwork',
    check: (path, network, object, world) =>
      judgeKnown(
        object,
        world,
        path,
        network,
        `it refers to a none-existing cluster network ${plainText(network)}`,
      ),
  },
  {
    id: 'vlan-config/mtu',
    what: 'all VlanConfigs of a cluster network have one MTU',
    source: `${VLAN_CONFIG_VALIDATOR} validateMTU`,
    judge: (object, world) => {
      if (isLate(valueAt(object.manifest, 'spec', 'uplink', 'linkAttributes', 'mtu'))) {
        return undefined;
      }
      const mtu = mtuOf(object.manifest);
      const other = others(object, world).find(({ manifest }) => mtuOf(manifest) !== mtu);
      if (!other) {
        return undefined;
      }
      const needed = mtuOf(other.manifest);
      const { name } = other.manifest.metadata;
      return {
        path: 'spec.uplink.linkAttributes.mtu',
        value: mtu,
        message: `must be ${needed}, the MTU of the VlanConfig ${name} of this cluster network`,
        fix: 'use one MTU for all of them',
        says:
          `the vlanconfig ${object.manifest.metadata.name} MTU ${mtu} is different with another vlanconfig ${name} MTU ${needed}, ` +
          'all vlanconfigs on one clusternetwork need to have same MTU',
      };
    },
  },
  {
    id: 'vlan-config/overlap',
    what: 'a node has only one VlanConfig of a cluster network',
    source: `${VLAN_CONFIG_VALIDATOR} checkOverlaps`,
    judge: (object, world) => {
      const nodes = nodesBeside(object, world);
      const { nodeSelector } = specOf(object.manifest);
      for (const { manifest } of others(object, world)) {
        const theirs = specOf(manifest).nodeSelector;
        const shared = nodes
          .filter((node) => matchesSelector(node, nodeSelector) && matchesSelector(node, theirs))
          .map(({ metadata }) => metadata.name);
        // the nodes are seldom known; two VlanConfigs for all nodes, or with one selector, surely
        // overlap
        const surely =
          isForAll(nodeSelector) || isForAll(theirs) || sameValue(nodeSelector, theirs);
        if (shared.length === 0 && (nodes.length > 0 || !surely)) {
          continue;
        }
        return {
          path: 'spec.nodeSelector',
          ...givenValue(nodeSelector),
          level: errorIf(shared.length > 0),
          message:
            shared.length > 0
              ? `cannot select ${some(shared)}, which the VlanConfig ${manifest.metadata.name} of this cluster network selects`
              : `cannot overlap the VlanConfig ${manifest.metadata.name} of this cluster network`,
          fix: 'select different nodes in each of them',
          says: `it overlaps with other vlanconfigs matching node(s) [${shared.join(' ')}]`,
        };
      }
      return undefined;
    },
  },
  {
    id: 'vlan-config/nodes',
    level: 'warning',
    what: 'a VlanConfig selects a node, if the nodes are known',
    source: `${VLAN_CONFIG_VALIDATOR} getMatchNodes; seen on Harvester 1.7.2, whose webhook fails at the next update of such a VlanConfig`,
    field: 'spec.nodeSelector',
    check: (_, selector, object, world) => {
      const nodes = nodesBeside(object, world);
      return (
        nodes.length > 0 &&
        isRecord(selector) &&
        !nodes.some((node) => matchesSelector(node, selector)) && {
          message: 'must match a node: none of the known nodes gets these uplinks',
          fix: 'use labels of the nodes',
        }
      );
    },
  },
  {
    id: 'vlan-config/label',
    what: 'the label with the cluster network matches the spec, and is not removed',
    source: 'harvester/network-controller-harvester:pkg/webhook/vlanconfig/mutator.go',
    creation: true,
    field: `metadata.labels[${LABEL_CLUSTER_NETWORK}]`,
    check: (_, label, { manifest }) => {
      const { clusterNetwork } = specOf(manifest);
      const name = plainText(clusterNetwork);
      return (
        label !== clusterNetwork &&
        !isLate(clusterNetwork) && {
          level: 'warning',
          message: `must be ${name}: Harvester overwrites it`,
          fix: `set ${name}`,
        }
      );
    },
    judgeUpdate: ({ manifest, target }, before) => {
      const { clusterNetwork } = specOf(manifest);
      const [label, old] = [manifest, before].map(
        (state) => labelsOf(state)[LABEL_CLUSTER_NETWORK],
      );
      // Harvester updates the label when the cluster network changes
      if (
        clusterNetwork !== specOf(before).clusterNetwork ||
        isLate(label) ||
        isLate(clusterNetwork)
      ) {
        return undefined;
      }
      const removed = label === undefined && old !== undefined && !isFromServer(before);
      const name = plainText(clusterNetwork);
      return (
        (removed || (label !== undefined && label !== clusterNetwork)) && {
          ...(removed ? {} : { value: label }),
          level: errorIf(hasFeature(target, HarvesterGate.VLAN_CONFIG_LABEL_CHECKED) !== false),
          message: removed
            ? 'cannot be removed: Harvester finds the VlanConfigs of a cluster network by it'
            : `must be ${name}, the cluster network of the spec`,
          fix: `set ${name}`,
          says: `cluster network label ${plainText(label ?? '')} is invalid and must not be updated by user`,
        }
      );
    },
  },
  {
    id: 'vlan-config/update',
    level: 'warning',
    what: 'uplinks can be changed, and a VlanConfig deleted, only while no virtual machine on its nodes uses the cluster network',
    source: `${VLAN_CONFIG_VALIDATOR} checkVmi, checkStorageNetwork`,
    says: 'it is blocked by VM(s) … which must be stopped at first',
    judgeUpdate: ({ manifest }, before) => {
      const [now, old] = [specOf(manifest), specOf(before)];
      const moved = !sameValue(now.clusterNetwork, old.clusterNetwork);
      return (
        (moved || (!isFromServer(before) && !sameValue(now.uplink, old.uplink))) && {
          path: moved ? 'spec.clusterNetwork' : 'spec.uplink',
          message:
            'cannot be changed while virtual machines on these nodes use the cluster network',
          fix: 'first stop those virtual machines, or move them to nodes of another VlanConfig',
        }
      );
    },
    judgeDeletion: (gone, world) => {
      const networks =
        attachmentsBeside(gone, world).get(specOf(gone.manifest).clusterNetwork as string) ?? [];
      return (
        networks.length > 0 && {
          message:
            `cannot be deleted while virtual machines on its nodes use ${some(networks.map(({ manifest }) => objectLabel(manifest)))}, ` +
            'which lose their uplinks',
          fix: 'stop those virtual machines, or move them to nodes of another VlanConfig, in an earlier step',
        }
      );
    },
  },
]);

/** The objects of one target by their cluster network. */
type ByNetwork = ReadonlyMap<string, readonly JudgedObject[]>;

function byNetwork(
  objects: readonly JudgedObject[],
  networkOf: (manifest: Manifest) => unknown,
): ByNetwork {
  const networks = grouped(objects, ({ manifest }) => networkOf(manifest));
  return new Map(
    [...networks].filter(
      (entry): entry is [string, JudgedObject[]] => typeof entry[0] === 'string',
    ),
  );
}

/** The VlanConfigs on the target of an object. */
export const vlanConfigsBeside = perTarget(GROUP_HARVESTER_NETWORK, 'VlanConfig', (objects) =>
  byNetwork(objects, (manifest) => labelOf(manifest) ?? specOf(manifest).clusterNetwork),
);

/** The VM networks on the target of an object. */
const attachmentsBeside = perTarget(GROUP_ATTACHMENT, 'NetworkAttachmentDefinition', (objects) =>
  byNetwork(objects, (manifest) => labelOf(manifest) ?? attachmentNetwork(manifest)),
);

// Harvester uses the label, which it writes at creation: an object from a server has it, or has no
// cluster network
function labelOf(manifest: Manifest): unknown {
  return isFromServer(manifest) ? (labelsOf(manifest)[LABEL_CLUSTER_NETWORK] ?? '') : undefined;
}

/** The cluster networks on the target of an object, by name. */
export const clusterNetworksBeside = perTarget(
  GROUP_HARVESTER_NETWORK,
  'ClusterNetwork',
  (objects) => new Map(objects.map((object) => [object.manifest.metadata.name, object])),
);

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
export function networkMtu(
  object: JudgedObject,
  world: World,
  clusterNetwork: string,
): number | undefined {
  const network = clusterNetworksBeside(object, world).get(clusterNetwork);
  const text = network && annotationsOf(network.manifest)[ANNOTATION_UPLINK_MTU];
  if (typeof text === 'string' && /^\d+$/.test(text)) {
    return Number(text) || DEFAULT_MTU;
  }
  const uplink = vlanConfigsBeside(object, world).get(clusterNetwork)?.[0];
  return uplink && mtuOf(uplink.manifest);
}

/** Whether a node has all labels of a map. */
export function matchesSelector(node: Manifest, selector: unknown): boolean {
  const labels = labelsOf(node);
  return (
    !isRecord(selector) ||
    Object.entries(selector).every(([label, value]) => labels[label] === value)
  );
}

/**
 * Judges a reference to a cluster network that is not known, if others are.
 * @param path the path of the reference
 */
export function* judgeKnown(
  object: JudgedObject,
  world: World,
  path: string,
  clusterNetwork: unknown,
  says: string,
): Iterable<Problem> {
  const known = clusterNetworksBeside(object, world);
  // a program without cluster networks leaves them to someone else
  if (
    typeof clusterNetwork !== 'string' ||
    isLate(clusterNetwork) ||
    known.size === 0 ||
    clusterNetwork === MGMT_CLUSTER_NETWORK
  ) {
    return;
  }
  const level = levelIfMissing(
    object,
    world,
    [GROUP_HARVESTER_NETWORK, 'ClusterNetwork'],
    undefined,
    clusterNetwork,
  );
  if (!level) {
    return;
  }
  yield {
    path,
    value: clusterNetwork,
    level,
    message: 'must be an existing ClusterNetwork',
    fix: `declare it, or use one of ${[...new Set([MGMT_CLUSTER_NETWORK, ...known.keys()])].join(', ')}`,
    says,
  };
}

const VALIDATOR = 'harvester/network-controller-harvester:pkg/webhook/clusternetwork/validator.go';

/** Rules on cluster networks. */
export const CLUSTER_NETWORK_RULES = rules(
  { kinds: ['network.harvesterhci.io/ClusterNetwork'], source: VALIDATOR },
  [
    {
      id: 'cluster-network/name',
      what: 'the name of a new cluster network has at most 12 characters',
      creation: true,
      field: 'metadata.name',
      check: checkClusterNetworkName,
    },
    {
      id: 'cluster-network/mtu',
      what: 'the MTU of a cluster network comes from its VlanConfigs, and only for mgmt from an annotation',
      field: `metadata.annotations[${ANNOTATION_UPLINK_MTU}]`,
      check: (path, value, object, world) => {
        const { name } = object.manifest.metadata;
        const text = plainText(value);
        if (name === MGMT_CLUSTER_NETWORK) {
          return checkMtu(path, /^\d+$/.test(text) ? Number(value) : value);
        }
        if (!world.exists(object)) {
          return {
            message: 'cannot be set: Harvester writes it',
            fix: 'set the MTU in the VlanConfigs of the cluster network',
            says: `annotation ${ANNOTATION_UPLINK_MTU} can't be added`,
          };
        }
        const mtu = Number(text);
        const other = vlanConfigsBeside(object, world)
          .get(name)
          ?.find(({ manifest }) => mtu > 0 && mtuOf(manifest) !== mtu)?.manifest;
        return (
          other && {
            message: `must be ${mtuOf(other)}, the MTU of the VlanConfig ${other.metadata.name}`,
            fix: 'remove the annotation, which Harvester writes',
            says: `clusternetwork has MTU ${text}, but the vlanconfigs ${other.metadata.name} has another MTU ${mtuOf(other)}`,
          }
        );
      },
    },
    {
      id: 'cluster-network/mgmt',
      what: 'the cluster network mgmt cannot be deleted',
      when: ({ manifest }) => manifest.metadata.name === MGMT_CLUSTER_NETWORK,
      judgeDeletion: () => ({
        message: `cannot be deleted: every Harvester has ${MGMT_CLUSTER_NETWORK}`,
        fix: 'declare it again',
        says: `can't delete cluster network ${MGMT_CLUSTER_NETWORK} because it is not allowed`,
      }),
    },
    {
      id: 'cluster-network/in-use',
      what: 'a cluster network cannot be deleted while VlanConfigs or networks use it',
      // a new one may have the same name
      when: (gone, world) => !clusterNetworksBeside(gone, world).has(gone.manifest.metadata.name),
      *judgeDeletion(gone, world) {
        const { name } = gone.manifest.metadata;
        for (const [users, says] of [
          [
            vlanConfigsBeside(gone, world).get(name) ?? [],
            'vlanconfig(s) [%s] under this clusternetwork are still existing',
          ],
          [
            attachmentsBeside(gone, world).get(name) ?? [],
            'nads(s) %s under this clusternetwork are still existing',
          ],
        ] as const) {
          if (users.length === 0) {
            continue;
          }
          yield {
            path: '',
            message: `cannot be deleted while ${some(users.map(({ manifest }) => objectLabel(manifest)))} use it`,
            fix: 'delete those in an earlier step',
            says: `can't delete cluster network ${name} because ${says.replace('%s', users.map(({ manifest }) => manifest.metadata.name).join(' '))}`,
          };
        }
      },
    },
  ],
);
