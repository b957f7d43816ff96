// Reads a program of TypeScript as far as examples go: constants, calls, literals, and texts with
// values in them. Each value has the type that its place asks for, by the assemblies of jsii, so
// that a writer of another language needs to know nothing of TypeScript.
'use strict';

const ts = require('typescript');

const ANY = { primitive: 'any' };

/**
 * The statements of a program: `{ name, value, isUsed, isApart }` without a name for a call alone,
 * `isApart` after an empty line.
 *
 * @param library the types that it imports
 */
function programOf(text, library) {
  const source = ts.createSourceFile('example.ts', text, ts.ScriptTarget.ES2022, true);
  const reader = new Reader(source, library);
  const statements = source.statements
    .filter((statement) => !reader.readImport(statement))
    .map((statement) => reader.statement(statement));
  return statements.map((statement) => ({
    ...statement,
    isUsed: reader.used.has(statement.name),
  }));
}

class Reader {
  constructor(source, library) {
    this.source = source;
    this.library = library;
    this.imports = new Map();
    this.variables = new Map();
    this.used = new Set();
  }

  refuse(node, reason) {
    const { line } = this.source.getLineAndCharacterOfPosition(node.getStart());
    throw new Error(
      `line ${line + 1}: \`${node.getText().split('\n')[0]}\` ${reason}. Fix: use constants, calls, literals, and texts`,
    );
  }

  /** Whether a statement is an import, whose names are known from then on. */
  readImport(statement) {
    if (!ts.isImportDeclaration(statement)) {
      return false;
    }
    const specifier = statement.moduleSpecifier.text;
    for (const { name } of statement.importClause?.namedBindings?.elements ?? []) {
      const type = this.library.imported(specifier, name.text);
      if (!type && name.text !== 'readFileSync') {
        this.refuse(name, 'is not a type of the library');
      }
      this.imports.set(name.text, type);
    }
    return true;
  }

  statement(statement) {
    const before = this.source.text.slice(statement.getFullStart(), statement.getStart());
    if (before.trim() !== '') {
      this.refuse(statement, 'has a comment');
    }
    const isApart = /\n\s*\n/.test(before);
    if (ts.isExpressionStatement(statement)) {
      return { value: this.value(statement.expression), isApart };
    }
    if (!ts.isVariableStatement(statement)) {
      this.refuse(statement, 'is not a constant or a call');
    }
    const [{ name, initializer }] = statement.declarationList.declarations;
    if (!ts.isIdentifier(name)) {
      this.refuse(name, 'takes a value apart');
    }
    const value = this.value(initializer);
    this.variables.set(name.text, value.type);
    return { name: name.text, value, isApart };
  }

  /** @param expected the type that the place has */
  value(node, expected = ANY) {
    if (ts.isNonNullExpression(node) || ts.isParenthesizedExpression(node)) {
      return this.value(node.expression, expected);
    }
    if (ts.isStringLiteralLike(node)) {
      return { kind: 'text', value: node.text, type: { primitive: 'string' } };
    }
    if (ts.isTemplateExpression(node)) {
      return this.template(node);
    }
    if (ts.isNumericLiteral(node)) {
      return { kind: 'number', value: Number(node.text), type: { primitive: 'number' } };
    }
    if ([ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword].includes(node.kind)) {
      const value = node.kind === ts.SyntaxKind.TrueKeyword;
      return { kind: 'boolean', value, type: { primitive: 'boolean' } };
    }
    if (ts.isArrayLiteralExpression(node)) {
      const type = expected.collection ? expected : { collection: { elementtype: ANY } };
      const items = node.elements.map((each) => this.value(each, type.collection.elementtype));
      return { kind: 'list', items, type };
    }
    if (ts.isObjectLiteralExpression(node)) {
      return this.object(node, expected);
    }
    if (ts.isNewExpression(node)) {
      const type = this.typeOf(node.expression);
      const args = this.args(node, type.initializer?.parameters ?? []);
      return { kind: 'new', args, type: { fqn: type.fqn } };
    }
    if (ts.isCallExpression(node)) {
      return this.call(node);
    }
    if (ts.isPropertyAccessExpression(node)) {
      return this.property(node);
    }
    if (ts.isIdentifier(node) && this.variables.has(node.text)) {
      this.used.add(node.text);
      return { kind: 'variable', name: node.text, type: this.variables.get(node.text) };
    }
    return this.refuse(node, 'has a form that examples do not use');
  }

