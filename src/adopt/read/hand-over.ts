import { TerraformResource } from './terraform';
import { grouped } from '../../core/text/values';

/** How resources leave a Terraform state while their objects remain. */
export interface HandOver {
  /** `removed` blocks for a `.tf` file: Terraform 1.7 and later. Empty where no resource can leave as a whole. */
  readonly removed: string;
  /** A command for each resource. */
  readonly commands: string;
  /** Addresses of resources of which only some instances are adopted: a `removed` block cannot name them, so that only their commands are written. */
  readonly partly: readonly string[];
}

/**
 * The text that hands resources over without deleting their objects, as `removed` blocks or as commands: one of both is needed.
 *
 * @param resources those whose objects the program declares
 * @param state all resources of the state, since a block removes all instances of a resource
 * @see https://developer.hashicorp.com/terraform/language/block/removed
 */
export function handOver(resources: readonly TerraformResource[], state: readonly TerraformResource[] = resources): HandOver {
  const adopted = new Set(resources.map(({ address }) => address));
  const names = [...new Set(resources.map(({ plainAddress }) => plainAddress))];
  const instances = grouped(state, ({ plainAddress }) => plainAddress);
  const partly = names.filter((name) => instances.get(name)?.some(({ address }) => !adopted.has(address)));
  return {
    removed: names.filter((name) => !partly.includes(name)).map(removedBlock).join('\n'),
    commands: [...adopted].map((address) => `terraform state rm ${quoted(address)}\n`).join(''),
    partly,
  };
}

function removedBlock(from: string): string {
  return `removed {\n  from = ${from}\n\n  lifecycle {\n    destroy = false\n  }\n}\n`;
}

/** For a shell: keys have quotes and brackets in them. */
function quoted(address: string): string {
  return /^[\w.-]+$/.test(address) ? address : `'${address.replace(/'/g, '\'\\\'\'')}'`;
}
