import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import * as cdk8s from 'cdk8s';
import * as ts from 'typescript';

const ROOT = join(__dirname, '..');

/** Pages that hold code. */
const PAGES = ['README.md', ...readdirSync(join(ROOT, 'docs')).filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`)];

/** Sources whose doc comments hold examples. */
const SOURCES = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts')).map((file) => `src/${file}`);

/** What a block may use without importing it: the charts that every page refers to. */
const CONTEXT = [['app', 'HarvesterApp'], ['rancher', 'RancherChart'], ['dc1', 'HarvesterChart'], ['harvester', 'HarvesterImport']] as const;

/** What an example of a doc comment may use in addition. */
const CONTEXT_OF_SOURCES = [...CONTEXT, ['shop', 'GuestCluster']] as const;

/** Packages that a block may use without importing them, with the names of their values and types. */
const EXPORTS: readonly (readonly [specifier: string, names: readonly string[]])[] = [
  ['cdk8s-harvester', [...readFileSync(join(ROOT, 'src', 'index.ts'), 'utf8').matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names]) => names.match(/\w+(?=\s*(?:,|$))/g) ?? [])],
  ['cdk8s', Object.keys(cdk8s)],
  ['cdk8s-plus-28', ['Cpu']],
  ['fs', ['readFileSync']],
];

interface Block {
  readonly name: string;
  readonly code: string;
}

const blocksOfPages = blocksIn(PAGES, /^```ts\n([^]*?)^```$/gm);
// up to the next tag or the end of the comment
const blocksOfSources = blocksIn(SOURCES, /^ *\* @example\n((?: *\*(?! @|\/).*\n)*)/gm).map(({ name, code }) => ({ name, code: code.replace(/^ *\* ?/gm, '') }));

function blocksIn(files: readonly string[], pattern: RegExp): Block[] {
  return files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return [...text.matchAll(pattern)].map(({ 1: code, index }) => ({ name: `${file}:${text.slice(0, index).split('\n').length}`, code }));
  });
}

test.each([['pages', blocksOfPages], ['doc comments', blocksOfSources]])('finds code in %s', (_, blocks) => {
  expect(blocks.length).toBeGreaterThan(1);
});

const sources = new Map([
  ...blocksOfPages.map((block) => sourceOf(block, CONTEXT)),
  ...blocksOfSources.map((block) => sourceOf(block, CONTEXT_OF_SOURCES)),
].map((source, index) => [join(ROOT, 'test', `block-${index}.ts`), source] as const));
const program = programOf(sources);

test('every block of code in pages and doc comments compiles', () => {
  expect(diagnosticsOf(program, sources)).toEqual([]);
});

test('every exported construct has an example', () => {
  const constructs = exportedConstructs(program);
  expect(constructs.map((construct) => construct.name)).toEqual(expect.arrayContaining(['HarvesterApp', 'GuestCluster', 'VmNetwork']));
  expect(constructs.filter((construct) => !construct.getJsDocTags().some(({ name }) => name === 'example')).map(({ name }) => name)).toEqual([]);
});

/** A block as a file of its own. A block without imports is the middle of a program: it gets imports, and the charts that it refers to. */
function sourceOf({ name, code }: Block, given: readonly (readonly [variable: string, type: string])[]): { name: string; text: string } {
  const own = /^import /m.test(code);
  const context = given.filter(([variable]) => !new RegExp(`\\bconst ${variable} =`).test(code)).map(([variable, type]) => `declare const ${variable}: ${type}; `).join('');
  const prelude = own ? '' : `${importsFor(code + context)}${context}`;
  return { name, text: `${prelude}\n${code}\nexport {};\n` };
}

/** The classes that src/index.ts exports and that extend Construct, without base classes. */
function exportedConstructs(compiled: ts.Program): ts.Symbol[] {
  const checker = compiled.getTypeChecker();
  const index = checker.getSymbolAtLocation(compiled.getSourceFile(join(ROOT, 'src', 'index.ts'))!)!;
  const isConstruct = (type: ts.Type): boolean => type.symbol.name === 'Construct' || (checker.getBaseTypes(type as ts.InterfaceType) ?? []).some(isConstruct);
  // the flags of a symbol are bits
  /* eslint-disable no-bitwise */
  return checker.getExportsOfModule(index)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .filter((symbol) => symbol.flags & ts.SymbolFlags.Class && isConstruct(checker.getDeclaredTypeOfSymbol(symbol)))
    .filter((symbol) => !(ts.getCombinedModifierFlags(symbol.valueDeclaration!) & ts.ModifierFlags.Abstract));
  /* eslint-enable no-bitwise */
}

/** Imports of the names that the code uses; where two packages have one of the same name, it is that of the first. */
function importsFor(code: string): string {
  const taken = new Set<string>();
  return EXPORTS.map(([specifier, names]) => {
    const used = names.filter((name) => !taken.has(name) && new RegExp(`(?<![.\\w])${name}\\b`).test(code));
    for (const name of used) { taken.add(name); }
    return used.length > 0 ? `import { ${used.join(', ')} } from '${specifier}'; ` : '';
  }).join('');
}

function programOf(files: ReadonlyMap<string, { name: string; text: string }>): ts.Program {
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    types: ['node', 'jest'],
    esModuleInterop: true,
    paths: { 'cdk8s-harvester': [join(ROOT, 'src', 'index.ts')], 'cdk8s-harvester/engine': [join(ROOT, 'src', 'engine.ts')], 'cdk8s-harvester/testing': [join(ROOT, 'src', 'testing.ts')] },
  };
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.readFile = (file) => files.get(file)?.text ?? readFile(file);
  host.getSourceFile = (file, version) => {
    const source = files.get(file);
    return source ? ts.createSourceFile(file, source.text, version) : getSourceFile(file, version);
  };
  return ts.createProgram([...files.keys()], options, host);
}

function diagnosticsOf(compiled: ts.Program, files: ReadonlyMap<string, { name: string; text: string }>): string[] {
  return [...files].flatMap(([file, { name }]) => {
    const source = compiled.getSourceFile(file)!;
    return [...compiled.getSyntacticDiagnostics(source), ...compiled.getSemanticDiagnostics(source)].map(({ messageText, start }) => {
      const line = source.getLineAndCharacterOfPosition(start ?? 0).line;
      return `${name} line ${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  });
}
