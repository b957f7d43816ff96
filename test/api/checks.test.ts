import { Api, ApiType, Assembly, Parameter, Property, TypeReference } from './_api';
import { SHAPES } from './_shapes';
import { Violation, otherTypes, rowsBelow, secondNames, termsOf, textReferences } from './_terms';

const TEXT: TypeReference = { primitive: 'string' };
const TABLE = `
### Names
| name | type | what it is | instead of |
|---|---|---|---|
| \`network\`, with \`vlan\` | \`INetwork\` | a network | \`net\`, \`lan\` |
| \`namespace\` | \`INamespace\`; attribute: \`string\` | where it is | |
## Next
| \`other\` | | of another table | \`cpus\` |
`;
const TERMS = termsOf(rowsBelow('### Names', TABLE));

function of(name: string): TypeReference {
  return { fqn: `p.${name}` };
}

function type(name: string, rest: Partial<ApiType> = {}): ApiType {
  return { fqn: `p.${name}`, kind: 'class', ...rest };
}

function struct(
  name: string,
  properties: readonly Property[],
  rest: Partial<ApiType> = {},
): ApiType {
  return type(name, { kind: 'interface', datatype: true, properties, ...rest });
}

function reference(name: string, properties: readonly Property[] = []): ApiType {
  return type(name, { kind: 'interface', interfaces: ['p.IResource'], properties });
}

const SCOPE: readonly Parameter[] = [
  { name: 'scope', type: { fqn: 'constructs.Construct' } },
  { name: 'id', type: TEXT },
];

/** What a construct has that only composes others. */
const GROUP: readonly Property[] = ['target', 'labels', 'annotations'].map((name) => ({
  name,
  type: TEXT,
}));

/** A construct with its interface, its props, and a reference to what exists. */
function network(rest: Partial<ApiType> = {}): ApiType {
  return type('Network', {
    base: 'p.Resource',
    interfaces: ['p.INetwork'],
    initializer: { parameters: [...SCOPE, { name: 'props', type: of('NetworkProps') }] },
    methods: [fromName([{ name: 'options', type: of('ExistingOptions') }])],
    ...rest,
  });
}

function fromName(
  parameters: readonly Parameter[],
  returned = 'INetwork',
): NonNullable<ApiType['methods']>[number] {
  return {
    name: 'fromName',
    static: true,
    parameters: [...SCOPE, ...parameters],
    returns: { type: of(returned) },
  };
}

const LEGAL: readonly ApiType[] = [
  type('IResource', { kind: 'interface', interfaces: ['constructs.IConstruct'] }),
  type('Resource', { base: 'constructs.Construct', abstract: true, interfaces: ['p.IResource'] }),
  reference('INetwork', [{ name: 'namespace', type: TEXT }]),
  reference('INamespace', [{ name: 'namespaceId', type: TEXT }]),
  network(),
  struct('NetworkProps', [
    { name: 'labels', type: TEXT },
    { name: 'annotations', type: TEXT },
    { name: 'namespace', type: of('INamespace') },
  ]),
  struct('ExistingOptions', [
    { name: 'name', type: TEXT },
    { name: 'namespace', type: TEXT },
  ]),
];

/** An API with other types than the legal ones, or more. */
function api(...types: readonly ApiType[]): Api {
  const assembly: Assembly = {
    name: 'p',
    types: Object.fromEntries([...LEGAL, ...types].map((each) => [each.fqn, documented(each)])),
  };
  return new Api(assembly);
}

/** A type with doc comments, except for those that it has. */
function documented(undocumented: ApiType): ApiType {
  const docs = { summary: 'What it is.' };
  const all = <T extends object>(list?: readonly T[]): T[] | undefined =>
    list?.map((each) => ({ docs, ...each }));
  const { properties, methods, members } = undocumented;
  return {
    docs,
    ...undocumented,
    properties: all(properties),
    methods: all(methods),
    members: all(members),
  };
}

function withProp(name: string, propType: TypeReference): Api {
  return api(struct('MachineProps', [{ name, type: propType }]));
}

function paths(violations: readonly Violation[]): string[] {
  return violations.map(({ path }) => path);
}

