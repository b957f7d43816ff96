import { Draft } from '../../core/draft/draft';

/** Words that no variable can have, and names that the modules themselves use. */
const TAKEN = new Set([
  'abstract',
  'any',
  'app',
  'arguments',
  'as',
  'async',
  'await',
  'boolean',
  'break',
  'case',
  'catch',
  'class',
  'const',
  'constructor',
  'continue',
  'debugger',
  'declare',
  'default',
  'delete',
  'do',
  'else',
  'enum',
  'eval',
  'export',
  'extends',
  'false',
  'finally',
  'for',
  'from',
  'function',
  'get',
  'global',
  'globalThis',
  'if',
  'implements',
  'import',
  'in',
  'instanceof',
  'interface',
  'is',
  'let',
  'module',
  'name',
  'namespace',
  'never',
  'new',
  'null',
  'number',
  'object',
  'of',
  'package',
  'private',
  'process',
  'protected',
  'public',
  'require',
  'return',
  'set',
  'static',
  'string',
  'super',
  'switch',
  'symbol',
  'this',
  'throw',
  'true',
  'try',
  'type',
  'typeof',
  'undefined',
  'unknown',
  'var',
  'void',
  'while',
  'with',
  'yield',
  'console',
  'id',
]);

/** The beginning of a class that is its place: a HarvesterImport is named `dc1Import`. */
const PLACE = /^(Harvester|Rancher|Guest|Tenant|Host|Vm)(?=[A-Z])/;

/** The variables of a program: each name is used once, so that modules can import it as it is. */
export class Variables {
  private readonly byDraft = new Map<Draft, string>();
  private readonly taken = new Set(TAKEN);

  /** The name of a construct. @param id the ID of its statement */
  public of(draft: Draft, id: string): string {
    const known = this.byDraft.get(draft);
    if (known !== undefined) {
      return known;
    }
    const word = camel(id);
    const type = draft.type.charAt(0).toLowerCase() + draft.type.slice(1);
    const base = /^[a-z]/.test(word)
      ? word
      : `${type}${word.charAt(0).toUpperCase()}${word.slice(1)}`;
    const wishes = [base, `${base}${draft.type.replace(PLACE, '')}`, `${base}${draft.type}`];
    let name = wishes.find((wish) => this.isFree(wish));
    for (let count = 2; name === undefined; count++) {
      name = this.isFree(`${base}${count}`) ? `${base}${count}` : undefined;
    }
    this.taken.add(name);
    this.byDraft.set(draft, name);
    return name;
  }

  private isFree(name: string): boolean {
    return !this.taken.has(name);
  }
}

/** A name of words as a variable: `shop-vms` as `shopVms`. */
export function camel(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const [first = '', ...others] = words;
  return lowerFirst(first) + others.map(upperFirst).join('');
}

function lowerFirst(word: string): string {
  return word.charAt(0).toLowerCase() + word.slice(1);
}

function upperFirst(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
