import { readFileSync } from 'fs';
import { join } from 'path';
import { gunzipSync } from 'zlib';
import {
  COLUMNS,
  EXAMPLE,
  Explanation,
  Row,
  editOfProp,
  editRows,
  editsOfConstruct,
  explanation,
} from './explanation';
import { formerMemberNames, formerTypeNames, newMemberName, newTypeName } from './former-names';
import { constructsThatWrite, writesOf } from './writes';
import { TargetKind } from '../../core/construct/target';

interface Docs {
  readonly summary?: string;
  readonly remarks?: string;
  readonly default?: string;
  readonly see?: string;
  readonly example?: string;
  readonly deprecated?: string;
}

interface TypeReference {
  readonly fqn?: string;
  readonly primitive?: string;
  readonly collection?: { readonly kind: 'array' | 'map'; readonly elementtype: TypeReference };
  readonly union?: { readonly types: readonly TypeReference[] };
}

interface Member {
  readonly name: string;
  readonly docs?: Docs;
  readonly type?: TypeReference;
  readonly optional?: boolean;
  readonly static?: boolean;
  readonly protected?: boolean;
  readonly parameters?: readonly (Member & { readonly variadic?: boolean })[];
  readonly returns?: { readonly type: TypeReference };
}

interface DocumentedType {
  readonly name: string;
  readonly fqn: string;
  readonly kind: 'class' | 'interface' | 'enum';
  /** Whether it is a struct, whose members a user sets. The members of others are read. */
  readonly datatype?: boolean;
  readonly base?: string;
  readonly docs?: Docs;
  readonly initializer?: { readonly parameters?: readonly Member[] };
  readonly properties?: readonly Member[];
  readonly methods?: readonly Member[];
  readonly members?: readonly Member[];
  readonly interfaces?: readonly string[];
}

/** The documentation of the public types. */
export interface TypeDocs {
  readonly types: { readonly [fqn: string]: DocumentedType };
  /** The page of each type. */
  readonly pages: { readonly [type: string]: string };
}

function docsIn(json: Buffer): unknown {
  // a comment in the sources cannot contain the end of a comment, e.g. in a schedule of cron
  return JSON.parse(json.toString().replaceAll('*\\\\/', '*/'));
}

/** Reads what the build of the package wrote. */
export function readTypeDocs(root = join(__dirname, '..', '..', '..')): TypeDocs {
  try {
    return {
      ...(docsIn(readFileSync(join(root, 'lib', 'constructs.json'))) as Omit<TypeDocs, 'types'>),
      types: (docsIn(gunzipSync(readFileSync(join(root, '.jsii.gz')))) as Pick<TypeDocs, 'types'>)
        .types,
    };
  } catch (error) {
    throw new Error(
      `the documentation of the package cannot be read: ${(error as Error).message}. Fix: install the package again, or compile it`,
    );
  }
}

/**
 * Public types, and their props and other members: `GuestCluster`, `GuestCluster.pools`,
 * `GuestClusterProps.pools`, in any case.
 */
export class ConstructBook {
  private readonly types: readonly DocumentedType[];

  constructor(private readonly docs: TypeDocs) {
    this.types = Object.values(docs.types);
  }

  /** The names of all public types. */
  public get names(): readonly string[] {
    return this.types.map(({ name }) => name);
  }

  /** The types with a prop of this name. */
  public ownersOf(prop: string): readonly string[] {
    return this.types
      .filter(
        ({ kind, properties = [] }) =>
          kind === 'interface' && properties.some(({ name }) => name === prop),
      )
      .map((type) => this.ownerOf(type));
  }

  /** All types, and what a user sets of them, with their first sentences, and with all else. */
  public get entries(): readonly {
    readonly name: string;
    readonly what: string;
    readonly more: string;
  }[] {
    return this.types.flatMap((type) => {
      const members = type.datatype || type.kind === 'enum' ? this.ownMembersOf(type) : [];
      return [
        { name: type.name, what: sentenceOf(type.docs ?? {}), more: moreOf(type.docs) },
        ...members.map((member) => ({
          name: `${this.ownerOf(type)}.${member.name}`,
          what: sentenceOf(member.docs ?? {}),
          more: moreOf(member.docs),
        })),
      ];
    });
  }

  private ownMembersOf({ properties = [], members = [] }: DocumentedType): readonly Member[] {
    return [...properties, ...members];
  }

  /** The construct of props, by which `explain` knows them. */
  private ownerOf({ name }: DocumentedType): string {
    const owner = name.replace(/Props$/, '');
    return this.names.includes(owner) ? owner : name;
  }

  /** The constructs that write a kind, with their pages. */
  public writersOf(
    group: string,
    kind: string,
  ): readonly (readonly [name: string, page: string])[] {
    return constructsThatWrite(group, kind).map((name) => [name, this.docs.pages[name]] as const);
  }

