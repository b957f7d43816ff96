import { writeFileSync } from 'fs';
import { join } from 'path';
import { inspect } from 'util';
import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { parse } from 'yaml';
import { HarvesterApp } from '../../src/app';
import { OrderGraph } from '../../src/app/graph';
import { Edges, EdgeType, LateSource, LateType, LateValue, SecretValue } from '../../src/late';
import { configMap, filesIn, newApp, newHarvester, newRancher } from '../support/programs';
import { tempFolder } from '../support/temp';

function lateValue(scope: Construct, id: string, props: { type?: LateType; sensitive?: boolean } = {}): LateValue {
  const target = newRancherOnce(scope.node.root as HarvesterApp);
  return new LateValue(scope, id, {
    description: `value ${id}`, source: LateSource.field({ target, apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'source' }, 'data.x'), ...props,
  });
}

function newRancherOnce(app: HarvesterApp) {
  return (app.node.tryFindChild('rancher') as ReturnType<typeof newRancher> | undefined) ?? newRancher(app);
}

function assemblyOf(app: HarvesterApp) {
  return JSON.parse(filesIn(app.outdir)['assembly.json']);
}

function resolved(values: Record<string, string>): string {
  const file = join(tempFolder(), 'values.json');
  writeFileSync(file, JSON.stringify({ schemaVersion: '1', values }));
  return file;
}

describe('an object that waits for a late value', () => {
  test('is a template in the assembly and in no file', () => {
    const app = newApp();
    const dc1 = newHarvester(app);
    const late = lateValue(newRancherOnce(app), 'url');
    configMap(dc1, 'waits', { json: JSON.stringify({ url: late.token, on: true }), text: `prefix-${late}-suffix` });
    configMap(dc1, 'ready');
    app.synth();
    expect(Object.keys(filesIn(app.outdir))).toEqual(['assembly.json', 'dc1/15-configmap.yaml']);
    const waiting = assemblyOf(app).objects.find((object: any) => object.name === 'waits');
    expect(waiting).toMatchObject({ lateValues: ['rancher.url'], template: { data: { json: '{"url":"${late:rancher.url}","on":true}' } } });
    expect(waiting.file).toBeUndefined();
    expect(assemblyOf(app).edges).toContainEqual({ from: 'dc1//ConfigMap/default/waits', to: 'late:rancher.url', type: 'value' });
  });

  test('waits for the object that the value is read from, where the program writes it', () => {
    const app = newApp();
    const rancher = newRancherOnce(app);
    configMap(rancher, 'source');
    configMap(newHarvester(app), 'waits', { x: lateValue(rancher, 'v').token });
    app.synth();
    expect(assemblyOf(app).edges).toEqual([
      { from: 'dc1//ConfigMap/default/waits', to: 'late:rancher.v', type: 'value' },
      { from: 'late:rancher.v', to: 'rancher//ConfigMap/default/source', type: 'applied' },
    ]);
  });

  test('is written in full with a file of resolved values, with the escapes of JSON where it stands in JSON', () => {
    const app = newApp({ lateValuesFile: resolved({ 'rancher.v': 'two\nlines "quoted"' }) });
    const late = lateValue(newRancherOnce(app), 'v');
    configMap(newHarvester(app), 'waits', { json: JSON.stringify({ v: late.token }), base64: late.base64, quoted: `say: "${late.json}"`, plain: late.token });
    app.synth();
    const { data } = parse(filesIn(app.outdir)['dc1/15-configmap.yaml']);
    expect(JSON.parse(data.json)).toEqual({ v: 'two\nlines "quoted"' });
    expect(Buffer.from(data.base64, 'base64').toString()).toBe('two\nlines "quoted"');
    expect(data.quoted).toBe('say: "two\\nlines \\"quoted\\""');
    expect(data.plain).toBe('two\nlines "quoted"');
  });

  test('is told to hold a credential when a sensitive value is completed', () => {
    const app = newApp({ lateValuesFile: resolved({ 'rancher.v': 'hunter2hunter2' }) });
    configMap(newHarvester(app), 'waits', { x: lateValue(newRancherOnce(app), 'v', { sensitive: true }).token });
    app.synth();
    expect(app.findings).toEqual([expect.objectContaining({ rule: 'program/late-secret-written', level: 'warning' })]);
    expect(JSON.stringify(app.findings)).not.toContain('hunter2');
  });
});

describe('a late value that can not be completed is an error', () => {
  const fails = (use: (late: LateValue) => string, message: RegExp) => {
    const app = newApp();
    configMap(newHarvester(app), 'waits', { x: use(lateValue(newRancherOnce(app), 'v')) });
    expect(() => app.synth()).toThrow(message);
  };

  test.each([0, 1, 2])('when put into base64 at offset %d', (offset) => {
    fails((late) => Buffer.from(`${'a'.repeat(offset)}${late}`).toString('base64'), /put into base64 before it is known/);
  });
  test('when cut', () => fails((late) => late.token.slice(0, -3), /was cut or changed/));
  test('when its case is changed', () => fails((late) => late.token.toUpperCase(), /whose case was changed/));
  test('when nobody defines it', () => fails(() => '${late:rancher.nobody}', /"rancher.nobody", which the program does not define[^]*use one of: rancher.v/));
  test('when it is a key', () => {
    const app = newApp();
    configMap(newHarvester(app), 'waits', { [lateValue(newRancherOnce(app), 'v').token]: 'x' });
    expect(() => app.synth()).toThrow(/late value in a key/);
  });
});

