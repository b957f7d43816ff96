import { execFileSync } from 'child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'fs';
import { dirname, join } from 'path';
import { ApiObject } from 'cdk8s';
import { parse } from 'yaml';
import { ClusterNetwork, HarvesterChart, VmNetwork } from '../../../src';
import * as folders from '../../../src/adopt/read/folder';
import { readLive } from '../../../src/adopt/read/live';
import { Ignored } from '../../../src/adopt/select/ignored';
import { ProgramSources } from '../../../src/adopt/update/project';
import { unifiedDiff } from '../../../src/adopt/update/unified-diff';
import { AdoptUpdate } from '../../../src/adopt/update/update';
import { adopt } from '../../../src/commands';
import { TargetKind } from '../../../src/core/construct/target';
import * as bind from '../../../src/engine/auth/bind-targets';
import { ObjectRef } from '../../../src/engine/cluster/cluster';
import { appOf, applySetId } from '../../../src/engine/fields/apply-set';
import { InventoryEntry, writeInventory } from '../../../src/engine/inventory/inventory';
import { ApiError } from '../../../src/engine/transport/api';
import { FakeCluster, fakeTargets } from '../../support/fake-cluster';
import { newApp, newHarvester } from '../../support/programs';
import { runCli } from '../../support/run-cli';
import { tempFolder } from '../../support/temp';

const CLUSTERS = `import { HarvesterApp, HarvesterChart } from 'cdk8s-harvester';
import { DELIVERY } from './delivery';

export const app = new HarvesterApp(DELIVERY);

export const dc1 = new HarvesterChart(app, 'dc1', { version: '1.8.2', vip: '10.10.0.10' });
`;
const DC1 = `import { VmNetwork } from 'cdk8s-harvester';
import { dc1 } from './clusters';

// new VmNetwork(dc1, 'prod', {})
new VmNetwork(dc1, 'prod', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 100 });
`;
const PLATFORM = "import './dc1';\n\nexport { app } from './clusters';\n";
const LABELS = (app: string) => ({ 'applyset.kubernetes.io/part-of': applySetId(appOf(app)) });

/** A network as the UI writes it. */
function network(name: string, vlan: number, labels = {}): { readonly [field: string]: unknown } {
  return {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: {
      name,
      namespace: 'default',
      labels: {
        'network.harvesterhci.io/clusternetwork': 'mgmt',
        'network.harvesterhci.io/type': 'L2VlanNetwork',
        'network.harvesterhci.io/vlan-id': String(vlan),
        ...labels,
      },
    },
    spec: {
      config: JSON.stringify({
        cniVersion: '0.3.1',
        name,
        type: 'bridge',
        bridge: 'mgmt-br',
        promiscMode: true,
        vlan,
        ipam: {},
      }),
    },
  };
}

/** A project in a folder of a repository whose program declares one network, and its Harvester. */
function project(
  files: { readonly [name: string]: string } = {
    'clusters.ts': CLUSTERS,
    'dc1.ts': DC1,
    'platform.ts': PLATFORM,
  },
) {
  const folder = join(tempFolder(), 'platform');
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const dist = join(folder, 'dist');
  const app = newApp({ outdir: dist });
  const dc1 = newHarvester(app, '1.8.2');
  new VmNetwork(dc1, 'prod', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 100 });
  app.synth();
  const cluster = new FakeCluster({ paths: { '/version': { gitVersion: 'v1.34.4+rke2r1' } } });
  cluster.seed({
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name: 'server-version' },
    value: 'v1.8.2',
  });
  jest
    .spyOn(bind, 'bindTargets')
    .mockImplementation(async () => ({ targets: fakeTargets({ dc1: cluster }), close: () => {} }));
  return { folder, dist, cluster };
}

afterEach(() => {
  jest.restoreAllMocks();
});

test('finds nothing where the clusters have what the program declares', async () => {
  const { dist, cluster } = project();
  cluster.seed(network('prod', 100, LABELS('default')), 'cdk8s-harvester', 'Apply');
  expect(await runCli('adopt', '--update', dist)).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: expect.stringContaining('the program declares all that was found'),
  });
});

