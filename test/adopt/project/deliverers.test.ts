import { adoptReadme } from '../../../src/adopt/project/readme';
import { adoptBlocks } from '../../../src/adopt/project/report';
import { adoptPlatform, AdoptResult } from '../../../src/adopt/project/run-adopt';
import { TargetKind } from '../../../src/core/construct/target';
import { Manifest } from '../../../src/core/manifest/manifest';
import { render, PLAIN } from '../../../src/core/text/screen';

/** Adopts the objects of a Harvester. */
function adopted(...manifests: readonly Manifest[]): AdoptResult {
  const objects = manifests.map((manifest) => ({ target: 'dc1', manifest, from: 'dc1' }));
  return adoptPlatform({
    clusters: [{ name: 'dc1', kind: TargetKind.HARVESTER, version: '1.8.2', objects, unread: [] }],
  });
}

const messagesOf = ({ deliverers }: AdoptResult): readonly string[] =>
  deliverers.map(({ object, message }) => `${object} ${message}`);

/** An object of a live cluster that an engine applied. */
function applied(manager: string, manifest: Manifest): Manifest {
  const managedFields = [{ manager, operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1: {} }];
  return { ...manifest, metadata: { ...manifest.metadata, uid: 'u-1', managedFields } };
}

const config = (name: string, metadata: object = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', ...metadata },
  data: { a: '1' },
});

const kustomization = (name: string, path: string): Manifest => ({
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: { name, namespace: 'flux-system' },
  spec: { path, prune: true, interval: '5m', sourceRef: { kind: 'GitRepository', name: 'lab' } },
});

const application = (name: string): Manifest => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: { project: 'default', source: { repoURL: 'https://git.example.com/lab', path: 'apps' } },
});

const AS_IT_IS = 'The program declares it as it is: remove it there, too';

test('names what may go on delivering the files that were adopted, and how it stops', () => {
  const result = adopted(
    config('shop'),
    kustomization('flux-system', './clusters/dc1'),
    kustomization('apps', './apps'),
    application('lab'),
    {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'ApplicationSet',
      metadata: { name: 'all', namespace: 'argocd' },
      spec: {
        generators: [{ git: { directories: [{ path: 'sites/*' }] } }],
        template: { spec: { source: { path: '{{path}}' }, destination: { name: 'dc1' } } },
      },
    },
    {
      apiVersion: 'fleet.cattle.io/v1alpha1',
      kind: 'GitRepo',
      metadata: { name: 'lab', namespace: 'fleet-local' },
      spec: { repo: 'https://git.example.com/lab', paths: ['vms', 'networks', 'images', 'keys'] },
    },
  );
  expect(messagesOf(result)).toEqual([
    'Kustomization flux-system/flux-system may deliver the adopted files (from ./clusters/dc1): before the program delivers them, set its spec.prune: false, then replace the files in its folder with the output of the program',
    `Kustomization flux-system/apps may deliver the adopted files (from ./apps): before the program delivers them, set spec.prune: false, then remove it. ${AS_IT_IS}`,
    `Application argocd/lab may deliver the adopted files (from apps): before the program delivers them, remove it without its resources: argocd app delete lab --cascade=false. ${AS_IT_IS}`,
    `ApplicationSet argocd/all may deliver the adopted files (from sites/*): before the program delivers them, set spec.syncPolicy.preserveResourcesOnDeletion: true, then remove it. ${AS_IT_IS}`,
    `GitRepo fleet-local/lab may deliver the adopted files (from vms, networks, images and 1 more): before the program delivers them, set spec.keepResources: true, then remove it. ${AS_IT_IS}`,
  ]);
  const shown = [render(adoptBlocks(result), PLAIN), adoptReadme(result)];
  for (const text of shown) {
    expect(text).toContain('Still delivered by an engine');
    expect(text).toContain('dc1: Kustomization flux-system/apps may deliver');
  }
});

test('names on a live cluster only what delivers an adopted object, by the marks on it', () => {
  const labels = {
    'kustomize.toolkit.fluxcd.io/name': 'apps',
    'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
  };
  const tracked = (id: string): object => ({
    annotations: { 'argocd.argoproj.io/tracking-id': `${id}:/ConfigMap:default/tracked` },
  });
  const [flux, argo] = ['kustomize-controller', 'argocd-controller'];
  const result = adopted(
    applied(flux, config('shop', { labels })),
    applied(flux, config('web', { labels })),
    applied(argo, config('tracked', tracked('lab'))),
    applied(argo, config('elsewhere', tracked('argocd_other'))),
    applied(flux, kustomization('apps', './apps')),
    applied(flux, kustomization('unused', './unused')),
    applied(argo, application('lab')),
    applied(argo, application('other')),
    applied(argo, application('unused')),
  );
  expect(messagesOf(result).map((message) => message.split(':')[0])).toEqual([
    'Kustomization flux-system/apps delivers 2 of the adopted objects (ConfigMap default/shop, ConfigMap default/web)',
    'Application argocd/lab delivers 1 of the adopted objects (ConfigMap default/tracked)',
    'Application argocd/other delivers 1 of the adopted objects (ConfigMap default/elsewhere)',
  ]);
});

test('names no engine where none was read', () => {
  const result = adopted(config('shop'));
  expect(result.deliverers).toEqual([]);
  expect(adoptReadme(result)).not.toContain('Still delivered');
});

test.each<[string, object, number]>([
  ['declares a volume that is in a file', {}, 0],
  [
    'leaves out one that a provisioner made',
    { annotations: { 'pv.kubernetes.io/provisioned-by': 'driver.longhorn.io' } },
    1,
  ],
  ['leaves out one of a server', { uid: 'u-1' }, 1],
])('%s', (_, metadata, leftOut) => {
  const result = adopted({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'disk-1', ...metadata },
    spec: { capacity: { storage: '1Ti' }, accessModes: ['ReadWriteOnce'], local: { path: '/d' } },
  });
  expect(result.clusters[0]).toMatchObject({ leftOut, apiObjects: 1 - leftOut });
});
