import { FieldPath, Manifest } from '../manifest/manifest';
import { filledFields } from '../text/values';

/** What a program writes for a prop: a literal, or an expression. Undefined props are left out. */
export type DraftValue = string | number | boolean | undefined | Expression | readonly DraftValue[] | DraftProps;

/** Props as a program writes them, in this order. */
export interface DraftProps {
  readonly [prop: string]: DraftValue;
}

/** What a program writes that is not a literal. */
export abstract class Expression {
  /** What props, whose type is structural, do not have. */
  protected readonly isExpression = true;
}

/** A member of an enum, by its value. */
export class EnumValue extends Expression {
  public constructor(public readonly type: string, public readonly value: unknown) {
    super();
  }
}

/** A static member of a class: `MachineRoles.WORKER`. */
export class StaticMember extends Expression {
  public constructor(public readonly type: string, public readonly name: string) {
    super();
  }
}

/** A call of a static method, or of a constructor, whose name is `new`: `Size.gibibytes(8)`. */
export class StaticCall extends Expression {
  public constructor(public readonly type: string, public readonly method: string, public readonly args: readonly DraftValue[]) {
    super();
  }
}

/** A call of a method: `shop.namespace('shop-vms')`. */
export class MethodCall extends Expression {
  public constructor(public readonly on: Expression, public readonly method: string, public readonly args: readonly DraftValue[]) {
    super();
  }
}

/** A property: `shop.chart`. */
export class Property extends Expression {
  public constructor(public readonly on: Expression, public readonly name: string) {
    super();
  }
}

/** The construct of a draft. */
export class DraftReference extends Expression {
  public constructor(public readonly draft: Draft) {
    super();
  }
}

/** The chart of a target. */
export class TargetReference extends Expression {
  public constructor(public readonly target: string) {
    super();
  }
}

/** The app of the program. */
export class AppReference extends Expression {}

/** The construct that declares an object, otherwise one that refers to it. */
export class ObjectReference extends Expression {
  public constructor(public readonly object: ObjectName) {
    super();
  }
}

/** A secret that was read. A program gets it from an environment variable. */
export class SecretRead extends Expression {
  /** @param wish the wished name of the variable: another one is chosen where another secret has it */
  public constructor(public readonly text: string, public readonly wish: string) {
    super();
  }
}

/** A text that contains secrets. */
export class SecretText extends Expression {
  /** @param isBase64 whether the program writes it in base64 */
  public constructor(public readonly parts: readonly (string | SecretRead)[], public readonly isBase64 = false) {
    super();
  }
}

/** The name of an environment variable for a secret, of the words that describe it. */
export function variableName(...words: readonly unknown[]): string {
  return words.map(String).join('_').replace(/([a-z0-9])(?=[A-Z])/g, '$1_').toUpperCase().replace(/[^A-Z0-9]+/g, '_').replace(/^_+|_+$/g, '').replace(/^(?=\d|$)/, '_');
}

/** An object by its name. */
export interface ObjectName {
  /** The name of the target that it is on. */
  readonly target: string;
  readonly group: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** An object that was found on a cluster or in files. */
export interface FoundObject {
  /** The name of the target that it is on. */
  readonly target: string;
  /** As it was read, with its status and all of its metadata. */
  readonly manifest: Manifest;
  /** Where it was read: `context prod`, or a file and a line. */
  readonly from: string;
  /** The address of its resource in a state of Terraform, e.g. `rancher2_project.shop`. @default - Terraform does not own it */
  readonly terraform?: string;
}

/** A call of a method of a construct, for what it writes. */
export interface DraftCall {
  readonly method: string;
  readonly args: readonly DraftValue[];
}

/** A statement of a program that creates a construct. */
export interface Draft {
  /** The class, as the library exports it. */
  readonly type: string;
  /** The static method that creates the construct. @default 'new' */
  readonly method?: string;
  /** The construct that it is created in. @default - the chart of the target of its first object */
  readonly scope?: Expression;
  /** The wished ID: another one is chosen where it is taken in the scope. */
  readonly id: string;
  /** Whether the construct names its object by the ID, so that another ID needs the prop `name`. @default true */
  readonly isNamedById?: boolean;
  /** Whether the static method takes the scope alone: `ClusterNetwork.mgmt(dc1)`. @default false */
  readonly takesNoId?: boolean;
  readonly props: DraftProps;
  /** What follows the ID, before the props. @default - the props alone */
  readonly args?: readonly DraftValue[];
  /** Methods that are called on the construct: `AdditionalCa.of(dc1).add(…)`. @default - none */
  readonly calls?: readonly DraftCall[];
  /** The objects that it writes; the first one is that of `apiObject`. Empty for a construct that refers to an object. */
  readonly declares: readonly FoundObject[];
  /** Fields of its object, by path, that belong to the server but for what the construct sets. @default - none */
  readonly serverOwns?: readonly string[];
  /** How the program refers to objects that are parts of it, or that exist because of it, by `idOfName`. @default - only the first object can be referred to, by the construct */
  readonly provides?: ReadonlyMap<string, (self: Expression) => Expression>;
  /** Its objects besides the first one that JSON patches may complete, by `objectId`, and how the program reaches them. @default - none */
  readonly patchable?: ReadonlyMap<string, (self: Expression) => Expression>;
  /**
   * A better draft of the same objects, once it is known in which fields this one renders them otherwise, by `objectId`. Asked again after each round.
   * @default - labels, annotations, and JSON patches complete it
   */
  readonly amend?: (differing: ReadonlyMap<string, readonly FieldPath[]>) => Draft | undefined;
  /** The target whose chart it has as `chart`. @default - it has no chart */
  readonly chartOf?: string;
  /** Whether labels and annotations of the construct are also those of its other objects, so that the first one is completed by JSON patches. @default false */
  readonly sharesMetadata?: boolean;
  /** What is written above the statement. @default - nothing */
  readonly comments?: readonly string[];
}

/** A member of an enum by its value; undefined where there is no value. */
export function enumValue(type: string, value: unknown): EnumValue | undefined {
  return value === undefined || value === null ? undefined : new EnumValue(type, value);
}

/** A static member of a class, as an expression. */
export function member(type: string, name: string): StaticMember {
  return new StaticMember(type, name);
}

/** Props as the last argument of a call, which leaves them out where none is set. */
export function optional(props: DraftProps): readonly DraftProps[] {
  return filledFields(props) ? [props] : [];
}

/** A call of a static method. */
export function call(type: string, method: string, ...args: readonly DraftValue[]): StaticCall {
  return new StaticCall(type, method, args);
}
