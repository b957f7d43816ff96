import { ofChart } from './chart-namespace';
import { TargetKind } from '../construct/target';
import {
  FieldPath,
  groupOf,
  idOf,
  isRecord,
  itemsAt,
  Manifest,
  valueAt,
} from '../manifest/manifest';
import { filledText } from '../text/plain-text';
import { filledFields, quantityOf } from '../text/values';

/** What a program writes for a prop: a literal, or an expression. Undefined props are left out. */
export type DraftValue =
  string | number | boolean | undefined | Expression | readonly DraftValue[] | DraftProps;

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
  public constructor(
    public readonly type: string,
    public readonly value: unknown,
  ) {
    super();
  }
}

/** A static member of a class: `MachineRoles.WORKER`. */
export class StaticMember extends Expression {
  public constructor(
    public readonly type: string,
    public readonly name: string,
  ) {
    super();
  }
}

/** A call of a static method, or of a constructor, whose name is `new`: `Size.gibibytes(8)`. */
export class StaticCall extends Expression {
  public constructor(
    public readonly type: string,
    public readonly method: string,
    public readonly args: readonly DraftValue[],
  ) {
    super();
  }
}

/** A call of a method: `shop.declaredNamespace('shop-vms')`. */
export class MethodCall extends Expression {
  public constructor(
    public readonly on: Expression,
    public readonly method: string,
    public readonly args: readonly DraftValue[],
  ) {
    super();
  }
}

