import { readFileSync } from 'fs';
import { delimiter, dirname, join } from 'path';
import { Edit, goldenOf, replacing, TeamProgram } from './_team';
import { lintPaths } from '../../src/engine/read/lint';
import { fitRows } from '../../src/report/fits/fit-table';
import { reviewProject } from '../../src/report/review/review';
import { fakeSops } from '../support/fake-sops';
import { GitProject } from '../support/git-project';
import { tempFolder } from '../support/temp';

/** The secrets of all teams; not all of them have the form of one. */
const SECRETS = {
  RANCHER_PASSWORD: 'rancher-password-of-tests',
  ORDERS_PASSWORD: 'orders-password-of-tests',
  BILLING_PASSWORD: 'billing-password-of-tests',
  SALES_PASSWORD: 'sales-password-of-tests',
  HOME_TOKEN: 'home-token-of-tests-0123456789abcdef0123456789abcdef',
  GARAGE_TOKEN: 'garage-token-of-tests-0123456789abcdef0123456789ab',
  CLOUDFLARE_TOKEN: 'cf-token-of-tests',
  RESTIC_PASSWORD: 'restic-password-of-tests',
  SCANNER_LICENSE: 'license-of-tests',
  REGISTRY_PASSWORD: 'registry-password-of-tests',
  GITHUB_SECRET: 'github-secret-of-tests',
};

/** With a stand-in for sops, whose ciphertexts follow from the values. */
function environment(): NodeJS.ProcessEnv {
  const folder = dirname(fakeSops(tempFolder()));
  return { ...SECRETS, PATH: [folder, process.env.PATH].join(delimiter) };
}

/** The files of an output that contain a secret, also in base64. */
function leaksOf(files: { readonly [file: string]: string }): string[] {
  const decoded = (text: string): string =>
    text.replace(/[A-Za-z0-9+/]{16,}={0,2}/g, (run) => Buffer.from(run, 'base64').toString());
  return Object.entries(files).flatMap(([file, text]) => {
    const all = `${text}\n${decoded(text)}\n${decoded(decoded(text))}`;
    return Object.values(SECRETS).some((secret) => all.includes(secret)) ? [file] : [];
  });
}

/** Edits the data of a site. */
const inSite =
  (site: string, edit: (data: any) => void): Edit =>
  (sources) => {
    const file = `sites/${site}.json`;
    const data = JSON.parse(sources[file]!) as unknown;
    edit(data);
    sources[file] = JSON.stringify(data);
  };

const TENANT = { name: 'tenant-9', kubernetes: 'v1.35.2+rke2r1', workers: 1 };

describe.each([
  ['datacenter', []],
  ['homelabs', ['lint/encrypted']],
  ['regions', []],
  ['workspaces', ['lint/encrypted']],
])('the program of %s', (team, warnings) => {
  test('writes its committed output, which has no error, and fits', () => {
    const program = new TeamProgram(team);
    const files = program.run(undefined, environment());
    expect(files).toEqual(goldenOf(team));
    const open = lintPaths([program.dist]).filter(({ rule }) => rule !== 'object/plain-secret');
    expect(open.map(({ rule }) => rule)).toEqual(warnings);
    expect(fitRows([program.dist]).filter((row) => row.fits !== 'yes')).toEqual([]);
  });
});

test.each(['homelabs', 'regions'])('%s has no secret in any file', (team) => {
  expect(leaksOf(goldenOf(team))).toEqual([]);
});

test('regions has the GitRepos of each Rancher in a file of its own', () => {
  const golden = goldenOf('regions');
  const repos = (rancher: string): string[] =>
    [...golden[`fleet/${rancher}.yaml`]!.matchAll(/ {4}- dist\/(.*)/g)].map(([, path]) => path!);
  expect(Object.keys(golden).filter((file) => file.startsWith('fleet/'))).toEqual([
    'fleet/rancher-apac.yaml',
    'fleet/rancher-emea.yaml',
  ]);
  expect(repos('rancher-apac')).toEqual(['harvester-apac', 'rancher-apac', 'stores-apac']);
  expect(repos('rancher-emea')).toEqual(['harvester-emea', 'rancher-emea', 'stores-emea']);
});

