import { mkdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { ApiObject, App, Chart, JsonPatch, Testing } from 'cdk8s';
import { parseAllDocuments } from 'yaml';
import { HarvesterChart, OutputLayout, RancherChart, Rules } from '../../src/app';
import { LateSource, LateValue } from '../../src/late';
import { configMap, filesIn, newApp, newHarvester, newRancher, SERVER } from '../support/programs';

describe('output', () => {
  test('goes to a folder a target and a file a kind, in the order of a plain apply', () => {
    const app = newApp();
    const chart = newRancher(app);
    configMap(chart, 'b', {}, 'two');
    configMap(chart, 'a', {}, 'two');
    new ApiObject(chart, 'ns', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'two' } });
    configMap(newHarvester(app), 'a');
    app.synth();
    const files = filesIn(app.outdir);
    expect(Object.keys(files)).toEqual(['assembly.json', 'dc1/15-configmap.yaml', 'rancher/10-namespace.yaml', 'rancher/15-configmap.yaml']);
    expect(parseAllDocuments(files['rancher/15-configmap.yaml']).map((document) => document.toJS().metadata.name)).toEqual(['a', 'b']);
  });

  test('of a file an object has names that can not collide', () => {
    const app = newApp({ layout: OutputLayout.FILE_PER_OBJECT });
    const rancher = newRancher(app);
    configMap(rancher, 'a', {}, 'one');
    new ApiObject(rancher, 'b', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'two' } });
    configMap(newHarvester(app), 'a');
    app.synth();
    expect(Object.keys(filesIn(app.outdir))).toEqual([
      'assembly.json', 'dc1/15-configmap_default_a.yaml', 'rancher/15-configmap_one_a.yaml', 'rancher/15-configmap_two_a.yaml',
    ]);
  });

  test('encodes names that file systems fold or refuse', () => {
    const app = newApp({ layout: OutputLayout.FILE_PER_OBJECT });
    const chart = newRancher(app);
    for (const name of ['system:node', 'System:node']) {
      new ApiObject(chart, name.replace(':', '-'), { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name } });
    }
    app.synth();
    expect(Object.keys(filesIn(join(app.outdir, 'rancher')))).toEqual([
      '16-clusterrole.rbac.authorization.k8s.io_%53ystem%3Anode.yaml', '16-clusterrole.rbac.authorization.k8s.io_system%3Anode.yaml',
    ]);
  });

  test('is the same for the same program whatever the order of its lines', () => {
    const write = (ids: string[]) => {
      const app = newApp();
      const chart = newRancher(app);
      for (const id of ids) { configMap(chart, id); }
      app.synth();
      return filesIn(app.outdir);
    };
    expect(write(['a', 'b', 'c'])).toEqual(write(['c', 'a', 'b']));
  });

  test('loses what an earlier synthesis wrote, keeps what others put there', () => {
    const first = newApp();
    configMap(newRancher(first), 'old');
    first.synth();
    writeFileSync(join(first.outdir, 'rancher', 'fleet.yaml'), 'namespace: x\n');
    mkdirSync(join(first.outdir, 'notes'));
    writeFileSync(join(first.outdir, 'notes', 'a.md'), 'hello');

    const second = newApp({ outdir: first.outdir });
    new ApiObject(newRancher(second), 'new', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } });
    second.synth();
    expect(Object.keys(filesIn(first.outdir))).toEqual(['assembly.json', 'notes/a.md', 'rancher/10-namespace.yaml', 'rancher/fleet.yaml']);
  });

  test('stays as it was when a synthesis fails', () => {
    const good = newApp();
    configMap(newRancher(good), 'a');
    good.synth();
    const before = filesIn(good.outdir);

    const bad = newApp({ outdir: good.outdir });
    const chart = newRancher(bad);
    configMap(chart, 'a', { changed: 'yes' });
    configMap(chart, 'b', { broken: new Date(0) });
    expect(() => bad.synth()).toThrow(/nothing was written/);
    expect(filesIn(good.outdir)).toEqual(before);
  });

  test('is refused when an assembly there can not be read, since nobody knows what is stale', () => {
    const app = newApp();
    writeFileSync(join(app.outdir, 'assembly.json'), '{');
    configMap(newRancher(app), 'a');
    expect(() => app.synth()).toThrow(/assembly.json can not be read/);
  });
});

