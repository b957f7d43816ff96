import { API, lib, refusalOf } from './library';

const EXTRA = 'zzUnknown';

/** A call of the public API: its name, its parameters, and how to make it. */
type Call = readonly [
  name: string,
  parameters: readonly (readonly [name: string, code: string])[],
  call: (args: readonly unknown[]) => unknown,
];

/** Every constructor, static method and method that takes arguments. */
const CALLS: Call[] = Object.entries(API).flatMap(
  ([type, { is, create, statics = {}, methods = {} }]): Call[] =>
    is
      ? [
          ...(create
            ? [
                [
                  `new ${type}`,
                  create,
                  (args: readonly unknown[]) => Reflect.construct(class extends lib[type] {}, args),
                ] as const,
              ]
            : []),
          ...Object.entries(statics).map(
            ([name, parameters]) =>
              [
                `${type}.${name}`,
                parameters,
                (args: readonly unknown[]) => lib[type][name](...args),
              ] as const,
          ),
          ...Object.entries(methods).map(
            ([name, parameters]) =>
              [
                `${type}.prototype.${name}`,
                parameters,
                (args: readonly unknown[]) =>
                  lib[type].prototype[name].apply({ node: { path: 'a' } }, args),
              ] as const,
          ),
        ]
      : [],
);

/**
 * Every place of a struct in the arguments of a call: at the top, in a prop, in a list, in a map.
 */
const structOf = (code: string): string | undefined =>
  API[code.replace(/^[?*[{]+/, '')]?.props ? code.replace(/^[?*[{]+/, '') : undefined;

function within(code: string, value: object): unknown {
  if (code.startsWith('[')) {
    return [within(code.slice(1), value)];
  }
  return code.startsWith('{') ? { key: within(code.slice(1), value) } : value;
}

function misspelled(code: string, depth: number): [struct: string, value: unknown][] {
  const struct = structOf(code)!;
  const here: [string, unknown] = [struct, within(code.replace(/^[?*]/, ''), { [EXTRA]: 1 })];
  if (depth === 0) {
    return [here];
  }
  const deeper = Object.entries(API[struct].props!)
    .filter(([, prop]) => structOf(prop))
    .flatMap(([name, prop]) =>
      misspelled(prop, depth - 1).map(([inner, value]): [string, unknown] => [
        inner,
        within(code.replace(/^[?*]/, ''), { [name]: value }),
      ]),
    );
  return [here, ...deeper];
}

const WITH_PROPS = CALLS.filter(([, parameters]) => parameters.some(([, code]) => structOf(code)));

test('knows the calls that take props', () => {
  const names = WITH_PROPS.map(([name]) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      'new VmNetwork',
      'new HarvesterApp',
      'VmNetwork.fromName',
      'CloudInit.of',
      'TenantProject.prototype.addNamespace',
    ]),
  );
  expect(names.length).toBeGreaterThan(150);
});

test.each(WITH_PROPS)(
  '%s refuses a prop that it does not have, at every depth',
  (_, parameters, call) => {
    parameters.forEach(([, code], index) => {
      for (const [struct, value] of structOf(code) ? misspelled(code, 2) : []) {
        const args = parameters.map((__, other) => (other === index ? value : undefined));
        expect(refusalOf(() => call(args))).toContain(
          `${EXTRA}: is not a prop of ${struct}. Fix: `,
        );
      }
    });
  },
);

test.each(CALLS.filter(([, parameters]) => parameters.length > 0))(
  '%s refuses values that no parameter takes',
  (_, parameters, call) => {
    parameters.forEach(([name, code], index) => {
      if (code.replace('?', '') === 'a') {
        return;
      }
      // no type has a symbol as value
      const args = parameters.map((__, other) => (other === index ? Symbol('x') : undefined));
      expect(refusalOf(() => call(args))).toMatch(
        new RegExp(`(^|\\W)${name}(\\[0\\])?: must be .*, got a symbol`),
      );
    });
  },
);

const HIDDEN = Object.entries(API)
  .filter(([, { is, create }]) => is && !create)
  .map(([name]) => name);

test.each(HIDDEN)('%s has a private constructor, and names what creates one instead', (name) => {
  expect(refusalOf(() => new lib[name]())).toMatch(
    new RegExp(`^${name}: cannot be created with new\\. Fix: use `),
  );
});

test('every exported class checks its arguments', () => {
  const classes = Object.keys(lib as object).filter((name) => typeof lib[name] === 'function');
  expect(classes.filter((name) => !API[name]?.is)).toEqual([]);
});
