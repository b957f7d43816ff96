import { Declarations, Factory, Member } from './_declarations';
import { Generator, call } from './_generator';
import { Place, scopeOf } from './_place';
import { PUBLIC_NAMES } from '../support/public-names';

/** A way to make a construct, or a method of one that takes props. */
export interface Construction {
  readonly name: string;
  /** The props, and what else it takes. */
  readonly parameters: readonly Member[];
  readonly run: (place: Place, given: readonly unknown[]) => void;
}

/** All ways to make the constructs of the library. */
export function constructions(declarations: Declarations, generator: Generator): Construction[] {
  const constructs = [...declarations.classes.values()].filter(
    ({ name, isConstruct, isAbstract }) => isConstruct && !isAbstract && name in PUBLIC_NAMES,
  );
  return constructs.flatMap((declaration): Construction[] => {
    const { name, folder, factories, methods } = declaration;
    const make =
      ({ method }: Factory) =>
      (place: Place, given: readonly unknown[]) =>
        call(generator.exported(name), method, [scopeOf(place, folder, name), 'it', ...given]) as {
          [key: string]: (...args: readonly unknown[]) => unknown;
        };
    const makers = factories.filter(
      ({ parameters: [scope, id] }) => scope?.name === 'scope' && id?.name === 'id',
    );
    const [first] = makers.filter(({ method }) => method === 'new');
    return [
      ...makers.map((factory) => ({
        name: factory.method === 'new' ? name : `${name}.${factory.method}`,
        parameters: factory.parameters.slice(2),
        run: make(factory),
      })),
      ...methods
        .filter(
          ({ parameters }) => first && parameters.some(({ type }) => generator.isStruct(type)),
        )
        .map(({ method, parameters }) => ({
          name: `${name}.${method}()`,
          parameters,
          run: (place: Place, given: readonly unknown[]) => {
            const base = generator.arguments(
              first.parameters.slice(2).filter(({ optional }) => !optional),
            );
            place.keep(make(first)(place, base(place) as unknown[])[method](...given));
          },
        })),
    ];
  });
}
