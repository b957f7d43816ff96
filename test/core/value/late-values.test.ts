import { writeFileSync } from 'fs';
import { join } from 'path';
import { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { parse } from 'yaml';
import { HarvesterApp } from '../../../src/core/app/harvester-app';
import { OrderingType, Ordering } from '../../../src/core/construct/edge';
import { LateType } from '../../../src/core/late/late-text';
import { OrderGraph } from '../../../src/core/program/edges';
import { LateSource, LateValue } from '../../../src/core/value/late-value';
import { messageOf } from '../../support/message-of';
import { configMap, filesIn, newApp, newHarvester, newRancher } from '../../support/programs';
import { tempFolder } from '../../support/temp';
import { assemblyOf } from '../../support/written';

function lateValue(
  scope: Construct,
  id: string,
  props: { type?: LateType; sensitive?: boolean } = {},
): LateValue {
  const target = newRancherOnce(scope.node.root as HarvesterApp);
  return new LateValue(scope, id, {
    description: `value ${id}`,
    source: LateSource.field('data.x', {
      target,
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'default',
      name: 'source',
    }),
    ...props,
  });
}

function newRancherOnce(app: HarvesterApp) {
  return (
    (app.node.tryFindChild('rancher') as ReturnType<typeof newRancher> | undefined) ??
    newRancher(app)
  );
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
    configMap(dc1, 'waits', {
      json: JSON.stringify({ url: late.token, on: true }),
      text: `prefix-${late}-suffix`,
    });
    configMap(dc1, 'ready');
    app.synth();
    expect(Object.keys(filesIn(app.outdir))).toEqual(['assembly.json', 'dc1/15-configmap.yaml']);
    const waiting = assemblyOf(app).objects.find((object: any) => object.name === 'waits');
    expect(waiting).toMatchObject({
      lateValues: ['rancher.url'],
      template: { data: { json: '{"url":"${late:rancher.url}","on":true}' } },
    });
    expect(waiting.file).toBeUndefined();
    expect(assemblyOf(app).edges).toContainEqual({
      from: 'dc1//ConfigMap/default/waits',
      to: 'late:rancher.url',
      type: 'value',
    });
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

  test('is written in full with a file of resolved values, with the escapes of JSON within JSON', () => {
    const app = newApp({ lateValuesFile: resolved({ 'rancher.v': 'two\nlines "quoted"' }) });
    const late = lateValue(newRancherOnce(app), 'v');
    configMap(newHarvester(app), 'waits', {
      json: JSON.stringify({ v: late.token }),
      base64: late.base64,
      quoted: `say: "${late.json}"`,
      plain: late.token,
    });
    app.synth();
    const { data } = parse(filesIn(app.outdir)['dc1/15-configmap.yaml']);
    expect(JSON.parse(data.json)).toEqual({ v: 'two\nlines "quoted"' });
    expect(Buffer.from(data.base64, 'base64').toString()).toBe('two\nlines "quoted"');
    expect(data.quoted).toBe('say: "two\\nlines \\"quoted\\""');
    expect(data.plain).toBe('two\nlines "quoted"');
  });

  test('is written in full in JSON within JSON, whose form is kept', () => {
    const value = 'two\nlines "quoted" \\';
    const app = newApp({ lateValuesFile: resolved({ 'rancher.v': value }) });
    const late = lateValue(newRancherOnce(app), 'v');
    const inner = JSON.stringify({ list: [late.token, `x-${late}`], n: 1 });
    configMap(newHarvester(app), 'waits', {
      twice: JSON.stringify({ inner }),
      thrice: JSON.stringify([JSON.stringify({ inner })]),
      formed: `{\n  "a" : 1.0, "v": "${late}",\n  "e": "\\u00e9\\/" }`,
      named: `{"v": "${late.json}"}`,
      quoted: JSON.stringify({ script: `echo "${late.json}"` }),
    });
    app.synth();
    const { data } = parse(filesIn(app.outdir)['dc1/15-configmap.yaml']);
    const expected = { list: [value, `x-${value}`], n: 1 };
    expect(JSON.parse(JSON.parse(data.twice).inner)).toEqual(expected);
    expect(JSON.parse(JSON.parse(JSON.parse(data.thrice)[0]).inner)).toEqual(expected);
    expect(data.formed).toBe(
      `{\n  "a" : 1.0, "v": ${JSON.stringify(value)},\n  "e": "\\u00e9\\/" }`,
    );
    expect(JSON.parse(data.named)).toEqual({ v: value });
    expect(JSON.parse(data.quoted)).toEqual({ script: `echo ${JSON.stringify(value)}` });
  });

  test('waits for what the name of its source waits for', () => {
    const app = newApp();
    const rancher = newRancherOnce(app);
    const id = lateValue(rancher, 'id');
    const object = {
      target: rancher,
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: id.token,
      name: `crt-${id}`,
    };
    const token = new LateValue(rancher, 'token', {
      description: 'token',
      source: LateSource.secretKey('token', object),
    });
    configMap(newHarvester(app), 'waits', { x: token.token });
    app.synth();
    expect(assemblyOf(app).edges).toEqual([
      { from: 'dc1//ConfigMap/default/waits', to: 'late:rancher.token', type: 'value' },
      { from: 'late:rancher.token', to: 'late:rancher.id', type: 'value' },
    ]);
  });

  test('is reported to hold a credential when a sensitive value is completed', () => {
    const app = newApp({ lateValuesFile: resolved({ 'rancher.v': 'hunter2hunter2' }) });
    configMap(newHarvester(app), 'waits', {
      x: lateValue(newRancherOnce(app), 'v', { sensitive: true }).token,
    });
    app.synth();
    expect(app.findings).toEqual([
      expect.objectContaining({ rule: 'program/late-secret-written', level: 'warning' }),
    ]);
    expect(JSON.stringify(app.findings)).not.toContain('hunter2');
  });
});

