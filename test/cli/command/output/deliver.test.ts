import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { loadAssembly } from '../../../../src/engine/read/load-assembly';
import { HarvesterImport } from '../../../../src/rancher/import/harvester-import';
import { newApp, newHarvester, newRancher } from '../../../support/programs';
import { runCli } from '../../../support/run-cli';
import { tempFolder } from '../../../support/temp';

const REPOSITORY = ['--repository', 'https://git.example.com/platform.git'];
const SOURCE = ['--source-name', 'platform'];

/** Where each engine reads the output. */
const SOURCES: { readonly [engine: string]: readonly string[] } = {
  flux: SOURCE,
  argocd: REPOSITORY,
  fleet: REPOSITORY,
};

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

/** The options that name the folders of both clusters. */
function fromBoth(folder: string): string[] {
  return [
    ...['--from', `rancher:rancher@2.13.8=${join(folder, 'rancher')}`],
    ...['--from', `dc1:harvester@1.7.2=${join(folder, 'dc1')}`],
  ];
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
      '--delivery',
      engine,
      '--output-dir',
      out,
      ...SOURCES[engine],
    );
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).toContain('dc1/late-setting-cluster-registration-url after rancher/clusters\n');
    expect(stdout).toMatch(/\nwrote \d+ stages to \S+\n$/);
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
    ...fromBoth(manifests()),
    '--delivery',
    'flux',
    '--output-dir',
    out,
    ...SOURCE,
  );
  expect(exitCode).toBe(0);
  expect(stdout).toBe(
    `rancher/roles\nrancher/alone-roletemplate-operator after rancher/roles\nwrote 2 stages to ${out}\n`,
  );
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
  const lint = await runCli('lint', out, '--fail-on', 'errors');
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
    '--delivery',
    'flux',
    '--output-dir',
    out,
    ...SOURCE,
    '--from',
    `dc1:harvester@1.7.2=${join(folder, 'dc1')}`,
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
    'has no assembly.json. Fix: for manifests that no synthesis wrote, set --from for each cluster',
  ],
  [
    'a cluster in another form',
    () => ['--from', 'dc1'],
    '--from: must be <target>=<folder> or <target>:<kind>@<version>=<folder>',
  ],
  [
    'a cluster without its kind',
    () => ['--from', 'dc1@1.7.2=manifests/dc1'],
    'with the kind rancher, harvester, guest, got dc1 of manifests/dc1. Fix: give e.g. dc1:harvester@1.7.2=manifests/dc1',
  ],
  [
    'an output with clusters of manifests',
    () => ['dist', '--from', 'dc1:harvester@1.7.2=manifests/dc1'],
    '--from: cannot be combined with dist. Fix: leave one of them out',
  ],
  [
    'Flux with the source of another engine',
    () => [dist(), ...REPOSITORY],
    '--source-name: must be set with --delivery flux, and --repository cannot. Fix: set --source-name alone',
  ],
])('refuses %s', async (_, argumentsOf, message) => {
  const out = tempFolder();
  const { stderr, exitCode } = await runCli(
    'deliver',
    ...argumentsOf(),
    '--delivery',
    'flux',
    '--output-dir',
    out,
    ...SOURCE,
  );
  expect(exitCode).toBe(1);
  expect(stderr).toContain(message);
  expect(readdirSync(out)).toEqual([]);
});

test('refuses an output that is for an engine already, and an object in two files', async () => {
  const out = tempFolder();
  await runCli('deliver', dist(), '--delivery', 'flux', '--output-dir', out, ...SOURCE);
  expect(
    (
      await runCli(
        'deliver',
        out,
        '--delivery',
        'fleet',
        '--output-dir',
        tempFolder(),
        ...REPOSITORY,
      )
    ).stderr,
  ).toContain('is for an engine already');
  const folder = manifests();
  writeFileSync(
    join(folder, 'rancher', 'again.yaml'),
    readFileSync(join(folder, 'rancher', 'roles.yaml')),
  );
  const { stderr } = await runCli(
    'deliver',
    ...fromBoth(folder),
    '--delivery',
    'flux',
    '--output-dir',
    tempFolder(),
    ...SOURCE,
  );
  expect(stderr).toContain('must be in one file');
});

describe('what decrypts for Argo CD', () => {
  const deliverTo = (out: string, ...options: readonly string[]): ReturnType<typeof runCli> =>
    runCli('deliver', dist(), '--output-dir', out, ...SOURCES[options[1]], ...options);

  test.each([
    [['--argocd-plugin', 'sops'], /\n {4}plugin:\n {6}name: sops\n/],
    [['--argocd-ksops'], /\n {4}path: dist\/rancher\n {2}destination:/],
  ])('is what the Application names: %j', async (options, expected) => {
    const out = tempFolder();
    const { exitCode } = await deliverTo(out, '--delivery', 'argocd', ...options);
    expect(exitCode).toBe(0);
    const text = readFileSync(join(out, 'argo-cd', 'rancher.yaml'), 'utf8');
    expect(text).toMatch(expected);
    expect(text).not.toContain('recurse');
  });

  test('is refused for another engine', async () => {
    const { stderr, exitCode } = await deliverTo(
      tempFolder(),
      '--delivery',
      'flux',
      '--argocd-ksops',
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain('cannot be set without --delivery argocd');
  });
});