/** A property: `shop.chart`. */
export class Property extends Expression {
  public constructor(
    public readonly on: Expression,
    public readonly name: string,
  ) {
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
export class ObjectExpression extends Expression {
  public constructor(public readonly object: ObjectName) {
    super();
  }
}

/** A secret that was read. A program gets it from an environment variable. */
export class SecretRead extends Expression {
  /**
   * @param wish the wished name of the variable: another one is chosen where another secret has it
   */
  public constructor(
    public readonly text: string,
    public readonly wish: string,
  ) {
    super();
  }
}

/** A text that contains secrets. */
export class SecretText extends Expression {
  /** @param isBase64 whether the program writes it in base64 */
  public constructor(
    public readonly parts: readonly (string | SecretRead)[],
    public readonly isBase64 = false,
  ) {
    super();
  }
}

/** The name of an environment variable for a secret, of the words that describe it. */
export function variableName(...words: readonly unknown[]): string {
  const text = words.map(String).join('_');
  const separated = text.replace(/([a-z0-9])(?=[A-Z])/g, '$1_').toUpperCase();
  const name = separated.replace(/[^A-Z0-9]+/g, '_').replace(/^_+|_+$/g, '');
  return name === '' || /^\d/.test(name) ? `_${name}` : name;
}

/** An object by its name. */
export interface ObjectName {
  /** The name of the target that it is on. */
  readonly target: string;
  readonly group: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /**
   * The construct that refers to it, where constructs of several types could.
   */
  readonly usedAs?: string;
}

/** An object that was found on a cluster or in files. */
export interface FoundObject {
  /** The name of the target that it is on. */
  readonly target: string;
  /** As it was read, with its status and all of its metadata. */
  readonly manifest: Manifest;
  /** Where it was read: `context prod`, or a file and a line. */
  readonly from: string;
  /**
   * The address of its resource in a state of Terraform, e.g. `rancher2_project.shop`.
   * @default - Terraform does not own it
   */
  readonly terraform?: string;
  /** The default namespace of the chart of its target. @default - `default` */
  readonly chartNamespace?: string;
}

/** A call of a method of a construct, for what it writes. */
export interface DraftCall {
  /** The property of the construct that has the method. @default - the construct itself */
  readonly property?: string;
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
  /**
   * Whether the construct names its object by the ID, so that another ID needs the prop `name`.
   * @default true
   */
  readonly isNamedById?: boolean;
  /** Whether the static method takes the scope alone: `ClusterNetwork.mgmt(dc1)`. @default false */
  readonly takesNoId?: boolean;
  readonly props: DraftProps;
  /** What follows the ID, before the props. @default - the props alone */
  readonly args?: readonly DraftValue[];
  /** Methods that are called on the construct: `AdditionalCa.of(dc1).add(…)`. @default - none */
  readonly calls?: readonly DraftCall[];
  /**
   * The objects that it writes; the first one is that of `apiObject`. Empty for a construct that
   * refers to an object.
   */
  readonly declares: readonly FoundObject[];
  /**
   * Fields of its object, by path, that belong to the server except for what the construct sets.
   * @default - none
   */
  readonly serverOwns?: readonly string[];
  /**
   * How the program refers to objects that are parts of it, or that exist because of it, by
   * `idOfName`.
   * @default - only the first object can be referred to, by the construct
   */
  readonly provides?: ReadonlyMap<string, (self: Expression) => Expression>;
  /**
   * Its objects besides the first one that JSON patches may complete, by `objectId`, and how the
   * program reaches them.
   * @default - none
   */
  readonly patchable?: ReadonlyMap<string, (self: Expression) => Expression>;
  /**
   * A better draft of the same objects, once it is known in which fields this one renders them
   * otherwise, by `objectId`. Asked again after each round.
   * @default - labels, annotations, and JSON patches complete it
   */
  readonly amend?: (differing: ReadonlyMap<string, readonly FieldPath[]>) => Draft | undefined;
  /** The target whose chart it has as `chart`. @default - it has no chart */
  readonly chartOf?: string;
  /**
   * Whether labels and annotations of the construct are also those of its other objects, so that
   * the first one is completed by JSON patches.
   * @default false
   */
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

/** A cluster, and what was found on it. */
export interface FoundCluster {
  /** The name of its target. */
  readonly name: string;
  readonly kind: TargetKind;
  /** The version of the product. @default - unknown */
  readonly version?: string;
  /** The URL of Rancher. @default - unknown, or not a Rancher */
  readonly serverUrl?: string;
  /**
   * The Cluster of Rancher that imports it: its name, or its management cluster ID.
   * @default - by what is on the cluster, otherwise by its name
   */
  readonly importedAs?: string;
  /** The management address of a Harvester. @default - unknown, or not a Harvester */
  readonly vip?: string;
  /** The default namespace of its chart. @default - `default` */
  readonly chartNamespace?: string;
  readonly objects: readonly FoundObject[];
  /** The kinds that could not be listed. */
  readonly unread: readonly { readonly kind: string; readonly reason: string }[];
}

/** All clusters, for inverses that look at other objects. */
export interface Surroundings {
  readonly clusters: readonly FoundCluster[];
  /** The cluster of a target. */
  cluster(target: string): FoundCluster;
  /** The objects of a kind, as `group/Kind`, that no draft declares yet. */
  objects(target: string, kind: string): readonly FoundObject[];
  /** An object, declared or not; undefined where it was not found. */
  find(name: ObjectName): FoundObject | undefined;
  /** Whether a draft declares an object. */
  isDeclared(name: ObjectName): boolean;
  /** An object without what servers write. */
  cleaned(object: FoundObject): Manifest;
  /**
   * The target of the cluster that Rancher knows by an ID (`c-m-…`, `local`); undefined where it is
   * not read.
   */
  targetOf(clusterId: string): string | undefined;
}

/**
 * The inverse of a construct: from objects to the statement of a program that declares them. It
 * guesses: whatever the construct then renders otherwise than the live object is completed by
 * labels, annotations, and JSON patches, and a guess that renders other objects is dropped for the
 * next one.
 */
export interface Inverse {
  /** The kinds of the objects that it begins with, as `group/Kind`. */
  readonly kinds: readonly string[];
  /** The clusters whose objects it is for. @default - all clusters */
  readonly on?: TargetKind;
  /** The statements that may declare the object, the best one first. */
  readonly drafts?: (
    object: FoundObject,
    around: Surroundings,
  ) => Draft | readonly Draft[] | undefined;
  /**
   * Why no statement declares the object, although a program can refer to it; undefined where one
   * may.
   * @default - each object is declared
   */
  readonly leftOut?: (object: FoundObject, around: Surroundings) => string | undefined;
  /**
   * Why no statement declares the object where no construct does: an ApiObject would print a
   * secret, or take what Rancher deletes.
   * @default - ApiObject
   */
  readonly notPlain?: (object: FoundObject, around: Surroundings) => string | undefined;
  /**
   * Why no construct declares an object of which the inverse makes no statement, as a clause without
   * its subject; undefined where another reason is known.
   * @default - what it depends on was not read
   */
  readonly undeclared?: (object: FoundObject, around: Surroundings) => string | undefined;
  /**
   * Values that servers fill in, by the patterns of their fields: they are left out.
   * @default - only fields that `writtenByOthers` of the kind lists
   */
  readonly defaults?: { readonly [pattern: string]: unknown };
  /**
   * Patterns of fields that files of manifests may lack, since a controller fills them in: the
   * construct writes them.
   * @default - only the `defaults`
   */
  readonly filled?: readonly string[];
  /**
   * Patterns of fields that users write, although `writtenByOthers` of the kind lists them: only
   * their `defaults` are left out.
   * @default - none
   */
  readonly own?: readonly string[];
  /**
   * Patterns of fields that servers overwrite at each write, so that files need not have them. Other
   * fields of a file are a user's, also those that `writtenByOthers` of the kind lists: an engine
   * deletes from the server what leaves a file. @default - none
   */
  readonly overwritten?: readonly string[];
  /**
   * Patterns of fields below which every value is compared, also `false` and an empty text: maps without
   * a definition in lists that an apply replaces. @default - values without an effect are left out
   */
  readonly exact?: readonly string[];
  /**
   * How a program refers to an object of the kind that it does not declare; undefined leaves it to
   * another inverse of the kind.
   * @default - programs refer to none
   */
  readonly existing?: (name: ObjectName, around: Surroundings) => Reference | undefined;
}

/** A construct that refers to an object, e.g. `ClusterNetwork.fromName`. */
export interface Reference extends Pick<Draft, 'type' | 'takesNoId' | 'props' | 'args' | 'scope'> {
  readonly method: string;
  /** The wished ID. @default - the name of the object */
  readonly id?: string;
}

/** Whether an inverse is for the objects of a cluster. */
export function isFor({ on }: Inverse, { kind }: FoundCluster): boolean {
  return on === undefined || on === kind;
}

/**
 * The statement of a construct that declares one object, and whose ID is by default the name of the
 * object.
 */
export function declare(
  object: FoundObject,
  type: string,
  props: DraftProps,
  more: Partial<Draft> = {},
): Draft {
  return { type, id: object.manifest.metadata.name, props, declares: [object], ...more };
}

/**
 * The inverse of a construct whose constructor declares each object of a kind, and whose `fromName`
 * refers to one; a function guesses its props.
 */
export function inverseOf(
  type: string,
  kind: string,
  propsOf: (
    manifest: Manifest,
    object: FoundObject,
    around: Surroundings,
  ) => DraftProps | undefined,
  more?: Partial<Inverse>,
): Inverse {
  return {
    kinds: [kind],
    drafts: (object, around) => {
      const props = propsOf(object.manifest, object, around);
      return props && declare(object, type, props);
    },
    existing: byName(type),
    ...more,
  };
}

/**
 * How programs refer to an object by `fromName` of a construct, which has objects of one namespace
 * by default.
 */
export function byName(
  type: string,
  defaultNamespace = 'default',
): (object: ObjectName, around: Surroundings) => Reference {
  return ({ target, namespace, name }, around) => ({
    type,
    method: 'fromName',
    props: {
      namespace: unless(
        namespace,
        ofChart(around.cluster(target).chartNamespace, defaultNamespace),
      ),
      name,
    },
  });
}

/** The ID of an object on all targets, as `Draft.provides` names it. */
export function idOfName({ target, group, kind, namespace, name }: ObjectName): string {
  return idOf(target, group, kind, namespace, name);
}

/** A reference to an object on the same target, by its name. */
export function refer(
  object: FoundObject,
  kind: string,
  name: string,
  namespace?: string,
): ObjectExpression {
  return referOn(object.target, kind, name, namespace);
}

/**
 * A reference to an object by its kind, as `group/Kind`, and its name.
 *
 * @param usedAs the construct that refers to it, where constructs of several types could
 */
export function referOn(
  target: string,
  kind: string,
  name: string,
  namespace?: string,
  usedAs?: string,
): ObjectExpression {
  const slash = kind.indexOf('/');
  return new ObjectExpression({
    target,
    group: kind.slice(0, slash),
    kind: kind.slice(slash + 1),
    namespace,
    name,
    usedAs,
  });
}

/**
 * The prop `namespace` of an object; undefined for the namespace that constructs have by default.
 */
export function namespaceProp(
  { target, manifest, chartNamespace }: FoundObject,
  byDefault = 'default',
): Expression | undefined {
  const namespace = manifest.metadata.namespace ?? 'default';
  return namespace === ofChart(chartNamespace, byDefault)
    ? undefined
    : referOn(target, '/Namespace', namespace);
}

/** The name of an object. */
export function nameOf({ target, manifest }: FoundObject): ObjectName {
  const { apiVersion, kind } = manifest;
  const { namespace, name } = manifest.metadata;
  return { target, group: groupOf(apiVersion), kind, namespace, name };
}

/** An amount of bytes as a program writes it; undefined for what is not one. */
export function sizeCall(value: unknown): StaticCall | undefined {
  const bytes = quantityOf(value);
  if (bytes === undefined) {
    return undefined;
  }
  if (Number(bytes) === 0) {
    return call('Size', 'kibibytes', 0);
  }
  const sizes: readonly [string, number][] = [
    ['tebibytes', 2 ** 40],
    ['gibibytes', 2 ** 30],
    ['mebibytes', 2 ** 20],
    ['kibibytes', 2 ** 10],
  ];
  const [method, unit] =
    sizes.find(([, each]) => Number(bytes) >= each && Number.isInteger(Number(bytes) / each)) ?? [];
  return unit === undefined ? undefined : call('Size', method!, Number(bytes) / unit);
}

/** A number of processors as a program writes it; undefined for what is not one. */
export function cpuOf(value: unknown): StaticCall | undefined {
  const units = quantityOf(value);
  if (units === undefined) {
    return undefined;
  }
  const number = Number(units);
  return Number.isInteger(number)
    ? call('Cpu', 'units', number)
    : call('Cpu', 'millis', Math.round(number * 1000));
}

/** A value, unless it is the default. */
export function unless<T>(value: T | undefined | null, byDefault: T): T | undefined {
  return value === byDefault || value === null ? undefined : value;
}

/** A text field; undefined for what is not a text, or is empty. */
export function textAt(manifest: Manifest, ...path: string[]): string | undefined {
  return filledText(valueAt(manifest, ...path));
}

/** A number; undefined for what is not one. */
export function numberAt(manifest: Manifest, ...path: string[]): number | undefined {
  const value = valueAt(manifest, ...path);
  return typeof value === 'number' ? value : undefined;
}

/** A boolean; undefined for what is not one. */
export function booleanAt(manifest: Manifest, ...path: string[]): boolean | undefined {
  const value = valueAt(manifest, ...path);
  return typeof value === 'boolean' ? value : undefined;
}

/** A map that is not empty; undefined for what is not one. */
export function mapAt(
  manifest: Manifest,
  ...path: string[]
): { readonly [key: string]: any } | undefined {
  const value = valueAt(manifest, ...path);
  return isRecord(value) && Object.keys(value).length > 0 ? value : undefined;
}

/** The items of a list; none for what is not a list. */
export function listAt(manifest: Manifest, ...path: string[]): readonly any[] {
  return itemsAt(manifest, ...path);
}
