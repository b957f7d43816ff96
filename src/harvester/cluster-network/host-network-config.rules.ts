import { HOST_NETWORK_MODE, checkHostNetworkConfig } from './cluster-network.check';
import { CLUSTER_NETWORK_DESCRIPTIONS, MGMT_CLUSTER_NETWORK } from './cluster-network.kind';
import {
  clusterNetworksBeside,
  judgeKnown,
  matchesSelector,
  nodesBeside,
  vlanConfigsBeside,
} from './cluster-network.rules';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, sameValue, valueAt, specOf } from '../../core/manifest/manifest';
import { GROUP_HARVESTER_NETWORK } from '../../core/manifest/names';
import { Problem } from '../../core/problem/problem';
import { immutableRule } from '../../core/rule/general/immutable-fields.rules';
import { ruleOf, rules } from '../../core/rule/kit/fact';
import { twinOf } from '../../core/rule/kit/relations';
import { checkServed } from '../../core/rule/kit/served';
import { Rule } from '../../core/rule/rule';
import { plainText, some } from '../../core/text/plain-text';

const VALIDATOR =
  'harvester/network-controller-harvester:pkg/webhook/hostnetworkconfig/validator.go';

const keyOf = (manifest: Manifest) =>
  `${plainText(specOf(manifest).clusterNetwork)} ${plainText(specOf(manifest).vlanID)}`;

const KIND = [GROUP_HARVESTER_NETWORK, 'HostNetworkConfig'] as const;
const UNDERLAY = 'underlay';
const withVlan = twinOf(KIND, ({ manifest }) => [keyOf(manifest)]);
const withUnderlay = twinOf(KIND, ({ manifest }) =>
  specOf(manifest).underlay === true ? [UNDERLAY] : [],
);

const IMMUTABLE = immutableRule('host-network/update', ...CLUSTER_NETWORK_DESCRIPTIONS);

// the server compares with every underlay, including the object itself
function* judgeUnderlay(manifest: Manifest, before: Manifest): Iterable<Problem> {
  const [now, old] = [specOf(manifest), specOf(before)];
  const same = Object.keys(now).every(
    (field) => sameValue(now[field], old[field]) || isLate(now[field]),
  );
  if (same || now.underlay !== true || old.underlay !== true) {
    return;
  }
  yield {
    path: 'spec',
    message: 'cannot be changed while underlay is true',
    fix: 'set underlay to false in an earlier step, after all virtual machines have left the overlay networks',
    says: `${exists(manifest, now.clusterNetwork)} vlanid ${plainText(old.vlanID)} with underlay enabled`,
  };
}

const exists = ({ metadata }: Manifest, clusterNetwork: unknown): string =>
  `hostnetworkconfig ${metadata.name} already exists for cluster network ${plainText(clusterNetwork)}`;

