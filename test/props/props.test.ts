import { Declarations, Factory, Member, readDeclarations } from './_declarations';
import { Generator, Make, Variant, call } from './_generator';
import { Place, Versions, scopeOf } from './_place';
import { HINTS, NO_PROPS, UNEXERCISED } from './_table';
import * as library from '../../src';

/** Newest first: what one lacks, another has. */
const VERSIONS: readonly Versions[] = [
  { rancher: '2.15.0', harvester: '1.9.0', kubernetes: 'rke2' },
  { rancher: '2.13.8', harvester: '1.7.2', kubernetes: 'k3s' },
  { rancher: '2.11.3', harvester: '1.5.1', kubernetes: 'rke2' },
  { rancher: '2.7.9', harvester: '1.2.2', kubernetes: 'rke2' },
];

const declarations: Declarations = readDeclarations();
const generator = new Generator(declarations, HINTS, library);

/** A way to make a construct, or a method of one that takes props. */
interface Entry {
  readonly name: string;
  /** The props, and what else it takes. */
  readonly parameters: readonly Member[];
  readonly run: (place: Place, given: readonly unknown[]) => void;
}

function entries(): Entry[] {
  const constructs = [...declarations.classes.values()].filter(({ name, isConstruct, isAbstract }) => isConstruct && !isAbstract && name in library);
  return constructs.flatMap((declaration): Entry[] => {
    const { name, folder, factories, methods } = declaration;
    const make = ({ method }: Factory) => (place: Place, given: readonly unknown[]) => (
      call(generator.exported(name), method, [scopeOf(place, folder, name), 'it', ...given]) as { [key: string]: (...args: readonly unknown[]) => unknown });
    const makers = factories.filter(({ parameters: [scope, id] }) => scope?.name === 'scope' && id?.name === 'id');
    const [first] = makers.filter(({ method }) => method === 'new');
    return [
      ...makers.map((factory) => ({
        name: factory.method === 'new' ? name : `${name}.${factory.method}`, parameters: factory.parameters.slice(2), run: make(factory),
      })),
      ...methods.filter(({ parameters }) => first && parameters.some(({ type }) => generator.isStruct(type))).map(({ method, parameters }) => ({
        name: `${name}.${method}()`,
        parameters,
        run: (place: Place, given: readonly unknown[]) => {
          const base = generator.arguments(first.parameters.slice(2).filter(({ optional }) => !optional));
          place.keep(make(first)(place, base(place) as unknown[])[method](...given));
        },
      })),
    ];
  });
}

function outputOf({ run }: Entry, given: Make, versions: Versions): string {
  const place = new Place(versions);
  run(place, given(place) as unknown[]);
  return place.output();
}

/** Why a member has no effect anywhere; undefined where it has. */
function failureOf(entry: Entry, { pairs }: Variant): string | undefined {
  const errors: string[] = [];
  let compared = false;
  for (const versions of VERSIONS) {
    for (const pair of pairs) {
      try {
        const [without, changed] = [outputOf(entry, pair.without, versions), outputOf(entry, pair.with, versions)];
        if (without !== changed) { return undefined; }
        compared = true;
      } catch (error) {
        errors.push((error as Error).message);
      }
    }
  }
  return compared ? 'changes no byte of the output' : `cannot be exercised: ${[...new Set(errors.map((text) => text.split('\n')[0]))].slice(-2).join(' | ') || 'no value is known'}`;
}

/** The entry of the table that excepts a member: by itself, by its path, or by a path above it. */
function exceptionOf(name: string, { key, path }: Variant): string | undefined {
  const at = `${name}: ${path}`;
  return Object.keys(UNEXERCISED).find((entry) => entry === key || entry === at || (entry.endsWith('*') && at.startsWith(entry.slice(0, -1))));
}

describe('every prop changes the output', () => {
  const failures = new Map<string, string>();

  test.each(entries().map((entry) => [entry.name, entry] as const))('%s', (name, entry) => {
    const wrong: string[] = [];
    for (const variant of generator.argumentVariants(entry.parameters, [])) {
      const failure = failureOf(entry, variant);
      if (failure === undefined) { continue; }
      const exception = exceptionOf(name, variant);
      failures.set(exception ?? variant.key, failure);
      if (exception === undefined) { wrong.push(`${variant.path} (${variant.key}): ${failure}`); }
    }
    expect({ name, wrong }).toEqual({ name, wrong: [] });
  });

  test('those that are excepted are there, and need to be', () => {
    expect(Object.keys(UNEXERCISED).filter((key) => !failures.has(key))).toEqual([]);
  });

  test('every props interface is walked through', () => {
    const declared = [...declarations.structs.keys()];
    expect(declared.filter((name) => !generator.walked.has(name)).sort()).toEqual(Object.keys(NO_PROPS).sort());
  });

  test('every hint is used', () => {
    const known = [...Object.keys(HINTS.members), ...Object.keys(HINTS.types), ...Object.keys(HINTS.always)];
    expect(known.filter((key) => !generator.used.has(key))).toEqual([]);
  });
});