test('does not add an object of which it is unclear whether a product or a user made it', async () => {
  const { dist, cluster } = project();
  cluster.seed(network('prod', 100, LABELS('default')), 'cdk8s-harvester', 'Apply');
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'reader', namespace: 'default' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
  };
  cluster.seed(role, 'rancher', 'Update');
  const { exitCode, stdout } = await runCli('adopt', '--update', dist);
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining(
      '  Role default/reader on dc1: Rancher wrote it, for itself or for someone in its UI',
    ),
  });
  expect(stdout).not.toContain('new ApiObject');
});

test('reports that nothing was compared where no cluster was reached', async () => {
  const { dist, cluster } = project();
  const dc1 = fakeTargets({ dc1: cluster }).get('dc1')!;
  const targets = new Map([
    [
      'dc1',
      {
        ...dc1,
        cluster: async () => {
          throw new ApiError('transient', 'the connection was refused');
        },
      },
    ],
  ]);
  jest.spyOn(bind, 'bindTargets').mockImplementation(async () => ({ targets, close: () => {} }));
  const { exitCode, stdout } = await runCli('adopt', '--update', dist);
  expect({ exitCode, stdout }).toEqual({
    exitCode: 1,
    stdout: expect.stringContaining('dc1: the connection was refused'),
  });
  expect(stdout).toMatch(/\nno cluster was read, so nothing was compared\n$/);
  expect(stdout).not.toContain('the program declares');
});

test('prints what was made by hand as a diff that git applies, in a folder of a repository', async () => {
  const { folder, dist, cluster } = project();
  cluster.seed(network('prod', 100), 'cdk8s-harvester', 'Apply');
  cluster.seed(network('hand-made', 7));
  const { stdout, exitCode } = await runCli('adopt', '--update', dist);
  expect({ exitCode, stdout }).toEqual({
    exitCode: 2,
    stdout: expect.stringContaining('+ NetworkAttachmentDefinition default/hand-made on dc1'),
  });
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, ...args], {
      input: stdout,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  execFileSync('git', ['init', '--quiet', join(folder, '..')]);
  git('apply', '-');
  expect(readFileSync(join(folder, 'adopted.ts'), 'utf8'))
    .toBe(`import { ClusterNetwork, HarvesterChart, VmNetwork } from 'cdk8s-harvester';

/** Declares objects that were created on the clusters without this program. */
export function adopted(dc1: HarvesterChart): void {
  const mgmt = ClusterNetwork.mgmt(dc1);

  new VmNetwork(dc1, 'hand-made', { clusterNetwork: mgmt, vlan: 7 });
}
`);
  expect(readFileSync(join(folder, 'platform.ts'), 'utf8')).toBe(`import './dc1';
import { adopted } from './adopted';
import { dc1 } from './clusters';

export { app } from './clusters';

adopted(dc1);
`);
});

test('chooses another file and other IDs than those of the program, and prints the call where the program is not one of adopt', async () => {
  const { folder, dist, cluster } = project({ 'main.ts': '', 'adopted.ts': '' });
  cluster.seed(network('prod', 100), 'cdk8s-harvester', 'Apply');
  cluster.seed({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'prod' } });
  const diff = join(folder, 'update.diff');
  const { stdout } = await runCli('adopt', '--update', dist, '--write-diff', diff);
  expect(stdout).toContain(
    'call the function of adopted-2.ts with the charts of the program, before it is synthesized: adopted2(dc1)',
  );
  expect(stdout).not.toContain('@@');
  expect(readFileSync(diff, 'utf8')).toContain('--- /dev/null\n+++ b/adopted-2.ts\n');
  expect(readFileSync(diff, 'utf8')).toContain(
    "+  new HarvesterNamespace(dc1, 'prod-harvester-namespace', { name: 'prod' });",
  );
});

