import { writeFileSync } from 'fs';
import { join } from 'path';
import { ApiObject, JsonPatch, Yaml } from 'cdk8s';
import { programOf } from './_machines';
import { Disk } from '../../../src';
import { runCli } from '../../support/run-cli';
import { tempFolder } from '../../support/temp';

const INSTANCE = '/spec/template/spec';

/** What people get wrong in a VirtualMachine, and the rule and the field that report it. */
const WRONG: readonly [string, JsonPatch, string, string, string][] = [
  [
    'an unknown field',
    JsonPatch.add(`${INSTANCE}/domain/cpus`, 2),
    'object/unknown-field',
    'spec.template.spec.domain.cpus',
    'write cpu',
  ],
  [
    'text for a number',
    JsonPatch.replace(`${INSTANCE}/domain/cpu/cores`, '2'),
    'object/field-type',
    'spec.template.spec.domain.cpu.cores',
    'write the number without quotes',
  ],
  [
    'a volume without a source',
    JsonPatch.remove(`${INSTANCE}/volumes/0/persistentVolumeClaim`),
    'virtual-machine/spec',
    'spec.template.spec.volumes[0]',
    'set one source',
  ],
  [
    'a volume without the name of its claim',
    JsonPatch.replace(`${INSTANCE}/volumes/0/persistentVolumeClaim`, {}),
    'object/required-field',
    'spec.template.spec.volumes[0].persistentVolumeClaim.claimName',
    'set spec.template.spec.volumes[0].persistentVolumeClaim.claimName',
  ],
];

test.each(WRONG)('synthesis reports %s', (_, patch, rule, path, fix) => {
  const { app, machine } = programOf(() => ({}));
  ApiObject.of(machine).addJsonPatch(patch);
  const findings = app.validate().filter((finding) => finding.rule === rule);
  expect(findings).toEqual([
    expect.objectContaining({
      path,
      construct: 'dc1/web/Resource',
      fix: expect.stringContaining(fix),
    }),
  ]);
});

test.each(WRONG)('lint reports %s', async (_, patch, rule, path, fix) => {
  const { dc1, machine } = programOf(() => ({}));
  const manifest = dc1.toJson().find(({ kind }) => kind === 'VirtualMachine');
  expect(machine.name).toBe('web');
  const folder = tempFolder();
  writeFileSync(join(folder, 'vm.yaml'), Yaml.stringify(JsonPatch.apply(manifest, patch)));
  const { stdout } = await runCli('lint', folder, '--output', 'json');
  const findings = JSON.parse(stdout).findings.filter(
    (finding: { rule: string }) => finding.rule === rule,
  );
  expect(findings).toEqual([expect.objectContaining({ path, fix: expect.stringContaining(fix) })]);
});

test.each([null, 'noble', [], {}])('refuses %j for a disk', (disk) => {
  expect(() => programOf(() => ({ disks: [disk as unknown as Disk] }))).toThrow(
    /disks\[0\]: must be a Disk, got /,
  );
});
