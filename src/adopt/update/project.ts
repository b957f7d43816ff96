import { existsSync, readFileSync, readdirSync, statSync } from 'fs';
import { dirname, join, relative, resolve, sep } from 'path';
import { AssemblyTarget } from '../../core/output/assembly';
import { escapeRegExp } from '../../core/text/values';
import { camel } from '../print/names';

/** A statement of a program. */
interface Place {
  /** Relative to the project. */
  readonly file: string;
  readonly line: number;
}

/** A statement that creates a construct. */
interface CreationPlace extends Place {
  /** What it calls: a class, or a factory such as `VmImage.download`. */
  readonly creates: string;
}

/** A statement that creates a chart, or a guest cluster with its chart. */
export interface ChartStatement {
  /** Relative to the project. */
  readonly file: string;
  /** The variable that it is assigned to. @default - none */
  readonly variable?: string;
  /**
   * The property of the variable that is the chart, after a dot.
   * @default '' - the variable is the chart
   */
  readonly property: string;
  readonly isExported: boolean;
  /** The spaces before its statement. */
  readonly indent: string;
  /** The position of its first word in the file. */
  readonly at: number;
}

/** A chart that a variable names. */
export interface ChartVariable extends ChartStatement {
  readonly variable: string;
}

/** The chart of a target. */
export type ChartPlace = Pick<AssemblyTarget, 'name' | 'construct'>;

/** The sources of a program in TypeScript, by their paths relative to its folder. */
export class ProgramSources {
  public readonly sources: ReadonlyMap<string, string>;

  /**
   * @param outdir the output folder, which has no sources
   * @param sources @default - those of the folder
   */
  public constructor(
    public readonly folder: string,
    private readonly outdir: string,
    sources?: ProgramSources['sources'],
  ) {
    this.sources =
      sources ??
      new Map(
        sourcesIn(folder, outdir).map((file) => [
          relative(folder, file).split(sep).join('/'),
          readFileSync(file, 'utf8'),
        ]),
      );
  }

  /** The project with another text of a file. */
  public with(file: string, text: string): ProgramSources {
    return new ProgramSources(this.folder, this.outdir, new Map([...this.sources, [file, text]]));
  }

  public has(file: string): boolean {
    return existsSync(join(this.folder, file));
  }

