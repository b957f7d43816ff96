import { readFileSync, writeFileSync } from 'fs';
import { join } from 'path';
import { Size } from 'cdk8s';
import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { checkAssembly } from '../../../src/core/output/check-assembly';
import { Suppressions } from '../../../src/core/program/suppressions';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { VmImage } from '../../../src/harvester/image/vm-image';
import { Disk } from '../../../src/harvester/machine/disk';
import { HarvesterSetting } from '../../../src/harvester/settings/harvester-setting';
import { HarvesterStorageClass } from '../../../src/harvester/storage/harvester-storage-class';
import { VirtualMachine } from '../../../src/harvester/virtual-machine/virtual-machine';
import { HarvesterVolume } from '../../../src/harvester/volume/volume';
import { configMap, filesIn, newApp } from '../../support/programs';
import { runCli } from '../../support/run-cli';
import { tempFolder } from '../../support/temp';
import { assemblyOf } from '../../support/written';

interface Options {
  readonly version?: string;
  readonly storageClassName?: string;
  readonly image?: boolean;
}

/** Writes a program to a folder, and returns the result. */
function synth(
  outdir: string,
  write: (dc1: HarvesterChart, app: HarvesterApp) => void,
  { version = '1.7.2' }: Options = {},
) {
  const app = newApp({ outdir });
  write(new HarvesterChart(app, 'dc1', { version }), app);
  let error = '';
  try {
    app.synth();
  } catch (thrown) {
    error = (thrown as Error).message;
  }
  const left = app.findings.filter(({ rule }) => rule.startsWith('output/'));
  return {
    app,
    error,
    left,
    told: left.map(
      ({ level, rule, object, suppressed }) =>
        `${suppressed ? 'accepted' : level} ${rule} ${object?.kind} ${object?.name}`,
    ),
  };
}

const URL = 'https://images.example.com/noble.img';

/** A machine whose disk begins as an image, and a volume that does. */
function machine(options: Options = {}) {
  return (dc1: HarvesterChart): void => {
    const image = VmImage.download(dc1, 'noble', {
      url: URL,
      volumeStorageClass:
        options.storageClassName === undefined
          ? undefined
          : HarvesterStorageClass.fromName(dc1, 'Class', { name: options.storageClassName }),
    });
    new VirtualMachine(dc1, 'web', {
      cpus: 1,
      memory: Size.gibibytes(2),
      disks: [Disk.image(image, Size.gibibytes(10))],
    });
    new HarvesterVolume(dc1, 'data', { size: Size.gibibytes(10), image });
  };
}

describe('a Harvester that is upgraded to 1.8', () => {
  test('cannot turn machines into templates: synthesis reports it and what to set, and writes nothing', () => {
    const outdir = tempFolder();
    synth(outdir, machine());
    const before = filesIn(outdir);
    const { error, told, left } = synth(outdir, machine(), { version: '1.8.2' });
    expect(told).toEqual([
      'error output/now-waits PersistentVolumeClaim data',
      'error output/now-waits VirtualMachine web',
    ]);
    expect(error).toContain('synthesis failed, nothing was written');
    expect(error).toContain(
      '    VirtualMachine default/web on dc1: was in dc1/50-virtualmachine.kubevirt.io.yaml and is in no file now, as it waits for StorageClass of the image default/noble',
    );
    expect(left.map(({ fix }) => fix)).toEqual(
      Array(2).fill(
        "set volumeStorageClass of the image noble to HarvesterStorageClass.fromName(…, { name: 'longhorn-noble' }): it keeps the class that it has",
      ),
    );
    expect(filesIn(outdir)).toEqual(before);
  });

  test('keeps its output, byte for byte, with the class that the image has', () => {
    const outdir = tempFolder();
    synth(outdir, machine());
    const before = filesIn(join(outdir, 'dc1'));
    const { error, told } = synth(outdir, machine({ storageClassName: 'longhorn-noble' }), {
      version: '1.8.2',
    });
    expect([error, told]).toEqual(['', []]);
    expect(filesIn(join(outdir, 'dc1'))).toEqual(before);
  });
});

