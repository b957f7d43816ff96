import {
  DUAL_STACK_SINCE,
  NetworkConfig,
  checkNetwork,
  networkType,
  usableCount,
} from './addresses.check';
import { DraftProps, call } from '../../../core/draft/draft';
import { overlaps, parseCidr, printNetwork } from '../../../core/go/go-ip';
import {
  BOOL,
  GoType,
  STRING,
  decodeStrict,
  pointer,
  goStruct,
  unmarshal,
} from '../../../core/go/go-json';
import { FoundReference } from '../../../core/kind/description/references';
import { isLate } from '../../../core/late/late-token';
import { GROUP_HARVESTER_NETWORK } from '../../../core/manifest/names';
import { Problem } from '../../../core/problem/problem';
import { filledList } from '../../../core/text/values';
import type { IClusterNetwork } from '../../cluster-network/cluster-network-ref';
import {
  VALIDATOR,
  decoded,
  json,
  settingEntry,
  settingNamed,
  since,
  warn,
} from '../entry/setting-entry.check';
import { ReferTo, readJson } from '../entry/setting-text.facts';
import { SettingContext } from '../entry/setting.facts';

/**
 * A network for some of Harvester's own traffic.
 * @see https://docs.harvesterhci.io/v1.7/advanced/storagenetwork
 */
export interface TrafficNetworkProps {
  /** A cluster network that spans all nodes, e.g. `ClusterNetwork.mgmt(dc1)`. */
  readonly clusterNetwork: IClusterNetwork;
  /** The VLAN ID: 0 to 4094, and 2 to 4094 on the cluster network `mgmt`. @default - untagged */
  readonly vlan?: number;
  /**
   * The addresses to assign: an IPv4 network in CIDR form of /16 or smaller, e.g. `192.168.0.0/24`.
   */
  readonly range: string;
  /**
   * Parts of the range that are in use elsewhere, in CIDR form, e.g. `192.168.0.1/32`.
   * @default - all addresses of the range are assigned
   */
  readonly exclude?: string[];
}

/** The network of Longhorn's traffic. */
export interface StorageNetworkProps extends TrafficNetworkProps {
  /**
   * Whether networks of virtual machines are refused on the VLAN. Needs a VLAN ID of 2 or more.
   * @default false
   */
  readonly exclusiveVlan?: boolean;
}

/**
 * The network of volumes that several pods mount at the same time (ReadWriteMany). Needs Harvester
 * 1.8.0.
 */
export class RwxNetwork {
  /** Uses the storage network, which must be set. */
  public static shared(): RwxNetwork {
    return new RwxNetwork({ 'share-storage-network': true });
  }

  /**
   * Uses a network of its own, with 32 addresses and one for each node.
   *
   * @param network the network
   */
  public static dedicated(network: TrafficNetworkProps): RwxNetwork {
    return new RwxNetwork(
      { 'share-storage-network': false, 'network': trafficNetwork(network) },
      network.clusterNetwork,
    );
  }

  /** Uses the network of the pods. */
  public static none(): RwxNetwork {
    return new RwxNetwork({ 'share-storage-network': false });
  }

  /** @internal */
  private constructor(
    private readonly config: { readonly [key: string]: unknown },
    /** @internal */
    public readonly _clusterNetwork?: IClusterNetwork,
  ) {}

  /** @internal */
  public _toConfig(): { readonly [key: string]: unknown } {
    return this.config;
  }
}

function trafficNetwork({ clusterNetwork, vlan, range, exclude }: TrafficNetworkProps): {
  readonly [key: string]: unknown;
} {
  return { vlan, clusterNetwork: clusterNetwork.name, range, exclude };
}

/** The props of a network, from its JSON. */
function networkProps(
  { clusterNetwork, vlan, range, exclude }: { readonly [key: string]: any },
  refer: ReferTo,
): DraftProps {
  return {
    clusterNetwork: refer(`${GROUP_HARVESTER_NETWORK}/ClusterNetwork`, clusterNetwork),
    vlan,
    range,
    exclude: filledList(exclude),
  };
}