  typeOf(node) {
    return this.imports.get(node.text) ?? this.refuse(node, 'is not a type of the library');
  }

  isType(node) {
    return ts.isIdentifier(node) && this.imports.get(node.text) !== undefined;
  }

  /** In other languages a value is not a text: its token is. */
  template(node) {
    const parts = node.templateSpans.flatMap(({ expression, literal }) => {
      const value = this.value(expression);
      const token = value.type.fqn && this.library.member(value.type.fqn, 'properties', 'token');
      const text = token
        ? { kind: 'attribute', object: value, name: 'token', type: token.type }
        : value;
      return [text, literal.text];
    });
    return {
      kind: 'template',
      parts: [node.head.text, ...parts].filter((part) => part !== ''),
      type: { primitive: 'string' },
    };
  }

  object(node, expected) {
    const keys = node.properties.map(({ name }) => name.text);
    const [struct] = [expected, ...(expected.union?.types ?? [])].filter(
      (type) =>
        this.library.isStruct(type) &&
        keys.every((key) => this.library.member(type.fqn, 'properties', key)),
    );
    const typeOf = (key) => {
      if (struct) {
        return this.library.member(struct.fqn, 'properties', key).type;
      }
      return expected.collection?.elementtype ?? ANY;
    };
    const entries = node.properties.map((property) => {
      if (ts.isShorthandPropertyAssignment(property)) {
        return { name: property.name.text, value: this.value(property.name) };
      }
      if (!ts.isPropertyAssignment(property)) {
        this.refuse(property, 'is not a key with a value');
      }
      const { text } = property.name;
      return { name: text, value: this.value(property.initializer, typeOf(text)) };
    });
    return struct
      ? { kind: 'struct', entries, type: struct }
      : { kind: 'map', entries, type: expected.collection ? expected : ANY };
  }

  call(node) {
    const { expression } = node;
    if (ts.isIdentifier(expression) && expression.text === 'readFileSync') {
      return {
        kind: 'file',
        path: node.arguments[0].text,
        type: { primitive: 'string' },
      };
    }
    if (!ts.isPropertyAccessExpression(expression)) {
      this.refuse(node, 'is not a call of a method');
    }
    const name = expression.name.text;
    const isStatic = this.isType(expression.expression);
    const object = isStatic ? undefined : this.value(expression.expression);
    const owner = isStatic ? this.typeOf(expression.expression).fqn : object.type.fqn;
    const method = this.library.member(owner, 'methods', name);
    if (!method) {
      this.refuse(node, 'calls a method that the type does not have');
    }
    const args = this.args(node, method.parameters ?? []);
    const type = method.returns?.type ?? ANY;
    return isStatic
      ? { kind: 'static', owner, name, args, type }
      : { kind: 'call', object, name, args, type };
  }

  property(node) {
    const name = node.name.text;
    if (this.isType(node.expression)) {
      const { fqn, kind } = this.typeOf(node.expression);
      const type = kind === 'enum' ? { fqn } : this.library.member(fqn, 'properties', name).type;
      return { kind: kind === 'enum' ? 'enum' : 'constant', owner: fqn, name, type };
    }
    const object = this.value(node.expression);
    const found = this.library.member(object.type.fqn, 'properties', name);
    if (!found) {
      this.refuse(node, 'reads an attribute that the type does not have');
    }
    return { kind: 'attribute', object, name, type: found.type };
  }

  /** Values by parameters: `{ given, omitted }`, how many optional parameters are left out. */
  args(node, parameters) {
    const given = (node.arguments ?? []).map((argument, index) =>
      this.value(argument, (parameters[index] ?? parameters.at(-1))?.type),
    );
    const rest = parameters.slice(given.length);
    return { given, omitted: rest.filter(({ variadic }) => !variadic).length };
  }
}

module.exports = { programOf };