test('accepts an API that follows the table', () => {
  const checks = [secondNames, otherTypes, textReferences, ...Object.values(SHAPES)];
  expect(checks.flatMap((check) => check(api(), TERMS))).toEqual([]);
});

test('reads the rows of one table', () => {
  expect(TERMS.map(({ names, others }) => [names, others])).toEqual([
    [
      ['network', 'vlan'],
      ['net', 'lan'],
    ],
    [['namespace'], []],
  ]);
  expect(() => rowsBelow('### Missing', TABLE)).toThrow('no heading ### Missing');
});

test('refuses a second name of a prop, an attribute, a parameter, and a method', () => {
  expect(paths(secondNames(withProp('net', of('INetwork')), TERMS))).toEqual(['MachineProps.net']);
  expect(
    paths(secondNames(api(reference('INetwork', [{ name: 'lan', type: TEXT }])), TERMS)),
  ).toEqual(['INetwork.lan']);
  const nic = type('Nic', {
    methods: [{ name: 'lan', parameters: [{ name: 'net', type: TEXT }] }],
  });
  expect(paths(secondNames(api(nic), TERMS))).toEqual(['Nic.lan(net)', 'Nic.lan']);
});

test('refuses another type of a listed name, also in a list', () => {
  expect(paths(otherTypes(withProp('network', TEXT), TERMS))).toEqual(['MachineProps.network']);
  expect(
    paths(
      otherTypes(withProp('network', { collection: { kind: 'array', elementtype: TEXT } }), TERMS),
    ),
  ).toEqual(['MachineProps.network']);
  expect(
    otherTypes(
      withProp('network', { collection: { kind: 'array', elementtype: of('INetwork') } }),
      TERMS,
    ),
  ).toEqual([]);
  expect(
    paths(
      otherTypes(
        api(reference('INetwork', [{ name: 'namespace', type: of('INamespace') }])),
        TERMS,
      ),
    ),
  ).toEqual(['INetwork.namespace']);
});

test.each(['networkName', 'networkId', 'networks', 'networkNames', 'namespaces'])(
  'refuses the text %s, for which there is an interface',
  (name) => {
    expect(paths(textReferences(withProp(name, TEXT), TERMS))).toEqual([`MachineProps.${name}`]);
  },
);

test.each<[string, readonly ApiType[], string]>([
  ['one base class', [network({ base: 'constructs.Construct' })], 'Network'],
  [
    'labels and annotations',
    [struct('NetworkProps', [{ name: 'labels', type: TEXT }])],
    'Network.new',
  ],
  [
    'labels and annotations',
    [
      type('Team', {
        base: 'constructs.Construct',
        properties: GROUP,
        initializer: { parameters: [...SCOPE, { name: 'props', type: of('ExistingOptions') }] },
      }),
    ],
    'Team.new',
  ],
  [
    'labels and annotations',
    [
      network({
        methods: [
          ...network().methods!,
          { name: 'create', static: true, parameters: SCOPE, returns: { type: of('Network') } },
        ],
      }),
    ],
    'Network.create',
  ],
  [
    'one name',
    [network({ properties: [{ name: 'networkName', type: TEXT }] })],
    'Network.networkName',
  ],
  [
    'one name',
    [reference('INetwork', [{ name: 'networkName', type: TEXT }])],
    'INetwork.networkName',
  ],
  ['references', [network({ interfaces: [] })], 'Network'],
  [
    'references',
    [type('INetwork', { kind: 'interface', interfaces: ['constructs.IConstruct'] })],
    'INetwork',
  ],
  ['references', [network({ methods: [] })], 'Network'],
  [
    'references',
    [
      network({
        methods: [fromName([{ name: 'options', type: of('ExistingOptions') }], 'INamespace')],
      }),
    ],
    'Network',
  ],
  ['from…', [network({ methods: [fromName([{ name: 'name', type: TEXT }])] })], 'Network.fromName'],
  [
    'from…',
    [
      network({
        methods: [
          fromName([
            { name: 'options', type: of('ExistingOptions') },
            { name: 'namespace', type: TEXT },
          ]),
        ],
      }),
    ],
    'Network.fromName',
  ],
  [
    'from…',
    [
      network({
        methods: [fromName([{ name: 'options', type: of('ExistingOptions') }], 'Network')],
      }),
    ],
    'Network.fromName',
  ],
  [
    'options come last',
    [
      type('Route', {
        methods: [{ name: 'auto', parameters: [{ name: 'server', type: TEXT, optional: true }] }],
      }),
    ],
    'Route.auto(server)',
  ],
  [
    'options come last',
    [
      type('Route', {
        methods: [
          {
            name: 'auto',
            parameters: [
              { name: 'options', type: of('ExistingOptions'), optional: true },
              { name: 'server', type: TEXT },
            ],
          },
        ],
      }),
    ],
    'Route.auto(options)',
  ],
  [
    'closed sets',
    [
      struct('MachineProps', [
        { name: 'os', type: TEXT, docs: { summary: 'The system, `linux` or `windows`.' } },
      ]),
    ],
    'MachineProps.os',
  ],
  ['doc comments', [type('Mode', { kind: 'enum', docs: {} })], 'Mode'],
  [
    'doc comments',
    [type('Mode', { kind: 'enum', members: [{ name: 'TAGGED', docs: {} }] })],
    'Mode.TAGGED',
  ],
  [
    'doc comments',
    [struct('MachineProps', [{ name: 'cpus', type: TEXT, docs: {} }])],
    'MachineProps.cpus',
  ],
  [
    'closed sets',
    [
      struct('MachineProps', [
        { name: 'os', type: TEXT, docs: { remarks: 'One of `linux`, `windows`.' } },
      ]),
    ],
    'MachineProps.os',
  ],
])('refuses what breaks the shape "%s"', (shape, types, path) => {
  expect(paths(SHAPES[shape](api(...types)))).toEqual([path]);
});

