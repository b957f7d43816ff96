import { join } from 'path';
import * as ts from 'typescript';
import {
  Block,
  blocksOfPages as allBlocksOfPages,
  blocksOfSources as allBlocksOfSources,
} from './support/docs/blocks';
import { GIVEN, GIVEN_TO_SOURCES } from './support/docs/context';
import { SUBMODULES, importsFor, isWhole } from './support/docs/program';

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
    ...blocksOfPages.map((block) => sourceOf(block, GIVEN)),
    ...blocksOfSources.map((block) => sourceOf(block, GIVEN_TO_SOURCES)),
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

/**
 * A block as a file of its own. A block without imports is the middle of a program: it gets
 * imports, and the charts that it refers to.
 */
function sourceOf(
  { name, code }: Block,
  given: { readonly [variable: string]: string },
): { name: string; text: string } {
  const context = Object.entries(given)
    .filter(([variable]) => !new RegExp(`\\bconst ${variable} =`).test(code))
    .map(([variable, type]) => `declare const ${variable}: ${type}; `)
    .join('');
  const prelude = isWhole(code) ? '' : `${importsFor(code + context)}${context}`;
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
