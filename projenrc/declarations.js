// Removes internal members from the declarations, so that editors do not offer them. The compiler's
// own way, `stripInternal`, would also remove hidden base classes, which jsii wants to be marked as
// internal, with all that they declare for the public ones.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const ts = require('typescript');

const LIB = path.join(__dirname, '..', 'lib');

/** The members of classes and interfaces whose names start with an underscore. */
function internalMembers(source) {
  const found = [];
  const visit = (node) => {
    for (const member of ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)
      ? node.members
      : []) {
      if (member.name && ts.isIdentifier(member.name) && member.name.text.startsWith('_')) {
        found.push(member);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

for (const name of fs
  .readdirSync(LIB, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.d.ts'))) {
  const file = path.join(LIB, name);
  const text = fs.readFileSync(file, 'utf8');
  const members = internalMembers(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  if (members.length === 0) {
    continue;
  }
  fs.writeFileSync(
    file,
    members
      .reverse()
      .reduce((all, member) => all.slice(0, member.getFullStart()) + all.slice(member.end), text),
  );
}
