import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { loadAssembly } from '../../../../src/engine/read/load-assembly';
import { HarvesterImport } from '../../../../src/rancher/import/harvester-import';
import { newApp, newHarvester, newRancher } from '../../../support/programs';
import { runCli } from '../../../support/run-cli';
import { tempFolder } from '../../../support/temp';

const REPOSITORY = ['--repository', 'platform'];

/** The output folder of a program that imports a Harvester. */
function dist(): string {
  const app = newApp({ idSalt: '9f2c4e7ab1d05836' });
  new HarvesterImport(newRancher(app), 'import-dc1', { harvester: newHarvester(app) });
  app.synth();
  return app.outdir;
}

/** Manifests that people wrote: a role, one that inherits it, and a setting. */
function manifests(): string {
  const folder = tempFolder();
  const role = (name: string, ...bases: string[]): string =>
    JSON.stringify({
      apiVersion: 'management.cattle.io/v3',
      kind: 'RoleTemplate',
      metadata: { name },
      context: 'project',
      roleTemplateNames: bases,
    });
  for (const target of ['rancher', 'dc1']) {
    mkdirSync(join(folder, target));
  }
  writeFileSync(
    join(folder, 'rancher', 'roles.yaml'),
    [role('operator', 'viewer'), role('viewer')].join('\n---\n'),
  );
  writeFileSync(
    join(folder, 'dc1', 'settings.yaml'),
    'apiVersion: harvesterhci.io/v1beta1\nkind: Setting\nmetadata: { name: ntp-servers }\nvalue: ""\n',
  );
  return folder;
}

test.each([
  ['flux', 'flux/rancher.yaml', 'kind: Kustomization'],
  ['argocd', 'argo-cd/rancher.yaml', 'kind: Application'],
  ['fleet', 'fleet/gitrepo.yaml', 'kind: GitRepo'],
])(
  'writes the output of a program for %s, with what the program knows',
  async (engine, file, text) => {
    const out = tempFolder();
    const { stdout, stderr, exitCode } = await runCli(
      'deliver',
      dist(),
      '--engine',
      engine,
      '--out',
      out,
      ...REPOSITORY,
    );
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).toContain('dc1/late-setting-cluster-registration-url after rancher/clusters\n');
    expect(readFileSync(join(out, file), 'utf8')).toContain(text);
    const { assembly } = loadAssembly(out);
    expect(assembly.objects.find(({ kind }) => kind === 'Setting')).toMatchObject({
      stage: 'dc1/late-setting-cluster-registration-url',
      construct: 'dc1/ClusterRegistrationUrl/Resource',
    });
  },
);

test('writes manifests that people wrote, in stages, with what protects them', async () => {
  const out = tempFolder();
  const { stdout, stderr, exitCode } = await runCli(
    'deliver',
    manifests(),
    '--engine',
    'flux',
    '--out',
    out,
    ...REPOSITORY,
    '--target',
    'rancher=rancher@2.13.8',
    '--target',
    'dc1=harvester@1.7.2',
  );
  expect(exitCode).toBe(0);
  expect(stdout).toBe('rancher/roles\nrancher/alone-roletemplate-operator after rancher/roles\n');
  expect(stderr).toContain(
    'Setting ntp-servers has an empty value, which Harvester removes at once',
  );
  expect(
    readFileSync(
      join(
        out,
        'rancher',
        'alone-roletemplate-operator',
        '28-roletemplate.management.cattle.io.yaml',
      ),
      'utf8',
    ),
  ).toContain('name: operator');
  expect(readdirSync(out).sort()).toEqual(['assembly.json', 'flux', 'rancher']);
  const lint = await runCli('lint', out, '--fail-on', 'error');
  expect(lint.stdout).not.toContain('Kustomization');
});

