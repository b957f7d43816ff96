import { cpSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'fs';
import { join } from 'path';
import * as running from '../../../../src/adopt/project/run-adopt';
import { Manifest } from '../../../../src/core/manifest/manifest';
import { openContexts } from '../../../../src/engine/auth/bind-targets';
import * as opening from '../../../../src/engine/auth/bind-targets';
import { Connection } from '../../../../src/engine/transport/api';
import { FakeCluster } from '../../../support/fake-cluster';
import { filesIn } from '../../../support/programs';
import { CliRun, runCli } from '../../../support/run-cli';
import { outputOf } from '../../../support/run-program';
import { ROOT } from '../../../support/source-library';
import { tempFolder } from '../../../support/temp';

/** Nothing connects by it. */
const NO_CONNECTION = {} as Connection;

const EXAMPLE = join(ROOT, 'examples', 'three-tenants', 'dist');
/** Without the assembly, which knows what the clusters are. */
const MANIFESTS = tempFolder();
cpSync(EXAMPLE, MANIFESTS, { recursive: true, filter: (file) => !file.endsWith('assembly.json') });
const HARVESTER = join(MANIFESTS, 'dc1');
const FROM = [
  '--from',
  `rancher@2.13.8=${join(MANIFESTS, 'rancher')}`,
  '--from',
  `dc1@1.7.2=${HARVESTER}`,
  '--server-url',
  'https://rancher.example.com',
];

/** A folder with files, by their names. */
function folderOf(files: { readonly [name: string]: string }): string {
  const folder = tempFolder();
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

async function adopt(...options: string[]): Promise<CliRun & { readonly out: string }> {
  const out = join(tempFolder(), 'platform');
  return { ...(await runCli('adopt', '--output-dir', out, ...options)), out };
}

/** What the program of a project writes. */
function synthesized(project: string): { readonly [file: string]: string } {
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
  return outputOf(project);
}

const manifestsOf = (files: { readonly [file: string]: string }): [string, string][] =>
  Object.entries(files)
    .filter(([file]) => file.endsWith('.yaml'))
    .sort();

afterEach(() => {
  jest.restoreAllMocks();
});

describe('a project', () => {
  test('synthesizes the objects that were read, byte for byte', async () => {
    const { exitCode, stderr, out } = await adopt(...FROM);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    // passwords are not adopted
    const expected = manifestsOf(filesIn(EXAMPLE)).filter(
      ([file]) => file !== 'rancher/31-secret.yaml',
    );
    expect(expected.length).toBeGreaterThan(8);
    expect(manifestsOf(synthesized(out))).toEqual(expected);
  });

  test('keeps the ID of a cluster that the library derived, whatever its salt is', async () => {
    const dist = join(ROOT, 'examples', 'reference-stack', 'dist');
    const { out } = await adopt(
      '--from',
      `rancher@2.13.8=${join(dist, 'rancher')}`,
      '--from',
      `dc1@1.7.2=${join(dist, 'dc1')}`,
      '--server-url',
      'https://rancher.example.com',
    );
    expect(readFileSync(join(out, 'delivery.ts'), 'utf8')).toMatch(/idSalt: '[0-9a-f]{32}'/);
    const ids = (files: { readonly [file: string]: string }): string[] =>
      Object.values(files)
        .join('')
        .match(/management-cluster-name: \S+/g) ?? [];
    expect(ids(filesIn(dist)).length).toBeGreaterThan(0);
    expect(ids(synthesized(out)).sort()).toEqual(ids(filesIn(dist)).sort());
  });

  test('has a module for each Harvester and tenant, and the scripts of a new project', async () => {
    const { out, stdout } = await adopt(...FROM);
    const written = readdirSync(out, { recursive: true, encoding: 'utf8' })
      .filter((file) => statSync(join(out, file)).isFile())
      .sort();
    expect(written).toEqual([
      '.gitignore',
      'README.md',
      'cdk8s.yaml',
      'clusters.ts',
      'dc1.ts',
      'delivery.ts',
      'main.ts',
      'package.json',
      'platform.test.ts',
      'platform.ts',
      'rancher.ts',
      'tenants/payments.ts',
      'tenants/research.ts',
      'tenants/web.ts',
      'tsconfig.json',
    ]);
    expect(JSON.parse(readFileSync(join(out, 'package.json'), 'utf8'))).toMatchObject({
      scripts: { synth: 'tsx main.ts' },
    });
    // the page shows both
    const page = readFileSync(join(ROOT, 'docs', 'adopt.md'), 'utf8');
    expect(page).toContain(stdout.slice(0, stdout.indexOf('\nFiles in ')));
    expect(page).toContain(readFileSync(join(out, 'tenants', 'web.ts'), 'utf8'));
  });

  test('never replaces files', async () => {
    const out = folderOf({ 'dc1.ts': 'mine', 'notes.txt': 'mine' });
    const { exitCode, stderr } = await runCli('adopt', '--output-dir', out, ...FROM);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining(
        'contains files that would be overwritten: dc1.ts; nothing was written. Fix: set another folder',
      ) as string,
    });
    expect(readdirSync(out).sort()).toEqual(['dc1.ts', 'notes.txt']);
    expect(readFileSync(join(out, 'dc1.ts'), 'utf8')).toBe('mine');
  });

  test('reads the guest clusters of Rancher with --guests, and reports those that it cannot read', async () => {
    const rancher = new FakeCluster({
      paths: { '/version': { gitVersion: 'v1.34.4+rke2r1' } },
      missing: new Set(['harvesterhci.io/Setting']),
    });
    const setting = (name: string, value: string): object => ({
      apiVersion: 'management.cattle.io/v3',
      kind: 'Setting',
      metadata: { name },
      value,
      default: '',
    });
    const cluster = (name: string): object => ({
      apiVersion: 'provisioning.cattle.io/v1',
      kind: 'Cluster',
      metadata: { name, namespace: 'fleet-default' },
      spec: { rkeConfig: {}, kubernetesVersion: 'v1.33.6+rke2r1' },
    });
    for (const each of [
      setting('server-version', 'v2.13.8'),
      setting('server-url', 'https://rancher.example.com'),
      ...['shop', 'edge', 'lab'].map(cluster),
    ]) {
      rancher.seed(each as Manifest);
    }
    const guest = (): FakeCluster => {
      const made = new FakeCluster({
        paths: { '/version': { gitVersion: 'v1.33.6+rke2r1' } },
        missing: new Set(['harvesterhci.io/Setting', 'management.cattle.io/Project']),
      });
      made.seed({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'settings', namespace: 'default' },
        data: { a: 'b' },
      } as Manifest);
      return made;
    };
    const shop = guest();
    const { uid } = shop.seed(
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'ana', namespace: 'default' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ana' }],
      } as Manifest,
      'kubectl',
    ).metadata;
    const closed = jest.spyOn(shop, 'close');
    const clusters: { readonly [name: string]: FakeCluster } = { rancher, lab: guest() };
    jest.spyOn(opening, 'openContexts').mockImplementation(async ({ context }) =>
      [...context!].map(([name, each]) => ({
        name,
        by: `context ${each}`,
        cluster: clusters[name],
        connection: NO_CONNECTION,
      })),
    );
    const opened = jest
      .spyOn(opening, 'openGuest')
      .mockImplementation(async (name, ref, manager, serverUrl) => {
        if (name === 'edge') {
          throw new Error('Secret fleet-default/edge-kubeconfig on rancher does not exist yet');
        }
        expect([ref, manager.name, serverUrl]).toEqual([
          { namespace: 'fleet-default', name: 'shop' },
          'rancher',
          'https://rancher.example.com',
        ]);
        return {
          name,
          by: 'Secret fleet-default/shop-kubeconfig on rancher',
          cluster: shop,
          connection: NO_CONNECTION,
        };
      });
    const { exitCode, stdout, stderr, out } = await adopt(
      '--guests',
      '--context',
      'rancher=prod',
      '--context',
      'lab=lab',
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(opened.mock.calls.map(([name]) => name).sort()).toEqual(['edge', 'shop']);
    expect(stdout).toMatch(/\nshop \(guest\) +2 /);
    expect(stdout).toContain(
      'Not read\nrancher: Cluster fleet-default/edge: what is in the cluster could not be read: Secret fleet-default/edge-kubeconfig on rancher does not exist yet',
    );
    expect(readFileSync(join(out, 'cdk8s-harvester.yaml'), 'utf8')).toBe(
      'targets:\n  rancher:\n    context: prod\n  lab:\n    context: lab\ntakeOver: take-over.yaml\n',
    );
    // the first plan contains the guest cluster, whose connection ends after it
    expect(readFileSync(join(out, 'take-over.yaml'), 'utf8')).toContain(
      `id: shop/rbac.authorization.k8s.io/RoleBinding/default/ana\n    uid: ${uid}\n`,
    );
    expect(closed).toHaveBeenCalledTimes(1);
    opened.mockClear();
    expect((await adopt('--context', 'rancher=prod')).stdout).not.toContain('(guest)');
    expect(opened).not.toHaveBeenCalled();
  });

  test('names the contexts of live clusters, and reads them without writing', async () => {
    const cluster = new FakeCluster({ paths: { '/version': { gitVersion: 'v1.34.4+rke2r1' } } });
    cluster.seed({
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Setting',
      metadata: { name: 'server-version' },
      value: 'v1.7.2',
      default: '',
    });
    const opened = jest.spyOn(opening, 'openContexts').mockImplementation(async ({ context }) =>
      [...context!].map(([name, each]) => ({
        name,
        by: `context ${each}`,
        cluster,
        connection: NO_CONNECTION,
      })),
    );
    const { exitCode, out } = await adopt('--context', 'dc1=prod-dc1');
    expect(exitCode).toBe(0);
    expect(opened).toHaveBeenCalledTimes(1);
    expect(readFileSync(join(out, 'cdk8s-harvester.yaml'), 'utf8')).toBe(
      'targets:\n  dc1:\n    context: prod-dc1\n',
    );
    expect([...new Set(cluster.calls.map(({ verb }) => verb))].sort()).toEqual([
      'get',
      'kind',
      'list',
    ]);
    // the project keeps what a config file has, with paths from there
    const folder = folderOf({
      'shared.yaml':
        'app: lab\ntargets:\n  dc1:\n    context: prod-dc1\n    kubeconfig: ./dc1.yaml\nignore:\n  - kind: Node\n    reason: of the rack\n',
    });
    const config = join(folder, 'shared.yaml');
    const again = await adopt('--context', 'dc1=lab-dc1', '--config', config);
    expect(again.exitCode).toBe(0);
    expect(readFileSync(join(again.out, 'cdk8s-harvester.yaml'), 'utf8')).toBe(
      'app: lab\nignore:\n  - kind: Node\n    reason: of the rack\ntargets:\n  dc1:\n    context: lab-dc1\n',
    );
  });
});

