import { Api, ApiType, TypeReference, isText, nameOf } from './_api';
import { Violation } from './_terms';

type Shape = (api: Api) => readonly Violation[];

/** The shapes of the API, by the first cell of their row in ARCHITECTURE.md. */
export const SHAPES: { readonly [shape: string]: Shape } = {
  'one base class': (api) =>
    constructs(api)
      .filter(
        (type) =>
          !api.writesObjects(type) &&
          !api.lineOf(type).some((name) => name === 'Chart' || name === 'App'),
      )
      .map((type) => ({
        path: nameOf(type.fqn),
        message: 'must extend Resource if it writes objects',
      })),

  'labels and annotations': (api) =>
    constructs(api)
      .filter((type) => !type.abstract && api.writesObjects(type))
      .flatMap((type) =>
        makersOf(api, type).flatMap(({ path, parameters = [] }) => {
          const structs = parameters
            .flatMap((parameter) => api.find(parameter.type.fqn) ?? [])
            .filter(({ datatype }) => datatype);
          const names = structs
            .flatMap((struct) => api.propertiesOf(struct))
            .map(({ name }) => name);
          const missing = ['labels', 'annotations'].filter((name) => !names.includes(name));
          return missing.length > 0
            ? [{ path, message: `must take ${missing.join(' and ')}` }]
            : [];
        }),
      ),

  'one name': (api) =>
    api
      .named()
      .filter(
        ({ role, name, type, owner }) =>
          role === 'attribute' &&
          isText(type) &&
          /[a-z]Name$/.test(name) &&
          name !== 'displayName' &&
          api.lineOf(owner).some((above) => above === 'Resource' || above === 'IResource'),
      )
      .map(({ path }) => ({
        path,
        message: 'must be name if it is the name of the object itself',
      })),

  'references': (api) => {
    const statics = [...api.types.values()]
      .flatMap((type) => api.callablesOf(type))
      .filter(({ name, static: isStatic }) => isStatic && /^from[A-Z]/.test(name));
    const referable = new Set(
      statics.flatMap(({ returns }) => (returns?.type.fqn ? [nameOf(returns.type.fqn)] : [])),
    );
    return [
      ...resources(api)
        .filter(
          (type) => !api.lineOf(type).some((name) => /^I[A-Z]/.test(name) && referable.has(name)),
        )
        .map(({ fqn }) => ({
          path: nameOf(fqn),
          message: `must implement an interface such as I${nameOf(fqn)}, which fromName returns`,
        })),
      ...resources(api)
        .flatMap(({ fqn }) => api.find(`I${nameOf(fqn)}`) ?? [])
        .filter((reference) => !api.lineOf(reference).includes('IResource'))
        .map(({ fqn }) => ({ path: nameOf(fqn), message: 'must extend IResource' })),
    ];
  },

  'from…': (api) =>
    constructs(api).flatMap((type) =>
      api
        .callablesOf(type)
        .filter(({ name, static: isStatic }) => isStatic && /^from[A-Z]/.test(name))
        .flatMap(({ path, parameters = [], returns }) => {
          const [scope, id, options, ...more] = parameters;
          const hasOptions = api.find(options?.type.fqn)?.datatype === true && more.length === 0;
          return [
            ...(scope?.name === 'scope' && id?.name === 'id' && hasOptions
              ? []
              : [{ path, message: 'must take scope, id and a struct of options' }]),
            ...(api.find(returns?.type.fqn)?.kind === 'interface'
              ? []
              : [{ path, message: 'must return an interface: it refers to what exists' }]),
          ];
        }),
    ),

  'identity': (api) =>
    [...api.types.values()]
      .filter(({ kind, datatype }) => kind === 'interface' && !datatype)
      .flatMap((type) =>
        takenFor(api, type).map((other) => ({
          path: nameOf(type.fqn),
          message: `must have an attribute of its own: a program can pass a ${other} for it`,
        })),
      ),

  'additions': (api) =>
    constructs(api)
      .filter((type) => !type.abstract && api.isConstruct(type))
      .flatMap((type) => {
        const methods = new Set(
          api
            .lineOf(type)
            .flatMap((name) => api.types.get(name)?.methods ?? [])
            .map(({ name }) => name),
        );
        return listsOf(api, type)
          .filter((prop) => !methods.has(additionOf(prop)))
          .map((prop) => ({
            path: `${nameOf(type.fqn)}.${prop}`,
            message: `must have a method ${additionOf(prop)}`,
          }));
      }),

  'options come last': (api) =>
    [...api.types.values()].flatMap((type) =>
      api.callablesOf(type).flatMap(({ path, parameters = [] }) =>
        parameters
          .filter(
            (parameter, index) =>
              parameter.optional &&
              (index < parameters.length - 1 || api.find(parameter.type.fqn)?.datatype !== true),
          )
          .map(({ name }) => ({
            path: `${path}(${name})`,
            message: 'must be a member of one optional struct, the last parameter',
          })),
      ),
    ),

  'closed sets': (api) =>
    api
      .named()
      .filter(({ role, type }) => role !== 'attribute' && isText(type))
      .flatMap(({ path, docs = {} }) => {
        const text = `${docs.summary ?? ''} ${docs.remarks ?? ''}`.replace(/\s+/g, ' ');
        return /one of `|either `|(?<!e\.g\. (?:`[\w-]+`, )*)`[\w-]+`(?:, `[\w-]+`)*,? or `[\w-]+`/i.test(
          text,
        )
          ? [{ path, message: `must be an enum, or a class with factories: ${text.trim()}` }]
          : [];
      }),

  'other languages': (api) => [
    ...parametersOf(api)
      .filter(({ name }) => name.startsWith('_'))
      .map(({ path, name }) => ({ path: `${path}(${name})`, message: 'must have a name' })),
    ...parametersOf(api)
      .filter(({ isLast, type }) => !isLast && api.find(type.fqn)?.datatype === true)
      .map(({ path, name }) => ({
        path: `${path}(${name})`,
        message: 'must be the last parameter',
      })),
    ...[...api.types.values()].flatMap(({ fqn, properties = [], methods = [] }) =>
      [...properties, ...methods]
        .filter(({ name }) => RESERVED.has(name))
        .map(({ name }) => ({
          path: `${nameOf(fqn)}.${name}`,
          message: 'must have another name: Java or Python reserves it',
        })),
    ),
    ...[...api.types.values()]
      .filter(({ kind }) => kind === 'interface')
      .flatMap((type) =>
        inheritedTwice(api, type).map((name) => ({
          path: `${nameOf(type.fqn)}.${name}`,
          message: 'must come from one interface: Java refuses a member of two',
        })),
      ),
  ],

  // test/api/value-classes.test.ts reads the sources: the assembly has no private members
  'value classes': () => [],

  'doc comments': (api) =>
    [...api.types.values()]
      .flatMap((type) => [
        { path: nameOf(type.fqn), docs: type.docs },
        ...[...(type.properties ?? []), ...(type.methods ?? []), ...(type.members ?? [])].map(
          (member) => ({ ...member, path: `${nameOf(type.fqn)}.${member.name}` }),
        ),
      ])
      .filter(({ docs }) => docs?.summary === undefined)
      .map(({ path }) => ({ path, message: 'must have a doc comment' })),
};

