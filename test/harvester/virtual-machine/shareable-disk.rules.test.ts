import { Manifest } from '../../../src/core/manifest/manifest';
import { findings, machine, messages, told, volume } from '../../support/machines';

const BOOT = { name: 'a', disk: { bus: 'virtio' }, bootOrder: 1 };
const OWN = { name: 'a', persistentVolumeClaim: { claimName: 'a-a' } };
const storageClass = (name: string, provisioner: string): Manifest => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner,
});
const SAN = storageClass('san', 'san.example.com');
const SHARED = [volume('data', { storageClassName: 'san' }), SAN];

/** A machine with a disk that boots, and a shareable one with the volume data. */
const sharing = (disk: object = {}, first: object = BOOT): Manifest =>
  machine('a', {
    devices: {
      disks: [first, { name: 'data', disk: { bus: 'virtio' }, shareable: true, ...disk }],
    },
    instance: { volumes: [OWN, { name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
  });

const shareable = (
  manifest: Manifest,
  live: readonly Manifest[] = SHARED,
  version: string | undefined = '1.9.0',
) =>
  findings([manifest], { version, live })
    .filter(({ rule }) => rule === 'virtual-machine/shareable-disk')
    .map(({ level, path, message }) => `${level} ${path} ${message}`);

test('accepts a shareable disk on a ReadWriteMany block volume of another provisioner', () => {
  expect(shareable(sharing())).toEqual([]);
  expect(shareable(sharing({ cache: 'none' }))).toEqual([]);
  expect(shareable(sharing(), [])).toEqual([]);
});

const DATA = 'spec.template.spec.volumes[1].persistentVolumeClaim.claimName';
const LONGHORN = `${DATA} must be a ReadWriteMany volume of another provisioner than Longhorn`;

test.each<[string, Manifest, readonly Manifest[], string]>([
  [
    'as the boot disk',
    sharing({ bootOrder: 1 }, { ...BOOT, bootOrder: 2 }),
    SHARED,
    'spec.template.spec.domain.devices.disks[1] cannot boot from the shareable disk data',
  ],
  [
    'with a cache',
    sharing({ cache: 'writeback' }),
    SHARED,
    'spec.template.spec.domain.devices.disks[1].cache must be none on a shareable disk',
  ],
  [
    'on a class of Longhorn',
    sharing(),
    [volume('data', { storageClassName: 'fast' }), storageClass('fast', 'driver.longhorn.io')],
    LONGHORN,
  ],
  ['on the default class', sharing(), [volume('data', { storageClassName: undefined })], LONGHORN],
  [
    'of one node',
    sharing(),
    [volume('data', { storageClassName: 'san', accessModes: ['ReadWriteOnce'] }), SAN],
    LONGHORN,
  ],
  [
    'with a file system',
    sharing(),
    [volume('data', { storageClassName: 'san', volumeMode: 'Filesystem' }), SAN],
    `${DATA} must have the volumeMode Block`,
  ],
])('refuses a shareable disk %s from Harvester 1.9.0 on', (_, manifest, live, expected) => {
  expect(shareable(manifest, live)).toEqual([expect.stringContaining(`error ${expected}`)]);
  expect(shareable(manifest, live, '1.8.2')).toEqual([]);
  expect(told([manifest], { live }).filter((text) => text.includes('shareable'))).toEqual([
    expect.stringMatching(/^warning/),
  ]);
});

test('refuses a shareable first disk without a boot order, and one without a claim', () => {
  const first = machine('a', { devices: { disks: [{ name: 'a', disk: {}, shareable: true }] } });
  expect(shareable(first).map((text) => text.split(':')[0])).toEqual([
    'error spec.template.spec.domain.devices.disks[0] cannot boot from the shareable disk a (the server',
    'error spec.template.spec.volumes[0].persistentVolumeClaim.claimName must exist before the VM',
  ]);
  const disks = [BOOT, { name: 'x', disk: {}, shareable: true }];
  const scratch = machine('a', {
    devices: { disks },
    instance: { volumes: [OWN, { name: 'x', emptyDisk: { capacity: '1Gi' } }] },
  });
  expect(shareable(scratch)).toEqual([
    expect.stringContaining('disks[1] must have a PersistentVolumeClaim'),
  ]);
  expect(shareable(first, [first])).toHaveLength(1);
});

describe('pinned CPUs', () => {
  const CPU = { key: 'cpumanager', operator: 'In', values: ['true'] };
  const ZONE = { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['a'] };
  const placed = (...terms: object[][]): Manifest =>
    machine('a', {
      instance: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: terms.map((matchExpressions) => ({ matchExpressions })),
            },
          },
        },
        volumes: [OWN],
      },
    });
  const refusals = (manifest: Manifest, around: object) =>
    told([manifest], around).filter((text) => text.includes('/cpu-manager'));
  const ERROR =
    'error virtual-machine/cpu-manager spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution';

  test('refuses terms on the CPU manager in a new VM from Harvester 1.9.0 on', () => {
    expect(refusals(placed([CPU, ZONE]), { version: '1.9.0' })).toEqual([ERROR]);
    expect(messages([placed([CPU])], { version: '1.9.0' })[0]).toContain(
      'key "cpumanager" is automatically operated by Harvester controller and can\'t be changed manually',
    );
    expect(refusals(placed([CPU]), { version: '1.8.2' })).toEqual([]);
    expect(refusals(placed([CPU]), {})).toEqual([ERROR.replace('error', 'warning')]);
    expect(refusals(placed([ZONE]), { version: '1.9.0' })).toEqual([]);
  });

  test('warns of required terms with pinned CPUs from Harvester 1.9.0 on, where the second apply is refused', () => {
    const pinned = (...terms: object[][]): Manifest => {
      const { spec, ...rest } = placed(...terms) as any;
      const { template } = spec;
      const domain = { ...template.spec.domain, cpu: { cores: 1, dedicatedCpuPlacement: true } };
      return {
        ...rest,
        spec: { ...spec, template: { ...template, spec: { ...template.spec, domain } } },
      };
    };
    expect(refusals(pinned([ZONE]), { version: '1.9.0' })).toEqual([
      ERROR.replace('error', 'warning'),
    ]);
    expect([
      refusals(pinned([ZONE]), { version: '1.8.2' }),
      refusals(pinned(), { version: '1.9.0' }),
    ]).toEqual([[], []]);
  });

  test('refuses an edit that drops what Harvester wrote', () => {
    const around = (live: Manifest) => ({ version: '1.9.0', live: [live], before: [live] });
    expect(refusals(placed([ZONE]), around(placed([ZONE, CPU])))).toEqual([ERROR]);
    expect(refusals(placed([ZONE, CPU]), around(placed([CPU, ZONE])))).toEqual([]);
    expect(refusals(machine('a'), around(placed([CPU])))).toEqual([]);
  });
});

