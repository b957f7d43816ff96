import { CATALOG_DESCRIPTIONS } from '../../../src/rancher/catalog/catalog.kind';
import { CATALOG_RULES } from '../../../src/rancher/catalog/catalog.rules';
import { EXTENSION_VERSIONS } from '../../../src/rancher/catalog/harvester-extension.data';
import { HarvesterUiExtension } from '../../../src/rancher/catalog/harvester-ui-extension';
import { NODE_DRIVER_RULES } from '../../../src/rancher/catalog/node-driver.rules';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import { judgeOn, judgePlaced } from '../../support/judging';
import { messageOf } from '../../support/message-of';
import { newApp } from '../../support/programs';
import { rendered } from '../../support/rendered';

function on(version: string) {
  const app = newApp();
  return {
    app,
    rancher: new RancherChart(app, 'rancher', {
      version,
      serverUrl: 'https://rancher.example.com',
    }),
  };
}

test.each([
  ['2.10.0', '1.0.0'],
  ['2.10.4', '1.0.6'],
  ['2.11.2', '1.5.2'],
  ['2.12.4', '1.6.1'],
  ['2.13.8', '1.7.2'],
  ['2.14.4', '1.8.2'],
  ['2.15.0', '1.8.2'],
])(
  'writes the newest extension that Rancher %s loads, and its repository',
  (rancherVersion, version) => {
    const { app, rancher } = on(rancherVersion);
    new HarvesterUiExtension(rancher, 'ui');
    const { 'rancher/UIPlugin/harvester': extension, 'rancher/ClusterRepo/harvester': repository } =
      rendered(app) as any;
    const files =
      'https://raw.githubusercontent.com/harvester/harvester-ui-extension/gh-pages/extensions/harvester';
    expect(extension.metadata.namespace).toBe('cattle-ui-plugin-system');
    expect(extension.spec.plugin).toMatchObject({
      name: 'harvester',
      version,
      endpoint: `${files}/${version}`,
    });
    expect(extension.spec.plugin.metadata['catalog.cattle.io/rancher-version']).toBe(
      `>= ${EXTENSION_VERSIONS.find((each) => each.version === version)!.rancher}-0`,
    );
    expect(extension.spec.plugin.compressedEndpoint).toBe(
      rancher.version < '2.12' ? undefined : `${files}/${version}.tgz`,
    );
    expect(repository.spec).toEqual({
      gitRepo: 'https://github.com/harvester/harvester-ui-extension',
      gitBranch: 'gh-pages',
    });
  },
);

test('takes the files from a mirror, without the public repository', () => {
  const { app, rancher } = on('2.13.8');
  new HarvesterUiExtension(rancher, 'ui', {
    version: '1.7.1',
    endpoint: 'https://mirror.example.com/ui/1.7.1',
  });
  const { 'rancher/UIPlugin/harvester': extension, ...others } = rendered(app) as any;
  expect(others).toEqual({});
  expect(extension.spec.plugin).toMatchObject({
    version: '1.7.1',
    endpoint: 'https://mirror.example.com/ui/1.7.1',
  });
  expect(extension.spec.plugin).not.toHaveProperty('compressedEndpoint');
});

test('needs Rancher 2.10, a version that the UI loads, and URLs', () => {
  expect(messageOf(() => new HarvesterUiExtension(on('2.9.3').rancher, 'ui'))).toContain(
    "Harvester's UI as an extension needs Rancher 2.10.0",
  );
  expect(
    messageOf(() => new HarvesterUiExtension(on('2.13.8').rancher, 'ui', { endpoint: 'mirror' })),
  ).toContain('endpoint: must begin with https:// or http://, got "mirror"');
  const { app, rancher } = on('2.13.8');
  new HarvesterUiExtension(rancher, 'ui', { version: '1.8.1' });
  expect(messageOf(() => app.synth())).toContain(
    'needs Rancher 2.14.0 or later, and this one is 2.13.8',
  );
});

const judged = (manifest: any, version?: string) =>
  judgeOn(CATALOG_RULES, [manifest], { version }).map(
    ({ rule, level, path }) => `${rule} ${level} ${path}`,
  );

