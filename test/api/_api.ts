import { execFileSync } from 'child_process';
import { join } from 'path';

export interface TypeReference {
  readonly fqn?: string;
  readonly primitive?: string;
  readonly collection?: { readonly kind: 'array' | 'map'; readonly elementtype: TypeReference };
  readonly union?: { readonly types: readonly TypeReference[] };
}

export interface Docs {
  readonly summary?: string;
  readonly remarks?: string;
}

export interface Parameter {
  readonly name: string;
  readonly type: TypeReference;
  readonly optional?: boolean;
  readonly variadic?: boolean;
  readonly docs?: Docs;
}

export interface Property extends Parameter {
  readonly static?: boolean;
  readonly protected?: boolean;
}

export interface Callable {
  readonly name: string;
  readonly docs?: Docs;
  readonly parameters?: readonly Parameter[];
  readonly static?: boolean;
  readonly protected?: boolean;
  readonly returns?: { readonly type: TypeReference };
}

/** A type of an assembly of jsii. */
export interface ApiType {
  readonly fqn: string;
  readonly kind: 'class' | 'interface' | 'enum';
  readonly datatype?: boolean;
  readonly abstract?: boolean;
  readonly base?: string;
  readonly interfaces?: readonly string[];
  readonly initializer?: { readonly parameters?: readonly Parameter[] };
  readonly properties?: readonly Property[];
  readonly methods?: readonly Callable[];
  /** The values of an enum. */
  readonly members?: readonly { readonly name: string; readonly docs?: Docs }[];
  readonly docs?: Docs;
}

export interface Assembly {
  readonly name: string;
  readonly types: { readonly [fqn: string]: ApiType };
}

/** A prop, an attribute, or a parameter. */
export interface Named extends Parameter {
  /** `VmNetworkProps.vlan`, or `VmNetworkRoute.manual(cidr)`. */
  readonly path: string;
  readonly role: 'prop' | 'attribute' | 'parameter';
  readonly owner: ApiType;
}

/**
 * The public API: the library, and the names of `cdk8s-harvester/engine` and of the command line.
 */
export interface PublicApi {
  readonly assembly: Assembly;
  readonly names: readonly string[];
}

/** Reads the public API of the sources. */
export function readPublicApi(): PublicApi {
  const script = join(__dirname, '..', '..', 'projenrc', 'api.js');
  return JSON.parse(
    execFileSync(process.execPath, [script, 'print'], { encoding: 'utf8', maxBuffer: 100_000_000 }),
  ) as PublicApi;
}

/** The types of an assembly by their names, and what they are to each other. */
export class Api {
  public readonly types: ReadonlyMap<string, ApiType>;

  constructor({ types }: Assembly) {
    this.types = new Map(Object.values(types).map((type) => [nameOf(type.fqn), type]));
  }

  /** A type by its name, or by the name with its package. */
  public find(name: string | undefined): ApiType | undefined {
    return name === undefined ? undefined : this.types.get(nameOf(name));
  }

  /** The type and all that it extends or implements, also of other packages, by name. */
  public lineOf({ fqn, base, interfaces = [] }: ApiType): readonly string[] {
    const above = [...(base ? [base] : []), ...interfaces].map(
      (name) => [name, this.find(name)] as const,
    );
    return [
      nameOf(fqn),
      ...above.flatMap(([name, found]) => (found ? this.lineOf(found) : [nameOf(name)])),
    ];
  }

  /** Whether a type is a construct, or what refers to one. */
  public isConstruct(type: ApiType): boolean {
    return this.lineOf(type).some((name) =>
      ['Construct', 'IConstruct', 'Chart', 'App'].includes(name),
    );
  }

  /** Whether it is a construct that writes an object on a target. */
  public isResource(type: ApiType): boolean {
    return type.kind === 'class' && this.lineOf(type).includes('Resource');
  }

  /**
   * The same of a construct without a main object: its base class is internal, and what it has from
   * there seems to be its own.
   */
  public writesObjects(type: ApiType): boolean {
    const names = this.propertiesOf(type).map(({ name }) => name);
    return (
      this.isResource(type) ||
      ['target', 'labels', 'annotations'].every((name) => names.includes(name))
    );
  }

  /** The properties of a type and of what it extends. */
  public propertiesOf(type: ApiType): readonly Property[] {
    return this.lineOf(type).flatMap((name) => this.types.get(name)?.properties ?? []);
  }

  /** Constructors and methods, with the name that a message gives them. */
  public callablesOf(type: ApiType): readonly (Callable & { readonly path: string })[] {
    const methods = (type.methods ?? []).filter((method) => !method.protected);
    // a program creates no object of a base class
    return [
      ...(type.initializer && !type.abstract
        ? [{ ...type.initializer, name: 'new', static: true }]
        : []),
      ...methods,
    ].map((callable) => ({ ...callable, path: `${nameOf(type.fqn)}.${callable.name}` }));
  }

  /** All props, attributes, and parameters. */
  public named(): readonly Named[] {
    return [...this.types.values()].flatMap((owner) => [
      ...(owner.properties ?? [])
        .filter((property) => !property.static && !property.protected)
        .map((property): Named => ({
          ...property,
          path: `${nameOf(owner.fqn)}.${property.name}`,
          role: owner.datatype ? 'prop' : 'attribute',
          owner,
        })),
      ...this.callablesOf(owner).flatMap(({ path, parameters = [] }) =>
        parameters.map((parameter): Named => ({
          ...parameter,
          path: `${path}(${parameter.name})`,
          role: 'parameter',
          owner,
        })),
      ),
    ]);
  }

  /** The structs that statics such as `fromName` take, in which text names what exists. */
  public existingOptions(): ReadonlySet<string> {
    const callables = [...this.types.values()].flatMap((type) => this.callablesOf(type));
    const parameters = callables
      .filter((callable) => callable.static && /^from[A-Z]/.test(callable.name))
      .flatMap((callable) => callable.parameters ?? []);
    const structs = parameters
      .flatMap(({ type }) => this.find(type.fqn) ?? [])
      .filter(({ datatype }) => datatype);
    return new Set(structs.flatMap((struct) => this.lineOf(struct)));
  }
}

/** `VmImage` of `cdk8s-harvester.VmImage`. */
export function nameOf(fqn: string): string {
  return fqn.slice(fqn.lastIndexOf('.') + 1);
}

/** The type of a list, or of the values of a map; otherwise the type itself. */
export function elementOf({ collection, ...type }: TypeReference): TypeReference {
  return collection ? elementOf(collection.elementtype) : type;
}

/** Whether it is text, or texts. */
export function isText(type: TypeReference): boolean {
  return elementOf(type).primitive === 'string';
}