  /** The environment variables that hold secrets of the program. */
  public variables(): readonly string[] {
    return [...this.sources.values()].flatMap((text) =>
      [...text.matchAll(/\bSecretValue\.fromEnv\(\s*['"](\w+)['"]/g)].map(([, name]) => name),
    );
  }

  /** The statements that create the chart of a target. */
  public charts({ name, construct }: ChartPlace): readonly ChartStatement[] {
    // a guest cluster has its chart
    const [id, property] = construct.endsWith(OF_GUEST)
      ? [construct.slice(0, -OF_GUEST.length).split('/').pop()!, '.chart']
      : [name, ''];
    const type = property === '' ? '(?:Rancher|Harvester|Guest)Chart' : '[A-Z]\\w*Cluster';
    const pattern = new RegExp(
      `^([ \\t]*)((export )?const (\\w+) = )?new ${type}\\(\\s*\\w+,\\s*(['"])${escapeRegExp(id)}\\5`,
      'gm',
    );
    return [...this.sources].flatMap(([file, text]) =>
      [...text.matchAll(pattern)].map(({ index, 1: indent, 3: isExported, 4: variable }) => ({
        file,
        property,
        variable,
        isExported: isExported !== undefined,
        indent,
        at: index + indent.length,
      })),
    );
  }

  /**
   * The statement that creates the construct of an object; undefined where that is not sure. It is
   * found by the ID of the construct right below the chart, which must be in one statement only:
   * IDs further below may be those of the library.
   *
   * @param construct the path of the object's construct
   * @param chart the chart that it is in
   */
  public placeOf(construct: string, chart: ChartPlace): CreationPlace | undefined {
    if (!construct.startsWith(`${chart.construct}/`)) {
      return undefined;
    }
    const [id] = construct.slice(chart.construct.length + 1).split('/');
    const quoted = `(?:${["'", '"'].map((quote) => `${quote}${escapeRegExp(id)}${quote}`).join('|')})`;
    const scopes = new Set([
      ...this.charts(chart).flatMap(({ variable, property }) =>
        variable === undefined ? [] : [`${variable}${property}`],
      ),
      // a parameter of a function that an update added
      ...this.matches(
        new RegExp(
          `[(,]\\s*(?<scope>${camel(chart.name)}): (?<creates>Rancher|Harvester|)Chart\\b`,
          'g',
        ),
      ).map(({ scope }) => scope),
    ]);
    const creation = '(?<creates>new [A-Z]\\w*|[A-Z]\\w*\\.[a-z]\\w*)\\(\\s*(?<scope>[\\w.]+)';
    const found = [
      ...this.matches(new RegExp(`\\b${creation},\\s*${quoted}\\s*[,)]`, 'g')),
      // a row of a loop that adopt wrote
      ...this.matches(
        new RegExp(
          `\\{ id: ${quoted}[,} ](?=[^\\]]*\\]\\) \\{\\n)[^]*?\\]\\) \\{\\n\\s*${creation}, id\\b`,
          'g',
        ),
      ),
    ].filter(({ scope }) => scopes.has(scope));
    return found.length === 1 ? found[0] : undefined;
  }

  /** Where a pattern with the groups `scope` and `creates` is in the code. */
  private matches(pattern: RegExp): (CreationPlace & { readonly scope: string })[] {
    return [...this.sources].flatMap(([file, source]) => {
      const text = source.replace(/\r\n/g, '\n');
      return [...text.matchAll(pattern)]
        .filter(({ index }) => !/^\s*(\/\/|\*)/.test(text.slice(text.lastIndexOf('\n', index) + 1)))
        .map(({ index, groups }) => ({
          file,
          line: text.slice(0, index).split('\n').length,
          creates: groups!.creates,
          scope: groups!.scope,
        }));
    });
  }
}

/** The end of the path of a chart that a guest cluster has. */
const OF_GUEST = '/Chart';

/**
 * The folder of the program that wrote an output: the closest one above the output that looks like
 * one, as far as the current folder. For an output elsewhere, the folder that contains it if a
 * program is there, otherwise the current folder.
 */
export function projectFolder(outdir: string, cwd: string): string {
  const [output, current] = [resolve(cwd, outdir), resolve(cwd)];
  if (!output.startsWith(`${current}${sep}`)) {
    return isProgram(dirname(output)) ? dirname(output) : current;
  }
  for (let folder = dirname(output); folder !== current; folder = dirname(folder)) {
    if (isProgram(folder) || existsSync(join(folder, 'package.json'))) {
      return folder;
    }
  }
  return current;
}

function isProgram(folder: string): boolean {
  return (
    existsSync(folder) &&
    readdirSync(folder).some((file) => file === 'cdk8s.yaml' || SOURCE.test(file))
  );
}

/** More files are not those of one program. */
const MAX_FILES = 2000;

const SOURCE = /(?<!\.d|\.test)\.ts$/;

function sourcesIn(folder: string, outdir: string): string[] {
  const found: string[] = [];
  const visit = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const file = join(path, entry.name);
      if (
        entry.isDirectory() &&
        !entry.name.startsWith('.') &&
        entry.name !== 'node_modules' &&
        file !== outdir
      ) {
        visit(file);
      }
      if (
        entry.isFile() &&
        SOURCE.test(entry.name) &&
        found.length < MAX_FILES &&
        statSync(file).size < 2 ** 20
      ) {
        found.push(file);
      }
    }
  };
  visit(folder);
  return found.sort();
}
