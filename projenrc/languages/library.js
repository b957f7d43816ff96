// What the assemblies of jsii know of the names that a program uses: types, their members, and their
// names in each language.
'use strict';

const { toPascalCase, toSnakeCase } = require('codemaker');

/** Words that jsii-pacmak writes with an underscore in Python. */
const PYTHON_WORDS = new Set(['from', 'global', 'import', 'in', 'is', 'lambda', 'pass', 'with']);

/** The types of a package and of those that it uses. */
class Library {
  /** @param assemblies of jsii */
  constructor(assemblies) {
    this.assemblies = new Map(assemblies.map((assembly) => [assembly.name, assembly]));
    this.types = new Map(
      assemblies.flatMap(({ types }) => Object.values(types).map((type) => [type.fqn, type])),
    );
  }

  /** The type that a program imports by a name: of a package, or of a submodule of it. */
  imported(specifier, name) {
    return this.types.get(`${specifier.replace('/', '.')}.${name}`);
  }

  isStruct(reference) {
    return this.types.get(reference?.fqn)?.datatype === true;
  }

  /** A property or a method, also of what the type extends. */
  member(fqn, kind, name) {
    const type = this.types.get(fqn);
    const own = type?.[kind]?.find((member) => member.name === name);
    const bases = [...(type?.base ? [type.base] : []), ...(type?.interfaces ?? [])];
    return own ?? bases.map((base) => this.member(base, kind, name)).find(Boolean);
  }

  /** The package of a type, `{ assembly, submodule }`; the submodule is empty for the package itself. */
  homeOf(fqn) {
    const [name] = fqn.split('.');
    return { assembly: this.assemblies.get(name), submodule: this.types.get(fqn).namespace ?? '' };
  }
}

/** A name as Python has it. */
function inPython(name) {
  const snake = toSnakeCase(name);
  return PYTHON_WORDS.has(snake) ? `${snake}_` : snake;
}

/** A name as Go and C# have it. */
function inPascal(name) {
  return toPascalCase(name);
}

module.exports = { Library, inPascal, inPython };
