import { readdirSync, readFileSync } from 'fs';
import { builtinModules } from 'module';
import { join, relative } from 'path';

const SRC = join(__dirname, '..', 'src');

/** Who may know whom; model and versions are data, which everybody above may know. */
const MAY_KNOW: Record<string, readonly string[]> = {
  versions: [],
  model: [],
  late: ['model'],
  rancher: ['model', 'late', 'versions', 'harvester', 'guest'],
  harvester: ['model', 'late', 'versions', 'rancher', 'guest'],
  guest: ['model', 'late', 'versions', 'rancher', 'harvester'],
  rules: ['model', 'versions'],
  app: ['rules', 'late', 'model', 'versions'],
  apply: ['model', 'rules', 'versions'],
  cli: ['apply', 'rules', 'model', 'versions'],
};

/** What a folder may take from outside the package. */
const PACKAGES: Record<string, readonly string[]> = {
  versions: [],
  // yaml: manifests hold YAML as text (user data, kubeconfigs, manifests in manifests); loaded when the first is read
  model: ['cdk8s', 'constructs', 'yaml'],
  late: ['constructs'],
  rancher: ['cdk8s', 'cdk8s-plus-28', 'constructs'],
  harvester: ['cdk8s', 'cdk8s-plus-28', 'constructs'],
  guest: ['cdk8s', 'cdk8s-plus-28', 'constructs'],
  rules: [],
  app: ['cdk8s', 'constructs'],
  apply: ['yaml', '@kubernetes/client-node'],
  cli: ['commander', 'yaml'],
};

/** Modules of Node that do I/O: rules and model are pure; late reads the files of secrets (SecretValue.fromFile). */
const NO_IO = new Set(['versions', 'model', 'rancher', 'harvester', 'guest']);

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  return [...text.matchAll(/^\s*(?:import|export)\b[^;'"]*?from '([^']+)'|\brequire\('([^']+)'\)|\bimport\('([^']+)'\)/gm)].map((match) => match[1] ?? match[2] ?? match[3]);
}

function folderOf(file: string): string {
  return file.includes('/') ? file.split('/')[0] : file;
}

// says in the failure what imports what
function expectAllowed(file: string, imports: string, allowed: boolean): void {
  expect({ file, imports, allowed }).toEqual({ file, imports, allowed: true });
}

test('every folder of src is in the table', () => {
  const folders = readdirSync(SRC, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(folders.filter((name) => !(name in MAY_KNOW))).toEqual([]);
});

test.each(files.filter((file) => file.includes('/')))('%s imports only what it may know', (file) => {
  const folder = folderOf(file);
  for (const specifier of importsOf(file)) {
    if (specifier.startsWith('.')) {
      const target = relative(SRC, join(SRC, file, '..', specifier));
      if (target.startsWith('..')) { continue; }
      const other = folderOf(`${target}/`.replace(/^index\/$/, 'index.ts'));
      if (other !== folder) { expectAllowed(file, specifier, MAY_KNOW[folder].includes(other)); }
    } else if (/^(fs|net|http|https|child_process|dns)(\/|$)/.test(specifier.replace(/^node:/, ''))) {
      expectAllowed(file, specifier, !NO_IO.has(folder));
    } else if (!builtinModules.includes(specifier.replace(/^node:/, ''))) {
      const name = specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
      expectAllowed(file, name, PACKAGES[folder].includes(name));
    }
  }
});

test('the public library reaches everything but apply and cli', () => {
  const exported = importsOf('index.ts').map((specifier) => specifier.replace('./', ''));
  const folders = Object.keys(MAY_KNOW).filter((folder) => !['apply', 'cli'].includes(folder) && files.some((file) => file.startsWith(`${folder}/`)));
  expect(exported.sort()).toEqual(folders.sort());
});

test('the test itself sees a forbidden import', () => {
  expect(importsOf('app/collect.ts')).toContain('../rules/program-rules');
  expect(MAY_KNOW.rules).not.toContain('rancher');
});
