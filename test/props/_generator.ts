import { ClassDeclaration, Declarations, Member, Type } from './_declarations';
import { Place } from './_place';

/** Makes a value at a place. */
export type Make = (place: Place) => unknown;

/** What is known of a member or parameter beyond its type. */
export interface Hint {
  /** Its values: the first one where it is required, all in turn where it is exercised. */
  readonly values?: readonly Make[];
  /** Other members that it needs, by name. */
  readonly beside?: { readonly [member: string]: Make };
  /** The first item of a list, whatever its other items are. */
  readonly first?: Make;
  /** Members of `always` that it takes the place of. */
  readonly insteadOf?: readonly string[];
}

/** Values that the sources do not define. */
export interface Hints {
  /** By `Owner.member` or `Class.method.parameter`; `*.member` is any of that name. */
  readonly members: { readonly [key: string]: Hint };
  /** Optional members that an interface does not go without, by its name. */
  readonly always: { readonly [name: string]: { readonly [member: string]: Make } };
  /** Values of types that nothing can be generated for, by name. */
  readonly types: { readonly [name: string]: readonly Make[] };
}

/** One member to exercise: a value of the outermost type without and with it. */
export interface Variant {
  /** E.g. `webhook.scheduling.minAvailable`. */
  readonly path: string;
  /** `Interface.member`, the interface being the one that declares it. */
  readonly key: string;
  /** Whether its values are made up, and alike: a construct refuses some of them. */
  readonly isAlike: boolean;
  readonly pairs: readonly { readonly without: Make; readonly with: Make }[];
}

const TEXTS = [
  'generated',
  'https://generated.example.com',
  '10.20.30.0/24',
  '10.20.30.40',
  'generated/name',
  '1',
  '5m',
  '/generated',
];
const OTHER_TEXT = 'another';
const NUMBERS = [2, 1, 0, 3, 60, 600, 1500];

/** Values and variants of types, by their declarations. */
export class Generator {
  /** Keys of hints that were used. */
  public readonly used = new Set<string>();
  /** Names of the props interfaces that were walked through. */
  public readonly walked = new Set<string>();

  /** Classes whose values are being made. */
  private readonly making: string[] = [];

  constructor(
    private readonly declarations: Declarations,
    private readonly hints: Hints,
    private readonly library: { readonly [name: string]: any },
  ) {}

  /** A class or enum of the library by its name. */
  public exported(name: string): any {
    return this.library[name];
  }

  /** Values of a type in turn. */
  public values(type: Type): readonly Make[] {
    switch (type.kind) {
      case 'string':
        return TEXTS.map((text) => () => text);
      case 'number':
        return NUMBERS.map((number) => () => number);
      case 'boolean':
        return [() => true, () => false];
      case 'any':
        return [() => ({ generated: 'value' }), () => 'generated', () => 1];
      case 'array':
        return this.values(type.of).map((make) => (place) => [make(place)]);
      case 'map':
        return this.values(type.of).map((make) => (place) => ({ generated: make(place) }));
      case 'ref':
        return this.reference(type.name);
    }
  }

  /** The value of a member where it is not the one to exercise. */
  public base(member: Member): Make {
    const [first] = this.hintOf(member)?.values ?? this.values(member.type);
    if (!first) {
      throw new Error(
        `${keyOf(member)}: nothing is known of ${JSON.stringify(member.type)}; add it to the table of types`,
      );
    }
    return first;
  }

  /** All members below a type. */
  public variants(type: Type, seen: readonly string[] = []): Variant[] {
    if (type.kind === 'array') {
      return this.variants(type.of, seen).map((variant) =>
        wrapped(variant, '[]', (value) => [value]),
      );
    }
    if (type.kind === 'map') {
      return this.variants(type.of, seen).map((variant) =>
        wrapped(variant, '.*', (value) => ({ generated: value })),
      );
    }
    // values of the table override the declaration
    if (type.kind !== 'ref' || seen.includes(type.name) || this.hints.types[type.name]) {
      return [];
    }
    const members = this.declarations.structs.get(type.name);
    if (members) {
      return this.structVariants(type.name, members, [...seen, type.name]);
    }
    const declaration = this.declarations.classes.get(type.name);
    if (!declaration || declaration.isConstruct || this.library[type.name] === undefined) {
      return [];
    }
    return this.classVariants(declaration, [...seen, type.name]);
  }

