import { parseCidr } from '../go/go-ip';
import { isLate } from '../late/late-token';
import { goDuration } from '../text/time';

/** What a rule of a definition in CEL asks, as a function. */
export interface Validation {
  /** Whether the rule accepts a value; also where a part of it is not known yet, or has another type, which other rules report. */
  readonly holds: (value: any) => boolean;
  /** The field below the value that a problem names. @default - the value itself */
  readonly at?: string;
  readonly message: string;
  readonly fix: string;
}

const has = (value: unknown): boolean => value !== undefined && value !== null;

/** Whether a role of a machine pool allows its least number of machines. */
const scalesFrom1 = (role: string) => (pool: any): boolean => pool[role] !== true || pool.autoscalingMinSize !== 0;

const DURATION = /^([0-9]+([.][0-9]+)?(ns|us|µs|ms|s|m|h))+$/;
const MAX_HOURS = 2_562_047;

const MIN = 'autoscalingMinSize';
const MAX = 'autoscalingMaxSize';

const atLeast1 = (field: string, role: string): Validation => ({
  holds: scalesFrom1(field), at: MIN, message: `must be at least 1 for a pool with the role ${role}`, fix: 'set it to 1 or more',
});

/**
 * The rules of definitions in CEL (`x-kubernetes-validations`), by their text. A rule about the previous value is `elsewhere`: the kind lists the
 * field as immutable. A rule that is not in this table is not judged.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
 */
export const VALIDATIONS: { readonly [rule: string]: Validation | 'elsewhere' | undefined } = {
  'self == oldSelf': 'elsewhere',
  '!oldSelf.hasValue() || self == oldSelf.value()': 'elsewhere',
  '!has(self.checksum) || (self.checksum.size() in [0, 32, 40, 64, 128])': {
    holds: ({ checksum }) => typeof checksum !== 'string' || isLate(checksum) || [0, 32, 40, 64, 128].includes(checksum.length),
    at: 'checksum',
    message: 'must be an MD5, SHA-1, SHA-256 or SHA-512 sum: 32, 40, 64 or 128 hexadecimal digits',
    fix: 'set the output of sha256sum, or remove it',
  },
  'self.mode != \'static\' || (has(self.ips) && size(self.ips) > 0)': {
    holds: ({ mode, ips }) => mode !== 'static' || (has(ips) && Object.keys(ips as object).length > 0),
    at: 'ips',
    message: 'must be set for the mode static',
    fix: 'set the address of each node as a CIDR',
  },
  'self.enabled == false || self.ip != \'\'': {
    holds: ({ enabled, ip }) => enabled === false || ip !== '',
    at: 'ip',
    message: 'must be set where enabled is true',
    fix: 'set the address, or set enabled to false',
  },
  'isCIDR(self)': {
    holds: (text) => typeof text !== 'string' || isLate(text) || parseCidr(text) !== undefined,
    message: 'must be a CIDR',
    fix: 'set an address with its prefix length, e.g. 10.20.0.11/24',
  },
  '!has(self.controlPlaneRole) || !self.controlPlaneRole || !has(self.autoscalingMinSize) || self.autoscalingMinSize > 0': atLeast1('controlPlaneRole', 'control plane'),
  '!has(self.etcdRole) || !self.etcdRole || !has(self.autoscalingMinSize) || self.autoscalingMinSize > 0': atLeast1('etcdRole', 'etcd'),
  '!has(self.autoscalingMaxSize) || !has(self.autoscalingMinSize) || self.autoscalingMinSize <= self.autoscalingMaxSize': {
    holds: ({ [MIN]: min, [MAX]: max }) => typeof min !== 'number' || typeof max !== 'number' || min <= max,
    at: MIN,
    message: `must be at most ${MAX}`,
    fix: 'lower it',
  },
  '(has(self.autoscalingMinSize) && has(self.autoscalingMaxSize)) || (!has(self.autoscalingMinSize) && !has(self.autoscalingMaxSize))': {
    holds: ({ [MIN]: min, [MAX]: max }) => has(min) === has(max),
    message: `must set both ${MIN} and ${MAX}: they only work together`,
    fix: 'set both or neither',
  },
  'self == \'0\' || (self.matches(\'^([0-9]+([.][0-9]+)?(ns|us|µs|ms|s|m|h))+$\') && duration(self) <= duration(\'2562047h\'))': {
    holds: (text) => typeof text !== 'string' || isLate(text) || text === '0' || (DURATION.test(text) && (goDuration(text) ?? Infinity) <= MAX_HOURS * 3600),
    message: 'must be a duration such as 15s, 5m or 1h30m',
    fix: 'use the units s, m and h',
  },
  'self.startsWith(\'/\')': {
    holds: (path) => typeof path !== 'string' || isLate(path) || path.startsWith('/'), message: 'must be an absolute path', fix: 'begin it with a slash',
  },
  '!self.contains(\'..\')': {
    holds: (path) => typeof path !== 'string' || isLate(path) || !path.includes('..'), message: 'cannot contain two dots', fix: 'write the path without them',
  },
  'self == true': { holds: (value) => typeof value !== 'boolean' || value, message: 'must be true', fix: 'set it to true' },
};
