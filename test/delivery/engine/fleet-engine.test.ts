import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import {
  Delivery,
  FleetDeliveryProps,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  RancherChart,
  SecretValue,
} from '../../../src';
import { valueAt } from '../../../src/core/manifest/manifest';
import { readYaml } from '../../../src/core/yaml/yaml-reader';
import { loadAssembly } from '../../../src/engine/read/load-assembly';
import { HarvesterSetting } from '../../../src/settings';
import { tempFolder } from '../../support/temp';
import { Platform, objectsOf, platform as deliveredPlatform } from '../_platform';

const REPO = 'https://git.example.com/platform.git';
const platform = (props: Partial<FleetDeliveryProps> = {}): Platform =>
  deliveredPlatform(Delivery.fleet({ repository: REPO, ...props }));
const bundleOf = (folder: string, stage: string): unknown =>
  readYaml(readFileSync(join(folder, stage, 'fleet.yaml'), 'utf8'))[0];

test('writes a bundle for each stage, which waits for those of its cluster', () => {
  const { app } = platform({ namePrefix: 'shop-' });
  app.synth();
  const common = {
    defaultNamespace: 'cattle-fleet-system',
    helm: { takeOwnership: true },
    ignore: { conditions: [{ type: 'Reconciling' }, { type: 'Pending' }, { type: 'Waiting' }] },
  };
  const acceptedStates = ['Ready', 'NotReady', 'Modified'];
  expect(bundleOf(app.outdir, 'rancher/clusters')).toEqual({
    name: 'shop-rancher-clusters',
    ...common,
  });
  expect(bundleOf(app.outdir, 'rancher/projects-c-m-juop4lu7')).toEqual({
    name: 'shop-rancher-projects-c-m-juop4lu7',
    ...common,
    dependsOn: [
      { name: 'shop-rancher-clusters', acceptedStates },
      { name: 'shop-rancher-namespace-c-m-juop4lu7', acceptedStates },
    ],
  });
  // a stage of Rancher comes before it, which Fleet cannot wait for on another cluster
  expect(bundleOf(app.outdir, 'dc1/late-setting-cluster-registration-url')).toEqual({
    name: 'shop-dc1-late-setting-cluster-registration-url',
    ...common,
  });
});

test('keeps the folder of late objects by its fleet.yaml alone: a bundle without objects is left out', () => {
  const { app } = platform();
  app.synth();
  expect(readdirSync(join(app.outdir, 'dc1', 'late-setting-cluster-registration-url'))).toEqual([
    'fleet.yaml',
  ]);
});

test('writes a GitRepo for each target, in the workspace of its cluster', () => {
  const { app } = platform({ path: 'clusters/dist', clientSecretName: 'git' });
  app.synth();
  const repos = objectsOf(app.outdir, 'fleet', 'gitrepo.yaml');
  expect(
    repos.map(({ metadata: { name, namespace }, spec }) => ({
      name,
      namespace,
      ...(spec as object),
    })),
  ).toEqual([
    {
      name: 'dc1',
      namespace: 'fleet-default',
      repo: REPO,
      branch: 'main',
      clientSecretName: 'git',
      // with all folders below, also those that come later
      paths: ['clusters/dist/dc1'],
      // the name of its Cluster on Rancher
      targets: [{ clusterName: 'dc1' }],
    },
    {
      name: 'rancher',
      namespace: 'fleet-local',
      repo: REPO,
      branch: 'main',
      clientSecretName: 'git',
      paths: ['clusters/dist/rancher'],
      targets: [{ clusterName: 'local' }],
    },
  ]);
});

test('writes the GitRepo of a cluster in another namespace to that namespace', () => {
  const app = new HarvesterApp({
    outdir: tempFolder(),
    printWarnings: false,
    delivery: Delivery.fleet({ repository: REPO, clusters: { dc2: 'fleet-lab/lab', dc3: 'dc-3' } }),
  });
  const rancher = new RancherChart(app, 'rancher', {
    version: '2.13.8',
    serverUrl: 'https://rancher.example.com',
  });
  const harvesters = ['dc1', 'dc2', 'dc3'].map(
    (name) => new HarvesterChart(app, name, { version: '1.7.2' }),
  );
  for (const harvester of harvesters) {
    HarvesterSetting.ntpServers(harvester, 'ntp', ['0.pool.ntp.org']);
  }
  new HarvesterImport(rancher, 'import-dc1', {
    harvester: harvesters[0],
    fleetWorkspace: 'fleet-prod',
  });
  app.synth();
  const places = objectsOf(app.outdir, 'fleet', 'gitrepo.yaml').map(
    ({ metadata: { name, namespace }, spec }) =>
      `${name} in ${namespace} for ${JSON.stringify(valueAt(spec, 'targets'))}`,
  );
  expect(places).toEqual([
    'dc1 in fleet-prod for [{"clusterName":"dc1"}]',
    'dc2 in fleet-lab for [{"clusterName":"lab"}]',
    'dc3 in fleet-default for [{"clusterName":"dc-3"}]',
    'rancher in fleet-local for [{"clusterName":"local"}]',
  ]);
});

test('keeps what must not be deleted with its release', () => {
  const { app } = platform();
  app.synth();
  const kept = [...loadAssembly(app.outdir).manifests.values()]
    .filter(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy'] === 'keep')
    .map(({ kind }) => kind);
  expect(new Set(kept)).toEqual(new Set(['Cluster', 'Namespace', 'Setting']));
});

test('leaves credentials of registries to apply, and delivers registries without them', () => {
  const app = new HarvesterApp({
    outdir: tempFolder(),
    printWarnings: false,
    delivery: Delivery.fleet({ repository: REPO }),
  });
  const open = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  HarvesterSetting.containerdRegistry(open, 'registry', {
    mirrors: { 'docker.io': { endpoints: ['https://mirror.example.com'] } },
  });
  const closed = new HarvesterChart(app, 'dc2', { version: '1.7.2', vip: '10.10.0.11' });
  HarvesterSetting.containerdRegistry(closed, 'registry', {
    mirrors: { 'docker.io': { endpoints: ['https://mirror.example.com'] } },
    configs: {
      'mirror.example.com': {
        auth: { username: 'robot', password: SecretValue.unsafePlainText('hunter2hunter2') },
      },
    },
  });
  HarvesterSetting.ntpServers(closed, 'ntp', ['0.pool.ntp.org']);
  app.synth();
  expect(
    objectsOf(app.outdir, 'dc1', 'settings', '12-setting.harvesterhci.io.yaml').map(
      ({ metadata: { name } }) => name,
    ),
  ).toEqual(['containerd-registry']);
  expect(bundleOf(app.outdir, 'dc1/settings')).not.toHaveProperty('diff');
  const finding = app.findings.find(({ rule }) => rule === 'delivery/left-to-apply')!;
  expect(finding).toMatchObject({
    target: 'dc2',
    fix: 'declare it in a program of its own without delivery, and run apply for that program',
  });
  expect(JSON.stringify(finding)).not.toContain('hunter2');
  const texts = readdirSync(join(app.outdir, 'dc2', 'settings')).map((file) =>
    readFileSync(join(app.outdir, 'dc2', 'settings', file), 'utf8'),
  );
  expect(texts.join('')).not.toContain('hunter2');
});