test('leaves out what another program declares, by its inventory or its field manager', async () => {
  const { dist, cluster } = project();
  cluster.seed(network('prod', 100), 'cdk8s-harvester', 'Apply');
  cluster.seed(network('theirs', 8), 'cdk8s-harvester.other', 'Apply');
  cluster.seed(network('of-flux', 9), 'kustomize-controller', 'Apply');
  const {
    metadata: { uid },
  } = cluster.seed(network('listed', 10));
  const entry: InventoryEntry = {
    id: 'x/k8s.cni.cncf.io/NetworkAttachmentDefinition/default/listed',
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    namespace: 'default',
    name: 'listed',
    uid,
    policy: 'delete',
  };
  await writeInventory(cluster, appOf('other'), { entries: [entry], clusterUids: {} }, '1.0.0');
  expect(await runCli('adopt', '--update', dist)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('declares all that was found'),
  });
});

test('reports fields that changed, with the statement of the program', async () => {
  const { dist, cluster } = project();
  cluster.seed(network('prod', 100), 'cdk8s-harvester', 'Apply');
  cluster.change(
    {
      apiVersion: 'k8s.cni.cncf.io/v1',
      kind: 'NetworkAttachmentDefinition',
      namespace: 'default',
      name: 'prod',
    },
    (live) => {
      live.metadata.labels['network.harvesterhci.io/vlan-id'] = '200';
    },
  );
  const { stdout, exitCode } = await runCli('adopt', '--update', dist);
  expect(exitCode).toBe(2);
  expect(stdout).toContain('~ NetworkAttachmentDefinition default/prod on dc1\n');
  expect(stdout).toContain('dc1.ts:5');
  expect(stdout).toContain('"200", the program declares "100"');
  const json = JSON.parse(
    (await runCli('adopt', '--update', dist, '--output', 'json')).stdout,
  ) as object;
  expect(json).toMatchObject({
    schemaVersion: '1',
    diff: '',
    drifted: [
      { object: 'NetworkAttachmentDefinition default/prod', place: 'dc1.ts:5', isApplied: true },
    ],
  });
});

const PROD: ObjectRef = {
  apiVersion: 'k8s.cni.cncf.io/v1',
  kind: 'NetworkAttachmentDefinition',
  namespace: 'default',
  name: 'prod',
};

test('reports what was deleted on the clusters, with the statement of the program', async () => {
  const { dist, cluster } = project();
  const { stdout, exitCode } = await runCli('adopt', '--update', dist);
  expect({ exitCode, stdout }).toEqual({
    exitCode: 2,
    stdout: expect.stringContaining(
      '- NetworkAttachmentDefinition default/prod on dc1, not applied\n      dc1/prod/Resource, dc1.ts:5\n',
    ),
  });
  const entry: InventoryEntry = {
    ...PROD,
    id: 'dc1/k8s.cni.cncf.io/NetworkAttachmentDefinition/default/prod',
    uid: 'x',
    policy: 'delete',
  };
  await writeInventory(cluster, appOf('default'), { entries: [entry], clusterUids: {} }, '1.0.0');
  expect((await runCli('adopt', '--update', dist)).stdout).toContain(
    'prod on dc1, deleted since it was applied',
  );
});

test('asks for a synthesis where the sources declare what the output lacks', async () => {
  const { folder, dist, cluster } = project();
  cluster.seed(network('prod', 100), 'cdk8s-harvester', 'Apply');
  cluster.seed(network('hand-made', 7));
  const diff = join(folder, 'update.diff');
  await runCli('adopt', '--update', dist, '--write-diff', diff);
  execFileSync('git', ['-C', folder, 'apply', diff]);
  const { stdout, exitCode } = await runCli('adopt', '--update', dist, '--write-diff', diff);
  expect({ exitCode, stdout }).toEqual({
    exitCode: 2,
    stdout: expect.stringContaining(
      'NetworkAttachmentDefinition default/hand-made on dc1: adopted.ts:7',
    ),
  });
  expect(readFileSync(diff, 'utf8')).toBe('');
});

