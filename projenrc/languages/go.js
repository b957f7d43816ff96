// Writes a program in Go, formatted as gofmt does.
'use strict';

const { group, render } = require('./layout');
const { inPascal } = require('./library');

const INDENT = { unit: '\t', tab: 4, width: 110 };
/** In `main`. */
const AT = { indent: 1, column: 4, after: 0 };
const RUNTIME = 'github.com/aws/jsii-runtime-go';

/** @param statements of `programOf` */
function goOf(statements, library) {
  const writer = new Writer(library);
  const lines = statements.flatMap(({ name, value, isUsed, isApart }) => {
    // Go refuses a variable that nothing uses
    const start = name === undefined || !isUsed ? '' : `${name} := `;
    const text = `\t${render([start, writer.value(value)], INDENT, AT)}`;
    const texts = [...writer.takeFiles(), text];
    return isApart ? ['', ...texts] : texts;
  });
  return `${[
    'package main',
    '',
    writer.importBlock(),
    '',
    'func main() {',
    lines.join('\n').replace(/^\n/, ''),
    '}',
  ].join('\n')}\n`;
}

class Writer {
  constructor(library) {
    this.library = library;
    this.imports = new Set();
    this.files = [];
  }

  importBlock() {
    const own = [...this.imports].filter((name) => name.includes('.')).sort();
    const standard = [...this.imports].filter((name) => !name.includes('.')).sort();
    const lines = [standard, own]
      .filter((names) => names.length > 0)
      .map((names) => names.map((name) => `\t${JSON.stringify(name)}`).join('\n'));
    return `import (\n${lines.join('\n\n')}\n)`;
  }

  /** The statements that read the files of a statement. */
  takeFiles() {
    return this.files
      .splice(0)
      .flatMap(([name, path]) => [
        `\t${name}, err := os.ReadFile(${JSON.stringify(path)})`,
        '\tif err != nil {',
        '\t\tpanic(err)',
        '\t}',
      ]);
  }

  /** The package of a type, as the program names it. */
  packageOf(fqn) {
    const { assembly, submodule } = this.library.homeOf(fqn);
    const { moduleName, packageName = assembly.name } = assembly.targets.go;
    const major = Number(assembly.version.split('.')[0]);
    const version = major > 1 ? [`v${major}`] : [];
    const parts = [moduleName, packageName, ...version, ...(submodule === '' ? [] : [submodule])];
    this.imports.add(parts.join('/'));
    return submodule === '' ? packageName : submodule;
  }

  /** The name of a type with its package. */
  type(fqn) {
    return `${this.packageOf(fqn)}.${this.library.types.get(fqn).name}`;
  }

  /** A function of a package for a type, e.g. its constructor. */
  ofType(fqn, before, after = '') {
    return `${this.packageOf(fqn)}.${before}${this.library.types.get(fqn).name}${after}`;
  }

  /** The type of an item of a list or a map. */
  itemType({ fqn, collection, primitive }) {
    if (fqn) {
      return `${this.library.isStruct({ fqn }) ? '*' : ''}${this.type(fqn)}`;
    }
    if (collection) {
      const item = this.itemType(collection.elementtype);
      return collection.kind === 'map' ? `*map[string]${item}` : `*[]${item}`;
    }
    return { string: '*string', number: '*float64', boolean: '*bool' }[primitive] ?? 'interface{}';
  }

  /** A pointer to a value, which does not break: Go wants a comma at the end of a line. */
  pointer(name, value) {
    this.imports.add(RUNTIME);
    return [`jsii.${name}(`, value, ')'];
  }

  called(callee, { given, omitted }) {
    const args = [...given.map((each) => this.value(each)), ...Array(omitted).fill('nil')];
    return group(`${callee}(`, args, ')', { hug: true, trailing: true });
  }

  braces(start, items) {
    return group(`${start}{`, items, '}', { trailing: true, finish: aligned });
  }

