import { isRecord, sameValue } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';

/** The map of a `#cloud-config`. */
export interface CloudConfig { readonly [key: string]: unknown }

/**
 * The order of the keys of a `#cloud-config`. Other keys follow in their own order. It is a contract: a different order is a different text, and
 * replaces the machines of a pool.
 */
const ORDER = [
  'hostname', 'timezone', 'ntp', 'ca_certs', 'growpart', 'users', 'ssh_authorized_keys', 'ssh_pwauth', 'bootcmd', 'write_files',
  'package_update', 'package_upgrade', 'packages', 'runcmd',
];

/** A `#cloud-config` with ordered keys. */
export function orderedCloudConfig(config: CloudConfig): CloudConfig {
  const known = ORDER.filter((key) => config[key] !== undefined);
  return Object.fromEntries([...known, ...Object.keys(config).filter((key) => !ORDER.includes(key))].map((key) => [key, config[key]]));
}

/**
 * Merges several `#cloud-config`: lists are joined, without duplicates in packages, users and keys.
 *
 * @param configs the maps, in the order of their lists
 * @param lastWins keys for which the last value is used
 */
export function mergeCloudConfigs(configs: readonly CloudConfig[], lastWins: readonly string[] = []): { fields: CloudConfig; problems: Problem[] } {
  const fields: { [key: string]: unknown } = {};
  const problems: Problem[] = [];
  for (const config of configs) {
    for (const [key, value] of Object.entries(config)) {
      const merged = mergeValue(fields[key], value, key);
      if (merged === undefined && !lastWins.includes(key)) {
        problems.push({ path: key, message: 'cannot have two different values', fix: 'set it in one of the user data' });
      }
      fields[key] = merged ?? value;
    }
  }
  return { fields, problems };
}

const SETS = ['packages', 'users', 'ssh_authorized_keys'];

/** Undefined if both contradict each other. */
function mergeValue(above: unknown, below: unknown, key: string): unknown {
  if (above === undefined || above === null) { return below; }
  if (Array.isArray(above) && Array.isArray(below)) {
    return [...above, ...(SETS.includes(key) ? below.filter((item) => !above.some((other) => sameValue(other, item))) : below)];
  }
  if (sameValue(above, below)) { return above; }
  if (isRecord(above) && isRecord(below)) {
    const merged: { [field: string]: unknown } = { ...above };
    for (const [field, value] of Object.entries(below)) {
      const one = mergeValue(above[field], value, field);
      if (one === undefined) { return undefined; }
      merged[field] = one;
    }
    return merged;
  }
  return undefined;
}
