import { mkdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { ApiObject, App, Chart, JsonPatch, Testing } from 'cdk8s';
import { parseAllDocuments } from 'yaml';
import { OrderingType, Ordering } from '../../../src/core/construct/edge';
import { OutputLayout } from '../../../src/core/output/assembly';
import { Suppressions } from '../../../src/core/program/suppressions';
import { LateSource, LateValue } from '../../../src/core/value/late-value';
import { HarvesterChart } from '../../../src/harvester/harvester-chart';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { AuthProvider, Principal } from '../../../src/rancher/members/principal';
import { ProjectMember } from '../../../src/rancher/project/tenant-namespace';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import { RancherChart } from '../../../src/rancher/rancher-chart';
import {
  SERVER,
  configMap,
  filesIn,
  newApp,
  newHarvester,
  newRancher,
} from '../../support/programs';
import { assemblyOf } from '../../support/written';

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
    expect(Object.keys(files)).toEqual([
      'assembly.json',
      'dc1/15-configmap.yaml',
      'rancher/10-namespace.yaml',
      'rancher/15-configmap.yaml',
    ]);
    expect(
      parseAllDocuments(files['rancher/15-configmap.yaml']).map(
        (document) => document.toJS().metadata.name,
      ),
    ).toEqual(['a', 'b']);
  });

  test('of a file for each object have names that cannot collide', () => {
    const app = newApp({ layout: OutputLayout.FILE_PER_OBJECT });
    const rancher = newRancher(app);
    configMap(rancher, 'a', {}, 'one');
    new ApiObject(rancher, 'b', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'two' },
    });
    configMap(newHarvester(app), 'a');
    app.synth();
    expect(Object.keys(filesIn(app.outdir))).toEqual([
      'assembly.json',
      'dc1/15-configmap_default_a.yaml',
      'rancher/15-configmap_one_a.yaml',
      'rancher/15-configmap_two_a.yaml',
    ]);
  });

  test.each([
    [OutputLayout.FILE_PER_KIND, ['28-roletemplate.management.cattle.io.yaml']],
    [
      OutputLayout.FILE_PER_OBJECT,
      [
        '28-roletemplate.management.cattle.io_operator.yaml',
        '28.1-roletemplate.management.cattle.io_backup.yaml',
      ],
    ],
  ])('of a %s has a role before those that inherit it', (layout, names) => {
    const app = newApp({ layout });
    const rancher = newRancher(app);
    const role = (name: string, ...roleTemplateNames: string[]): ApiObject =>
      new ApiObject(rancher, name, {
        apiVersion: 'management.cattle.io/v3',
        kind: 'RoleTemplate',
        metadata: { name },
        context: 'project',
        roleTemplateNames,
      });
    role('backup', 'operator');
    role('operator');
    app.synth();
    const files = filesIn(join(app.outdir, 'rancher'));
    expect(Object.keys(files).sort()).toEqual(names);
    const text = names.map((name) => files[name]).join('');
    expect(text.indexOf('name: operator')).toBeLessThan(text.indexOf('name: backup'));
  });

  test('encodes names that file systems fold or refuse', () => {
    const app = newApp({ layout: OutputLayout.FILE_PER_OBJECT });
    const chart = newRancher(app);
    for (const name of ['system:node', 'System:node']) {
      new ApiObject(chart, name.replace(':', '-'), {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name },
      });
    }
    app.synth();
    expect(Object.keys(filesIn(join(app.outdir, 'rancher')))).toEqual([
      '16-clusterrole.rbac.authorization.k8s.io_%53ystem%3Anode.yaml',
      '16-clusterrole.rbac.authorization.k8s.io_system%3Anode.yaml',
    ]);
  });

  test.each(Object.values(OutputLayout))('of a %s cannot leave its folder by a kind', (layout) => {
    const app = newApp({ layout });
    const chart = newRancher(app);
    new ApiObject(chart, 'a', {
      apiVersion: 'x.io/v1',
      kind: 'Foo/../../../Bar',
      metadata: { name: 'a' },
    });
    new ApiObject(chart, 'b', { apiVersion: '..\\x/v1', kind: 'B', metadata: { name: 'b' } });
    app.synth();
    const files = Object.keys(filesIn(app.outdir));
    expect(files.filter((file) => file.startsWith('rancher/'))).toHaveLength(2);
    expect(files).toContainEqual(
      expect.stringMatching(/^rancher\/45-foo%2F\.\.%2F\.\.%2F\.\.%2Fbar\.x\.io/),
    );
    expect(files).toContainEqual(expect.stringMatching(/^rancher\/45-b\.\.\.%5Cx/));
  });

  test.each(Object.values(OutputLayout))(
    'of a %s keeps kinds apart that differ in their case only',
    (layout) => {
      const app = newApp({ layout });
      const chart = newRancher(app);
      for (const kind of ['Foo', 'FOO']) {
        new ApiObject(chart, kind, { apiVersion: 'x.io/v1', kind, metadata: { name: 'a' } });
      }
      app.synth();
      const files = Object.entries(filesIn(join(app.outdir, 'rancher')));
      const suffix = layout === OutputLayout.FILE_PER_KIND ? '' : '_a';
      expect(files.map(([file]) => file.replace(/[0-9a-f]{16}/, '<hash>'))).toEqual([
        `45-foo.x.io-<hash>${suffix}.yaml`,
        `45-foo.x.io${suffix}.yaml`,
      ]);
      expect(files.map(([, text]) => parseAllDocuments(text).length)).toEqual([1, 1]);
    },
  );

  test('shortens names that no file system takes, and keeps them apart', () => {
    const app = newApp({ layout: OutputLayout.FILE_PER_OBJECT });
    const chart = newRancher(app);
    const label = 'a'.repeat(63);
    for (const end of ['b', 'c']) {
      new ApiObject(chart, end, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace: 'x', name: [label, label, label, end].join('.') },
      });
    }
    app.synth();
    const files = Object.keys(filesIn(join(app.outdir, 'rancher')));
    expect(files.map((file) => file.length)).toEqual([205, 205]);
    expect(files[0]).toMatch(/^15-configmap_x_a+\..*_[0-9a-f]{16}\.yaml$/);
  });

  test('is refused over a file that no synthesis wrote, by its name', () => {
    const app = newApp();
    configMap(newRancher(app), 'a');
    mkdirSync(join(app.outdir, 'rancher'));
    writeFileSync(join(app.outdir, 'rancher', '15-configmap.yaml'), 'mine');
    expect(() => app.synth()).toThrow(
      /rancher\/15-configmap.yaml was not written by an earlier synthesis\. Fix: remove it, or choose another folder/,
    );
    expect(filesIn(app.outdir)).toEqual({ 'rancher/15-configmap.yaml': 'mine' });
  });

  test('is the same for the same program whatever the order of its lines', () => {
    const write = (ids: string[]) => {
      const app = newApp();
      const chart = newRancher(app);
      for (const id of ids) {
        configMap(chart, id);
      }
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
    new ApiObject(newRancher(second), 'new', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'new' },
    });
    second.synth();
    expect(Object.keys(filesIn(first.outdir))).toEqual([
      'assembly.json',
      'notes/a.md',
      'rancher/10-namespace.yaml',
      'rancher/fleet.yaml',
    ]);
  });

  test('is left untouched when a synthesis fails', () => {
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

  test.each(['{', '{"schemaVersion":"1","objects":[]}'])(
    'is refused when its assembly cannot be read, since stale files are then unknown: %s',
    (assembly) => {
      const app = newApp();
      writeFileSync(join(app.outdir, 'assembly.json'), assembly);
      configMap(newRancher(app), 'a');
      expect(() => app.synth()).toThrow(/assembly.json cannot be read/);
    },
  );
});

