import { labelValueFault } from '../checks/label-name';

/**
 * The value of the label `harvesterhci.io/machineSetName` on the machines of a pool.
 *
 * The node driver makes it from the name of the machine, in which Rancher turns dots into hyphens.
 * @see harvester/docker-machine-driver-harvester:harvester/create.go Create
 */
export function machineSetName(vmNamespace: string, cluster: string, pool: string): string {
  const name = `${vmNamespace}-${`${cluster}-${pool}`.replace(/\./g, '-')}`;
  return labelValueFault(name) ? `hash_${fnv32a(name).toString('base64url')}_z` : name;
}

/**
 * What the node driver writes in place of a value that is no label value.
 * @see harvester/docker-machine-driver-harvester:harvester/labels.go formatLabelValue
 */
function fnv32a(text: string): Buffer {
  let hash = 0x811c9dc5;
  // eslint-disable-next-line no-bitwise
  for (const byte of Buffer.from(text)) { hash = Math.imul(hash ^ byte, 0x01000193); }
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(hash);
  return bytes;
}