describe('objects', () => {
  test('of cluster-scoped kinds never get the namespace of their chart', () => {
    const app = newApp();
    const chart = newRancher(app, '2.13.8', { namespace: 'team' });
    new ApiObject(chart, 'role', { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'r' } });
    new ApiObject(chart, 'map', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } });
    const [role, map] = Testing.synth(chart);
    expect(role.metadata).toEqual({ name: 'r' });
    expect(map.metadata).toEqual({ name: 'm', namespace: 'team' });
    app.synth();
    expect(filesIn(app.outdir)['rancher/16-clusterrole.rbac.authorization.k8s.io.yaml']).not.toContain('namespace');
  });

  test('below plain charts go to the target around them', () => {
    const app = newApp();
    configMap(new Chart(newRancher(app), 'team-a'), 'x');
    app.synth();
    expect(filesIn(app.outdir)['rancher/15-configmap.yaml']).toContain('name: x');
  });

  test('outside every target chart are an error', () => {
    const app = newApp();
    configMap(new Chart(app, 'lost'), 'x');
    expect(() => app.synth()).toThrow(/ConfigMap x lies below no target chart[^]*at: lost\/x/);
  });

  test('twice on a target are an error with both paths', () => {
    const app = newApp();
    const chart = newRancher(app);
    configMap(chart, 'a');
    configMap(new Chart(chart, 'inner'), 'a');
    expect(() => app.synth()).toThrow(/declared twice on rancher: at rancher\/a and at rancher\/inner\/a/);
  });

  test('keep JSON patches of unknown fields', () => {
    const app = newApp();
    const chart = newRancher(app);
    configMap(chart, 'a').addJsonPatch(JsonPatch.add('/unknown', { deep: true }));
    app.synth();
    expect(filesIn(app.outdir)['rancher/15-configmap.yaml']).toContain('unknown:\n  deep: true\n');
  });

  test('of a kind that the target does not know are an error', () => {
    const app = newApp();
    new ApiObject(newHarvester(app), 'p', { apiVersion: 'management.cattle.io/v3', kind: 'Project', metadata: { name: 'p', namespace: 'c-m-abcdefgh' } });
    expect(() => app.synth()).toThrow(/Project of management.cattle.io does not exist on a harvester cluster/);
  });
});

describe('findings', () => {
  test('come all at once', () => {
    const app = newApp();
    const chart = newRancher(app);
    for (const id of ['a', 'b']) { configMap(chart, id, {}, 'Bad_Namespace'); }
    configMap(new Chart(app, 'lost'), 'x');
    expect(() => app.synth()).toThrow(/3 errors, 0 warnings/);
    expect(app.findings.map(({ rule }) => rule)).toEqual(['program/outside-target', 'object/name', 'object/name']);
  });

  test('of constructs stand among them', () => {
    const app = newApp();
    const chart = newRancher(app);
    chart.node.addValidation({ validate: () => ['nobody came'] });
    expect(() => app.synth()).toThrow(/program\/not-valid[^]*nobody came/);
  });

  test('can be suppressed with a reason, which the assembly keeps', () => {
    const app = newApp();
    const chart = newRancher(app);
    configMap(chart, 'a', {}, 'Bad_Namespace');
    Rules.of(chart).suppress('object/name', 'the server is patched');
    app.synth();
    expect(JSON.parse(filesIn(app.outdir)['assembly.json']).findings).toEqual([
      expect.objectContaining({ rule: 'object/name', construct: 'rancher/a', suppressed: 'the server is patched' }),
    ]);
  });

  test('that are suppressed elsewhere still count, and the suppression is told to be of no use', () => {
    const app = newApp();
    configMap(newRancher(app), 'a', {}, 'Bad_Namespace');
    Rules.of(newHarvester(app)).suppress('object/name', 'reason');
    expect(() => app.synth()).toThrow(/1 error, 1 warning/);
    expect(app.findings.map(({ rule }) => rule)).toContain('program/unused-suppression');
  });

  test('of the program itself can not be suppressed, and a reason is needed', () => {
    const chart = newRancher(newApp());
    expect(() => Rules.of(chart).suppress('program/cycle', 'x')).toThrow('[rancher] Rules.suppress program/cycle');
    expect(() => Rules.of(chart).suppress('object/name', ' ')).toThrow('the reason is empty');
  });

  test('are returned by validate, which writes nothing', () => {
    const app = newApp();
    configMap(newRancher(app), 'a', {}, 'Bad_Namespace');
    expect(app.validate()).toHaveLength(1);
    expect(filesIn(app.outdir)).toEqual({});
  });
});