  /** The members below the parameters of a factory, as lists of arguments. */
  public argumentVariants(parameters: readonly Member[], seen: readonly string[]): Variant[] {
    const given = parameters.filter(
      ({ optional }, index) =>
        !optional || parameters.slice(index).some((later) => this.isStruct(later.type)),
    );
    return given.flatMap((parameter, index) =>
      this.variants(parameter.type, seen).map((variant): Variant => ({
        ...variant,
        pairs: variant.pairs.map((pair) => ({
          without: this.arguments(given, index, pair.without),
          with: this.arguments(given, index, pair.with),
        })),
      })),
    );
  }

  /** The arguments of a factory. */
  public arguments(parameters: readonly Member[], place?: number, value?: Make): Make {
    const makes = parameters.map((parameter, index) =>
      index === place ? value! : this.base(parameter),
    );
    return (at) => makes.map((make) => make(at));
  }

  private holdsStructs(type: Type): boolean {
    return (
      this.isStruct(type) ||
      ((type.kind === 'array' || type.kind === 'map') && this.holdsStructs(type.of))
    );
  }

  /** Whether a type is a props interface. */
  public isStruct(type: Type): boolean {
    return type.kind === 'ref' && this.declarations.structs.has(type.name);
  }

  private structVariants(
    name: string,
    members: readonly Member[],
    seen: readonly string[],
  ): Variant[] {
    for (const each of [name, ...members.map(({ owner }) => owner)]) {
      this.walked.add(each);
    }
    return members.flatMap((member) => this.memberVariants(name, members, member, seen));
  }

  private memberVariants(
    name: string,
    members: readonly Member[],
    member: Member,
    seen: readonly string[],
  ): Variant[] {
    const hint = this.hintOf(member, name);
    const always = this.alwaysIn(name, members);
    const nothing = Object.fromEntries(
      (hint?.insteadOf ?? []).map((other) => [other, () => undefined]),
    );
    const others = (value: Make | undefined): Make =>
      this.struct(
        members,
        { ...always, ...hint?.beside, ...(value ? nothing : {}) },
        member,
        value,
        name,
      );
    const below = this.variants(member.type, seen).map((variant): Variant => ({
      ...variant,
      path: `${member.name}${/^[[.]/.test(variant.path) ? '' : '.'}${variant.path}`,
      pairs: variant.pairs
        .map((pair) => ({
          without: withFirst(pair.without, hint),
          with: withFirst(pair.with, hint),
        }))
        .map((pair) => ({
          without: paired(others(pair.without), pair.with),
          with: paired(others(pair.with), pair.without),
        })),
    }));
    // an empty one proves nothing, so its members are set
    if (
      below.length > 0 &&
      (member.optional ? this.isStruct(member.type) : this.holdsStructs(member.type))
    ) {
      return below;
    }
    const needed = always[member.name];
    const values = [...(needed ? [needed] : []), ...(hint?.values ?? this.values(member.type))].map(
      (value) => withFirst(value, hint),
    );
    const pairs =
      member.optional && !needed
        ? values.map((value) => ({
            without: paired(others(undefined), value),
            with: others(value),
          }))
        : otherValues(member.type, values).map((value) => ({
            without: paired(others(values[0]), value),
            with: paired(others(value), values[0]),
          }));
    return [
      {
        path: member.name,
        key: keyOf(member),
        isAlike: !hint?.values && isMadeUp(member.type),
        pairs,
      },
      ...below,
    ];
  }

  /** What an interface, or one that it extends, does not go without. */
  private alwaysIn(name: string, members: readonly Member[]): { readonly [member: string]: Make } {
    const names = [...new Set([...members.map(({ owner }) => owner), name])].filter(
      (owner) => this.hints.always[owner],
    );
    for (const owner of names) {
      this.used.add(owner);
    }
    return Object.assign({}, ...names.map((owner) => this.hints.always[owner])) as {
      [member: string]: Make;
    };
  }

