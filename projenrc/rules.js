// Writes docs/rules.md, docs/rules, a page for each family of rules, docs/all-settings.md,
// docs/settings, a page for each setting, the tables of docs/commands.md, docs/commands, a page for
// each command, and docs/troubleshooting.md with docs/troubleshooting, the messages of servers by
// area, from the compiled library.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { FOLDER: COMMANDS, INDEX: COMMANDS_INDEX, commandPages } = require('./rules/commands');
const { FOLDER, rulePages } = require('./rules/pages');
const { FOLDER: SETTINGS, settingPages } = require('./rules/settings');
const { FOLDER: MESSAGES, troubleshootingPages } = require('./rules/troubleshooting');

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

/** The factories of a construct by the settings that they write. */
function factoriesIn(file) {
  return new Map(
    fs
      .readFileSync(file, 'utf8')
      .split(/(?=public static )/)
      .map((text) => /^public static (\w+)[^]*?\.of\(\s*scope,\s*id,\s*'([\w-]+)'/.exec(text))
      .filter(Boolean)
      .map(([, factory, setting]) => [setting, factory]),
  );
}

/**
 * The settings that the library describes, with what `explain` prints of each, and the names of
 * those of Rancher of which only the versions are known.
 */
function settingsOf(root) {
  const lib = (file) => require(path.join(root, 'lib', file));
  lib('registry/register');
  const { explainSetting } = lib('report/explain/explain');
  const { KNOWN_SETTINGS } = lib('rancher/settings/rancher-setting.data');
  const { RANCHER_SETTINGS } = lib('rancher/settings/rancher-names.data');
  const { HARVESTER_SETTINGS } = lib('harvester/settings/harvester-settings.data');
  const { printVersions } = lib('core/version/versioned-names');
  const factories = {
    Harvester: factoriesIn(path.join(root, 'src/harvester/settings/harvester-setting.ts')),
    Rancher: factoriesIn(path.join(root, 'src/rancher/settings/rancher-setting.ts')),
  };
  const described = (product, names) =>
    [...names].sort().map((name) => {
      const { summary, parts } = explainSetting(name).find((each) => each.name.includes(product));
      return { product, name, what: summary, factory: factories[product].get(name), parts };
    });
  return {
    settings: [
      ...described('Harvester', HARVESTER_SETTINGS.keys()),
      ...described('Rancher', KNOWN_SETTINGS.keys()),
    ],
    others: [...RANCHER_SETTINGS]
      .filter(([name]) => !KNOWN_SETTINGS.has(name))
      .map(([name, versions]) => ({
        name,
        versions: printVersions(versions, 'Rancher') ?? 'all versions',
      })),
  };
}

/** The commands, their groups, and the page that lists them. */
function commandsOf(root) {
  const { COMMANDS: factories, COMMAND_GROUPS: groups } = require(
    path.join(root, 'lib', 'cli', 'main'),
  );
  const commands = Object.fromEntries(
    Object.entries(factories).map(([name, create]) => [name, create()]),
  );
  return { commands, groups, index: fs.readFileSync(path.join(root, COMMANDS_INDEX), 'utf8') };
}

function main() {
  // pages of families, settings, commands, and areas that are gone
  for (const folder of [FOLDER, SETTINGS, COMMANDS, MESSAGES]) {
    fs.rmSync(path.join(ROOT, folder), { recursive: true, force: true });
  }
  const rules = rulesOf(ROOT);
  for (const [file, content] of [
    ...rulePages(rules),
    ...settingPages(settingsOf(ROOT)),
    ...commandPages(commandsOf(ROOT)),
    ...troubleshootingPages({ rules, ...messagesOf(ROOT) }),
  ]) {
    fs.mkdirSync(path.join(ROOT, path.dirname(file)), { recursive: true });
    fs.writeFileSync(path.join(ROOT, file), content);
  }
}

module.exports = { rulesOf };

if (require.main === module) {
  main();
}
