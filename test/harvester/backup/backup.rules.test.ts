import { Manifest } from '../../../src/core/manifest/manifest';
import { messages, schedule, told } from '../../support/machines';

const backup = (name: string, spec: object = {}): Manifest =>
  schedule(name, {
    vmbackup: { type: 'backup', source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name } },
    ...spec,
  });
const target = (value: string): Manifest => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'Setting',
  metadata: { name: 'backup-target' },
  value,
});
const live = (manifest: Manifest): Manifest => ({
  ...manifest,
  metadata: { ...manifest.metadata, uid: 'u', resourceVersion: '1' },
});

test('accepts a single schedule', () => {
  expect(told([schedule('a'), schedule('b', { cron: '0 3 * * *' })])).toEqual([]);
});

test.each<[object, string, string]>([
  [{ cron: '60 * * * *' }, 'spec.cron', 'invalid cron format'],
  [{ cron: '*/5 * * * *' }, 'spec.cron', 'schedule granularity 5m0s less than 1h0m0s'],
  [{ cron: '@every 30s' }, 'spec.cron', 'schedule granularity 30s less than 1h0m0s'],
  [
    { retain: 1, maxFailure: 0 },
    'spec.retain',
    'spec.retain in body should be greater than or equal to 2',
  ],
  [{ retain: 300 }, 'spec.retain', 'spec.retain in body should be less than or equal to 250'],
  [
    { maxFailure: 1 },
    'spec.maxFailure',
    'spec.maxFailure in body should be greater than or equal to 2',
  ],
  [{ maxFailure: 8 }, 'spec.maxFailure', 'max failure should be less than retain'],
  [
    { retain: 4, maxFailure: undefined },
    'spec.maxFailure',
    'max failure should be less than retain',
  ],
])('refuses %j in the words of the server', (spec, path, says) => {
  const rule = says.includes(' in body ') ? 'object/field-limit' : 'schedule-backup/spec';
  expect(told([schedule('a', spec)])).toContain(`error ${rule} ${path}`);
  expect(messages([schedule('a', spec)]).join()).toContain(`${says}")`);
});

test('warns of uneven times, and accepts any with the annotation', () => {
  expect(told([schedule('a', { cron: '0,30 2 * * *' })])).toEqual([
    'warning schedule-backup/spec spec.cron',
  ]);
  expect(
    told([
      schedule('a', { cron: '*/5 * * * *' }, 'a', {
        annotations: { 'harvesterhci.io/svmbackupSkipCronCheck': 'true' },
      }),
    ]),
  ).toEqual([]);
});

test('refuses a second schedule of a VM', () => {
  const [first, second] = [schedule('a', {}, 'web'), schedule('b', { cron: '0 5 * * *' }, 'web')];
  expect(told([first, second])).toEqual([
    'error schedule-backup/machine-twice spec.vmbackup.source.name',
  ]);
  expect(messages([first, second])[0]).toContain('VM default/web already has snapshot schedule');
  expect(
    told([first, { ...second, metadata: { ...second.metadata, namespace: 'other' } }]),
  ).toEqual([]);
});

test('refuses schedules with equal intervals within ten minutes', () => {
  const at = (name: string, cron: string): Manifest => schedule(name, { cron });
  expect(told([at('a', '0 2 * * *'), at('b', '0 2 * * *')])).toEqual([
    'error schedule-backup/offset spec.cron',
  ]);
  expect(messages([at('a', '0 2 * * *'), at('b', '9 2 * * *')])[0]).toContain(
    'must run at least 10 minutes from the schedule default/a: it runs 9 minutes from it',
  );
  expect(told([at('a', '9 2 * * *'), at('b', '0 2 * * *')])).toEqual([
    'warning schedule-backup/offset spec.cron',
  ]);
  expect(told([at('a', '55 * * * *'), at('b', '@hourly')])).toEqual([
    'warning schedule-backup/offset spec.cron',
  ]);
  expect(told([at('a', '10 2 * * *'), at('b', '0 2 * * *')])).toEqual([]);
  expect(told([at('a', '0 2 * * *'), at('b', '0 * * * *')])).toEqual([]);
  expect(told([at('a', '0 2 * * 1'), at('b', '0 2 * * 2')])).toEqual([]);
});

test('reports a new schedule rather than a live one, in any order', () => {
  const [old, fresh] = [live(schedule('z', { cron: '5 2 * * *' })), schedule('a')];
  expect(messages([fresh], { live: [old] })).toEqual([
    expect.stringContaining('from the schedule default/z'),
  ]);
});

test('requires a backup target for backups', () => {
  expect(messages([backup('a')])).toEqual([
    expect.stringContaining('requires the setting backup-target, which is not known'),
  ]);
  expect(messages([backup('a'), target('')])[0]).toContain(
    '(the server: "setting backup-target is empty")',
  );
  expect(told([backup('a'), target('{"type":"nfs"}')])).toEqual([]);
  expect(told([live(backup('a'))])).toEqual([]);
});

test('refuses a different VM or type', () => {
  const moved = schedule('a', {}, 'other');
  expect(messages([moved], { before: [schedule('a')] })).toEqual([
    expect.stringContaining('(the server: "source vm can\'t be changed")'),
  ]);
  expect(messages([schedule('a')], { before: [backup('a')] })).toEqual([
    expect.stringContaining('(the server: "spec.type is immutable")'),
  ]);
  expect(told([schedule('a', { cron: '0 4 * * *' })], { before: [schedule('a')] })).toEqual([]);
});
