import { App, Chart, Lazy, Size } from 'cdk8s';
import { Construct } from 'constructs';
import { programPlaceOf } from '../../../src/core/construct/program-place';
import { ApiTable } from '../../../src/core/guard/argument-type';
import { nearestProp } from '../../../src/core/guard/explain-argument';
import { guardMethods, guarded } from '../../../src/core/guard/guard';
import { messageOf as thrownBy } from '../../support/message-of';

const RTTI = Symbol.for('jsii.rtti');
const typeInfo = (name: string) => ({ [RTTI]: { fqn: `cdk8s-harvester.${name}` } });

/** The message of what a call throws, without the place of the call. */
const messageOf = (run: () => unknown): string => thrownBy(run).replace(/\n {2}at .*:\d+:\d+$/, '');

/** The API of the classes below, as projenrc/public-api.js writes it. */
const API: ApiTable = {
  'NetworkProps': {
    props: {
      zone: 's',
      vlan: 'n',
      isTrunk: 'b',
      mode: 'Mode',
      labels: '{s',
      routes: '[Route',
      size: 'cdk8s.Size',
      upstream: 'INetwork',
      owner: 'Owner',
      config: 'a',
      weights: '{[n',
      anything: '[a',
      modes: '[Mode',
    },
    required: ['zone'],
  },
  'Route': { props: { to: 's', via: '[s' }, required: ['to'] },
  'Mode': { values: { ACTIVE: 'active', STANDBY: 'standby' } },
  'INetwork': {
    isConstruct: true,
    members: ['node', 'networkId'],
    makers: ['Network.fromName', 'new Network'],
  },
  'IOpaque': { members: [] },
  'Network': {
    is: ['constructs.Construct', 'INetwork'],
    create: [
      ['scope', 'constructs.Construct'],
      ['id', 's'],
      ['props', 'NetworkProps'],
    ],
    statics: {
      fromName: [
        ['scope', 'constructs.Construct'],
        ['id', 's'],
        ['options', 'Route'],
      ],
    },
    methods: {
      connect: [
        ['other', 'INetwork'],
        ['options', '?Route'],
      ],
    },
    makers: ['Network.fromName', 'new Network'],
  },
  'Owner': {
    is: [],
    statics: {
      user: [
        ['name', 's'],
        ['route', '?Route'],
      ],
      all: [['names', '*s']],
      one: [['name', 's']],
      opaque: [['value', 'IOpaque']],
    },
    methods: {},
    makers: ['Owner.user', 'Owner.all'],
  },
  'Base': {
    is: ['constructs.Construct'],
    create: [
      ['scope', 'constructs.Construct'],
      ['id', 's'],
    ],
    isAbstract: true,
    statics: {},
    methods: {},
    makers: ['new Network'],
  },
  'cdk8s.Size': {
    members: ['toBytes', 'toGibibytes'],
    makers: ['Size.gibibytes', 'Size.mebibytes'],
  },
  'constructs.Construct': { isConstruct: true, members: ['node', 'toString'] },
};

class Base extends Construct {
  public static readonly [RTTI] = typeInfo('Base')[RTTI];
}

class Network extends Base {
  public static readonly [RTTI] = typeInfo('Network')[RTTI];
  public static readonly DEFAULT = 'default';
  public static fromName(scope: Construct, id: string, options: object): Network {
    return new this(scope, id, { zone: 'a', ...options });
  }
  public static internal(...given: unknown[]): number {
    return given.length;
  }
  public readonly networkId = this.node.path;
  public readonly newTarget: unknown;
  constructor(
    scope: Construct,
    id: string,
    public readonly props: object,
  ) {
    super(scope, id);
    this.newTarget = new.target;
  }
  public connect(other: Network, options?: object): unknown[] {
    return [this.node.id, other.node.id, options];
  }
}

class Owner {
  public static readonly [RTTI] = typeInfo('Owner')[RTTI];
  public static user(name: string, open?: object): Owner {
    return new Owner([name, open]);
  }
  public static all(...names: string[]): Owner {
    return new Owner(names);
  }
  public static one(name: string): Owner {
    return new Owner([name]);
  }
  public static opaque(value: object): Owner {
    return new Owner([value]);
  }
  private constructor(public readonly names: unknown[]) {}
}

