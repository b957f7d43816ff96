import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { runCli } from '../support/run-cli';
import { tempFolder } from '../support/temp';

const EXAMPLES = join(__dirname, '..', '..', 'examples');

/**
 * A name that clears the screen, forges a line, hides what follows in the other direction of
 * writing, and ends a command of GitHub.
 */
const HOSTILE = 'a\u001b[2J\r\nerror  fake/rule  all fine\n::error::forged\u202e\u0000\u009b31m';

// eslint-disable-next-line no-control-regex
const RAW = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

function isHarmless(text: string): void {
  expect(text).not.toMatch(RAW);
  expect(text).not.toMatch(/^(?:error {2}fake|\s*::error::forged)/m);
}

const metadata = {
  name: HOSTILE,
  namespace: HOSTILE,
  labels: { [HOSTILE]: HOSTILE },
  annotations: { [HOSTILE]: HOSTILE },
};

/** Objects of kinds that reports show, with the name in every text. */
const OBJECTS = [
  {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'VirtualMachineImage',
    metadata,
    spec: { displayName: HOSTILE, sourceType: HOSTILE, url: HOSTILE },
  },
  {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name: 'ntp-servers' },
    value: HOSTILE,
  },
  {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name: HOSTILE },
    value: HOSTILE,
    [HOSTILE]: HOSTILE,
  },
  {
    apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
    kind: 'IPPool',
    metadata: { name: HOSTILE },
    spec: { ranges: [{ subnet: '10.0.0.0/24' }] },
  },
  {
    apiVersion: 'loadbalancer.harvesterhci.io/v1beta1',
    kind: 'LoadBalancer',
    metadata,
    spec: {
      ipam: 'pool',
      ipPool: HOSTILE,
      listeners: [{ name: HOSTILE, port: 80 }],
      workloadType: 'vm',
    },
  },
  {
    apiVersion: 'management.cattle.io/v3',
    kind: 'ProjectRoleTemplateBinding',
    metadata,
    projectName: `c-m-1:${HOSTILE}`,
    roleTemplateName: HOSTILE,
    userPrincipalName: `local://${HOSTILE}`,
  },
  {
    apiVersion: 'management.cattle.io/v3',
    kind: 'GlobalRoleBinding',
    metadata: { name: HOSTILE },
    globalRoleName: HOSTILE,
    userName: HOSTILE,
  },
  {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata,
    spec: {
      kubernetesVersion: `v1.33.6+rke2r1${HOSTILE}`,
      cloudCredentialSecretName: HOSTILE,
      rkeConfig: {
        machinePools: [
          {
            name: HOSTILE,
            quantity: 2,
            workerRole: true,
            machineConfigRef: { kind: 'HarvesterConfig', name: HOSTILE },
          },
        ],
      },
    },
  },
  {
    apiVersion: 'rke-machine-config.cattle.io/v1',
    kind: 'HarvesterConfig',
    metadata,
    cpuCount: '2',
    memorySize: HOSTILE,
  },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: HOSTILE } },
];

let folder: string;
let before: string;
let whole: string;

beforeAll(() => {
  folder = tempFolder();
  before = tempFolder();
  // a file name may hold everything but a slash and a NUL
  const file = `${HOSTILE.replace(/[/\0]/g, '')}.json`;
  const list = (items: readonly object[]): string =>
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  writeFileSync(join(folder, file), list(OBJECTS));
  writeFileSync(join(folder, `broken${file}`), '{');
  whole = join(tempFolder(), file);
  writeFileSync(whole, list(OBJECTS));
  const edited = OBJECTS.map((object: { readonly spec?: object }) => ({
    ...object,
    spec: { ...object.spec, rkeConfig: {}, more: 1 },
  }));
  writeFileSync(join(before, file), list(edited));
});

const COMMANDS: readonly (readonly string[])[] = [
  ['lint', 'FOLDER'],
  ['lint', 'FOLDER', '--output', 'github'],
  ['lint', 'FOLDER', '--output', 'json'],
  ['lint', 'FOLDER', '--before', 'BEFORE'],
  ['impact', 'FILE', '--before', 'BEFORE'],
  ['impact', 'FILE', '--before', 'BEFORE', '--output', 'markdown'],
  ['impact', 'FOLDER', '--before', 'BEFORE'],
  ['access', 'FILE'],
  ['access', 'FILE', '--output', 'markdown'],
  ['access', 'FILE', '--output', 'html'],
  ['addresses', 'FILE'],
  ['addresses', 'FILE', '--output', 'markdown'],
  ['fits', 'FILE'],
  ['images', 'FILE', '--rancher-version', '2.13.8'],
];

test.each(COMMANDS.map((command) => [command.join(' '), command] as const))(
  '%s prints no control character and no forged line',
  async (_, command) => {
    const { stdout, stderr } = await runCli(
      ...command.map((word) => ({ FOLDER: folder, BEFORE: before, FILE: whole })[word] ?? word),
    );
    expect(`${stdout}${stderr}`).toContain('\\u001b');
    isHarmless(stdout);
    isHarmless(stderr);
  },
);

test('JSON means the same as before', async () => {
  const { stdout } = await runCli('lint', folder, '--output', 'json');
  const { findings } = JSON.parse(stdout) as { findings: { object: { name: string } }[] };
  expect(findings.map(({ object: { name } }) => name)).toContain(HOSTILE);
});

test('show and lint of an assembly print no control character and no forged line', async () => {
  const output = join(tempFolder(), 'dist');
  mkdirSync(output);
  const text = readFileSync(join(EXAMPLES, 'reference-stack', 'dist', 'assembly.json'), 'utf8');
  // the names of objects, of their constructs and of late values
  writeFileSync(
    join(output, 'assembly.json'),
    text.replaceAll('payments', JSON.stringify(HOSTILE).slice(1, -1)),
  );
  for (const command of [
    ['show', output],
    ['lint', output],
    ['plan', output],
    ['status', output],
  ]) {
    const { stdout, stderr } = await runCli(...command);
    expect(`${stdout}${stderr}`).not.toBe('');
    isHarmless(stdout);
    isHarmless(stderr);
  }
});

test('commands print by functions that let nothing else through', () => {
  const cli = join(__dirname, '..', '..', 'src', 'cli');
  const printing = readdirSync(cli, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) =>
      /process\.std(?:out|err)\.write\(/.test(readFileSync(join(cli, file), 'utf8')),
    );
  // the prompt for a password, and the place of a question on the screen
  expect(printing.sort()).toEqual([
    'command/output/hash-password.ts',
    'option/run-options.ts',
    'terminal/process.ts',
  ]);
});
