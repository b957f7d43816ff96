import { readFileSync } from 'fs';
import { dirname, join, relative } from 'path';
import * as ts from 'typescript';

const SRC = join(__dirname, '..', '..', 'src');

/** Classes whose objects no prop takes. */
const STATICS_ONLY: readonly string[] = ['HarvesterTesting'];

/** A class that src/index.ts exports, with its file. */
interface ExportedClass {
  readonly file: string;
  readonly declaration: ts.ClassDeclaration;
}

function parsed(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
}

function exportedClasses(index = join(SRC, 'index.ts')): readonly ExportedClass[] {
  return parsed(index).statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || !statement.exportClause) {
      return [];
    }
    const module = (statement.moduleSpecifier as ts.StringLiteral).text;
    const file = `${join(dirname(index), module)}.ts`;
    // a submodule
    if (ts.isNamespaceExport(statement.exportClause)) {
      return exportedClasses(file);
    }
    const names = statement.exportClause.elements.map(({ name }) => name.text);
    return parsed(file)
      .statements.filter(ts.isClassDeclaration)
      .filter(({ name }) => names.includes(name!.text))
      .map((declaration) => ({ file: relative(SRC, file), declaration }));
  });
}

function hasModifier(node: ts.HasModifiers, kind: ts.ModifierSyntaxKind): boolean {
  return (ts.getModifiers(node) ?? []).some((modifier) => modifier.kind === kind);
}

function isPrivate(node: ts.HasModifiers): boolean {
  return (
    hasModifier(node, ts.SyntaxKind.PrivateKeyword) &&
    !hasModifier(node, ts.SyntaxKind.StaticKeyword)
  );
}

/** Whether a class declares a private member of its objects, also as a parameter of its constructor. */
function hasPrivateMember({ members }: ts.ClassDeclaration): boolean {
  return members.some((member) => {
    if (ts.isConstructorDeclaration(member)) {
      return member.parameters.some(isPrivate);
    }
    return (
      (member.name !== undefined && ts.isPrivateIdentifier(member.name)) ||
      (ts.canHaveModifiers(member) && isPrivate(member))
    );
  });
}

// declarations have no internal members: without a private one, the compiler takes text, a number,
// or another class for an object of the class
test('of the public API have a private member, by which compilers distinguish them from other values', () => {
  const classes = exportedClasses();
  expect(classes.length).toBeGreaterThan(100);
  expect(
    classes
      .filter(({ declaration }) => !declaration.heritageClauses)
      .filter(({ declaration }) => !STATICS_ONLY.includes(declaration.name!.text))
      .filter(({ declaration }) => !hasPrivateMember(declaration))
      .map(({ file, declaration }) => `${declaration.name!.text} in ${file}`),
  ).toEqual([]);
});
