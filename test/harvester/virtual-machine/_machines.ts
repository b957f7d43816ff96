import { Size } from 'cdk8s';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { Disk } from '../../../src/harvester/machine/disk';
import { VirtualMachineProps } from '../../../src/harvester/virtual-machine/props/virtual-machine-props';
import { VirtualMachine } from '../../../src/harvester/virtual-machine/virtual-machine';
import { newApp, newHarvester } from '../../support/programs';

export type Chart = ReturnType<typeof newHarvester>;

/**
 * A program with the virtual machine `web` on the Harvester `dc1`: two processors, 4 GiB, a disk of
 * an image, and what is given.
 */
export function programOf(write: (dc1: Chart) => Partial<VirtualMachineProps>, version = '1.7.2') {
  const app = newApp();
  const dc1 = newHarvester(app, version);
  const given = write(dc1);
  const machine = new VirtualMachine(dc1, 'web', {
    cpus: 2,
    memory: Size.gibibytes(4),
    disks: [Disk.image(VmImage.fromName(dc1, 'Noble', { name: 'noble' }), Size.gibibytes(40))],
    ...given,
  });
  return {
    app,
    dc1,
    machine,
    rendered: () => dc1.toJson().find(({ kind }) => kind === 'VirtualMachine'),
  };
}

/** The VirtualMachine of such a program. */
export const vm = (props: Partial<VirtualMachineProps> = {}): any =>
  programOf(() => props).rendered();

export const CLAIMS = 'harvesterhci.io/volumeClaimTemplates';
