import { isRecord, sameValue } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';

/** A `#cloud-config`. */
export interface CloudConfig { readonly [key: string]: unknown }

/**
 * The order in which we write the keys of a `#cloud-config`, others after these as they come. It is a contract: another order is another text, and
 * replaces the machines of a pool.
 */
const ORDER = [
  'hostname', 'timezone', 'ntp', 'ca_certs', 'growpart', 'users', 'ssh_authorized_keys', 'ssh_pwauth', 'bootcmd', 'write_files',
  'package_update', 'package_upgrade', 'packages', 'runcmd',
];

/** A `#cloud-config` with its keys in the order in which we write them. */
export function orderedCloudConfig(config: CloudConfig): CloudConfig {
  const known = ORDER.filter((key) => config[key] !== undefined);
  return Object.fromEntries([...known, ...Object.keys(config).filter((key) => !ORDER.includes(key))].map((key) => [key, config[key]]));
}

/**
 * Several `#cloud-config` as one: lists are joined, what is in a list already is not added to packages, users and keys a second time.
 *
 * @param configs in the order of their lists
 * @param lastWins keys of which the last one counts
 */
export function mergeCloudConfigs(configs: readonly CloudConfig[], lastWins: readonly string[] = []): { fields: CloudConfig; problems: Problem[] } {
  const fields: { [key: string]: unknown } = {};
  const problems: Problem[] = [];
  for (const config of configs) {
    for (const [key, value] of Object.entries(config)) {
      const merged = mergeValue(fields[key], value, key);
      if (merged === undefined && !lastWins.includes(key)) {
        problems.push({ path: key, message: 'is said twice, and not the same', fix: 'say it in one of the user data' });
      }
      fields[key] = merged ?? value;
    }
  }
  return { fields, problems };
}

const SETS = ['packages', 'users', 'ssh_authorized_keys'];

/** Undefined where both contradict each other. */
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
