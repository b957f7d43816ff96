import { shareAddresses, usableCount } from './catalogue/addresses.check';
import { overlapProblem, networkOf, rwxOf } from './catalogue/network.check';
import { registrationOf } from './catalogue/registration.facts';
import { registeredAs } from './catalogue/registrations.facts';
import {
  bypassesProxy,
  coversAddress,
  proxyOf,
  usesProxy,
} from './catalogue/registry-and-proxy.check';
import { RANCHER_CLUSTER_SECRET, removesUpstreamClusters } from './catalogue/system.check';
import { pausedNodes } from './catalogue/upgrade.check';
import { VALIDATOR } from './entry/setting-entry.check';
import { NETWORK_SETTINGS } from './harvester-settings.data';
import { isLate } from '../../core/late/late-token';
import { valueAt, itemsAt } from '../../core/manifest/manifest';
import {
  GROUPS,
  GROUP_HARVESTER_NETWORK,
  SETTING_REGISTRATION_URL,
} from '../../core/manifest/names';
import { rules } from '../../core/rule/kit/fact';
import { errorIf } from '../../core/rule/kit/relations';
import { text } from '../../core/rule/kit/values';
import { JudgedObject, World } from '../../core/rule/rule';
import { named, namesBeside } from '../../core/rule/world-lookup';
import { LABEL_WITNESS, MGMT_CLUSTER_NETWORK } from '../cluster-network/cluster-network.kind';
import { missingSnapshotClass } from '../reference/missing-reference.check';
import {
  valueBeside,
  isSetting,
  valueOf,
  settingContext,
  SETTING_KINDS,
} from './entry/setting.facts';
import { knownNodes } from '../node/node.rules';

const RWX_SINCE = '1.8.0';
const NO_PROXY_SINCE = '1.3.1';

/**
 * Whether a Harvester has no storage network to share. One that is shared already may remain so.
 */
function lacksStorageNetwork(object: JudgedObject, world: World): boolean {
  const before = world.beforeOf(object);
  if (
    before &&
    rwxOf(valueOf(before) ?? '', settingContext(object.target))?.['share-storage-network']
  ) {
    return false;
  }
  return (
    (valueBeside(object, world, 'storage-network') ??
      (world.isListed(object, GROUPS.HARVESTER, 'Setting') ? '' : undefined)) === ''
  );
}

function proxyIn({ manifest }: JudgedObject) {
  const value = manifest.metadata.name === 'http-proxy' ? valueOf(manifest) : undefined;
  const config = value ? proxyOf(value) : undefined;
  return config && !isLate(config.noProxy) ? config : undefined;
}

// that of the registration, or else of the only Rancher
function rancherHost(object: JudgedObject, world: World): string | undefined {
  const registration = valueBeside(object, world, SETTING_REGISTRATION_URL);
  if (!registration) {
    return undefined;
  }
  const { url } = registrationOf(registration);
  const known = hostOf(url) ?? registeredAs(object.target, world)?.host.replace(/:\d+$/, '');
  if (known !== undefined || !isLate(url)) {
    return known;
  }
  const urls = named(world, GROUPS.MANAGEMENT, 'Setting', 'server-url').map(({ manifest }) =>
    valueOf(manifest),
  );
  return urls.length === 1 && urls[0] ? hostOf(urls[0]) : undefined;
}

// a late value is not a host yet
function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname || undefined : undefined;
}

