import { execFileSync } from 'child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'fs';
import { dirname, join } from 'path';
import { checkAssembly } from '../../../src/core/output/check-assembly';
import { readRegularFile } from '../../../src/core/output/regular-file';
import { readEnvironments } from '../../../src/engine/read/compared-input';
import { lintPaths } from '../../../src/engine/read/lint';
import { testOfGrowth } from '../../support/cases';
import { cpuMs } from '../../support/cpu-time';
import { messageOf } from '../../support/message-of';
import { runCli } from '../../support/run-cli';
import { tempFolder } from '../../support/temp';

/** A folder with files. */
function folder(files: Record<string, string | Buffer>): string {
  const root = tempFolder();
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), content);
  }
  return root;
}

const BAD = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Bad_Name, namespace: x}\n';

const told = (root: string, options = {}): string[] =>
  lintPaths([root], options).map(
    ({ rule, level, message }) => `${level} ${rule}: ${message.replaceAll(root, 'ROOT')}`,
  );
const BAD_NAME = expect.stringMatching(/^error object\/name: /);

describe('files that are not regular', () => {
  test('a link to a device and a pipe are errors, and the rest is judged', () => {
    const root = folder({ 'a.yaml': BAD });
    execFileSync('mkfifo', [join(root, 'pipe.yaml')]);
    symlinkSync('/dev/zero', join(root, 'zero.yaml'));
    expect(told(root)).toEqual([
      BAD_NAME,
      'error lint/no-yaml: ROOT/pipe.yaml must be a regular file, got a pipe',
      'warning lint/unread-link: ROOT/zero.yaml is a symbolic link to /dev/zero, outside of ROOT, which is not read',
    ]);
    expect(told(root, { followLinks: true })).toContain(
      'error lint/no-yaml: ROOT/zero.yaml must be a regular file, got a device',
    );
  });

  test('are refused where they are named, as an assembly, and as a file of an assembly', async () => {
    const root = folder({});
    execFileSync('mkfifo', [join(root, 'pipe'), join(root, 'assembly.json')]);
    expect(told(join(root, 'pipe'))).toEqual([
      'error lint/no-yaml: ROOT must be a regular file, got a pipe',
    ]);
    expect(told('/dev/zero')).toEqual([
      'error lint/no-yaml: ROOT must be a regular file, got a device',
    ]);
    expect(told(root)).toEqual([
      'error lint/no-yaml: ROOT/assembly.json must be a regular file, got a pipe',
    ]);
    for (const command of ['show', 'plan', 'deliver']) {
      const more =
        command === 'deliver'
          ? ['--delivery', 'flux', '--output-dir', tempFolder(), '--source-name', 'x']
          : [];
      expect(await runCli(command, root, ...more)).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('assembly.json: must be a regular file, got a pipe'),
      });
    }
  });
});

describe('symbolic links', () => {
  test('are followed within the folder, and out of it only on demand', () => {
    const outside = folder({
      'b.yaml': BAD.replace('Bad', 'Out'),
      'c/d.yaml': BAD.replace('Bad', 'Deep'),
    });
    const root = folder({ 'in/a.yaml': BAD, 'in/readme.md': '' });
    symlinkSync(join(root, 'in', 'a.yaml'), join(root, 'same.yaml'));
    symlinkSync(join(outside, 'b.yaml'), join(root, 'b.yaml'));
    symlinkSync(join(outside, 'c'), join(root, 'c'));
    symlinkSync(join(outside, 'c'), join(outside, 'c', 'circle'));
    const kept = lintPaths([root]);
    expect(
      kept.filter(({ rule }) => rule === 'lint/unread-link').map(({ file, fix }) => [file, fix]),
    ).toEqual([
      [
        join(root, 'b.yaml'),
        expect.stringMatching(
          /^add .*b\.yaml as a path of its own, set --follow-links, or remove the link$/,
        ),
      ],
      [join(root, 'c'), expect.stringMatching(/--follow-links/)],
    ]);
    const names = (findings: typeof kept): string[] => [
      ...new Set(
        findings.filter(({ rule }) => rule === 'object/name').map(({ object }) => object!.name),
      ),
    ];
    expect(names(kept)).toEqual(['Bad_Name']);
    expect(names(lintPaths([root], { followLinks: true })).sort()).toEqual([
      'Bad_Name',
      'Deep_Name',
      'Out_Name',
    ]);
    expect(messageOf(() => readEnvironments([root], []))).toMatch(
      /b\.yaml is a symbolic link to .*Fix: add /,
    );
    expect(readEnvironments([root], [], { followLinks: true })[0]!.input.objects).toHaveLength(4);
  });

  test('that lead nowhere do not stop the others', () => {
    const root = folder({ 'b.yaml': BAD });
    symlinkSync(join(root, 'nothing'), join(root, 'a.yaml'));
    expect(told(root)).toEqual(['error lint/no-yaml: ROOT/a.yaml cannot be read', BAD_NAME]);
  });
});

