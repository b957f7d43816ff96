import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'fs';
import { join } from 'path';
import { HarvesterImport } from '../../../../src/rancher/import/harvester-import';
import { Principal } from '../../../../src/rancher/members/principal';
import { ProjectMember } from '../../../../src/rancher/project/tenant-namespace';
import { TenantProject } from '../../../../src/rancher/project/tenant-project';
import { newApp, newHarvester, newRancher } from '../../../support/programs';
import { runCli } from '../../../support/run-cli';
import { tempFolder } from '../../../support/temp';

/** The output folder of a program with one tenant. */
function dist(): string {
  const app = newApp();
  const rancher = newRancher(app);
  const cluster = new HarvesterImport(rancher, 'import-dc1', { harvester: newHarvester(app) });
  new TenantProject(rancher, 'payments', {
    cluster,
    tenantNamespaces: [{ name: 'payments-vms' }],
    members: [ProjectMember.owner(Principal.user('okta_user://ana'))],
  });
  app.synth();
  return app.outdir;
}

test('prints who may do what in the output of a program', async () => {
  const { stdout, stderr, exitCode } = await runCli('access', dist());
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).toContain(
    'ana  user  okta_user://ana\n  project payments on dc1, namespace payments-vms: Project Owner (project-owner)\n',
  );
  expect(stdout).toContain('harvester-public');
});

test.each([
  ['json', '{\n  "schemaVersion": "1"'],
  ['markdown', '# Who may do what where'],
  ['html', '<!DOCTYPE html>'],
])('prints %s', async (format, start) => {
  const { stdout } = await runCli('access', dist(), '--output', format);
  expect(stdout.startsWith(start)).toBe(true);
});

test('writes a file', async () => {
  const file = join(tempFolder(), 'access.html');
  const { stdout } = await runCli('access', dist(), '--output', 'html', '--output-file', file);
  expect(stdout).toBe(`wrote ${file}\n`);
  expect(readFileSync(file, 'utf8')).toContain('<title>Who may do what where</title>');
});

test('takes roles that are live from --world', async () => {
  const world = tempFolder();
  mkdirSync(world, { recursive: true });
  const binding = [
    'apiVersion: management.cattle.io/v3',
    'kind: ProjectRoleTemplateBinding',
    'metadata: {name: x, namespace: c-m-x-p}',
    'projectName: c-m-x:p',
    'roleTemplateName: night',
    'groupPrincipalName: okta_group://ops',
    '',
  ].join('\n');
  const role = [
    'apiVersion: management.cattle.io/v3',
    'kind: RoleTemplate',
    'metadata: {name: night}',
    'context: project',
    'rules: [{apiGroups: [kubevirt.io], resources: [virtualmachines], verbs: [get]}]',
    '',
  ].join('\n');
  writeFileSync(join(world, 'binding.yaml'), binding);
  writeFileSync(join(world, 'role.yaml'), role);
  expect((await runCli('access', join(world, 'binding.yaml'))).stdout).toContain(
    'note: role night is not known',
  );
  const { stdout } = await runCli(
    'access',
    join(world, 'binding.yaml'),
    '--world',
    join(world, 'role.yaml'),
  );
  expect(stdout).toContain('read  virtual machines, namespaces');
});

test('reports permissions that it leaves out', async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, 'a.yaml'), 'a: [');
  const file = join(folder, 'out.md');
  expect(await runCli('access', folder, '--output-file', file)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('is not valid YAML'),
  });
  expect(existsSync(file)).toBe(false);
});
