import { mkdirSync, writeFileSync } from 'fs';
import { dirname, join } from 'path';
import { Suppressions } from '../../../../src/core/program/suppressions';
import { configMap, newApp, newHarvester, newRancher } from '../../../support/programs';
import { runCli } from '../../../support/run-cli';
import { tempFolder } from '../../../support/temp';

/** A folder with files. */
function folder(files: Record<string, string>): string {
  const root = tempFolder();
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), content);
  }
  return root;
}

const manifest = (name: string, extra = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: default\n${extra}`;
const PROJECT =
  'apiVersion: management.cattle.io/v3\nkind: Project\nmetadata: {name: p, namespace: c-m-abcdefgh}\nspec: {displayName: p, clusterName: c-m-abcdefgh}\n';

describe('lint', () => {
  test('reports nothing for objects that it does not know', async () => {
    const root = folder({
      'a.yaml': 'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: Any Name}\n',
      'empty.yaml': '---\n',
    });
    expect(await runCli('lint', root, '--output', 'json')).toEqual({
      stdout: '{\n  "findings": []\n}\n',
      stderr: '',
      exitCode: 0,
    });
  });

  test('exits with 3 on errors, and its JSON has every field', async () => {
    const root = folder({ 'a.yaml': manifest('Bad_Name') });
    const { stdout, exitCode } = await runCli('lint', root, '--output', 'json');
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout).findings).toEqual([
      {
        rule: 'object/name',
        level: 'error',
        message: expect.stringContaining('RFC 1123'),
        path: 'metadata.name',
        prop: null,
        value: '"Bad_Name"',
        object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'Bad_Name' },
        fix: expect.any(String),
        source: expect.any(String),
        cause: null,
        construct: null,
        target: 'input',
        environment: null,
        file: join(root, 'a.yaml'),
        line: 4,
        suppressed: null,
      },
    ]);
  });

  test('exits with 0 on warnings alone', async () => {
    const root = folder({ 'a.yaml': `${manifest('a')}---\n${manifest('a')}` });
    const { stdout, exitCode } = await runCli('lint', root);
    expect(stdout).toContain('0 errors, 1 warning');
    expect(exitCode).toBe(0);
  });

  test('exits with 1 when it cannot run', async () => {
    expect((await runCli('lint', '/no/such/place')).exitCode).toBe(1);
    expect((await runCli('lint', folder({}), '--target', 'moon')).exitCode).toBe(1);
    expect(await runCli('lint', folder({}), '--rancher-version', '2.13')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('--rancher-version'),
    });
    expect(
      (await runCli('lint', folder({}), '--before', folder({ 'a.yaml': 'a: [' }))).exitCode,
    ).toBe(1);
  });

  test('exits with 1 without an input where there is no folder dist', async () => {
    const cwd = process.cwd();
    process.chdir(folder({}));
    try {
      expect((await runCli('lint')).exitCode).toBe(1);
    } finally {
      process.chdir(cwd);
    }
  });

  test('reports a file that is not valid YAML without its contents', async () => {
    const root = folder({ 'a.yaml': 'password: "hunter2\nb: [', 'b.yaml': manifest('b') });
    const { stdout, exitCode } = await runCli('lint', root, '--output', 'json');
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout).findings).toEqual([
      expect.objectContaining({ rule: 'lint/no-yaml', file: join(root, 'a.yaml') }),
    ]);
    expect(stdout).not.toContain('hunter2');
  });

  test.each([
    ['an alias to nothing', 'a: *nowhere\n'],
    ['aliases without end', `a: &a [x]\n${'b'.repeat(5)}: [${'*a,'.repeat(2000)}]\n`],
    [
      'a list that holds itself',
      'apiVersion: v1\nkind: List\nitems: &a\n- {apiVersion: v1, kind: List, items: *a}\n',
    ],
    ['a block header with text', 'password: |hunter2\n'],
    ['a merge of text', 'a: {<<: hunter2}\n'],
  ])('reports %s as not valid YAML, and judges the rest', async (_, content) => {
    const root = folder({ 'a.yaml': content, 'b.yaml': manifest('Bad_Name') });
    const { stdout, stderr, exitCode } = await runCli('lint', root, '--output', 'json');
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 3 });
    expect(JSON.parse(stdout).findings.map(({ rule }: any) => rule)).toEqual([
      'lint/no-yaml',
      'object/name',
    ]);
    expect(stdout).not.toContain('hunter2');
  });

  test.each([
    'metadata: hello',
    'metadata: null',
    'metadata: {name: 5}',
    'metadata: {name: a, namespace: [b]}',
    'metadata: {name: a, namespace: b, labels: [c]}',
    'metadata: {name: a, namespace: b, annotations: text}',
    'metadata: {namespace: b}',
    'metadata: {name: a, namespace: b, labels: {c: {d: e}}}',
  ])('reports what is wrong with %s', async (metadata) => {
    for (const kind of [
      '{apiVersion: v1, kind: Secret',
      '{apiVersion: provisioning.cattle.io/v1, kind: Cluster, spec: {}',
      '{apiVersion: harvesterhci.io/v1beta1, kind: Setting',
    ]) {
      const { stdout, stderr, exitCode } = await runCli(
        'lint',
        folder({ 'a.yaml': `${kind}, ${metadata}}\n` }),
        '--output',
        'json',
      );
      expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 3 });
      expect(JSON.parse(stdout).findings).toContainEqual(
        expect.objectContaining({ rule: 'object/metadata', level: 'error' }),
      );
    }
  });

  test('takes what the YAML of Kubernetes takes for text, and null for empty', async () => {
    const root = folder({
      'a.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b, annotations: {t: 12:30:45, u: 2020-01-01, v: 1:2}, labels: {app: }}\n',
    });
    expect(JSON.parse((await runCli('lint', root, '--output', 'json')).stdout).findings).toEqual(
      [],
    );
  });

  test('takes names that a server makes up, and names like those of methods', async () => {
    const job =
      'apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: a-, namespace: b}\n' +
      'spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}\n';
    const settings = ['constructor', 'hasOwnProperty', 'valueof', '__proto__'].map(
      (name) =>
        `apiVersion: harvesterhci.io/v1beta1\nkind: Setting\nmetadata: {name: ${name}}\nvalue: abc\n`,
    );
    expect((await runCli('lint', folder({ 'a.yaml': `${job}---\n${job}` }))).stdout).toBe(
      '0 errors, 0 warnings\n',
    );
    expect(
      (
        await runCli(
          'lint',
          folder({ 'a.yaml': settings.join('---\n') }),
          '--target-kind',
          'harvester',
        )
      ).stderr,
    ).toBe('');
  });

  test('judges objects as a server returned them', async () => {
    const root = folder({
      'a.yaml':
        'apiVersion: provisioning.cattle.io/v1\nkind: Cluster\nmetadata: {name: c-l7k2p, namespace: fleet-default, uid: a, resourceVersion: "5"}\nspec: {}\nstatus: {clusterName: c-l7k2p}\n',
      'b.yaml':
        'apiVersion: fleet.cattle.io/v1alpha1\nkind: Bundle\nmetadata: {name: mcc-harvester, namespace: fleet-local}\n',
    });
    expect(
      (await runCli('lint', join(root, 'a.yaml'), '--target-kind', 'rancher')).stdout,
    ).toContain('0 errors');
    expect(
      (await runCli('lint', join(root, 'b.yaml'), '--target-kind', 'harvester')).stdout,
    ).toContain('0 errors');
  });

  test('reports a file in another encoding', async () => {
    const root = folder({ 'a.yaml': '' });
    writeFileSync(join(root, 'a.yaml'), Buffer.from('apiVersion: v1\nkind: Secret\n', 'utf16le'));
    writeFileSync(join(root, 'b.yaml'), Buffer.from([0xff, 0xfe, 0xfd]));
    expect(
      JSON.parse((await runCli('lint', root, '--output', 'json')).stdout).findings.map(
        ({ rule }: any) => rule,
      ),
    ).toContain('lint/no-yaml');
  });

  test('judges edits of what --world shows, and what refers to objects that its lists lack', async () => {
    const item = (kind: string, metadata: string, fields = '') =>
      `- {apiVersion: ${kind}, metadata: {${metadata}, uid: a}${fields}}\n`;
    const setting = 'management.cattle.io/v3, kind: Setting';
    const network = 'k8s.cni.cncf.io/v1, kind: NetworkAttachmentDefinition';
    const root = folder({
      'rancher.yaml':
        'apiVersion: management.cattle.io/v3\nkind: Setting\nmetadata: {name: cacerts}\nvalue: mine\n',
      'harvester.yaml':
        'apiVersion: loadbalancer.harvesterhci.io/v1beta1\nkind: IPPool\nmetadata: {name: p}\n' +
        'spec: {ranges: [{subnet: 10.0.0.0/24}], selector: {network: team/vlan, scope: [{project: "*", namespace: "*", guestCluster: "*"}]}}\n',
    });
    const world = folder({
      'live.yaml':
        `apiVersion: v1\nkind: List\nitems:\n${item(setting, 'name: cacerts', ', value: theirs')}` +
        `${item(network, 'name: a, namespace: default')}${item(network, 'name: b, namespace: other')}`,
    });
    const rulesOf = async (...args: string[]) =>
      (
        JSON.parse((await runCli('lint', ...args, '--output', 'json')).stdout) as {
          findings: { rule: string; level: string }[];
        }
      ).findings.map(({ level, rule }) => `${level} ${rule}`);
    const [onRancher, onHarvester] = [
      [join(root, 'rancher.yaml'), '--target-kind', 'rancher', '--rancher-version', '2.15.0'],
      [join(root, 'harvester.yaml'), '--target-kind', 'harvester', '--harvester-version', '1.8.2'],
    ];
    expect(await rulesOf(...onRancher)).toEqual(['warning rancher-setting/value']);
    expect(await rulesOf(...onRancher, '--world', world)).toEqual(['error rancher-setting/value']);
    expect(await rulesOf(...onHarvester)).toEqual([]);
    expect(await rulesOf(...onHarvester, '--world', world)).toEqual(['error ip-pool/network']);
  });

  test('takes the target from the option, and is silent on targets without it', async () => {
    const root = folder({ 'p.yaml': PROJECT });
    expect((await runCli('lint', root)).stdout).not.toContain('object/wrong-target');
    expect((await runCli('lint', root, '--target-kind', 'rancher')).stdout).not.toContain(
      'object/wrong-target',
    );
    expect((await runCli('lint', root, '--target-kind', 'harvester')).stdout).toContain(
      'object/wrong-target',
    );
  });

  test('opens lists and reads the YAML of Kubernetes', async () => {
    // yes is a boolean there, which no label takes; a date is text, which it takes
    const root = folder({
      'list.yaml':
        'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: A, namespace: x, labels: {a: yes, b: 2001-12-14}}}\n',
    });
    const { findings } = JSON.parse((await runCli('lint', root, '--output', 'json')).stdout);
    expect(findings.map(({ path }: any) => path)).toEqual(['metadata.labels[a]', 'metadata.name']);
  });

  test('judges an output folder by its assembly: targets, constructs, templates, suppressions', async () => {
    const app = newApp();
    configMap(newRancher(app), 'a', {}, 'Bad_Namespace');
    configMap(newHarvester(app), 'a');
    Suppressions.of(app).suppress('object/name', 'on purpose');
    app.synth();
    const { stdout, exitCode } = await runCli('lint', app.outdir, '--output', 'json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).findings).toEqual([
      expect.objectContaining({
        rule: 'object/name',
        construct: 'rancher/a',
        target: 'rancher',
        suppressed: 'on purpose',
        file: expect.stringContaining('15-configmap.yaml'),
      }),
    ]);
  });

  test('as GitHub annotations escapes what would end a command', async () => {
    const root = folder({ 'a,b.yaml': manifest('Bad_Name') });
    const { stdout } = await runCli('lint', root, '--output', 'github');
    expect(stdout).toContain(`::error file=${root}/a%2Cb.yaml,line=4,title=object/name::`);
  });

  test('gives the line of the field, of the last step that exists, or of the object', async () => {
    const list =
      'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: In_List\n';
    const labels =
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: fine\n  labels:\n    example.com/a: "not a label!"\n';
    const unnamed = '\n# a comment\napiVersion: v1\nkind: Secret\nmetadata: {}\n';
    const text = [manifest('a'), manifest('Bad_Name'), labels, list, unnamed].join('---\n');
    const root = folder({ 'a.yaml': text });
    const { findings } = JSON.parse((await runCli('lint', root, '--output', 'json')).stdout);
    const lines = text.split('\n');
    expect(findings.map(({ path, line }: any) => [path, lines[line - 1]])).toEqual(
      expect.arrayContaining([
        ['metadata.name', '  name: Bad_Name'],
        ['metadata.labels[example.com/a]', '    example.com/a: "not a label!"'],
        ['metadata.name', '    name: In_List'],
        ['metadata.name', 'metadata: {}'],
      ]),
    );
    expect((await runCli('lint', root)).stdout).toContain(`  in: ${join(root, 'a.yaml')}:10\n`);
  });

  test('fails on warnings when asked to', async () => {
    const root = folder({ 'a.yaml': `${manifest('a')}---\n${manifest('a')}` });
    expect((await runCli('lint', root, '--fail-on', 'errors,warnings')).exitCode).toBe(3);
    expect((await runCli('lint', root, '--fail-on', 'errors')).exitCode).toBe(0);
    expect((await runCli('lint', root, '--fail-on', 'note')).exitCode).toBe(1);
  });

  describe('with a baseline', () => {
    const accept = async (
      files: Record<string, string>,
    ): Promise<{ root: string; baseline: string }> => {
      const root = folder(files);
      const baseline = join(tempFolder(), 'baseline.json');
      expect(
        (await runCli('lint', root, '--baseline', baseline, '--update-baseline')).exitCode,
      ).toBe(0);
      return { root, baseline };
    };

    test('passes what was accepted, prints its number, and fails on what is new', async () => {
      const { root, baseline } = await accept({ 'a.yaml': manifest('Bad_Name') });
      const same = await runCli(
        'lint',
        root,
        '--baseline',
        baseline,
        '--fail-on',
        'errors,warnings',
      );
      expect(same).toMatchObject({
        exitCode: 0,
        stderr: '',
        stdout: `0 errors, 0 warnings, 1 accepted: accepted in ${baseline}\n`,
      });
      writeFileSync(join(root, 'b.yaml'), manifest('Other_Name'));
      expect(await runCli('lint', root, '--baseline', baseline)).toMatchObject({
        exitCode: 3,
        stdout: expect.stringContaining('1 error, 0 warnings, 1 accepted'),
      });
    });

    test('reports accepted findings that are gone', async () => {
      const { root, baseline } = await accept({ 'a.yaml': manifest('Bad_Name') });
      writeFileSync(join(root, 'a.yaml'), manifest('good-name'));
      expect(await runCli('lint', root, '--baseline', baseline)).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining('1 accepted finding no longer occurs'),
      });
    });

    test('accepts a file that cannot be read, and no other one', async () => {
      const { root, baseline } = await accept({ 'a.yaml': 'a: [' });
      expect((await runCli('lint', root, '--baseline', baseline)).exitCode).toBe(0);
      writeFileSync(join(root, 'b.yaml'), 'a: [');
      expect((await runCli('lint', root, '--baseline', baseline)).exitCode).toBe(3);
    });

    test('leaves a file out by --exclude', async () => {
      const root = folder({ 'a.yaml': manifest('good-name'), 'b/a.yaml': 'a: [' });
      expect((await runCli('lint', root)).exitCode).toBe(3);
      expect((await runCli('lint', root, '--exclude', 'b/')).exitCode).toBe(0);
    });

    test.each([
      ['does not exist', undefined, 'does not exist'],
      ['is not JSON', '<<<<<<< ours', 'is not valid JSON'],
      ['is something else', '{"version":1,"accepted":[{}]}', 'is not a baseline of version 1'],
      [
        'accepts what makes the output wrong',
        '{"version":1,"accepted":[{"rule":"object/duplicate","target":"","object":"v1/ConfigMap//a","path":""}]}',
        'object/duplicate cannot be accepted',
      ],
    ])('refuses one that %s', async (_, content, words) => {
      const file = join(
        folder(content === undefined ? {} : { 'baseline.json': content }),
        'baseline.json',
      );
      const lint = await runCli('lint', folder({ 'a.yaml': manifest('a') }), '--baseline', file);
      expect(lint).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(words) });
    });

    test('needs a file to update', async () => {
      expect(await runCli('lint', folder({}), '--update-baseline')).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('set --baseline'),
      });
    });
  });
});

test('rules prints every rule once, with source', async () => {
  const rules = JSON.parse((await runCli('rules', '--output', 'json')).stdout);
  expect(new Set(rules.map(({ id }: any) => id)).size).toBe(rules.length);
  for (const rule of rules) {
    expect(rule).toMatchObject({
      id: expect.stringMatching(/^[a-z0-9-]+\/[a-z0-9-]+$/),
      what: expect.any(String),
      source: expect.stringMatching(/./),
    });
  }
});

test('shows files, findings and next steps', async () => {
  const app = newApp();
  configMap(newRancher(app), 'a');
  app.synth();
  const { stdout, exitCode } = await runCli('show', app.outdir);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('Rancher 2.13.8  1 file\n  ConfigMap default/a\n');
  expect(stdout).toContain('findings: 0 errors, 0 warnings');
});

test('shows what an engine or apply keeps, and why', async () => {
  const examples = join(__dirname, '../../../../examples');
  const flux = await runCli('show', join(examples, 'gitops-flux/dist'));
  expect(flux.stdout).toContain(
    'objects that are not deleted when they leave the output, by flux:\n',
  );
  expect(flux.stdout).toContain(
    '  kept: its projects, members and registration would be lost with it\n    Cluster fleet-default/dc1 on rancher\n',
  );
  const { stdout } = await runCli('show', join(examples, 'reference-stack/dist'));
  expect(stdout).toContain('by apply:\n');
  expect(stdout).toMatch(
    /\n {2}kept: Cluster fleet-default\/shop is kept and needs it\n(?: {4}.*\n)* {4}Secret cattle-global-data\/cc-dc1 on rancher\n/,
  );
  expect(stdout).not.toMatch(/ 0 files|no file yet/);
});

test('images lists what an import needs, with the prefix of a registry', async () => {
  const { stdout, exitCode } = await runCli(
    'images',
    '--rancher-version',
    '2.13.8',
    '--registry',
    'registry.example.com',
  );
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^registry\.example\.com\/rancher\/rancher-agent:v2\.13\.8 /);
  expect((await runCli('images')).exitCode).toBe(1);
});
