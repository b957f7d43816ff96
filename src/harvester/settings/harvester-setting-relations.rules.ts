import { shareAddresses, usableCount } from './catalogue/addresses.check';
import { overlapProblem, networkOf, rwxOf } from './catalogue/network.check';
import { registrationOf } from './catalogue/registration.facts';
import { bypassesProxy, coversAddress, proxyOf, usesProxy } from './catalogue/registry-and-proxy.check';
import { RANCHER_CLUSTER_SECRET, removesUpstreamClusters } from './catalogue/system.check';
import { pausedNodes } from './catalogue/upgrade.check';
import { NETWORK_SETTINGS } from './harvester-settings.data';
import { VALIDATOR } from './setting-entry.check';
import { isLate } from '../../core/late/late-token';
import { valueAt } from '../../core/manifest/manifest';
import { GROUPS, GROUP_HARVESTER_NETWORK, SETTING_REGISTRATION_URL } from '../../core/manifest/names';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { registeredAs } from '../../rancher/import/registration-token.rules';
import { LABEL_WITNESS, MGMT_CLUSTER_NETWORK } from '../cluster-network/cluster-network.kind';
import { SETTING_KINDS, missingSnapshotClass, settingContext, valueBeside, valueOf } from '../context.rules';
import { knownNodes } from '../node/node.rules';

const RWX_SINCE = '1.8.0';
const NO_PROXY_SINCE = '1.3.1';


const NETWORK_OVERLAP: Rule = {
  id: 'harvester-setting/network-overlap',
  level: 'error',
  kinds: SETTING_KINDS,
  what: 'the networks of storage, live migration and shared volumes share no address',
  source: `${VALIDATOR} checkNetworkOverlap`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { name } = object.manifest.metadata;
    const value = valueOf(object.manifest);
    if (!NETWORK_SETTINGS.includes(name) || !value) { return; }
    const context = settingContext(object.target);
    const network = networkOf(name, value, context);
    if (!network || isLate(network.range)) { return; }
    for (const other of NETWORK_SETTINGS.filter((setting) => setting !== name)) {
      const theirs = networkOf(other, valueBeside(object, world, other) ?? '', context);
      if (theirs && shareAddresses(network, theirs)) { yield overlapProblem(name, network, other, context); }
    }
  },
};

const CLUSTER_NETWORK: Rule = {
  id: 'harvester-setting/cluster-network',
  level: 'error',
  kinds: SETTING_KINDS,
  what: 'the networks of storage, live migration and shared volumes name a ClusterNetwork of the Harvester, where its ClusterNetworks are known',
  source: `${VALIDATOR} checkVlanStatusReady; seen on Harvester 1.7.2`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { name } = object.manifest.metadata;
    const network = NETWORK_SETTINGS.includes(name) ? networkOf(name, valueOf(object.manifest) ?? '', settingContext(object.target)) : undefined;
    const wanted = network?.clusterNetwork;
    if (!wanted || isLate(wanted) || wanted === MGMT_CLUSTER_NETWORK) { return NO_PROBLEMS; }
    const known = world.beside(object, GROUP_HARVESTER_NETWORK, 'ClusterNetwork').map(({ manifest }) => manifest.metadata.name);
    // a program without any leaves them to another program
    if (known.length > 0 && !world.knows(object, GROUP_HARVESTER_NETWORK, 'ClusterNetwork', undefined, wanted)) {
      return [{
        path: `value${name === 'rwx-network' ? '.network' : ''}.clusterNetwork`,
        value: wanted,
        ...(world.isListed(object, GROUP_HARVESTER_NETWORK, 'ClusterNetwork') ? {} : { level: 'warning' as const }),
        message: 'must be a ClusterNetwork that exists before the setting, with VlanConfigs for all nodes',
        fix: `give one of ${[MGMT_CLUSTER_NETWORK, ...known].join(', ')}`,
        says: `cluster network ${wanted} not found because clusternetworks.network.harvesterhci.io "${wanted}" not found`,
      }];
    }
    return NO_PROBLEMS;
  },
};

