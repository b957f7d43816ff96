import { readFileSync } from 'fs';
import { join } from 'path';
import * as cdk8s from 'cdk8s';
import * as ts from 'typescript';

const SRC = join(__dirname, '..', '..', '..', 'src');

/** The names that a module of `src` exports. */
const namesIn = (module: string): readonly string[] =>
  [
    ...readFileSync(join(SRC, `${module}.ts`), 'utf8').matchAll(/^export (?:type )?\{([^}]*)\}/gm),
  ].flatMap(([, names]) => names.match(/\w+(?=\s*(?:,|$))/g) ?? []);

/** The submodules of the library. */
export const SUBMODULES = ['auth', 'devices', 'migration', 'rke1', 'settings'] as const;

/**
 * Packages that a block may use without importing them, with the names of their values and types.
 */
const EXPORTS: readonly (readonly [specifier: string, names: readonly string[]])[] = [
  ['cdk8s-harvester', namesIn('index')],
  ...SUBMODULES.map((name) => [`cdk8s-harvester/${name}`, namesIn(name)] as const),
  ['cdk8s', Object.keys(cdk8s)],
  ['fs', ['readFileSync']],
];

/** Whether code uses a name, rather than a property or a text of that name. */
export function uses(code: string, name: string): boolean {
  return new RegExp(`(?<![\\w'/-])(?<!(?<!\\.\\.)\\.)${name}\\b(?!\\s*:)`).test(code);
}

/** Whether a block is a whole file; one without imports is the middle of a program. */
export function isWhole(code: string): boolean {
  return /^import /m.test(code);
}

/**
 * Imports of the names that the code uses; where two packages have one of the same name, it is that
 * of the first.
 */
export function importsFor(code: string): string {
  const taken = new Set<string>();
  return EXPORTS.map(([specifier, names]) => {
    const used = names.filter(
      (name) => !taken.has(name) && new RegExp(`(?<![.\\w])${name}\\b`).test(code),
    );
    for (const name of used) {
      taken.add(name);
    }
    return used.length > 0 ? `import { ${used.join(', ')} } from '${specifier}'; ` : '';
  }).join('');
}

/** The global that programs of blocks read what they are given from, and hand their values to. */
export const RUNNING = 'block';

/** The names that the top of a program gives a value to, and those that it only declares. */
function namesOf(code: string): { made: string[]; declared: string[] } {
  const [made, declared]: [string[], string[]] = [[], []];
  const addName = (name: ts.BindingName, to: string[]): void => {
    if (ts.isIdentifier(name)) {
      to.push(name.text);
      return;
    }
    for (const element of name.elements) {
      if (ts.isBindingElement(element)) {
        addName(element.name, to);
      }
    }
  };
  for (const statement of ts.createSourceFile('block.ts', code, ts.ScriptTarget.ES2022)
    .statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name) {
      made.push(statement.name.text);
    }
    if (!ts.isVariableStatement(statement)) {
      continue;
    }
    const isDeclared = statement.modifiers?.some(
      ({ kind }) => kind === ts.SyntaxKind.DeclareKeyword,
    );
    for (const { name } of statement.declarationList.declarations) {
      addName(name, isDeclared ? declared : made);
    }
  }
  return { made, declared };
}

/**
 * A block as a program of JavaScript. It reads what it declares, and as the middle of a program
 * also what it uses of the given names, from the global `block`, and calls its `done` with all that
 * it made.
 *
 * @param given names that the middle of a program may use without declaring them
 */
export function programOf(
  code: string,
  module: ts.ModuleKind,
  given: readonly string[],
): { text: string; names: readonly string[] } {
  const { made, declared } = namesOf(code);
  const used = isWhole(code)
    ? []
    : given.filter((name) => !made.includes(name) && !declared.includes(name) && uses(code, name));
  const names = [...declared, ...used];
  const text = [
    isWhole(code) ? '' : importsFor(code),
    // where the block declares it, the compiler drops the declaration
    names.length > 0 ? `const { ${names.join(', ')} } = globalThis.${RUNNING}.given;` : '',
    code,
    `globalThis.${RUNNING}.done({ ${made.join(', ')} });`,
  ].join('\n');
  return {
    text: ts.transpileModule(text, { compilerOptions: { module, target: ts.ScriptTarget.ES2022 } })
      .outputText,
    names,
  };
}