describe('an empty CD-ROM drive', () => {
  const drive = (bus: string, volumes: readonly object[] = []): Manifest =>
    machine('a', {
      devices: { disks: [BOOT, { name: 'cd', cdrom: { bus } }] },
      instance: { volumes: [OWN, ...volumes] },
    });
  const found = (manifest: Manifest, version: string): string[] =>
    findings([manifest], { version })
      .filter(({ rule }) => rule === 'virtual-machine/empty-cd-rom')
      .map(({ message }) => message.split(' (', 1)[0]);
  const HOT = { name: 'cd', persistentVolumeClaim: { claimName: 'iso', hotpluggable: true } };

  test('must be on SATA, as one whose volume is hot-pluggable, where Harvester checks it', () => {
    expect(found(drive('scsi'), '1.8.0')).toEqual(['must be sata: the CD-ROM drive is empty']);
    expect(found(drive('scsi', [HOT]), '1.8.0')).toEqual([
      'must be sata: the volume of the CD-ROM is hot-pluggable',
    ]);
    expect(
      found(drive('scsi', [{ ...HOT, persistentVolumeClaim: { claimName: 'iso' } }]), '1.8.0'),
    ).toEqual([]);
    expect(found(drive('sata'), '1.8.0')).toEqual([]);
    expect(found(drive('scsi'), '1.7.2')).toEqual([]);
  });
});
