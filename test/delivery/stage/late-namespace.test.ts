import { readFileSync } from 'fs';
import { join } from 'path';
import {
  CloudInit,
  CloudInitSecret,
  Delivery,
  HarvesterApp,
  HarvesterChart,
  HarvesterImport,
  KubernetesObject,
  RancherChart,
  SecretDelivery,
  TenantProject,
} from '../../../src';
import { valueAt } from '../../../src/core/manifest/manifest';
import { readYaml } from '../../../src/core/yaml/yaml-reader';
import { loadAssembly, LoadedAssembly } from '../../../src/engine/read/load-assembly';
import { tempFolder } from '../../support/temp';
import { objectsOf } from '../_platform';

/** The stage of the Namespace of the tenant, which `resolve` writes. */
const LATE = 'late-namespace-shop-vms';
/** The stage of the other objects in that Namespace. */
const WITHIN = 'namespace-shop-vms';

/** A tenant whose Namespace waits for the ID of the cluster, and objects in it. */
function delivered(delivery: Delivery): string {
  const outdir = tempFolder();
  const app = new HarvesterApp({
    outdir,
    printWarnings: false,
    delivery,
    secrets: SecretDelivery.plainText(),
  });
  const rancher = new RancherChart(app, 'rancher', {
    version: '2.13.8',
    serverUrl: 'https://rancher.example.com',
  });
  const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
  const cluster = HarvesterImport.fromDisplayName(rancher, 'import-dc1', {
    displayName: 'dc1',
    harvester: dc1,
  });
  const shop = new TenantProject(rancher, 'shop', {
    cluster,
    tenantNamespaces: [{ name: 'shop-vms' }],
  });
  new CloudInitSecret(dc1, 'web-init', {
    namespace: shop.declaredNamespace('shop-vms'),
    cloudInit: CloudInit.of({ packages: ['nginx'] }),
  });
  new KubernetesObject(dc1, 'robot', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'robot', namespace: 'shop-vms' },
  });
  app.synth();
  return outdir;
}

const within = ({ assembly }: LoadedAssembly): string[] =>
  assembly.objects
    .filter(({ target, namespace }) => target === 'dc1' && namespace === 'shop-vms')
    .map(({ id }) => id);

test('a Kustomization waits for that of a Namespace with a late value', () => {
  const outdir = delivered(Delivery.flux({ sourceName: 'platform' }));
  const own = objectsOf(outdir, 'flux', 'dc1.yaml').find(
    ({ metadata }) => metadata.name === `dc1-${WITHIN}`,
  )!;
  expect(valueAt(own, 'spec', 'dependsOn')).toEqual([{ name: `dc1-${LATE}` }]);
});

test('a bundle of Fleet waits for that of a Namespace with a late value', () => {
  const outdir = delivered(Delivery.fleet({ repository: 'https://git.example.com/p.git' }));
  const file = readFileSync(join(outdir, 'dc1', WITHIN, 'fleet.yaml'), 'utf8');
  expect(readYaml(file)[0]).toMatchObject({ dependsOn: [{ name: `dc1-${LATE}` }] });
});

test('sync waves of Argo CD come after that of a Namespace with a late value', () => {
  const program = loadAssembly(
    delivered(Delivery.argoCd({ repository: 'https://git.example.com/p.git' })),
  );
  const waveOf = (id: string): number =>
    Number(
      program.manifests.get(id)!.metadata.annotations!['argocd.argoproj.io/sync-wave'] as string,
    );
  const ids = within(program);
  expect(ids).toHaveLength(2);
  const namespace = waveOf('dc1//Namespace//shop-vms');
  expect(ids.filter((id) => !(waveOf(id) > namespace))).toEqual([]);
});
