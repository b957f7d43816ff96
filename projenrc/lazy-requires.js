// Loads modules when they are first used: lazy-modules.js for the compiled library, jest-transform.js for the tests.
'use strict';

const ts = require('typescript');

/** `const x_1 = require('./x')` becomes a function that loads the module once, and each use of x_1 a call of it. No line moves. */
function lazyRequires(text) {
  const source = ts.createSourceFile('module.js', text, ts.ScriptTarget.Latest, true);
  const required = new Map();
  for (const statement of source.statements) {
    const [declaration] = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [];
    const loaded = declaration?.initializer;
    if (loaded && ts.isCallExpression(loaded) && loaded.expression.getText() === 'require') { required.set(declaration.name.text, { statement, declaration, loaded }); }
  }
  const edits = [];
  const used = new Set();
  const visit = (node) => {
    if (ts.isIdentifier(node) && required.has(node.text) && required.get(node.text).declaration !== node.parent) {
      // the compiler writes nothing else; and `new x_1().X()` would construct x_1
      if (!ts.isPropertyAccessExpression(node.parent) || node.parent.expression !== node) { throw new Error(`unexpected use of ${node.text}: ${node.parent.getText()}`); }
      used.add(node.text);
      edits.push({ node, text: ts.isNewExpression(node.parent.parent) ? `(${node.text}())` : `${node.text}()` });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  for (const [name, { statement, loaded }] of required) {
    // a module that nothing names is imported for what it does; a constant function is inlined by engines where it is called
    if (used.has(name)) { edits.push({ node: statement, text: `let ${name}_loaded; const ${name} = () => (${name}_loaded ??= ${loaded.getText()});` }); }
  }
  return edits.sort((a, b) => b.node.pos - a.node.pos)
    .reduce((all, edit) => all.slice(0, edit.node.getStart()) + edit.text + all.slice(edit.node.end), text);
}

module.exports = { lazyRequires };