const SHARED_NETWORK: Rule = {
  id: 'harvester-setting/shared-storage-network',
  level: 'error',
  kinds: SETTING_KINDS,
  what: 'rwx-network shares the storage network only where there is one, and that is not reset while it is shared',
  source: `${VALIDATOR} validateShareFlagTransition, checkStorageNetworkNotBlockedByRWX`,
  *judge(object: JudgedObject, world: World): Iterable<Problem> {
    const context = settingContext(object.target);
    const value = valueOf(object.manifest);
    if (value === undefined || isLate(value) || context.atLeast(RWX_SINCE) === false) { return; }
    const { name } = object.manifest.metadata;
    if (name === 'rwx-network' && rwxOf(value, context)?.['share-storage-network'] && lacksStorageNetwork(object, world)) {
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
};

/** Whether a Harvester has no storage network to share. One that is shared already may remain so. */
function lacksStorageNetwork(object: JudgedObject, world: World): boolean {
  const before = world.beforeOf(object);
  if (before && rwxOf(valueOf(before) ?? '', settingContext(object.target))?.['share-storage-network']) { return false; }
  return (valueBeside(object, world, 'storage-network') ?? (world.isListed(object, GROUPS.HARVESTER, 'Setting') ? '' : undefined)) === '';
}

const SNAPSHOT_CLASS: Rule = {
  id: 'harvester-setting/snapshot-class',
  level: 'error',
  kinds: SETTING_KINDS,
  what: 'volume-snapshot-class names a VolumeSnapshotClass of the Harvester, where these are known',
  source: `${VALIDATOR} validateVolumeSnapshotClass`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const value = valueOf(object.manifest);
    if (object.manifest.metadata.name !== 'volume-snapshot-class' || !value || isLate(value)) { return NO_PROBLEMS; }
    const missing = missingSnapshotClass(object, value, world);
    return missing ? [{ path: 'value', ...missing, says: `volumesnapshotclasses.snapshot.storage.k8s.io "${value}" not found` }] : NO_PROBLEMS;
  },
};

const PROXY_NODES: Rule = {
  id: 'harvester-setting/proxy-nodes',
  level: 'error',
  kinds: SETTING_KINDS,
  what: 'noProxy of http-proxy contains the address of every known node',
  source: `${VALIDATOR} validateNoProxy (${NO_PROXY_SINCE} and later)`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const config = proxyIn(object);
    if (!config || !usesProxy(config) || settingContext(object.target).atLeast(NO_PROXY_SINCE) === false) { return NO_PROBLEMS; }
    const addresses = knownNodes(object, world).flatMap((node) => {
      const list = valueAt(node, 'status', 'addresses');
      return (Array.isArray(list) ? list : []).filter((entry) => valueAt(entry, 'type') === 'InternalIP').map((entry) => String(valueAt(entry, 'address')));
    });
    const missed = [...new Set(addresses.filter((address) => !coversAddress(config.noProxy, address)))].sort();
    if (missed.length > 0) {
      return [{
        path: 'value.noProxy',
        message: `must contain the addresses of all nodes, and lacks ${missed.join(', ')}`,
        fix: 'add their network in CIDR form, or each address',
        says: `noProxy should contain the node's IP addresses or CIDR. The node(s) ${missed.join(', ')} are not covered.`,
      }];
    }
    return NO_PROBLEMS;
  },
};

const PROXY_RANCHER: Rule = {
  id: 'harvester-setting/proxy-rancher',
  level: 'warning',
  kinds: SETTING_KINDS,
  what: 'noProxy of http-proxy contains the host that Harvester registers at',
  source: 'harvester/docs:docs/advanced/settings.md http-proxy',
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const config = proxyIn(object);
    const host = config && usesProxy(config) ? rancherHost(object, world) : undefined;
    if (config && host && !bypassesProxy(config.noProxy, host)) {
      return [{
        path: 'value.noProxy',
        message: `must contain ${host}, which Harvester registers at: otherwise the registration and the cluster agent use the proxy`,
        fix: `add ${host}, or suppress this where the proxy can reach it`,
      }];
    }
    return NO_PROBLEMS;
  },
};

function proxyIn({ manifest }: JudgedObject) {
  const value = manifest.metadata.name === 'http-proxy' ? valueOf(manifest) : undefined;
  const config = value ? proxyOf(value) : undefined;
  return config && !isLate(config.noProxy) ? config : undefined;
}

// that of the registration, or else of the only Rancher
function rancherHost(object: JudgedObject, world: World): string | undefined {
  const registration = valueBeside(object, world, SETTING_REGISTRATION_URL);
  if (!registration) { return undefined; }
  const { url } = registrationOf(registration);
  const known = hostOf(url) ?? registeredAs(object.target, world)?.host.replace(/:\d+$/, '');
  if (known !== undefined || !isLate(url)) { return known; }
  const urls = world.ofKind(GROUPS.MANAGEMENT, 'Setting').filter(({ manifest }) => manifest.metadata.name === 'server-url').map(({ manifest }) => valueOf(manifest));
  return urls.length === 1 && urls[0] ? hostOf(urls[0]) : undefined;
}