/**
 * A value of rwx-network.
 * @see harvester/harvester:pkg/settings/settings_helper.go RWXNetworkConfig
 */
interface RwxConfig {
  readonly 'share-storage-network': boolean;
  readonly 'network'?: NetworkConfig;
  readonly 'hostIPRange'?: string;
  readonly 'vipRange'?: string;
}

/** The network in a setting's value; undefined where it has none of its own, or cannot be read. */
export function networkOf(
  name: string,
  value: string,
  context: SettingContext,
): NetworkConfig | undefined {
  if (value === '') {
    return undefined;
  }
  if (name !== 'rwx-network') {
    return decoded(unmarshal<NetworkConfig>(value, networkType(context)));
  }
  const rwx = rwxOf(value, context);
  return rwx?.['share-storage-network'] ? undefined : rwx?.network;
}

/** A value of rwx-network; undefined where it cannot be read. */
export function rwxOf(value: string, context: SettingContext): RwxConfig | undefined {
  return decoded(decodeStrict<RwxConfig>(value, rwxType(context)));
}

function rwxType(context: SettingContext): GoType {
  const ranges: { readonly [key: string]: GoType } =
    context.atLeast(DUAL_STACK_SINCE) === false ? {} : { hostIPRange: STRING, vipRange: STRING };
  return goStruct({
    'share-storage-network': BOOL,
    'network': pointer(networkType(context)),
    ...ranges,
  });
}

function checkExclusive(
  { exclusiveVlan, vlan }: NetworkConfig,
  context: SettingContext,
): Problem[] {
  if (!exclusiveVlan || vlan > 1) {
    return [];
  }
  const problem: Problem = {
    path: 'value.exclusiveVlan',
    value: true,
    message: `cannot be true for VLAN ${vlan}`,
    fix: 'give a vlan of 2 to 4094, or remove exclusiveVlan',
    says: `exclusive vlan cannot be enabled for vlan ${vlan}`,
  };
  // the release that began to check it was not read
  return [context.atLeast(DUAL_STACK_SINCE) === true ? problem : warn(problem)];
}

// the server adds room for workloads
const RWX_EXTRA_ADDRESSES = 32;

function checkRwx(config: RwxConfig, context: SettingContext): Problem[] {
  const { network } = config;
  const usable = network && usableCount(network);
  const short: Problem[] =
    usable !== undefined && usable < RWX_EXTRA_ADDRESSES
      ? [
          {
            path: 'value.network.range',
            value: network!.range,
            message: `must have ${RWX_EXTRA_ADDRESSES} addresses and one for each node: it has ${usable}`,
            fix: 'give a larger range, or exclude less',
            says: `allocatable IP address range is < ${RWX_EXTRA_ADDRESSES} (nodes: 0 + ${RWX_EXTRA_ADDRESSES} extra), allocate sufficient range`,
          },
        ]
      : [];
  return [
    ...(network ? checkNetwork('value.network', network, context) : []),
    ...short,
    ...checkReserved(config),
  ];
}

function checkReserved({
  hostIPRange = '',
  vipRange = '',
  network,
  ...rest
}: RwxConfig): Problem[] {
  if (!hostIPRange && !vipRange) {
    return [];
  }
  if (!hostIPRange || !vipRange) {
    return [
      {
        path: hostIPRange ? 'value.vipRange' : 'value.hostIPRange',
        message: 'is missing',
        fix: 'give both ranges, or none',
        says: 'hostIPRange and vipRange must be set together',
      },
    ];
  }
  if (rest['share-storage-network']) {
    return [];
  }
  if (!network?.range) {
    return [
      {
        path: 'value.hostIPRange',
        message: 'needs a network',
        fix: 'give network, or share-storage-network: true',
        says: 'hostIPRange and vipRange require a dedicated network or share-storage-network',
      },
    ];
  }
  return [
    ...checkTagged(network),
    ...checkReservedRange('hostIPRange', hostIPRange, network),
    ...checkReservedRange('vipRange', vipRange, network),
    ...checkSeparate(hostIPRange, vipRange),
  ];
}

