import { Size } from 'cdk8s';
import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { REVIEW_ENV } from '../../../src/core/value/review';
import { Delivery } from '../../../src/delivery/delivery';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { VmImage, VmImageBackend } from '../../../src/harvester/image/vm-image';
import { Disk } from '../../../src/harvester/machine/disk';
import { HarvesterSetting } from '../../../src/harvester/settings/harvester-setting';
import { HarvesterStorageClass } from '../../../src/harvester/storage/harvester-storage-class';
import { VirtualMachine } from '../../../src/harvester/virtual-machine/virtual-machine';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { filesIn } from '../../support/programs';
import { tempFolder } from '../../support/temp';

/** What a synthesis prints, with `dist` for its folder. */
function printedBy(app: HarvesterApp): string {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    app.synth();
    const printed = write.mock.calls.map(([text]) => String(text)).join('');
    return printed.replaceAll(app.outdir, 'dist');
  } finally {
    write.mockRestore();
  }
}

/** What a synthesis prints, and the files of a Harvester with a machine whose image it declares. */
function synth(delivery?: Delivery, backend?: VmImageBackend) {
  const app = new HarvesterApp({ outdir: tempFolder(), delivery });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.8.2' });
  const image = VmImage.download(dc1, 'noble', {
    url: 'https://images.example.com/noble.img',
    backend,
    storageClass: HarvesterStorageClass.fromName(dc1, 'Class', { name: 'harvester-longhorn' }),
  });
  new VirtualMachine(dc1, 'web', {
    cpus: 1,
    memory: Size.gibibytes(2),
    disks: [Disk.image(image, Size.gibibytes(10))],
  });
  const printed = printedBy(app);
  return { printed, files: Object.values(filesIn(app.outdir)).join('') };
}

/** A program of a Harvester with settings. */
function settings(outdir: string, servers: readonly string[], printWarnings?: boolean) {
  const app = new HarvesterApp({ outdir, printWarnings });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2' });
  if (servers.length > 0) {
    HarvesterSetting.ntpServers(dc1, 'ntp', [...servers]);
  }
  return app;
}

test('names what waits for late values and is in no file, and who writes it', () => {
  expect(synth().printed).toBe(
    'dist: 2 objects for dc1, 2 files written. ' +
      '1 object is in no file, since it waits for late values: VirtualMachine default/web on dc1. ' +
      'Next: cdk8s-harvester plan dist, then apply, which also writes it\n',
  );
  expect(synth(Delivery.flux({ sourceName: 'platform' })).printed).toContain(
    'VirtualMachine default/web on dc1. ' +
      'Next: commit dist: the engine delivers it; then cdk8s-harvester resolve dist --write-manifests dist\n',
  );
});

test('proposes a folder outside of the repository for a credential that nothing encrypts', () => {
  const app = new HarvesterApp({
    outdir: tempFolder(),
    delivery: Delivery.argoCd({ repository: 'https://git.example.com/platform.git' }),
  });
  const rancher = new RancherChart(app, 'rancher', {
    version: '2.13.8',
    serverUrl: 'https://rancher.example.com',
  });
  const harvester = new HarvesterChart(app, 'dc1', { version: '1.7.2' });
  new HarvesterImport(rancher, 'import-dc1', { harvester });
  expect(printedBy(app)).toContain(
    'resolve dist --write-manifests ../late, and apply each folder in ../late with kubectl: it contains credentials, so keep it out of Git\n',
  );
});

test('names nothing of a machine whose image has the backend cdi: the program names its class', () => {
  const { printed, files } = synth(undefined, VmImageBackend.CDI);
  expect(printed).toBe(
    'dist: 2 objects for dc1, 3 files written. Next: cdk8s-harvester plan dist, then apply\n',
  );
  expect(files).toContain('kind: VirtualMachine\n');
});

test('counts the files that a later synthesis changes and removes', () => {
  const outdir = tempFolder();
  const count = (servers: readonly string[]): string =>
    printedBy(settings(outdir, servers)).replace(/\. Next.*\n/s, '');
  expect(count(['0.pool.ntp.org'])).toBe('dist: 1 object for dc1, 2 files written');
  expect(count(['0.pool.ntp.org'])).toBe('dist: 1 object for dc1, none of 2 files changed');
  expect(count(['1.pool.ntp.org'])).toBe('dist: 1 object for dc1, 1 of 2 files changed');
  expect(count([])).toContain('\ndist: 0 objects, 1 file written, 1 removed');
});

test('prints nothing if the program wants no output, and in a review', () => {
  expect(printedBy(settings(tempFolder(), ['0.pool.ntp.org'], false))).toBe('');
  process.env[REVIEW_ENV] = tempFolder();
  try {
    expect(printedBy(settings(tempFolder(), ['0.pool.ntp.org']))).toBe('');
  } finally {
    delete process.env[REVIEW_ENV];
  }
});

test('notes a patch version that is later than those that are known', () => {
  const app = new HarvesterApp({ outdir: tempFolder() });
  new RancherChart(app, 'rancher', { version: '2.13.99', serverUrl: 'https://r.example.com' });
  new HarvesterChart(app, 'dc1', { version: '1.7.9' });
  new HarvesterChart(app, 'dc2', { version: '1.8.2' });
  const printed = printedBy(app);
  expect(printed).toContain(
    'note: Harvester 1.7.9 of dc1 is not known to this version of the library, whose latest release of this minor version is 1.7.3. Correct it, unless it is a later release',
  );
  expect(printed).toContain('note: Rancher 2.13.99 of rancher is not known');
  expect(printed).not.toContain('dc2 is not known');
});
