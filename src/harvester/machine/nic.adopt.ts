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
  const {
    metadata: { name: machine, namespace = 'default' },
  } = object.manifest;
  const nics = nicsIn(object.manifest);
  const interfaces = records(instanceOf(object.manifest), 'domain', 'devices', 'interfaces').map(
    ([, each]) => each,
  );
  const names = nics.map(({ name, isPod }, index) =>
    unless(name, isPod ? NIC_MANAGEMENT : `${NIC_PREFIX}${index}`),
  );
  const keys = nicKeys(nics.map(({ network }, index) => ({ name: names[index], network })));
  const options = nics.map(({ mac }, index): DraftProps => ({
    name: names[index],
    model: enumValue(
      'InterfaceModel',
      isSparse
        ? filledText(interfaces[index].model)
        : unless(filledText(interfaces[index].model), 'virtio'),
    ),
    macAddress: isSparse
      ? mac
      : unless(mac, derivedMac({ target: object.target, namespace, machine, nic: keys[index] })),
    bootOrder:
      typeof interfaces[index].bootOrder === 'number' ? interfaces[index].bootOrder : undefined,
    staticAddress: takesAddresses
      ? filledText(annotationsOf(object.manifest)[`${STATIC_ADDRESS_PREFIX}${nics[index].name}`])
      : undefined,
    bridged:
      nics[index].isPod && valueAt(interfaces[index], 'bridge') !== undefined ? true : undefined,
    managedTap:
      valueAt(interfaces[index], 'binding', 'name') === BINDING_MANAGED_TAP ? true : undefined,
  }));
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
