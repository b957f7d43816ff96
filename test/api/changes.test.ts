import { ApiType, Parameter, PublicApi, TypeReference } from './_api';
import { breakingChanges, freeze, movedTypes, thaw, unnamed, withNewNames } from './_changes';

const TEXT: TypeReference = { primitive: 'string' };
const NUMBER: TypeReference = { primitive: 'number' };

function of(name: string): TypeReference {
  return { fqn: `cdk8s-harvester.${name}` };
}

function parameters(...more: readonly Parameter[]): readonly Parameter[] {
  return [{ name: 'name', type: TEXT }, ...more];
}

const DESCRIBED: Partial<ApiType> = {
  kind: 'interface',
  datatype: true,
  properties: [{ name: 'description', type: TEXT, optional: true }],
};
const NETWORK: Partial<ApiType> = {
  kind: 'class',
  initializer: {
    parameters: parameters({ name: 'props', type: of('NetworkProps'), optional: true }),
  },
  properties: [
    { name: 'name', type: TEXT },
    { name: 'labels', type: { collection: { kind: 'map', elementtype: TEXT } } },
  ],
  methods: [
    { name: 'find', static: true, parameters: parameters(), returns: { type: of('Network') } },
  ],
};
const PROPS: Partial<ApiType> = {
  kind: 'interface',
  datatype: true,
  interfaces: ['cdk8s-harvester.Described'],
  properties: [
    { name: 'vlans', type: { collection: { kind: 'array', elementtype: NUMBER } } },
    { name: 'mtu', type: NUMBER, optional: true },
  ],
};
const MODE: object = { kind: 'enum', members: [{ name: 'TAGGED' }, { name: 'UNTAGGED' }] };

/** An API with other types than these, none instead of those that are undefined. */
function api(
  changed: { readonly [name: string]: object | undefined } = {},
  names: readonly string[] = ['apply', 'ApplyOptions.prune', '--out'],
): PublicApi {
  const all = {
    Described: DESCRIBED,
    Network: NETWORK,
    NetworkProps: PROPS,
    Mode: MODE,
    ...changed,
  };
  const types = Object.entries(all).flatMap(([name, type]) =>
    type ? [[`cdk8s-harvester.${name}`, complete(name, type)] as const] : [],
  );
  const header = { schema: 'jsii/0.10.0', version: '0.0.0', dependencies: {}, metadata: {} };
  return {
    assembly: { ...header, name: 'cdk8s-harvester', types: Object.fromEntries(types) },
    names,
  };
}

/** A type with what the compiler adds. */
function complete(name: string, type: Partial<ApiType>): ApiType {
  const added = { immutable: true, ...(type.kind === 'interface' ? { abstract: true } : {}) };
  const properties = type.properties?.map((property) => ({ ...added, ...property }));
  return {
    ...type,
    ...(properties && { properties }),
    fqn: `cdk8s-harvester.${name}`,
    name,
    assembly: 'cdk8s-harvester',
  } as unknown as ApiType;
}

async function changesOf(changed: {
  readonly [name: string]: object | undefined;
}): Promise<string[]> {
  return (await breakingChanges(api(), api(changed))).map(
    ({ name, message }) => `${name} ${message}`,
  );
}

test('freezes everything that it compares, without documentation, a line for each member', () => {
  const documented = {
    ...NETWORK,
    docs: { summary: 'A network.' },
    locationInModule: { filename: 'src/network.ts', line: 7 },
  };
  const text = freeze(api({ Network: documented }));
  expect(text).toContain('\n  {"name":"labels","type":"{string}"}');
  expect(text).toContain('\n  {"name":"vlans","type":"number[]"}');
  expect(text).not.toContain('A network.');
  expect(thaw(text, api().assembly)).toEqual(api());
});

test.each<[string, { readonly [name: string]: object | undefined }, string[]]>([
  ['a type', { Mode: undefined }, ['Mode was removed']],
  [
    'a value of an enum',
    { Mode: { kind: 'enum', members: [{ name: 'TAGGED' }] } },
    ['Mode.UNTAGGED was removed'],
  ],
  [
    'an attribute',
    { Network: { ...NETWORK, properties: NETWORK.properties!.slice(1) } },
    ['Network.name was removed'],
  ],
  ['a method', { Network: { ...NETWORK, methods: [] } }, ['Network.find was removed']],
  [
    'a prop',
    { NetworkProps: { ...PROPS, properties: PROPS.properties!.slice(0, 1) } },
    ['NetworkProps.mtu was removed'],
  ],
  [
    'a prop of a base, once',
    { Described: { ...DESCRIBED, properties: [] } },
    ['Described.description was removed'],
  ],
  [
    'a base',
    { NetworkProps: { ...PROPS, interfaces: [] } },
    ['NetworkProps.description was removed'],
  ],
])('finds %s that was removed', async (_what, changed, expected) => {
  expect(await changesOf(changed)).toEqual(expected);
});

test('finds an attribute that was renamed', async () => {
  expect(
    await changesOf({
      Network: {
        ...NETWORK,
        properties: [{ name: 'networkName', type: TEXT }, NETWORK.properties![1]],
      },
    }),
  ).toEqual(['Network.name was removed']);
});

test('finds other types of an attribute, a prop, a parameter, and what a method returns', async () => {
  expect(
    await changesOf({
      Network: {
        ...NETWORK,
        properties: [{ name: 'name', type: NUMBER }, NETWORK.properties![1]],
        methods: [
          {
            name: 'find',
            static: true,
            parameters: [{ name: 'name', type: NUMBER }],
            returns: { type: of('Network') },
          },
        ],
      },
      NetworkProps: {
        ...PROPS,
        properties: [{ name: 'vlans', type: NUMBER }, PROPS.properties![1]],
      },
    }),
  ).toEqual([
    'Network.find has other parameters',
    'Network.name was string, and is number',
    'NetworkProps.vlans was list of number, and is number',
  ]);
  expect(
    await changesOf({
      Network: { ...NETWORK, methods: [{ ...NETWORK.methods![0], returns: { type: TEXT } }] },
    }),
  ).toEqual(['Network.find was Network, and is string']);
});

