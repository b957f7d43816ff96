// Writes a program in Java.
'use strict';

const { chain, group, render } = require('./layout');
const { inPascal } = require('./library');

const INDENT = { unit: '    ', width: 100 };
/** In `main` of a class. */
const AT = { indent: 1, column: 4, after: 1 };

/** @param statements of `programOf` */
function javaOf(statements, library) {
  const writer = new Writer(library);
  const lines = statements.flatMap(({ name, value, isApart }) => {
    const start = name === undefined ? '' : `${writer.declared(value)} ${name} = `;
    const text = `    ${render([start, writer.value(value)], INDENT, AT)};`;
    return isApart ? ['', text] : [text];
  });
  const thrown = writer.readsFiles ? ` throws ${writer.imported('java.io.IOException')}` : '';
  return `${[
    ...[...writer.names].sort().map((name) => `import ${name};`),
    '',
    'public class Main {',
    `  public static void main(String[] args)${thrown} {`,
    lines.join('\n').replace(/^\n/, ''),
    '  }',
    '}',
  ].join('\n')}\n`;
}

class Writer {
  constructor(library) {
    this.library = library;
    this.names = new Set();
    this.readsFiles = false;
  }

  imported(name) {
    this.names.add(name);
    return name.slice(name.lastIndexOf('.') + 1);
  }

  type(fqn) {
    const { assembly, submodule } = this.library.homeOf(fqn);
    const parts = [assembly.targets.java.package, ...(submodule === '' ? [] : [submodule])];
    return this.imported([...parts, this.library.types.get(fqn).name].join('.'));
  }

  /** The type of a variable. */
  declared({ type }) {
    return type.fqn ? this.type(type.fqn) : 'String';
  }

  args({ given }) {
    return given.map((each) => this.value(each));
  }

  called(callee, args) {
    return group(`${callee}(`, args, ')', { hug: true });
  }

  setters({ entries }) {
    return entries.map(({ name, value }) => this.called(`.${name}`, [this.value(value)]));
  }

  built(value) {
    const name = this.type(value.type.fqn);
    const last = value.args.given.at(-1);
    if (last?.kind !== 'struct') {
      return this.called(`new ${name}`, this.args(value.args));
    }
    const others = value.args.given.slice(0, -1).map((each) => this.value(each));
    const head = this.called(`${name}.Builder.create`, others);
    return chain(head, [...this.setters(last), '.build()']);
  }

  value(value) {
    switch (value.kind) {
      case 'text':
        return JSON.stringify(value.value);
      case 'template':
        return value.parts
          .map((part) => (typeof part === 'string' ? JSON.stringify(part) : this.value(part)))
          .flatMap((part, index) => (index === 0 ? [part] : [' + ', part]));
      case 'number':
      case 'boolean':
        return String(value.value);
      case 'list':
        return this.called(
          `${this.imported('java.util.List')}.of`,
          value.items.map((item) => this.value(item)),
        );
      case 'map':
        return this.map(value);
      case 'struct':
        return chain(`${this.type(value.type.fqn)}.builder()`, [
          ...this.setters(value),
          '.build()',
        ]);
      case 'new':
        return this.built(value);
      case 'static':
        return this.called(`${this.type(value.owner)}.${value.name}`, this.args(value.args));
      case 'call':
        return [this.value(value.object), this.called(`.${value.name}`, this.args(value.args))];
      case 'enum':
      case 'constant':
        return `${this.type(value.owner)}.${value.name}`;
      case 'attribute':
        return [this.value(value.object), `.get${inPascal(value.name)}()`];
      case 'file':
        this.readsFiles = true;
        return `${this.imported('java.nio.file.Files')}.readString(${this.imported('java.nio.file.Path')}.of(${JSON.stringify(value.path)}))`;
      default:
        return value.name;
    }
  }

  map({ entries }) {
    const pairs = entries.map((entry) => [
      `${JSON.stringify(entry.name)}, `,
      this.value(entry.value),
    ]);
    return this.called(`${this.imported('java.util.Map')}.of`, pairs);
  }
}

module.exports = { javaOf };