  /** @param inAny in a value of any type, which takes no pointers */
  value(value, inAny = false) {
    switch (value.kind) {
      case 'text':
      case 'number':
      case 'boolean':
        return this.literal(value, inAny);
      case 'template':
        return this.pointer('String', this.template(value));
      case 'list':
        return this.list(value, inAny);
      case 'map':
        return this.map(value, inAny);
      case 'struct':
        return this.struct(value, `&${this.type(value.type.fqn)}`);
      case 'new':
        return this.called(this.ofType(value.type.fqn, 'New'), value.args);
      case 'static':
        return this.called(this.ofType(value.owner, '', `_${inPascal(value.name)}`), value.args);
      case 'call':
        return [this.value(value.object), this.called(`.${inPascal(value.name)}`, value.args)];
      case 'enum':
        return this.ofType(value.owner, '', `_${value.name}`);
      case 'constant':
        return this.ofType(value.owner, '', `_${value.name}()`);
      case 'attribute':
        return [this.value(value.object), `.${inPascal(value.name)}()`];
      case 'file':
        return this.file(value);
      default:
        return value.name;
    }
  }

  literal({ kind, value }, inAny) {
    const text = kind === 'text' ? JSON.stringify(value) : String(value);
    const helper = { text: 'String', number: 'Number', boolean: 'Bool' }[kind];
    return inAny ? text : this.pointer(helper, text);
  }

  template({ parts }) {
    return parts
      .map((part) => (typeof part === 'string' ? JSON.stringify(part) : ['*', this.value(part)]))
      .flatMap((part, index) => (index === 0 ? [part] : [' + ', part]));
  }

  list({ items, type }, inAny) {
    const element = type.collection.elementtype;
    if (!inAny && element.primitive === 'string' && items.every(({ kind }) => kind === 'text')) {
      this.imports.add(RUNTIME);
      const texts = items.map(({ value }) => JSON.stringify(value));
      return group('jsii.Strings(', texts, ')', { trailing: true });
    }
    const isAny = element.primitive === 'any' || element.primitive === 'json';
    const values = items.map((item) =>
      // as gofmt -s writes it: the list has the type
      item.kind === 'struct' ? this.struct(item, '') : this.value(item, isAny),
    );
    return this.braces(`${inAny ? '' : '&'}[]${this.itemType(element)}`, values);
  }

  map({ entries, type }, inAny) {
    const element = type.collection?.elementtype ?? { primitive: 'any' };
    const isAny = element.primitive === 'any' || element.primitive === 'json';
    const isPointer = type.collection !== undefined && !inAny;
    return this.braces(
      `${isPointer ? '&' : ''}map[string]${this.itemType(element)}`,
      entries.map((entry) => [
        `${JSON.stringify(entry.name)}: `,
        entry.value.kind === 'struct'
          ? this.struct(entry.value, '')
          : this.value(entry.value, isAny),
      ]),
    );
  }

  struct({ entries }, start) {
    return this.braces(
      start,
      entries.map((entry) => [`${inPascal(entry.name)}: `, this.value(entry.value)]),
    );
  }

  file({ path }) {
    this.imports.add('os');
    const name = path.replace(/\W+(\w)/g, (_, letter) => letter.toUpperCase());
    this.files.push([name, path]);
    return this.pointer('String', `string(${name})`);
  }
}

/** Lines `Key: value` with their values below each other; one of several lines stands alone. */
function aligned(items) {
  const keyOf = (item) => (item.includes('\n') ? undefined : /^(?:\w+|"[^"]*"): /.exec(item)?.[0]);
  const result = [];
  for (let start = 0; start < items.length;) {
    let end = start;
    while (end < items.length && keyOf(items[end]) !== undefined) {
      end += 1;
    }
    const run = items.slice(start, Math.max(end, start + 1));
    const width = Math.max(...run.map((item) => keyOf(item)?.length ?? 0));
    result.push(
      ...run.map((item) => {
        const key = keyOf(item);
        return key === undefined ? item : key.padEnd(width) + item.slice(key.length);
      }),
    );
    start += run.length;
  }
  return result;
}

module.exports = { goOf };
