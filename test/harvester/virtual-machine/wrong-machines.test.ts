import { writeFileSync } from 'fs';
import { join } from 'path';
import { ApiObject, JsonPatch, Size, Yaml } from 'cdk8s';
import { programOf } from './machines';
import { Disk, VmDisk, VmImage } from '../../../src';
import { runCli } from '../../support/run-cli';
import { tempFolder } from '../../support/temp';

const INSTANCE = '/spec/template/spec';

/** What people get wrong in a VirtualMachine, and the rule and the field that report it. */
const WRONG: readonly [string, JsonPatch, string, string, string][] = [
  ['an unknown field', JsonPatch.add(`${INSTANCE}/domain/cpus`, 2), 'object/unknown-field', 'spec.template.spec.domain.cpus', 'write cpu'],
  ['text for a number', JsonPatch.replace(`${INSTANCE}/domain/cpu/cores`, '2'), 'object/field-type', 'spec.template.spec.domain.cpu.cores', 'write the number without quotes'],
  ['a volume without a source', JsonPatch.remove(`${INSTANCE}/volumes/0/persistentVolumeClaim`), 'virtual-machine/spec', 'spec.template.spec.volumes[0]', 'set one source'],
  [
    'a volume without the name of its claim', JsonPatch.replace(`${INSTANCE}/volumes/0/persistentVolumeClaim`, {}), 'object/required-field',
    'spec.template.spec.volumes[0].persistentVolumeClaim.claimName', 'set spec.template.spec.volumes[0].persistentVolumeClaim.claimName',
  ],
];

test.each(WRONG)('synthesis reports %s', (_, patch, rule, path, fix) => {
  const { app, machine } = programOf(() => ({}));
  ApiObject.of(machine).addJsonPatch(patch);
  const findings = app.validate().filter((finding) => finding.rule === rule);
  expect(findings).toEqual([expect.objectContaining({ path, construct: 'dc1/web/Resource', fix: expect.stringContaining(fix) })]);
});

test.each(WRONG)('lint reports %s', async (_, patch, rule, path, fix) => {
  const { dc1, machine } = programOf(() => ({}));
  const manifest = dc1.toJson().find(({ kind }) => kind === 'VirtualMachine');
  expect(machine.name).toBe('web');
  const folder = tempFolder();
  writeFileSync(join(folder, 'vm.yaml'), Yaml.stringify(JsonPatch.apply(manifest, patch)));
  const { stdout } = await runCli('lint', folder, '--output', 'json');
  const findings = JSON.parse(stdout).findings.filter((finding: { rule: string }) => finding.rule === rule);
  expect(findings).toEqual([expect.objectContaining({ path, fix: expect.stringContaining(fix) })]);
});

test('refuses the Disk of a machine pool, which only a program in JavaScript can hand over, with the place and what to use', () => {
  const program = () => programOf((dc1) => {
    const image = VmImage.fromName(dc1, 'Other', { name: 'noble' });
    return { disks: [VmDisk.image(image, Size.gibibytes(40)), Disk.image(image, Size.gibibytes(40)) as unknown as VmDisk] };
  });
  expect(program).toThrow(/\[dc1\/web\] disks\[1\]: must be a VmDisk, got a Disk, which is for the machines of a pool\. Fix: use VmDisk/);
});

test.each([null, 'noble', [], {}])('refuses %j for a disk', (disk) => {
  expect(() => programOf(() => ({ disks: [disk as unknown as VmDisk] }))).toThrow(/disks\[0\]: must be a VmDisk, got /);
});
