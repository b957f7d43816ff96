import { existsSync, readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { Duration } from 'cdk8s';
import {
  Delivery,
  FluxDeliveryProps,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  Ipam,
  RancherChart,
  Retention,
  VmImage,
  VmLoadBalancer,
} from '../../../src';
import { Manifest } from '../../../src/core/manifest/manifest';
import { deliverOutput } from '../../../src/delivery/deliver-output';
import { loadAssembly } from '../../../src/engine/read/load-assembly';
import { readPlainOutput } from '../../../src/engine/read/plain-output';
import { HarvesterSetting } from '../../../src/settings';
import { tempFolder } from '../../support/temp';
import { Platform, objectsOf, platform as deliveredPlatform } from '../_platform';

const platform = (props: Partial<FluxDeliveryProps> = {}, folder?: string): Platform =>
  deliveredPlatform(Delivery.flux({ sourceName: 'platform', ...props }), folder);
const kustomizations = (folder: string, target: string): Manifest[] =>
  objectsOf(folder, 'flux', `${target}.yaml`);
const specOf = (folder: string, name: string): { readonly [field: string]: unknown } =>
  kustomizations(folder, name.split('-')[0]).find(({ metadata }) => metadata.name === name)!
    .spec as { readonly [field: string]: unknown };
const allObjects = (folder: string): Manifest[] => [...loadAssembly(folder).manifests.values()];

test('writes a Kustomization for each stage, which waits for what the next one needs', () => {
  const { app } = platform({ path: './dist/', interval: Duration.minutes(3) });
  app.synth();
  expect(
    kustomizations(app.outdir, 'rancher').map(
      ({ metadata: { name, namespace } }) => `${namespace}/${name}`,
    ),
  ).toEqual([
    'flux-system/rancher-namespace-c-m-juop4lu7',
    'flux-system/rancher-clusters',
    'flux-system/rancher-projects-c-m-juop4lu7',
    'flux-system/rancher-members-c-m-juop4lu7',
  ]);
  expect(specOf(app.outdir, 'rancher-clusters')).toEqual({
    interval: '3m0s',
    retryInterval: '10s',
    timeout: '5m0s',
    path: './dist/rancher/clusters',
    prune: true,
    deletionPolicy: 'MirrorPrune',
    wait: true,
    sourceRef: { kind: 'GitRepository', name: 'platform' },
    healthCheckExprs: [
      {
        apiVersion: 'provisioning.cattle.io/v1',
        kind: 'Cluster',
        current: "has(status.clusterName) && status.clusterName != ''",
      },
    ],
  });
  expect(specOf(app.outdir, 'rancher-projects-c-m-juop4lu7')).toMatchObject({
    dependsOn: [{ name: 'rancher-clusters' }, { name: 'rancher-namespace-c-m-juop4lu7' }],
    healthCheckExprs: [
      {
        apiVersion: 'management.cattle.io/v3',
        kind: 'Project',
        current:
          "has(status.conditions) && status.conditions.exists(c, c.type == 'BackingNamespaceCreated' && c.status == 'True')",
      },
    ],
  });
  expect(readFileSync(join(app.outdir, 'flux', 'rancher.yaml'), 'utf8')).not.toContain('force');
});

test('waits for the address of a load balancer only where another object needs it', () => {
  const { app, dc1 } = platform();
  new VmLoadBalancer(dc1, 'web', {
    ipam: Ipam.pool(),
    listeners: [{ port: 80, backendPort: 8080 }],
    backendSelector: { app: ['web'] },
  });
  app.synth();
  // Flux itself would take a load balancer without an address for one in progress
  expect(specOf(app.outdir, 'dc1-balancers').healthCheckExprs).toEqual([
    { apiVersion: 'loadbalancer.harvesterhci.io/v1beta1', kind: 'LoadBalancer', current: 'true' },
  ]);
});

test('puts each object into the folder of its stage, where every reader of the output finds it', () => {
  const { app } = platform();
  app.synth();
  const { assembly, manifests } = loadAssembly(app.outdir);
  const folderOf = (kind: string): string | undefined =>
    assembly.objects
      .find((object) => object.kind === kind)
      ?.file?.split('/')
      .slice(0, -1)
      .join('/');
  expect(['Cluster', 'Project', 'ProjectRoleTemplateBinding'].map(folderOf)).toEqual([
    'rancher/clusters',
    'rancher/projects-c-m-juop4lu7',
    'rancher/members-c-m-juop4lu7',
  ]);
  expect(manifests.size).toBe(assembly.objects.length);
  expect(assembly.stages).toEqual(
    expect.arrayContaining([
      {
        folder: 'rancher/members-c-m-juop4lu7',
        target: 'rancher',
        after: ['rancher/projects-c-m-juop4lu7'],
      },
    ]),
  );
});

test('reaches other targets by their kubeconfigs, and its own without', () => {
  const { app } = platform({
    kubeconfigSecrets: { rancher: 'rancher-admin' },
    namePrefix: 'shop-',
    namespace: 'platform',
  });
  app.synth();
  expect(kustomizations(app.outdir, 'dc1')[0]).toMatchObject({
    metadata: { name: 'shop-dc1-settings', namespace: 'platform' },
    spec: { kubeConfig: { secretRef: { name: 'dc1-kubeconfig' } } },
  });
  expect(kustomizations(app.outdir, 'rancher')[0].spec).not.toHaveProperty('kubeConfig');
  const other = platform({ runsIn: 'dc1', kubeconfigSecrets: { rancher: 'rancher-admin' } });
  other.app.synth();
  expect(specOf(other.app.outdir, 'rancher-clusters')).toMatchObject({
    kubeConfig: { secretRef: { name: 'rancher-admin' } },
  });
  expect(specOf(other.app.outdir, 'dc1-settings')).not.toHaveProperty('kubeConfig');
  expect(() => platform({ runsIn: 'dc2' }).app.synth()).toThrow(
    "delivery.runsIn: must be the name of a target of the program, got 'dc2'. Fix: set it to one of dc1, rancher",
  );
});

test('keeps Clusters, Namespaces, Settings, data and retained objects, and prunes what can be recreated', () => {
  const { app, dc1 } = platform();
  VmImage.download(dc1, 'ubuntu', { url: 'https://images.example.com/noble.img' });
  const scratch = VmImage.download(dc1, 'scratch', {
    url: 'https://images.example.com/scratch.img',
  });
  Retention.of(scratch).delete();
  app.synth();
  const kept = (kind: string, name?: string): boolean[] =>
    allObjects(app.outdir)
      .filter(
        (manifest) =>
          manifest.kind === kind && (name === undefined || manifest.metadata.name === name),
      )
      .map(
        ({ metadata }) =>
          metadata.annotations?.['kustomize.toolkit.fluxcd.io/prune'] === 'disabled',
      );
  expect({
    cluster: kept('Cluster'),
    namespace: kept('Namespace'),
    settings: kept('Setting'),
    project: kept('Project'),
    binding: kept('ProjectRoleTemplateBinding'),
  }).toEqual({
    cluster: [true],
    namespace: [true],
    settings: [true, true],
    project: [false],
    binding: [false],
  });
  expect([
    ...kept('VirtualMachineImage', 'ubuntu'),
    ...kept('VirtualMachineImage', 'scratch'),
  ]).toEqual([true, false]);
});

test('leaves out a Setting that is reset, with the word what to do, and apply still has it', () => {
  const { app, dc1 } = platform();
  HarvesterSetting.reset(dc1, 'level', 'log-level');
  app.synth();
  expect(app.findings.filter(({ rule }) => rule === 'delivery/left-to-apply')).toEqual([
    expect.objectContaining({
      level: 'warning',
      target: 'dc1',
      path: 'value',
      message:
        'Setting log-level has an empty value, which Harvester removes at once, so it is left out of the files for the engine',
      fix: 'run apply, which resets it, then remove the construct',
    }),
  ]);
  const entry = loadAssembly(app.outdir).assembly.objects.find(({ name }) => name === 'log-level')!;
  expect(entry).toMatchObject({
    onlyApply: 'has an empty value, which Harvester removes at once',
    template: { value: '' },
  });
  expect(entry.file).toBeUndefined();
});

test('writes the same bytes twice, removes its own previous files, and leaves files of others alone', () => {
  const folder = tempFolder();
  platform({}, folder).app.synth();
  const read = (): { [file: string]: string } =>
    Object.fromEntries(
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(yaml|json|md)$/.test(file))
        .map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
    );
  const first = read();
  platform({}, folder).app.synth();
  expect(read()).toEqual(first);
  const plain = new HarvesterApp({ outdir: folder, printWarnings: false });
  new HarvesterChart(plain, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  expect(() => plain.synth()).toThrow('output/gone');
  plain.acceptRemoval('*', 'moved to another program');
  plain.synth();
  expect(Object.keys(read())).toEqual(['assembly.json']);
});

test('delivers an object that waits for a late value from a folder of its own, which is there once resolve has written it', () => {
  const app = new HarvesterApp({
    outdir: tempFolder(),
    printWarnings: false,
    delivery: Delivery.flux({ sourceName: 'platform' }),
  });
  const rancher = new RancherChart(app, 'rancher', {
    version: '2.13.8',
    serverUrl: 'https://rancher.example.com',
  });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  new HarvesterImport(rancher, 'import-dc1', { harvester: dc1 });
  app.synth();
  expect(specOf(app.outdir, 'dc1-late-setting-cluster-registration-url')).toMatchObject({
    path: './dist/dc1/late-setting-cluster-registration-url',
    dependsOn: [{ name: 'rancher-clusters' }],
    wait: true,
  });
  expect(existsSync(join(app.outdir, 'dc1', 'late-setting-cluster-registration-url'))).toBe(false);
  expect(
    loadAssembly(app.outdir).assembly.objects.find(({ kind }) => kind === 'Setting'),
  ).toMatchObject({ stage: 'dc1/late-setting-cluster-registration-url' });
});

test('lets what needs an object with a late value wait for it where it is', () => {
  const out = tempFolder();
  const { findings } = deliverOutput(
    readPlainOutput(join(__dirname, '..', '..', '..', 'examples', 'k3s-single-node', 'dist')),
    { delivery: Delivery.flux({ sourceName: 'platform' }), outputDir: out },
  );
  // its stage does not change, whatever it needs
  expect(
    loadAssembly(out).assembly.objects.find(({ id }) => id.endsWith('fleet-default/lab'))?.file,
  ).toBe('rancher/guest-lab/40-cluster.provisioning.cattle.io.yaml');
  expect(specOf(out, 'rancher-guest-lab').dependsOn).toEqual([
    { name: 'rancher-late-harvesterconfig-fleet-default-nc-lab-all' },
    { name: 'rancher-late-secret-cattle-global-data-cc-edge' },
  ]);
  expect(findings.map(({ rule }) => rule)).not.toContain('late-value/reference-waits');
});

test('refuses a target whose folder is that of the engine', () => {
  const app = new HarvesterApp({
    outdir: tempFolder(),
    printWarnings: false,
    delivery: Delivery.flux({ sourceName: 'platform' }),
  });
  HarvesterSetting.ntpServers(new HarvesterChart(app, 'flux', { version: '1.7.2' }), 'ntp', [
    '0.pool.ntp.org',
  ]);
  expect(() => app.synth()).toThrow(
    'target flux: must not have the name of the folder for the engine. Fix: rename the target',
  );
});

test('changes nothing without an engine', () => {
  const [plain, none] = [undefined, Delivery.none()].map((delivery) => {
    const app = new HarvesterApp({ outdir: tempFolder(), printWarnings: false, delivery });
    HarvesterSetting.ntpServers(
      new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' }),
      'ntp',
      ['0.pool.ntp.org'],
    );
    app.synth();
    return (
      readFileSync(join(app.outdir, 'assembly.json'), 'utf8') +
      readFileSync(join(app.outdir, 'dc1', '12-setting.harvesterhci.io.yaml'), 'utf8')
    );
  });
  expect(none).toBe(plain);
  expect(plain).not.toContain('stages');
});
