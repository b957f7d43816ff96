import { mkdirSync, rmSync, writeFileSync } from 'fs';
import { dirname, join, relative } from 'path';
import { readEdits } from '../../../src/engine/read/compared-input';
import { environmentsIn } from '../../../src/engine/read/environments';
import { lintPaths } from '../../../src/engine/read/lint';
import { impactsOfEdits } from '../../../src/report/impact/edit-impacts';
import '../../../src/registry/register';
import { tempFolder } from '../../support/temp';

type Files = { readonly [path: string]: string };

/** A folder with files by their paths. */
function repository(files: Files): string {
  const root = tempFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

function object(apiVersion: string, kind: string, metadata: object, others: object = {}): string {
  return `${JSON.stringify({ apiVersion, kind, metadata, ...others })}\n`;
}

const namespace = (name: string): string => object('v1', 'Namespace', { name });
const map = (name: string, of?: string): string =>
  object('v1', 'ConfigMap', { name, ...(of === undefined ? {} : { namespace: of }) });
const flux = (name: string, path: string, others: object = {}): string =>
  object(
    'kustomize.toolkit.fluxcd.io/v1',
    'Kustomization',
    { name, namespace: 'flux-system' },
    {
      spec: {
        path,
        prune: true,
        interval: '10m',
        sourceRef: { kind: 'GitRepository', name: 'flux-system' },
        ...others,
      },
    },
  );
const kustomization = (...resources: readonly string[]): string =>
  `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: ${JSON.stringify(resources)}\n`;
const application = (name: string, path: string, destination: object): string =>
  object(
    'argoproj.io/v1alpha1',
    'Application',
    { name, namespace: 'argocd' },
    {
      spec: {
        project: 'default',
        source: { repoURL: 'https://git.example.com/platform.git', path },
        destination,
      },
    },
  );
const gitRepo = (name: string, paths: readonly string[], targets: readonly object[]): string =>
  object(
    'fleet.cattle.io/v1alpha1',
    'GitRepo',
    { name, namespace: 'fleet-default' },
    { spec: { repo: 'https://git.example.com/platform.git', paths, targets } },
  );

/** The files that are judged together, by their clusters; `*` without clusters. */
function worlds(root: string, path = root): { [cluster: string]: readonly string[] } {
  return Object.fromEntries(
    environmentsIn([path], {}, {}).map(({ name = '*', listed }) => [
      name,
      listed.flatMap(({ files }) => files.map((file) => relative(root, file))),
    ]),
  );
}

/** The objects that are declared twice, as `cluster: file`. */
const repeated = (root: string, path = root): string[] =>
  lintPaths([path])
    .filter(({ rule }) => rule === 'object/duplicate')
    .map(({ environment = '*', file = '' }) => `${environment}: ${relative(root, file)}`);

/** A repository as Flux bootstraps it for two clusters, with applications that both share. */
const FLUX: Files = {
  'clusters/production/flux-system/gotk-sync.yaml': flux('flux-system', './clusters/production'),
  'clusters/production/apps.yaml': flux('apps', './apps/production'),
  'clusters/staging/flux-system/gotk-sync.yaml': flux('flux-system', './clusters/staging'),
  'clusters/staging/apps.yaml': flux('apps', './apps/staging'),
  'apps/base/shop/kustomization.yaml': kustomization('map.yaml'),
  'apps/base/shop/map.yaml': map('shop', 'shop'),
  'apps/production/kustomization.yaml': kustomization('../base/shop', 'limits.yaml'),
  'apps/production/limits.yaml': map('limits', 'shop'),
  'apps/staging/kustomization.yaml': kustomization('../base/shop', 'limits.yaml'),
  'apps/staging/limits.yaml': map('limits', 'shop'),
};

test('follows the Kustomizations of Flux from the folder of each cluster', () => {
  const root = repository(FLUX);
  const ofCluster = (cluster: string): string[] => [
    'apps/base/shop/kustomization.yaml',
    'apps/base/shop/map.yaml',
    `apps/${cluster}/kustomization.yaml`,
    `apps/${cluster}/limits.yaml`,
    `clusters/${cluster}/apps.yaml`,
    `clusters/${cluster}/flux-system/gotk-sync.yaml`,
  ];
  expect(worlds(root)).toEqual({
    production: ofCluster('production'),
    staging: ofCluster('staging'),
  });
  expect(repeated(root)).toEqual([]);
});

test('finds an object that two Kustomizations of a cluster deliver', () => {
  const root = repository({ ...FLUX, 'clusters/staging/limits.yaml': map('limits', 'shop') });
  expect(repeated(root)).toEqual(['staging: clusters/staging/limits.yaml']);
});

test('names a cluster of Flux by its path where its folder has no usual name', () => {
  const root = repository({
    'one/flux-system/sync.yaml': flux('flux-system', './one'),
    'two/flux-system/sync.yaml': flux('flux-system', './two'),
  });
  expect(worlds(root)).toEqual({
    './one': ['one/flux-system/sync.yaml'],
    './two': ['two/flux-system/sync.yaml'],
  });
});

test('separates clusters that the Flux of another one delivers to', () => {
  const remote = (name: string): object => ({ kubeConfig: { secretRef: { name } } });
  const root = repository({
    'hub/flux-system/sync.yaml': flux('flux-system', './hub'),
    'hub/tenants.yaml':
      flux('one', './tenants/one', remote('one-kubeconfig')) +
      '---\n' +
      flux('two', './tenants/two', remote('two-kubeconfig')),
    'tenants/one/namespace.yaml': namespace('shop'),
    'tenants/two/namespace.yaml': namespace('shop'),
  });
  expect(worlds(root)).toEqual({
    './hub': ['hub/flux-system/sync.yaml', 'hub/tenants.yaml'],
    'one-kubeconfig': ['tenants/one/namespace.yaml'],
    'two-kubeconfig': ['tenants/two/namespace.yaml'],
  });
});

test('reads the Flux instance of a cluster', () => {
  const instance = (path: string): string =>
    object(
      'fluxcd.controlplane.io/v1',
      'FluxInstance',
      { name: 'flux', namespace: 'flux-system' },
      { spec: { sync: { kind: 'GitRepository', path } } },
    );
  const root = repository({
    'a/instance.yaml': instance('a'),
    'b/instance.yaml': instance('./b/'),
  });
  expect(Object.keys(worlds(root))).toEqual(['./b/', 'a']);
});

/** Applications of one Argo CD for two clusters. */
const ARGO_CD: Files = {
  'bootstrap/root.yaml': application('root', 'apps', { name: 'in-cluster' }),
  'apps/one.yaml': application('one', 'platform/one', { server: 'https://one.example.com:6443' }),
  'apps/two.yaml': application('two', 'platform/two', { name: 'two' }),
  'platform/one/namespace.yaml': namespace('shop'),
  'platform/two/namespace.yaml': namespace('shop'),
};

test('follows the Applications of Argo CD to their destinations', () => {
  const root = repository(ARGO_CD);
  expect(worlds(root)).toEqual({
    'https://one.example.com:6443': ['bootstrap/root.yaml', 'platform/one/namespace.yaml'],
    'in-cluster': ['apps/one.yaml', 'apps/two.yaml', 'bootstrap/root.yaml'],
    'two': ['bootstrap/root.yaml', 'platform/two/namespace.yaml'],
  });
  expect(repeated(root)).toEqual([]);
});

test('finds an object that two Applications deliver to one cluster', () => {
  const root = repository({
    ...ARGO_CD,
    'apps/more.yaml': application('more', 'platform/more', { name: 'two' }),
    'platform/more/namespace.yaml': namespace('shop'),
  });
  expect(repeated(root)).toEqual(['two: platform/two/namespace.yaml']);
});

test.each([
  [
    'folders',
    {
      generators: [{ git: { directories: [{ path: 'platform/*' }] } }],
      path: '{{path}}',
      name: '{{path.basename}}',
    },
  ],
  [
    'folders of a matrix',
    {
      generators: [
        { matrix: { generators: [{ git: { directories: [{ path: 'platform/*' }] } }] } },
      ],
      path: '{{ .path.path }}',
      name: '{{ .path.basename }}',
    },
  ],
  [
    'registered clusters',
    { generators: [{ clusters: {} }], path: 'platform/{{name}}', name: '{{name}}' },
  ],
])(
  'takes each folder of an ApplicationSet by %s for a cluster',
  (_, { generators, path, name }) => {
    const root = repository({
      'set.yaml': object(
        'argoproj.io/v1alpha1',
        'ApplicationSet',
        { name: 'platform', namespace: 'argocd' },
        { spec: { generators, template: { spec: { source: { path }, destination: { name } } } } },
      ),
      'platform/one/namespace.yaml': namespace('shop'),
      'platform/two/namespace.yaml': namespace('shop'),
    });
    expect(worlds(root)).toEqual({
      one: ['platform/one/namespace.yaml', 'set.yaml'],
      two: ['platform/two/namespace.yaml', 'set.yaml'],
    });
  },
);

test('follows the GitRepos of Fleet to their clusters', () => {
  const files = {
    'gitrepos.yaml': [
      gitRepo('one', ['bundles/one'], [{ clusterName: 'one' }]),
      gitRepo('prod', ['/bundles/prod'], [{ clusterSelector: { matchLabels: { env: 'prod' } } }]),
      gitRepo('both', ['bundles/both'], [{ clusterName: 'one' }, { clusterName: 'two' }]),
      gitRepo('all', ['bundles/all'], [{ clusterSelector: {} }]),
      gitRepo('default', ['bundles/default'], []),
    ].join('---\n'),
    'bundles/one/namespace.yaml': namespace('shop'),
    'bundles/prod/namespace.yaml': namespace('shop'),
    'bundles/both/map.yaml': map('both', 'shop'),
    'bundles/all/map.yaml': map('all', 'shop'),
    'bundles/default/map.yaml': map('default', 'shop'),
  };
  const root = repository(files);
  const shared = ['bundles/all/map.yaml', 'gitrepos.yaml'];
  expect(worlds(root)).toEqual({
    'clusterGroup default': [shared[0], 'bundles/default/map.yaml', shared[1]],
    'clusterSelector env=prod': [shared[0], 'bundles/prod/namespace.yaml', shared[1]],
    'one': [shared[0], 'bundles/both/map.yaml', 'bundles/one/namespace.yaml', shared[1]],
    'two': [shared[0], 'bundles/both/map.yaml', shared[1]],
  });
  expect(repeated(root)).toEqual([]);
  const twice = repository({ ...files, 'bundles/both/namespace.yaml': namespace('shop') });
  expect(repeated(twice)).toEqual(['one: bundles/one/namespace.yaml']);
});

test('takes bundles of Fleet for what someone may deliver one of', () => {
  const bundles = {
    'cni/jumbo/fleet.yaml': 'labels: { cni: jumbo }\n',
    'cni/jumbo/config.yaml': map('cni', 'kube-system'),
    'cni/plain/config.yaml': map('cni', 'kube-system'),
  };
  expect(repeated(repository(bundles))).toEqual([]);
  // one GitRepo delivers both
  const both = { 'repo.yaml': gitRepo('cni', ['cni'], [{ clusterName: 'one' }]) };
  expect(repeated(repository({ ...bundles, ...both }))).toEqual(['*: cni/plain/config.yaml']);
  const inOne = { 'cni/jumbo/more/config.yaml': map('cni', 'kube-system') };
  expect(repeated(repository({ ...bundles, ...inOne }))).toEqual(['*: cni/jumbo/more/config.yaml']);
});

test('takes kustomizations for what someone may build one of', () => {
  const variants = {
    'small/kustomization.yaml': kustomization('config.yaml'),
    'small/config.yaml': map('size', 'shop'),
    'large/kustomization.yaml': kustomization('config.yaml'),
    'large/config.yaml': map('size', 'shop'),
  };
  expect(repeated(repository(variants))).toEqual([]);
  const both = { 'all/kustomization.yaml': kustomization('../small', '../large') };
  expect(repeated(repository({ ...variants, ...both }))).toEqual(['*: small/config.yaml']);
});

test.each(['clusters', 'environments', 'overlays', 'Sites'])(
  'takes the folders of a folder %s for clusters where they have the same objects',
  (folder) => {
    const files = {
      [`${folder}/a/namespace.yaml`]: namespace('shop'),
      [`${folder}/b/namespace.yaml`]: namespace('shop'),
      'common/map.yaml': map('shop', 'shop'),
    };
    const root = repository(files);
    expect(Object.keys(worlds(root))).toEqual(['a', 'b']);
    expect(worlds(root).a).toContain('common/map.yaml');
    expect(Object.keys(worlds(root, join(root, folder)))).toEqual(['a', 'b']);
    expect(repeated(root)).toEqual([]);
    const twice = repository({ ...files, [`${folder}/a/more.yaml`]: namespace('shop') });
    expect(repeated(twice)).toEqual([`a: ${folder}/a/namespace.yaml`]);
    const inCommon = repository({ ...files, 'common/namespace.yaml': namespace('shop') });
    expect(repeated(inCommon)).toHaveLength(2);
  },
);

test('takes folders of clusters in folders of environments for clusters of that one', () => {
  const root = repository({
    'environments/prod/clusters/a/namespace.yaml': namespace('shop'),
    'environments/prod/clusters/b/namespace.yaml': namespace('shop'),
    'environments/prod/map.yaml': map('prod', 'shop'),
    'environments/dev/namespace.yaml': namespace('shop'),
  });
  expect(worlds(root)).toEqual({
    'dev': ['environments/dev/namespace.yaml'],
    'prod/a': ['environments/prod/clusters/a/namespace.yaml', 'environments/prod/map.yaml'],
    'prod/b': ['environments/prod/clusters/b/namespace.yaml', 'environments/prod/map.yaml'],
  });
});

test('judges a repository as one where no two clusters have the same object', () => {
  const root = repository({
    'clusters/rancher/map.yaml': map('a', 'shop'),
    'clusters/harvester/map.yaml': map('b', 'shop'),
  });
  expect(Object.keys(worlds(root))).toEqual(['*']);
});

test('finds an object twice in folders of which nothing shows that they are apart', () => {
  const root = repository({ 'one/a.yaml': map('a', 'shop'), 'two/a.yaml': map('a', 'shop') });
  expect(repeated(root)).toEqual(['*: two/a.yaml']);
  const paths = [join(root, 'one'), join(root, 'two')];
  expect(lintPaths(paths).map(({ rule }) => rule)).toEqual(['object/duplicate']);
});

test('takes objects without a namespace in two delivered folders for two', () => {
  const files = { 'one/map.yaml': map('a'), 'two/map.yaml': map('a') };
  const built = {
    'one/kustomization.yaml': `namespace: one\n${kustomization('map.yaml')}`,
    'two/kustomization.yaml': `namespace: two\n${kustomization('map.yaml')}`,
    'kustomization.yaml': kustomization('one', 'two'),
  };
  expect(repeated(repository({ ...files, ...built }))).toEqual([]);
  expect(repeated(repository(files))).toEqual(['*: two/map.yaml']);
  const inOne = { 'one/more.yaml': map('a') };
  expect(repeated(repository({ ...files, ...built, ...inOne }))).toEqual(['*: one/more.yaml']);
  // an object of the cluster has no namespace to get
  const cluster = { 'one/ns.yaml': namespace('shop'), 'two/ns.yaml': namespace('shop') };
  expect(repeated(repository({ ...files, ...built, ...cluster }))).toEqual(['*: two/ns.yaml']);
});

test('does not compare the virtual machines of two clusters with each other', () => {
  const machine = (network: string): string =>
    object(
      'kubevirt.io/v1',
      'VirtualMachine',
      { name: 'web', namespace: 'shop' },
      {
        spec: {
          runStrategy: 'RerunOnFailure',
          template: {
            spec: {
              domain: {
                cpu: { cores: 2 },
                devices: {
                  disks: [{ name: 'root', disk: { bus: 'virtio' }, bootOrder: 1 }],
                  interfaces: [
                    {
                      name: 'default',
                      bridge: {},
                      model: 'virtio',
                      macAddress: '52:54:00:12:34:56',
                    },
                  ],
                },
                resources: { limits: { cpu: '2', memory: '4Gi' } },
              },
              networks: [{ name: 'default', multus: { networkName: network } }],
              volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'web-root' } }],
            },
          },
        },
      },
    );
  const rules = (names: readonly [string, string]): string[] =>
    lintPaths(
      [
        repository({
          'clusters/a/vm.yaml': machine('shop/a'),
          'clusters/b/vm.yaml': machine('shop/b').replace('"web"', JSON.stringify(names[1])),
          'clusters/a/ns.yaml': namespace('shop'),
          'clusters/b/ns.yaml': namespace(names[0]),
        }),
      ],
      { targetKind: 'harvester', harvesterVersion: '1.8.2' },
    ).map(({ rule }) => rule);
  expect(rules(['shop', 'other'])).not.toContain('virtual-machine/volume-twice');
  expect(rules(['none', 'other'])).toContain('virtual-machine/volume-twice');
});