function checkTagged({ vlan }: NetworkConfig): Problem[] {
  if (vlan >= 2) {
    return [];
  }
  return [
    {
      path: 'value.network.vlan',
      value: vlan,
      message: 'must be a VLAN ID from 2 to 4094: hosts join only a tagged network',
      fix: 'give 2 to 4094',
      says: `hostIPRange and vipRange require a tagged VLAN (2-4094), got ${vlan}`,
    },
  ];
}

function checkSeparate(hostIPRange: string, vipRange: string): Problem[] {
  const [host, vip] = [parseCidr(hostIPRange), parseCidr(vipRange)];
  if (!host || !vip || !overlaps(host, vip)) {
    return [];
  }
  return [
    {
      path: 'value.vipRange',
      value: vipRange,
      message: 'cannot overlap hostIPRange',
      fix: 'give two separate ranges',
      says: `hostIPRange ${hostIPRange} overlaps vipRange ${vipRange}`,
    },
  ];
}

function checkReservedRange(key: string, text: string, network: NetworkConfig): Problem[] {
  const [range, subnet] = [parseCidr(text), parseCidr(network.range)];
  if (isLate(text) || !subnet) {
    return [];
  }
  const at = {
    path: `value.${key}`,
    value: text,
    fix: `give a part of ${network.range} in CIDR form, without its first and last address`,
  };
  if (!range) {
    return [{ ...at, message: 'must be a network in CIDR form', says: `invalid ${key} "${text}"` }];
  }
  if (range.family !== 4) {
    return [{ ...at, message: 'must be of IPv4', says: `${key} ${text} must be an IPv4 CIDR` }];
  }
  if (range.address !== range.first) {
    return [
      {
        ...at,
        message: 'must be a network, not an address of it',
        says: `${key} should be subnet CIDR ${printNetwork(range)}`,
      },
    ];
  }
  if (range.prefix < subnet.prefix || !overlaps(subnet, range)) {
    return [
      {
        ...at,
        message: 'must be a part of the range',
        says: `${key} ${text} is not within range ${network.range}`,
      },
    ];
  }
  if (range.first === subnet.first || range.last === subnet.last) {
    return [
      {
        ...at,
        message: 'cannot contain the first or last address of the range',
        says: `${key} ${text} must not include the network or broadcast address of ${network.range}`,
      },
    ];
  }
  const clash = (network.exclude ?? []).find((other) => {
    const cidr = parseCidr(other);
    return cidr && overlaps(range, cidr);
  });
  if (clash === undefined) {
    return [];
  }
  return [
    {
      ...at,
      message: `cannot overlap the exclusion ${clash}`,
      says: `${key} ${text} overlaps exclude entry ${clash}`,
    },
  ];
}

const NETWORK_FORMAT =
  '{"vlan":100,"clusterNetwork":"storage","range":"192.168.0.0/24","exclude":["192.168.0.1/32"]}';

// after ClusterNetworks and VlanConfigs: Harvester refuses a network setting whose cluster network
// does not exist
const RANK = 24;

/** What the settings that hold a network have in common. */
const NETWORK = {
  undeletable: true,
  judgesLate: true,
  needs: clusterNetworkIn,
  rank: RANK,
  source: VALIDATOR,
} as const;

function clusterNetworkIn(value: string): FoundReference[] {
  const name = /"clusterNetwork"\s*:\s*"([^"]+)"/.exec(value)?.[1];
  return name === undefined
    ? []
    : [{ group: GROUP_HARVESTER_NETWORK, kind: 'ClusterNetwork', name }];
}

