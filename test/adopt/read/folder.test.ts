import { mkdirSync, writeFileSync } from 'fs';
import { dirname, join } from 'path';
import { stringify } from 'yaml';
import { readFolder } from '../../../src/adopt/read/folder';
import { TargetKind } from '../../../src/core/construct/target';
import { GENERATIONS, recordingOf } from '../../support/recordings';
import { ROOT } from '../../support/source-library';
import { tempFolder } from '../../support/temp';

function folderOf(files: { readonly [file: string]: string }): string {
  const folder = tempFolder();
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

function read(files: { readonly [file: string]: string }, kind?: TargetKind) {
  const folder = folderOf(files);
  const { objects, unread, ...cluster } = readFolder({ name: 'dc1', folder, kind });
  return {
    cluster,
    objects,
    labels: objects.map(
      ({
        manifest: {
          kind: each,
          metadata: { name },
        },
        from,
      }) => `${each} ${name} ${from.slice(folder.length + 1)}`,
    ),
    unread: unread.map(
      ({ kind: file, reason }) =>
        `${file.slice(folder.length + 1)}: ${reason.split(folder).join('')}`,
    ),
  };
}

const IMAGE =
  'apiVersion: harvesterhci.io/v1beta1\nkind: VirtualMachineImage\nmetadata:\n  name: ubuntu\n  namespace: default\n';
const NAMESPACE = 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n';

test('reads all documents of YAML and JSON files with their lines', () => {
  const { labels, unread } = read({
    'a.yaml': `# images\n\n---\n# the first\n${IMAGE}---\n${NAMESPACE}`,
    'sub/b.json': '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}',
    'notes.txt': 'x',
  });
  expect(labels).toEqual([
    'VirtualMachineImage ubuntu a.yaml:5',
    'Namespace shop a.yaml:11',
    'ConfigMap c sub/b.json:1',
  ]);
  expect(unread).toEqual([]);
});

test('reads lists as kubectl prints them, each object with its line', () => {
  const items = [1, 2, 3].map((index) => ({
    apiVersion: 'v1',
    data: { list: ['- a', '- b'] },
    kind: 'ConfigMap',
    metadata: { name: `c${index}`, uid: `u${index}` },
  }));
  const text = stringify({
    apiVersion: 'v1',
    items,
    kind: 'List',
    metadata: { resourceVersion: '' },
  });
  for (const indentation of [text, text.replace(/^ {2}/gm, '')]) {
    const { labels, objects } = read({ 'all.yaml': `${NAMESPACE}---\n${indentation}` });
    const lines = `${NAMESPACE}---\n${indentation}`
      .split('\n')
      .flatMap((line, index) => (/^ *- apiVersion/.test(line) ? [index + 1] : []));
    expect(labels).toEqual([
      'Namespace shop all.yaml:1',
      ...lines.map((line, index) => `ConfigMap c${index + 1} all.yaml:${line}`),
    ]);
    expect(objects[1].manifest).toEqual(items[0]);
  }
});

test('reads Secrets that it cannot decrypt, whose values nothing needs', () => {
  const sops =
    'sops:\n  age:\n  - recipient: age1qyyappls469vacyphhuhw3m02mpjxqglxwr6gr40k67tpvfwr5dqw2vdh3\n    enc: x\n  mac: ENC[AES256_GCM,data:x]\n';
  const secret = (name: string) =>
    `apiVersion: v1\nkind: Secret\nmetadata:\n  name: ${name}\nstringData:\n  userdata: ENC[AES256_GCM,data:x]\n${sops}`;
  const { objects, unread } = read({
    'a.yaml': secret('init'),
    'b.yaml': secret('ENC[AES256_GCM,data:y]'),
    'c.yaml': `${NAMESPACE}${sops}`,
  });
  expect(objects.map(({ manifest }) => manifest)).toEqual([
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'init' }, stringData: { userdata: '' } },
  ]);
  expect(unread).toEqual(
    ['b.yaml', 'c.yaml'].map((file) =>
      expect.stringMatching(new RegExp(`^${file}: is encrypted by SOPS`)),
    ),
  );
});