describe('objects', () => {
  test('of cluster-scoped kinds never get the namespace of their chart', () => {
    const app = newApp();
    const chart = newRancher(app, '2.13.8', { namespace: 'team' });
    new ApiObject(chart, 'role', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'r' },
    });
    new ApiObject(chart, 'map', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } });
    const [role, map] = Testing.synth(chart);
    expect(role.metadata).toEqual({ name: 'r' });
    expect(map.metadata).toEqual({ name: 'm', namespace: 'team' });
    app.synth();
    expect(
      filesIn(app.outdir)['rancher/16-clusterrole.rbac.authorization.k8s.io.yaml'],
    ).not.toContain('namespace');
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
    expect(() => app.synth()).toThrow(/ConfigMap x must be below a target chart[^]*at: lost\/x/);
  });

  test('twice on a target are an error with both paths', () => {
    const app = newApp();
    const chart = newRancher(app);
    configMap(chart, 'a');
    configMap(new Chart(chart, 'inner'), 'a');
    expect(() => app.synth()).toThrow(
      /declared twice on rancher: at rancher\/a and at rancher\/inner\/a/,
    );
  });

  test('several times are one cause, with the parts of their constructs below it', () => {
    const app = newApp();
    const rancher = newRancher(app);
    const cluster = new HarvesterImport(rancher, 'import', { harvester: newHarvester(app) });
    for (const id of ['a', 'b', 'c']) {
      new TenantProject(rancher, id, {
        cluster,
        name: 'search',
        members: [ProjectMember.owner(Principal.groupOf(AuthProvider.OKTA, 'leads'))],
      });
    }
    configMap(rancher, 'x');
    configMap(new Chart(rancher, 'inner'), 'x');
    const duplicates = app.validate().filter(({ rule }) => rule === 'object/duplicate');
    expect(duplicates).toHaveLength(5);
    expect(new Set(duplicates.map(({ cause }) => cause))).toEqual(
      new Set([
        expect.stringMatching(
          /^Project \S+\/search is declared 3 times on rancher: at rancher\/a\/Resource, rancher\/b\/Resource, rancher\/c\/Resource$/,
        ),
        'ConfigMap default/x is declared twice on rancher: at rancher/x, rancher/inner/x',
      ]),
    );
  });

  test('keep JSON patches of unknown fields', () => {
    const app = newApp();
    const chart = newRancher(app);
    configMap(chart, 'a').addJsonPatch(JsonPatch.add('/unknown', { deep: true }));
    app.synth();
    expect(filesIn(app.outdir)['rancher/15-configmap.yaml']).toContain('unknown:\n  deep: true\n');
  });

  test.each<[string, string, RegExp]>([
    ['no name', '/metadata/name', /metadata\.name must be text/],
    ['no kind', '/kind', /kind must be text/],
    ['no metadata', '/metadata', /metadata\.name must be text/],
  ])('with %s are an error with their path', (_, path, message) => {
    const app = newApp();
    configMap(newRancher(app), 'a').addJsonPatch(JsonPatch.remove(path));
    expect(app.validate()).toEqual([
      expect.objectContaining({
        rule: 'program/not-rendered',
        construct: 'rancher/a',
        message: expect.stringMatching(message),
      }),
    ]);
  });

  test('with a namespace that is not text are an error with their path', () => {
    const app = newApp();
    configMap(newRancher(app), 'a').addJsonPatch(JsonPatch.add('/metadata/namespace', 5));
    expect(app.validate()).toEqual([
      expect.objectContaining({
        construct: 'rancher/a',
        message: 'is not a Kubernetes object: metadata.namespace must be text',
      }),
    ]);
  });

  test.each<[string, unknown]>([
    ['NaN', NaN],
    ['a BigInt', 1n],
    ['half a character', '\ud800'],
  ])('with %s are an error with their path', (_, value) => {
    const app = newApp();
    configMap(newRancher(app), 'a', { x: value });
    expect(app.validate()).toEqual([
      expect.objectContaining({
        rule: 'program/not-rendered',
        construct: 'rancher/a',
        message: expect.stringContaining('data.x'),
      }),
    ]);
  });

  test('in a list are judged and written one by one', () => {
    const app = newApp();
    const item = (name: string, namespace = 'x') => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace },
    });
    const inner = { apiVersion: 'v1', kind: 'ConfigMapList', items: [item('c')] };
    const chart = newRancher(app);
    new ApiObject(chart, 'list', {
      apiVersion: 'v1',
      kind: 'List',
      items: [item('b'), item('a'), inner],
    } as any);
    app.synth();
    const files = filesIn(app.outdir);
    expect(Object.keys(files)).toEqual(['assembly.json', 'rancher/15-configmap.yaml']);
    expect(
      parseAllDocuments(files['rancher/15-configmap.yaml']).map(
        (document) => document.toJS().metadata.name,
      ),
    ).toEqual(['a', 'b', 'c']);
    expect(assemblyOf(app).objects.map(({ construct }: any) => construct)).toEqual([
      'rancher/list',
      'rancher/list',
      'rancher/list',
    ]);

    new ApiObject(chart, 'bad', {
      apiVersion: 'v1',
      kind: 'List',
      items: [item('d', 'Bad_Namespace')],
    } as any);
    new ApiObject(chart, 'none', {
      apiVersion: 'v1',
      kind: 'List',
      items: [item('e'), { kind: 'ConfigMap' }, 'text'],
    } as any);
    expect(app.validate()).toEqual([
      expect.objectContaining({
        rule: 'object/name',
        construct: 'rancher/bad',
        object: expect.objectContaining({ name: 'd' }),
      }),
      expect.objectContaining({
        rule: 'program/not-rendered',
        construct: 'rancher/none',
        message: expect.stringContaining('items[1].apiVersion'),
      }),
    ]);
  });

  test('of a kind that the target does not know are an error', () => {
    const app = newApp();
    new ApiObject(newHarvester(app), 'p', {
      apiVersion: 'management.cattle.io/v3',
      kind: 'Project',
      metadata: { name: 'p', namespace: 'c-m-abcdefgh' },
    });
    expect(() => app.synth()).toThrow(
      /Project of management.cattle.io does not exist on a harvester cluster/,
    );
  });
});