/** Rules on host networks. */
export const HOST_NETWORK_RULES: readonly Rule[] = [
  ...rules({ kinds: ['network.harvesterhci.io/HostNetworkConfig'] }, [
    {
      id: 'host-network/spec',
      what: 'a HostNetworkConfig has a VLAN, a mode and, if static, addresses; Harvester 1.8.0 and later',
      source: VALIDATOR,
      *judge(object) {
        yield* checkServed(object);
        yield* checkHostNetworkConfig(specOf(object.manifest));
      },
    },
    {
      id: 'host-network/cluster-network',
      what: 'the cluster network of a HostNetworkConfig exists and has uplinks, if the cluster networks are known',
      source: `${VALIDATOR} checkVlanStatusReady, checkVCSpansAllNodes`,
      *judge(object, world) {
        const { clusterNetwork } = specOf(object.manifest);
        yield* judgeKnown(
          object,
          world,
          'spec.clusterNetwork',
          clusterNetwork,
          `it refers to a none-existing cluster network ${plainText(clusterNetwork)}`,
        );
        if (typeof clusterNetwork !== 'string' || clusterNetwork === MGMT_CLUSTER_NETWORK) {
          return;
        }
        if (
          clusterNetworksBeside(object, world).has(clusterNetwork) &&
          !vlanConfigsBeside(object, world).has(clusterNetwork)
        ) {
          yield {
            path: 'spec.clusterNetwork',
            value: clusterNetwork,
            level: 'warning',
            message:
              'must be a cluster network with VlanConfigs: without them no node carries the cluster network',
            fix: 'add VlanConfigs for all nodes',
            says: `vlan status not present for cluster network ${clusterNetwork}`,
          };
        }
      },
    },
    {
      id: 'host-network/twice',
      what: 'a VLAN of a cluster network has only one HostNetworkConfig, and a Harvester only one underlay',
      source: `${VALIDATOR} validateHostNetworkConfig`,
      *judge(object, world) {
        const { clusterNetwork, vlanID, underlay } = specOf(object.manifest);
        const same = withVlan(object, keyOf(object.manifest), world)?.manifest;
        if (same && vlanID !== undefined && !world.exists(object)) {
          yield {
            path: 'spec.vlanID',
            value: vlanID,
            message: `must be unique on the cluster network: the HostNetworkConfig ${same.metadata.name} has this VLAN`,
            fix: 'keep one of them',
            says: `${exists(same, clusterNetwork)} with vlanID ${plainText(vlanID)}`,
          };
        }
        const other = underlay === true && withUnderlay(object, UNDERLAY, world)?.manifest;
        if (other) {
          yield {
            path: 'spec.underlay',
            value: true,
            message: `can be true for one HostNetworkConfig only: ${other.metadata.name} is the underlay`,
            fix: 'set underlay to false for one of them',
            says: `${exists(other, clusterNetwork)} vlanid ${plainText(specOf(other).vlanID)} with underlay enabled`,
          };
        }
      },
    },
    {
      id: 'host-network/nodes',
      what: 'every selected node has a static address, and an underlay is on all nodes, if the nodes are known',
      source: `${VALIDATOR} validateStaticIPs, nodeSelectorMatchesAllNodes`,
      *judge(object, world) {
        const { mode, ips, nodeSelector, underlay } = specOf(object.manifest);
        // the server evaluates expressions
        if (isRecord(nodeSelector) && nodeSelector.matchExpressions !== undefined) {
          return;
        }
        const labels = valueAt(nodeSelector, 'matchLabels');
        const nodes = nodesBeside(object, world);
        const selected = nodes
          .filter((node) => matchesSelector(node, labels))
          .map(({ metadata }) => metadata.name);
        const missing = selected.filter((node) => !isRecord(ips) || ips[node] === undefined);
        if (mode === HOST_NETWORK_MODE.STATIC && isRecord(ips) && missing.length > 0) {
          yield {
            path: 'spec.ips',
            message: `must contain ${some(missing)}`,
            fix: 'set an address for every node, or select fewer nodes',
            says: `static IP not found for node ${missing[0]!}`,
          };
        }
        if (underlay === true && selected.length < nodes.length) {
          const message = `must select all ${nodes.length} nodes for an underlay: it selects ${selected.length}`;
          yield {
            path: 'spec.nodeSelector',
            message,
            fix: 'remove nodeSelector',
            says: 'node selector does not match all nodes',
          };
        }
      },
    },
  ]),
  ruleOf({
    ...IMMUTABLE,
    *judgeUpdate(object, before, world) {
      yield* judgeUnderlay(object.manifest, before);
      yield* IMMUTABLE.judgeUpdate(object, before, world);
    },
    judgeDeletion: ({ manifest }) =>
      specOf(manifest).underlay === true && {
        message: 'cannot be deleted: overlay networks use it',
        fix: 'keep it, or set underlay to false in an earlier step',
        says: 'underlay is enabled, disable underlay first',
      },
  }),
];
