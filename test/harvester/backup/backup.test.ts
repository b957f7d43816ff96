import { Duration, Size } from 'cdk8s';
import {
  ScheduleVmBackup,
  ScheduleVmBackupProps,
  VmBackupType,
  SnapshotQuota,
} from '../../../src/harvester/backup/backup';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { Disk } from '../../../src/harvester/machine/disk';
import { VirtualMachine } from '../../../src/harvester/virtual-machine/virtual-machine';
import { newApp, newHarvester } from '../../support/programs';
import { assemblyOf, written } from '../../support/written';

function scheduleOf(props: Partial<ScheduleVmBackupProps> = {}): any {
  const dc1 = newHarvester(newApp());
  new ScheduleVmBackup(dc1, 'nightly', {
    virtualMachine: VirtualMachine.fromName(dc1, 'Web', { name: 'web', namespace: 'vms' }),
    schedule: '0 2 * * *',
    ...props,
  });
  return dc1.toJson()[0];
}

test('backs up a VM in its namespace, with the defaults of the server', () => {
  expect(scheduleOf()).toEqual({
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'ScheduleVMBackup',
    metadata: { name: 'nightly', namespace: 'vms' },
    spec: {
      cron: '0 2 * * *',
      retain: 8,
      maxFailure: 4,
      suspend: false,
      vmbackup: {
        type: 'backup',
        source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' },
      },
    },
  });
});

test('takes snapshots, and keeps the given number', () => {
  const { metadata, spec } = scheduleOf({
    type: VmBackupType.SNAPSHOT,
    retention: 3,
    suspended: true,
    skipCronCheck: true,
    description: 'a',
    labels: { a: 'b' },
  });
  expect(metadata).toMatchObject({
    labels: { a: 'b' },
    annotations: {
      'harvesterhci.io/svmbackupSkipCronCheck': 'true',
      'field.cattle.io/description': 'a',
    },
  });
  expect(spec).toMatchObject({
    retain: 3,
    maxFailure: 2,
    suspend: true,
    vmbackup: { type: 'snapshot' },
  });
});

test('waits for its VM', () => {
  const app = newApp();
  const dc1 = newHarvester(app);
  const virtualMachine = new VirtualMachine(dc1, 'web', {
    cpus: 1,
    memory: Size.gibibytes(1),
    disks: [Disk.container('a')],
  });
  new ScheduleVmBackup(dc1, 'nightly', {
    virtualMachine,
    schedule: '@daily',
    type: VmBackupType.SNAPSHOT,
  });
  app.synth();
  const { edges } = assemblyOf(app);
  expect(edges).toContainEqual({
    from: 'dc1/harvesterhci.io/ScheduleVMBackup/default/nightly',
    to: 'dc1/kubevirt.io/VirtualMachine/default/web',
    type: 'applied',
  });
});

test.each<[Partial<ScheduleVmBackupProps>, string]>([
  [{ schedule: 'daily' }, 'schedule: must be a cron expression, got "daily"'],
  [
    { schedule: '*/5 * * * *' },
    'schedule: must run at most once an hour, got "*/5 * * * *": it has runs 5m0s apart (the server: "schedule granularity 5m0s less than 1h0m0s")',
  ],
  [{ schedule: '@every 30m' }, 'schedule granularity 30m0s less than 1h0m0s'],
  [{ retention: 1 }, 'retention: must be 2 to 250, got 1'],
  [{ retention: 251 }, 'spec.retain in body should be less than or equal to 250'],
  [{ maxFailures: 1 }, 'maxFailures: must be 2 or more, got 1'],
  [
    { maxFailures: 8 },
    'maxFailures: must be less than retain, 8, got 8 (the server: "max failure should be less than retain")',
  ],
  [{ retention: 2 }, 'maxFailures: must be less than retain, 2, got 2'],
])('refuses %j', (props, what) => {
  expect(() => scheduleOf(props)).toThrow(what);
  expect(() => scheduleOf(props)).toThrow('[dc1/nightly]');
});