describe('findings', () => {
  test('come all at once', () => {
    const app = newApp();
    const chart = newRancher(app);
    for (const id of ['a', 'b']) {
      configMap(chart, id, {}, 'Bad_Namespace');
    }
    configMap(new Chart(app, 'lost'), 'x');
    expect(() => app.synth()).toThrow(/3 errors, 0 warnings/);
    expect(app.findings.map(({ rule }) => rule)).toEqual([
      'program/outside-target',
      'object/name',
      'object/name',
    ]);
  });

  test('of constructs are among them', () => {
    const app = newApp();
    const chart = newRancher(app);
    chart.node.addValidation({ validate: () => ['no guest came'] });
    expect(() => app.synth()).toThrow(/program\/not-valid[^]*no guest came/);
  });

  test('come also from validations that break', () => {
    const app = newApp();
    const chart = newRancher(app);
    chart.node.addValidation({
      validate: () => {
        throw new Error('out of luck');
      },
    });
    configMap(chart, 'a', {}, 'Bad_Namespace');
    expect(app.validate()).toEqual([
      expect.objectContaining({
        rule: 'program/not-valid',
        construct: 'rancher',
        message: 'its validation failed: out of luck',
      }),
      expect.objectContaining({ rule: 'object/name' }),
    ]);
  });

  test('show values as they were given', () => {
    const app = newApp();
    newRancher(app);
    new HarvesterChart(app, 'b', { version: '1.7.2', targetName: 'rancher' });
    expect(app.validate()).toEqual([
      expect.objectContaining({ path: 'targetName', value: '"rancher"' }),
    ]);
  });

  test('can be suppressed with a reason, which the assembly keeps', () => {
    const app = newApp();
    const chart = newRancher(app);
    configMap(chart, 'a', {}, 'Bad_Namespace');
    Suppressions.of(chart).suppress('object/name', 'the server is patched');
    app.synth();
    expect(assemblyOf(app).findings).toEqual([
      expect.objectContaining({
        rule: 'object/name',
        construct: 'rancher/a',
        suppressed: 'the server is patched',
      }),
    ]);
  });

  test('that are suppressed elsewhere are still counted, and the suppression is reported as unused', () => {
    const app = newApp();
    configMap(newRancher(app), 'a', {}, 'Bad_Namespace');
    Suppressions.of(newHarvester(app)).suppress('object/name', 'reason');
    expect(() => app.synth()).toThrow(/1 error, 1 warning/);
    expect(app.findings.map(({ rule }) => rule)).toContain('program/unused-suppression');
  });

  test('cannot be applied to rules about the output itself, and need a reason', () => {
    const chart = newRancher(newApp());
    expect(() => Suppressions.of(chart).suppress('program/cycle', 'x')).toThrow(
      '[rancher] Suppressions.suppress program/cycle',
    );
    expect(() => Suppressions.of(chart).suppress('object/duplicate', 'x')).toThrow(
      'cannot be suppressed',
    );
    expect(() => Suppressions.of(chart).suppress('object/name', ' ')).toThrow(
      'the reason must not be empty',
    );
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
    const chart = new RancherChart(new App(), 'rancher', {
      version: '2.13.8',
      serverUrl: SERVER,
      namespace: 'x',
    });
    new ApiObject(chart, 'ns', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } });
    expect(Testing.synth(chart)).toEqual([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } },
    ]);
  });

  test('is refused by late values, with the name of what they need', () => {
    const app = Testing.app();
    const chart = newRancher(app);
    new LateValue(chart, 'late', {
      description: 'the id',
      source: LateSource.field('status.id', {
        target: chart,
        apiVersion: 'v1',
        kind: 'Pod',
        name: 'x',
      }),
    });
    for (const synthesize of [() => app.synth(), () => Testing.synth(chart)]) {
      expect(synthesize).toThrow(/needs HarvesterApp/);
    }
  });
});

