import { mkdirSync, readdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { ApiObject } from 'cdk8s';
import { Delivery, SecretValue, LocalUser } from '../src';
import { FakeCluster, fakeTargets } from './support/fake-cluster';
import { GitProject } from './support/git-project';
import { configMap, newApp, newRancher } from './support/programs';
import { tempFolder } from './support/temp';
import { COMMANDS } from '../src/cli/main';
import {
  RunEvent,
  adopt,
  adoptUpdate,
  apply,
  deliver,
  deliverManifests,
  destroy,
  doctor,
  forget,
  graph,
  impact,
  lint,
  plan,
  planMarkdown,
  planText,
  readPlan,
  resolve,
  review,
  status,
  writePlan,
} from '../src/commands';
import * as bind from '../src/engine/auth/bind-targets';
import { KNOWN_OPTIONS } from '../src/engine/known-options';

let cluster: FakeCluster;
let close: jest.Mock;

beforeEach(() => {
  cluster = new FakeCluster({
    paths: { '/api/v1/namespaces/kube-system': { metadata: { uid: 'uid-of-rancher' } } },
  });
  close = jest.fn();
  jest
    .spyOn(bind, 'bindTargets')
    .mockImplementation(async () => ({ targets: fakeTargets({ rancher: cluster }), close }));
});

afterEach(() => {
  jest.restoreAllMocks();
});

function output(...names: string[]): string {
  const folder = tempFolder();
  const app = newApp({ outdir: folder });
  const rancher = newRancher(app);
  for (const name of names) {
    configMap(rancher, name, { x: '1' });
  }
  app.synth();
  return folder;
}

const isLive = (name: string): boolean =>
  cluster.live('v1', 'ConfigMap', name, 'default') !== undefined;

test('graph reports the parts of an output, and draws them', async () => {
  const { clusters, parts, draw } = await graph(output('one', 'two'), { of: 'one' });
  expect(clusters.map(({ name }) => name)).toEqual(['rancher']);
  expect(parts.map(({ noun, name }) => `${noun} ${name}`)).toEqual(['ConfigMap one']);
  expect(draw('mermaid')).toContain('b0["ConfigMap<br>one"]');
  expect(draw('svg')).toMatch(/^<svg /);
});

test('plans, applies, reports and destroys a program with typed results', async () => {
  const folder = output('a', 'b');
  const events: RunEvent[] = [];
  const first = await plan(folder);
  expect([first.outcome, first.plan.steps.map(({ action }) => action)]).toEqual([
    'changes',
    ['create', 'create'],
  ]);
  expect(isLive('a')).toBe(false);
  expect(
    await apply(folder, {
      onEvent: (event) => {
        events.push(event);
      },
    }),
  ).toMatchObject({ counts: { created: 2 }, failed: [], pending: [] });
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['start', 'node', 'end']));
  expect((await plan(folder)).outcome).toBe('nothing');
  expect((await status(folder)).targets).toMatchObject([{ name: 'rancher' }]);
  expect((await doctor(folder, { drift: false })).targets).toMatchObject([{ name: 'rancher' }]);
  expect(await destroy(folder)).toMatchObject({ counts: { deleted: 2 } });
  expect(isLive('a')).toBe(false);
  expect(close).toHaveBeenCalledTimes(6);
});

