import { ApiObject, JsonPatch } from 'cdk8s';
import { Construct } from 'constructs';
import { exported, memberNamed, ownLibrary } from './library';
import { changesOfObject } from './metadata-calls';
import { argsOf, PatchOperation, Statement, Statements } from './statements';
import type { HarvesterApp } from '../../core/app/harvester-app';
import { reportsToProgram } from '../../core/construct/program-place';
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
} from '../../core/draft/draft';
import { withoutMarkers } from '../../core/program/secrets';
import { renderSecrets } from '../../core/value/secret-value';
import { secretInMemory, textOfSecrets } from '../secrets/hide-secrets';

/** A program of drafts in memory: its constructs, and why some could not be made. */
export interface Evaluated {
  readonly app: HarvesterApp;
  readonly constructs: ReadonlyMap<Draft, Construct>;
  /** The drafts in the order of their creation, each after those that it refers to. */
  readonly order: readonly Draft[];
  readonly errors: ReadonlyMap<Draft, string>;
  /**
   * The drafts that could not be made since one that they refer to could not, with that one:
   * another candidate for it may help.
   */
  readonly blocked: ReadonlyMap<Draft, Draft>;
}

/** A draft cannot be made, for this reason. */
class NotMade extends Error {
  public constructor(
    public readonly draft: Draft,
    message: string,
  ) {
    super(message);
  }
}

/** Makes the constructs of all statements with the library that the written program imports. */
export function evaluate(statements: Statements): Evaluated {
  // the environment of its users has other secrets
  return renderSecrets(true, () =>
    reportsToProgram(evaluate, () => new Evaluation(statements).run()),
  );
}

class Evaluation {
  private readonly app = new (ownLibrary().HarvesterApp)({
    outdir: NOWHERE,
    printWarnings: false,
  }) as HarvesterApp;
  private readonly constructs = new Map<Draft, Construct>();
  private readonly order: Draft[] = [];
  private readonly errors = new Map<Draft, string>();
  private readonly blocked = new Map<Draft, Draft>();
  private readonly making = new Set<Draft>();

  constructor(private readonly statements: Statements) {}

  public run(): Evaluated {
    for (const statement of this.statements.all()) {
      this.tryToMake(statement);
    }
    const { app, constructs, order, errors, blocked } = this;
    return { app, constructs, order, errors, blocked };
  }

  private tryToMake({ draft }: Statement): void {
    try {
      this.make(draft);
    } catch (error) {
      this.fails(draft, error as Error);
    }
  }

  private fails(draft: Draft, error: Error): void {
    if (this.errors.has(draft)) {
      return;
    }
    this.errors.set(draft, withoutMarkers(error.message));
    // only what declares something has other candidates
    if (error instanceof NotMade && error.draft.declares.length > 0) {
      this.blocked.set(draft, error.draft);
    }
  }

  /** The construct that another one refers to. */
  private needed(draft: Draft): Construct {
    try {
      return this.make(draft);
    } catch (error) {
      this.fails(draft, error as Error);
      throw new NotMade(this.blocked.get(draft) ?? draft, (error as Error).message);
    }
  }

  private make(draft: Draft): Construct {
    const known = this.constructs.get(draft);
    if (known) {
      return known;
    }
    const failed = this.errors.get(draft);
    if (failed !== undefined) {
      throw new Error(failed);
    }
    const statement = this.statements.of(draft);
    if (this.making.has(draft)) {
      throw new Error(`${draft.type} ${statement.id} refers to itself by way of others`);
    }
    this.making.add(draft);
    try {
      const scope = this.value(statement.scope) as Construct;
      const args = (statement.args ? argsOf(statement) : [statement.props]).map((each) =>
        this.value(each),
      );
      const made = invoke(
        draft.type,
        draft.method ?? 'new',
        draft.takesNoId ? [scope] : [scope, statement.id, ...args],
      ) as Construct;
      for (const { property, method, args: given } of statement.calls ?? []) {
        const on = property === undefined ? made : (made as any)[property];
        on[method](...given.map((each) => this.value(each)));
      }
      this.patch(made, statement.patches);
      this.constructs.set(draft, made);
      for (const { on, rule, reason } of statement.suppressions) {
        ownLibrary()
          .Suppressions.of(this.expression(on) as Construct)
          .suppress(rule, reason);
      }
      for (const { object, patches } of statement.parts) {
        this.patch(this.expression(object) as Construct, patches);
      }
      this.order.push(draft);
      return made;
    } finally {
      this.making.delete(draft);
    }
  }

  private value(value: DraftValue): unknown {
    if (value instanceof Expression) {
      return this.expression(value);
    }
    if (Array.isArray(value)) {
      return value.map((each) => this.value(each));
    }
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([key, each]) => [key, this.value(each)]),
    );
  }

  private expression(expression: Expression): unknown {
    if (expression instanceof EnumValue) {
      return exported(expression.type)[memberNamed(expression.type, expression.value)];
    }
    if (expression instanceof StaticMember) {
      return exported(expression.type)[expression.name];
    }
    if (expression instanceof StaticCall) {
      return invoke(
        expression.type,
        expression.method,
        expression.args.map((each) => this.value(each)),
      );
    }
    if (expression instanceof MethodCall) {
      return (this.expression(expression.on) as any)[expression.method](
        ...expression.args.map((each) => this.value(each)),
      );
    }
    if (expression instanceof Property) {
      return (this.expression(expression.on) as any)[expression.name];
    }
    if (expression instanceof DraftReference) {
      return this.needed(expression.draft);
    }
    if (expression instanceof TargetReference) {
      return this.expression(this.statements.chart(expression.target));
    }
    if (expression instanceof ObjectExpression) {
      return this.expression(this.statements.resolve(expression.object));
    }
    if (expression instanceof AppReference) {
      return this.app;
    }
    if (expression instanceof SecretRead) {
      return secretInMemory(expression.text);
    }
    if (expression instanceof SecretText) {
      return textOfSecrets(expression);
    }
    throw new Error(`cannot evaluate ${expression.constructor.name}`);
  }

  private patch(made: Construct, operations: readonly PatchOperation[]): void {
    if (operations.length === 0) {
      return;
    }
    const object = (
      ApiObject.isApiObject(made) ? made : (made as unknown as { apiObject: ApiObject }).apiObject
    ) as ApiObject;
    const { metadata, patches } = changesOfObject(operations);
    for (const { method, key, value } of metadata) {
      object.metadata[method](key, value);
    }
    object.addJsonPatch(
      ...patches.map(({ op, path, value }) =>
        op === 'remove'
          ? JsonPatch.remove(path)
          : JsonPatch[op](path, this.value(value as DraftValue)),
      ),
    );
  }
}

/** Nothing is written there: the program is only looked at. */
const NOWHERE = '/nonexistent';

function invoke(type: string, method: string, args: readonly unknown[]): unknown {
  const on = exported(type);
  return method === 'new' ? new on(...args) : on[method](...args);
}