describe('a plain cdk8s App is refused', () => {
  test.each<[string, (chart: RancherChart) => void, RegExp]>([
    [
      'edges',
      (chart) =>
        Ordering.of(configMap(chart, 'a')).after(configMap(chart, 'b'), OrderingType.APPLIED),
      /\[rancher\/a\] Ordering\.after needs HarvesterApp/,
    ],
    [
      'suppressions',
      (chart) => Suppressions.of(chart).suppress('object/name', 'reason'),
      /\[rancher\] Suppressions\.suppress needs HarvesterApp/,
    ],
  ])('by %s', (_, declare, message) => {
    const chart = newRancher(new App());
    declare(chart);
    expect(() => Testing.synth(chart)).toThrow(message);
  });

  test('once a construct', () => {
    const chart = newRancher(new App());
    const [a, b, c] = ['a', 'b', 'c'].map((id) => configMap(chart, id));
    Ordering.of(a).after(b, OrderingType.APPLIED);
    Ordering.of(a).after(c, OrderingType.APPLIED);
    expect(a.node.validate()).toHaveLength(1);
  });
});

describe('cdk8s synth', () => {
  test('finds its folder and its metadata', () => {
    const app = newApp({ recordConstructMetadata: true });
    configMap(newRancher(app), 'a');
    app.synth();
    expect(JSON.parse(filesIn(app.outdir)['construct-metadata.json'])).toEqual({
      version: '1.0.0',
      resources: { a: { path: 'rancher/a' } },
    });
  });

  test('as one text has the order of a plain apply, whatever the order of the lines', () => {
    const text = (ids: string[]) => {
      const app = newApp();
      const chart = newRancher(app);
      for (const id of ids) {
        configMap(chart, id);
      }
      new ApiObject(chart, 'ns', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'default' },
      });
      return app.synthYaml();
    };
    expect(text(['b', 'a'])).toBe(text(['a', 'b']));
    expect(
      parseAllDocuments(text(['b', 'a'])).map(
        (document) => `${document.toJS().kind} ${document.toJS().metadata.name}`,
      ),
    ).toEqual(['Namespace default', 'ConfigMap a', 'ConfigMap b']);
  });

  test('as one text names the targets where there are several', () => {
    const app = newApp();
    configMap(newRancher(app), 'a', { key: 'value' });
    expect(app.synthYaml()).toContain('  key: value\n');
    newHarvester(app);
    expect(app.synthYaml()).toMatch(/^# target: dc1\n---\n# target: rancher\n/);
  });
});

