import { Size } from 'cdk8s';
import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { Delivery } from '../../../src/delivery/delivery';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { VmImage, VmImageBackend } from '../../../src/harvester/image/vm-image';
import { Disk } from '../../../src/harvester/machine/disk';
import { HostStorageClass } from '../../../src/harvester/storage/host-storage-class';
import { VirtualMachine } from '../../../src/harvester/virtual-machine/virtual-machine';
import { filesIn } from '../../support/programs';
import { tempFolder } from '../../support/temp';

/** What a synthesis prints, and the files of a Harvester with a machine whose image it declares. */
function synth(delivery?: Delivery, backend?: VmImageBackend) {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const app = new HarvesterApp({ outdir: tempFolder(), delivery });
    const dc1 = new HarvesterChart(app, 'dc1', { version: '1.8.2' });
    const image = VmImage.download(dc1, 'noble', {
      url: 'https://images.example.com/noble.img',
      backend,
      storageClass: HostStorageClass.fromName(dc1, 'Class', { name: 'harvester-longhorn' }),
    });
    new VirtualMachine(dc1, 'web', {
      cpus: 1,
      memory: Size.gibibytes(2),
      disks: [Disk.image(image, Size.gibibytes(10))],
    });
    app.synth();
    return {
      printed: write.mock.calls.map(([text]) => String(text)).join(''),
      files: Object.values(filesIn(app.outdir)).join(''),
    };
  } finally {
    write.mockRestore();
  }
}

test('names what waits for late values and is in no file, and who writes it', () => {
  expect(synth().printed).toBe(
    '1 object is in no file, since it waits for late values: VirtualMachine default/web on dc1; apply writes it\n',
  );
  expect(synth(Delivery.flux({ sourceName: 'platform' })).printed).toContain(
    'VirtualMachine default/web on dc1; cdk8s-harvester resolve <output folder> --write-manifests <output folder> writes it\n',
  );
});

test('is silent about a machine whose image has the backend cdi: the program names its class', () => {
  const { printed, files } = synth(undefined, VmImageBackend.CDI);
  expect(printed).toBe('');
  expect(files).toContain('kind: VirtualMachine\n');
});