// a late value is not a host yet
function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname || undefined : undefined;
}

const RANCHER_SECRET: Rule = {
  id: 'harvester-setting/rancher-cluster-secret',
  level: 'error',
  kinds: SETTING_KINDS,
  what: `rancher-cluster needs the Secret ${RANCHER_CLUSTER_SECRET.namespace}/${RANCHER_CLUSTER_SECRET.name} with a kubeconfig`,
  source: `${VALIDATOR} validateRancherCluster; seen on Harvester 1.7.2`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const value = valueOf(object.manifest);
    if (object.manifest.metadata.name !== 'rancher-cluster' || !value || isLate(value) || !removesUpstreamClusters(value)) { return NO_PROBLEMS; }
    const { namespace, name, key } = RANCHER_CLUSTER_SECRET;
    const path = 'value.removeUpstreamClusterWhenNamespaceIsDeleted';
    const fix = `create the Secret ${namespace}/${name} with the key ${key}, a kubeconfig of Rancher, before`;
    const secret = world.find(object, '', 'Secret', namespace, name)?.manifest;
    if (!secret) {
      // the cluster may have it already
      return [{ path, level: 'warning', message: `needs the Secret ${namespace}/${name}, which the program does not have`, fix, says: `${namespace}/${name} secret not found` }];
    } else if (!valueAt(secret, 'data', key) && !valueAt(secret, 'stringData', key)) {
      return [{ path, message: `needs the key ${key} in the Secret ${namespace}/${name}`, fix, says: `${namespace}/${name} secret is empty` }];
    }
    return NO_PROBLEMS;
  },
};

const PAUSED_NODES: Rule = {
  id: 'harvester-setting/paused-nodes',
  level: 'error',
  kinds: SETTING_KINDS,
  what: 'upgrade-config pauses nodes that exist, where the nodes are known',
  source: `${VALIDATOR} checkNodesExist`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const value = valueOf(object.manifest);
    if (object.manifest.metadata.name !== 'upgrade-config' || !value || isLate(value)) { return NO_PROBLEMS; }
    const nodes = knownNodes(object, world).map(({ metadata }) => metadata.name);
    const missing = pausedNodes(value, settingContext(object.target)).filter((node) => !nodes.includes(node));
    if (nodes.length > 0 && missing.length > 0) {
      return [{
        path: 'value.nodeUpgradeOption.strategy.pauseNodes',
        value: missing,
        message: 'must name nodes of the cluster',
        fix: `give some of ${nodes.join(', ')}`,
        says: `nodes not found: [${missing.join(' ')}]`,
      }];
    }
    return NO_PROBLEMS;
  },
};

const SHORT_OF_ADDRESSES: Rule = {
  id: 'harvester-setting/migration-network-size',
  level: 'error',
  kinds: SETTING_KINDS,
  what: 'vm-migration-network has an address for every known node',
  source: `${VALIDATOR} checkVMMigrationNetworkRangeValid`,
  judge(object: JudgedObject, world: World): Iterable<Problem> {
    const { name } = object.manifest.metadata;
    const value = valueOf(object.manifest);
    if (name !== 'vm-migration-network' || !value) { return NO_PROBLEMS; }
    const network = networkOf(name, value, settingContext(object.target));
    const usable = network && usableCount(network);
    const nodes = knownNodes(object, world).filter(({ metadata }) => metadata.labels?.[LABEL_WITNESS] === undefined).length;
    if (usable !== undefined && usable > 0 && usable < nodes) {
      return [{
        path: 'value.range',
        value: network!.range,
        message: `must have an address for each of ${nodes} nodes: it has ${usable}`,
        fix: 'give a larger range, or exclude less',
        says: `allocatable IP address range is < ${nodes}, allocate sufficient range`,
      }];
    }
    return NO_PROBLEMS;
  },
};

/** Rules for a setting and other objects of its Harvester. */
export const SETTING_RELATION_RULES: readonly Rule[] = [
  NETWORK_OVERLAP, CLUSTER_NETWORK, SHARED_NETWORK, SNAPSHOT_CLASS, PROXY_NODES, PROXY_RANCHER, RANCHER_SECRET, PAUSED_NODES, SHORT_OF_ADDRESSES,
];