  /** A value of a props interface with its required members, those that one needs, and that one. */
  private struct(
    members: readonly Member[],
    beside: { readonly [member: string]: Make },
    one?: Member,
    value?: Make,
    name?: string,
  ): Make {
    const makes = members.flatMap((member): [string, Make][] => {
      if (member === one) {
        return value ? [[member.name, value]] : [];
      }
      if (member.name in beside) {
        return [[member.name, beside[member.name]]];
      }
      if (member.optional) {
        return [];
      }
      const hint = this.hintOf(member, name);
      return [
        [
          member.name,
          withFirst(hint?.values?.[0] ?? (hint?.first ? () => [] : this.base(member)), hint),
        ],
      ];
    });
    return (place) => Object.fromEntries(makes.map(([key, make]) => [key, make(place)]));
  }

  private reference(name: string): readonly Make[] {
    const known = this.hints.types[name];
    if (known) {
      this.used.add(name);
      return known;
    }
    if (this.declarations.enums.has(name)) {
      return Object.values(this.library[name] as object).map((value) => () => value);
    }
    const members = this.declarations.structs.get(name);
    if (members) {
      return [this.struct(members, this.alwaysIn(name, members), undefined, undefined, name)];
    }
    const declaration = this.declarations.classes.get(name);
    if (!declaration || declaration.isConstruct || this.library[name] === undefined) {
      return [];
    }
    const type = this.library[name];
    // a value that is built from others of its kind cannot be the first
    this.making.push(name);
    const factories = declaration.factories.filter(
      ({ method, parameters }) =>
        (method !== 'new' || !declaration.isAbstract) &&
        parameters.every(
          ({ optional, type: of }) =>
            optional || !namesIn(of).some((other) => this.making.includes(other)),
        ),
    );
    const makes = factories.map(({ method, parameters }): Make => {
      const given = this.arguments(parameters.filter(({ optional }) => !optional));
      return (place) => call(type, method, given(place) as unknown[]);
    });
    this.making.pop();
    return [...declaration.constants.map((constant) => () => type[constant]), ...makes];
  }

  private classVariants({ name, factories }: ClassDeclaration, seen: readonly string[]): Variant[] {
    return factories.flatMap((factory) =>
      this.argumentVariants(factory.parameters, seen).map((variant): Variant => ({
        ...variant,
        path: `${factory.method}().${variant.path}`,
        pairs: variant.pairs.map((pair) => ({
          without: (place) =>
            call(this.library[name], factory.method, pair.without(place) as unknown[]),
          with: (place) => call(this.library[name], factory.method, pair.with(place) as unknown[]),
        })),
      })),
    );
  }

  /** By the interface that is used, then by the one that declares the member. */
  private hintOf(member: Member, name: string = member.owner): Hint | undefined {
    for (const key of [`${name}.${member.name}`, keyOf(member), `*.${member.name}`]) {
      if (this.hints.members[key]) {
        this.used.add(key);
        return this.hints.members[key];
      }
    }
    return undefined;
  }
}

/** Calls a constructor or a static method. */
export function call(type: any, method: string, given: readonly unknown[]): unknown {
  return method === 'new' ? new type(...given) : type[method](...given);
}

function namesIn(type: Type): string[] {
  if (type.kind === 'ref') {
    return [type.name];
  }
  return type.kind === 'array' || type.kind === 'map' ? namesIn(type.of) : [];
}

function isMadeUp(type: Type): boolean {
  return type.kind === 'array' || type.kind === 'map'
    ? isMadeUp(type.of)
    : type.kind === 'string' || type.kind === 'number';
}

function keyOf({ owner, name }: Member): string {
  return `${owner}.${name}`;
}

// what a value makes on its way is to be there in both programs
function paired(make: Make, other: Make): Make {
  return (place) => {
    other(place);
    return make(place);
  };
}

function withFirst(make: Make, hint: Hint | undefined): Make {
  const first = hint?.first;
  return first ? (place) => [first(place), ...(make(place) as unknown[])] : make;
}

function otherValues(type: Type, values: readonly Make[]): readonly Make[] {
  return values.length > 1 || type.kind !== 'string' ? values.slice(1) : [() => OTHER_TEXT];
}

function wrapped(variant: Variant, by: string, wrap: (value: unknown) => unknown): Variant {
  return {
    ...variant,
    path: `${by}.${variant.path}`,
    pairs: variant.pairs.map((pair) => ({
      without: (place) => wrap(pair.without(place)),
      with: (place) => wrap(pair.with(place)),
    })),
  };
}
