import { Manifest } from '../../../src/core/manifest/manifest';
import { oneLine } from '../../../src/core/problem/problem';
import { judge } from '../../../src/core/rule/judge';
import { World } from '../../../src/core/rule/rule';
import { MACHINE_RESTORE_RULES } from '../../../src/harvester/backup/machine-restore.rules';
import { IMMUTABLE_RULES } from '../../../src/registry/all-rules';
import { brief, setting } from '../../support/judging';
import { machine } from '../../support/machines';

const API = 'harvesterhci.io/v1beta1';
const TARGET = { name: 'dc1', kind: 'harvester', harvesterVersion: '1.8.2' } as const;

const backup = (type: string): Manifest => ({
  apiVersion: API,
  kind: 'VirtualMachineBackup',
  metadata: { name: 'snap', namespace: 'default' },
  spec: { type, source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' } },
});
const restore = (name: string, spec: object, namespace = 'default'): Manifest => ({
  apiVersion: API,
  kind: 'VirtualMachineRestore',
  metadata: { name, namespace },
  spec: { virtualMachineBackupName: 'snap', virtualMachineBackupNamespace: 'default', ...spec },
});
const of = (name: string): object => ({
  target: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name },
});
const WEB: Manifest = machine('web', { spec: { runStrategy: 'Halted' } });

const on = (manifests: readonly Manifest[]) =>
  manifests.map((manifest) => ({ manifest, target: TARGET }));
const findings = (now: readonly Manifest[], before: readonly Manifest[] = []) =>
  judge([...MACHINE_RESTORE_RULES, ...IMMUTABLE_RULES], new World(on(now), [], on(before)));
const told = (...manifests: Manifest[]): string[] =>
  findings(manifests).map(
    (finding) => `${finding.level} ${finding.rule} ${finding.object?.name} ${oneLine(finding)}`,
  );

test('refuses a restore that the server refuses', () => {
  const refused = told(
    WEB,
    backup('snapshot'),
    restore('r1', { newVM: true, ...of('web-new') }, 'other'),
    restore('r2', { deletionPolicy: 'delete', ...of('web') }),
    restore('r3', { newVM: true, ...of('Web_New') }),
    restore('r4', { newVM: true, ...of('web') }),
    restore('r5', { newVM: false, deletionPolicy: 'retain', ...of('gone') }),
  );
  expect(refused).toHaveLength(5);
  for (const words of [
    /^error vm-restore\/snapshot r1 .*restore to other namespace with backup type snapshot is not supported/,
    /^error vm-restore\/snapshot r2 .*delete policy with backup type snapshot for replacing VM is not supported/,
    /^error vm-restore\/target r3 .*Target VM name is invalid/,
    /^error vm-restore\/target r4 .*VM web is already exists/,
    /^warning vm-restore\/target r5 .*can't replace nonexistent vm gone/,
  ]) {
    expect(refused).toContainEqual(expect.stringMatching(words));
  }
});

test('accepts a restore that the server accepts', () => {
  const empty: Manifest = { ...setting('backup-target', ''), apiVersion: API };
  const target: Manifest = { ...empty, value: '{"type":"nfs","endpoint":"nfs://10.0.0.1:/b"}' };
  const elsewhere = restore('r1', { newVM: true, ...of('web-new') }, 'other');
  expect(told(WEB, backup('snapshot'), restore('r', { newVM: true, ...of('b') }))).toEqual([]);
  expect(
    told(WEB, backup('snapshot'), restore('r', { deletionPolicy: 'retain', ...of('web') })),
  ).toEqual([]);
  expect(told(WEB, backup('backup'), elsewhere, target)).toEqual([]);
  expect(told(WEB, backup('backup'), elsewhere, empty)).toEqual([
    expect.stringMatching(/^error vm-restore\/backup-target r1 .*backup target is not set/),
  ]);
});

test('warns of a restore onto a virtual machine that runs', () => {
  const running = machine('web');
  expect(
    told(running, backup('snapshot'), restore('r', { deletionPolicy: 'retain', ...of('web') })),
  ).toEqual([expect.stringMatching(/^warning vm-restore\/target r .*Please stop the VM "web"/)]);
});

test('warns of a backup that is not known', () => {
  expect(told(restore('r', { newVM: true, ...of('b') }))).toEqual([
    expect.stringMatching(/^warning vm-restore\/backup r .*can't get vmbackup default\/snap/),
  ]);
});

test('refuses the same MAC addresses for two virtual machines', () => {
  const keeps = { newVM: true, keepMacAddress: true };
  const [a, b] = ['a', 'b'].map((name) => restore(name, { ...keeps, ...of(`new-${name}`) }));
  expect(told(backup('snapshot'), a!, b!)).toEqual([
    expect.stringMatching(/^error vm-restore\/mac-address a .*as the vmrestore default\/b/),
    expect.stringMatching(/^error vm-restore\/mac-address b .*as the vmrestore default\/a/),
  ]);
  expect(told(WEB, backup('snapshot'), a!)).toEqual([
    expect.stringMatching(
      /^warning vm-restore\/mac-address a .*because the source vm is still existent/,
    ),
  ]);
});

test('refuses to change a restore, and warns of a deletion while its virtual machine exists', () => {
  const was = restore('r', { newVM: true, ...of('b') });
  const now = restore('r', { newVM: true, ...of('c') });
  expect(brief(findings([backup('snapshot'), now], [was]))).toContain(
    'error vm-restore/update spec',
  );
  const around = [WEB, backup('snapshot')];
  expect(
    brief(findings(around, [...around, restore('r', { deletionPolicy: 'retain', ...of('web') })])),
  ).toEqual(['warning vm-restore/in-use']);
});
