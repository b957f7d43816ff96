// Writes a program in Python.
'use strict';

const { group, render } = require('./layout');
const { inPython } = require('./library');

const INDENT = { unit: '    ', width: 88 };
const START = { indent: 0, column: 0, after: 0 };

/** @param statements of `programOf` */
function pythonOf(statements, library) {
  const writer = new Writer(library);
  const lines = statements.flatMap(({ name, value, isApart }) => {
    const start = name === undefined ? '' : `${inPython(name)} = `;
    const text = render([start, writer.value(value)], INDENT, START);
    return isApart ? ['', text] : [text];
  });
  return `${[...writer.imports(), lines.join('\n').trim()].join('\n')}\n`;
}

class Writer {
  constructor(library) {
    this.library = library;
    this.names = new Map();
  }

  imports() {
    const lines = [...this.names]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([module, names]) => {
        const items = group('(', [...names].sort(), ')', { trailing: true });
        const start = `from ${module} import `;
        const plain = `${start}${[...names].sort().join(', ')}`;
        return plain.length <= INDENT.width ? plain : render([start, items], INDENT, START);
      });
    return lines.length === 0 ? [] : [...lines, ''];
  }

  type(fqn) {
    const { assembly, submodule } = this.library.homeOf(fqn);
    const { module } = assembly.targets.python;
    const last = submodule === '' ? module : `${module}.${inPython(submodule)}`;
    return this.imported(last, this.library.types.get(fqn).name);
  }

  imported(module, name) {
    this.names.set(module, (this.names.get(module) ?? new Set()).add(name));
    return name;
  }

  /** The last struct is keyword arguments. */
  args({ given }) {
    const last = given.at(-1);
    return last?.kind === 'struct'
      ? [...given.slice(0, -1).map((each) => this.value(each)), ...this.keywords(last)]
      : given.map((each) => this.value(each));
  }

  keywords({ entries }) {
    return entries.map(({ name, value }) => [`${inPython(name)}=`, this.value(value)]);
  }

  called(callee, args) {
    return group(`${callee}(`, args, ')', { trailing: true });
  }

  value(value) {
    switch (value.kind) {
      case 'text':
        return JSON.stringify(value.value);
      case 'template':
        return `f"${value.parts.map((part) => this.part(part)).join('')}"`;
      case 'number':
        return String(value.value);
      case 'boolean':
        return value.value ? 'True' : 'False';
      case 'list':
        return group(
          '[',
          value.items.map((item) => this.value(item)),
          ']',
          { trailing: true },
        );
      case 'map':
        return group(
          '{',
          value.entries.map((entry) => [
            `${JSON.stringify(entry.name)}: `,
            this.value(entry.value),
          ]),
          '}',
          { trailing: true },
        );
      case 'struct':
        return this.called(this.type(value.type.fqn), this.keywords(value));
      case 'new':
        return this.called(this.type(value.type.fqn), this.args(value.args));
      case 'static':
        return this.called(
          `${this.type(value.owner)}.${inPython(value.name)}`,
          this.args(value.args),
        );
      case 'call':
        return [
          this.value(value.object),
          this.called(`.${inPython(value.name)}`, this.args(value.args)),
        ];
      case 'enum':
      case 'constant':
        return `${this.type(value.owner)}.${value.name}`;
      case 'attribute':
        return [this.value(value.object), `.${inPython(value.name)}`];
      case 'file':
        return `${this.imported('pathlib', 'Path')}(${JSON.stringify(value.path)}).read_text()`;
      default:
        return inPython(value.name);
    }
  }

  part(part) {
    return typeof part === 'string'
      ? JSON.stringify(part).slice(1, -1).replaceAll('{', '{{').replaceAll('}', '}}')
      : `{${render(this.value(part), INDENT, START)}}`;
  }
}

module.exports = { pythonOf };
