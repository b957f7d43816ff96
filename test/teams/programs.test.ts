import { mkdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { goldenOf, replacing, TeamProgram } from './_team';
import { appOf } from '../../src/engine/fields/apply-set';
import { lintPaths } from '../../src/engine/read/lint';
import { Trial } from '../engine/run/_running';
import { runCli } from '../support/run-cli';
import { tempFolder } from '../support/temp';

const PLATFORM = join(__dirname, 'platform', 'dist');
const TENANT = join(__dirname, 'tenant', 'dist');
const [AS_PLATFORM, AS_SHOP] = [{ app: appOf('platform') }, { app: appOf('shop') }];

/** The tenant's program with the credential that clusters get by default. */
function sharing(): TeamProgram {
  const program = new TeamProgram('tenant');
  program.run((sources) => {
    sources['main.ts'] = sources['main.ts']!.replace(/ {2}credential: .*\n/, '');
  });
  return program;
}

function platform(): TeamProgram {
  const program = new TeamProgram('platform');
  program.run();
  return program;
}

/** Another program on the clusters of a first one; guest clusters are its own. */
function beside(first: Trial, { declared }: TeamProgram): Trial {
  const { rancher, dc1 } = first.clusters;
  const own = new Trial(declared).clusters;
  return new Trial(declared, { ...own, rancher: rancher!, dc1: dc1! });
}

/** What both write first; the rest of the account waits for these. */
const SHARED = [
  'dc1//ServiceAccount/harvester-system/rancher-node-driver',
  'dc1/rbac.authorization.k8s.io/ClusterRole//rancher-node-driver',
  'dc1/rbac.authorization.k8s.io/ClusterRole//rancher-node-driver-lookup',
];

test.each(['platform', 'tenant'])('the %s writes its committed output', (team) => {
  expect(new TeamProgram(team).run()).toEqual(goldenOf(team));
});

test('the tenant writes its cluster only, and waits for nothing', () => {
  expect(
    new TeamProgram('tenant').run() && lintPaths([TENANT]).filter(({ level }) => level === 'error'),
  ).toEqual([]);
  const files = Object.keys(goldenOf('tenant'));
  expect(files.sort()).toEqual([
    'assembly.json',
    'rancher/38-harvesterconfig.rke-machine-config.cattle.io.yaml',
    'rancher/40-cluster.provisioning.cattle.io.yaml',
  ]);
});

test('the output of the platform is the world of the tenant', () => {
  expect(lintPaths([TENANT], { world: [PLATFORM] })).toEqual([]);
});

test('finds objects that the platform declares as well', () => {
  const findings = lintPaths([sharing().dist], { world: [PLATFORM] });
  const twice = findings.filter(({ rule }) => rule === 'object/of-another-program');
  expect(
    twice.map(({ object, level }) => `${level} ${object?.kind} ${object?.name}`).sort(),
  ).toEqual([
    'error ClusterRole rancher-node-driver',
    'error ClusterRole rancher-node-driver-lookup',
    'error ClusterRoleBinding rancher-node-driver-lookup',
    'error Secret cc-dc1',
    'error Secret rancher-node-driver-token',
    'error ServiceAccount rancher-node-driver',
  ]);
  expect(twice[0]!.message).toContain(PLATFORM);
});

test('warns of the shared credential without the output of the platform', () => {
  const findings = lintPaths([sharing().dist]).filter(
    ({ rule }) => rule === 'credential/shared-name',
  );
  expect(findings).toMatchObject([{ level: 'warning', object: { name: 'cc-dc1' } }]);
  expect(lintPaths([PLATFORM]).filter(({ rule }) => rule === 'credential/shared-name')).toEqual([]);
});

/** The IDs of objects that an apply failed to write because they belong to someone else. */
function foreign(failed: readonly { readonly id: string; readonly message: string }[]): string[] {
  return failed
    .filter(({ message }) => /belongs to app|not in the inventory of this app/.test(message))
    .map(({ id }) => id)
    .sort();
}

describe.each([
  ['the platform first', AS_PLATFORM, platform, AS_SHOP, sharing],
  ['the tenant first', AS_SHOP, sharing, AS_PLATFORM, platform],
])('two programs that write one credential, %s', (_, firstApp, first, secondApp, second) => {
  test('apply refuses what the other one wrote, and changes none of it', async () => {
    const trial = new Trial(first().declared);
    await trial.apply(firstApp);
    const { dc1 } = trial.clusters;
    const account = () =>
      dc1!.live('v1', 'ServiceAccount', 'rancher-node-driver', 'harvester-system');
    const before = account();
    const other = beside(trial, second());
    const { failed } = await other.apply(secondApp);
    expect(foreign(failed)).toEqual(SHARED);
    expect(account()).toEqual(before);
  });

  test('apply does not begin with the app of the other program', async () => {
    const trial = new Trial(first().declared);
    await trial.apply(firstApp);
    const other = beside(trial, second());
    await expect(other.apply(firstApp)).rejects.toThrow(
      /declares? none of the \d+ objects that app \w+ applied before.*if this is another program, set its own --app/,
    );
  });
});

/** The tenant's program without its cluster. */
function withoutCluster(source: string): string {
  const [before, rest] = source.split('new GuestCluster(');
  const after = rest!.slice(rest!.indexOf('app.synth()'));
  return `${before!}void [cluster, images];\n${after}`;
}

test.each([
  ['the platform first', true],
  ['the tenant first', false],
])('both programs keep what is theirs at their second commit, %s', async (_, isPlatformFirst) => {
  const [ours, theirs] = [platform(), new TeamProgram('tenant')];
  theirs.run();
  const trial = new Trial(ours.declared);
  const other = beside(trial, theirs);
  const [one, two] = [
    async () => trial.apply(AS_PLATFORM),
    async () =>
      other.apply({ ...AS_SHOP, acceptExisting: ['rancher//Secret/cattle-global-data/cc-shop'] }),
  ];
  for (const apply of isPlatformFirst ? [one, two] : [two, one]) {
    expect(foreign((await apply()).failed)).toEqual([]);
  }
  const { rancher, dc1 } = trial.clusters;
  const hasPool = (name: string): boolean =>
    rancher!.has('rke-machine-config.cattle.io/v1', 'HarvesterConfig', name, 'fleet-default');
  const hasAccount = (): boolean => dc1!.has('v1', 'ServiceAccount', 'cc-shop', 'harvester-system');
  expect([hasPool('nc-shop-all'), hasAccount()]).toEqual([true, true]);
  // the tenant renames its pool, the platform gives the project another namespace
  theirs.clean();
  theirs.run(replacing('main.ts', "name: 'all'", "name: 'main'"));
  other.declared = theirs.declared;
  ours.run(
    replacing('main.ts', "[{ name: 'shop-vms' }]", "[{ name: 'shop-vms' }, { name: 'shop-test' }]"),
  );
  trial.declared = ours.declared;
  for (const apply of isPlatformFirst ? [two, one] : [one, two]) {
    expect(foreign((await apply()).failed)).toEqual([]);
  }
  expect([hasPool('nc-shop-main'), hasAccount()]).toEqual([true, true]);
  // the tenant removes its cluster, and nothing of the platform
  theirs.clean();
  theirs.run((sources) => {
    sources['main.ts'] = withoutCluster(sources['main.ts']!);
  });
  other.declared = theirs.declared;
  await other.apply({ ...AS_SHOP, acceptEmpty: true, pruneMachines: true });
  expect([hasPool('nc-shop-main'), hasAccount()]).toEqual([false, true]);
});

test('the app of a program is in its config file', async () => {
  const folder = tempFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'cdk8s-harvester.yaml'), 'app: shop\n');
  const cwd = process.cwd();
  try {
    process.chdir(folder);
    expect((await runCli('rbac', TENANT)).stdout).toContain('cdk8s-harvester-shop');
    const { stdout } = await runCli('rbac', TENANT, '--app', 'other');
    expect(stdout).toContain('cdk8s-harvester-other');
    expect(stdout).not.toContain('cdk8s-harvester-shop');
  } finally {
    process.chdir(cwd);
  }
});