describe('a late value that cannot be completed is an error', () => {
  const fails = (use: (late: LateValue) => string, message: RegExp) => {
    const app = newApp();
    configMap(newHarvester(app), 'waits', { x: use(lateValue(newRancherOnce(app), 'v')) });
    expect(() => app.synth()).toThrow(message);
  };

  test.each([0, 1, 2])('when put into base64 at offset %d', (offset) => {
    fails(
      (late) => Buffer.from(`${'a'.repeat(offset)}${late}`).toString('base64'),
      /put into base64 before it is known/,
    );
  });
  test('when cut', () => fails((late) => late.token.slice(0, -3), /was cut or changed/));
  test('when its case is changed', () =>
    fails((late) => late.token.toUpperCase(), /whose case was changed/));
  test('when escaped by a URL builder', () =>
    fails((late) => new URL(`https://x/${late}`).toString(), /escaped for a URL/));
  test('when escaped as part of a URL', () =>
    fails((late) => encodeURIComponent(late.token), /escaped for a URL/));
  test('when it is in base64 of several lines', () =>
    fails(
      (late) =>
        Buffer.from(`${'a'.repeat(52)}${late}`)
          .toString('base64')
          .replace(/.{72}/g, '$&\n'),
      /put into base64 before it is known/,
    ));
  test('when another one in the same text is valid', () =>
    fails((late) => `${late} ${encodeURIComponent(late.token)}`, /escaped for a URL/));
  test.each([
    '<cdk8s_harvester.LateValue object at 0x7f3a>',
    'dev.cdk8s_harvester.LateValue@1f32e575',
  ])('when another language prints it as %s', (text) => {
    fails(() => text, /printed as an object; use its property token/);
  });
  test('when the name of its source holds one that the program does not define, or a damaged one', () => {
    const app = newApp();
    const target = newRancherOnce(app);
    const source = (name: string) =>
      LateSource.field('data.x', { target, apiVersion: 'v1', kind: 'ConfigMap', name });
    new LateValue(target, 'a', { description: 'a', source: source('${late:rancher.other}') });
    new LateValue(target, 'b', { description: 'b', source: source('${late:rancher.a') });
    expect(app.validate()).toEqual([
      expect.objectContaining({
        rule: 'program/late-unknown',
        construct: 'rancher/a',
        path: 'source',
        value: '"rancher.other"',
      }),
      expect.objectContaining({
        rule: 'program/late-damaged',
        construct: 'rancher/b',
        path: 'source.name',
      }),
    ]);
  });
  test('when its source is in another app', () => {
    const app = newApp();
    const object = { target: newRancher(newApp()), apiVersion: 'v1', kind: 'ConfigMap', name: 'x' };
    new LateValue(newRancherOnce(app), 'v', {
      description: 'v',
      source: LateSource.field('data.x', object),
    });
    expect(app.validate()).toEqual([
      expect.objectContaining({
        rule: 'program/not-valid',
        construct: 'rancher/v',
        message: expect.stringContaining('rancher (rancher) is not a target of this program'),
      }),
    ]);
  });
  test('when the program does not define it', () =>
    fails(
      () => '${late:rancher.other}',
      /"rancher.other", which the program does not define[^]*use one of: rancher.v/,
    ));
  test('when it is a key', () => {
    const app = newApp();
    configMap(newHarvester(app), 'waits', { [lateValue(newRancherOnce(app), 'v').token]: 'x' });
    expect(() => app.synth()).toThrow(/late value in a key/);
  });
});

