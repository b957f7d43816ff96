import { cpSync, existsSync, readFileSync, writeFileSync } from 'fs';
import { join } from 'path';
import { foundIn, tenants } from './_tenants';
import {
  FoundPlatform,
  GraphFormat,
  findPlatform,
  graphReport,
} from '../../../src/report/graph/page/graph-report';
import { NO_NOTES } from '../../../src/report/graph/platform';
import { runCli } from '../../support/run-cli';
import { shown } from '../../support/shown';
import { tempFolder } from '../../support/temp';
import '../../../src/registry/register';

const EXAMPLES = join(__dirname, '..', '..', '..', 'examples');
const STACK = join(EXAMPLES, 'reference-stack', 'dist');
const FORMATS = ['json', 'mermaid', 'svg', 'html'] as const;

const textOf = (found: FoundPlatform, format: GraphFormat): string => {
  const report = graphReport(found, format);
  return typeof report === 'string' ? report : shown(report);
};

/** The reference stack with an edit that replaces its machines, which then do not fit. */
function edited(): string {
  const dist = join(tempFolder(), 'dist');
  cpSync(STACK, dist, { recursive: true });
  const change = (file: string, from: string, to: string): void => {
    const text = readFileSync(join(dist, file), 'utf8');
    expect(text).toContain(from);
    writeFileSync(join(dist, file), text.replace(from, to));
  };
  change(
    'rancher/38-harvesterconfig.rke-machine-config.cattle.io.yaml',
    'memorySize: "8"',
    'memorySize: "16"',
  );
  change('dc1/10-namespace.yaml', '"limitsCpu":"32"', '"limitsCpu":"7"');
  return dist;
}

describe('text', () => {
  test('lists the parts of each cluster, with what they depend on and wait for', () => {
    expect(textOf(findPlatform(join(EXAMPLES, 'quickstart', 'dist'), {}), 'text')).toBe(
      [
        'rancher  Rancher 2.13.8',
        '  imported cluster dc1',
        '',
        'dc1  Harvester 1.7.2  managed by rancher',
        '  setting ntp-servers',
        '  setting overcommit-config',
        '  setting cluster-registration-url',
        '    waits for registration URL of c-m-juop4lu7 by token default-token',
        '    depends on imported cluster dc1 on rancher',
        '',
        '2 clusters, 4 parts; 1 waits for late values',
      ].join('\n'),
    );
  });

  test('marks what a change replaces, and what does not fit', () => {
    const text = textOf(findPlatform(edited(), { before: [STACK] }), 'text');
    expect(text).toMatch(/ {2}guest cluster shop .*\n {4}.*replaced/);
    expect(text).toMatch(/ {2}namespace payments-vms\n {4}limitsCpu: .* of 7 are needed/);
    expect(text).toMatch(/12 parts; 2 wait for late values; 2 with problems$/);
  });
});

describe('mermaid', () => {
  test('has a subgraph for each cluster, and a line for each dependency', () => {
    expect(textOf(findPlatform(join(EXAMPLES, 'quickstart', 'dist'), {}), 'mermaid')).toBe(
      [
        'flowchart LR',
        '  subgraph c0["Rancher 2.13.8: rancher"]',
        '    b0["imported cluster<br>dc1"]',
        '  end',
        '  subgraph c1["Harvester 1.7.2: dc1"]',
        '    b1["setting<br>ntp-servers"]',
        '    b2["setting<br>overcommit-config"]',
        '    b3["setting<br>cluster-registration-url<br>waits for 1 late value"]',
        '  end',
        '  b0 --> b3',
        '  classDef late stroke:#b8860b,stroke-width:2px',
        '  class b3 late',
      ].join('\n'),
    );
  });

  test('of 500 tenants is within what Git servers draw', () => {
    const text = textOf(foundIn(tenants(500)), 'mermaid');
    // the limits of GitHub and GitLab: maxTextSize and maxEdges of Mermaid
    expect(text.length).toBeLessThan(50_000);
    expect(text.split('-->').length).toBeLessThan(500);
  });
});