test('reviews a change of a program, as data and as a comment', async () => {
  const program = (data: string): string => `const fs = require('fs');
fs.mkdirSync(process.env.CDK8S_OUTDIR, { recursive: true });
fs.writeFileSync(process.env.CDK8S_OUTDIR + '/a.yaml', '{ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a", "namespace": ${data} } }');
`;
  const project = new GitProject({
    'main.js': program('"default"'),
    'cdk8s.yaml': 'language: typescript\napp: node main.js\n',
  });
  project.git('switch', '--quiet', '--create', 'change');
  project.commit('Break it', { 'main.js': program('"No Namespace"') });
  const found = await review(project.folder, { base: 'main' });
  expect(found).toMatchObject({
    program: '.',
    failures: [],
    stops: ['errors'],
    head: { subject: 'Break it' },
    impacts: [],
  });
  expect(found.findings[0]).toMatchObject({ level: 'error', path: 'metadata.namespace' });
  expect(found.markdown).toMatch(/^<!-- cdk8s-harvester review: \. -->\n\n## ❌ Review: errors\n/);
  await expect(
    review(project.folder, { base: 'main', exact: true } as { base: string }),
  ).rejects.toThrow('review: exact: is not an option');
});

test('applies a saved plan and nothing else', async () => {
  const folder = output('a');
  const file = join(tempFolder(), 'plan.json');
  const { plan: made } = await plan(folder);
  writePlan(file, made);
  expect(planText(made)).toContain('+ ConfigMap default/a');
  expect(planMarkdown(made)).toContain('1 to create');
  expect(await apply(folder, { plan: readPlan(file) })).toMatchObject({ counts: { created: 1 } });
});

test('closes the connections if an apply cannot begin', async () => {
  const folder = output('a');
  await apply(folder);
  await expect(apply(output('other'))).rejects.toMatchObject({
    name: 'EngineError',
    code: 'refused',
    message: expect.stringContaining('--accept-empty'),
  });
  expect(close).toHaveBeenCalledTimes(2);
});

test('lints files by the rules', async () => {
  const file = join(tempFolder(), 'setting.yaml');
  writeFileSync(
    file,
    'apiVersion: harvesterhci.io/v1beta1\nkind: Setting\nmetadata:\n  name: ntp-servers\nvalue: "no JSON"\n',
  );
  expect(await lint([file], { targetKind: 'harvester', harvesterVersion: '1.7.2' })).toMatchObject({
    findings: [{ level: 'error', file, line: 5 }],
  });
  await expect(lint([file], { harvesterVersion: 'seven' })).rejects.toThrow('--harvester-version');
});

test('resolves a program without late values to none', async () => {
  expect(await resolve(output('a'))).toEqual({
    known: [],
    failed: [],
    files: [],
    notes: [],
    removed: [],
  });
});

test('reports what an edit does to machines, without the secrets of both sides', async () => {
  const [before, after] = [tempFolder(), tempFolder()];
  const metadata = { name: 'shop', namespace: 'fleet-default' };
  const shop = {
    apiVersion: 'provisioning.cattle.io/v1',
    kind: 'Cluster',
    metadata,
    spec: { rkeConfig: { machinePools: [] } },
  };
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'default' },
    data: { key: Buffer.from('qX7vK92mPz0tL4wBn81c').toString('base64') },
  };
  for (const folder of [before, after]) {
    writeFileSync(join(folder, 'secret.yaml'), JSON.stringify(secret));
  }
  writeFileSync(join(before, 'cluster.yaml'), JSON.stringify(shop));
  const { impacts } = await impact([after], { before: [before], targetKind: 'rancher' });
  expect(impacts).toEqual([
    expect.objectContaining({ effect: 'delete', isLoss: true, object: 'fleet-default/shop' }),
  ]);
  expect(JSON.stringify(impacts)).not.toContain('qX7vK92mPz0tL4wBn81c');
  expect(await impact([after], { before: [after] })).toEqual({ impacts: [] });
});

test('refuses to forget a target that the program declares, and closes its connections', async () => {
  await expect(forget(output('a'), 'rancher')).rejects.toThrow(
    /^target rancher is declared by this program/,
  );
  expect(close).toHaveBeenCalledTimes(1);
});

describe('deliver', () => {
  const delivery = Delivery.flux({ sourceName: 'platform' });

  test('writes an output for an engine, with its stages and findings', async () => {
    const out = tempFolder();
    expect(await deliver(output('a'), { delivery, outputDir: out })).toEqual({
      stages: [{ folder: 'rancher/namespace-default', target: 'rancher', after: [] }],
      findings: [],
      notes: [],
    });
    expect(readdirSync(out).sort()).toEqual(['assembly.json', 'flux', 'rancher']);
  });

  test('writes manifests that people wrote, for the clusters of their folders', async () => {
    const [folder, out] = [tempFolder(), tempFolder()];
    mkdirSync(join(folder, 'dc1'));
    writeFileSync(
      join(folder, 'dc1', 'level.yaml'),
      'apiVersion: harvesterhci.io/v1beta1\nkind: Setting\nmetadata: { name: log-level }\nvalue: ""\n',
    );
    const from = {
      dc1: { folder: join(folder, 'dc1'), kind: 'harvester', version: '1.7.2' },
    } as const;
    const { stages, findings } = await deliverManifests(from, { delivery, outputDir: out });
    expect([stages, findings.map(({ rule }) => rule)]).toEqual([[], ['delivery/left-to-apply']]);
  });

  test('writes nothing if the engine must not get a secret, or if there is no engine', async () => {
    const app = newApp();
    const { unsafePlainText } = SecretValue;
    new ApiObject(newRancher(app), 'login', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login', namespace: 'default' },
      stringData: { password: `${unsafePlainText('hunter2hunter2')}` },
    });
    app.synth();
    const out = tempFolder();
    const fleet = Delivery.fleet({ repository: 'https://git.example.com/platform.git' });
    await expect(deliver(app.outdir, { delivery: fleet, outputDir: out })).rejects.toThrow(
      /nothing was written[^]*delivery\/secrets/,
    );
    await expect(
      deliver(app.outdir, { delivery: Delivery.none(), outputDir: out }),
    ).rejects.toThrow('delivery: must be an engine, got none');
    expect(readdirSync(out)).toEqual([]);
    const { stages } = await deliver(app.outdir, {
      delivery: fleet,
      outputDir: out,
      acceptPlainSecrets: true,
    });
    expect(stages).toHaveLength(1);
  });
});

