import { existsSync, readFileSync, readdirSync, statSync } from 'fs';
import { join, relative } from 'path';
import { escapeRegExp } from '../../core/text/values';

/** A statement of a program. */
interface Place {
  /** Relative to the project. */
  readonly file: string;
  readonly line: number;
}

/** The sources of a program in TypeScript. */
export class Project {
  private readonly sources: ReadonlyMap<string, string>;

  /** @param folder the folder that contains the output folder */
  public constructor(public readonly folder: string, outdir: string) {
    this.sources = new Map(sourcesIn(folder, outdir).map((file) => [relative(folder, file).replace(/\\/g, '/'), readFileSync(file, 'utf8')]));
  }

  public text(file: string): string | undefined {
    const path = join(this.folder, file);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  }

  /** The variables of the charts that a module creates, by the names of their targets. */
  public charts(file: string): ReadonlyMap<string, string> {
    const matches = [...(this.sources.get(file) ?? '').matchAll(/^export const (\w+) = new (?:Rancher|Harvester|Guest)Chart\(\s*\w+,\s*'([^'\\]+)'/gm)];
    return new Map(matches.map(([, variable, target]) => [target, variable]));
  }

  /**
   * The statement that creates the construct of an object; undefined where that is not sure. It is found by the ID of the construct right
   * below the chart, which must be in one statement only: IDs further below may be those of the library.
   *
   * @param construct the path of the object's construct
   * @param chart the path of the chart that it is in
   */
  public placeOf(construct: string, chart: string): Place | undefined {
    if (!construct.startsWith(`${chart}/`)) { return undefined; }
    const [id] = construct.slice(chart.length + 1).split('/');
    const quoted = `(?:${['\'', '"'].map((quote) => `${quote}${escapeRegExp(id)}${quote}`).join('|')})`;
    const target = escapeRegExp(chart.split('/').pop()!);
    const charts = this.matches(new RegExp(`\\b(\\w+) = new \\w+\\(\\s*\\w+,\\s*['"]${target}['"]`, 'g')).map(({ scope }) => scope);
    const found = [
      ...this.matches(new RegExp(`\\b(?:new [A-Z]\\w*|[A-Z]\\w*\\.[a-z]\\w*)\\(\\s*([\\w.]+),\\s*${quoted}\\s*[,)]`, 'g')),
      // a row of a loop that adopt wrote
      ...this.matches(new RegExp(`\\{ id: ${quoted}[,} ](?=[^\\]]*\\]\\) \\{\\n)[^]*?\\]\\) \\{\\n\\s*[\\w .]+\\((\\w+), id\\b`, 'g')),
    ].filter(({ scope }) => charts.includes(scope));
    return found.length === 1 ? { file: found[0].file, line: found[0].line } : undefined;
  }

  /** Where a pattern with one group is in the code. */
  private matches(pattern: RegExp): (Place & { readonly scope: string })[] {
    return [...this.sources].flatMap(([file, text]) => [...text.matchAll(pattern)]
      .filter(({ index }) => !/^\s*(\/\/|\*)/.test(text.slice(text.lastIndexOf('\n', index) + 1)))
      .map(({ index, 1: scope }) => ({ file, line: text.slice(0, index).split('\n').length, scope })));
  }
}

/** More files are not those of one program. */
const MAX_FILES = 2000;

function sourcesIn(folder: string, outdir: string): string[] {
  const found: string[] = [];
  const visit = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const file = join(path, entry.name);
      if (entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules' && file !== outdir) { visit(file); }
      if (entry.isFile() && /(?<!\.d|\.test)\.ts$/.test(entry.name) && found.length < MAX_FILES && statSync(file).size < 2 ** 20) { found.push(file); }
    }
  };
  visit(folder);
  return found.sort();
}
