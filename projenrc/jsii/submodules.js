// Lets the compiler of jsii know the submodule of a type that a submodule exports by its name,
// `export { Name } from './file'`. It knows those of `export * from './file'` alone, which would
// also publish what the library's own files share. Without it, a reference that is read before the
// submodule gives the type a name without the submodule.
'use strict';

const path = require('node:path');
const ts = require('typescript');

const inside = path.join(path.dirname(require.resolve('jsii/package.json')), 'lib');
const { Assembler } = require(path.join(inside, 'assembler.js'));
const { _addToSubmodule: addToSubmodule } = Assembler.prototype;
if (addToSubmodule === undefined) {
  throw new Error(
    'projenrc/jsii/submodules.js: this release of jsii adds types to submodules otherwise',
  );
}

Assembler.prototype._addToSubmodule = function addWithAliases(submodule, moduleLike, root) {
  addToSubmodule.call(this, submodule, moduleLike, root);
  for (const symbol of this._typeChecker.getExportsOfModule(moduleLike)) {
    if (symbol.flags & ts.SymbolFlags.Alias) {
      this._submoduleMap.set(this._typeChecker.getAliasedSymbol(symbol), submodule);
    }
  }
};