describe('target charts', () => {
  test('refuse versions and URLs that are none, with their path', () => {
    const app = newApp();
    expect(() => new HarvesterChart(app, 'a', { version: '1.7' })).toThrow(/^\[a\] version: /);
    expect(
      () => new RancherChart(app, 'b', { version: '2.13.8', serverUrl: 'rancher.example.com' }),
    ).toThrow(/^\[b\] serverUrl: .*must be an https URL/);
    expect(
      () =>
        new RancherChart(app, 'c', {
          version: '2.13.8',
          serverUrl: 'https://r.example.com/dashboard',
        }),
    ).toThrow('must be scheme and host');
    expect(
      () =>
        new RancherChart(app, 'd', {
          version: '2.13.8',
          serverUrl: SERVER,
          caCertificates: 'hello',
        }),
    ).toThrow('must contain a certificate in PEM form');
  });

  test('have names that are folders, one each', () => {
    const app = newApp();
    expect(() => new HarvesterChart(app, 'Data Center', { version: '1.7.2' })).toThrow(
      'RFC 1123 label',
    );
    new HarvesterChart(app, 'a', { version: '1.7.2', targetName: 'dc' });
    new HarvesterChart(app, 'b', { version: '1.7.2', targetName: 'dc' });
    expect(() => app.synth()).toThrow('the target chart "a" has the name "dc" already');
  });
});