describe('refuses', () => {
  test.each<[string, string[], string]>([
    [
      'guests without a Rancher',
      [...FROM, '--guests'],
      '--guests: no Rancher is read from a context. Fix: set --context',
    ],
    [
      'no cluster',
      [],
      'no cluster was given. Fix: set --context <target>=<context> for each cluster, or --from <target>=<folder>',
    ],
    [
      'a folder without a name',
      ['--from', 'manifests'],
      '--from: must be <target>=<folder> or <target>:<kind>@<version>=<folder>, e.g. dc1:harvester@1.7.2=manifests/dc1, got "manifests"',
    ],
    [
      'another kind of cluster',
      ['--from', `dc1:vsphere@1.7.2=${HARVESTER}`],
      '--from: the kind of dc1 must be one of rancher, harvester, guest, got vsphere',
    ],
    [
      'a folder without the version',
      ['--from', `dc1=${HARVESTER}`],
      '--from: the version of dc1 is not in its manifests. Fix: set --from dc1:harvester@1.9.0=<folder> with its version',
    ],
    [
      'a version of Rancher where nothing shows whose objects these are',
      [
        '--from',
        `rancher@2.13.8=${folderOf({ 'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n' })}`,
      ],
      '--from: the kind of rancher does not follow from its objects, and 2.13.8 is not a version of Kubernetes. Fix: set --from rancher:<kind>@2.13.8=<folder>',
    ],
    [
      'a Rancher without its URL',
      FROM.slice(0, 4),
      '--server-url: the URL of rancher is not known. Fix: set --server-url https://rancher.example.com with its URL',
    ],
    ['a folder that does not exist', ['--from', 'dc1@1.7.2=/nonexistent'], '/nonexistent'],
    [
      'a cluster that is read twice',
      ['--from', `dc1@1.7.2=${HARVESTER}`, '--from', `dc1@1.7.2=${HARVESTER}`],
      '--from: dc1 is read twice. Fix: give each cluster another name',
    ],
    [
      'a selection of nothing',
      [...FROM, '--select', 'namespace=shop'],
      '--select namespace=shop: matches no object; found ',
    ],
    [
      'an unknown key of a selection',
      [...FROM, '--select', 'name=shop'],
      '--select: must be namespace=<value>, project=<value>',
    ],
    [
      'a state that is not one',
      [...FROM, '--terraform', join(HARVESTER, '10-namespace.yaml')],
      'the Terraform state must be JSON',
    ],
    ['a delivery without its repository', [...FROM, '--delivery', 'flux'], 'repository'],
  ])('%s', async (_, options, message) => {
    const { exitCode, stdout, stderr, out } = await adopt(...options);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(() => statSync(out)).toThrow('ENOENT');
  });

  test('a cluster that is read from a context and from a folder', async () => {
    jest
      .spyOn(opening, 'openContexts')
      .mockImplementation(async () => [
        { name: 'dc1', by: 'context dc1', cluster: new FakeCluster(), connection: NO_CONNECTION },
      ]);
    expect((await adopt('--context', 'dc1=dc1', ...FROM)).stderr).toContain(
      '--from: dc1 is read twice',
    );
    expect(openContexts).toHaveBeenCalledTimes(1);
  });
});

