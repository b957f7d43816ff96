// The public API as the sources declare it: the assembly that the compiler of jsii would write to
// `.jsii`, and the names that are not in it, of the entry `cdk8s-harvester/engine` and of the
// command line. It takes seconds and writes nothing, so that tests of a fresh clone can read it.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const ts = require('typescript');

const ROOT = path.join(__dirname, '..', '..');

/** The parts of the compiler that it does not export; the assembly is kept instead of written. */
function compilerOf(keep) {
  const spec = require.resolve('@jsii/spec');
  require.cache[spec].exports = {
    ...require(spec),
    writeAssembly: (_folder, assembly) => {
      keep(assembly);
      return false;
    },
  };
  require('../jsii/submodules');
  const inside = path.join(path.dirname(require.resolve('jsii/package.json')), 'lib');
  return {
    ...require(path.join(inside, 'assembler.js')),
    ...require(path.join(inside, 'project-info.js')),
  };
}

/** The assembly and the other names. Throws with the compiler's words if the API is not legal. */
function publicApi() {
  let assembly;
  require('@jsii/spec');
  const { Assembler, loadProjectInfo } = compilerOf((made) => {
    assembly = made;
  });
  const config = ts.readConfigFile(path.join(ROOT, 'tsconfig.json'), ts.sys.readFile).config;
  const { options } = ts.parseJsonConfigFileContent(
    config,
    { ...ts.sys, readDirectory: () => [] },
    ROOT,
  );
  const entries = ['index', 'commands'].map((name) => path.join(ROOT, 'src', `${name}.ts`));
  const program = ts.createProgram(entries, options);
  const { diagnostics } = new Assembler(
    loadProjectInfo(ROOT).projectInfo,
    ts.sys,
    program,
    path.dirname(ts.getDefaultLibFilePath(options)),
    {},
  ).emit();
  if (assembly === undefined) {
    throw new Error(
      diagnostics
        .filter(({ category }) => category === ts.DiagnosticCategory.Error)
        .map(textOf)
        .join('\n'),
    );
  }
  return { assembly, names: [...engineNames(program, entries[1]), ...commandNames()] };
}

function textOf({ file, start, messageText }) {
  const text = ts.flattenDiagnosticMessageText(messageText, '\n');
  if (!file) {
    return text;
  }
  return `${path.relative(ROOT, file.fileName)}:${file.getLineAndCharacterOfPosition(start).line + 1}: ${text}`;
}

/** What the entry exports, and the members of its interfaces, which callers read and set. */
function engineNames(program, entry) {
  const checker = program.getTypeChecker();
  const exported = checker.getExportsOfModule(
    checker.getSymbolAtLocation(program.getSourceFile(entry)),
  );
  return exported
    .flatMap((symbol) => {
      const declared =
        symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const members =
        declared.flags & ts.SymbolFlags.Interface
          ? checker.getDeclaredTypeOfSymbol(declared).getProperties()
          : [];
      return [symbol.name, ...members.map((member) => `${symbol.name}.${member.name}`)];
    })
    .sort();
}

/** The commands, and their options. */
function commandNames() {
  const folder = path.join(ROOT, 'src', 'cli');
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'));
  const code = files.map((file) => fs.readFileSync(path.join(folder, file), 'utf8')).join('\n');
  const commands = [...code.matchAll(/new Command\('([\w-]+)'/g)].map(
    ([, name]) => `cdk8s-harvester ${name}`,
  );
  const options = [...code.matchAll(/(?:[oO]ption|repeatable)\(\s*'(?:-[a-z], )?(--[a-z-]+)/g)].map(
    ([, name]) => name,
  );
  return [...new Set([...commands, ...options])].sort();
}

module.exports = { publicApi };