test('chooses another ID than a statement of the sources that creates something else', async () => {
  const { folder, dist, cluster } = project();
  writeFileSync(
    join(folder, 'more.ts'),
    "import { dc1 } from './clusters';\n\nVmImage.fromName(dc1, 'hand-made', {});\n",
  );
  cluster.seed(network('prod', 100), 'cdk8s-harvester', 'Apply');
  cluster.seed(network('hand-made', 7));
  expect((await runCli('adopt', '--update', dist)).stdout).toContain(
    "+  new VmNetwork(dc1, 'hand-made-vm-network', { name: 'hand-made'",
  );
});

test('prints a diff that git applies to files with CRLF, in a folder with spaces, from a file in a new folder', async () => {
  const crlf = (text: string): string => text.replace(/\n/g, '\r\n');
  const { folder, dist, cluster } = project({
    'my src/clusters.ts': crlf(CLUSTERS),
    'my src/dc1.ts': crlf(DC1),
    'my src/platform.ts': crlf(PLATFORM),
    'package.json': '{}',
    'cdk8s.yaml': '',
  });
  cluster.seed(network('prod', 100), 'cdk8s-harvester', 'Apply');
  cluster.seed(network('hand-made', 7));
  const diff = join(folder, 'diffs', 'update.diff');
  const { stdout } = await runCli('adopt', '--update', dist, '--write-diff', diff);
  const [, path] = /git -C (\S+) apply diffs\/update\.diff\n/.exec(stdout) ?? [];
  execFileSync('git', ['-C', path, 'apply', 'diffs/update.diff']);
  const platform = readFileSync(join(folder, 'my src', 'platform.ts'), 'utf8');
  expect(platform).toBe(
    crlf(
      "import './dc1';\nimport { adopted } from './adopted';\nimport { dc1 } from './clusters';\n\nexport { app } from './clusters';\n\nadopted(dc1);\n",
    ),
  );
  expect(
    readFileSync(join(folder, 'my src', 'adopted.ts'), 'utf8')
      .split('\r\n')
      .join(''),
  ).not.toContain('\n');
});

test('reads secrets from variables that the program does not have, and lists them', async () => {
  const { dist, cluster, folder } = project();
  cluster.seed(network('prod', 100), 'cdk8s-harvester', 'Apply');
  cluster.seed({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'cloud-init',
      namespace: 'default',
      labels: { 'harvesterhci.io/cloud-init-template': 'user' },
    },
    data: {
      cloudInit: '#cloud-config\npassword: correct-horse-battery\nchpasswd: { expire: false }\n',
    },
  });
  const first = (await runCli('adopt', '--update', dist)).stdout;
  expect(first).not.toContain('correct-horse-battery');
  const [, name] = /fromEnv\('(\w+)'/.exec(first) ?? [];
  expect(first).toContain(`Set these variables before synthesis:\n  ${name}: `);
  writeFileSync(join(folder, 'more.ts'), `const secret = SecretValue.fromEnv('${name}');\n`);
  expect((await runCli('adopt', '--update', dist)).stdout).toContain(`fromEnv('${name}_2'`);
});