describe('--select', () => {
  test('adopts what is selected, and lists the rest as left out', async () => {
    const { stdout, out } = await adopt(...FROM, '--select', 'project=Web');
    expect(readdirSync(join(out, 'tenants'))).toEqual(['web.ts']);
    expect(stdout).toMatch(/Left out\n[^]*: is not selected/);
  });
});

describe('--terraform', () => {
  interface Resource {
    readonly type: string;
    readonly name: string;
    readonly id: string;
  }

  const state = (...resources: readonly Resource[]): string =>
    JSON.stringify({
      version: 4,
      resources: resources.map(({ type, name, id }) => ({
        mode: 'managed',
        type,
        name,
        instances: [{ attributes: { id, password: 'correct-horse' } }],
      })),
    });

  test('writes into the README how resources leave the state, and which of them are not adopted', async () => {
    const file = join(
      folderOf({
        'state.json': state(
          { type: 'harvester_network', name: 'shared', id: 'harvester-public/shared-net' },
          { type: 'harvester_ssh_key', name: 'ops', id: 'default/ops' },
        ),
      }),
      'state.json',
    );
    const { exitCode, stdout, out } = await adopt(...FROM, '--terraform', file);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      'Terraform owns objects of the program: hand them over before the first apply',
    );
    const readme = readFileSync(join(out, 'README.md'), 'utf8');
    expect(readme).toContain(
      '```hcl\nremoved {\n  from = harvester_network.shared\n\n  lifecycle {\n    destroy = false\n  }\n}\n```',
    );
    expect(readme).toContain('```sh\nterraform state rm harvester_network.shared\n```');
    expect(readme).toContain(
      '- `harvester_ssh_key.ops` owns KeyPair default/ops, which was not found\n',
    );
  });

  test('prints no other value of the state', async () => {
    const file = join(
      folderOf({
        'state.json': state({
          type: 'harvester_network',
          name: 'shared',
          id: 'harvester-public/shared-net',
        }),
      }),
      'state.json',
    );
    const { stdout, out } = await adopt(...FROM, '--terraform', file, '--output', 'json');
    expect(stdout + JSON.stringify(filesIn(out))).not.toContain('correct-horse');
  });
});