describe('a file of resolved values', () => {
  test.each([
    [LateType.URL, 'http://x', 'must be an https URL'],
    [LateType.URL, 'https://r.example.com/v3/import/{token}_c.yaml', 'placeholder in braces'],
    [LateType.URL, 'https://r.example.com/v3/import/%7Btoken%7D_c.yaml', 'placeholder in braces'],
    [LateType.URL, ' https://r.example.com/x', 'white space'],
    [LateType.URL, 'https://r.example.com/x\n', 'white space'],
    [LateType.URL, 'https:r.example.com', 'https://<host>/…'],
    [LateType.STRING, 'x\ud800', 'half a character'],
    [LateType.TOKEN, 'two words', 'white space'],
    [LateType.NAME, 'Not A Name', 'must be an RFC 1123 label'],
    [LateType.STRING, '', 'must not be empty'],
  ])('is refused for a %s that is %j, without showing it', (type, value, message) => {
    const app = newApp({ lateValuesFile: resolved({ 'rancher.v': value }) });
    configMap(newHarvester(app), 'waits', {
      x: lateValue(newRancherOnce(app), 'v', { type }).token,
    });
    expect(() => app.synth()).toThrow(message);
    if (value) {
      expect(JSON.stringify(app.findings)).not.toContain(value);
    }
  });

  test('that is not valid is refused without showing its content', () => {
    const file = join(tempFolder(), 'values.json');
    writeFileSync(file, '{"schemaVersion":"1","values":{"a":"hunter2"');
    const app = newApp({ lateValuesFile: file });
    const message = messageOf(() => app.synth());
    expect(message).toContain('is not valid JSON');
    expect(message).not.toContain('hunter2');
  });

  test('that names other values is reported', () => {
    const app = newApp({ lateValuesFile: resolved({ typo: 'x' }) });
    app.synth();
    expect(app.findings).toEqual([expect.objectContaining({ rule: 'program/late-file-unused' })]);
  });
});

