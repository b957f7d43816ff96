import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { Delivery, FleetDeliveryProps, HarvesterApp, HarvesterChart, HarvesterSetting, SecretValue } from '../../../src';
import { readYaml } from '../../../src/core/yaml/yaml-reader';
import { loadAssembly } from '../../../src/engine/read/load-assembly';
import { Platform, objectsOf, outdir, platform as deliveredPlatform } from '../_platform';

const REPO = 'https://git.example.com/platform.git';
const platform = (props: Partial<FleetDeliveryProps> = {}): Platform => deliveredPlatform(Delivery.fleet({ repo: REPO, ...props }));
const bundleOf = (folder: string, stage: string): unknown => readYaml(readFileSync(join(folder, stage, 'fleet.yaml'), 'utf8'))[0];

test('writes a bundle for each stage, which waits for those of its cluster', () => {
  const { app } = platform({ namePrefix: 'shop-' });
  app.synth();
  const common = {
    defaultNamespace: 'cattle-fleet-system',
    helm: { takeOwnership: true },
    keepResources: true,
    ignore: { conditions: [{ type: 'Reconciling' }, { type: 'Pending' }, { type: 'Waiting' }] },
  };
  expect(bundleOf(app.outdir, 'rancher-1')).toEqual({ name: 'shop-rancher-1', ...common });
  expect(bundleOf(app.outdir, 'rancher-2')).toEqual({
    name: 'shop-rancher-2', ...common, dependsOn: [{ name: 'shop-rancher-1', acceptedStates: ['Ready', 'NotReady', 'Modified'] }],
  });
  // a stage of Rancher comes before it, which Fleet cannot wait for on another cluster
  expect(bundleOf(app.outdir, 'dc1-late')).toEqual({ name: 'shop-dc1-late', ...common });
});

test('keeps the folder of late objects by its fleet.yaml alone: a bundle without objects is left out', () => {
  const { app } = platform();
  app.synth();
  expect(readdirSync(join(app.outdir, 'dc1-late'))).toEqual(['fleet.yaml']);
});

test('writes a GitRepo for each target, in the workspace of its cluster', () => {
  const { app } = platform({ path: 'clusters/dist', clientSecretName: 'git' });
  app.synth();
  const repos = objectsOf(app.outdir, 'fleet', 'gitrepo.yaml');
  expect(repos.map(({ metadata: { name, namespace }, spec }) => ({ name, namespace, ...spec as object }))).toEqual([
    {
      name: 'dc1',
      namespace: 'fleet-default',
      repo: REPO,
      branch: 'main',
      clientSecretName: 'git',
      paths: ['clusters/dist/dc1', 'clusters/dist/dc1-late'],
      // the name of its Cluster on Rancher
      targets: [{ clusterName: 'dc1' }],
    },
    {
      name: 'rancher',
      namespace: 'fleet-local',
      repo: REPO,
      branch: 'main',
      clientSecretName: 'git',
      paths: ['clusters/dist/rancher-1', 'clusters/dist/rancher-2', 'clusters/dist/rancher-3'],
      targets: [{ clusterName: 'local' }],
    },
  ]);
});

test('keeps what must not be deleted with its release', () => {
  const { app } = platform();
  app.synth();
  const kept = [...loadAssembly(app.outdir).manifests.values()].filter(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy'] === 'keep').map(({ kind }) => kind);
  expect(new Set(kept)).toEqual(new Set(['Cluster', 'Namespace', 'Setting']));
});

test('leaves credentials of registries to apply, and compares a value without them not at all', () => {
  const app = new HarvesterApp({ outdir: outdir(), printWarnings: false, delivery: Delivery.fleet({ repo: REPO }) });
  const open = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  HarvesterSetting.containerdRegistry(open, 'registry', { mirrors: { 'docker.io': { endpoints: ['https://mirror.example.com'] } } });
  const closed = new HarvesterChart(app, 'dc2', { version: '1.7.2', vip: '10.10.0.11' });
  HarvesterSetting.containerdRegistry(closed, 'registry', {
    mirrors: { 'docker.io': { endpoints: ['https://mirror.example.com'] } },
    configs: { 'mirror.example.com': { auth: { username: 'robot', password: SecretValue.unsafePlainText('hunter2hunter2') } } },
  });
  HarvesterSetting.ntpServers(closed, 'ntp', ['0.pool.ntp.org']);
  app.synth();
  expect(bundleOf(app.outdir, 'dc1')).toMatchObject({
    diff: { comparePatches: [{ apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', name: 'containerd-registry', jsonPointers: ['/value'] }] },
  });
  expect(bundleOf(app.outdir, 'dc2')).not.toHaveProperty('diff');
  const finding = app.findings.find(({ rule }) => rule === 'delivery/left-to-apply')!;
  expect(finding).toMatchObject({ target: 'dc2', fix: 'declare it in a program of its own without delivery, and run apply for that program' });
  expect(JSON.stringify(finding)).not.toContain('hunter2');
  const texts = readdirSync(join(app.outdir, 'dc2')).map((file) => readFileSync(join(app.outdir, 'dc2', file), 'utf8'));
  expect(texts.join('')).not.toContain('hunter2');
});
