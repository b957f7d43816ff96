import { Imported, Imports } from './imports';
import { CLUSTERS_MODULE, modulesOf, ProgramModule, usesOf } from './layout';
import {
  AppReference,
  Draft,
  DraftReference,
  DraftValue,
  EnumValue,
  Expression,
  MethodCall,
  ObjectExpression,
  Property,
  SecretRead,
  SecretText,
  StaticCall,
  StaticMember,
  TargetReference,
  FoundCluster,
} from '../../core/draft/draft';
import { Adopted } from '../adopt';
import { Loop, loopsIn, Placeholder } from './loops';
import { Variables } from './names';
import { key, layOut, literal, Piece, templatePart } from './text';
import { remembered } from '../../core/text/values';
import { memberNamed } from '../evaluate/library';
import { changesOfObject } from '../evaluate/metadata-calls';
import {
  AcceptedRule,
  argsOf,
  PatchOperation,
  Statement,
  Statements,
} from '../evaluate/statements';
import { SecretVariables } from '../evaluate/variables';

/** The texts of a program by the paths of its files. */
export function programFiles(
  clusters: readonly FoundCluster[],
  { statements, evaluated }: Adopted,
): ReadonlyMap<string, string> {
  const { order } = evaluated;
  const empty = emptyCharts(clusters, statements, order);
  const modules = modulesOf(clusters, statements, { ...evaluated, order: [...empty, ...order] });
  const printer = new ModulePrinter(statements, modules);
  const files = new Map<string, string>();
  for (const module of modules) {
    const text =
      module.path === CLUSTERS_MODULE
        ? printer.print(module, APP_LINES, APP_IMPORTS)
        : printer.print(module);
    files.set(`${module.path}.ts`, text);
  }
  return files.set('platform.ts', platformText(modules));
}

/** The charts without objects, which are part of the program, too. */
function emptyCharts(
  clusters: readonly FoundCluster[],
  statements: Statements,
  order: readonly Draft[],
): readonly Draft[] {
  const charts = clusters.map(({ name }) => statements.chart(name));
  return charts.flatMap((chart) =>
    chart instanceof DraftReference && !order.includes(chart.draft) ? [chart.draft] : [],
  );
}

const APP_LINES = [
  '/** The platform: each module declares what is on one cluster, or belongs to one tenant. */',
  'export const app = new HarvesterApp(DELIVERY);',
] as const;

const APP_IMPORTS: readonly Imported[] = [
  { name: 'HarvesterApp', from: 'cdk8s-harvester' },
  { name: 'DELIVERY', from: './delivery' },
];

/** The file that loads all modules. */
function platformText(modules: readonly ProgramModule[]): string {
  const others = modules.map(({ path }) => path).filter((path) => path !== CLUSTERS_MODULE);
  const imports = others.map((path) => `import './${path}';\n`);
  return [...imports, "\nexport { app } from './clusters';\n"].join('');
}

/** The targets of the charts that added statements are in: the parameters of their function. */
export function addedTo({ statements, evaluated }: Adopted): readonly string[] {
  const { order } = evaluated;
  return chartsIn(order, statements).map((chart) => statements.of(chart).id);
}

/**
 * The text of a module of statements that a program lacks. @param name its function, which takes
 * the charts of `addedTo`
 */
export function addedModule(
  path: string,
  name: string,
  { statements, evaluated }: Adopted,
): string {
  const { order } = evaluated;
  const printer = new ModulePrinter(statements, [{ path, drafts: order }], 2);
  return printer.printFunction({ path, drafts: order }, name, chartsIn(order, statements), COMMENT);
}

function chartsIn(order: readonly Draft[], statements: Statements): readonly Draft[] {
  return order.filter((draft) => statements.of(draft).scope instanceof AppReference);
}

const COMMENT = 'Declares objects that were created on the clusters without this program.';