describe('an object that is no longer declared', () => {
  const some = (dc1: HarvesterChart): void => {
    new HarvesterNamespace(dc1, 'shop');
    HarvesterSetting.ntpServers(dc1, 'ntp', ['0.suse.pool.ntp.org']);
  };

  test('is an error where it holds something, a warning else, and nothing once it is gone', () => {
    const outdir = tempFolder();
    synth(outdir, (dc1) => {
      machine()(dc1);
      configMap(dc1, 'a');
    });
    const { told, error, left } = synth(outdir, (dc1) => configMap(dc1, 'b'));
    expect([...told].sort()).toEqual([
      'error output/gone PersistentVolumeClaim data',
      'error output/gone VirtualMachine web',
      'error output/gone VirtualMachineImage noble',
      'warning output/gone ConfigMap a',
    ]);
    expect(error).toContain(
      "app.acceptRemoval('dc1/kubevirt.io/VirtualMachine/default/web', '<why>')",
    );
    expect(left.find(({ object }) => object?.kind === 'VirtualMachine')?.message).toContain(
      'deletes it, with the machine (its volumes are kept)',
    );
    const accepted = synth(outdir, (dc1, app) => {
      configMap(dc1, 'b');
      app.acceptRemoval('dc1/*/default/*', 'moved to dc2');
    });
    expect([accepted.error, new Set(accepted.told.map((text) => text.split(' ')[0]))]).toEqual([
      '',
      new Set(['accepted']),
    ]);
    expect(synth(outdir, (dc1) => configMap(dc1, 'b')).told).toEqual([]);
  });

  test('is an error also where it waited for a late value, under another name, too', () => {
    const version = { version: '1.8.2' };
    const outdir = tempFolder();
    synth(outdir, machine(), version);
    const image = (dc1: HarvesterChart): VmImage => VmImage.download(dc1, 'noble', { url: URL });
    const { left, told, error } = synth(outdir, image, version);
    expect([...told].sort()).toEqual([
      'error output/gone PersistentVolumeClaim data',
      'error output/gone VirtualMachine web',
    ]);
    expect(error).toContain('synthesis failed, nothing was written');
    expect(left[0]!.message).toContain('waited for a late value and is no longer declared: ');
    const named =
      (name: string) =>
      (dc1: HarvesterChart): void => {
        const disks = [Disk.image(image(dc1), Size.gibibytes(10))];
        new VirtualMachine(dc1, 'web', { name, cpus: 1, memory: Size.gibibytes(2), disks });
      };
    const other = tempFolder();
    synth(other, named('web'), version);
    expect(synth(other, named('shop'), version).left[0]?.fix).toContain(
      "set the prop name to 'web' for VirtualMachine default/shop",
    );
    // nothing was written, so that the next synthesis finds it again
    expect(synth(outdir, machine(), version).told).toEqual([]);
  });

  test('is a warning where its cluster keeps it', () => {
    const outdir = tempFolder();
    synth(outdir, some);
    expect(
      synth(outdir, (dc1) => {
        new HarvesterNamespace(dc1, 'shop');
      }).told,
    ).toEqual(['warning output/gone Setting ntp-servers']);
  });

  test('is reported with its new name if its construct writes another one', () => {
    const outdir = tempFolder();
    const named =
      (name: string) =>
      (dc1: HarvesterChart): void => {
        new HarvesterNamespace(dc1, 'shop', { name });
      };
    synth(outdir, named('shop'));
    const { left } = synth(outdir, named('store'));
    expect(left[0].message).toContain(
      'its construct writes Namespace store now, which is another object',
    );
    expect(left[0].fix).toBe(
      "to keep it, set the prop name to 'shop' for Namespace store; to let it go, add app.acceptRemoval('dc1//Namespace//shop', '<why>')",
    );
  });

  test('leaves no trace in the output: the second synthesis gives the same bytes', () => {
    const outdir = tempFolder();
    synth(outdir, (dc1) => {
      configMap(dc1, 'a');
      configMap(dc1, 'b');
    });
    const without = (dc1: HarvesterChart): void => {
      configMap(dc1, 'b');
    };
    expect(synth(outdir, without).told).toHaveLength(1);
    const first = filesIn(outdir);
    synth(outdir, without);
    expect(filesIn(outdir)).toEqual(first);
    const { app } = synth(tempFolder(), (dc1, program) => {
      configMap(dc1, 'b');
      program.acceptRemoval('dc1//ConfigMap/default/a', 'merged');
    });
    expect(assemblyOf(app).removals).toEqual([
      { objects: 'dc1//ConfigMap/default/a', reason: 'merged' },
    ]);
    expect(checkAssembly(JSON.parse(filesIn(app.outdir)['assembly.json']))).toEqual([]);
  });

  test('is found even if the previous assembly and file are damaged', () => {
    const outdir = tempFolder();
    synth(outdir, machine());
    const file = join(outdir, 'assembly.json');
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('  "objects"', '<<<<<<< HEAD\n  "objects"'),
    );
    writeFileSync(
      join(outdir, 'dc1', '50-virtualmachine.kubevirt.io.yaml'),
      '<<<<<<< HEAD\nkind: [',
    );
    expect(synth(outdir, (dc1) => configMap(dc1, 'b')).told).toContain(
      'error output/gone VirtualMachine web',
    );
  });
});