  public explain(topic: string): Explanation[] {
    const [typeName, memberName, ...rest] = topic.toLowerCase().split('.');
    const type = this.typeNamed(typeName);
    if (!type || rest.length > 0) {
      return [];
    }
    if (memberName === undefined) {
      return [this.typeExplanation(type)];
    }
    // a prop before the attribute of the same name: it is what a user sets
    const owners = [...this.propsOf(type), type];
    const [found] = [
      ...owners.map((owner) => [owner, this.memberNamed(owner, memberName)] as const),
      ...owners.map(
        (owner) => [owner, this.memberNamed(owner, newMemberName(owner.name, memberName))] as const,
      ),
    ].filter(([, member]) => member !== undefined);
    return found ? [this.memberExplanation(type, found[0], found[1]!)] : [];
  }

  /** A type by its name, or by the name that it had. */
  private typeNamed(typeName: string): DocumentedType | undefined {
    const find = (wanted: string | undefined): DocumentedType | undefined =>
      this.types.find(({ name }) => name.toLowerCase() === wanted?.toLowerCase());
    return find(typeName) ?? find(newTypeName(typeName));
  }

  private memberNamed(owner: DocumentedType, wanted: string | undefined): Member | undefined {
    return this.membersOf(owner).find(({ name }) => name.toLowerCase() === wanted?.toLowerCase());
  }

  private typeExplanation(type: DocumentedType): Explanation {
    const { name, docs = {} } = type;
    const kinds = [...writesOf(name)];
    return explanation(
      this.isConstruct(type) ? 'construct' : 'type',
      name,
      prose(docs),
      this.docs.pages[name],
      {
        'previous name': formerTypeNames(name),
        'import': [submoduleImport(type)],
        'writes': kinds
          .map(
            ([kind, targets]) =>
              `${kind.replace(/^\//, '')} on ${targets.map((target) => ON_TARGET[target]).join(' and ')}`,
          )
          .sort(),
        'props': this.propsOf(type)
          .flatMap((props) => this.membersOf(props))
          .map((member) => this.memberRow(member)),
        'members': this.membersOf(type).map((member) => this.memberRow(member, type)),
        'an edit': kinds.flatMap(([kind]) => riskyEdits(name, kind)),
        [EXAMPLE]: docs.example ? [docs.example] : [],
        'source': [docs.see],
      },
    );
  }

  private memberExplanation(
    { name }: DocumentedType,
    owner: DocumentedType,
    member: Member,
  ): Explanation {
    const { docs = {}, type, parameters } = member;
    const values = this.docs.types[elementOf(type)?.fqn ?? ''];
    return explanation(
      'member',
      `${name}.${member.name}`,
      prose(docs),
      this.pageOf(name, owner, member),
      {
        'previous name': formerMemberNames(owner.name, member.name),
        'type': type ? [`${this.typeText(type)}${requirement(member, owner)}`] : [],
        'default': [docs.default?.replace(/^- /, '')],
        'an edit': [editOfProp(name, member.name)?.what],
        'parameters': (parameters ?? []).map((parameter) => this.memberRow(parameter)),
        'allowed': values && values.kind !== 'interface' ? this.valuesOf(values) : [],
        [values?.datatype ? 'props' : 'members']:
          values?.kind === 'interface'
            ? this.membersOf(values).map((each) => this.memberRow(each, values))
            : [],
        'source': [docs.see],
      },
    );
  }

  /**
   * The heading of a prop on the page of the type that declares it, as `projenrc/reference` writes
   * it; the page of the type for other members.
   */
  private pageOf(name: string, owner: DocumentedType, member: Member): string {
    const declaring = this.declaringOf(owner, member.name);
    const page = declaring && this.docs.pages[declaring.name];
    if (!declaring?.datatype || !page) {
      return this.docs.pages[name];
    }
    return `${page}#${`${member.name}-${this.ownerOf(declaring)}`.toLowerCase()}`;
  }

  private declaringOf(type: DocumentedType, member: string): DocumentedType | undefined {
    return type.properties?.some(({ name }) => name === member)
      ? type
      : (type.interfaces ?? [])
          .flatMap((fqn) => this.docs.types[fqn] ?? [])
          .map((parent) => this.declaringOf(parent, member))
          .find((found) => found !== undefined);
  }

  // the values of an enum, the factories of a class
  private valuesOf(type: DocumentedType): Row[] {
    return this.membersOf(type)
      .filter(({ static: isStatic }) => type.kind === 'enum' || isStatic)
      .map((member) => this.memberRow(member, undefined, `${type.name}.`));
  }