/** A statement or a loop as text. */
interface PrintedStatement {
  /** The class that it creates. */
  readonly type: string;
  readonly text: string;
}

/** Whether an empty line separates two statements. */
function isApart(previous: PrintedStatement, next: PrintedStatement): boolean {
  return next.type !== previous.type || next.text.includes('\n') || previous.text.includes('\n');
}

/** Prints the modules of a program. */
export class ModulePrinter {
  private readonly variables = new Variables();
  private readonly homes = new Map<Draft, string>();
  private readonly users = new Map<Draft, Set<string>>();
  private readonly secrets: SecretVariables;

  /** @param indent the spaces before each statement */
  constructor(
    private readonly statements: Statements,
    modules: readonly ProgramModule[],
    private readonly indent = 0,
  ) {
    this.secrets = new SecretVariables(statements);
    for (const { path, drafts } of modules) {
      for (const draft of drafts) {
        this.homes.set(draft, path);
        for (const used of usesOf(draft, statements)) {
          remembered(this.users, used, () => new Set<string>()).add(path);
        }
      }
    }
  }

  /** The text of a module. @param head lines between the imports and the statements. */
  public print(
    module: ProgramModule,
    head: readonly string[] = [],
    more: readonly Imported[] = [],
  ): string {
    const imports = new Imports(module.path, more);
    const body = this.body(module.drafts, imports);
    const top = head.length > 0 ? `${head.join('\n')}\n` : '';
    return [imports.text(), top, body].filter((each) => each !== '').join('\n');
  }

  /**
   * The text of a module that exports one function. @param charts its parameters: drafts of the
   * module that it does not create
   */
  public printFunction(
    { path, drafts }: ProgramModule,
    name: string,
    charts: readonly Draft[],
    comment: string,
  ): string {
    const imports = new Imports(path);
    const parameters: string[] = [];
    for (const chart of charts) {
      const type = parameterType(chart);
      imports.add(type);
      parameters.push(`${this.variables.of(chart, this.statements.of(chart).id)}: ${type}`);
    }
    const created = drafts.filter((draft) => !charts.includes(draft));
    const body = this.body(created, imports);
    const head = layOut([callOf(`export function ${name}(`, parameters), ': void {'], 0, 0);
    return `${imports.text()}\n/** ${comment} */\n${head}\n${body}}\n`;
  }

  private body(drafts: readonly Draft[], imports: Imports): string {
    const isRepeatable = (draft: Draft): boolean => !this.isNamed(draft);
    let text = '';
    let previous: PrintedStatement | undefined;
    for (const each of loopsIn(drafts, this.statements, isRepeatable)) {
      const printed = 'draft' in each ? this.statement(each, imports) : this.loop(each, imports);
      if (previous !== undefined && isApart(previous, printed)) {
        text += '\n';
      }
      text += `${printed.text}\n`;
      previous = printed;
    }
    return text;
  }

  /** Whether something names the construct of a draft, so that it needs a variable. */
  private isNamed(draft: Draft): boolean {
    const { patches, parts, suppressions } = this.statements.of(draft);
    return (
      (draft.calls ?? []).length > 1 ||
      patches.length > 0 ||
      parts.length > 0 ||
      suppressions.length > 0 ||
      this.users.has(draft)
    );
  }

  private statement(statement: Statement, imports: Imports): PrintedStatement {
    const { draft, id } = statement;
    const name = this.isNamed(draft) ? this.variables.of(draft, id) : '';
    const lines = [
      ...(draft.comments ?? []).map((comment) => `// ${comment}`),
      ...this.creationLines(statement, name, imports),
      ...this.changeLines(statement, name, imports),
      ...statement.suppressions.map((accepted) => this.suppressionLine(accepted, imports)),
    ];
    const margin = ' '.repeat(this.indent);
    return { type: draft.type, text: lines.map((line) => `${margin}${line}`).join('\n') };
  }

