// Writes docs/rules.md and docs/rules, a page for each family of rules, from the compiled library.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { FOLDER, rulePages } = require('./rules/pages');

const ROOT = path.join(__dirname, '..');

/** All rules, with a text about the objects that each judges. */
function rulesOf(root) {
  const lib = (file) => require(path.join(root, 'lib', file));
  const { allRules } = lib('core/rule/judge-all');
  const { PROGRAM_RULES } = lib('core/rule/program-rules');
  const { preconditionOf, preconditionText } = lib('report/rules/rules-index');
  lib('registry/register');
  return [...allRules(), ...PROGRAM_RULES].map((rule) => ({
    id: rule.id,
    level: rule.level,
    what: rule.what,
    says: rule.says,
    source: rule.source,
    fields: preconditionOf(rule).fields,
    judges: preconditionText(rule),
  }));
}

function main() {
  // pages of families that are gone
  fs.rmSync(path.join(ROOT, FOLDER), { recursive: true, force: true });
  fs.mkdirSync(path.join(ROOT, FOLDER), { recursive: true });
  for (const [file, content] of rulePages(rulesOf(ROOT))) {
    fs.writeFileSync(path.join(ROOT, file), content);
  }
}

module.exports = { rulesOf };

if (require.main === module) {
  main();
}
