// Writes docs/rules.md, docs/rules, a page for each family of rules, and docs/troubleshooting.md, the
// messages of servers, from the compiled library.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { FOLDER, rulePages } = require('./rules/pages');
const { troubleshootingPage } = require('./rules/troubleshooting');

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

/** The refusals that `apply` retries, and the log lines of agents that it knows. */
function messagesOf(root) {
  const lib = (file) => require(path.join(root, 'lib', file));
  lib('registry/register');
  const passing = lib('core/kind/kinds')
    .allKinds()
    .flatMap(({ kind, passing: refusals = [] }) =>
      refusals.map(({ words, missing }) => ({
        kind,
        words,
        // of which only the kind is printed
        missing: missing?.(['', '…', '…', '…', '…']),
      })),
    );
  return { passing, agents: lib('engine/agents/agent-pods').AGENT_LOG };
}

function main() {
  // pages of families that are gone
  fs.rmSync(path.join(ROOT, FOLDER), { recursive: true, force: true });
  fs.mkdirSync(path.join(ROOT, FOLDER), { recursive: true });
  const rules = rulesOf(ROOT);
  for (const [file, content] of rulePages(rules)) {
    fs.writeFileSync(path.join(ROOT, file), content);
  }
  fs.writeFileSync(
    path.join(ROOT, 'docs', 'troubleshooting.md'),
    troubleshootingPage({ rules, ...messagesOf(ROOT) }),
  );
}

module.exports = { rulesOf };

if (require.main === module) {
  main();
}