guardMethods('Network', Network, ['connect'], () => API);

/** What no compiler checks. */
type Loose = any;

/** The classes as a program sees them that no compiler checks. */
const lib: Loose = {
  Base: guarded(
    'Base',
    () => Base,
    () => API,
  ),
  Network: guarded(
    'Network',
    () => Network,
    () => API,
  ),
  Owner: guarded(
    'Owner',
    () => Owner as never,
    () => API,
  ),
};
const chart = (): Chart => new Chart(new App(), 'dc1');
const made = (props: unknown): Network => new lib.Network(chart(), 'prod', props) as Network;
/** The lines of the message, without the path of the construct that each begins with. */
const refused = (props: unknown): string[] =>
  messageOf(() => made(props))
    .split('\n')
    .map((line) => line.replace('[dc1/prod] ', ''));
const OWNER = lib.Owner.user('ann') as Owner;
const NETWORK = made({ zone: 'a' });

describe('a misspelled prop', () => {
  test('is refused with the one that is meant', () => {
    expect(messageOf(() => made({ zone: 'a', vlanId: 100 }))).toBe(
      '[dc1/prod] vlanId: is not a prop of NetworkProps. Fix: use vlan if that is what you mean',
    );
  });

  test.each([
    [
      { zone: 'a', istrunk: true },
      'istrunk: is not a prop of NetworkProps. Fix: use isTrunk if that is what you mean',
    ],
    [
      { zone: 'a', trunk: true },
      'trunk: is not a prop of NetworkProps. Fix: use isTrunk if that is what you mean',
    ],
    [
      { zone: 'a', vlan: 1, vlanId: 2 },
      'vlanId: is not a prop of NetworkProps. Fix: remove it, since vlan is set',
    ],
    [
      { zone: 'a', valn: 1 },
      'valn: is not a prop of NetworkProps. Fix: use vlan if that is what you mean',
    ],
    [
      { zone: 'a', szie: 1 },
      'szie: is not a prop of NetworkProps. Fix: use size if that is what you mean',
    ],
    [
      { zone: 'a', vlans: [1] },
      'vlans: is not a prop of NetworkProps. Fix: use vlan if that is what you mean',
    ],
    [{ zone: 'a', via: ['b'] }, 'via: is not a prop of NetworkProps. Fix: set routes[].via'],
    [
      { zone: 'a', constructor: 1 },
      'constructor: is not a prop of NetworkProps. Fix: use zone, vlan, isTrunk, mode, labels, routes, size or another one',
    ],
    [
      {
        zone: 'a',
        routes: [
          { to: 'b', via: [] },
          { to: 'c', vya: [] },
        ],
      },
      'routes[1].vya: is not a prop of Route. Fix: use via if that is what you mean',
    ],
    [
      JSON.parse('{ "zone": "a", "__proto__": {} }'),
      '__proto__: is not a prop of NetworkProps. Fix: use zone, vlan, isTrunk, mode, labels, routes, size or another one',
    ],
  ])('is refused: %j', (props, message) => {
    expect(refused(props)).toEqual([message]);
  });

  test.each([
    ['quantities', 'quantity'],
    ['addresses', 'address'],
    ['pool', 'machinePools'],
    ['class', 'storageClass'],
  ])('in another number is refused with the one that is meant: %s for %s', (typed, meant) => {
    expect(
      nearestProp(typed, ['name', 'quantity', 'address', 'machinePools', 'storageClass']),
    ).toBe(meant);
  });

  test('is reported instead of the required prop that it means', () => {
    expect(refused({ zones: 'a' })).toEqual([
      'zones: is not a prop of NetworkProps. Fix: use zone if that is what you mean',
    ]);
  });

  test('is accepted if it is undefined, by which a program takes a prop out of others', () => {
    expect(made({ zone: 'a', vlanId: undefined }).props).toEqual({ zone: 'a' });
  });
});