/** Rules for a setting and other objects of its Harvester. */
export const SETTING_RELATION_RULES = rules({ kinds: SETTING_KINDS }, [
  {
    id: 'harvester-setting/network-overlap',
    what: 'the networks of storage, live migration and shared volumes share no address',
    source: `${VALIDATOR} checkNetworkOverlap`,
    when: isSetting(...NETWORK_SETTINGS),
    *judge(object, world) {
      const { name } = object.manifest.metadata;
      const context = settingContext(object.target);
      const network = networkOf(name, valueOf(object.manifest) ?? '', context);
      if (!network || isLate(network.range)) {
        return;
      }
      for (const other of NETWORK_SETTINGS.filter((setting) => setting !== name)) {
        const theirs = networkOf(other, valueBeside(object, world, other) ?? '', context);
        if (theirs && shareAddresses(network, theirs)) {
          yield overlapProblem(name, network, other, context);
        }
      }
    },
  },
  {
    id: 'harvester-setting/cluster-network',
    what: 'the networks of storage, live migration and shared volumes name a ClusterNetwork of the Harvester, where its ClusterNetworks are known',
    source: `${VALIDATOR} checkVlanStatusReady; seen on Harvester 1.7.2`,
    when: isSetting(...NETWORK_SETTINGS),
    judge: (object, world) => {
      const { name } = object.manifest.metadata;
      const wanted = networkOf(
        name,
        valueOf(object.manifest) ?? '',
        settingContext(object.target),
      )?.clusterNetwork;
      if (!wanted || isLate(wanted) || wanted === MGMT_CLUSTER_NETWORK) {
        return undefined;
      }
      const known = namesBeside(object, world, GROUP_HARVESTER_NETWORK, 'ClusterNetwork');
      // a program without any leaves them to another program
      return (
        known.length > 0 &&
        !world.knows(object, GROUP_HARVESTER_NETWORK, 'ClusterNetwork', undefined, wanted) && {
          path: `value${name === 'rwx-network' ? '.network' : ''}.clusterNetwork`,
          value: wanted,
          level: errorIf(world.isListed(object, GROUP_HARVESTER_NETWORK, 'ClusterNetwork')),
          message:
            'must be a ClusterNetwork that exists before the setting, with VlanConfigs for all nodes',
          fix: `give one of ${[MGMT_CLUSTER_NETWORK, ...known].join(', ')}`,
          says: `cluster network ${wanted} not found because clusternetworks.network.harvesterhci.io "${wanted}" not found`,
        }
      );
    },
  },
  {
    id: 'harvester-setting/shared-storage-network',
    what: 'rwx-network shares the storage network only where there is one, and that is not reset while it is shared',
    source: `${VALIDATOR} validateShareFlagTransition, checkStorageNetworkNotBlockedByRWX`,
    *judge(object, world) {
      const context = settingContext(object.target);
      const value = valueOf(object.manifest);
      if (value === undefined || isLate(value) || context.atLeast(RWX_SINCE) === false) {
        return;
      }
      const { name } = object.manifest.metadata;
      if (
        name === 'rwx-network' &&
        rwxOf(value, context)?.['share-storage-network'] &&
        lacksStorageNetwork(object, world)
      ) {
        yield {
          path: 'value.share-storage-network',
          value: true,
          message: 'cannot be true: storage-network is not set',
          fix: 'set storage-network first, or give a network of its own',
          says: 'storage-network is not set',
        };
      }
      const rwx = rwxOf(valueBeside(object, world, 'rwx-network') ?? '', context);
      if (name === 'storage-network' && value === '' && rwx?.['share-storage-network']) {
        yield {
          path: 'value',
          message: 'cannot be reset while rwx-network shares the network',
          fix: 'set rwx-network to {"share-storage-network":false} first',
          says: 'storage-network cannot be disabled while rwx-network has share-storage-network=true',
        };
      }
    },
  },
  {
    id: 'harvester-setting/snapshot-class',
    what: 'volume-snapshot-class names a VolumeSnapshotClass of the Harvester, where these are known',
    source: `${VALIDATOR} validateVolumeSnapshotClass`,
    when: isSetting('volume-snapshot-class'),
    field: 'value',
    check: text((_, name, object, world) => {
      const missing = missingSnapshotClass(object, name, world);
      return (
        missing && {
          ...missing,
          says: `volumesnapshotclasses.snapshot.storage.k8s.io "${name}" not found`,
        }
      );
    }),
  },
  {
    id: 'harvester-setting/proxy-nodes',
    what: 'noProxy of http-proxy contains the address of every known node',
    source: `${VALIDATOR} validateNoProxy (${NO_PROXY_SINCE} and later)`,
    judge: (object, world) => {
      const config = proxyIn(object);
      if (
        !config ||
        !usesProxy(config) ||
        settingContext(object.target).atLeast(NO_PROXY_SINCE) === false
      ) {
        return undefined;
      }
      const addresses = knownNodes(object, world).flatMap((node) => {
        const internal = itemsAt(node, 'status', 'addresses').filter(
          (entry) => valueAt(entry, 'type') === 'InternalIP',
        );
        return internal.map((entry) => String(valueAt(entry, 'address')));
      });
      const missed = [
        ...new Set(addresses.filter((address) => !coversAddress(config.noProxy, address))),
      ].sort();
      return (
        missed.length > 0 && {
          path: 'value.noProxy',
          message: `must contain the addresses of all nodes, and lacks ${missed.join(', ')}`,
          fix: 'add their network in CIDR form, or each address',
          says: `noProxy should contain the node's IP addresses or CIDR. The node(s) ${missed.join(', ')} are not covered.`,
        }
      );
    },
  },
  {
    id: 'harvester-setting/proxy-rancher',
    level: 'warning',
    what: 'noProxy of http-proxy contains the host that Harvester registers at',
    source: 'harvester/docs:docs/advanced/settings.md http-proxy',
    judge: (object, world) => {
      const config = proxyIn(object);
      const host = config && usesProxy(config) ? rancherHost(object, world) : undefined;
      return (
        config &&
        host &&
        !bypassesProxy(config.noProxy, host) && {
          path: 'value.noProxy',
          message: `must contain ${host}, which Harvester registers at: otherwise the registration and the cluster agent use the proxy`,
          fix: `add ${host}, or suppress this where the proxy can reach it`,
        }
      );
    },
  },
  {
    id: 'harvester-setting/rancher-cluster-secret',
    what: `rancher-cluster needs the Secret ${RANCHER_CLUSTER_SECRET.namespace}/${RANCHER_CLUSTER_SECRET.name} with a kubeconfig`,
    source: `${VALIDATOR} validateRancherCluster; seen on Harvester 1.7.2`,
    when: isSetting('rancher-cluster'),
    field: 'value',
    check: text((_, value, object, world) => {
      if (!removesUpstreamClusters(value)) {
        return undefined;
      }
      const { namespace, name, key } = RANCHER_CLUSTER_SECRET;
      const path = 'value.removeUpstreamClusterWhenNamespaceIsDeleted';
      const fix = `create the Secret ${namespace}/${name} with the key ${key}, a kubeconfig of Rancher, before`;
      const secret = world.find(object, '', 'Secret', namespace, name)?.manifest;
      if (!secret) {
        // the cluster may have it already
        const message = `needs the Secret ${namespace}/${name}, which the program does not have`;
        return {
          path,
          level: 'warning',
          message,
          fix,
          says: `${namespace}/${name} secret not found`,
        };
      }
      return (
        !valueAt(secret, 'data', key) &&
        !valueAt(secret, 'stringData', key) && {
          path,
          message: `needs the key ${key} in the Secret ${namespace}/${name}`,
          fix,
          says: `${namespace}/${name} secret is empty`,
        }
      );
    }),
  },
  {
    id: 'harvester-setting/paused-nodes',
    what: 'upgrade-config pauses nodes that exist, where the nodes are known',
    source: `${VALIDATOR} checkNodesExist`,
    when: isSetting('upgrade-config'),
    field: 'value',
    check: text((_, value, object, world) => {
      const nodes = knownNodes(object, world).map(({ metadata }) => metadata.name);
      const missing = pausedNodes(value, settingContext(object.target)).filter(
        (node) => !nodes.includes(node),
      );
      return (
        nodes.length > 0 &&
        missing.length > 0 && {
          path: 'value.nodeUpgradeOption.strategy.pauseNodes',
          value: missing,
          message: 'must name nodes of the cluster',
          fix: `give some of ${nodes.join(', ')}`,
          says: `nodes not found: [${missing.join(' ')}]`,
        }
      );
    }),
  },
  {
    id: 'harvester-setting/migration-network-size',
    what: 'vm-migration-network has an address for every known node',
    source: `${VALIDATOR} checkVMMigrationNetworkRangeValid`,
    when: isSetting('vm-migration-network'),
    judge: (object, world) => {
      const { name } = object.manifest.metadata;
      const network = networkOf(
        name,
        valueOf(object.manifest) ?? '',
        settingContext(object.target),
      );
      const usable = network && usableCount(network);
      const nodes = knownNodes(object, world).filter(
        ({ metadata }) => metadata.labels?.[LABEL_WITNESS] === undefined,
      ).length;
      return (
        usable !== undefined &&
        usable > 0 &&
        usable < nodes && {
          path: 'value.range',
          value: network!.range,
          message: `must have an address for each of ${nodes} nodes: it has ${usable}`,
          fix: 'give a larger range, or exclude less',
          says: `allocatable IP address range is < ${nodes}, allocate sufficient range`,
        }
      );
    },
  },
]);
