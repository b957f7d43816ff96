import {
  ArgoCdDeliveryProps,
  ClusterNetwork,
  Delivery,
  HarvesterApp,
  HarvesterChart,
  Retention,
  VmImage,
  VmNetwork,
} from '../../../src';
import { Manifest, valueAt } from '../../../src/core/manifest/manifest';
import { loadAssembly } from '../../../src/engine/read/load-assembly';
import { HarvesterSetting } from '../../../src/settings';
import { tempFolder } from '../../support/temp';
import { Platform, objectsOf, platform as deliveredPlatform } from '../_platform';
import { readLua } from './_readings';

const REPO = 'https://git.example.com/platform.git';
const platform = (props: Partial<ArgoCdDeliveryProps> = {}): Platform =>
  deliveredPlatform(Delivery.argoCd({ repository: REPO, ...props }));
const WAVE = 'argocd.argoproj.io/sync-wave';
const OPTIONS = 'argocd.argoproj.io/sync-options';

test('writes an Application for each target, for all folders of its stages, also those that come later', () => {
  const { app } = platform();
  app.synth();
  expect(objectsOf(app.outdir, 'argo-cd', 'rancher.yaml')).toEqual([
    {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'rancher', namespace: 'argocd' },
      spec: {
        project: 'default',
        source: {
          repoURL: REPO,
          targetRevision: 'HEAD',
          path: 'dist/rancher',
          directory: { recurse: true },
        },
        destination: { server: 'https://kubernetes.default.svc' },
        syncPolicy: {
          automated: { prune: true, selfHeal: true },
          syncOptions: ['ServerSideApply=true', 'PruneLast=true'],
          retry: {
            limit: 30,
            refresh: true,
            backoff: { duration: '5s', factor: 2, maxDuration: '2m' },
          },
        },
      },
    },
  ]);
  const [dc1] = objectsOf(app.outdir, 'argo-cd', 'dc1.yaml');
  expect(valueAt(dc1, 'spec', 'destination')).toEqual({ name: 'dc1' });
});

test('gives each object the wave of its stage, which no other object changes', () => {
  const wavesOf = (write?: (dc1: HarvesterChart) => void): ReadonlyMap<string, number> => {
    const { app, dc1 } = platform();
    write?.(dc1);
    app.synth();
    const { assembly, manifests } = loadAssembly(app.outdir);
    return new Map(
      assembly.objects.map(({ id, kind }) => [
        id.startsWith('rancher/') ? kind : id,
        Number(manifests.get(id)!.metadata.annotations?.[WAVE]),
      ]),
    );
  };
  const waves = wavesOf();
  const inOrder = ['Namespace', 'Cluster', 'Project', 'ProjectRoleTemplateBinding'].map((kind) =>
    waves.get(kind)!,
  );
  expect(inOrder).toEqual([...new Set(inOrder)].sort((a, b) => a - b));
  const more = wavesOf((dc1) => {
    const network = new ClusterNetwork(dc1, 'tenants');
    new VmNetwork(dc1, 'prod', { clusterNetwork: network, vlan: 100 });
    VmImage.download(dc1, 'ubuntu', { url: 'https://images.example.com/noble.img' });
  });
  expect(more.size).toBe(waves.size + 3);
  expect([...waves].filter(([id, wave]) => more.get(id) !== wave)).toEqual([]);
});

test('writes health checks for all kinds of the products, so that those of a later commit are known', () => {
  const { app, dc1 } = platform({ namespace: 'gitops' });
  app.synth();
  const [config] = objectsOf(app.outdir, 'argo-cd', 'argocd-cm.yaml');
  expect(config.metadata).toEqual({
    name: 'argocd-cm',
    namespace: 'gitops',
    labels: { 'app.kubernetes.io/part-of': 'argocd' },
  });
  const data = config.data as { readonly [key: string]: string };
  const health = (kind: string, live: object): string | undefined =>
    readLua(data[`resource.customizations.health.${kind}`], live as never);
  const cluster = {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata: { name: 'dc1' },
  };
  const states = [cluster, { ...cluster, status: { clusterName: 'c-m-x' } }].map((live) =>
    health('provisioning.cattle.io_Cluster', live),
  );
  expect(states).toEqual(['Progressing', 'Healthy']);
  // no object waits for a machine, which takes long
  expect(
    health('kubevirt.io_VirtualMachine', {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { name: 'web' },
    }),
  ).toBe('Healthy');
  VmImage.download(dc1, 'noble', { url: 'https://images.example.com/noble.img' });
  app.synth();
  expect(objectsOf(app.outdir, 'argo-cd', 'argocd-cm.yaml')).toEqual([config]);
});

test('keeps what must not be pruned, next to the options of the program', () => {
  const { app, dc1 } = platform();
  VmImage.download(dc1, 'noble', { url: 'https://images.example.com/noble.img' });
  Retention.of(
    VmImage.download(dc1, 'scratch', { url: 'https://images.example.com/scratch.img' }),
  ).delete();
  app.synth();
  const objects = [...loadAssembly(app.outdir).manifests.values()];
  const named = (kind: string, name: string): Manifest =>
    objects.find((object) => object.kind === kind && object.metadata.name.includes(name))!;
  const options = (kind: string, name: string): unknown =>
    named(kind, name).metadata.annotations?.[OPTIONS];
  expect([
    options('VirtualMachineImage', 'noble'),
    options('VirtualMachineImage', 'scratch'),
    options('Setting', 'ntp'),
    options('Project', 'payments'),
  ]).toEqual(['Prune=false,Delete=false', undefined, 'Prune=false,Delete=false', undefined]);
});

test('delivers registries without a password like all other Settings: what is ignored never arrives', () => {
  const app = new HarvesterApp({
    outdir: tempFolder(),
    printWarnings: false,
    delivery: Delivery.argoCd({ repository: REPO, path: '.', clusters: { dc1: 'harvester' } }),
  });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  HarvesterSetting.containerdRegistry(dc1, 'registry', {
    mirrors: { 'docker.io': { endpoints: ['https://mirror.example.com'] } },
  });
  app.synth();
  const [{ spec }] = objectsOf(app.outdir, 'argo-cd', 'dc1.yaml');
  expect(spec).toMatchObject({
    source: { path: 'dc1', directory: { recurse: true } },
    destination: { name: 'harvester' },
  });
  expect(spec).not.toHaveProperty('ignoreDifferences');
});

test('reaches the target that it runs in without its name, which a program sets by name', () => {
  const app = new HarvesterApp({
    outdir: tempFolder(),
    printWarnings: false,
    delivery: Delivery.argoCd({ repository: REPO, runsIn: 'dc1' }),
  });
  for (const name of ['dc1', 'dc2']) {
    const chart = new HarvesterChart(app, name, { version: '1.7.2' });
    HarvesterSetting.ntpServers(chart, 'ntp', ['0.suse.pool.ntp.org']);
  }
  app.synth();
  const destinations = ['dc1', 'dc2'].map((name) => {
    const [{ spec }] = objectsOf(app.outdir, 'argo-cd', `${name}.yaml`);
    return (spec as { destination: object }).destination;
  });
  expect(destinations).toEqual([{ server: 'https://kubernetes.default.svc' }, { name: 'dc2' }]);
});
