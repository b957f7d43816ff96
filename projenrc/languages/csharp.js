// Writes a program in C#, with statements at the top level.
'use strict';

const { group, render } = require('./layout');
const { inPascal } = require('./library');

const INDENT = { unit: '    ', width: 88 };
const AT = { indent: 0, column: 0, after: 1 };

/** @param statements of `programOf` */
function csharpOf(statements, library) {
  const writer = new Writer(library);
  const lines = statements.flatMap(({ name, value, isApart }) => {
    const start = name === undefined ? '' : `var ${name} = `;
    const text = `${render([start, writer.value(value)], INDENT, AT)};`;
    return isApart ? ['', text] : [text];
  });
  const usings = [...writer.namespaces].sort().map((name) => `using ${name};`);
  return `${[...usings, '', lines.join('\n').trim()].join('\n')}\n`;
}

class Writer {
  constructor(library) {
    this.library = library;
    this.namespaces = new Set();
  }

  type(fqn) {
    const { assembly, submodule } = this.library.homeOf(fqn);
    const { namespace } = assembly.targets.dotnet;
    this.namespaces.add(submodule === '' ? namespace : `${namespace}.${inPascal(submodule)}`);
    return this.library.types.get(fqn).name;
  }

  /** The name of a type, also of lists and maps. */
  typeText({ fqn, collection, primitive }) {
    if (fqn) {
      return this.type(fqn);
    }
    if (collection) {
      return collection.kind === 'map'
        ? this.dictionaryOf(collection.elementtype)
        : `${this.typeText(collection.elementtype)}[]`;
    }
    return { string: 'string', number: 'double', boolean: 'bool' }[primitive] ?? 'object';
  }

  /** A dictionary of structs must be one of their interface. */
  dictionaryOf(element = {}) {
    this.namespaces.add('System.Collections.Generic');
    const prefix = this.library.isStruct(element) ? 'I' : '';
    return `Dictionary<string, ${prefix}${this.typeText(element)}>`;
  }

  args({ given }) {
    return given.map((each) => this.value(each));
  }

  called(callee, args) {
    return group(`${callee}(`, args, ')', { hug: true });
  }

  braces(start, items) {
    return group(`${start} {`, items, '}', { pad: true });
  }

  value(value) {
    switch (value.kind) {
      case 'text':
        return JSON.stringify(value.value);
      case 'template':
        return `$"${value.parts.map((part) => this.part(part)).join('')}"`;
      case 'number':
      case 'boolean':
        return String(value.value);
      case 'list':
        return this.braces(
          `new ${this.typeText(value.type.collection.elementtype)}[]`,
          value.items.map((item) => this.value(item)),
        );
      case 'map':
        return this.braces(
          `new ${this.dictionaryOf(value.type.collection?.elementtype)}`,
          value.entries.map((entry) => [
            `[${JSON.stringify(entry.name)}] = `,
            this.value(entry.value),
          ]),
        );
      case 'struct':
        return this.braces(
          `new ${this.type(value.type.fqn)}`,
          value.entries.map((entry) => [`${inPascal(entry.name)} = `, this.value(entry.value)]),
        );
      case 'new':
        return this.called(`new ${this.type(value.type.fqn)}`, this.args(value.args));
      case 'static':
        return this.called(
          `${this.type(value.owner)}.${inPascal(value.name)}`,
          this.args(value.args),
        );
      case 'call':
        return [
          this.value(value.object),
          this.called(`.${inPascal(value.name)}`, this.args(value.args)),
        ];
      case 'enum':
      case 'constant':
        return `${this.type(value.owner)}.${value.name}`;
      case 'attribute':
        return [this.value(value.object), `.${inPascal(value.name)}`];
      case 'file':
        this.namespaces.add('System.IO');
        return `File.ReadAllText(${JSON.stringify(value.path)})`;
      default:
        return value.name;
    }
  }

  part(part) {
    return typeof part === 'string'
      ? JSON.stringify(part).slice(1, -1).replaceAll('{', '{{').replaceAll('}', '}}')
      : `{${render(this.value(part), INDENT, { indent: 0, column: 0, after: 0 })}}`;
  }
}

module.exports = { csharpOf };