describe('a file of resolved values', () => {
  test.each([
    [LateType.URL, 'http://x', 'is no https URL'],
    [LateType.URL, 'https://r.example.com/v3/import/{token}_c.yaml', 'placeholder in braces'],
    [LateType.TOKEN, 'two words', 'white space'],
    [LateType.NAME, 'Not A Name', 'no RFC 1123 label'],
    [LateType.STRING, '', 'is empty'],
  ])('is refused for a %s that is %j, without showing it', (type, value, message) => {
    const app = newApp({ lateValuesFile: resolved({ 'rancher.v': value }) });
    configMap(newHarvester(app), 'waits', { x: lateValue(newRancherOnce(app), 'v', { type }).token });
    expect(() => app.synth()).toThrow(message);
    if (value) { expect(JSON.stringify(app.findings)).not.toContain(value); }
  });

  test('that is broken is refused without showing what stands in it', () => {
    const file = join(tempFolder(), 'values.json');
    writeFileSync(file, '{"schemaVersion":"1","values":{"a":"hunter2"');
    const app = newApp({ lateValuesFile: file });
    let message = '';
    try { app.synth(); } catch (error) { message = (error as Error).message; }
    expect(message).toContain('it is no JSON');
    expect(message).not.toContain('hunter2');
  });

  test('that names other values is told', () => {
    const app = newApp({ lateValuesFile: resolved({ typo: 'x' }) });
    app.synth();
    expect(app.findings).toEqual([expect.objectContaining({ rule: 'program/late-file-unused' })]);
  });
});

describe('edges', () => {
  test('lead from Rancher to Harvester and back', () => {
    const app = newApp();
    const [rancher, dc1] = [newRancherOnce(app), newHarvester(app)];
    const [a, b, c] = [configMap(rancher, 'a'), configMap(dc1, 'b'), configMap(rancher, 'c')];
    Edges.of(b).after(a, EdgeType.APPLIED);
    Edges.of(c).after(b, EdgeType.READY);
    app.synth();
    expect(assemblyOf(app).edges.map(({ type }: any) => type)).toEqual(['applied', 'ready']);
  });

  test('between many and many are one edge between groups', () => {
    const app = newApp();
    const [rancher, dc1] = [newRancherOnce(app), newHarvester(app)];
    for (let i = 0; i < 20; i++) { configMap(rancher, `r${i}`); configMap(dc1, `h${i}`); }
    dc1.addDependency(rancher);
    app.synth();
    const { edges, groups } = assemblyOf(app);
    expect(edges).toEqual([{ from: 'dc1', to: 'rancher', type: 'applied' }]);
    expect(groups.map(({ id, objects }: any) => [id, objects.length])).toEqual([['dc1', 20], ['rancher', 20]]);
  });

  test('in a circle are an error that names them', () => {
    const app = newApp();
    const chart = newRancherOnce(app);
    const [a, b, c] = ['a', 'b', 'c'].map((id) => configMap(chart, id));
    Edges.of(a).after(b, EdgeType.APPLIED);
    Edges.of(b).after(c, EdgeType.APPLIED);
    Edges.of(c).after(a, EdgeType.APPLIED);
    expect(() => app.synth()).toThrow(/wait for each other: .*ConfigMap\/default\/a.*→/);
  });

  test('between a construct and one around it are refused at once', () => {
    const chart = newRancherOnce(newApp());
    const map = configMap(chart, 'a');
    expect(() => Edges.of(map).after(chart, EdgeType.APPLIED)).toThrow('[rancher/a] Edges.after: got "rancher"');
    expect(() => Edges.of(chart).after(map, EdgeType.APPLIED)).toThrow('lies below the other');
  });

  test('of a chain of 100,000 need no stack', () => {
    const graph = new OrderGraph();
    for (let i = 1; i <= 100000; i++) { graph.after(`n${i}`, `n${i - 1}`); }
    expect(graph.cycle()).toBeUndefined();
    graph.after('n0', 'n100000');
    expect(graph.cycle()).toHaveLength(100002);
  });
});

describe('a secret of the program', () => {
  test('shows a mask wherever it is printed', () => {
    const secret = SecretValue.unsafePlainText('hunter2');
    expect([`${secret}`, JSON.stringify({ secret }), inspect(secret, { depth: 5, showHidden: true })].join()).not.toContain('hunter2');
  });

  test('from the environment says which variable is missing', () => {
    delete process.env.NO_SUCH_TOKEN;
    expect(() => SecretValue.fromEnv('NO_SUCH_TOKEN')._unwrap()).toThrow('environment variable NO_SUCH_TOKEN');
  });

  test('put into a manifest by itself is an error, not a mask', () => {
    const app = newApp();
    new ApiObject(newRancherOnce(app), 's', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'x' }, data: { key: SecretValue.unsafePlainText('x') } });
    expect(() => app.synth()).toThrow(/non-simple object/);
  });
});