describe('a value of a wrong type', () => {
  test.each<[value: unknown, message: string]>([
    [{ zone: ['a'] }, 'zone: must be text, got a list. Fix: set text'],
    [{ zone: 5 }, 'zone: must be text, got a number. Fix: put it in quotes'],
    [{ zone: null }, 'zone: must be text, got null. Fix: set text'],
    [{}, 'zone: must be set. Fix: set text'],
    [
      { zone: { token: '${late:x}' } },
      'zone: must be text, got an object. Fix: use its property token',
    ],
    [
      { zone: { expressionString: '0 3 * * *' } },
      'zone: must be text, got an object. Fix: use its property expressionString',
    ],
    [{ zone: 'a', vlan: '100' }, 'vlan: must be a number, got text. Fix: remove the quotes'],
    [{ zone: 'a', vlan: 'x' }, 'vlan: must be a number, got text. Fix: set a number'],
    [{ zone: 'a', vlan: NaN }, 'vlan: must be a number, got NaN. Fix: set a number'],
    [{ zone: 'a', vlan: null }, 'vlan: must be a number, got null. Fix: leave it out'],
    [
      { zone: 'a', isTrunk: 'yes' },
      'isTrunk: must be true or false, got text. Fix: set true or false',
    ],
    [{ zone: 'a', mode: 'Active' }, 'mode: must be a Mode, got "Active". Fix: use Mode.ACTIVE'],
    [
      { zone: 'a', mode: 'off' },
      'mode: must be a Mode, got "off". Fix: use Mode.ACTIVE or Mode.STANDBY',
    ],
    [
      { zone: 'a', mode: 1 },
      'mode: must be a Mode, got a number. Fix: use Mode.ACTIVE or Mode.STANDBY',
    ],
    [
      { zone: 'a', labels: ['a'] },
      'labels: must be an object, got a list. Fix: set an object of keys and values',
    ],
    [
      { zone: 'a', labels: new Map() },
      'labels: must be an object, got a Map. Fix: set an object of keys and values',
    ],
    [
      { zone: 'a', labels: { 'example.com/a': undefined } },
      'labels[example.com/a]: must be text, got undefined. Fix: set text',
    ],
    [
      { zone: 'a', weights: { a: [1, null] } },
      'weights.a[1]: must be a number, got null. Fix: remove it from the list',
    ],
    [
      { zone: 'a', routes: { to: 'b' } },
      'routes: must be a list, got an object. Fix: put it in brackets: [ ]',
    ],
    [
      { zone: 'a', routes: ['b'] },
      'routes[0]: must be an object with props of Route, got text. Fix: set an object with to',
    ],
    [
      { zone: 'a', routes: [OWNER] },
      'routes[0]: must be an object with props of Route, got an Owner. Fix: set an object with to',
    ],
    [
      { zone: 'a', routes: [undefined] },
      'routes[0]: must be an object with props of Route, got undefined. Fix: remove it from the list',
    ],
    [
      { zone: 'a', size: 40 },
      'size: must be a Size, got a number. Fix: use Size.gibibytes or Size.mebibytes',
    ],
    [
      { zone: 'a', size: Size },
      'size: must be a Size, got the class Size. Fix: use Size.gibibytes or Size.mebibytes',
    ],
    [{ zone: () => 'a' }, 'zone: must be text, got a function. Fix: set text'],
    [
      { zone: 'a', mode: 'hunter2' },
      'mode: must be a Mode, got text. Fix: use Mode.ACTIVE or Mode.STANDBY',
    ],
    [
      { zone: 'a', anything: [{}, undefined] },
      'anything[1]: must be a value, got undefined. Fix: remove it from the list',
    ],
    [
      { zone: 'a', modes: [undefined] },
      'modes[0]: must be a Mode, got undefined. Fix: use Mode.ACTIVE or Mode.STANDBY',
    ],
    [
      { zone: 'a', upstream: { ...NETWORK } },
      'upstream: must be an INetwork, got an object. Fix: use Network.fromName or new Network',
    ],
    [
      { zone: 'a', upstream: 'prod' },
      'upstream: must be an INetwork, got text. Fix: use Network.fromName or new Network',
    ],
    [
      { zone: 'a', upstream: { networkId: 'x' } },
      'upstream: must be an INetwork, got an object. Fix: use Network.fromName or new Network',
    ],
    [
      { zone: 'a', owner: { names: ['ann'] } },
      'owner: must be an Owner, got an object. Fix: use Owner.user or Owner.all',
    ],
  ])('is refused: %j', (props, message) => {
    expect(refused(props)).toEqual([message]);
  });

  test('is refused together with all others of the call', () => {
    expect(refused({ vlan: '1', mod: 'active', routes: [{ via: [1] }] })).toEqual([
      'vlan: must be a number, got text. Fix: remove the quotes',
      'routes[0].via[0]: must be text, got a number. Fix: put it in quotes',
      'routes[0].to: must be set. Fix: set text',
      'mod: is not a prop of NetworkProps. Fix: use mode if that is what you mean',
      'zone: must be set. Fix: set text',
    ]);
  });

  test('is never part of the message', () => {
    expect(
      messageOf(() =>
        made({
          zone: 'a',
          vlan: 'hunter2',
          isTrunk: 'hunter2',
          upstream: 'hunter2',
          labels: 'hunter2',
          owner: 'hunter2',
          size: 'hunter2',
        }),
      ),
    ).not.toContain('hunter2');
  });
});