describe('sizes', () => {
  test('of one file and of all together are limited, and the limit is an option', async () => {
    const root = folder({ 'a.yaml': BAD, 'b.yaml': '' });
    truncateSync(join(root, 'b.yaml'), 17 * 1024 * 1024);
    expect(told(root)).toEqual([
      BAD_NAME,
      'error lint/no-yaml: ROOT/b.yaml must have at most 16 MiB, got 17 MiB',
    ]);
    expect(lintPaths([root]).at(-1)!.fix).toContain('--max-file-size');
    expect((await runCli('lint', root, '--max-file-size', '0.00001')).stdout).toContain(
      'a.yaml\n  must have at most 10 bytes, got 72 bytes',
    );
    expect((await runCli('lint', root, '--max-file-size', 'x')).stderr).toContain(
      '--max-file-size: must be a number of MiB above 0, got NaN',
    );
    const many = folder(
      Object.fromEntries(
        Array.from({ length: 20 }, (_, index) => [`${index}.yaml`, `# ${'x'.repeat(90)}\n`]),
      ),
    );
    expect(
      told(many, { maxFileSize: 100 / 1024 / 1024 }).filter((line) =>
        line.includes('all files together must have at most 1600 bytes'),
      ),
    ).toHaveLength(3);
  });

  test('are those that are read, not those that the file system names', () => {
    expect(readRegularFile('/proc/self/status').toString()).toContain('Name:');
    expect(messageOf(() => readRegularFile('/proc/self/status', 10))).toBe(
      'must have at most 10 bytes, and has more',
    );
  });
});