test('finds what a program lacks, and what differs from it, with the lines of its statements', async () => {
  const folder = tempFolder();
  const app = newApp({ outdir: join(folder, 'dist') });
  newRancher(app);
  new LocalUser(app.node.findChild('rancher'), 'ana', { displayName: 'Ana', username: 'ana' });
  app.synth();
  writeFileSync(
    join(folder, 'main.ts'),
    "const rancher = new RancherChart(app, 'rancher', {});\nnew User(rancher, 'ana', {});\napp.synth();\n",
  );
  cluster = new FakeCluster({ paths: { '/version': { gitVersion: 'v1.34.4+rke2r1' } } });
  cluster.seed({
    apiVersion: 'management.cattle.io/v3',
    kind: 'Setting',
    metadata: { name: 'server-version' },
    value: 'v2.13.8',
  });
  cluster.seed({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'by-hand' } });
  jest.spyOn(bind, 'bindTargets').mockImplementation(async ([target]) => ({
    targets: fakeTargets({ rancher: cluster }, { rancher: target }),
    close,
  }));
  const result = await adoptUpdate(join(folder, 'dist'), { select: ['kind=Namespace'] });
  expect(result).toMatchObject({
    folder,
    file: 'adopted.ts',
    added: [{ target: 'rancher', object: 'Namespace by-hand' }],
    missing: expect.arrayContaining([
      {
        target: 'rancher',
        id: 'rancher/management.cattle.io/User//ana',
        object: 'User ana',
        construct: 'rancher/ana/Resource',
        place: 'main.ts:2',
        isApplied: false,
      },
    ]),
    drifted: [],
    diff: expect.stringContaining('+adopted(rancher);\n app.synth();\n'),
  });
  expect(close).toHaveBeenCalledTimes(1);
});

test('adopts folders and live clusters as modules and a report', async () => {
  const dist = join(__dirname, '..', 'examples', 'three-tenants', 'dist');
  const found = await adopt({
    from: {
      rancher: { folder: join(dist, 'rancher'), version: '2.13.8' },
      dc1: { folder: join(dist, 'dc1'), kind: 'harvester', version: '1.7.2' },
    },
    serverUrl: 'https://rancher.example.com',
    select: ['project=Web'],
  });
  expect(found.clusters.map(({ name, kind }) => [name, kind])).toEqual([
    ['rancher', 'rancher'],
    ['dc1', 'harvester'],
  ]);
  expect([...found.files.keys()]).toEqual(
    expect.arrayContaining(['clusters.ts', 'tenants/web.ts', 'platform.ts']),
  );
  expect(found.files.get('tenants/web.ts')).toContain("new TenantProject(rancher, 'web', {");
  expect(found).toMatchObject({ differences: [], errors: [] });
  expect(found.leftOut.map(({ reason }) => reason)).toContain('is not selected');
  await expect(adopt({})).rejects.toThrow('no cluster was given');
});

test.each<[string, () => Promise<unknown>, string]>([
  [
    'a text in place of a list of paths',
    async () => lint('dist' as never),
    `lint: paths: must be a list of texts, got "dist". Fix: use e.g. ['dist']`,
  ],
  [
    'no folder',
    async () => plan(undefined as never),
    'plan: folder: must be a text that is not empty, got undefined. Fix: pass such a value, or leave it out',
  ],
  [
    'options that are not an object',
    async () => apply('dist', 'platform' as never),
    'apply: options: must be an object, got "platform". Fix: pass such a value, or leave it out',
  ],
  [
    'values of another type, all at once',
    async () => apply('dist', { prune: 'false', acceptInUse: 'x', timeoutMs: -1 } as never),
    [
      'apply: prune: must be true or false, got "false"',
      'apply: acceptInUse: must be a list of texts, got "x"',
      'apply: timeoutMs: must be a number of 0 or more, got -1',
    ]
      .map((text) => `${text}. Fix: pass such a value, or leave it out`)
      .join('\n'),
  ],
])('refuses %s', async (_, call, message) => {
  await expect(call()).rejects.toMatchObject({ code: 'invalid-argument', message });
});

