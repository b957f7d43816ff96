import { posix } from 'path';
import { ChartStatement, ChartVariable, ProgramSources, ChartPlace } from './project';
import { camel } from '../print/names';

/** Where a program calls the function of an added module. */
interface Insertion {
  readonly source: ProgramText;
  /** The position of the line before which it is called. @default - at the end */
  readonly at?: number;
  readonly indent: string;
  readonly charts: readonly ChartVariable[];
}

/** A module that is added to a program, and how the program calls its function. */
export interface NewModule {
  /** Relative to the project, without the suffix. */
  readonly path: string;
  /** The name of the function. */
  readonly name: string;
  /** The call, e.g. `adopted(rancher, dc1)`. */
  readonly call: string;
  /** The program that calls it. @default - the place of the call is not sure */
  readonly calling?: ProgramSources;
  /** The line feed of the program. */
  readonly lineFeed: string;
}

/**
 * Chooses a module that does not exist, and finds the place of its call. @param needed the charts
 * that its function takes
 */
export function newModule(project: ProgramSources, needed: readonly ChartPlace[]): NewModule {
  const { calling, insertion } = placeOfCall(project, needed);
  const known = needed.map((chart) => project.charts(chart));
  const folder = posix.dirname(
    insertion?.source.path ?? known.find(({ length }) => length > 0)?.[0].file ?? 'x',
  );
  const { path, name } = freeName(project, folder, insertion?.source);
  if (insertion) {
    return { path, name, ...insertedCall(calling, insertion, path, name) };
  }
  const args = known.map(([first], index) =>
    first?.variable === undefined
      ? camel(needed[index].name)
      : `${first.variable}${first.property}`,
  );
  return {
    path,
    name,
    call: `${name}(${args.join(', ')})`,
    lineFeed: new ProgramText('', project.sources.values().next().value ?? '').lineFeed,
  };
}

/** The first form of the project in which the place of the call is sure, else the last one. */
function placeOfCall(
  project: ProgramSources,
  needed: readonly ChartPlace[],
): { readonly calling: ProgramSources; readonly insertion?: Insertion } {
  const asItIs = insertionFor(project, needed);
  if (asItIs) {
    return { calling: project, insertion: asItIs };
  }
  const named = withVariables(project, needed);
  const inNamed = insertionFor(named, needed);
  if (inNamed) {
    return { calling: named, insertion: inNamed };
  }
  const exported = withExports(named, needed);
  return { calling: exported, insertion: insertionFor(exported, needed) };
}

/** A file and a function that neither the project nor the calling module has. */
function freeName(
  project: ProgramSources,
  folder: string,
  source: ProgramText | undefined,
): Pick<NewModule, 'path' | 'name'> {
  for (let count = 1; ; count++) {
    const path = posix.join(folder, count === 1 ? 'adopted' : `adopted-${count}`);
    const name = count === 1 ? 'adopted' : `adopted${count}`;
    if (!project.has(`${path}.ts`) && !source?.has(name)) {
      return { path, name };
    }
  }
}

/** Calls a function of a module, and imports it and the charts that it takes. */
function insertedCall(
  calling: ProgramSources,
  { source, at, indent, charts }: Insertion,
  path: string,
  name: string,
): Pick<NewModule, 'call' | 'calling' | 'lineFeed'> {
  const args: string[] = [];
  const unknown = `${name}(${charts.map(() => ARGUMENT).join(', ')})`;
  // what follows an import moves, so that the call comes first
  let after = source.withLine(`${indent}${unknown};`, at).withImport(name, path);
  for (const { file, variable, property } of charts) {
    const local = file === source.path ? variable : after.importOf(variable, file);
    if (local === undefined) {
      after = after.withImport(variable, file);
    }
    args.push(`${local ?? variable}${property}`);
  }
  const call = `${name}(${args.join(', ')})`;
  const text = after.toString().replace(unknown, () => call);
  return { call, calling: calling.with(source.path, text), lineFeed: source.lineFeed };
}