describe('ignore in cdk8s-harvester.yaml', () => {
  /** A project with two networks that its program lacks, and with a config file. */
  async function ignoring(ignore: string, ...options: string[]) {
    const { folder, dist, cluster } = project();
    cluster.seed(network('prod', 100), 'cdk8s-harvester', 'Apply');
    cluster.seed(network('lab-1', 7, { team: 'lab' }));
    cluster.seed(network('lab-2', 8));
    const config = join(folder, 'config.yaml');
    writeFileSync(config, ignore === '' ? '' : `ignore:\n${ignore}`);
    return {
      cluster,
      result: await runCli('adopt', '--update', dist, '--config', config, ...options),
    };
  }

  test.each([
    [
      'by kind and name',
      '  - { kind: NetworkAttachmentDefinition, name: lab-*, reason: the lab creates them }\n',
    ],
    [
      'by several entries',
      '  - { label: team=l*, reason: a }\n  - { target: dc1, namespace: default, name: lab-2, reason: b }\n',
    ],
    [
      'by a kind with its group',
      '  - { kind: k8s.cni.cncf.io/NetworkAttachmentDefinition, reason: a }\n',
    ],
  ])('leaves objects out %s, without an effect on the exit code', async (_, ignore) => {
    const {
      result: { stdout, exitCode },
    } = await ignoring(ignore);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: 'the program declares all that was found; 2 ignored\n',
    });
  });

  test('reports entries that match nothing, and all objects with their reasons as JSON', async () => {
    const entries =
      '  - { name: lab-1, reason: a }\n  - { kind: VirtualMachine, name: test-*, reason: gone }\n  - { name: prod, reason: declared }\n';
    const {
      result: { stdout },
    } = await ignoring(entries);
    expect(stdout).toContain(
      '  ignore[1]: kind VirtualMachine, name test-* (gone)\n  ignore[2]: name prod (declared)\n',
    );
    const json = JSON.parse((await ignoring(entries, '--output', 'json')).result.stdout) as object;
    expect(json).toMatchObject({
      added: [{ object: 'NetworkAttachmentDefinition default/lab-2' }],
      ignored: [
        { target: 'dc1', object: 'NetworkAttachmentDefinition default/lab-1', reason: 'a' },
      ],
      unusedIgnores: [
        { entry: 'ignore[1]', selects: 'kind VirtualMachine, name test-*', reason: 'gone' },
        { entry: 'ignore[2]' },
      ],
    });
  });

  test('does not report entries whose objects could not be read', async () => {
    const entries = [
      { kind: 'IPPool', reason: 'a' },
      { target: 'dc2', reason: 'b' },
      { kind: 'VirtualMachine', reason: 'c' },
    ];
    const dc1 = {
      name: 'dc1',
      kind: TargetKind.HARVESTER,
      objects: [],
      unread: [{ kind: 'loadbalancer.harvesterhci.io/IPPool', reason: 'forbidden' }],
    };
    expect(new Ignored(entries).unused([dc1], []).map(({ reason }) => reason)).toEqual(['b', 'c']);
    expect(new Ignored(entries).unused([dc1], ['dc2']).map(({ reason }) => reason)).toEqual([]);
  });

  test('is a config file that is read by adopt, too', async () => {
    const { cluster } = await ignoring('');
    const config = join(tempFolder(), 'config.yaml');
    writeFileSync(config, 'ignore: [{ name: lab-1, reason: the lab creates it }]\n');
    const found = await readLive({ name: 'dc1', cluster });
    jest.spyOn(bind, 'openContexts').mockResolvedValue([]);
    jest.spyOn(folders, 'readFolder').mockReturnValue({ ...found, version: '1.8.2' });
    const { leftOut } = await adopt({ config, from: { dc1: { folder: 'x' } } });
    expect(leftOut).toContainEqual({
      target: 'dc1',
      reason: 'the lab creates it',
      objects: ['NetworkAttachmentDefinition default/lab-1'],
    });
  });

  test.each([
    ['  - { name: a }\n', 'ignore[0].reason: is missing. Fix: state why'],
    [
      '  - { reason: a }\n',
      'ignore[0]: must select objects by target, kind, namespace, name, label',
    ],
    [
      '  - { names: a, reason: b }\n',
      'ignore[0]: must contain only target, kind, namespace, name, label and reason, got names',
    ],
    ['  - { name: 1, reason: b }\n', 'ignore[0].name: must be a text'],
    ['  - a\n', 'ignore[0]: must be a map'],
    ['  a: b\n', 'ignore: must be a list'],
  ])('refuses %j', async (ignore, message) => {
    const { result } = await ignoring(ignore);
    expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(message) });
  });
});

test('only reads from the clusters', async () => {
  const { dist, cluster } = project();
  cluster.seed(network('hand-made', 7));
  await runCli('adopt', '--update', dist);
  expect(cluster.did('list').length).toBeGreaterThan(20);
  expect(
    cluster.calls.filter(({ verb }) => !['kind', 'get', 'list', 'read'].includes(verb)),
  ).toEqual([]);
});

