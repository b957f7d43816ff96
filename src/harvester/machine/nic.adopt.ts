import {
  DraftProps,
  DraftValue,
  FoundObject,
  call,
  enumValue,
  refer,
  unless,
} from '../../core/draft/draft';
import { annotationsOf, kindKey, records, valueAt } from '../../core/manifest/manifest';
import { filledText } from '../../core/text/plain-text';
import { GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT } from '../network/vm-network.kind';
import {
  BINDING_MANAGED_TAP,
  ManifestNic,
  NIC_MANAGEMENT,
  NIC_PREFIX,
  STATIC_ADDRESS_PREFIX,
  instanceOf,
  nicsIn,
} from '../virtual-machine/machine-manifest.facts';
import { derivedMac, nicKeys } from '../virtual-machine/virtual-machine.check';

/** How the NICs of a VM are read. */
interface NicForm {
  /**
   * Whether static addresses have an effect: the form of the UI writes them for each network and in
   * each form. @default true
   */
  readonly takesAddresses?: boolean;
  /** Whether the VM has nothing but its props. @default false */
  readonly isSparse?: boolean;
}

/** The props of a VM's NICs: the networks alone where all NICs are as by default. */
export function nicProps(
  object: FoundObject,
  { takesAddresses = true, isSparse = false }: NicForm = {},
): DraftProps {
  const { name: machine, namespace = 'default' } = object.manifest.metadata;
  const nics = nicsIn(object.manifest);
  const interfaces = records(instanceOf(object.manifest), 'domain', 'devices', 'interfaces').map(
    ([, each]) => each,
  );
  const names = nics.map(({ name, isPod }, index) =>
    unless(name, isPod ? NIC_MANAGEMENT : `${NIC_PREFIX}${index}`),
  );
  const keys = nicKeys(nics.map(({ network }, index) => ({ name: names[index], network })));
  const addresses = takesAddresses ? annotationsOf(object.manifest) : {};
  const options = nics.map(({ name, mac, isPod }, index): DraftProps => {
    const card = interfaces[index];
    const model = filledText(card.model);
    const derived = derivedMac({ target: object.target, namespace, machine, nic: keys[index] });
    const isManagedTap = valueAt(card, 'binding', 'name') === BINDING_MANAGED_TAP;
    return {
      name: names[index],
      model: enumValue('InterfaceModel', isSparse ? model : unless(model, 'virtio')),
      macAddress: isSparse ? mac : unless(mac, derived),
      bootOrder: typeof card.bootOrder === 'number' ? card.bootOrder : undefined,
      staticAddress: filledText(addresses[`${STATIC_ADDRESS_PREFIX}${name}`]),
      bridged: isPod && valueAt(card, 'bridge') !== undefined ? true : undefined,
      managedTap: isManagedTap ? true : undefined,
    };
  });
  const isPlain = options.every((each) => isEmpty(each));
  if (isPlain && nics.length === 1 && nics[0].isPod) {
    return {};
  }
  return isPlain && nics.every(({ isPod }) => !isPod)
    ? { networks: nics.map((nic) => networkOf(object, nic)) }
    : { nics: nics.map((nic, index) => nicOf(object, nic, options[index])) };
}

function nicOf(object: FoundObject, nic: ManifestNic, options: DraftProps): DraftValue {
  const rest = isEmpty(options) ? [] : [options];
  return nic.isPod
    ? call('Nic', 'management', ...rest)
    : call('Nic', 'network', networkOf(object, nic), ...rest);
}

function networkOf(object: FoundObject, { network = '' }: ManifestNic): DraftValue {
  const [namespace, name] = network.split('/');
  return refer(object, kindKey(GROUP_ATTACHMENT, KIND_NETWORK_ATTACHMENT), name ?? '', namespace);
}

function isEmpty(props: DraftProps): boolean {
  return Object.values(props).every((each) => each === undefined);
}
