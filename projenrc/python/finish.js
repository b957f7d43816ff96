// Finishes the Python module that jsii-pacmak generates. Its type hints offer a dict in place of
// each struct, but it converts only those that are not in a list or a map: the props of others are
// lost in silence (https://github.com/aws/jsii/issues/1919). Its docstrings repeat the stability of
// the package, which its metadata states. And a program that fails prints stacks before the message.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const HELPERS = ['_structs.py', '_errors.py'];
/** At the end of `_jsii/__init__.py`, which each module imports first. */
const INSTALL_ERRORS = '\nfrom .._errors import install as _install\n\n_install()\n';
const STRUCT = /^typing\.Union\["?([\w.]+)"?, typing\.Dict\[builtins\.str, typing\.Any\]\]$/;
/** Lists and maps, and the letters by which `structs_of` in _structs.py knows them. */
const COLLECTIONS = [
  ['[', /^typing\.Sequence\[(.*)\]$/],
  ['{', /^typing\.Mapping\[builtins\.str, (.*)\]$/],
];
const PARAMETER = /^(\*?)([a-z_]\w*): (.*?)(?: = [^=]*)?$/;
const CONVERSION = /^ {8}if isinstance\((\w+), dict\):\n {12}\1 = ([\w.]+)\(\*\*\1\)$/gm;

/** The struct at the end of lists and maps, and these; nothing for other types. */
function structIn(annotation) {
  const type = /^typing\.Optional\[(.*)\]$/.exec(annotation)?.[1] ?? annotation;
  const struct = STRUCT.exec(type)?.[1];
  if (struct) {
    return { struct, collections: '' };
  }
  for (const [letter, pattern] of COLLECTIONS) {
    const item = pattern.exec(type)?.[1];
    const inner = item && structIn(item);
    if (inner) {
      return { struct: inner.struct, collections: letter + inner.collections };
    }
  }
  return undefined;
}

/** The text between the commas that are in no brackets. */
function parametersIn(signature) {
  const parameters = [''];
  let depth = 0;
  for (const character of signature) {
    depth += Number('[('.includes(character)) - Number('])'.includes(character));
    if (character === ',' && depth === 0) {
      parameters.push('');
    } else {
      parameters[parameters.length - 1] += character;
    }
  }
  return parameters.map((parameter) => parameter.trim());
}

/** The statement that converts the dicts in a parameter, if its type has structs in collections. */
function conversionOf(parameter) {
  const [, variadic, name, annotation] = PARAMETER.exec(parameter) ?? [];
  const found = annotation && structIn(annotation);
  if (!found) {
    return [];
  }
  const collections = `${variadic ? '[' : ''}${found.collections}`;
  if (collections === '') {
    return [];
  }
  return [`        ${name} = _structs_of(${found.struct}, "${collections}", ${name}, "${name}")\n`];
}

/** A method whose conversions are before its checks of types. */
function finishMethod(method) {
  const [, signature] = /^ {4}def \w+\(([\s\S]*?)\)(?: -> .*)?:\n/.exec(method) ?? [];
  const conversions = parametersIn(signature ?? '').flatMap(conversionOf);
  return conversions.length === 0
    ? method
    : method.replace('        if __debug__:\n', `${conversions.join('')}$&`);
}

/** A module with its helpers, which are in the given package, e.g. `.` or `..`. */
function finishModule(text, helpers) {
  const converted = text
    .replace(CONVERSION, '        $1 = _struct_of($2, $1, "$1")')
    .split(/^(?= {4}def )/m)
    .map(finishMethod)
    .join('');
  return converted
    .replaceAll('(experimental) ', '')
    .replaceAll(/\n+ +:stability: experimental$/gm, '')
    .replace(
      /^from \.*_jsii import \*$/m,
      `$&\nfrom ${helpers}_structs import struct_of as _struct_of, structs_of as _structs_of`,
    );
}

/** Finishes the module and its submodules in a folder that jsii-pacmak wrote. */
function finishPackage(folder) {
  for (const file of HELPERS) {
    fs.copyFileSync(path.join(__dirname, file), path.join(folder, file));
  }
  const files = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => path.basename(name) === '__init__.py')) {
    const depth = file.split(path.sep).length;
    const text = fs.readFileSync(path.join(folder, file), 'utf8');
    fs.writeFileSync(path.join(folder, file), finishModule(text, '.'.repeat(depth)));
  }
  fs.appendFileSync(path.join(folder, '_jsii', '__init__.py'), INSTALL_ERRORS);
}

module.exports = { finishModule, finishPackage };