test('names the cluster of an edit, and compares each cluster with its previous state', () => {
  const files = {
    'clusters/a/namespace.yaml': namespace('shop'),
    'clusters/b/namespace.yaml': namespace('shop'),
    'common/bad.yaml': map('UPPER', 'shop'),
  };
  const [before, after] = [repository(files), repository(files)];
  expect(impactsOfEdits(readEdits([after], [before], {}))).toEqual([]);
  rmSync(join(after, 'clusters/b/namespace.yaml'));
  const result = impactsOfEdits(readEdits([after], [before], {}));
  expect(result.map(({ environment }) => environment)).toEqual(['b']);
  // what belongs to both is found once, and is of none
  const bad = lintPaths([after], { before: [before] }).filter(({ file }) => file?.includes('bad'));
  expect(bad.map(({ environment, rule }) => [environment, rule])).toEqual([
    [undefined, 'object/name'],
  ]);
});

test('reports charts and links of a repository with several clusters once', () => {
  const root = repository({
    'clusters/a/namespace.yaml': namespace('shop'),
    'clusters/b/namespace.yaml': namespace('shop'),
    'chart/Chart.yaml': 'apiVersion: v2\nname: shop\n',
  });
  expect(lintPaths([root]).map(({ rule, environment }) => [rule, environment])).toEqual([
    ['lint/not-judged', undefined],
  ]);
});

test('reads deliveries that deliver each other, and those of a folder that is missing', () => {
  const root = repository({
    'clusters/a/one.yaml': flux('one', './clusters/a/more'),
    'clusters/a/more/two.yaml': flux('two', './clusters/a') + '---\n' + flux('gone', './gone'),
    'clusters/b/one.yaml': flux('one', './'),
  });
  expect(Object.keys(worlds(root))).toEqual(['*']);
});
