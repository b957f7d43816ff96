import { execFileSync } from 'child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'fs';
import { join } from 'path';
import { ClusterNetwork, VmNetwork } from '../../src';
import { Project } from '../../src/adopt/update/project';
import { unifiedDiff } from '../../src/adopt/update/unified-diff';
import * as bind from '../../src/engine/auth/bind-targets';
import { appOf, applySetId } from '../../src/engine/inventory/apply-set';
import { InventoryEntry, writeInventory } from '../../src/engine/inventory/inventory';
import { ApiError } from '../../src/engine/transport/api';
import { FakeCluster, fakeTargets } from '../support/fake-cluster';
import { newApp, newHarvester } from '../support/programs';
import { runCli } from '../support/run-cli';
import { tempFolder } from '../support/temp';

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
      labels: { 'network.harvesterhci.io/clusternetwork': 'mgmt', 'network.harvesterhci.io/type': 'L2VlanNetwork', 'network.harvesterhci.io/vlan-id': String(vlan), ...labels },
    },
    spec: { config: JSON.stringify({ cniVersion: '0.3.1', name, type: 'bridge', bridge: 'mgmt-br', promiscMode: true, vlan, ipam: {} }) },
  };
}

/** A project in a folder of a repository whose program declares one network, and its Harvester. */
function project(files: { readonly [name: string]: string } = { 'clusters.ts': CLUSTERS, 'dc1.ts': DC1, 'platform.ts': PLATFORM }) {
  const folder = join(tempFolder(), 'platform');
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) { writeFileSync(join(folder, name), text); }
  const dist = join(folder, 'dist');
  const app = newApp({ outdir: dist });
  const dc1 = newHarvester(app, '1.8.2');
  new VmNetwork(dc1, 'prod', { clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 100 });
  app.synth();
  const cluster = new FakeCluster({ paths: { '/version': { gitVersion: 'v1.34.4+rke2r1' } } });
  cluster.seed({ apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', metadata: { name: 'server-version' }, value: 'v1.8.2' });
  jest.spyOn(bind, 'bindTargets').mockImplementation(async () => ({ targets: fakeTargets({ dc1: cluster }), close: () => {} }));
  return { folder, dist, cluster };
}

afterEach(() => { jest.restoreAllMocks(); });

test('finds nothing where the clusters have what the program declares', async () => {
  const { dist, cluster } = project();
  cluster.seed(network('prod', 100, LABELS('default')), 'cdk8s-harvester', 'Apply');
  expect(await runCli('adopt', '--update', dist)).toEqual({ exitCode: 0, stderr: '', stdout: expect.stringContaining('nothing was found that the program lacks') });
});

test('prints what was made by hand as a diff that git applies, in a folder of a repository', async () => {
  const { folder, dist, cluster } = project();
  cluster.seed(network('prod', 100), 'cdk8s-harvester', 'Apply');
  cluster.seed(network('hand-made', 7));
  const { stdout, exitCode } = await runCli('adopt', '--update', dist);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: expect.stringContaining('+ NetworkAttachmentDefinition default/hand-made on dc1') });
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { input: stdout, stdio: ['pipe', 'pipe', 'pipe'] });
  execFileSync('git', ['init', '--quiet', join(folder, '..')]);
  git('apply', '-');
  expect(readFileSync(join(folder, 'adopted.ts'), 'utf8')).toBe(`import { ClusterNetwork, HarvesterChart, VmNetwork } from 'cdk8s-harvester';

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
  const { stdout } = await runCli('adopt', '--update', dist, '--out', diff);
  expect(stdout).toContain('call it with the charts of the program, adopted2(dc1)');
  expect(stdout).not.toContain('@@');
  expect(readFileSync(diff, 'utf8')).toContain('--- /dev/null\n+++ b/adopted-2.ts\n');
  expect(readFileSync(diff, 'utf8')).toContain("+  new HarvesterNamespace(dc1, 'prod-harvester-namespace', { name: 'prod' });");
});

test('leaves out what another program declares, by its inventory or its field manager', async () => {
  const { dist, cluster } = project();
  cluster.seed(network('prod', 100), 'cdk8s-harvester', 'Apply');
  cluster.seed(network('theirs', 8), 'cdk8s-harvester.other', 'Apply');
  cluster.seed(network('of-flux', 9), 'kustomize-controller', 'Apply');
  const { metadata: { uid } } = cluster.seed(network('listed', 10));
  const entry: InventoryEntry = { id: 'x/k8s.cni.cncf.io/NetworkAttachmentDefinition/default/listed', apiVersion: 'k8s.cni.cncf.io/v1', kind: 'NetworkAttachmentDefinition', namespace: 'default', name: 'listed', uid, policy: 'delete' };
  await writeInventory(cluster, appOf('other'), { entries: [entry], clusterUids: {} }, '1.0.0');
  expect(await runCli('adopt', '--update', dist)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('nothing was found') });
});

test('reports fields that changed, with the statement of the program', async () => {
  const { dist, cluster } = project();
  cluster.seed(network('prod', 100), 'cdk8s-harvester', 'Apply');
  cluster.change({ apiVersion: 'k8s.cni.cncf.io/v1', kind: 'NetworkAttachmentDefinition', namespace: 'default', name: 'prod' }, (live) => {
    live.metadata.labels['network.harvesterhci.io/vlan-id'] = '200';
  });
  const { stdout, exitCode } = await runCli('adopt', '--update', dist);
  expect(exitCode).toBe(2);
  expect(stdout).toContain('~ NetworkAttachmentDefinition default/prod on dc1\n');
  expect(stdout).toContain('dc1.ts:5');
  expect(stdout).toContain('"200", the program declares "100"');
  const json = JSON.parse((await runCli('adopt', '--update', dist, '--output', 'json')).stdout) as object;
  expect(json).toMatchObject({ schemaVersion: '1', diff: '', drifted: [{ object: 'NetworkAttachmentDefinition default/prod', place: 'dc1.ts:5', isApplied: true }] });
});

test('only reads from the clusters', async () => {
  const { dist, cluster } = project();
  cluster.seed(network('hand-made', 7));
  await runCli('adopt', '--update', dist);
  expect(cluster.did('list').length).toBeGreaterThan(20);
  expect(cluster.calls.filter(({ verb }) => !['kind', 'get', 'list', 'read'].includes(verb))).toEqual([]);
});

test('fails where a cluster cannot be read, and reports kinds that may not be listed', async () => {
  const { dist, cluster } = project();
  cluster.seed(network('prod', 100), 'cdk8s-harvester', 'Apply');
  cluster.fault = ({ what }) => (what === 'IPPool /' ? new ApiError('forbidden', 'ippools is forbidden', 403) : undefined);
  expect(await runCli('adopt', '--update', dist)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('IPPool on dc1: ippools is forbidden') });
  cluster.fault = () => new ApiError('auth', 'rejected the credentials (401)', 401);
  expect(await runCli('adopt', '--update', dist)).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('dc1: rejected the credentials (401)') });
});

test('refuses options of a new project', async () => {
  expect(await runCli('adopt', '--update', '--from', 'dc1=x')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--from: cannot be used with --update') });
  expect(await runCli('adopt', 'dist')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Fix: set --update') });
});

test.each([
  ['a statement', "new VmNetwork(dc1, 'a', {});", 'dc1/a/x', 'main.ts:2'],
  ['a factory', "VmImage.download(\n  dc1,\n  'a', 'u');", 'dc1/a', 'main.ts:2'],
  ['a row of a loop', "for (const { id, vlan } of [\n  { id: 'a', vlan: 1 },\n  { id: 'b', vlan: 2 },\n]) {\n  new VmNetwork(dc1, id, { vlan });\n}", 'dc1/b', 'main.ts:4'],
  ['nothing where two statements have the ID', "if (x) { new A(dc1, 'a'); } else { new B(dc1, 'a'); }", 'dc1/a', undefined],
  ['nothing in another chart', "new VmNetwork(dc2, 'a');", 'dc1/a', undefined],
  ['nothing for a construct of the library', "new VmNetwork(dc1, 'a');", 'dc1/b/a', undefined],
])('finds %s', (_, text, construct, place) => {
  const folder = tempFolder();
  writeFileSync(join(folder, 'main.ts'), `const dc1 = new HarvesterChart(app, 'dc1', {});\n${text}\n`);
  const found = new Project(folder, join(folder, 'dist')).placeOf(construct, 'dc1');
  expect(found && `${found.file}:${found.line}`).toBe(place);
});

test('writes hunks that git applies to files without a last line feed', () => {
  const folder = tempFolder();
  const [before, after] = [Array.from({ length: 9 }, (_, line) => `line ${line}`).join('\n'), `line 0\nnew\n${Array.from({ length: 8 }, (_, line) => `line ${line + 1}`).join('\n')}\nlast\n`];
  writeFileSync(join(folder, 'a.ts'), before);
  execFileSync('git', ['-C', folder, 'apply', '-'], { input: unifiedDiff('a.ts', before, after) });
  expect(readFileSync(join(folder, 'a.ts'), 'utf8')).toBe(after);
  expect(unifiedDiff('a.ts', after, after)).toBeUndefined();
});
