import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import * as ts from 'typescript';

const SRC = join(__dirname, '..', '..', 'src');
/** Folders with public declarations. */
const FOLDERS = ['core', 'guest', 'harvester', 'rancher'];
/** The names of the public library. */
const PUBLIC = new Set(
  ['index', 'auth', 'devices', 'migration', 'rke1', 'settings'].flatMap((module) =>
    [...readFileSync(join(SRC, `${module}.ts`), 'utf8').matchAll(/\w+(?=[,\s}])/g)].map(
      ([name]) => name,
    ),
  ),
);

/** A type as a declaration writes it. */
export type Type =
  | { readonly kind: 'string' | 'number' | 'boolean' | 'any' }
  | { readonly kind: 'array' | 'map'; readonly of: Type }
  | { readonly kind: 'ref'; readonly name: string };

/** A member of a props interface, or a parameter. */
export interface Member {
  readonly name: string;
  readonly type: Type;
  readonly optional: boolean;
  /** The interface that declares it. */
  readonly owner: string;
}

/** A constructor, or a static method, that makes something of its parameters. */
export interface Factory {
  readonly className: string;
  /** `new` or the name of the method. */
  readonly method: string;
  readonly parameters: readonly Member[];
}

export interface ClassDeclaration {
  readonly name: string;
  readonly folder: string;
  readonly isConstruct: boolean;
  readonly isAbstract: boolean;
  readonly factories: readonly Factory[];
  /** Methods of its objects. */
  readonly methods: readonly Factory[];
  /** Static fields that hold one of them. */
  readonly constants: readonly string[];
}

/** What the sources declare, by name. */
export interface Declarations {
  readonly structs: ReadonlyMap<string, readonly Member[]>;
  readonly enums: ReadonlySet<string>;
  readonly classes: ReadonlyMap<string, ClassDeclaration>;
}

interface Found {
  readonly interfaces: Map<string, ts.InterfaceDeclaration>;
  readonly classes: Map<string, { readonly node: ts.ClassDeclaration; readonly folder: string }>;
  readonly enums: Set<string>;
}