describe('lint --before', () => {
  const lint = async (now: string, before: string): Promise<string[]> => {
    const { stdout } = await runCli('lint', now, '--before', before, '--output', 'json');
    return JSON.parse(stdout)
      .findings.filter(({ rule }: any) => rule.startsWith('output/'))
      .map(
        ({ level, rule, object: { kind, name }, suppressed }: any) =>
          `${suppressed ? 'accepted' : level} ${rule} ${kind} ${name}`,
      );
  };

  test('finds what waits now and what is gone, by both assemblies or without one', async () => {
    const [before, waiting, bare] = [tempFolder(), tempFolder(), tempFolder()];
    synth(before, machine());
    synth(waiting, machine(), { version: '1.8.2' });
    synth(bare, (dc1) => configMap(dc1, 'b'));
    const waits = [
      'error output/now-waits PersistentVolumeClaim data',
      'error output/now-waits VirtualMachine web',
    ];
    const gone = [
      'error output/gone PersistentVolumeClaim data',
      'error output/gone VirtualMachine web',
      'error output/gone VirtualMachineImage noble',
    ];
    expect((await lint(waiting, before)).sort()).toEqual(waits);
    expect((await lint(waiting, join(before, 'dc1'))).sort()).toEqual(waits);
    expect((await lint(bare, before)).sort()).toEqual(gone);
    expect((await lint(join(bare, 'dc1'), join(before, 'dc1'))).sort()).toEqual(gone);
    expect(await lint(before, waiting)).toEqual([]);
    expect(await lint(before, before)).toEqual([]);
  });

  test('knows what the program accepts', async () => {
    const [before, after] = [tempFolder(), tempFolder()];
    synth(before, machine());
    synth(after, (dc1, app) => {
      configMap(dc1, 'b');
      app.acceptRemoval('dc1/*', 'dc1 is emptied');
    });
    expect(new Set((await lint(after, before)).map((text) => text.split(' ')[0]))).toEqual(
      new Set(['accepted']),
    );
  });
});

describe('impact', () => {
  const impact = async (now: string, before: string) => {
    const { stdout, exitCode } = await runCli(
      'impact',
      now,
      '--before',
      before,
      '--output',
      'json',
    );
    const { impacts, summary } = JSON.parse(stdout);
    return {
      exitCode,
      summary,
      told: impacts.map(({ effect, object }: any) => `${effect} ${object}`).sort(),
    };
  };
  const sized =
    (cpus: number) =>
    (dc1: HarvesterChart): void => {
      new VirtualMachine(dc1, 'web', {
        cpus,
        memory: Size.gibibytes(2),
        disks: [Disk.empty(Size.gibibytes(10))],
      });
    };

  test('reports machines, volumes and images that are removed or wait now', async () => {
    const [before, waiting, bare] = [tempFolder(), tempFolder(), tempFolder()];
    synth(before, machine());
    synth(waiting, machine(), { version: '1.8.2' });
    synth(bare, (dc1) => configMap(dc1, 'b'));
    // apply writes what waits when it knows the values
    expect(await impact(waiting, before)).toEqual({
      exitCode: 3,
      summary: '1 machine may be replaced or deleted (cannot be determined)',
      told: ['unknown PersistentVolumeClaim default/data', 'unknown VirtualMachine default/web'],
    });
    // without an engine, apply keeps machines with what they need
    expect(await impact(bare, before)).toEqual({
      exitCode: 0,
      summary: '1 machine kept, 2 other objects with data or tenants kept',
      told: [
        'kept PersistentVolumeClaim default/data',
        'kept VirtualMachine default/web',
        'kept VirtualMachineImage default/noble',
      ],
    });
    expect(await impact(before, before)).toMatchObject({ exitCode: 0, told: [] });
  });

  test('reports machines that change at their next start', async () => {
    const [before, after] = [tempFolder(), tempFolder()];
    synth(before, sized(1));
    synth(after, sized(2));
    expect(await impact(after, before)).toMatchObject({
      exitCode: 0,
      told: ['restart VirtualMachine default/web'],
    });
  });
});

test('an empty acceptance is refused, and suppressing points to it', () => {
  const app = newApp();
  expect(() => Suppressions.of(app).suppress('output/gone', 'x')).toThrow('use app.acceptRemoval');
  expect(() => newApp().acceptRemoval(' ', 'x')).toThrow('pattern must not be empty');
  expect(() => newApp().acceptRemoval('x', '')).toThrow('reason must not be empty');
  expect(() => newApp().acceptReplacement('', 'x')).toThrow('pattern must not be empty');
  expect(() => newApp().acceptReplacement('x', ' ')).toThrow('reason must not be empty');
});