test('fails where a cluster cannot be read, and reports kinds that may not be listed', async () => {
  const { dist, cluster } = project();
  cluster.seed(network('prod', 100), 'cdk8s-harvester', 'Apply');
  cluster.fault = ({ what }) =>
    what === 'IPPool /' ? new ApiError('forbidden', 'ippools is forbidden', 403) : undefined;
  expect(await runCli('adopt', '--update', dist)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('IPPool on dc1: ippools is forbidden'),
  });
  cluster.fault = () => new ApiError('auth', 'rejected the credentials (401)', 401);
  expect(await runCli('adopt', '--update', dist)).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('dc1: rejected the credentials (401)'),
  });
});

test('refuses options of a new project', async () => {
  expect(await runCli('adopt', '--update', '--from', 'dc1=x')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('--from: cannot be used with --update'),
  });
  expect(await runCli('adopt', 'dist')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('Fix: set --update'),
  });
});

test.each([
  ['a statement', "new VmNetwork(dc1, 'a', {});", 'dc1/a/x', 'main.ts:2'],
  ['a factory', "VmImage.download(\n  dc1,\n  'a', 'u');", 'dc1/a', 'main.ts:2'],
  [
    'a row of a loop',
    "for (const { id, vlan } of [\n  { id: 'a', vlan: 1 },\n  { id: 'b', vlan: 2 },\n]) {\n  new VmNetwork(dc1, id, { vlan });\n}",
    'dc1/b',
    'main.ts:4',
  ],
  [
    'nothing where two statements have the ID',
    "if (x) { new A(dc1, 'a'); } else { new B(dc1, 'a'); }",
    'dc1/a',
    undefined,
  ],
  ['nothing in another chart', "new VmNetwork(dc2, 'a');", 'dc1/a', undefined],
  ['nothing for a construct of the library', "new VmNetwork(dc1, 'a');", 'dc1/b/a', undefined],
])('finds %s', (_, text, construct, place) => {
  const folder = tempFolder();
  writeFileSync(
    join(folder, 'main.ts'),
    `const dc1 = new HarvesterChart(app, 'dc1', {});\n${text}\n`,
  );
  const found = new ProgramSources(folder, join(folder, 'dist')).placeOf(construct, {
    name: 'dc1',
    construct: 'dc1',
  });
  expect(found && `${found.file}:${found.line}`).toBe(place);
});

test('writes hunks that git applies to files without a last line feed', () => {
  const folder = tempFolder();
  const [before, after] = [
    Array.from({ length: 9 }, (_, line) => `line ${line}`).join('\n'),
    `line 0\nnew\n${Array.from({ length: 8 }, (_, line) => `line ${line + 1}`).join('\n')}\nlast\n`,
  ];
  writeFileSync(join(folder, 'a.ts'), before);
  execFileSync('git', ['-C', folder, 'apply', '-'], { input: unifiedDiff('a.ts', before, after) });
  expect(readFileSync(join(folder, 'a.ts'), 'utf8')).toBe(after);
  expect(unifiedDiff('a.ts', after, after)).toBeUndefined();
});

test.each([1500, 3000])(
  'writes, replaces, and empties a file of %s lines, whose name has a space',
  (length) => {
    const folder = tempFolder();
    const lines = (word: string): string =>
      Array.from({ length }, (_, line) => `${word} ${line}\n`).join('');
    const apply = (patch?: string) =>
      execFileSync('git', ['-C', folder, 'apply', '-'], { input: patch });
    apply(unifiedDiff('a b.ts', undefined, lines('old')));
    apply(unifiedDiff('a b.ts', lines('old'), lines('new')));
    expect(readFileSync(join(folder, 'a b.ts'), 'utf8')).toBe(lines('new'));
    apply(unifiedDiff('a b.ts', lines('new'), ''));
    expect(readFileSync(join(folder, 'a b.ts'), 'utf8')).toBe('');
  },
);