test('accepts a construct that only composes others', () => {
  expect(
    SHAPES['one base class'](
      api(type('Team', { base: 'constructs.Construct', properties: GROUP })),
    ),
  ).toEqual([]);
});

test('accepts examples of text', () => {
  expect(
    SHAPES['closed sets'](
      api(
        struct('MachineProps', [
          {
            name: 'user',
            type: TEXT,
            docs: { summary: 'The user, e.g. `ubuntu`, `opensuse` or `sles`.' },
          },
        ]),
      ),
    ),
  ).toEqual([]);
});

test('accepts optional structs', () => {
  expect(
    SHAPES['options come last'](
      api(
        type('Route', {
          methods: [
            {
              name: 'auto',
              parameters: [{ name: 'options', type: of('ExistingOptions'), optional: true }],
            },
          ],
        }),
      ),
    ),
  ).toEqual([]);
});

describe('refuses for other languages', () => {
  const found = (...types: readonly ApiType[]): string[] =>
    paths(SHAPES['other languages'](api(...types)));

  test('a parameter without a name, as of a destructured struct', () => {
    const vpc = type('Vpc', {
      initializer: { parameters: [...SCOPE, { name: '__2', type: of('NetworkProps') }] },
    });
    expect(found(vpc)).toEqual(['Vpc.new(__2)']);
  });

  test('a struct before another parameter', () => {
    const source = type('Source', {
      methods: [
        {
          name: 'field',
          static: true,
          parameters: [
            { name: 'object', type: of('NetworkProps') },
            { name: 'path', type: TEXT },
          ],
        },
      ],
    });
    expect(found(source)).toEqual(['Source.field(object)']);
  });

  test('reserved words of Java and Python', () => {
    const names = ['private', 'global', 'isolated'].map((name) => ({ name, type: TEXT }));
    expect(found(struct('SubnetProps', names))).toEqual([
      'SubnetProps.private',
      'SubnetProps.global',
    ]);
  });

  test('a member of two unrelated interfaces', () => {
    const named = type('INamed', {
      kind: 'interface',
      properties: [{ name: 'namespace', type: TEXT }],
    });
    const both = type('IBoth', { kind: 'interface', interfaces: ['p.INetwork', 'p.INamed'] });
    expect(found(named, both)).toEqual(['IBoth.namespace']);
  });
});
