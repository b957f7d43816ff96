import { GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE } from './virtual-machine.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { filledText } from '../../core/text/plain-text';

/** The kinds that rules on virtual machines judge. */
export const MACHINE_KINDS = [`${GROUP_KUBEVIRT}/${KIND_VIRTUAL_MACHINE}`];

/** The validator that rules on virtual machines follow. */
export const VM_VALIDATOR = 'harvester/harvester:pkg/webhook/resources/virtualmachine/validator.go';

/** Whether an object is on a Harvester: KubeVirt runs on other clusters too, without what Harvester adds. */
export const isHarvesters = ({ target }: { readonly target: { readonly kind?: string } }): boolean => target.kind === 'harvester';

/** The `<namespace>/<name>` of a manifest. */
export function nameOf({ metadata: { namespace, name } }: Manifest): string {
  return `${namespace ?? 'default'}/${name}`;
}

/** The spec of a VM's instance. */
export function instanceOf(machine: Manifest): { readonly [field: string]: unknown } {
  const instance = valueAt(machine, 'spec', 'template', 'spec');
  return isRecord(instance) ? instance : {};
}

/** A NIC, and its network. */
export interface Nic {
  readonly index: number;
  readonly name: string;
  readonly mac?: string;
  /** `<namespace>/<name>` of a NetworkAttachmentDefinition. Harvester reads a name alone as one in `default`. */
  readonly network?: string;
  /** Whether the NIC is in the management network, behind the address of the pod. */
  readonly isPod: boolean;
}

/** The NICs of a VM. */
export function nicsIn(machine: Manifest): Nic[] {
  const instance = instanceOf(machine);
  const networks = new Map(records(instance.networks).map(([, network]) => [network.name, network]));
  return records(valueAt(instance, 'domain', 'devices', 'interfaces')).map(([index, { name, macAddress }]) => {
    const found = networks.get(name);
    const network = filledText(valueAt(found, 'multus', 'networkName'));
    const known = network !== undefined && !isLate(network) ? network : undefined;
    return {
      index,
      name: filledText(name) ?? '',
      mac: filledText(macAddress)?.toLowerCase(),
      isPod: isRecord(valueAt(found, 'pod')),
      network: known === undefined || known.includes('/') ? known : `default/${known}`,
    };
  });
}

type Item = [index: number, fields: { readonly [field: string]: unknown }];

/** The items of a list that are maps, with their indexes. */
export function records(list: unknown): Item[] {
  return (Array.isArray(list) ? list : []).flatMap((item, index): Item[] => (isRecord(item) ? [[index, item]] : []));
}
