import { posix } from 'path';
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
import { memberNamed, packageOf } from '../evaluate/library';
import { changesOfObject } from '../evaluate/metadata-calls';
import { argsOf, PatchOperation, Statement, Statements } from '../evaluate/statements';
import { SecretVariables } from '../evaluate/variables';

/** The texts of a program by the paths of its files. */
export function programFiles(
  clusters: readonly FoundCluster[],
  { statements, evaluated }: Adopted,
): ReadonlyMap<string, string> {
  const { order } = evaluated;
  // charts without objects are part of the program
  const empty = clusters
    .map(({ name }) => statements.chart(name))
    .flatMap((chart) =>
      chart instanceof DraftReference && !order.includes(chart.draft) ? [chart.draft] : [],
    );
  const modules = modulesOf(clusters, statements, { ...evaluated, order: [...empty, ...order] });
  const printer = new ModulePrinter(statements, modules);
  const files = new Map(
    modules.map((module) => [
      `${module.path}.ts`,
      module.path === CLUSTERS_MODULE
        ? printer.print(
            module,
            [
              '/** The platform: each module declares what is on one cluster, or belongs to one tenant. */',
              'export const app = new HarvesterApp(DELIVERY);',
            ],
            [
              { name: 'HarvesterApp', from: 'cdk8s-harvester' },
              { name: 'DELIVERY', from: './delivery' },
            ],
          )
        : printer.print(module),
    ]),
  );
  const others = modules.map(({ path }) => path).filter((path) => path !== CLUSTERS_MODULE);
  return files.set(
    'platform.ts',
    [
      ...others.map((path) => `import './${path}';\n`),
      "\nexport { app } from './clusters';\n",
    ].join(''),
  );
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
    const top = imports.text();
    return [
      top,
      ...(head.length > 0 ? [`${head.join('\n')}\n`] : []),
      ...(body === '' ? [] : [body]),
    ]
      .filter((each) => each !== '')
      .join('\n');
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
    const imports = new Imports(
      path,
      charts.map((chart) => ({
        name: parameterType(chart),
        from: packageOf(parameterType(chart)),
      })),
    );
    const parameters = charts.map(
      (chart) =>
        `${this.variables.of(chart, this.statements.of(chart).id)}: ${parameterType(chart)}`,
    );
    const body = this.body(
      drafts.filter((draft) => !charts.includes(draft)),
      imports,
    );
    const head = layOut(
      [{ open: `export function ${name}(`, items: parameters, close: ')' }, ': void {'],
      0,
      0,
    );
    return `${imports.text()}\n/** ${comment} */\n${head}\n${body}}\n`;
  }

  private body(drafts: readonly Draft[], imports: Imports): string {
    const isRepeatable = (draft: Draft): boolean => !this.isNamed(draft);
    const parts = loopsIn(drafts, this.statements, isRepeatable).map((each) =>
      'draft' in each ? this.statement(each, imports) : this.loop(each, imports),
    );
    return parts
      .map((part, index) => {
        const previous = parts[index - 1];
        const isApart =
          previous !== undefined &&
          (part.type !== previous.type || part.text.includes('\n') || previous.text.includes('\n'));
        return `${isApart ? '\n' : ''}${part.text}\n`;
      })
      .join('');
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

  private statement(
    statement: Statement,
    imports: Imports,
  ): { readonly type: string; readonly text: string } {
    const { draft, id, patches, parts, suppressions } = statement;
    const isNamed = this.isNamed(draft);
    const name = isNamed ? this.variables.of(draft, id) : '';
    const home = this.homes.get(draft);
    const isExported = [...(this.users.get(draft) ?? [])].some((path) => path !== home);
    const start = isNamed ? `${isExported ? 'export ' : ''}const ${name} = ` : '';
    const creation = this.creation(statement, this.value(id, imports), imports);
    const called = (statement.calls ?? []).map(({ property, method, args }) =>
      callOf(
        `${property === undefined ? '' : `.${property}`}.${method}(`,
        args.map((each) => this.value(each, imports)),
      ),
    );
    const created = this.layOut(isNamed ? creation : [creation, ...called], start.length, 1);
    const lines = [
      ...(draft.comments ?? []).map((comment) => `// ${comment}`),
      `${start}${created};`,
    ];
    if (isNamed) {
      lines.push(...called.map((each) => `${this.layOut([name, each], 0, 1)};`));
    }
    const patched: readonly (readonly [Piece, readonly PatchOperation[]])[] = [
      [draft.type === 'ApiObject' ? name : `${name}.apiObject`, patches],
      ...parts.map((part) => [this.expression(part.object, imports), part.patches] as const),
    ];
    const changes = patched.map(([object, all]) => ({ object, ...changesOfObject(all) }));
    for (const { object, metadata } of changes) {
      for (const call of metadata) {
        const args = [literal(call.key), literal(call.value)];
        const written = callOf(`.metadata.${call.method}(`, args);
        lines.push(`${this.layOut([object, written], 0, 1)};`);
      }
    }
    for (const { object, patches: operations } of changes.filter((each) => each.patches.length)) {
      imports.add('JsonPatch');
      lines.push(
        `${this.layOut(
          [
            object,
            callOf(
              '.addJsonPatch(',
              operations.map((operation) => this.operation(operation, imports)),
            ),
          ],
          0,
          1,
        )};`,
      );
    }
    for (const { on, rule, reason } of suppressions) {
      imports.add('Suppressions');
      const place = layOut(this.expression(on, imports), 0, 0);
      const accepted = callOf(`Suppressions.of(${place}).suppress(`, [
        literal(rule),
        literal(reason),
      ]);
      lines.push(`${this.layOut(accepted, 0, 1)};`);
    }
    const margin = ' '.repeat(this.indent);
    return { type: draft.type, text: lines.map((each) => `${margin}${each}`).join('\n') };
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

  private loop(
    { items, keys, statement, values }: Loop,
    imports: Imports,
  ): { readonly type: string; readonly text: string } {
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
    const isNew = (draft.method ?? 'new') === 'new';
    const rest = argsOf(statement).map((each) => this.value(each, imports));
    const args = draft.takesNoId
      ? [this.value(scope, imports)]
      : [this.value(scope, imports), id, ...rest];
    return callOf(`${isNew ? `new ${draft.type}` : `${draft.type}.${draft.method}`}(`, args);
  }

  private value(value: DraftValue, imports: Imports): Piece {
    if (value instanceof Expression) {
      return this.expression(value, imports);
    }
    if (typeof value === 'string') {
      return literal(value);
    }
    if (Array.isArray(value)) {
      return {
        open: '[',
        items: value.filter((each) => each !== undefined).map((each) => this.value(each, imports)),
        close: ']',
      };
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
        callOf(
          `.${expression.method}(`,
          expression.args.map((each) => this.value(each, imports)),
        ),
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
      const on =
        expression.method === 'new'
          ? `new ${expression.type}(`
          : `${expression.type}.${expression.method}(`;
      return callOf(
        on,
        expression.args.map((each) => this.value(each, imports)),
      );
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
    const text = `\`${parts.map((part) => (typeof part === 'string' ? templatePart(part) : `\${${this.secret(part, imports)}}`)).join('')}\``;
    return isBase64 ? ['Buffer.from(', text, ").toString('base64')"] : text;
  }

  private variable(draft: Draft, imports: Imports): string {
    return imports.local(
      this.variables.of(draft, this.statements.of(draft).id),
      this.homes.get(draft)!,
    );
  }
}

/**
 * The type of a parameter that takes a chart: that of a guest cluster has the type of any chart.
 */
function parameterType({ type }: Draft): string {
  return type === 'GuestChart' ? 'Chart' : type;
}

function callOf(open: string, items: readonly Piece[]): Piece {
  return { open, items, close: ')' };
}

/** A name, and the module that exports it. */
export interface Imported {
  readonly name: string;
  readonly from: string;
}

/** What a module imports. */
class Imports {
  private readonly names = new Map<string, Set<string>>();

  constructor(
    private readonly path: string,
    more: readonly Imported[],
  ) {
    for (const { name, from } of more) {
      this.import(name, from);
    }
  }

  /** A class or an enum of a package. */
  public add(type: string): void {
    this.import(type, packageOf(type));
  }

  /** A variable of a module of the program. */
  public local(name: string, module: string): string {
    if (module !== this.path) {
      const path = posix.relative(posix.dirname(this.path), module);
      this.import(name, path.startsWith('.') ? path : `./${path}`);
    }
    return name;
  }

  public text(): string {
    const isLocal = (from: string): number => (from.startsWith('.') ? 1 : 0);
    const sorted = [...this.names].sort(([a], [b]) => isLocal(a) - isLocal(b) || (a < b ? -1 : 1));
    const imported = (names: Iterable<string>): Piece => ({
      open: 'import {',
      items: [...names].sort(byWord),
      close: '}',
      isSpaced: true,
    });
    return sorted
      .map(([from, names]) => `${layOut([imported(names), ` from ${literal(from)}`], 0, 0, 1)};\n`)
      .join('');
  }

  private import(name: string, from: string): void {
    remembered(this.names, from, () => new Set<string>()).add(name);
  }
}

function byWord(a: string, b: string): number {
  return a.toLowerCase() < b.toLowerCase() ? -1 : 1;
}
