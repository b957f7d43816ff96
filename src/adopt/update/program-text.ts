import { posix } from 'path';

/** An import of names from a module of the program. */
interface Import {
  /** The module, relative to the project and without a suffix. */
  readonly from: string;
  readonly names: readonly { readonly exported: string; readonly local: string }[];
  readonly start: number;
  readonly text: string;
}

/** The text of a module of a program, to which statements are added. */
export class ProgramText {
  /** @param path relative to the project */
  public constructor(public readonly path: string, private readonly text: string) {}

  /** Whether a name occurs in it. */
  public has(name: string): boolean {
    return new RegExp(`\\b${name}\\b`).test(this.text);
  }

  /** The name by which it imports a variable of another module. */
  public importOf(exported: string, module: string): string | undefined {
    return this.imports().find(({ from }) => from === withoutSuffix(module))?.names.find((each) => each.exported === exported)?.local;
  }

  /** With another import, next to the others. @param module relative to the project */
  public withImport(name: string, module: string): ProgramText {
    const known = this.imports().find(({ from, text }) => from === withoutSuffix(module) && !text.includes('\n'));
    if (known) {
      const names = [...known.names.map(({ exported, local }) => (exported === local ? local : `${exported} as ${local}`)), name].sort();
      return this.spliced(known.start, known.text.length, known.text.replace(/\{[^}]*\}/, () => `{ ${names.join(', ')} }`));
    }
    const path = posix.relative(posix.dirname(this.path), withoutSuffix(module));
    const [, suffix = ''] = /\bfrom\s+['"]\.[^'"]*?(\.[jt]s)['"]/.exec(this.text) ?? [];
    const [last] = [...this.text.matchAll(IMPORT)].slice(-1);
    const at = last === undefined ? 0 : last.index + last[0].length;
    const line = `import { ${name} } from '${path.startsWith('.') ? path : `./${path}`}${suffix}';`;
    return this.spliced(at, 0, last === undefined ? `${line}${this.lineFeed}` : `${this.lineFeed}${line}`);
  }

  /** With a line before the one that a position is in. @param at the position; at its end if undefined */
  public withLine(line: string, at?: number): ProgramText {
    if (at !== undefined) { return this.spliced(this.text.lastIndexOf('\n', at - 1) + 1, 0, `${line}${this.lineFeed}`); }
    const end = this.text.endsWith('\n') ? '' : this.lineFeed;
    const isCall = /^\w+\([^\n]*\);\s*$/.test(this.text.slice(this.text.trimEnd().lastIndexOf('\n') + 1));
    return this.spliced(this.text.length, 0, `${end}${isCall ? '' : this.lineFeed}${line}${this.lineFeed}`);
  }

  public get lineFeed(): string {
    return this.text.includes('\r\n') ? '\r\n' : '\n';
  }

  public toString(): string {
    return this.text;
  }

  private imports(): readonly Import[] {
    return [...this.text.matchAll(IMPORT)].flatMap(({ index, 0: text, 1: names, 2: specifier }) => (
      names === undefined || !specifier.startsWith('.') || /^import\s+type\b/.test(text) ? [] : [{
        from: posix.join(posix.dirname(this.path), withoutSuffix(specifier)),
        names: names.split(',').map((each) => each.trim()).filter((each) => each !== '').map((each) => {
          const [exported, local = exported] = each.split(/\s+as\s+/);
          return { exported, local };
        }),
        start: index,
        text,
      }]));
  }

  private spliced(at: number, length: number, text: string): ProgramText {
    return new ProgramText(this.path, this.text.slice(0, at) + text + this.text.slice(at + length));
  }
}

/** A statement that imports: 1 the names in braces, 2 the module. */
const IMPORT = /^import\b(?:[^'"{;]*(?:\{([^}]*)\})?\s*from)?\s*['"]([^'"]+)['"];?/gm;

/** The path of a module without the suffix of its file. */
export function withoutSuffix(path: string): string {
  return path.replace(/\.[jt]s$/, '');
}