describe('a text around late values', () => {
  function program(file?: Record<string, string>) {
    const app = newApp(file ? { lateValuesFile: resolved(file) } : {});
    const rancher = newRancherOnce(app);
    const token = lateValue(rancher, 'token');
    const text = new LateValue(rancher, 'text', {
      description: 'a text',
      source: LateSource.text(`user: ${token}\nca: ${token.base64}\n`),
    });
    configMap(rancher, 'waits', { whole: text.base64 });
    return app;
  }

  test('waits for them, and is in the assembly with its source', () => {
    const app = program();
    app.synth();
    expect(assemblyOf(app).lateValues.find(({ id }: any) => id === 'rancher.text').source).toEqual({
      resolver: 'text',
      text: 'user: ${late:rancher.token|yaml}\nca: ${late:rancher.token|base64|yaml}\n',
    });
    expect(assemblyOf(app).edges).toContainEqual({
      from: 'late:rancher.text',
      to: 'late:rancher.token',
      type: 'value',
    });
  });

  test('is known as soon as they are', () => {
    const app = program({ 'rancher.token': 'abc' });
    app.synth();
    const { data } = parse(filesIn(app.outdir)['rancher/15-configmap.yaml']);
    expect(Buffer.from(data.whole, 'base64').toString()).toBe('user: abc\nca: YWJj\n');
  });

  test('is the value of the file if the file contains it', () => {
    const app = program({ 'rancher.token': 'abc', 'rancher.text': 'other' });
    app.synth();
    expect(parse(filesIn(app.outdir)['rancher/15-configmap.yaml']).data.whole).toBe(
      Buffer.from('other').toString('base64'),
    );
  });

  test('without any is refused', () => {
    const app = newApp();
    new LateValue(newRancher(app), 'text', {
      description: 'a text',
      source: LateSource.text('known'),
    });
    expect(() => app.synth()).toThrow(/rancher\/text\n  source\.text: holds no late value/);
  });

  test('around itself is a circle', () => {
    const app = newApp({ lateValuesFile: resolved({}) });
    new LateValue(newRancher(app), 'text', {
      description: 'a text',
      source: LateSource.text('${late:rancher.text}'),
    });
    expect(() => app.synth()).toThrow(
      /wait for each other: late:rancher\.text → late:rancher\.text/,
    );
  });
});