  /** What creates a construct, and the calls of its methods. @param name its variable, if any */
  private creationLines(statement: Statement, name: string, imports: Imports): string[] {
    const { draft, id } = statement;
    const creation = this.creation(statement, this.value(id, imports), imports);
    const calls = (statement.calls ?? []).map(({ property, method, args }) => {
      const on = property === undefined ? '' : `.${property}`;
      return callOf(`${on}.${method}(`, this.values(args, imports));
    });
    if (name === '') {
      return [this.line([creation, ...calls])];
    }
    const start = `${this.isExported(draft) ? 'export ' : ''}const ${name} = `;
    return [
      `${start}${this.layOut(creation, start.length, 1)};`,
      ...calls.map((call) => this.line([name, call])),
    ];
  }

  /** Whether another module names the construct of a draft. */
  private isExported(draft: Draft): boolean {
    const home = this.homes.get(draft);
    return [...(this.users.get(draft) ?? [])].some((path) => path !== home);
  }

  /** Labels, annotations, and JSON patches of the objects of a construct. */
  private changeLines(
    { draft, patches, parts }: Statement,
    name: string,
    imports: Imports,
  ): string[] {
    const own = draft.type === 'ApiObject' ? name : `${name}.apiObject`;
    const changes = [
      { object: own, ...changesOfObject(patches) },
      ...parts.map((part) => ({
        object: this.expression(part.object, imports),
        ...changesOfObject(part.patches),
      })),
    ];
    const lines: string[] = [];
    for (const { object, metadata } of changes) {
      for (const { method, key: label, value } of metadata) {
        const call = callOf(`.metadata.${method}(`, [literal(label), literal(value)]);
        lines.push(this.line([object, call]));
      }
    }
    for (const { object, patches: operations } of changes) {
      if (operations.length > 0) {
        imports.add('JsonPatch');
        const args = operations.map((operation) => this.operation(operation, imports));
        lines.push(this.line([object, callOf('.addJsonPatch(', args)]));
      }
    }
    return lines;
  }

  private suppressionLine({ on, rule, reason }: AcceptedRule, imports: Imports): string {
    imports.add('Suppressions');
    const place = layOut(this.expression(on, imports), 0, 0);
    const args = [literal(rule), literal(reason)];
    return this.line(callOf(`Suppressions.of(${place}).suppress(`, args));
  }

  private line(piece: Piece): string {
    return `${this.layOut(piece, 0, 1)};`;
  }

  private layOut(piece: Piece, column: number, after: number): string {
    return layOut(piece, this.indent + column, this.indent, after);
  }

  private operation({ op, path, value }: PatchOperation, imports: Imports): Piece {
    return callOf(`JsonPatch.${op}(`, [
      literal(path),
      ...(op === 'remove' ? [] : [this.value(value as DraftValue, imports)]),
    ]);
  }

  private loop({ items, keys, statement, values }: Loop, imports: Imports): PrintedStatement {
    const rows = values.map((row): Piece => ({
      open: '{',
      items: keys.map((name, index) => [`${key(name)}: `, this.value(row[index], imports)]),
      close: '}',
      isSpaced: true,
    }));
    const head = `for (const { ${keys.join(', ')} } of `;
    const list = this.layOut({ open: '[', items: rows, close: ']' }, head.length, 3);
    const body = layOut(
      this.creation(statement, 'id', imports),
      this.indent + 2,
      this.indent + 2,
      1,
    );
    const margin = ' '.repeat(this.indent);
    return {
      type: items[0].type,
      text: `${margin}${head}${list}) {\n${margin}  ${body};\n${margin}}`,
    };
  }

  private creation(statement: Statement, id: Piece, imports: Imports): Piece {
    const { draft, scope } = statement;
    imports.add(draft.type);
    const rest = this.values(argsOf(statement), imports);
    const args = draft.takesNoId
      ? [this.value(scope, imports)]
      : [this.value(scope, imports), id, ...rest];
    return callOf(creatorOf(draft.type, draft.method), args);
  }

