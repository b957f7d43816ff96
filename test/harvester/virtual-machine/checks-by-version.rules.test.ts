import { Manifest } from '../../../src/core/manifest/manifest';
import { findings, machine } from '../../support/machines';

const about = (rule: string, manifest: Manifest, version?: string): string[] =>
  findings([manifest], version === undefined ? {} : { version })
    .filter((finding) => finding.rule === rule)
    .map(({ level, message }) => `${level} ${message}`);

const SPEC = 'virtual-machine/spec';

test('refuses a machine with requested memory alone from Harvester 1.7.0 on', () => {
  const web = machine('web', { domain: { resources: { requests: { memory: '4Gi' } } } });
  for (const version of ['1.7.0', '1.7.2', '1.9.0']) {
    expect(about(SPEC, web, version)).toEqual([expect.stringContaining(`error`)]);
    expect(about(SPEC, web, version)[0]).toContain('must set resources.limits.memory');
  }
  for (const version of ['1.5.2', '1.6.1']) {
    expect(about(SPEC, web, version)).toEqual([
      expect.stringMatching(/^warning must set resources\.limits\.memory/),
    ]);
  }
});

test('refuses a machine without any memory on every version', () => {
  const web = machine('web', { domain: { resources: {} } });
  expect(about(SPEC, web, '1.6.1')).toEqual([expect.stringMatching(/^error/)]);
});

test('refuses an instance type alone from Harvester 1.7.0 on', () => {
  const sized = machine('sized', {
    spec: { instancetype: { kind: 'VirtualMachineClusterInstancetype', name: 'u1.medium' } },
    domain: { resources: {} },
  });
  expect(about(SPEC, sized, '1.7.0').join()).toContain('does not read the instance type');
  expect(about(SPEC, sized, '1.7.0')[0]).toMatch(/^error/);
  expect(about(SPEC, sized)[0]).toMatch(/^warning/);
  expect(about(SPEC, sized, '1.6.1')).toEqual([]);
});

test('refuses guest memory that exceeds the limit together with the reserved memory', () => {
  const reserved = (guest: string): Manifest =>
    machine('web', {
      annotations: {
        'harvesterhci.io/reservedMemory': '1Gi',
        'harvesterhci.io/enableCPUAndMemoryHotplug': 'true',
      },
      domain: {
        memory: { guest, maxGuest: '4Gi' },
        resources: { limits: { cpu: '2', memory: '4Gi' } },
      },
    });
  expect(about(SPEC, reserved('3500Mi'), '1.7.2')).toEqual([
    expect.stringMatching(/^error .*guest memory 3670016000 plus reservedMemory 1073741824 cannot/),
  ]);
  expect(about(SPEC, reserved('3Gi'), '1.7.2')).toEqual([]);
  expect(about(SPEC, reserved('3500Mi'), '1.5.2')).toEqual([]);
});

test('refuses sockets without hotplug on Harvester 1.6.1 to 1.8', () => {
  const rule = 'virtual-machine/sockets';
  const db = machine('db', { domain: { cpu: { cores: 4, sockets: 2 } } });
  for (const version of ['1.6.1', '1.7.2', '1.8.2']) {
    expect([version, about(rule, db, version)]).toEqual([
      version,
      [expect.stringMatching(/^error .*greater than the maximum sockets allowed/)],
    ]);
  }
  for (const version of ['1.5.2', '1.6.0', '1.9.0']) {
    expect([version, about(rule, db, version)]).toEqual([version, []]);
  }
  const hotplug = machine('db', {
    annotations: { 'harvesterhci.io/enableCPUAndMemoryHotplug': 'true' },
    domain: { cpu: { cores: 4, sockets: 2, maxSockets: 4 } },
  });
  const arm = machine('db', {
    instance: { architecture: 'arm64' },
    domain: { cpu: { cores: 4, sockets: 2 } },
  });
  expect(about(rule, hotplug, '1.8.2').length + about(rule, arm, '1.8.2').length).toBe(0);
});

test('judges the sockets of a live machine when an edit of it is judged', () => {
  const db = (cores: number): Manifest => machine('db', { domain: { cpu: { cores, sockets: 2 } } });
  const edited = (now: Manifest, was: Manifest): number =>
    findings([now], { version: '1.8.2', live: [was], before: [was] }).filter(
      ({ rule }) => rule === 'virtual-machine/sockets',
    ).length;
  expect([edited(db(4), db(4)), edited(db(8), db(4))]).toEqual([0, 1]);
});

test('reads the MAC address of a NIC from the annotation', () => {
  const bare = { interfaces: [{ name: 'nic-0', bridge: {}, model: 'virtio' }] };
  const annotation = { 'harvesterhci.io/mac-address': '{"nic-0":"52:54:00:12:34:56"}' };
  const rule = 'virtual-machine/mac-address';
  const known = machine('web', { devices: bare, annotations: annotation });
  expect(about(rule, known, '1.7.2')).toEqual([]);
  expect(about(rule, machine('web', { devices: bare }), '1.7.2').join()).toContain(
    'Harvester generates a new address at each server-side apply',
  );
  expect(about(rule, machine('web', { devices: bare }), '1.6.1').join()).not.toContain(
    'server-side apply',
  );
  const other = machine('b', {
    devices: { interfaces: [{ name: 'nic-0', bridge: {}, macAddress: '52:54:00:12:34:56' }] },
  });
  expect(
    findings([known, other], { version: '1.7.2' }).filter(
      (finding) => finding.rule === 'virtual-machine/mac-twice',
    ),
  ).toHaveLength(1);
});