describe('edges', () => {
  test('lead from Rancher to Harvester and back', () => {
    const app = newApp();
    const [rancher, dc1] = [newRancherOnce(app), newHarvester(app)];
    const [a, b, c] = [configMap(rancher, 'a'), configMap(dc1, 'b'), configMap(rancher, 'c')];
    Ordering.of(b).after(a, OrderingType.APPLIED);
    Ordering.of(c).after(b, OrderingType.READY);
    app.synth();
    expect(assemblyOf(app).edges.map(({ type }: any) => type)).toEqual(['applied', 'ready']);
  });

  test('between many and many are one edge between groups', () => {
    const app = newApp();
    const [rancher, dc1] = [newRancherOnce(app), newHarvester(app)];
    for (let i = 0; i < 20; i++) {
      configMap(rancher, `r${i}`);
      configMap(dc1, `h${i}`);
    }
    dc1.addDependency(rancher);
    app.synth();
    const { edges, groups } = assemblyOf(app);
    expect(edges).toEqual([{ from: 'dc1', to: 'rancher', type: 'applied' }]);
    expect(groups.map(({ id, objects }: any) => [id, objects.length])).toEqual([
      ['dc1', 20],
      ['rancher', 20],
    ]);
  });

  test('in a circle are an error that names them', () => {
    const app = newApp();
    const chart = newRancherOnce(app);
    const [a, b, c] = ['a', 'b', 'c'].map((id) => configMap(chart, id));
    Ordering.of(a).after(b, OrderingType.APPLIED);
    Ordering.of(b).after(c, OrderingType.APPLIED);
    Ordering.of(c).after(a, OrderingType.APPLIED);
    expect(() => app.synth()).toThrow(/wait for each other: .*ConfigMap\/default\/a.*→/);
  });

  test('in a circle through groups name the groups', () => {
    const app = newApp();
    const [rancher, dc1] = [newRancherOnce(app), newHarvester(app)];
    for (const id of ['a', 'b']) {
      configMap(rancher, id);
      configMap(dc1, id);
    }
    Ordering.of(rancher).after(dc1, OrderingType.APPLIED);
    expect(app.validate()).toEqual([]);
    Ordering.of(dc1).after(rancher, OrderingType.APPLIED);
    expect(app.validate()[0].message).toMatch(
      /^these wait for each other: (rancher → dc1 → rancher|dc1 → rancher → dc1)$/,
    );
  });

  test('in a circle of two name both', () => {
    const app = newApp();
    const [a, b] = ['a', 'b'].map((id) => configMap(newRancherOnce(app), id));
    Ordering.of(a).after(b, OrderingType.APPLIED);
    Ordering.of(b).after(a, OrderingType.APPLIED);
    const [idA, idB] = ['a', 'b'].map((id) => `rancher//ConfigMap/default/${id}`);
    expect([`${idA} → ${idB} → ${idA}`, `${idB} → ${idA} → ${idB}`]).toContain(
      app.validate()[0].message.split(': ')[1],
    );

    const other = newApp();
    const group = newRancherOnce(other);
    for (const id of ['a', 'b']) {
      configMap(group, id);
    }
    const c = configMap(newHarvester(other), 'c');
    Ordering.of(group).after(c, OrderingType.APPLIED);
    Ordering.of(c).after(group, OrderingType.APPLIED);
    const idC = 'dc1//ConfigMap/default/c';
    expect([`${idC} → rancher → ${idC}`, `rancher → ${idC} → rancher`]).toContain(
      other.validate()[0].message.split(': ')[1],
    );
  });

  test('in a circle through an object of a group name that object', () => {
    const app = newApp();
    const [rancher, dc1] = [newRancherOnce(app), newHarvester(app)];
    const [a] = ['a', 'b'].map((id) => configMap(rancher, id));
    const other = configMap(dc1, 'other');
    Ordering.of(other).after(rancher, OrderingType.APPLIED);
    Ordering.of(a).after(other, OrderingType.APPLIED);
    const { message } = app.validate()[0];
    for (const name of [
      ' rancher ',
      'rancher//ConfigMap/default/a',
      'dc1//ConfigMap/default/other',
    ]) {
      expect(`${message} `).toContain(name);
    }
    expect(message.split('→')).toHaveLength(4);
  });

  test('of charts within charts are those that were declared alone', () => {
    const app = newApp();
    const rancher = newRancherOnce(app);
    const [first, second] = ['first', 'second'].map((id) => new Chart(rancher, id));
    configMap(first, 'a');
    configMap(new Chart(second, 'inner'), 'b');
    configMap(second, 'c');
    second.addDependency(first);
    // as cdk8s does by itself
    rancher.addDependency(first);
    first.addDependency(rancher);
    app.synth();
    const { edges, groups } = assemblyOf(app);
    expect(edges).toEqual([{ from: 'rancher/second', to: 'rancher/first', type: 'applied' }]);
    expect(groups.find(({ id }: any) => id === 'rancher/first')).toEqual({
      id: 'rancher/first',
      objects: ['rancher//ConfigMap/default/a'],
    });
  });

  test('between a construct and one around it are refused at once', () => {
    const chart = newRancherOnce(newApp());
    const map = configMap(chart, 'a');
    expect(() => Ordering.of(map).after(chart, OrderingType.APPLIED)).toThrow(
      '[rancher/a] Ordering.after: must not be above or below the construct itself, got "rancher"',
    );
    expect(() => Ordering.of(chart).after(map, OrderingType.APPLIED)).toThrow(
      'must not be above or below the construct itself',
    );
  });

  test('to a construct without objects order nothing, and are reported', () => {
    const app = newApp();
    const dc1 = newHarvester(app);
    Ordering.of(configMap(dc1, 'a')).after(new Construct(dc1, 'empty'), OrderingType.APPLIED);
    expect(app.validate().map(({ rule, construct, value }) => [rule, construct, value])).toEqual([
      ['program/edge-to-nothing', 'dc1/a', '"dc1/empty"'],
    ]);
  });

  test('of a chain of 100,000 need no stack', () => {
    const graph = new OrderGraph();
    for (let i = 1; i <= 100000; i++) {
      graph.after(`n${i}`, `n${i - 1}`);
    }
    expect(graph.cycle()).toBeUndefined();
    graph.after('n0', 'n100000');
    expect(graph.cycle()).toHaveLength(100002);
  });
});