test('accepts values of every type', () => {
  class Props {
    public readonly zone = 'a';
  }
  for (const props of [
    {
      zone: '',
      vlan: 0,
      isTrunk: false,
      mode: 'standby',
      labels: {},
      routes: [{ to: 'b', via: ['c'] }],
      size: Size.gibibytes(1),
      upstream: NETWORK,
      owner: OWNER,
      config: null,
      weights: { a: [1] },
    },
    {
      zone: Lazy.any({ produce: () => 'a' }),
      labels: Lazy.any({ produce: () => ({}) }),
      vlan: undefined,
    },
    Object.assign(Object.create(null) as object, { zone: 'a' }),
    new Props(),
  ]) {
    expect(made(props).props).toBe(props);
  }
});

test('accepts what another copy of the library made, and what a program implements itself', () => {
  class Other {
    public static readonly [RTTI] = typeInfo('Owner')[RTTI];
  }
  class OtherOwner extends Other {}
  class OwnNetwork extends Construct {
    public readonly networkId = 'x';
  }
  class OwnSize {
    public toBytes(): number {
      return 1;
    }
    public toGibibytes(): number {
      return 1;
    }
  }
  const props = {
    zone: 'a',
    owner: new OtherOwner(),
    upstream: new OwnNetwork(chart(), 'own'),
    size: new OwnSize(),
  };
  expect(made(props).props).toBe(props);
});

test('accepts a class of a submodule, whose name for other languages contains the submodule', () => {
  class OwnerInSubmodule {
    public static readonly [RTTI] = typeInfo('settings.Owner')[RTTI];
  }
  const props = { zone: 'a', owner: new OwnerInSubmodule() };
  expect(made(props).props).toBe(props);
});

test('refuses a class of the library that has the members of an interface but does not implement it', () => {
  class Image extends Construct {
    public static readonly [RTTI] = typeInfo('Base')[RTTI];
    public readonly networkId = 'x';
  }
  expect(refused({ zone: 'a', upstream: new Image(chart(), 'image') })).toEqual([
    'upstream: must be an INetwork, got a Base. Fix: use Network.fromName or new Network',
  ]);
});

test('distinguishes references to existing objects by the class that they refer to', () => {
  class Existing extends Construct {
    public readonly networkId = 'x';
    constructor(public readonly _refersTo: string) {
      super(chart(), 'existing');
    }
  }
  expect(refused({ zone: 'a', upstream: new Existing('Base') })).toEqual([
    'upstream: must be an INetwork, got a Base. Fix: use Network.fromName or new Network',
  ]);
  const props = { zone: 'a', upstream: new Existing('Network') };
  expect(made(props).props).toBe(props);
});