/** Words that programs in Java or Python cannot use as a name, without those that are types here. */
const RESERVED = new Set(
  [
    'abstract assert boolean break byte case catch char class const continue default do double else',
    'enum extends final finally float for goto if implements import instanceof int interface long',
    'native new package private protected public return short static strictfp super switch',
    'synchronized this throw throws transient try void volatile while true false null and as async',
    'await def del elif except from global in is lambda nonlocal not or pass raise with yield',
  ].flatMap((words) => words.split(' ')),
);

/** The parameters of all constructors and methods. */
function parametersOf(api: Api): readonly {
  readonly path: string;
  readonly name: string;
  readonly type: TypeReference;
  readonly isLast: boolean;
}[] {
  return [...api.types.values()]
    .flatMap((type) => api.callablesOf(type))
    .flatMap(({ path, parameters = [] }) =>
      parameters.map(({ name, type }, index) => ({
        path,
        name,
        type,
        isLast: index === parameters.length - 1,
      })),
    );
}

/**
 * The constructs and interfaces that a compiler accepts for an interface that they neither extend
 * nor implement, since they have all of its members.
 */
function takenFor(api: Api, type: ApiType): readonly string[] {
  const needed = membersOf(api, type);
  return [...api.types.values()]
    .filter(
      (other) =>
        other.datatype !== true &&
        other.kind !== 'enum' &&
        !api.lineOf(other).includes(nameOf(type.fqn)),
    )
    .filter((other) => {
      const members = new Set(membersOf(api, other));
      return api.isConstruct(other) && needed.every((member) => members.has(member));
    })
    .map(({ fqn }) => nameOf(fqn));
}

/** The names of the members that every object of a type has. */
function membersOf(api: Api, type: ApiType): readonly string[] {
  const methods = api.lineOf(type).flatMap((name) => api.types.get(name)?.methods ?? []);
  return [
    ...api.propertiesOf(type).filter(({ optional, static: isStatic }) => !optional && !isStatic),
    ...methods.filter(({ static: isStatic }) => !isStatic),
  ].map(({ name }) => name);
}

/** The members that an interface has from two interfaces that declare them. */
function inheritedTwice(api: Api, { interfaces = [] }: ApiType): readonly string[] {
  const owners = new Map<string, Set<string>>();
  for (const above of interfaces.flatMap((name) => api.find(name) ?? [])) {
    for (const owner of api.lineOf(above)) {
      for (const { name } of api.types.get(owner)?.properties ?? []) {
        owners.set(name, (owners.get(name) ?? new Set()).add(owner));
      }
    }
  }
  return [...owners].filter(([, types]) => types.size > 1).map(([name]) => name);
}

function constructs(api: Api): readonly ApiType[] {
  return [...api.types.values()].filter((type) => type.kind === 'class' && api.isConstruct(type));
}

function resources(api: Api): readonly ApiType[] {
  return constructs(api).filter((type) => !type.abstract && api.isResource(type));
}

/** The props of a construct that are lists of structs. */
function listsOf(api: Api, type: ApiType): readonly string[] {
  const structs = makersOf(api, type)
    .flatMap(({ parameters = [] }) => parameters)
    .flatMap((parameter) => api.find(parameter.type.fqn) ?? [])
    .filter(({ datatype }) => datatype);
  const lists = structs
    .flatMap((struct) => api.propertiesOf(struct))
    .filter(({ type: { collection } }) => collection?.kind === 'array')
    .filter(({ type: listed }) => api.find(listed.collection!.elementtype.fqn)?.datatype === true);
  return [...new Set(lists.map(({ name }) => name))];
}

/** `addRange` of `ranges`. */
function additionOf(prop: string): string {
  const singular = prop.replace(/ies$/, 'y').replace(/s$/, '');
  return `add${singular[0].toUpperCase()}${singular.slice(1)}`;
}

/** The constructor of a construct, and the statics that make one. */
function makersOf(api: Api, type: ApiType): ReturnType<Api['callablesOf']> {
  return api
    .callablesOf(type)
    .filter(
      ({ name, static: isStatic, parameters = [], returns }) =>
        name === 'new' ||
        (isStatic && returns?.type.fqn === type.fqn && parameters[0]?.name === 'scope'),
    );
}
