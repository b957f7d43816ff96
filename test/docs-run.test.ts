import { readFileSync, readdirSync, writeFileSync } from 'fs';
import { createRequire } from 'module';
import { join } from 'path';
import { Size } from 'cdk8s';
import * as ts from 'typescript';
import { CA } from './support/certificates';
import { tempFolder } from './support/temp';
import * as engine from '../src/engine';
import * as library from '../src/index';

const ROOT = join(__dirname, '..');
const PAGES = ['README.md', ...readdirSync(join(ROOT, 'docs')).filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`)];

const ENTRIES = new Map<string, unknown>([['cdk8s-harvester', library], ['cdk8s-harvester/engine', engine]]);

/** Pages with programs that only compile, and the text by which their blocks are known. */
const ONLY_COMPILED = [
  ['docs/testing.md', 'expect.extend', 'it declares tests of jest'],
  ['docs/use-from-code.md', 'await apply(', 'it applies to live clusters'],
  ['docs/use-from-code.md', 'deliver(', 'it encrypts with sops, which is not everywhere'],
] as const;

const blocks = PAGES.flatMap((page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].filter(([, code]) => /^import /m.test(code))
    .map(({ 1: code, index }) => ({ page, name: `${page}:${text.slice(0, index).split('\n').length}`, code }));
});
const isOnlyCompiled = (page: string, code: string): boolean => ONLY_COMPILED.some(([where, part]) => where === page && code.includes(part));

/** What blocks declare without creating it. */
function given(code: string): Record<string, unknown> {
  const isOld = code.includes('Rke1Cluster');
  const app = library.Testing.app();
  const rancher = new library.RancherChart(app, 'rancher', { version: isOld ? '2.11.3' : '2.13.8', serverUrl: 'https://rancher.example.com' });
  const dc1 = new library.HarvesterChart(app, 'dc1', { version: isOld ? '1.5.1' : '1.7.2', vip: '10.10.0.10' });
  const harvester = new library.HarvesterImport(rancher, 'import-dc1', { harvester: dc1 });
  const image = library.VmImage.fromName(dc1, 'given-image', { name: 'noble' });
  const network = library.VmNetwork.fromName(dc1, 'given-network', { name: 'prod' });
  const pools = [{
    name: 'all',
    quantity: 3,
    roles: library.MachineRoles.ALL,
    cpus: 4,
    memory: Size.gibibytes(8),
    disks: [library.Disk.image(image, Size.gibibytes(40))],
    networks: [network],
  }];
  const vmNamespace = library.HarvesterNamespace.fromName(dc1, 'given-namespace', { name: 'shop-vms' });
  const props = { harvesterImport: harvester, vmNamespace, kubernetes: library.Kubernetes.rke2('v1.33.6+rke2r1'), pools };
  const shop = code.includes('shop: GuestClusterProps') ? props : /shop: GuestCluster;/.test(code) ? new library.GuestCluster(rancher, 'given-shop', props) : undefined;
  return { app, rancher, dc1, harvester, image, network, pools, shop };
}

const cwd = process.cwd();
beforeEach(() => {
  const folder = tempFolder();
  process.chdir(folder);
  for (const file of ['ca.pem', 'registry-ca.pem']) { writeFileSync(file, CA); }
  Object.assign(process.env, { DC1_TOKEN: 'x'.repeat(54), DB_PASSWORD: 'example' });
});
afterEach(() => {
  jest.restoreAllMocks();
  process.chdir(cwd);
  delete process.env.DC1_TOKEN;
  delete process.env.DB_PASSWORD;
});

test.each(blocks.filter(({ page, code }) => !isOnlyCompiled(page, code)))('runs $name', ({ code }) => {
  jest.spyOn(console, 'log').mockReturnValue();
  // warnings of programs
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const { outputText } = ts.transpileModule(code, { compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 } });
  const real = createRequire(__filename);
  const load = (name: string): unknown => ENTRIES.get(name) ?? real(name);
  const declared = given(code);
  const names = Object.keys(declared).filter((name) => new RegExp(`^declare const ${name}:`, 'm').test(code));
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const run = new Function('require', 'exports', ...names, outputText) as (...args: unknown[]) => void;
  expect(() => { run(load, {}, ...names.map((name) => declared[name])); }).not.toThrow();
});

test('lists only blocks that exist as compiled only', () => {
  expect(ONLY_COMPILED.filter(([page, part]) => !blocks.some((block) => block.page === page && block.code.includes(part)))).toEqual([]);
});