/** Reads all that is exported in the sources. */
export function readDeclarations(): Declarations {
  const found: Found = { interfaces: new Map(), classes: new Map(), enums: new Set() };
  for (const folder of FOLDERS) {
    for (const file of readdirSync(join(SRC, folder), { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts'),
    )) {
      const source = ts.createSourceFile(
        file,
        readFileSync(join(SRC, folder, file), 'utf8'),
        ts.ScriptTarget.Latest,
        true,
      );
      source.forEachChild((node) => {
        collect(node, folder, found);
      });
    }
  }
  const structs = new Map<string, readonly Member[]>();
  for (const name of found.interfaces.keys()) {
    const members = membersOf(name, found.interfaces);
    if (members) {
      structs.set(name, members);
    }
  }
  const classes = [...found.classes].map(
    ([name, { node, folder }]) => [name, classOf(name, node, folder, found)] as const,
  );
  return { structs, enums: found.enums, classes: new Map(classes) };
}

function collect(node: ts.Node, folder: string, { interfaces, classes, enums }: Found): void {
  if (!ts.canHaveModifiers(node) || !has(node, ts.SyntaxKind.ExportKeyword)) {
    return;
  }
  // internal base classes hold methods of public ones
  if (ts.isInterfaceDeclaration(node) && PUBLIC.has(node.name.text)) {
    interfaces.set(node.name.text, node);
  }
  if (ts.isClassDeclaration(node) && node.name) {
    classes.set(node.name.text, { node, folder });
  }
  if (ts.isEnumDeclaration(node)) {
    enums.add(node.name.text);
  }
}

/**
 * The members of a props interface with those that it inherits; undefined where it is another kind
 * of interface.
 */
function membersOf(name: string, interfaces: Found['interfaces']): Member[] | undefined {
  const node = interfaces.get(name);
  if (!node || /^I[A-Z]/.test(name)) {
    return undefined;
  }
  // members of cdk8s are not tested here
  const inherited = parentsOf(node)
    .filter((parent) => interfaces.has(parent))
    .map((parent) => membersOf(parent, interfaces));
  const own = node.members.map((member) =>
    ts.isPropertySignature(member) && member.type && has(member, ts.SyntaxKind.ReadonlyKeyword)
      ? member
      : undefined,
  );
  if (inherited.includes(undefined) || own.includes(undefined)) {
    return undefined;
  }
  const members = own.map((member): Member => ({
    name: member!.name.getText(),
    type: typeOf(member!.type!),
    optional: member!.questionToken !== undefined,
    owner: name,
  }));
  return [
    ...inherited
      .flatMap((list) => list!)
      .filter((member) => members.every((other) => other.name !== member.name)),
    ...members,
  ];
}

function parentsOf(node: ts.InterfaceDeclaration | ts.ClassDeclaration): string[] {
  return (node.heritageClauses ?? [])
    .filter(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
    .flatMap(({ types }) => types.map(({ expression }) => expression.getText()));
}

function classOf(
  name: string,
  node: ts.ClassDeclaration,
  folder: string,
  found: Found,
): ClassDeclaration {
  const isPublic = (member: ts.ClassElement): boolean =>
    ts.canHaveModifiers(member) &&
    !has(member, ts.SyntaxKind.PrivateKeyword) &&
    !has(member, ts.SyntaxKind.ProtectedKeyword) &&
    !(member.name?.getText() ?? '').startsWith('_');
  const factories = node.members.filter(isPublic).flatMap((member): Factory[] => {
    if (ts.isConstructorDeclaration(member)) {
      return [factoryOf(name, 'new', member)];
    }
    return ts.isMethodDeclaration(member) && has(member, ts.SyntaxKind.StaticKeyword)
      ? [factoryOf(name, member.name.getText(), member)]
      : [];
  });
  const above = parentsOf(node).flatMap((parent) => found.classes.get(parent)?.node.members ?? []);
  const methods = [...node.members, ...above]
    .filter(isPublic)
    .filter(ts.isMethodDeclaration)
    .filter((member) => !has(member, ts.SyntaxKind.StaticKeyword))
    .map((member) => factoryOf(name, member.name.getText(), member));
  const constants = node.members
    .filter(
      (member) =>
        ts.isPropertyDeclaration(member) &&
        isPublic(member) &&
        has(member, ts.SyntaxKind.StaticKeyword) &&
        ((member as ts.PropertyDeclaration).initializer?.getText() ?? '').startsWith(
          `new ${name}(`,
        ),
    )
    .map((member) => member.name!.getText());
  const isAbstract = has(node, ts.SyntaxKind.AbstractKeyword);
  return {
    name,
    folder,
    factories,
    methods,
    constants,
    isAbstract,
    isConstruct: isConstruct(node, found.classes),
  };
}

function isConstruct(node: ts.ClassDeclaration, classes: Found['classes']): boolean {
  return parentsOf(node).some((parent) => {
    const above = classes.get(parent);
    return (
      parent === 'Construct' ||
      parent === 'Chart' ||
      (above !== undefined && isConstruct(above.node, classes))
    );
  });
}

function factoryOf(
  className: string,
  method: string,
  { parameters }: ts.ConstructorDeclaration | ts.MethodDeclaration,
): Factory {
  return {
    className,
    method,
    parameters: parameters.map((parameter): Member => ({
      name: parameter.name.getText(),
      type: parameter.type ? typeOf(parameter.type) : { kind: 'any' },
      optional: parameter.questionToken !== undefined || parameter.initializer !== undefined,
      owner: `${className}.${method}`,
    })),
  };
}

function typeOf(node: ts.TypeNode): Type {
  if (ts.isTypeOperatorNode(node)) {
    return typeOf(node.type);
  }
  if (ts.isArrayTypeNode(node)) {
    return { kind: 'array', of: typeOf(node.elementType) };
  }
  if (ts.isTypeReferenceNode(node)) {
    return { kind: 'ref', name: node.typeName.getText() };
  }
  if (
    ts.isTypeLiteralNode(node) &&
    node.members.length === 1 &&
    ts.isIndexSignatureDeclaration(node.members[0])
  ) {
    return { kind: 'map', of: typeOf(node.members[0].type) };
  }
  const text = node.getText();
  return text === 'string' || text === 'number' || text === 'boolean'
    ? { kind: text }
    : { kind: 'any' };
}

function has(node: ts.HasModifiers, kind: ts.SyntaxKind): boolean {
  return ts.getModifiers(node)?.some((modifier) => modifier.kind === kind) ?? false;
}