test('json has all that the others show, and a version', () => {
  const { schemaVersion, clusters, parts } = JSON.parse(
    textOf(findPlatform(STACK, {}), 'json'),
  ) as { schemaVersion: string } & FoundPlatform['platform'];
  expect(schemaVersion).toBe('1');
  expect(clusters.map(({ name }) => name)).toEqual(['rancher', 'dc1', 'shop']);
  expect(parts.find(({ noun }) => noun === 'imported cluster')).toEqual({
    id: 'rancher/provisioning.cattle.io/Cluster/fleet-default/dc1',
    cluster: 'rancher',
    noun: 'imported cluster',
    name: 'dc1',
    construct: 'rancher/import-dc1/Resource',
    objects: [
      'Cluster fleet-default/dc1',
      'Namespace c-m-juop4lu7',
      'Secret c-m-juop4lu7/crt-token-gitops',
    ],
    dependsOn: [],
    late: [],
    facts: [],
    problems: [],
  });
});

describe('svg', () => {
  test('is a picture with a name, light and dark, that loads nothing', () => {
    const svg = textOf(findPlatform(STACK, {}), 'svg');
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" .* role="img"/);
    expect(svg).toContain('<title>Platform</title>');
    expect(svg).toContain('prefers-color-scheme:dark');
    expect(svg.match(/class="box /g)).toHaveLength(12);
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|<a |<script/);
  });

  test('of 500 tenants is as large as that of 60', () => {
    const [small, large] = [60, 500].map((count) => textOf(foundIn(tenants(count)), 'svg'));
    expect(large!.match(/class="box /g)).toHaveLength(small!.match(/class="box /g)!.length);
    expect(large!.length).toBeLessThan(1.1 * small!.length);
  });
});

describe('html', () => {
  const page = textOf(findPlatform(STACK, {}), 'html');

  test('has the picture, all parts, and the reports, in this order', () => {
    const titles = [...page.matchAll(/<section id="([a-z]+)">/g)].map(([, id]) => id);
    expect(titles).toEqual(['picture', 'parts', 'impact', 'fits', 'access', 'addresses']);
    expect(page.match(/<details class="part/g)).toHaveLength(12);
    expect(page).toContain('everything fits');
    expect(page).toContain('Project Owner (project-owner)');
    expect(page).toContain('10.10.100.200-10.10.100.219');
    expect(page).toContain('Run graph with --before');
  });

  test('leads from boxes and names to parts that it has', () => {
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...page.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id!);
    expect(links.length).toBeGreaterThan(30);
    expect(links.filter((id) => !ids.has(id))).toEqual([]);
  });

  test('loads nothing from elsewhere, and runs only its own script', () => {
    expect(page).toContain(`content="default-src 'none'; style-src 'sha256-`);
    expect(page).not.toMatch(/ (?:src|style|on[a-z]+)="/);
    expect(page.match(/<script>/g)).toHaveLength(1);
    expect(page.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:\/\//);
  });

  test('shows what a change does', () => {
    const text = textOf(findPlatform(edited(), { before: [STACK] }), 'html');
    expect(text).toMatch(/<section id="impact">.*3 machines replaced/s);
    expect(text).toContain('class="part late problem"');
  });

  test('folds many tenants, and shows the first of them', () => {
    const text = textOf(foundIn(tenants(500)), 'html');
    expect(text.match(/<details class="part/g)).toHaveLength(2002);
    expect(text).not.toContain('<details class="lane" open>');
    expect(text).toContain('<summary>488 more projects</summary>');
    expect(text.length).toBeLessThan(3_000_000);
  });
});

describe('all formats', () => {
  test.each(FORMATS)('%s is the same for the same output', (format) => {
    expect(textOf(findPlatform(STACK, {}), format)).toBe(textOf(findPlatform(STACK, {}), format));
  });

  test.each(FORMATS)('%s contains no secret of the program', (format) => {
    const secrets = readFileSync(join(STACK, 'rancher/15-secret.yaml'), 'utf8');
    const token = /token: (\S+)/.exec(secrets)![1]!;
    const text = textOf(findPlatform(edited(), { before: [STACK] }), format);
    expect(text).not.toContain(token);
    expect(text).not.toContain(Buffer.from(token, 'base64').toString('utf8'));
  });

  const HOSTILE = `"]<script>alert(1)</script>'\`&--> end\u202e\u001b[31m`;

  test.each(['mermaid', 'svg', 'html'] as const)('%s shows hostile names as text', (format) => {
    const output = tenants(3, (index) => `${HOSTILE} ${index}`);
    const id = 'rancher/management.cattle.io/Project/c-dc0/team-0';
    const text = textOf(
      foundIn(output, { ...NO_NOTES, facts: new Map([[id, [HOSTILE]]]) }),
      format,
    );
    expect(text).not.toMatch(/<script>alert|\u202e|\u001b/);
    if (format === 'mermaid') {
      for (const [, label] of text.matchAll(/\["(.*)"\]$/gm)) {
        expect(label!.replace(/<br>/g, '')).toMatch(/^[\p{L}\p{N} .,:()/+#;-]*$/u);
      }
    } else {
      expect(text).toContain('&lt;script&gt;');
    }
  });

  test('svg cuts long names, and has them whole as a title', () => {
    const name = `${'x'.repeat(300)}\u4e2d`.repeat(3);
    const text = textOf(foundIn(tenants(1, () => name)), 'svg');
    const rows = [...text.matchAll(/<text class="name"[^>]*>([^<]*)<\/text>/g)].map(
      ([, row]) => row!,
    );
    expect(Math.max(...rows.map(({ length }) => length))).toBeLessThanOrEqual(20);
    expect(text).toContain(`<title>project, ${name}</title>`);
  });
});

describe('the command', () => {
  test.each([
    ['platform.html', '<!DOCTYPE html>'],
    ['platform.svg', '<svg '],
    ['platform.mmd', 'flowchart LR'],
    ['platform.json', '{'],
    ['platform.txt', 'rancher  Rancher 2.13.8'],
  ])('writes %s in the format of its name', async (name, begin) => {
    const file = join(tempFolder(), name);
    const { stdout, exitCode } = await runCli('graph', STACK, '--output-file', file);
    expect([exitCode, stdout]).toEqual([0, `wrote ${file}\n`]);
    expect(readFileSync(file, 'utf8').startsWith(begin)).toBe(true);
  });

  test('takes the format of --output before that of the name', async () => {
    const file = join(tempFolder(), 'platform.html');
    await runCli('graph', STACK, '-o', 'svg', '--output-file', file);
    expect(readFileSync(file, 'utf8')).toMatch(/^<svg /);
  });

  test('fails for a part that nothing has, and writes nothing', async () => {
    const file = join(tempFolder(), 'platform.html');
    const { stderr, exitCode } = await runCli('graph', STACK, '--of', 'shp', '--output-file', file);
    expect([exitCode, existsSync(file)]).toEqual([1, false]);
    expect(stderr).toContain('nothing has the name or the path "shp". Fix: set it to shop');
  });

  test('counts live objects', async () => {
    const folder = tempFolder();
    writeFileSync(
      join(folder, 'pool.yaml'),
      JSON.stringify({
        ...{ apiVersion: 'loadbalancer.harvesterhci.io/v1beta1', kind: 'IPPool' },
        metadata: { name: 'shop-addresses', uid: 'a' },
        spec: { ranges: [{ subnet: '10.10.100.0/24' }] },
        status: { allocated: { '10.10.100.201': 'default/other' } },
      }),
    );
    const { stdout } = await runCli('graph', STACK, '--world', folder, '--of', 'shop-addresses');
    expect(stdout).toContain('18 of 20 addresses are free');
  });
});