describe('--output json', () => {
  test('has a documented shape of plain values', async () => {
    const token = {
      mode: 'managed',
      type: 'rancher2_token',
      name: 'a',
      instances: [{ attributes: { id: 'x' } }],
    };
    const state = folderOf({ 'state.json': JSON.stringify({ version: 4, resources: [token] }) });
    const { stdout, exitCode } = await adopt(
      ...FROM,
      '--output',
      'json',
      '--terraform',
      join(state, 'state.json'),
    );
    expect(exitCode).toBe(0);
    const report = JSON.parse(stdout);
    expect(Object.keys(report).sort()).toEqual([
      'clusters',
      'deliverers',
      'differences',
      'errors',
      'files',
      'handOver',
      'leftOut',
      'leftOutFields',
      'notes',
      'schemaVersion',
      'takeOver',
      'unclear',
      'unmatched',
      'unread',
      'variables',
    ]);
    expect(report).toMatchObject({
      schemaVersion: '1',
      differences: [],
      errors: [],
      unread: [],
      handOver: { removed: '', commands: '', partly: [] },
    });
    expect(report.files).toContain('tenants/web.ts');
    for (const [list, keys] of Object.entries({
      clusters: ['apiObjects', 'constructs', 'found', 'kind', 'leftOut', 'name', 'patched'],
      leftOut: ['objects', 'reason', 'target'],
      unmatched: ['address', 'reason'],
    })) {
      expect([list, report[list].length > 0]).toEqual([list, true]);
      for (const entry of report[list]) {
        expect(Object.keys(entry).sort()).toEqual(keys);
      }
    }
  });
});