describe('a plain cdk8s App', () => {
  test('takes target charts', () => {
    const chart = new RancherChart(new App(), 'rancher', { version: '2.13.8', serverUrl: SERVER, namespace: 'x' });
    new ApiObject(chart, 'ns', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } });
    expect(Testing.synth(chart)).toEqual([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } }]);
  });

  test('is refused by late values, with the name of what they need', () => {
    const app = Testing.app();
    const chart = newRancher(app);
    new LateValue(chart, 'late', {
      description: 'the id', source: LateSource.field({ target: chart, apiVersion: 'v1', kind: 'Pod', name: 'x' }, 'status.id'),
    });
    for (const synthesize of [() => app.synth(), () => Testing.synth(chart)]) { expect(synthesize).toThrow(/needs HarvesterApp/); }
  });
});

describe('cdk8s synth', () => {
  test('finds its folder and its metadata', () => {
    const app = newApp({ recordConstructMetadata: true });
    configMap(newRancher(app), 'a');
    app.synth();
    expect(JSON.parse(filesIn(app.outdir)['construct-metadata.json'])).toEqual({ version: '1.0.0', resources: { a: { path: 'rancher/a' } } });
  });

  test('as one text takes a program of one target alone', () => {
    const app = newApp();
    configMap(newRancher(app), 'a', { key: 'value' });
    expect(app.synthYaml()).toContain('  key: value\n');
    newHarvester(app);
    expect(() => app.synthYaml()).toThrow('2 targets (rancher, dc1)');
  });
});

describe('target charts', () => {
  test('refuse versions and URLs that are none, with their path', () => {
    const app = newApp();
    expect(() => new HarvesterChart(app, 'a', { version: '1.7' })).toThrow(/^\[a\] version: /);
    expect(() => new RancherChart(app, 'b', { version: '2.13.8', serverUrl: 'rancher.example.com' })).toThrow(/^\[b\] serverUrl: .*is no URL/);
    expect(() => new RancherChart(app, 'c', { version: '2.13.8', serverUrl: 'https://r.example.com/dashboard' })).toThrow('more than scheme and host');
    expect(() => new RancherChart(app, 'd', { version: '2.13.8', serverUrl: SERVER, caCertificates: 'hello' })).toThrow('holds no certificate');
  });

  test('have names that are folders, one each', () => {
    const app = newApp();
    expect(() => new HarvesterChart(app, 'Data Center', { version: '1.7.2' })).toThrow('RFC 1123 label');
    new HarvesterChart(app, 'a', { version: '1.7.2', targetName: 'dc' });
    new HarvesterChart(app, 'b', { version: '1.7.2', targetName: 'dc' });
    expect(() => app.synth()).toThrow('the target chart "a" has the name "dc" already');
  });
});
