import { poolGiving } from './address-plan.rules';
import { isLate } from '../../core/late/late-token';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { byObject } from '../../core/text/values';
import { staticAddresses } from '../cloud-init/cloud-init.check';
import { cloudInitOf } from '../virtual-machine/user-data.rules';
import { GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE } from '../virtual-machine/virtual-machine.kind';
import { isHarvesters, MACHINE_KINDS, nicsIn } from '../virtual-machine/volume-claims.check';

/** A fixed address in the network data of a virtual machine. */
interface FixedAddress {
  readonly address: string;
  readonly path: string;
  /** Its network, if the machine has one NIC. */
  readonly network?: string;
}

/** The fixed addresses of a machine. */
function addressesOf(machine: JudgedObject, world: World): readonly FixedAddress[] {
  const nics = nicsIn(machine.manifest);
  const network = nics.length === 1 && nics[0].network !== undefined ? { network: nics[0].network } : {};
  return cloudInitOf(machine, world, 'networkData').filter(({ text }) => !isLate(text)).flatMap(({ text, path }) => (
    staticAddresses(text).filter((address) => address !== '').map((address) => ({ address: address.split('/')[0], path, ...network }))));
}

/** The first machine with each address, by Harvester, network and address. */
const ownersIn = byObject((world: World): ReadonlyMap<string, JudgedObject> => {
  const first = new Map<string, JudgedObject>();
  for (const machine of world.ofKind(GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE)) {
    for (const { address, network } of addressesOf(machine, world)) {
      const key = keyOf(machine, network, address);
      if (network !== undefined && !first.has(key)) { first.set(key, machine); }
    }
  }
  return first;
});

function keyOf({ target }: JudgedObject, network: string | undefined, address: string): string {
  return `${target.name} ${network} ${address}`;
}

const ADDRESS: Rule = {
  id: 'virtual-machine/address',
  level: 'error',
  kinds: MACHINE_KINDS,
  what: 'a fixed address belongs to one virtual machine of a network, and to no load balancer',
  source: 'harvester/load-balancer-harvester:pkg/ipam/allocator.go: addresses of machines are not reserved',
  *judge(machine: JudgedObject, world: World): Iterable<Problem> {
    if (!isHarvesters(machine)) { return; }
    for (const { address, path, network } of addressesOf(machine, world)) {
      const owner = network === undefined ? undefined : ownersIn(world).get(keyOf(machine, network, address));
      if (owner && owner !== machine) {
        const { namespace = 'default', name } = owner.manifest.metadata;
        yield { path, value: address, message: `cannot be the address of this machine: ${namespace}/${name} has it in the same network`, fix: 'use another address' };
      }
      const taken = poolGiving(address, machine.target.name, world);
      if (taken) {
        yield {
          path,
          value: address,
          level: 'warning',
          message: `is an address of IP pool ${taken.name}, which gives it to a load balancer, too`,
          fix: 'use an address outside of its ranges',
        };
      }
    }
  },
};

/** Rules for the fixed addresses of virtual machines. */
export const MACHINE_ADDRESS_RULES: readonly Rule[] = [ADDRESS];
