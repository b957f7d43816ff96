import { ANY, BOOL, INT, STRING, pointer, slice, struct, unmarshal } from '../../core/go/go-json';
import { isLate } from '../../core/late/late-token';

/** One entry of a trunk: a range of VLANs, or one. */
export interface VlanTrunk {
  readonly minID?: number;
  readonly maxID?: number;
  readonly id?: number;
}

/** The part of a network's config that Harvester reads. @see harvester/network-controller-harvester:pkg/utils/nad.go NetConf */
export interface NetConf {
  readonly name: string;
  readonly type: string;
  readonly bridge: string;
  readonly vlan: number;
  readonly vlanTrunk?: readonly (VlanTrunk | undefined)[];
  readonly mtu: number;
  readonly provider: string;
}

const TRUNK = struct({ minID: pointer(INT), maxID: pointer(INT), id: pointer(INT) });
/** The fields that Harvester reads from the config of a network. */
export const CONF = struct({
  cniVersion: STRING,
  name: STRING,
  type: STRING,
  capabilities: ANY,
  ipam: ANY,
  dns: ANY,
  bridge: STRING,
  isGateway: BOOL,
  isDefaultGateway: BOOL,
  forceAddress: BOOL,
  ipMasq: BOOL,
  mtu: INT,
  hairpinMode: BOOL,
  promiscMode: BOOL,
  vlan: INT,
  provider: STRING,
  vlanTrunk: slice(pointer(TRUNK)),
});

/** The config of a network; undefined if it cannot be parsed. */
export function netConfOf(config: unknown): NetConf | undefined {
  if (typeof config !== 'string' || isLate(config)) { return undefined; }
  const result = unmarshal<NetConf>(config, CONF);
  return 'error' in result ? undefined : result.config;
}