describe('the exit code', () => {
  test('is 3 if an apply would change something, and the files are written', async () => {
    const { adoptPlatform } = running;
    const difference = {
      target: 'dc1',
      object: 'NetworkAttachmentDefinition harvester-public/shared-net',
      message: 'spec.config would change',
    };
    jest
      .spyOn(running, 'adoptPlatform')
      .mockImplementation((request) => ({ ...adoptPlatform(request), differences: [difference] }));
    const { exitCode, stdout, out } = await adopt(...FROM);
    expect(exitCode).toBe(3);
    expect(stdout).toContain(
      'error dc1: NetworkAttachmentDefinition harvester-public/shared-net: spec.config would change',
    );
    expect(readFileSync(join(out, 'README.md'), 'utf8')).toContain(
      'the first plan contains the differences below.',
    );
  });

  test('is 3 if the program has errors that it cannot accept', async () => {
    const { adoptPlatform } = running;
    const error = {
      rule: 'program/broken',
      level: 'error' as running.AdoptResult['errors'][0]['level'],
      message: 'is broken',
      path: '',
      fix: 'correct it',
      source: '',
    };
    jest
      .spyOn(running, 'adoptPlatform')
      .mockImplementation((request) => ({ ...adoptPlatform(request), errors: [error] }));
    expect(await adopt(...FROM)).toMatchObject({
      exitCode: 3,
      stdout: expect.stringContaining('is broken. Fix: correct it') as string,
    });
  });
});

describe('secrets', () => {
  const VALUE = 'correct-horse-battery';
  const BASE64 = Buffer.from(VALUE).toString('base64');
  const SECRETS = `apiVersion: v1
kind: Secret
metadata: { name: registry, namespace: shop, annotations: { kubectl.kubernetes.io/last-applied-configuration: '{"data":{"password":"${BASE64}"}}' } }
data: { password: ${BASE64} }
---
apiVersion: v1
kind: Secret
metadata: { name: db, namespace: shop }
stringData: { password: ${VALUE} }
---
apiVersion: v1
kind: Secret
metadata: { name: vm-cloud-init, namespace: shop }
stringData: { userdata: "#cloud-config\\npassword: ${VALUE}\\n", networkdata: "" }
---
apiVersion: v1
kind: Secret
metadata: { name: cc-dc1, namespace: cattle-global-data, annotations: { field.cattle.io/name: dc1 } }
data: { harvestercredentialConfig-clusterId: "${Buffer.from('c-m-abcd1234').toString('base64')}", harvestercredentialConfig-kubeconfigContent: "${BASE64}" }
---
apiVersion: v1
kind: Namespace
metadata: { name: shop }
`;

  test.each(['rancher:rancher@2.13.8', 'dc1:harvester@1.7.2', 'shop:guest@v1.34.10+rke2r1'])(
    'have no value in any output for %s',
    async (target) => {
      const { stdout, stderr, out, exitCode } = await adopt(
        '--from',
        `${target}=${folderOf({ 'secrets.yaml': SECRETS })}`,
        '--server-url',
        'https://rancher.example.com',
        '--output',
        'json',
      );
      expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
      const all = stdout + JSON.stringify(filesIn(out));
      for (const value of [VALUE, BASE64]) {
        expect(all).not.toContain(value);
      }
      expect(all).toContain('registry');
    },
  );
});