describe('proves what it adds by a plan', () => {
  test('and exits with 3 and the field if an apply would change it', async () => {
    const { dist, cluster } = project();
    cluster.seed(network('prod', 100, LABELS('default')), 'cdk8s-harvester', 'Apply');
    cluster.seed(network('hand-made', 7));
    const clean = await runCli('adopt', '--update', dist, '--output', 'json');
    expect(clean.exitCode).toBe(2);
    expect(JSON.parse(clean.stdout)).toMatchObject({ differences: [], takeOver: [], unread: [] });
    expect([...new Set(cluster.calls.map(({ verb }) => verb))].sort()).toEqual(
      expect.not.arrayContaining(['apply', 'dry-run', 'patch', 'delete']),
    );
    // someone edits it after it was read
    cluster.fault = ({ verb, what }) => {
      if (verb === 'read' && what.endsWith('/hand-made')) {
        cluster.seed(network('hand-made', 8));
      }
      return undefined;
    };
    const { exitCode, stdout } = await runCli('adopt', '--update', dist);
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(
      /An apply of the diff would not only adopt them:\n {2}! NetworkAttachmentDefinition default\/hand-made on dc1: plan: .*vlan-id\S* would change\n/,
    );
  });

  test('and lists what gives permissions, with who has access', async () => {
    const { dist, cluster } = project();
    cluster.seed(network('prod', 100, LABELS('default')), 'cdk8s-harvester', 'Apply');
    const { uid } = cluster.seed({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'ana', namespace: 'default' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ana' }],
    }).metadata;
    const { exitCode, stdout } = await runCli('adopt', '--update', dist, '--output', 'json');
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      differences: [],
      takeOver: [
        {
          id: 'dc1/rbac.authorization.k8s.io/RoleBinding/default/ana',
          uid,
          because: expect.stringContaining('already exists'),
        },
      ],
    });
    expect((await runCli('adopt', '--update', dist)).stdout).toContain(
      `They give permissions: review them in take-over.yaml, which the diff writes:\n  dc1/rbac.authorization.k8s.io/RoleBinding/default/ana=${uid}\n`,
    );
  });
});

