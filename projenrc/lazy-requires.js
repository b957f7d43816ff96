// Loads modules when they are first used: lazy-modules.js for the compiled library,
// jest-transform.js for the tests.
'use strict';

const ts = require('typescript');

/**
 * `const x_1 = require('./x')` becomes a variable that each use of x_1 sets if it has no value. No
 * line moves.
 */
function lazyRequires(text) {
  const source = ts.createSourceFile('module.js', text, ts.ScriptTarget.Latest, true);
  const required = new Map();
  for (const statement of source.statements) {
    const [declaration] = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations
      : [];
    const loaded = declaration?.initializer;
    if (loaded && ts.isCallExpression(loaded) && loaded.expression.getText() === 'require') {
      required.set(declaration.name.text, { statement, declaration, loaded });
    }
  }
  const edits = [];
  const used = new Set();
  const visit = (node) => {
    if (
      ts.isIdentifier(node) &&
      required.has(node.text) &&
      required.get(node.text).declaration !== node.parent
    ) {
      // the compiler writes nothing else
      if (!ts.isPropertyAccessExpression(node.parent) || node.parent.expression !== node) {
        throw new Error(`unexpected use of ${node.text}: ${node.parent.getText()}`);
      }
      used.add(node.text);
      // no function around it: nearly every call of an imported function would be two
      edits.push({ node, text: `(${node.text} ??= ${required.get(node.text).loaded.getText()})` });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  for (const [name, { statement }] of required) {
    // a module that nothing names is imported for what it does
    if (used.has(name)) {
      edits.push({ node: statement, text: `var ${name};` });
    }
  }
  return edits
    .sort((a, b) => b.node.pos - a.node.pos)
    .reduce(
      (all, edit) => all.slice(0, edit.node.getStart()) + edit.text + all.slice(edit.node.end),
      text,
    );
}

/**
 * Requires of own modules with the extension of the file: without it, Node looks for a file without
 * one first, for each module that a program loads.
 */
function withExtensions(text) {
  return text.replace(/(?<=\brequire\(")\.{1,2}\/[^"]+(?="\))/g, (specifier) =>
    /\.js(?:on)?$/.test(specifier) ? specifier : `${specifier}.js`,
  );
}

module.exports = { lazyRequires, withExtensions };