test('finds props and parameters that programs must set now, and attributes that they may lack', async () => {
  expect(
    await changesOf({
      Network: {
        ...NETWORK,
        initializer: { parameters: parameters({ name: 'props', type: of('NetworkProps') }) },
        properties: [{ name: 'name', type: TEXT, optional: true }, NETWORK.properties![1]],
      },
      NetworkProps: {
        ...PROPS,
        properties: [
          PROPS.properties![0],
          { name: 'mtu', type: NUMBER },
          { name: 'route', type: TEXT },
        ],
      },
    }),
  ).toEqual([
    'Network has other parameters',
    'Network.name was required',
    'NetworkProps.mtu was optional',
    'NetworkProps.route is new and required',
  ]);
});

test('asks jsii-diff for what no member shows', async () => {
  const base = { Base: { kind: 'class' } };
  const frozen = api({ ...base, Network: { ...NETWORK, base: 'cdk8s-harvester.Base' } });
  expect(await breakingChanges(frozen, api(base))).toEqual([
    {
      name: 'Network',
      message: expect.stringContaining('not assignable to all base types anymore'),
    },
  ]);
});

test('finds what cdk8s-harvester/engine and the command line have no longer', async () => {
  expect(await breakingChanges(api(), api({}, ['apply']))).toEqual(
    ['--out', 'ApplyOptions.prune'].map((name) => ({ name, message: 'was removed' })),
  );
});

test('accepts additions, and props that are optional now', async () => {
  expect(
    await changesOf({
      Network: {
        ...NETWORK,
        properties: [...NETWORK.properties!, { name: 'mtu', type: NUMBER }],
        methods: [
          {
            ...NETWORK.methods![0],
            parameters: parameters({ name: 'options', type: of('Described'), optional: true }),
          },
        ],
      },
      NetworkProps: {
        ...PROPS,
        properties: [
          { ...PROPS.properties![0], optional: true },
          PROPS.properties![1],
          { name: 'route', type: TEXT, optional: true },
        ],
      },
      Mode: {
        kind: 'enum',
        members: [{ name: 'TAGGED' }, { name: 'UNTAGGED' }, { name: 'TRUNK' }],
      },
      Route: { kind: 'class' },
    }),
  ).toEqual([]);
});

test('accepts what a table of the newest section of the changelog names with its replacement', () => {
  const changes = ['Network.name', 'Network.find', 'Mode', 'Mode.UNTAGGED', 'NetworkProps.mtu'].map(
    (name) => ({ name, message: 'was removed' }),
  );
  const changelog = `
## [Unreleased]

| old | new |
|---|---|
| \`Network.name\`, \`Network.find(name)\` | \`Network.id\` |
| \`Mode\` | |

Mode.UNTAGGED and \`Mode.UNTAGGED\` are gone.

## [1.0.0]

| \`NetworkProps.mtu\` | \`NetworkProps.size\` |
`;
  expect(unnamed(changes, changelog).map(({ name }) => name)).toEqual([
    'Mode',
    'Mode.UNTAGGED',
    'NetworkProps.mtu',
  ]);
  expect(unnamed(changes, changelog.replace('[Unreleased]', '[1.1.0] - 2026-11-23'))).toEqual(
    unnamed(changes, changelog),
  );
  expect(unnamed(changes, '# Changelog')).toEqual(changes);
});

test('takes a member whose type got another name for the same', async () => {
  const uses = { Network: { ...NETWORK, properties: [{ name: 'name', type: of('Old') }] } };
  const now = { Network: { ...NETWORK, properties: [{ name: 'name', type: of('New') }] } };
  const current = api({ ...now, New: NETWORK });
  const renamed = new Map([['Old', 'New']]);
  const before = api({ ...uses, Old: NETWORK });
  expect((await breakingChanges(before, current)).map(({ name }) => name)).toContain(
    'Network.name',
  );
  expect(
    (await breakingChanges(withNewNames(before, current, renamed), current)).map(
      ({ name }) => name,
    ),
  ).toEqual(['Old']);
});

test('reports a type that is in another submodule', () => {
  const { assembly, names } = api();
  const fqn = 'cdk8s-harvester.vlan.Mode';
  const { 'cdk8s-harvester.Mode': mode, ...others } = assembly.types;
  const types = { ...others, [fqn]: { ...mode, fqn, namespace: 'vlan' } };
  expect(movedTypes(api(), { assembly: { ...assembly, types }, names })).toEqual([
    { name: 'Mode', message: `is ${fqn} now` },
  ]);
});

test('accepts a prop that is new and required as the new name of another', async () => {
  const renamed = {
    NetworkProps: {
      ...PROPS,
      properties: [{ name: 'vlanIds', type: NUMBER }, PROPS.properties![1]],
    },
  };
  const changes = await breakingChanges(api(), api(renamed));
  expect(changes.map(({ name }) => name)).toEqual(['NetworkProps.vlanIds', 'NetworkProps.vlans']);
  expect(
    unnamed(
      changes,
      '## [Unreleased]\n\n| `NetworkProps.vlans` | `NetworkProps.vlanIds: number` |\n',
    ),
  ).toEqual([]);
  expect(
    unnamed(changes, '## [Unreleased]\n\n| `NetworkProps.vlanIds` | `NetworkProps.vlans` |\n').map(
      ({ name }) => name,
    ),
  ).toEqual(['NetworkProps.vlans']);
});