  private memberRow(member: Member, owner?: DocumentedType, prefix = ''): Row {
    const { docs = {}, type, parameters } = member;
    const name = `${prefix}${member.name}${parameters ? `(${parameters.map((parameter) => parameter.name).join(', ')})` : ''}`;
    const of = type && !parameters ? `${this.typeText(type)}${requirement(member, owner)}` : '';
    const fallback = docs.default ? ` Default: ${docs.default.replace(/^- /, '')}.` : '';
    const summary = sentenceOf(docs);
    return {
      columns: COLUMNS.MEMBERS,
      cells: [name, of, `${summary}${fallback}`.trim()],
      text: `${name}${of && `: ${of}`}${summary && `; ${summary}`}${fallback}`,
    };
  }

  private typeText({ fqn, primitive, collection, union }: TypeReference): string {
    if (collection) {
      return `${collection.kind === 'array' ? 'list' : 'map'} of ${this.typeText(collection.elementtype)}`;
    }
    if (union) {
      return union.types.map((type) => this.typeText(type)).join(' or ');
    }
    return fqn?.split('.').at(-1) ?? primitive ?? 'any';
  }

  // the own members first, then those of the types that it extends
  private membersOf({
    properties = [],
    methods = [],
    members = [],
    base,
    interfaces = [],
    kind,
  }: DocumentedType): readonly Member[] {
    const parents = [...(base ? [base] : []), ...(kind === 'interface' ? interfaces : [])].flatMap(
      (fqn) => this.docs.types[fqn] ?? [],
    );
    const own = [...properties, ...methods, ...members];
    const names = new Set(own.map(({ name }) => name));
    const inherited = parents
      .flatMap((parent) => this.membersOf(parent))
      .filter((member) => !member.static && !names.has(member.name));
    return [...own, ...inherited].filter(
      (member) => member.name !== 'toString' && !member.protected,
    );
  }

  private propsOf({ initializer }: DocumentedType): DocumentedType[] {
    return (initializer?.parameters ?? [])
      .flatMap(({ type }) => this.docs.types[type?.fqn ?? ''] ?? [])
      .filter(({ kind }) => kind === 'interface');
  }

  private isConstruct({ base, kind }: DocumentedType): boolean {
    if (kind !== 'class' || base === undefined) {
      return false;
    }
    return (
      base === 'constructs.Construct' ||
      base.startsWith('cdk8s.') ||
      (this.docs.types[base] !== undefined && this.isConstruct(this.docs.types[base]))
    );
  }
}

/** The type of the items of a list, or of the values of a map; otherwise the type itself. */
function elementOf(type: TypeReference | undefined): TypeReference | undefined {
  return type?.collection ? elementOf(type.collection.elementtype) : type;
}

/** Whether a user must set a member. Members of classes are read. */
function requirement({ optional }: Member, owner?: DocumentedType): string {
  return optional || (owner && !owner.datatype) ? '' : ', required';
}

const ON_TARGET: { readonly [target in TargetKind]: string } = {
  [TargetKind.RANCHER]: 'Rancher',
  [TargetKind.HARVESTER]: 'Harvester',
  [TargetKind.GUEST]: 'the guest cluster',
};

/** Edits of a kind that a construct writes, as far as they concern machines. */
function riskyEdits(construct: string, kind: string): Row[] {
  const edits = editsOfConstruct(construct, kind).filter(({ effect }) => effect !== 'none');
  return editRows(
    edits.map((edit) => ({
      ...edit,
      path: [kind.split('/')[1], edit.path].filter(Boolean).join('.'),
    })),
  );
}

/** How a program imports a type that is not in the first list of the package. */
function submoduleImport({ fqn, name }: DocumentedType): string | undefined {
  const [module, submodule, ...others] = fqn.split('.');
  return others.length === 0
    ? undefined
    : `import { ${name} } from '${module}/${submodule}', in Python from ${module!.replaceAll('-', '_')}.${submodule} import ${name}`;
}

/** What is known apart from the first sentence. */
function moreOf({ remarks = '', default: fallback = '' }: Docs = {}): string {
  return `${remarks} ${fallback}`;
}

// the compiler ends a summary at a semicolon, too, and what follows is among the remarks
function sentenceOf({ summary = '', remarks = '' }: Docs): string {
  return summary.endsWith(';')
    ? `${summary} ${/^.*?\.(?=\s+[A-Z]|\s*$)/s.exec(remarks)?.[0] ?? remarks}`.replace(
        /\s*\n\s*/g,
        ' ',
      )
    : summary;
}

function prose({ summary = '', remarks, deprecated }: Docs): string {
  const text = [summary, remarks].filter(Boolean).join(summary.endsWith(';') ? ' ' : '\n');
  return [text, deprecated ? `Deprecated: ${deprecated}` : undefined].filter(Boolean).join('\n');
}
