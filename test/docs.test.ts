import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import * as ts from 'typescript';
import * as library from '../src';

const ROOT = join(__dirname, '..');

/** Pages that hold code. */
const PAGES = ['README.md', ...readdirSync(join(ROOT, 'docs')).filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`)];

/** What a block may use without importing it: the charts that every page speaks of. */
const CONTEXT = `
declare const app: HarvesterApp;
declare const rancher: RancherChart;
declare const dc1: HarvesterChart;
declare const harvester: HarvesterImport;
`;

interface Block {
  readonly name: string;
  readonly code: string;
}

const blocks = PAGES.flatMap((page): Block[] => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(({ 1: code, index }) => ({ name: `${page}:${text.slice(0, index).split('\n').length}`, code }));
});

test('there is code to compile', () => {
  expect(blocks.length).toBeGreaterThan(5);
});

test('every block of code compiles', () => {
  const names = exportedNames();
  const sources = new Map(blocks.map(({ name, code }, index) => {
    const own = /^import /m.test(code);
    // a block of a page is a program of its own; what it leaves out comes before it
    const prelude = own ? '' : `import { ${names.filter((exported) => new RegExp(`\\b${exported}\\b`).test(code + CONTEXT)).join(', ')} } from 'cdk8s-harvester';${CONTEXT.replace(/\n/g, ' ')}`;
    return [join(ROOT, 'test', `block-${index}.ts`), { name, text: `${prelude}\n${code}\nexport {};\n` }] as const;
  }));
  expect(diagnosticsOf(sources)).toEqual([]);
}, 60_000);

function exportedNames(): string[] {
  return Object.keys(library);
}

function diagnosticsOf(sources: ReadonlyMap<string, { name: string; text: string }>): string[] {
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    types: ['node'],
    esModuleInterop: true,
    paths: { 'cdk8s-harvester': [join(ROOT, 'src', 'index.ts')] },
  };
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.fileExists = (file) => sources.has(file) || fileExists(file);
  host.readFile = (file) => sources.get(file)?.text ?? readFile(file);
  host.getSourceFile = (file, version) => {
    const source = sources.get(file);
    return source ? ts.createSourceFile(file, source.text, version) : getSourceFile(file, version);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  return [...sources].flatMap(([file, { name }]) => {
    const source = program.getSourceFile(file)!;
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(({ messageText, start }) => {
      const line = source.getLineAndCharacterOfPosition(start ?? 0).line;
      return `${name} line ${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  });
}