/** A controller of its own, with a digest in an annotation of its own. */
function networkController(name: string, source: string) {
  return {
    digest: { annotation: `${name}.settings.harvesterhci.io/hash`, algorithm: 'sha1' as const },
    source,
  };
}

/** The settings of Harvester's own networks. */
export const NETWORK_FAMILY = {
  'storage-network': settingEntry<StorageNetworkProps>({
    ...NETWORK,
    what: "the network of Longhorn's traffic; all virtual machines must be stopped to change it",
    format: NETWORK_FORMAT,
    judgesDefault: 'always',
    unordered: true,
    carriesGuests: true,
    print: (network) => ({ ...trafficNetwork(network), exclusiveVlan: network.exclusiveVlan }),
    adopt: readJson((config, refer) => ({
      ...networkProps(config, refer),
      exclusiveVlan: config.exclusiveVlan,
    })),
    refersTo: ({ clusterNetwork }) => [['clusterNetwork', clusterNetwork]],
    controller: networkController(
      'storage-network',
      'harvester/harvester:pkg/controller/master/storagenetwork/storage_network.go',
    ),
    check: json<NetworkConfig>({
      type: networkType,
      judge: (config, context) => [
        ...checkNetwork('value', config, context),
        ...checkExclusive(config, context),
      ],
    }),
  }),
  'vm-migration-network': settingEntry<TrafficNetworkProps>({
    ...NETWORK,
    since: '1.6.0',
    what: 'the network of live migrations',
    format: NETWORK_FORMAT,
    judgesDefault: 'always',
    print: trafficNetwork,
    adopt: readJson(networkProps),
    refersTo: ({ clusterNetwork }) => [['clusterNetwork', clusterNetwork]],
    controller: networkController(
      'vm-migration-network',
      'harvester/harvester:pkg/controller/master/kubevirt/vm_migration_network.go',
    ),
    check: json<NetworkConfig>({
      type: networkType,
      judge: (config, context) => checkNetwork('value', config, context),
    }),
  }),
  // its digest is of a part of the value, so its condition alone is read
  'rwx-network': settingEntry<RwxNetwork>({
    ...NETWORK,
    since: '1.8.0',
    // refused where the network that it shares is not set
    needs: (value) =>
      /"share-storage-network"\s*:\s*true/.test(value)
        ? [settingNamed('storage-network')]
        : clusterNetworkIn(value),
    what: 'the network of volumes that several pods mount at the same time',
    format: `{"share-storage-network":true} or {"share-storage-network":false,"network":${NETWORK_FORMAT}}`,
    default: '{"share-storage-network":false}',
    judgesDefault: 'effective',
    print: (network) => network._toConfig(),
    adopt: readJson(({ 'share-storage-network': isShared, network }, refer) => {
      if (isShared) {
        return call('RwxNetwork', 'shared');
      }
      if (network) {
        return call('RwxNetwork', 'dedicated', networkProps(network, refer));
      }
      return call('RwxNetwork', 'none');
    }),
    refersTo: ({ _clusterNetwork: network }) => (network ? [['clusterNetwork', network]] : []),
    check: json<RwxConfig>({ type: rwxType, decode: decodeStrict, judge: checkRwx }),
  }),
};

/**
 * The version from which on the webhook compares the networks with each other; the one before was
 * not read.
 */
const OVERLAP_SINCE = '1.7.0';

/** Two networks that share addresses, as the problem of the first. */
export function overlapProblem(
  name: string,
  config: NetworkConfig,
  other: string,
  context: SettingContext,
): Problem {
  return since(OVERLAP_SINCE, context, {
    path: name === 'rwx-network' ? 'value.network.range' : 'value.range',
    value: config.range,
    message: `cannot share addresses with the setting ${other}`,
    fix: 'give each network a range of its own, or exclude the shared part',
    says: `${name}: the network configuration is overlapped with ${other}`,
  });
}