test('leaves out a VirtualMachine that would get a new MAC address at every apply', async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, 'dc1'));
  const machine = (name: string, nic: object): object => ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: 'default' },
    spec: {
      runStrategy: 'Always',
      template: {
        spec: {
          domain: { devices: { interfaces: [{ name: 'nic-0', masquerade: {}, ...nic }] } },
          networks: [{ name: 'nic-0', pod: {} }],
        },
      },
    },
  });
  writeFileSync(
    join(folder, 'dc1', 'vms.yaml'),
    [machine('open', {}), machine('fixed', { macAddress: '52:54:00:12:34:56' })]
      .map((each) => JSON.stringify(each))
      .join('\n---\n'),
  );
  const out = tempFolder();
  const { stderr } = await runCli(
    'deliver',
    folder,
    '--engine',
    'flux',
    '--out',
    out,
    ...REPOSITORY,
    '--target',
    'dc1=harvester@1.7.2',
  );
  expect(stderr).toContain(
    'VirtualMachine default/open has no MAC address for its interface nic-0, so Harvester gives it a new one at every apply',
  );
  expect(stderr).not.toContain('default/fixed');
  const text = readFileSync(
    join(out, 'dc1', 'machines-default', '50-virtualmachine.kubevirt.io.yaml'),
    'utf8',
  );
  expect(text).toContain('name: fixed');
  expect(text).not.toContain('name: open');
});

test.each([
  [
    'a folder without clusters',
    () => [manifests()],
    'has no assembly.json. Fix: name the clusters of its folders',
  ],
  [
    'a cluster in another form',
    () => [manifests(), '--target', 'dc1'],
    '--target: must be <name>=<kind>@<version> with the kind rancher, harvester or guest, got dc1',
  ],
  [
    'a folder that is not a cluster',
    () => [manifests(), '--target', 'dc1=harvester@1.7.2'],
    'each folder must be a target, got rancher',
  ],
  [
    'targets of an output',
    () => [dist(), '--target', 'dc1=harvester@1.7.2'],
    'are in its assembly.json. Fix: leave the option out',
  ],
])('refuses %s', async (_, argumentsOf, message) => {
  const out = tempFolder();
  const { stderr, exitCode } = await runCli(
    'deliver',
    ...argumentsOf(),
    '--engine',
    'flux',
    '--out',
    out,
    ...REPOSITORY,
  );
  expect(exitCode).toBe(1);
  expect(stderr).toContain(message);
  expect(readdirSync(out)).toEqual([]);
});

test('refuses an output that is for an engine already, and an object in two files', async () => {
  const out = tempFolder();
  await runCli('deliver', dist(), '--engine', 'flux', '--out', out, ...REPOSITORY);
  expect(
    (await runCli('deliver', out, '--engine', 'fleet', '--out', tempFolder(), ...REPOSITORY))
      .stderr,
  ).toContain('is for an engine already');
  const folder = manifests();
  writeFileSync(
    join(folder, 'rancher', 'again.yaml'),
    readFileSync(join(folder, 'rancher', 'roles.yaml')),
  );
  const { stderr } = await runCli(
    'deliver',
    folder,
    '--engine',
    'flux',
    '--out',
    tempFolder(),
    ...REPOSITORY,
    '--target',
    'rancher=rancher@2.13.8',
    '--target',
    'dc1=harvester@1.7.2',
  );
  expect(stderr).toContain('must be in one file');
});

describe('what decrypts for Argo CD', () => {
  const deliverTo = (out: string, ...options: readonly string[]): ReturnType<typeof runCli> =>
    runCli('deliver', dist(), '--out', out, ...REPOSITORY, ...options);

  test.each([
    [['--argocd-plugin', 'sops'], /\n {4}plugin:\n {6}name: sops\n/],
    [['--argocd-ksops'], /\n {4}path: dist\/rancher\n {2}destination:/],
  ])('is what the Application names: %j', async (options, expected) => {
    const out = tempFolder();
    const { exitCode } = await deliverTo(out, '--engine', 'argocd', ...options);
    expect(exitCode).toBe(0);
    const text = readFileSync(join(out, 'argo-cd', 'rancher.yaml'), 'utf8');
    expect(text).toMatch(expected);
    expect(text).not.toContain('recurse');
  });

  test('is refused for another engine', async () => {
    const { stderr, exitCode } = await deliverTo(
      tempFolder(),
      '--engine',
      'flux',
      '--argocd-ksops',
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain('cannot be set without --engine argocd');
  });
});
