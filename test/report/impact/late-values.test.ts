import { Manifest } from '../../../src/core/manifest/manifest';
import { Assembly } from '../../../src/core/output/assembly';
import { impactOf } from '../../../src/report/impact/cluster-impacts';
import { Impact, ImpactSide } from '../../../src/report/impact/impact';
import { cloudConfig, credential, guest, machineConfig } from '../../support/guest';

const side = (manifests: readonly Manifest[], assemblies: readonly Assembly[] = []) =>
  new ImpactSide(
    manifests.map((manifest) => ({ manifest, target: { name: 'rancher' } })),
    assemblies,
  );
const compare = (before: readonly Manifest[], after: readonly Manifest[]): Impact[] =>
  impactOf({ before: side(before), after: side(after) });
const brief = (impacts: readonly Impact[]) =>
  impacts.map(
    ({ effect, pool: name, machines, causes }) =>
      `${effect} ${name} ${machines} ${causes.map(({ path }) => path).join()}`,
  );
const all = (config: object = {}) => [machineConfig(config), cloudConfig(), credential(), guest()];

describe('late values', () => {
  const assembly = (id: string, source: object): Assembly => ({
    schemaVersion: '3',
    targets: [],
    objects: [],
    groups: [],
    edges: [],
    findings: [],
    lateValues: [
      {
        id,
        description: '',
        type: 'Token',
        sensitive: true,
        construct: '',
        source: source as never,
      },
    ],
  });
  const object = (name: string) => ({
    resolver: 'object',
    target: 'dc1',
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: 'vms',
    name,
    path: 'data.token',
  });
  const text = (content: string) => ({ resolver: 'text', text: content });
  const run = (
    before: [string, object],
    after: [string, object],
    of = (id: string) => `\${late:${id}|base64}`,
  ) =>
    impactOf({
      before: side(all({ userData: of(before[0]) }), [assembly(...before)]),
      after: side(all({ userData: of(after[0]) }), [assembly(...after)]),
    });

  test('ignores another id for the same value, and reports another source', () => {
    expect(run(['a', object('shop')], ['b', object('shop')])).toEqual([]);
    expect(brief(run(['a', object('shop')], ['a', object('other')]))).toEqual([
      'replace all 3 userData',
    ]);
  });

  test('another text around the same values is a change', () => {
    expect(run(['a', text('#cloud-config\n')], ['a', text('#cloud-config\n')])).toEqual([]);
    expect(brief(run(['a', text('#cloud-config\n')], ['a', text('#cloud-config\n\n')]))).toEqual([
      'replace all 3 userData',
    ]);
  });

  test('counts lines as they are in the user data', () => {
    const [impact] = run(
      ['a', text('a\nb\nc\n')],
      ['a', text('a\nb\nd\n')],
      (id) => `#cloud-config\nx: \${late:${id}}\n`,
    );
    expect(impact.causes[0].remark).toBe('differs from line 2 on (3 lines before, 3 after)');
  });

  test('does not compare a value on one side alone', () => {
    const impacts = impactOf({
      before: side(all()),
      after: side(all({ userData: '${late:a|base64}' }), [assembly('a', text('x'))]),
    });
    expect(impacts).toEqual([
      expect.objectContaining({
        effect: 'unknown',
        machines: 3,
        what: expect.stringContaining('cannot be compared'),
        risks: [expect.stringContaining('compare two output folders')],
      }),
    ]);
  });
});

describe('a text with late values against one without', () => {
  const late = (content: string) =>
    `#cloud-config\nwrite_files:\n  - content: ${content}\n  - content: ${content}\nruncmd: []\n`;
  const waiting = late('${late:dc1.shop.kubeconfig|base64}');
  const effects = (before: string, after: string) =>
    compare(all({ userData: before }), all({ userData: after })).map(({ effect }) => effect);
  const run = (text: string) => [effects(waiting, text), effects(text, waiting)];

  test('that has something in their place may be the same', () => {
    expect(run(late('a3ViZQ=='))).toEqual([['unknown'], ['unknown']]);
  });

  test('is ignored where another field replaces the machines for sure', () => {
    const impacts = compare(
      all({ userData: waiting }),
      all({ userData: late('a3ViZQ=='), cpuCount: '8' }),
    );
    expect(brief(impacts)).toEqual(['replace all 3 cpuCount,userData']);
    expect(impacts[0].causes[1].remark).toBe(
      'waits for a late value on one side: it can be the same',
    );
  });

  test.each([
    ['without their lines', '#cloud-config\nruncmd: []\n'],
    ['with another end', late('a3ViZQ==').replace('[]', '[a]')],
    ['with another beginning', `${late('a3ViZQ==')}`.replace('#cloud', '# cloud')],
    ['with a file less', '#cloud-config\nwrite_files:\n  - content: a\nruncmd: []\n'],
  ])('%s is another one: machines are replaced', (_, text) => {
    expect(run(text)).toEqual([['replace'], ['replace']]);
  });
});