test('names the namespace default in a chart whose objects are in another one by default', async () => {
  const { dist, cluster } = project();
  const app = newApp({ outdir: dist });
  const dc1 = new HarvesterChart(app, 'dc1', {
    version: '1.8.2',
    vip: '10.10.0.10',
    namespace: 'apps',
  });
  new VmNetwork(dc1, 'prod', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 100 });
  app.synth();
  const bound = fakeTargets({ dc1: cluster }).get('dc1')!;
  const target = { ...bound.target, properties: { namespace: 'apps' } };
  jest.spyOn(bind, 'bindTargets').mockImplementation(async () => ({
    targets: new Map([['dc1', { ...bound, target }]]),
    close: () => {},
  }));
  const inApps = (name: string, vlan: number) => ({
    ...network(name, vlan),
    metadata: { ...(network(name, vlan).metadata as object), namespace: 'apps' },
  });
  cluster.seed(inApps('prod', 100) as never, 'cdk8s-harvester', 'Apply');
  cluster.seed(inApps('by-hand', 7) as never);
  cluster.seed(network('elsewhere', 8));
  const { exitCode, stdout } = await runCli('adopt', '--update', dist, '--output', 'json');
  const { added, differences, diff } = JSON.parse(stdout) as AdoptUpdate;
  expect(differences).toEqual([]);
  expect(added.map(({ object }) => object)).toEqual([
    'NetworkAttachmentDefinition apps/by-hand',
    'NetworkAttachmentDefinition default/elsewhere',
  ]);
  expect(exitCode).toBe(2);
  const text = diff.replace(/^\+/gm, '');
  expect(text).toMatch(/new VmNetwork\(dc1, 'by-hand', \{ clusterNetwork: \w+, vlan: 7 \}\)/);
  expect(text).toMatch(/new VmNetwork\(dc1, 'elsewhere', \{\s*namespace: [\w.]+/);
});

describe('lists what gives permissions in the take-over file', () => {
  const RBAC = 'rbac.authorization.k8s.io';
  const bindingOf = (name: string): object => ({
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { name, namespace: 'default' },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup: RBAC, kind: 'User', name }],
  });
  const CONFIG = '# the clusters\ntargets:\n  dc1: { context: dc1 }\n';

  async function updated(files: { readonly [name: string]: string } = {}) {
    const all = { 'clusters.ts': CLUSTERS, 'dc1.ts': DC1, 'platform.ts': PLATFORM, ...files };
    const { folder, dist, cluster } = project(all);
    cluster.seed(network('prod', 100, LABELS('default')), 'cdk8s-harvester', 'Apply');
    const { uid } = cluster.seed(bindingOf('ana') as never, 'kubectl').metadata;
    const patch = join(folder, 'update.diff');
    const { exitCode, stdout } = await runCli('adopt', '--update', dist, '--write-diff', patch);
    execFileSync('git', ['init', '-q'], { cwd: folder });
    execFileSync('git', ['apply', patch], { cwd: folder });
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    return { exitCode, stdout, uid, read, cluster };
  }

  const entry = (uid: unknown) => ({
    id: `dc1/${RBAC}/RoleBinding/default/ana`,
    uid,
    because: expect.stringContaining('(written by kubectl)'),
  });

  test('which its config file names then, by which plan and take-over adopt it', async () => {
    const { exitCode, uid, read, cluster } = await updated({ 'cdk8s-harvester.yaml': CONFIG });
    expect(exitCode).toBe(2);
    expect(read('cdk8s-harvester.yaml')).toBe(`${CONFIG}takeOver: take-over.yaml\n`);
    expect(parse(read('take-over.yaml'))).toEqual({ adopt: [entry(uid)] });
    // what the diff adds, synthesized
    const dist = tempFolder();
    const app = newApp({ outdir: dist });
    const dc1 = newHarvester(app, '1.8.2');
    new VmNetwork(dc1, 'prod', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 100 });
    new ApiObject(dc1, 'ana', bindingOf('ana') as never);
    app.synth();
    const file = join(tempFolder(), 'take-over.yaml');
    writeFileSync(file, read('take-over.yaml'));
    const taken = await runCli('adopt', dist, '--take-over', file);
    expect(taken).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('the next plan has no change, and needs no option'),
    });
    expect(cluster.live(`${RBAC}/v1`, 'RoleBinding', 'ana', 'default')).toMatchObject(
      bindingOf('ana'),
    );
  });

  test('and keeps the entries that another update wrote, with their comments', async () => {
    const earlier = [
      '# reviewed by the team',
      'adopt:',
      '  - id: dc1/x/Y/default/b # of ben',
      '    uid: b',
      `  - id: dc1/${RBAC}/RoleBinding/default/ana`,
      '    uid: earlier',
      '',
    ].join('\n');
    const { uid, read } = await updated({
      'cdk8s-harvester.yaml': `${CONFIG}takeOver: ./reviewed/adopt.yaml\n`,
      'reviewed/adopt.yaml': earlier,
    });
    expect(read('cdk8s-harvester.yaml')).toBe(`${CONFIG}takeOver: ./reviewed/adopt.yaml\n`);
    const text = read('reviewed/adopt.yaml');
    expect(text).toContain('# reviewed by the team\nadopt:\n  - id: dc1/x/Y/default/b # of ben\n');
    expect(parse(text)).toEqual({ adopt: [{ id: 'dc1/x/Y/default/b', uid: 'b' }, entry(uid)] });
  });

  test('and prints how to name the file where the program has no config file', async () => {
    const { stdout, uid, read } = await updated();
    expect(parse(read('take-over.yaml'))).toEqual({ adopt: [entry(uid)] });
    expect(stdout).toContain('adopt --take-over take-over.yaml');
  });
});