/** The project whose charts have variables. */
function withVariables(project: ProgramSources, needed: readonly ChartPlace[]): ProgramSources {
  return needed.reduce((changed, chart) => {
    const [only, ...others] = changed.charts(chart);
    const text = only && changed.sources.get(only.file)!;
    const name = camel(chart.name);
    if (
      text === undefined ||
      others.length > 0 ||
      only.variable !== undefined ||
      isDeclared(text, name)
    ) {
      return changed;
    }
    return changed.with(
      only.file,
      `${text.slice(0, only.at)}const ${name} = ${text.slice(only.at)}`,
    );
  }, project);
}

/** The project whose modules export the variables of charts. */
function withExports(project: ProgramSources, needed: readonly ChartPlace[]): ProgramSources {
  return needed.reduce((changed, chart) => {
    const [only, ...others] = changed.charts(chart);
    if (!areKnown([only]) || others.length > 0 || only.isExported || only.indent !== '') {
      return changed;
    }
    const text = changed.sources.get(only.file)!;
    return changed.with(only.file, `${text.slice(0, only.at)}export ${text.slice(only.at)}`);
  }, project);
}

function isDeclared(text: string, name: string): boolean {
  return new RegExp(
    `\\b(?:const|let|var|function|class)\\s+${name}\\b|[{,]\\s*${name}\\s*[,}][^;]*\\bfrom\\b`,
  ).test(text);
}

/** Takes the place of an argument until its import is known. */
const ARGUMENT = '\0';

/** The statement by which a program is written to its output. */
const SYNTH = /^\w+\.synth\(\)/m;

/** What `adopt` writes at the end of the module that imports all others. */
const EXPORTS_APP = /^export \{ app \} from /m;

function insertionFor(
  project: ProgramSources,
  needed: readonly ChartPlace[],
): Insertion | undefined {
  const known = needed.map((chart) => project.charts(chart));
  for (const [path, text] of project.sources) {
    const charts = known.map((each) => each.find(({ file }) => file === path));
    if (!areKnown(charts)) {
      continue;
    }
    const found = endOfBlock(text, charts);
    if (found) {
      return { source: new ProgramText(path, text), charts, ...found };
    }
  }
  const exported = known.map((each) =>
    each.find(({ isExported, indent }) => isExported && indent === ''),
  );
  if (!areKnown(exported)) {
    return undefined;
  }
  const charts: readonly ChartVariable[] = exported;
  const sources = [...project.sources];
  const [path, text] =
    sources.find(([, each]) => EXPORTS_APP.test(each)) ??
    sources.find(([, each]) => SYNTH.test(each)) ??
    [];
  if (path === undefined || text === undefined) {
    return undefined;
  }
  const source = new ProgramText(path, text);
  const isImported = ({ file, variable }: ChartVariable): boolean =>
    source.importOf(variable, file) !== undefined;
  if (
    charts.some(
      (chart) => chart.file !== path && !isImported(chart) && isDeclared(text, chart.variable),
    )
  ) {
    return undefined;
  }
  return {
    source,
    at: EXPORTS_APP.test(text) ? undefined : SYNTH.exec(text)?.index,
    indent: '',
    charts,
  };
}

function areKnown<T extends readonly (ChartStatement | undefined)[]>(
  charts: T,
): charts is T & readonly ChartVariable[] {
  return charts.length > 0 && charts.every((each) => each?.variable !== undefined);
}

/**
 * The end of the block that declares charts: of the module before its synthesis, or of a function.
 */