describe('options', () => {
  test.each([
    [
      'lint',
      async () => lint([], { kind: 'harvester' } as never),
      'lint: kind: is not an option. Fix: use maxFileSize, followLinks, exclude, targetKind, ',
    ],
    [
      'plan',
      async () => plan('dist', { contexts: new Map() } as never),
      'plan: contexts: is not an option. Fix: use context',
    ],
    [
      'apply',
      async () => apply('dist', { pruneMachine: true, exec: false } as never),
      'apply: pruneMachine: is not an option. Fix: use pruneMachines\napply: exec: is not an option. Fix: use noExec',
    ],
    [
      'adopt',
      async () => adopt({ selects: ['kind=User'] } as never),
      'adopt: selects: is not an option. Fix: use select',
    ],
    [
      'status',
      async () => status('dist', { toString: true } as never),
      'status: toString: is not an option',
    ],
    [
      'doctor',
      async () => doctor('dist', { Drift: false } as never),
      'doctor: Drift: is not an option. Fix: use drift',
    ],
  ])('that %s does not have are refused, with the one that is meant', async (_, call, message) => {
    await expect(call()).rejects.toThrow(message);
  });

  const camelCase = (long: string): string =>
    long.replace(/^--(no-)?/, '').replace(/-(.)/g, (__, letter: string) => letter.toUpperCase());

  /** Options of the command line that a function does not have, or has by another name, and why. */
  const ELSEWHERE: { readonly [option: string]: string } = {
    ...Object.fromEntries(
      ['color', 'all', 'output', 'outputFile', 'writePlan', 'writeDiff', 'yes'].map((name) => [
        name,
        'about what is printed or asked',
      ]),
    ),
    exec: 'noExec, which is false by default as all flags are',
    timeout: 'timeoutMs: milliseconds',
    delivery: 'of the project, which the caller writes',
    ci: 'of the project, which the caller writes',
    failOn: 'the caller decides by the result',
    baseline: 'of files, which the caller filters',
    updateBaseline: 'of files, which the caller filters',
    ...Object.fromEntries(
      ['repository', 'sourceName', 'path', 'revision', 'namePrefix'].map((name) => [
        name,
        'in delivery',
      ]),
    ),
    ...Object.fromEntries(
      [
        'sopsRecipient',
        'sealedSecretsCertificate',
        'externalSecretsStore',
        'externalSecretsKey',
      ].map((name) => [name, 'in secrets']),
    ),
  };

  /** The commands of functions with another name. */
  const COMMAND_OF: { readonly [name: string]: string } = {
    adoptUpdate: 'adopt',
    takeOver: 'adopt',
    deliverManifests: 'deliver',
  };

  test.each(Object.keys(KNOWN_OPTIONS) as (keyof typeof KNOWN_OPTIONS)[])(
    'of %s have the words of the command',
    (name) => {
      const known = Object.keys(KNOWN_OPTIONS[name]);
      const command = COMMANDS[COMMAND_OF[name] ?? name];
      const others = command()
        .options.map(({ long }) => camelCase(long!))
        .filter((word) => !known.includes(word) && !(word in ELSEWHERE));
      // one command has both
      const ofReading = [
        'maxFileSize',
        'followLinks',
        'exclude',
        'outputDir',
        'update',
        'takeOver',
        'from',
        'guests',
        'targetVersion',
        'import',
        'serverUrl',
        'terraform',
      ];
      // functions take the output that they are given
      const ofOther = {
        plan: ['previousOutput'],
        apply: ['previousOutput'],
        adopt: ['outputDir', 'update', 'takeOver', 'targetVersion', 'import', 'app'],
        adoptUpdate: [...ofReading, 'include'],
        takeOver: [...ofReading, 'select', 'include'],
      };
      // parts of the delivery
      const ofDelivery = ['argocdPlugin', 'argocdKsops'];
      expect(others).toEqual(
        {
          deliver: ['maxFileSize', 'followLinks', 'exclude', 'from', ...ofDelivery],
          deliverManifests: ['from', ...ofDelivery],
          ...ofOther,
        }[name as string] ?? [],
      );
    },
  );
});
