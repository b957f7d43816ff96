import { readdirSync, readFileSync, writeFileSync } from 'fs';
import { delimiter, join } from 'path';
import { ApiObject } from 'cdk8s';
import {
  Delivery,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  LateSource,
  LateValue,
  RancherChart,
  SecretDelivery,
  TenantProject,
} from '../../../src';
import { Finding } from '../../../src/core/rule/finding';
import { isCounted } from '../../../src/core/rule/report';
import { lintPaths } from '../../../src/engine/read/lint';
import { readAssembly } from '../../../src/engine/read/load-assembly';
import { fakeSops } from '../../support/fake-sops';
import { writeResolved } from '../../support/resolved-output';
import { runCli } from '../../support/run-cli';
import { tempFolder } from '../../support/temp';

const RECIPIENT = 'age1qyyappls469vacyphhuhw3m02mpjxqglxwr6gr40k67tpvfwr5dqw2vdh3';
const CLUSTER_ID = 'c-m-smzf7gf6';
const CANARY = 'canary-5x7q2hv9w4';
const SECRET_FOLDER = 'rancher/late-secret-fleet-default-login';

const { PATH } = process.env;

beforeEach(() => {
  const bin = tempFolder();
  fakeSops(bin, '', true);
  process.env.PATH = `${bin}${delimiter}${PATH}`;
});

afterEach(() => {
  process.env.PATH = PATH;
  delete process.env.FAKE_SOPS_KEY;
});

/**
 * The output for Flux of a team on a Harvester that the program knows by its display name, and of
 * a Secret with a late credential, after resolve.
 */
function resolvedOutput(): string {
  const outdir = join(tempFolder(), 'dist');
  const app = new HarvesterApp({
    outdir,
    printWarnings: false,
    idSalt: 'x'.repeat(32),
    delivery: Delivery.flux({ sourceName: 'platform' }),
    secrets: SecretDelivery.sops({ recipients: [RECIPIENT] }),
  });
  const rancher = new RancherChart(app, 'rancher', {
    version: '2.15.0',
    serverUrl: 'https://rancher.example.com',
  });
  const [dc1, dc2] = ['10.10.0.10', '10.20.0.10'].map(
    (vip, index) => new HarvesterChart(app, `dc${index + 1}`, { version: '1.8.2', vip }),
  );
  const cluster = HarvesterImport.fromDisplayName(rancher, 'import-dc1', {
    displayName: 'dc1',
    harvester: dc1!,
  });
  new HarvesterImport(rancher, 'import-dc2', { harvester: dc2!, register: false });
  new TenantProject(rancher, 'shop', { cluster, tenantNamespaces: [{ name: 'shop-vms' }] });
  const source = { target: dc1!, apiVersion: 'v1', kind: 'Secret', name: 'source' };
  const password = new LateValue(rancher, 'password', {
    description: 'the password',
    source: LateSource.secretKey('password', { ...source, namespace: 'default' }),
    sensitive: true,
  });
  new ApiObject(rancher, 'login', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login', namespace: 'fleet-default' },
    stringData: { password: password.token, username: 'puller' },
  });
  app.synth();
  const values = new Map([
    ['rancher.import-dc1.name', CLUSTER_ID],
    ['rancher.password', CANARY],
  ]);
  const { lateValues } = readAssembly(outdir);
  process.env.FAKE_SOPS_KEY = 'here';
  writeResolved(
    outdir,
    Object.fromEntries(lateValues.map(({ id }) => [id, values.get(id) ?? 'x'])),
  );
  delete process.env.FAKE_SOPS_KEY;
  return outdir;
}

const counted = (folder: string): Finding[] => lintPaths([folder]).filter(isCounted);
const rulesOf = (findings: readonly Finding[]): string[] => findings.map(({ rule }) => rule);

/** The file of the Secret, after an edit. */
function editSecret(folder: string, edit: (text: string) => string): void {
  const [name] = readdirSync(join(folder, SECRET_FOLDER));
  const file = join(folder, SECRET_FOLDER, name!);
  writeFileSync(file, edit(readFileSync(file, 'utf8')));
}

describe('an output with files of resolve that SOPS encrypted', () => {
  test('declares each object once for those without a key', async () => {
    const folder = resolvedOutput();
    expect(rulesOf(counted(folder))).toEqual(['lint/encrypted']);
    expect(await runCli('lint', folder)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('the encrypted values of 1 object are not judged'),
    });
  });

  test('has no secret in plain text for those with the key', async () => {
    const folder = resolvedOutput();
    process.env.FAKE_SOPS_KEY = 'here';
    expect(rulesOf(counted(folder))).toEqual([]);
    const { stdout } = await runCli('lint', folder);
    expect(stdout).toContain('1 accepted: is encrypted by SOPS in the output');
    expect(stdout).not.toContain(CANARY);
  });

  test('still has the secret that someone wrote into a file in plain text', () => {
    const folder = resolvedOutput();
    process.env.FAKE_SOPS_KEY = 'here';
    editSecret(folder, (text) => text.replace(/password: "?ENC.*/, `password: ${CANARY}`));
    expect(rulesOf(counted(folder))).toEqual(['object/plain-secret']);
  });
});

test('knows the cluster that the program knows by its display name, and no other', () => {
  const folder = resolvedOutput();
  process.env.FAKE_SOPS_KEY = 'here';
  const stage = readdirSync(join(folder, 'rancher')).find((name) =>
    name.startsWith('late-project-'),
  )!;
  const [name] = readdirSync(join(folder, 'rancher', stage));
  const file = join(folder, 'rancher', stage, name!);
  const project = readFileSync(file, 'utf8');
  expect(project).toContain(`clusterName: ${CLUSTER_ID}`);
  expect(rulesOf(counted(folder))).toEqual([]);
  const other = project.replace(/^#.*\n/, '').replaceAll(CLUSTER_ID, 'c-m-none');
  writeFileSync(join(folder, 'rancher', stage, 'other.yaml'), other);
  expect(counted(folder)).toMatchObject([
    { rule: 'project/unknown-cluster', fix: expect.stringContaining(CLUSTER_ID) },
  ]);
});