describe('a call', () => {
  test.each<[what: string, call: () => unknown, message: string | RegExp]>([
    [
      'without a scope',
      () => new lib.Network(undefined, 'prod', { zone: 'a' }),
      'Network: scope: must be a construct, got undefined. Fix: set a construct',
    ],
    [
      'without an ID',
      () => new lib.Network(chart(), { zone: 'a' }),
      '[dc1] Network: id: must be text, got an object. Fix: set text',
    ],
    [
      'with a copy of a scope',
      () => new lib.Network({ ...chart() }, 'prod', { zone: 'a' }),
      /scope: must be a construct, got an object/,
    ],
    [
      'without a scope, with too many arguments',
      () => lib.Owner.user('a', { to: 'b' }, { to: 'b' }),
      'Owner.user: cannot take 3 arguments. Fix: set name, route only',
    ],
    [
      'as the argument of map, which passes an index for options',
      () => ['a'].map(lib.Owner.user as never),
      'Owner.user: cannot take the index and the list that methods such as map pass. Fix: call it in an arrow function: (each) => …(each)',
    ],
    [
      'without props',
      () => new lib.Network(chart(), 'prod'),
      '[dc1/prod] zone: must be set. Fix: set text',
    ],
    [
      'with text for props',
      () => new lib.Network(chart(), 'prod', 'a'),
      '[dc1/prod] props: must be an object with props of NetworkProps, got text. Fix: set an object with zone',
    ],
    [
      'with too many arguments',
      () => new lib.Network(chart(), 'prod', { zone: 'a' }, {}),
      '[dc1/prod] cannot take 4 arguments. Fix: set scope, id, props only',
    ],
    [
      'of a static method',
      () => lib.Network.fromName(chart(), 'prod', { too: 'a' }),
      '[dc1/prod] too: is not a prop of Route. Fix: use to if that is what you mean',
    ],
    [
      'of a static method without a scope',
      () => lib.Owner.user(5),
      'Owner.user: name: must be text, got a number. Fix: put it in quotes',
    ],
    [
      'with a wrong one of many',
      () => lib.Owner.all('a', 5),
      'Owner.all: names[1]: must be text, got a number. Fix: put it in quotes',
    ],
    [
      'with a plain object whose class is opaque',
      () => lib.Owner.opaque({}),
      'Owner.opaque: value: must be an IOpaque, got an object. Fix: use an IOpaque',
    ],
    [
      'of a method',
      () => (NETWORK as Loose).connect(NETWORK, { two: 'b' }),
      '[dc1/prod] connect: two: is not a prop of Route. Fix: use to if that is what you mean',
    ],
    [
      'of a constructor that is private',
      () => new lib.Owner(['a']),
      'Owner: cannot be created with new. Fix: use Owner.user or Owner.all',
    ],
    [
      'of an abstract class',
      () => new lib.Base(chart(), 'x'),
      'Base: cannot be created with new. Fix: use new Network',
    ],
  ])('%s is refused', (_, call, message) => {
    expect(messageOf(call)).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    );
  });

  test('takes undefined after its last argument', () => {
    expect(new lib.Network(chart(), 'prod', { zone: 'a' }, undefined)).toBeInstanceOf(Network);
    expect([lib.Owner.user.name, lib.Owner.user.length]).toEqual(['user', 2]);
  });

  test('of a static method passes on what it is given, and its own this', () => {
    expect((lib.Network.fromName(chart(), 'prod', { to: 'b' }) as Network).node.path).toBe(
      'dc1/prod',
    );
    expect(['a', 'b'].map(lib.Owner.one as never)).toHaveLength(2);
    expect(lib.Network.internal(1, 'b', {})).toBe(3);
  });
});

describe('the place in the program', () => {
  const HERE = /\n {2}at test\/core\/guard\/guard\.test\.ts:\d+:\d+$/;

  test.each<[string, () => unknown]>([
    ['constructor', () => new lib.Network(chart(), 'prod', { zone: 1 })],
    ['static method', () => lib.Network.fromName(chart(), 'prod', {})],
    [
      'method',
      () => (new lib.Network(chart(), 'prod', { zone: 'a' }) as Network).connect(1 as never),
    ],
  ])('ends the message on a %s', (_, call) => {
    expect(thrownBy(call)).toMatch(HERE);
  });

  test('is that of a construct that is created, and of none that a method returns', () => {
    const prod = new lib.Network(chart(), 'prod', { zone: 'a' }) as Network;
    const named = lib.Network.fromName(chart(), 'named', { to: 'b' }) as Network;
    expect(
      [prod, named].map((construct) =>
        /^test\/core\/guard\/guard\.test\.ts:\d+:\d+$/.test(programPlaceOf(construct)!),
      ),
    ).toEqual([true, true]);
    expect(programPlaceOf(prod)).not.toBe(programPlaceOf(named));
    expect(programPlaceOf(prod.node.scope!)).toBeUndefined();
  });
});