describe('what is not an object', () => {
  test.each([
    [
      'apiVersion: null\nkind: Setting\n',
      'error lint/no-object: ROOT/a.yaml holds what cannot be a Kubernetes object: document 1 apiVersion must be a text, got nothing',
    ],
    [
      'apiVersion: v1\nkind: 5\n',
      'error lint/no-object: ROOT/a.yaml holds what cannot be a Kubernetes object: document 1 kind must be a text, got a number',
    ],
    [
      'hunter2\n',
      'error lint/no-object: ROOT/a.yaml holds what cannot be a Kubernetes object: document 1 must be a map, got a text',
    ],
    [
      '- a\n',
      'error lint/no-object: ROOT/a.yaml holds what cannot be a Kubernetes object: document 1 must be a map, got a list',
    ],
    ['\0\0\0\0', expect.stringMatching(/^error lint\/no-(?:object|yaml): ROOT\/a\.yaml /)],
    [
      '---\n---\nreplicas: 3\n',
      'warning lint/not-judged: ROOT/a.yaml holds what is not judged: document 2 has no apiVersion and no kind',
    ],
    [
      'apiVersion: v2\nname: chart\n',
      'warning lint/not-judged: ROOT/a.yaml holds what is not judged: document 1 has no kind',
    ],
    [
      'apiVersion: v1\nkind: List\nitems: [5, {kind: x}]\n',
      'error lint/no-object: ROOT/a.yaml holds what cannot be a Kubernetes object: document 1 items[0] must be a map, got a number',
    ],
  ])('%j is reported', (content, message) => {
    expect(told(folder({ 'a.yaml': content }))[0]).toEqual(message);
  });

  test('random bytes are an error', () => {
    const bytes = Buffer.from(
      Array.from({ length: 999 }, (_, index) => (index * index * 31 + 200) % 256),
    );
    expect(told(folder({ 'a.yaml': bytes }))).toEqual([
      'error lint/no-yaml: ROOT/a.yaml is not valid YAML: must be UTF-8 text',
    ]);
  });

  test('many are one finding, and empty documents none', () => {
    const content = `---\n---\n${'---\na: b\n'.repeat(1000)}`;
    expect(told(folder({ 'a.yaml': content }))).toEqual([
      expect.stringMatching(/document 3 has .*; and 995 more$/),
    ]);
    expect(told(folder({ 'a.yaml': '---\n# nothing\n---\n' }))).toEqual([]);
  });

  test('warnings do not stop a comparison, errors do', () => {
    expect(readEnvironments([folder({ 'a.yaml': 'a: b\n' })], [])[0]!.input.objects).toEqual([]);
    expect(messageOf(() => readEnvironments([folder({ 'a.yaml': 'text\n' })], []))).toContain(
      'must be a map, got a text',
    );
  });
});

describe('a hostile input takes time that grows with its size', () => {
  const servers = (count: number): string =>
    JSON.stringify({
      ntpServers: Array.from({ length: count }, (_, index) => `bad server ${index}`),
    });
  const setting = (count: number): string =>
    JSON.stringify({
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'Setting',
      metadata: { name: 'ntp-servers' },
      value: servers(count),
    });

  test('a setting with many wrong entries has a hundred findings, and one with the number of the others', () => {
    const findings = lintPaths([folder({ 'a.json': setting(20_000) })]);
    expect(findings).toHaveLength(101);
    expect(
      findings.filter(({ message }) => /^has 19900 more problems of this rule/.test(message)),
    ).toHaveLength(1);
  });

  testOfGrowth('a setting with many wrong entries', () => {
    const [few, many] = [4_000, 16_000].map((count) => {
      const root = folder({ 'a.json': setting(count) });
      return cpuMs(() => lintPaths([root]));
    });
    expect(many / few).toBeLessThan(10);
  });

  test('an assembly of empty objects', () => {
    const assembly = (count: number) => ({
      schemaVersion: '1',
      targets: [],
      objects: Array.from({ length: count }, () => ({})),
      groups: [],
      edges: [],
      lateValues: [],
      findings: [],
    });
    const [few, many] = [20_000, 200_000].map((count) => {
      const content = assembly(count);
      return cpuMs(() => checkAssembly(content));
    });
    expect(checkAssembly(assembly(200_000)).length).toBeLessThan(2_000);
    // it ends at the first thousand
    expect(many).toBeLessThan(few * 20 + 100);
  });

  const list = (count: number): string =>
    `apiVersion: v1\nkind: List\nitems:\n${Array.from(
      { length: count },
      (_, index) =>
        `- {apiVersion: v1, kind: ConfigMap, metadata: {name: Bad_${index}, namespace: x}}\n`,
    ).join('')}`;

  test('the findings of a list of objects have the lines of the file', () => {
    const findings = lintPaths([folder({ 'a.yaml': list(500) })]);
    expect(findings.map(({ line, object }) => line! - Number(object!.name.slice(4)))).toEqual(
      Array(500).fill(4),
    );
  });

  testOfGrowth('a list of objects with findings', () => {
    const [few, many] = [500, 2_000].map((count) => {
      const root = folder({ 'a.yaml': list(count) });
      return cpuMs(() => lintPaths([root]));
    });
    expect(many / few).toBeLessThan(10);
  });
});