test('accepts uneven times, of which the rules warn, since the server refuses them only sometimes', () => {
  expect(scheduleOf({ schedule: '0,30 2 * * *' }).spec.cron).toBe('0,30 2 * * *');
});

test('refuses a VM on another Harvester', () => {
  const app = newApp();
  const [dc1, dc2] = ['dc1', 'dc2'].map((id) => newHarvester(app, '1.7.2', id));
  const virtualMachine = VirtualMachine.fromName(dc2!, 'Web', { name: 'web' });
  expect(
    () => new ScheduleVmBackup(dc1!, 'nightly', { virtualMachine, schedule: '@daily' }),
  ).toThrow('virtualMachine: must be on the same Harvester, dc1, got "web": it is on dc2');
});

test('writes a snapshot quota with the name that Harvester requires and sizes in bytes', () => {
  const app = newApp();
  const dc1 = newHarvester(app);
  const namespace = HarvesterNamespace.fromName(dc1, 'ns', { name: 'vms' });
  const virtualMachines = [
    ['web', 20],
    ['db', 50],
  ].map(([name, size]) => ({
    virtualMachine: VirtualMachine.fromName(dc1, name as string, {
      name: name as string,
      namespace: 'vms',
    }),
    total: Size.gibibytes(size as number),
  }));
  new SnapshotQuota(dc1, 'quota', { namespace, total: Size.gibibytes(100), virtualMachines });
  const quota = written(app)['dc1/ResourceQuota/default-resource-quota'];
  expect(quota).toEqual({
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'ResourceQuota',
    metadata: { name: 'default-resource-quota', namespace: 'vms' },
    spec: {
      snapshotLimit: {
        namespaceTotalSnapshotSizeQuota: 107374182400,
        vmTotalSnapshotSizeQuota: { db: 53687091200, web: 21474836480 },
      },
    },
  });
  expect(Object.keys(quota.spec.snapshotLimit.vmTotalSnapshotSizeQuota)).toEqual(['db', 'web']);
});

test('refuses a quota without limits or on another Harvester', () => {
  const app = newApp();
  const [dc1, dc2] = [newHarvester(app), newHarvester(app, '1.7.2', 'dc2')];
  const namespace = HarvesterNamespace.fromName(dc1, 'ns', { name: 'vms' });
  expect(() => new SnapshotQuota(dc1, 'a', { namespace })).toThrow(
    '[dc1/a] total: must be set, unless virtualMachines is set',
  );
  expect(() => new SnapshotQuota(dc2, 'b', { namespace, total: Size.gibibytes(1) })).toThrow(
    'namespace: must be on the Harvester of the object, dc2, got "vms": it is on dc1',
  );
  const web = {
    virtualMachine: VirtualMachine.fromName(dc1, 'web', { name: 'web', namespace: 'vms' }),
    total: Size.gibibytes(1),
  };
  expect(() => new SnapshotQuota(dc1, 'c', { namespace, virtualMachines: [web, web] })).toThrow(
    'virtualMachines[1].virtualMachine: must be unique, got "dc1/vms/web"',
  );
  const others = [
    [dc1, 'other'],
    [dc2, 'vms'],
  ] as const;
  const virtualMachines = others.map(([chart, name]) => ({
    ...web,
    virtualMachine: VirtualMachine.fromName(chart, 'there', { name: 'web', namespace: name }),
  }));
  expect(() => new SnapshotQuota(dc1, 'd', { namespace, virtualMachines })).toThrow(
    /virtualMachines\[0\]\.virtualMachine: must be in the namespace of the quota, vms on dc1, got "dc1\/other\/web"[^]*virtualMachines\[1\]/,
  );
});

test.each([
  [Duration.seconds(30), '30s'],
  [Duration.minutes(1), '1m0s'],
  [Duration.millis(500), '500ms'],
  [Duration.seconds(0), '0s'],
])('writes the deadline of a freeze as the server prints it', (fsFreezeDeadline, text) => {
  expect(scheduleOf({ fsFreezeDeadline }).spec.vmbackup.fsFreezeDeadline).toBe(text);
});