describe('the class for programs', () => {
  test('is the class of its objects', () => {
    expect(NETWORK).toBeInstanceOf(lib.Network);
    expect(NETWORK).toBeInstanceOf(lib.Base);
    expect(NETWORK).toBeInstanceOf(Network);
    expect(NETWORK.constructor).toBe(lib.Network);
    expect(NETWORK.newTarget).toBe(Network);
    expect(lib.Network.name).toBe('Network');
    expect(lib.Network.prototype).toBe(Network.prototype);
    expect(lib.Network.DEFAULT).toBe('default');
    expect(Object.hasOwn(lib.Network as object, RTTI)).toBe(true);
  });

  test('can be extended by a program, whose class has props of its own', () => {
    class Prod extends lib.Network {
      constructor(scope: Construct, id: string, props: object) {
        super(scope, id, props);
      }
    }
    const prod: Loose = new Prod(chart(), 'prod', { zone: 'a', team: 'shop', vlanId: 1 });
    expect([
      prod instanceof Prod,
      prod instanceof Network,
      prod.constructor.name,
      prod.newTarget,
      prod.props,
    ]).toEqual([true, true, 'Prod', Prod, { zone: 'a', team: 'shop', vlanId: 1 }]);
    expect((Prod as Loose).fromName(chart(), 'x', { to: 'b' })).toBeInstanceOf(Prod);
    expect(messageOf(() => new Prod(chart(), 'prod', { zone: 'a', vlam: 100 }))).toBe(
      '[dc1/prod] vlam: is not a prop of NetworkProps. Fix: use vlan if that is what you mean, or do not pass vlam on',
    );
    class Other extends lib.Base {}
    expect(new (Other as Loose)(chart(), 'x')).toBeInstanceOf(Base);
  });

  test('can be extended by a program with props of its own, also where the props are optional', () => {
    class User extends Construct {
      constructor(
        scope: Construct,
        id: string,
        public readonly props: object = {},
      ) {
        super(scope, id);
      }
    }
    const table: ApiTable = {
      ...API,
      User: {
        is: ['constructs.Construct'],
        create: [
          ['scope', 'constructs.Construct'],
          ['id', 's'],
          ['props', '?NetworkProps'],
        ],
        statics: {},
      },
    };
    const base: Loose = guarded(
      'User',
      () => User,
      () => table,
    );
    class Member extends base {
      constructor(scope: Construct, id: string, props: object) {
        super(scope, id, props);
      }
    }
    const props = { zone: 'a', team: 'shop' };
    expect((new Member(chart(), 'ann', props) as Loose).props).toEqual(props);
    expect(messageOf(() => new base(chart(), 'ann', props))).toMatch('team: is not a prop of');
  });

  test('has in messages the name that programs write, whatever a bundler renamed it to', () => {
    const KeyPair3 = class KeyPair3 {
      public static readonly [RTTI] = typeInfo('KeyPair')[RTTI];
    };
    expect(refused({ zone: 'a', vlan: new KeyPair3() })).toEqual([
      'vlan: must be a number, got a KeyPair. Fix: set a number',
    ]);
    expect(refused({ zone: 'a', vlan: KeyPair3 })).toEqual([
      'vlan: must be a number, got the class KeyPair. Fix: set a number',
    ]);
  });

  test('knows that a subclass without parameters of its own has no props of its own', () => {
    class Prod extends lib.Network {}
    expect(messageOf(() => new (Prod as Loose)(chart(), 'prod', { zone: 'a', vlanId: 100 }))).toBe(
      '[dc1/prod] vlanId: is not a prop of NetworkProps. Fix: use vlan if that is what you mean',
    );
  });

  test('can be mocked by tests', () => {
    const spy = jest
      .spyOn(lib.Network as { fromName: () => string }, 'fromName')
      .mockReturnValue('mock');
    expect(lib.Network.fromName(5)).toBe('mock');
    spy.mockRestore();
    expect(messageOf(() => lib.Network.fromName(chart(), 'prod', { to: 5 }))).toContain(
      '[dc1/prod] to: must be text',
    );
  });
});
