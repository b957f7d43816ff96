import { poolGiving } from './address-plan.rules';
import { isLate } from '../../core/late/late-token';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
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

const ADDRESSES = new WeakMap<World, Map<JudgedObject, readonly FixedAddress[]>>();

/** The fixed addresses of a machine: most have none, and all rules and machines ask for them. */
function addressesOf(machine: JudgedObject, world: World): readonly FixedAddress[] {
  let known = ADDRESSES.get(world);
  if (!known) { ADDRESSES.set(world, known = new Map()); }
  let addresses = known.get(machine);
  if (!addresses) {
    const nics = nicsIn(machine.manifest);
    const network = nics.length === 1 && nics[0].network !== undefined ? { network: nics[0].network } : {};
    addresses = cloudInitOf(machine, world, 'networkData').filter(({ text }) => !isLate(text)).flatMap(({ text, path }) => (
      staticAddresses(text).filter((address) => address !== '').map((address) => ({ address: address.split('/')[0], path, ...network }))));
    known.set(machine, addresses);
  }
  return addresses;
}

const OWNERS = new WeakMap<World, ReadonlyMap<string, JudgedObject>>();

/** The first machine with each address, by Harvester, network and address. */
function ownersIn(world: World): ReadonlyMap<string, JudgedObject> {
  let owners = OWNERS.get(world);
  if (!owners) {
    const first = new Map<string, JudgedObject>();
    for (const machine of world.ofKind(GROUP_KUBEVIRT, KIND_VIRTUAL_MACHINE)) {
      for (const { address, network } of addressesOf(machine, world)) {
        const key = keyOf(machine, network, address);
        if (network !== undefined && !first.has(key)) { first.set(key, machine); }
      }
    }
    OWNERS.set(world, owners = first);
  }
  return owners;
}

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