  private values(values: readonly DraftValue[], imports: Imports): readonly Piece[] {
    return values.map((each) => this.value(each, imports));
  }

  private value(value: DraftValue, imports: Imports): Piece {
    if (value instanceof Expression) {
      return this.expression(value, imports);
    }
    if (typeof value === 'string') {
      return literal(value);
    }
    if (Array.isArray(value)) {
      const given = value.filter((each) => each !== undefined);
      return { open: '[', items: this.values(given, imports), close: ']' };
    }
    if (typeof value !== 'object' || value === null) {
      return String(value);
    }
    const items = Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([name, each]): Piece => {
        const text = this.value(each, imports);
        return text === name ? name : [`${key(name)}: `, text];
      });
    return { open: '{', items, close: '}', isSpaced: true };
  }

  private expression(expression: Expression, imports: Imports): Piece {
    if (expression instanceof Placeholder) {
      return expression.name;
    }
    if (expression instanceof AppReference) {
      return imports.local('app', 'clusters');
    }
    if (expression instanceof DraftReference) {
      return this.variable(expression.draft, imports);
    }
    if (expression instanceof TargetReference) {
      return this.expression(this.statements.chart(expression.target), imports);
    }
    if (expression instanceof ObjectExpression) {
      return this.expression(this.statements.resolve(expression.object), imports);
    }
    if (expression instanceof Property) {
      return [this.expression(expression.on, imports), `.${expression.name}`];
    }
    if (expression instanceof MethodCall) {
      return [
        this.expression(expression.on, imports),
        callOf(`.${expression.method}(`, this.values(expression.args, imports)),
      ];
    }
    if (expression instanceof EnumValue) {
      imports.add(expression.type);
      return `${expression.type}.${memberNamed(expression.type, expression.value)}`;
    }
    if (expression instanceof StaticMember) {
      imports.add(expression.type);
      return `${expression.type}.${expression.name}`;
    }
    if (expression instanceof StaticCall) {
      imports.add(expression.type);
      const args = this.values(expression.args, imports);
      return callOf(creatorOf(expression.type, expression.method), args);
    }
    if (expression instanceof SecretRead) {
      return this.secret(expression, imports);
    }
    if (expression instanceof SecretText) {
      return this.secretText(expression, imports);
    }
    throw new Error(`cannot print ${expression.constructor.name}`);
  }

  private secret(secret: SecretRead, imports: Imports): string {
    imports.add('SecretValue');
    return `SecretValue.fromEnv(${literal(this.secrets.nameOf(secret))})`;
  }

  private secretText({ parts, isBase64 }: SecretText, imports: Imports): Piece {
    const [first] = parts;
    if (parts.length === 1 && first instanceof SecretRead) {
      return `${this.secret(first, imports)}.${isBase64 ? 'base64' : 'token'}`;
    }
    const filled = parts.map((part) =>
      typeof part === 'string' ? templatePart(part) : `\${${this.secret(part, imports)}}`,
    );
    const text = `\`${filled.join('')}\``;
    return isBase64 ? ['Buffer.from(', text, ").toString('base64')"] : text;
  }

  private variable(draft: Draft, imports: Imports): string {
    const name = this.variables.of(draft, this.statements.of(draft).id);
    return imports.local(name, this.homes.get(draft)!);
  }
}

/**
 * The type of a parameter that takes a chart: that of a guest cluster has the type of any chart.
 */
function parameterType({ type }: Draft): string {
  return type === 'GuestChart' ? 'Chart' : type;
}

/** What begins the creation of a construct or a value: `new Type(`, or `Type.method(`. */
function creatorOf(type: string, method = 'new'): string {
  return method === 'new' ? `new ${type}(` : `${type}.${method}(`;
}

function callOf(open: string, items: readonly Piece[]): Piece {
  return { open, items, close: ')' };
}