test('takes the kind of the cluster from the kinds of its objects', () => {
  const project =
    'apiVersion: management.cattle.io/v3\nkind: Project\nmetadata: {name: p, namespace: c-m-1}\n';
  const local =
    'apiVersion: provisioning.cattle.io/v1\nkind: Cluster\nmetadata: {name: local, namespace: fleet-local}\n';
  const setting =
    'apiVersion: management.cattle.io/v3\nkind: Setting\nmetadata: {name: ui-pl}\nvalue: x\n';
  expect(read({ 'a.yaml': project }).cluster.kind).toBe('rancher');
  expect(read({ 'a.yaml': `${IMAGE}---\n${local}---\n${setting}` }).cluster.kind).toBe('harvester');
  expect(read({ 'a.yaml': NAMESPACE }).cluster.kind).toBe('guest');
  expect(read({ 'a.yaml': NAMESPACE }, TargetKind.HARVESTER).cluster.kind).toBe('harvester');
  expect(() => read({ 'a.yaml': project, 'b.yaml': IMAGE })).toThrow(
    /must hold the objects of one cluster, got Project c-m-1\/p \(.*a\.yaml:1\), which is of Rancher, and .*b\.yaml:1.* Fix: use a folder/,
  );
});

test.each(['GitRepo', 'Bundle', 'HelmOp', 'ClusterGroup'])(
  'takes a folder of %ss in the workspace of other clusters for that of a Rancher',
  (kind) => {
    const fleet = (namespace: string): string =>
      `apiVersion: fleet.cattle.io/v1alpha1\nkind: ${kind}\nmetadata: {name: monitoring, namespace: ${namespace}}\n`;
    expect(read({ 'a.yaml': fleet('fleet-default') }).cluster.kind).toBe('rancher');
    // a Harvester has this workspace, too
    expect(read({ 'a.yaml': `${IMAGE}---\n${fleet('fleet-local')}` }).cluster.kind).toBe(
      'harvester',
    );
  },
);

test('reads versions from the settings in the folder', () => {
  const setting = (name: string, value: string): string =>
    `---\napiVersion: management.cattle.io/v3\nkind: Setting\nmetadata: {name: ${name}}\nvalue: ${value}\n`;
  const cluster =
    '---\napiVersion: provisioning.cattle.io/v1\nkind: Cluster\nmetadata: {name: shop, namespace: fleet-default}\n';
  expect(
    read({
      'a.yaml':
        setting('server-version', 'v2.13.8') +
        setting('server-url', 'https://r.example.com') +
        cluster,
    }).cluster,
  ).toEqual({
    name: 'dc1',
    kind: 'rancher',
    version: '2.13.8',
    serverUrl: 'https://r.example.com',
  });
  expect(read({ 'a.yaml': cluster }).cluster).toEqual({ name: 'dc1', kind: 'rancher' });
});

test('skips kustomizations and their patches, each with a reason', () => {
  const { labels, unread } = read({
    'base/kustomization.yaml':
      'resources: [ns.yaml]\npatches:\n- path: patch.yaml\n  target: {kind: Namespace}\n- patch: |-\n    - op: add\n',
    'base/ns.yaml': NAMESPACE,
    'base/patch.yaml':
      'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: other\n  labels: {a: b}\n',
  });
  expect(labels).toEqual(['Namespace shop base/ns.yaml:1']);
  expect(unread).toEqual([
    'base/kustomization.yaml: is a kustomization, whose changes are not made here. Fix: run kustomize build, and adopt its output',
    'base/patch.yaml: is a patch of /base/kustomization.yaml. Fix: run kustomize build, and adopt its output',
  ]);
});

test('skips the files of Helm charts, and templates', () => {
  const { labels, unread } = read({
    'chart/Chart.yaml': 'apiVersion: v2\nname: shop\n',
    'chart/templates/a.yaml':
      'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: {{ .Values.name }}\n  {{- include "x" . }}\n',
    'other/b.yaml':
      'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: x\n{{- if .Values.a }}\n  labels: {}\n{{- end }}\n',
    'ns.yaml': NAMESPACE,
  });
  expect(labels).toEqual(['Namespace shop ns.yaml:1']);
  expect(unread).toEqual([
    'chart/Chart.yaml: belongs to the Helm chart in chart. Fix: run helm template, and adopt its output',
    'chart/templates/a.yaml: belongs to the Helm chart in chart. Fix: run helm template, and adopt its output',
    'other/b.yaml: is a template. Fix: fill it in, and adopt the output',
  ]);
});

