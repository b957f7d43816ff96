import { GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE } from './virtual-machine.kind';
import { isLate } from '../../core/late/late-token';
import { Manifest, isRecord, valueAt } from '../../core/manifest/manifest';
import { JudgedObject } from '../../core/rule/rule';
import { filledText } from '../../core/text/plain-text';

/** The kinds of rules on virtual machines. */
export const MACHINE_KINDS = [`${GROUP_KUBEVIRT}/${KIND_VIRTUAL_MACHINE}`];

export const VM_VALIDATOR = 'harvester/harvester:pkg/webhook/resources/virtualmachine/validator.go';

/** KubeVirt runs on other clusters too, without what Harvester adds. */
export const isHarvesters = ({ target }: JudgedObject): boolean => target.kind === 'harvester';

/** What a manifest is called among those of its kind. */
export function nameOf({ metadata: { namespace, name } }: Manifest): string {
  return `${namespace ?? 'default'}/${name}`;
}

/** The description of a machine's instance. */
export function instanceOf(machine: Manifest): { readonly [field: string]: unknown } {
  const instance = valueAt(machine, 'spec', 'template', 'spec');
  return isRecord(instance) ? instance : {};
}

/** A network card, and what it is in. */
export interface Card {
  readonly index: number;
  readonly name: string;
  readonly mac?: string;
  /** `<namespace>/<name>` of a NetworkAttachmentDefinition; a name alone is one of `default`, as Harvester reads it. */
  readonly network?: string;
  /** Whether it is in the management network, behind the address of the pod. */
  readonly isPod: boolean;
}

/** The network cards of a machine. */
export function cardsOf(machine: Manifest): Card[] {
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

/** The items of a list that are maps, with their places. */
export function records(list: unknown): Item[] {
  return (Array.isArray(list) ? list : []).flatMap((item, index): Item[] => (isRecord(item) ? [[index, item]] : []));
}
