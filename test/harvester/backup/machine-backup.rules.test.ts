import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { World } from '../../../src/core/rule/rule';
import { MACHINE_BACKUP_RULES } from '../../../src/harvester/backup/machine-backup.rules';
import { machine, schedule } from '../../support/machines';

const backup = (spec: object = {}): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'VirtualMachineBackup',
  metadata: { name: 'first', namespace: 'default' },
  spec: {
    type: 'snapshot',
    source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'a' },
    ...spec,
  },
});

function told(manifests: Manifest[], harvesterVersion?: string): string[] {
  const target = {
    name: 'dc1',
    kind: 'harvester',
    ...(harvesterVersion ? { harvesterVersion } : {}),
  } as const;
  return judge(
    MACHINE_BACKUP_RULES,
    new World(
      manifests.map((manifest) => ({ manifest, target })),
      [],
      [],
    ),
  ).map(({ level, rule, path, message }) => `${level} ${rule} ${path} ${message}`);
}

const DEADLINE = 'vm-backup/freeze-deadline spec.fsFreezeDeadline must be a duration of 0 or more';

test('refuses a negative deadline of freezing from Harvester 1.9.0 on', () => {
  expect(told([backup({ fsFreezeDeadline: '-1s' })], '1.9.0')).toEqual([
    `error ${DEADLINE} (the server: "must not be negative")`,
  ]);
  expect(told([backup({ fsFreezeDeadline: 'soon' })], '1.9.0')).toEqual([`error ${DEADLINE}`]);
  for (const value of ['30s', '0', '1m30s']) {
    expect([value, told([backup({ fsFreezeDeadline: value })], '1.9.0')]).toEqual([value, []]);
  }
  expect(told([backup({ fsFreezeDeadline: '30s' })], '1.8.2')).toEqual([
    expect.stringMatching(/^warning .* cannot have an effect/),
  ]);
  const nightly = schedule('a', {
    vmbackup: { type: 'snapshot', source: { name: 'a' }, fsFreezeDeadline: '-1s' },
  });
  expect(told([nightly], '1.9.0')).toEqual([
    expect.stringMatching(/^warning vm-backup\/freeze-deadline spec\.vmbackup\.fsFreezeDeadline/),
  ]);
});

test('refuses backups of machines with shareable disks from Harvester 1.9.0 on', () => {
  const shared = machine('a', { devices: { disks: [{ name: 'a', disk: {}, shareable: true }] } });
  const message =
    'spec.source.name cannot be backed up: its disk a is shareable, so other virtual machines may write to it at the same time';
  expect(told([backup(), shared], '1.9.0')).toEqual([
    expect.stringContaining(`error vm-backup/shareable-disk ${message}`),
  ]);
  expect(told([backup(), shared])).toEqual([
    expect.stringContaining(`warning vm-backup/shareable-disk ${message}`),
  ]);
  expect(told([schedule('a'), shared], '1.9.0')).toEqual([
    expect.stringMatching(/^warning vm-backup\/shareable-disk spec\.vmbackup\.source\.name/),
  ]);
  expect([told([backup(), shared], '1.8.2'), told([backup(), machine('a')], '1.9.0')]).toEqual([
    [],
    [],
  ]);
});

const target = (value: string): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'Setting',
  metadata: { name: 'backup-target' },
  value,
});

test('requires a backup target for a backup, and none for a snapshot', () => {
  const none = target('');
  const nfs = target('{"type":"nfs","endpoint":"nfs://10.0.0.1:/backup"}');
  for (const type of ['backup', undefined]) {
    expect(told([backup({ type }), none])).toEqual([
      'error vm-backup/target spec.type requires the setting backup-target, which is empty (the server: "backup target is not set")',
    ]);
  }
  expect(told([backup({ type: 'backup' }), nfs])).toEqual([]);
  expect(told([backup(), none])).toEqual([]);
  expect(told([{ ...backup({ type: 'backup' }), status: {} }, none])).toEqual([]);
});

test('requires the virtual machine of a backup', () => {
  expect(told([backup(), machine('a')])).toEqual([]);
  expect(told([backup(), machine('b')])).toEqual([
    expect.stringMatching(/^(error|warning) vm-backup\/source spec.source.name must be the name/),
  ]);
  expect(told([backup()])).toEqual([]);
});

test.each([
  ['1.9.0', 'error'],
  [undefined, 'warning'],
  ['1.8.2', undefined],
])('refuses a volume of the V2 data engine on Harvester %s as an %s', (version, level) => {
  const onV2 = machine('a', {
    annotations: {
      'harvesterhci.io/volumeClaimTemplates': JSON.stringify([
        { metadata: { name: 'a-a' }, spec: { storageClassName: 'swift' } },
      ]),
    },
  });
  const classOf = (dataEngine: string): Manifest => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'swift' },
    provisioner: 'driver.longhorn.io',
    parameters: { dataEngine },
  });
  const found = told([backup(), onV2, classOf('v2')], version);
  expect(found).toEqual(
    level === undefined
      ? []
      : [
          expect.stringContaining(
            `${level} vm-backup/data-engine spec.source.name cannot be backed up: its volume a-a is on the V2 data engine`,
          ),
        ],
  );
  expect(told([backup(), onV2, classOf('v1')], version)).toEqual([]);
});