test('reports extensions that no UI loads, and apps that install nothing', () => {
  const plugin = {
    apiVersion: 'catalog.cattle.io/v1',
    kind: 'UIPlugin',
    metadata: { name: 'kubewarden', namespace: 'default' },
    spec: { plugin: { version: '9' } },
  };
  expect(judged(plugin)).toEqual(['ui-plugin/namespace error metadata.namespace']);
  expect(
    judged({
      apiVersion: 'catalog.cattle.io/v1',
      kind: 'App',
      metadata: { name: 'nginx', namespace: 'default' },
      spec: {},
    }),
  ).toEqual(['app/installs-nothing warning ']);
});

test('reports an extension that is older than a Harvester of its Rancher', () => {
  const metadata = { name: 'harvester', namespace: 'cattle-ui-plugin-system' };
  const dc1 = [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }];
  const found = (
    version: string,
    harvesterVersion: string,
    managedAs = 'rancher/c-m-harvdc01',
  ): string[] => {
    const plugin = {
      apiVersion: 'catalog.cattle.io/v1',
      kind: 'UIPlugin',
      metadata,
      spec: { plugin: { version } },
    };
    return judgePlaced(
      ['ui-plugin/newer-harvester'],
      { rancher: [plugin], dc1 },
      { versions: { dc1: { harvesterVersion, managedAs } } },
    );
  };
  expect(found('1.8.2', '1.9.0').join()).toMatch(
    /is unconfirmed with Harvester 1\.9\.0, .*this extension was released with Harvester 1\.8\./,
  );
  expect([found('1.9.0', '1.9.1'), found('1.8.2', '1.8.3'), found('1.0.6', '1.4.1')]).toEqual([
    [],
    [],
    [],
  ]);
  expect(found('1.8.2', '1.9.0', 'other/c-m-harvdc01')).toEqual([]);
});

describe('a node driver', () => {
  const driver = (name: string, spec: object) => ({
    apiVersion: 'management.cattle.io/v3',
    kind: 'NodeDriver',
    metadata: { name },
    spec,
  });
  const found = (manifest: any, before?: any) =>
    judgeOn(NODE_DRIVER_RULES, [manifest], { before: before && [before] }).map(
      ({ rule, path }) => `${rule} ${path}`,
    );

  test('that is built in keeps only what Rancher does not reset', () => {
    expect(found(driver('vmwarevsphere', { active: false }))).toEqual([]);
    expect(
      found(driver('harvester', { active: false, url: 'https://mirror.example.com/driver' })),
    ).toEqual(['node-driver/built-in spec.active', 'node-driver/built-in spec.url']);
    expect(
      found(driver('own', { active: true, url: 'https://mirror.example.com/driver' })),
    ).toEqual([]);
  });

  test('is deactivated without machines', () => {
    expect(found(driver('own', { active: false }), driver('own', { active: true }))).toEqual([
      'node-driver/in-use spec.active',
    ]);
    expect(found(driver('own', { active: true }), driver('own', { active: true }))).toEqual([]);
  });
});

test('is ready once Rancher has downloaded the files', () => {
  const judge = (kind: string, live: object) =>
    CATALOG_DESCRIPTIONS.find((each) => each.kind === kind)!.ready!.judge(
      { metadata: { name: 'x' }, ...live } as any,
      {},
    ).state;
  expect(judge('UIPlugin', { status: { cacheState: 'pending' } })).toBe('waiting');
  expect(judge('UIPlugin', { status: { cacheState: 'cached' } })).toBe('ready');
  expect(judge('UIPlugin', { status: { ready: true } })).toBe('ready');
  expect(judge('UIPlugin', { status: { error: 'Failed to cache plugin' } })).toBe('failing');
  const condition = (type: string) => ({ conditions: [{ type, status: 'True' }] });
  expect(
    judge('ClusterRepo', { spec: { url: 'https://a' }, status: condition('Downloaded') }),
  ).toBe('ready');
  expect(judge('ClusterRepo', { spec: { url: 'oci://a' }, status: condition('Downloaded') })).toBe(
    'waiting',
  );
  expect(judge('ClusterRepo', { spec: { enabled: false } })).toBe('ready');
});
