import { join } from 'path';
import * as ts from 'typescript';
import {
  Block,
  blocksOfPages as allBlocksOfPages,
  blocksOfSources as allBlocksOfSources,
} from './support/docs/blocks';
import { GIVEN_TO_SOURCES } from './support/docs/context';
import { SUBMODULES, importsFor, isWhole } from './support/docs/program';

const { blockHead } = jest.requireActual<{ blockHead: (code: string) => string }>(
  '../projenrc/site/programs.js',
);
const ROOT = join(__dirname, '..');

const blocksOfPages = allBlocksOfPages().filter(({ language }) => language === 'ts');
const blocksOfSources = allBlocksOfSources();

test.each([
  ['pages', blocksOfPages],
  ['doc comments', blocksOfSources],
])('finds code in %s', (_, blocks) => {
  expect(blocks.length).toBeGreaterThan(1);
});

const sources = new Map(
  [
    ...blocksOfPages.map((block) => sourceOf(block, blockHead)),
    ...blocksOfSources.map((block) => sourceOf(block, givenToSource)),
  ].map((source, index) => [join(ROOT, 'test', `block-${index}.ts`), source] as const),
);
const program = programOf(sources);

test('every block of code in pages and doc comments compiles', () => {
  expect(diagnosticsOf(program, sources)).toEqual([]);
});

test('every exported construct has an example', () => {
  const constructs = exportedConstructs(program);
  expect(constructs.map((construct) => construct.name)).toEqual(
    expect.arrayContaining(['HarvesterApp', 'GuestCluster', 'VmNetwork']),
  );
  expect(
    constructs
      .filter((construct) => !construct.getJsDocTags().some(({ name }) => name === 'example'))
      .map(({ name }) => name),
  ).toEqual([]);
});

/** Imports, and declarations of what an example of a doc comment refers to. */
function givenToSource(code: string): string {
  const context = Object.entries(GIVEN_TO_SOURCES)
    .filter(([variable]) => !new RegExp(`\\bconst ${variable} =`).test(code))
    .map(([variable, type]) => `declare const ${variable}: ${type}; `)
    .join('');
  return `${importsFor(code + context)}${context}`;
}

/**
 * A block as a file of its own. A block without imports is the middle of a program: it gets the
 * head that the site shows folded above it.
 */
function sourceOf(
  { name, code }: Block,
  headFor: (code: string) => string,
): { name: string; text: string } {
  const prelude = isWhole(code) ? '' : headFor(code);
  return { name, text: `${prelude}\n${code}\nexport {};\n` };
}

/** The classes that the entries of the library export and that extend Construct, without base classes. */
function exportedConstructs(compiled: ts.Program): ts.Symbol[] {
  const checker = compiled.getTypeChecker();
  const entries = ['index', ...SUBMODULES].map((name) =>
    checker.getSymbolAtLocation(compiled.getSourceFile(join(ROOT, 'src', `${name}.ts`))!)!,
  );
  const isConstruct = (type: ts.Type): boolean =>
    type.symbol.name === 'Construct' ||
    (checker.getBaseTypes(type as ts.InterfaceType) ?? []).some(isConstruct);
  // the flags of a symbol are bits
  /* eslint-disable no-bitwise */
  return entries
    .flatMap((entry) => checker.getExportsOfModule(entry))
    .map((symbol) =>
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    )
    .filter(
      (symbol) =>
        symbol.flags & ts.SymbolFlags.Class && isConstruct(checker.getDeclaredTypeOfSymbol(symbol)),
    )
    .filter(
      (symbol) =>
        !(ts.getCombinedModifierFlags(symbol.valueDeclaration!) & ts.ModifierFlags.Abstract),
    );
  /* eslint-enable no-bitwise */
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
    paths: {
      'cdk8s-harvester': [join(ROOT, 'src', 'index.ts')],
      'cdk8s-harvester/engine': [join(ROOT, 'src', 'commands.ts')],
      'cdk8s-harvester/*': [join(ROOT, 'src', '*.ts')],
    },
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

function diagnosticsOf(
  compiled: ts.Program,
  files: ReadonlyMap<string, { name: string; text: string }>,
): string[] {
  return [...files].flatMap(([file, { name }]) => {
    const source = compiled.getSourceFile(file)!;
    return [
      ...compiled.getSyntacticDiagnostics(source),
      ...compiled.getSemanticDiagnostics(source),
    ].map(({ messageText, start }) => {
      const line = source.getLineAndCharacterOfPosition(start ?? 0).line;
      return `${name} line ${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  });
}