function endOfBlock(
  text: string,
  charts: readonly ChartVariable[],
): Pick<Insertion, 'at' | 'indent'> | undefined {
  const [{ indent }] = charts;
  if (charts.some((each) => each.indent !== indent)) {
    return undefined;
  }
  const [first, last] = [
    Math.min(...charts.map(({ at }) => at)),
    Math.max(...charts.map(({ at }) => at)),
  ];
  if (indent === '') {
    const synth = SYNTH.exec(text.slice(last));
    return synth ? { at: last + synth.index, indent } : undefined;
  }
  const end = /^\}/m.exec(text.slice(last));
  const head = [...text.slice(0, first).matchAll(/^\S[^\n]*\n/gm)].slice(-1)[0];
  if (
    !end ||
    !/^(?:export )?(?:default )?(?:async )?function\b[^\n]*\{\s*$/.test(head?.[0] ?? '')
  ) {
    return undefined;
  }
  const lines = text
    .slice(head.index + head[0].length, last + end.index)
    .split('\n')
    .slice(0, -1);
  // a deeper block has lines of less indentation around it
  if (lines.some((line) => line.trim() !== '' && !line.startsWith(indent))) {
    return undefined;
  }
  const results = new RegExp(`^${indent}return\\b`, 'm').exec(text.slice(last, last + end.index));
  return { at: last + (results ?? end).index, indent };
}

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
  public constructor(
    public readonly path: string,
    private readonly text: string,
  ) {}

  /** Whether a name occurs in it. */
  public has(name: string): boolean {
    return new RegExp(`\\b${name}\\b`).test(this.text);
  }

  /** The name by which it imports a variable of another module. */
  public importOf(exported: string, module: string): string | undefined {
    return this.imports()
      .find(({ from }) => from === withoutSuffix(module))
      ?.names.find((each) => each.exported === exported)?.local;
  }

  /** With another import, next to the others. @param module relative to the project */
  public withImport(name: string, module: string): ProgramText {
    const known = this.imports().find(
      ({ from, text }) => from === withoutSuffix(module) && !text.includes('\n'),
    );
    if (known) {
      const names = [
        ...known.names.map(({ exported, local }) =>
          exported === local ? local : `${exported} as ${local}`,
        ),
        name,
      ].sort();
      return this.spliced(
        known.start,
        known.text.length,
        known.text.replace(/\{[^}]*\}/, () => `{ ${names.join(', ')} }`),
      );
    }
    const path = posix.relative(posix.dirname(this.path), withoutSuffix(module));
    const [, suffix = ''] = /\bfrom\s+['"]\.[^'"]*?(\.[jt]s)['"]/.exec(this.text) ?? [];
    const [last] = [...this.text.matchAll(IMPORT)].slice(-1);
    const at = last === undefined ? 0 : last.index + last[0].length;
    const line = `import { ${name} } from '${path.startsWith('.') ? path : `./${path}`}${suffix}';`;
    return this.spliced(
      at,
      0,
      last === undefined ? `${line}${this.lineFeed}` : `${this.lineFeed}${line}`,
    );
  }

  /**
   * With a line before the one that a position is in. @param at the position; at its end if
   * undefined
   */
  public withLine(line: string, at?: number): ProgramText {
    if (at !== undefined) {
      return this.spliced(this.text.lastIndexOf('\n', at - 1) + 1, 0, `${line}${this.lineFeed}`);
    }
    const end = this.text.endsWith('\n') ? '' : this.lineFeed;
    const isCall = /^\w+\([^\n]*\);\s*$/.test(
      this.text.slice(this.text.trimEnd().lastIndexOf('\n') + 1),
    );
    return this.spliced(
      this.text.length,
      0,
      `${end}${isCall ? '' : this.lineFeed}${line}${this.lineFeed}`,
    );
  }

  public get lineFeed(): string {
    return this.text.includes('\r\n') ? '\r\n' : '\n';
  }

  public toString(): string {
    return this.text;
  }

  private imports(): readonly Import[] {
    return [...this.text.matchAll(IMPORT)].flatMap(({ index, 0: text, 1: names, 2: specifier }) => {
      if (names === undefined || !specifier.startsWith('.') || /^import\s+type\b/.test(text)) {
        return [];
      }
      return [
        {
          from: posix.join(posix.dirname(this.path), withoutSuffix(specifier)),
          names: importedNames(names),
          start: index,
          text,
        },
      ];
    });
  }

  private spliced(at: number, length: number, text: string): ProgramText {
    return new ProgramText(this.path, this.text.slice(0, at) + text + this.text.slice(at + length));
  }
}

/** A statement that imports: 1 the names in braces, 2 the module. */
const IMPORT = /^import\b(?:[^'"{;]*(?:\{([^}]*)\})?\s*from)?\s*['"]([^'"]+)['"];?/gm;

/** The names in the braces of an import. */
function importedNames(text: string): Import['names'] {
  const names = text.split(',').map((name) => name.trim());
  const given = names.filter((name) => name !== '');
  return given.map((name) => {
    const [exported, local = exported] = name.split(/\s+as\s+/);
    return { exported, local };
  });
}

/** The path of a module without the suffix of its file. */
export function withoutSuffix(path: string): string {
  return path.replace(/\.[jt]s$/, '');
}