describe('a second commit', () => {
  test.each<[string, string, Edit, readonly string[]]>([
    [
      'datacenter',
      'adds a tenant to one site',
      inSite('lk', ({ tenants }) => tenants.push(TENANT)),
      ['lk create fleet-default/tenant-9 2'],
    ],
    [
      'datacenter',
      'adds machines for Rancher',
      inSite('lk', (site) => (site.rancher.nodes = 3)),
      [],
    ],
    [
      'homelabs',
      'adds a listener',
      replacing('main.ts', 'backendPort: 8443 }', 'backendPort: 8443 }, { port: 80 }'),
      [],
    ],
    [
      'homelabs',
      'renames a chart',
      replacing('main.ts', "(harvester, 'traefik'", "(harvester, 'ingress'"),
      [],
    ],
    [
      'regions',
      'scales the pool of one region',
      replacing('main.ts', 'machines: 1', 'machines: 3'),
      [' create fleet-default/stores 2'],
    ],
    [
      'workspaces',
      'adds a customer, and a namespace of another one',
      replacing(
        'main.ts',
        "namespaces: ['shop'] },",
        "namespaces: ['shop', 'web'] },\n  { name: 'grocer', user: '4003', namespaces: ['shop'] },",
      ),
      [],
    ],
  ])('of %s that %s passes, with its impact', async (team, _, edit, impacts) => {
    const [program, env] = [new TeamProgram(team), environment()];
    program.run(undefined, env);
    const project = new GitProject({}, program.folder);
    program.run(edit, env);
    const found = await reviewProject(project.folder, { base: 'HEAD', committed: ['dist'] });
    expect(found.stops).toEqual([]);
    expect(
      found.impacts.map(({ environment: where = '', effect, cluster, machines }) =>
        [where, effect, cluster, machines].join(' '),
      ),
    ).toEqual(impacts);
  });

  test.each<[string, string, Edit, readonly string[]]>([
    [
      'datacenter',
      'renames a database',
      inSite('lk', (site) => (site.databases = { sales: 2 })),
      [
        "'dc/kubevirt.io/VirtualMachine/default/orders-node-0'",
        "'dc/kubevirt.io/VirtualMachine/default/orders-node-1'",
      ],
    ],
    [
      'datacenter',
      'removes a tenant',
      inSite('lk', (site) => (site.tenants = [])),
      ["'dc//Namespace//tenant-1-vms'", "Cluster/fleet-default/tenant-1'"],
    ],
    [
      'datacenter',
      'moves a tenant to another site',
      (sources) => {
        inSite('sg', ({ tenants }) => tenants.pop())(sources);
        inSite('lab', ({ tenants }) => tenants.push(TENANT))(sources);
      },
      ["'dc//Namespace//tenant-2-vms'", "Cluster/fleet-default/tenant-2'"],
    ],
    [
      'homelabs',
      'removes a machine from one of two labs',
      replacing(
        'main.ts',
        'addPhotos(harvester, vlan, subnet);',
        "if (name === 'home') addPhotos(harvester, vlan, subnet);",
      ),
      [
        "'garage/kubevirt.io/VirtualMachine/photos/photos-vm'",
        'the engine keeps it on the cluster',
      ],
    ],
    [
      'homelabs',
      'removes a lab',
      (sources) => {
        sources['main.ts'] = sources['main.ts']!.replace(/ {2}\{\n {4}name: 'garage'.*?\},\n/s, '');
      },
      ["app.acceptRemoval('garage'", 'Cluster fleet-default/garage on rancher'],
    ],
    [
      'regions',
      'renames the pool',
      replacing('main.ts', "name: 'all'", "name: 'main'"),
      [
        "'rancher-apac/rke-machine-config.cattle.io/HarvesterConfig/fleet-default/nc-stores-all'",
        "'rancher-emea/rke-machine-config.cattle.io/HarvesterConfig/fleet-default/nc-stores-all'",
      ],
    ],
    [
      'regions',
      'removes a region',
      (sources) => {
        sources['main.ts'] = sources['main.ts']!.replace(/ {2}\{ name: 'apac'.*\n/, '');
      },
      ["app.acceptRemoval('rancher-apac'", "app.acceptRemoval('harvester-apac'"],
    ],
  ])('of %s that %s is refused, with what to accept', (team, _, edit, names) => {
    const [program, env] = [new TeamProgram(team), environment()];
    const before = program.run(undefined, env);
    let message = '';
    try {
      program.run(edit, env);
    } catch (error) {
      ({ message } = error as Error);
    }
    expect(message).toMatch(/^synthesis failed, nothing was written/);
    for (const name of names) {
      expect(message).toContain(name);
    }
    const assemblies = Object.keys(before).filter((file) => file.endsWith('assembly.json'));
    expect(assemblies.length).toBeGreaterThan(0);
    // warnings about secrets that are hidden do not hide what is refused
    if (team !== 'datacenter') {
      expect(message).not.toContain('in plain text');
      for (const file of assemblies) {
        expect(readFileSync(join(program.dist, file), 'utf8')).toBe(before[file]);
      }
    }
  });
});