test('reports what is not an object, has no name, or is there twice', () => {
  const { labels, unread } = read({
    'a.yaml': `${NAMESPACE}---\nreplicas: 3\n---\napiVersion: v1\nkind: Namespace\nmetadata: {generateName: x-}\n`,
    'b.yaml': NAMESPACE,
    'c.yaml': 'a: [\n',
  });
  expect(labels).toEqual(['Namespace shop a.yaml:1']);
  expect(unread).toEqual([
    expect.stringMatching(/^c\.yaml: is not valid YAML: /),
    'a.yaml: document 2 is not an object: has no apiVersion and no kind',
    'a.yaml:8: Namespace has generateName: the server chooses its name. Fix: adopt it from the cluster',
    'b.yaml:1: Namespace shop is also in /a.yaml:1, which is used. Fix: leave one of them out',
  ]);
});

test('hides the values of Secrets, and never quotes a file', () => {
  const { objects, unread } = read({
    'a.yaml':
      'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: hush}\ndata: {key: aHVzaA==}\n',
    'b.yaml': 'password: [hush\n',
  });
  expect(objects[0].manifest).toMatchObject({ stringData: { password: '' }, data: { key: '' } });
  expect(JSON.stringify([objects, unread])).not.toMatch(/hush|aHVz/);
});

test.each(GENERATIONS)('reads what $folder had, with its kind', (generation) => {
  for (const [name, kind] of [
    ['rancher-platform', 'rancher'],
    ['harvester-platform', 'harvester'],
  ] as const) {
    const { objects } = recordingOf(generation, name);
    const items = objects
      .filter(({ states }) => states.length > 0)
      .map(({ states }) => states[states.length - 1].object);
    const found = read({ 'dump.yaml': stringify({ apiVersion: 'v1', kind: 'List', items }) });
    expect(found.cluster.kind).toBe(kind);
    expect(found.objects.length + found.unread.length).toBe(items.length);
    expect(found.objects.length).toBeGreaterThan(10);
  }
});

describe('an output of this library', () => {
  const output = join(ROOT, 'examples', 'rke2-production', 'dist');

  test('has the kind, the version and the URL of its cluster, and its Secrets that wait for late values', () => {
    const { objects, ...cluster } = readFolder({ name: 'prod', folder: join(output, 'rancher') });
    expect(cluster).toEqual({
      name: 'prod',
      kind: 'rancher',
      version: '2.13.8',
      serverUrl: 'https://rancher.example.com',
      unread: [],
    });
    const waiting = objects
      .filter(({ from }) => from === join(output, 'assembly.json'))
      .map(({ manifest }) => manifest);
    expect(waiting.map(({ metadata: { name } }) => name)).toEqual([
      'cc-dc1',
      'harvesterconfig-shop',
    ]);
    expect(JSON.stringify(waiting)).not.toContain('late:');
  });

  test('does not contain other objects that wait for late values', () => {
    const dc1 = readFolder({
      name: 'dc1',
      folder: join(ROOT, 'examples', 'three-tenants', 'dist', 'dc1'),
    });
    expect(dc1.objects.map(({ manifest }) => manifest.metadata.name)).not.toContain(
      'cluster-registration-url',
    );
    expect(dc1.unread).toEqual([
      {
        kind: expect.stringContaining('assembly.json'),
        reason: expect.stringContaining('Setting cluster-registration-url waits for late values'),
      },
    ]);
  });

  test('is read without a damaged assembly, which is reported', () => {
    const folder = folderOf({ 'assembly.json': '{', 'dc1/a.yaml': NAMESPACE });
    const { objects, unread } = readFolder({ name: 'dc1', folder: join(folder, 'dc1') });
    expect({ count: objects.length, unread }).toEqual({
      count: 1,
      unread: [
        { kind: join(folder, 'assembly.json'), reason: expect.stringContaining('assembly.json') },
      ],
    });
  });
});

test('reports templates that are YAML themselves, and names that something else fills in', () => {
  const { labels, unread } = read({
    'ytt.yaml': `#@ load("@ytt:data", "data")\n---\n${IMAGE}spec:\n  url: #@ data.values.url\n`,
    'envsubst.yaml': `${IMAGE.replace('ubuntu', '${IMAGE}')}---\n${NAMESPACE.replace('shop', '"<namespace>"')}`,
    'plain.yaml': `${NAMESPACE}  annotations:\n    mail: "a#@b"\n`,
  });
  expect(labels).toEqual(['Namespace shop plain.yaml:1']);
  expect(unread).toEqual([
    'ytt.yaml: is a template. Fix: fill it in, and adopt the output',
    'envsubst.yaml:1: VirtualMachineImage has the placeholder ${IMAGE} in place of a name. Fix: fill it in, and adopt the output',
    'envsubst.yaml:7: Namespace has the placeholder <namespace> in place of a name. Fix: fill it in, and adopt the output',
  ]);
});
