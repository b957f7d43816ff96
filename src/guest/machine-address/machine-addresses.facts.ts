import { isLate } from '../../core/late/late-token';
import { JudgedObject, World } from '../../core/rule/rule';
import { staticAddresses } from '../../harvester/cloud-init/cloud-init.check';
import { GuestHarvesters } from '../cloud-provider/guest-harvester.facts';
import { cloudInitText, machineReferences } from '../machine-config/machine-json.facts';

/** The static addresses of a machine. */
interface MachineAddresses {
  readonly addresses: readonly string[];
  readonly harvester?: string;
  /** The network that they are in, if the machine has one interface. */
  readonly network?: string;
}

/** The static addresses in the network data of a machine configuration. */
export function addressesOf(config: JudgedObject, world: World): MachineAddresses {
  const text = cloudInitText(config.manifest, 'networkData');
  const addresses =
    text === undefined || isLate(text)
      ? []
      : staticAddresses(text).map((address) => address.split('/')[0]);
  if (addresses.length === 0) {
    return { addresses };
  }
  const { networks } = machineReferences(config.manifest);
  return {
    addresses,
    harvester: GuestHarvesters.in(world).ofMachines(config)?.name,
    ...(networks.length === 1 ? { network: networks[0] } : {}),
  };
}
