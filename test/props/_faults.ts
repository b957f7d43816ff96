import { Duration, Size } from 'cdk8s';
import { Declarations, Member, Type } from './_declarations';
import { Generator, Make } from './_generator';
import { Place } from './_place';

/** A wrong value of one prop, or of a member of one. */
export interface Fault {
  /** E.g. `healthCheck.port`. */
  readonly path: string;
  /** The index of the argument that holds it. */
  readonly index: number;
  /** The argument, given the right one. */
  readonly spoil: (place: Place, right: unknown) => unknown;
}

const MAX_DEPTH = 2;

/** Wrong values for the arguments of a construct, one prop at a time. */
export class Faults {
  constructor(
    private readonly declarations: Declarations,
    private readonly generator: Generator,
  ) {}

  public of(parameters: readonly Member[]): Fault[] {
    return parameters.flatMap((parameter, index) =>
      this.spoilers(parameter.type, 0).map(({ path, spoil }) => ({
        path: path || parameter.name,
        index,
        spoil,
      })),
    );
  }

  private spoilers(type: Type, depth: number): Omit<Fault, 'index'>[] {
    const members = type.kind === 'ref' ? this.declarations.structs.get(type.name) : undefined;
    if (!members || depth > MAX_DEPTH) {
      return this.wrong(type).map((make) => ({ path: '', spoil: make }));
    }
    return members.flatMap((member) =>
      this.spoilers(member.type, depth + 1).map(({ path, spoil }) => ({
        path: path ? `${member.name}.${path}` : member.name,
        spoil: (place: Place, right: unknown) => {
          const struct = (right ?? {}) as { readonly [member: string]: unknown };
          const inner =
            path === '' || struct[member.name] !== undefined
              ? struct[member.name]
              : this.generator.base(member)(place);
          return { ...struct, [member.name]: spoil(place, inner) };
        },
      })),
    );
  }

  /** Values that are hardly right anywhere; a prop that accepts one has no fault. */
  private wrong(type: Type): Make[] {
    switch (type.kind) {
      case 'string':
        return [() => 'Not valid!'];
      case 'number':
        return [() => -1.5];
      case 'array':
        return this.wrong(type.of).map((make) => (place) => [make(place)]);
      case 'map':
        return this.wrong(type.of).map((make) => (place) => ({ 'Not valid!': make(place) }));
      case 'ref':
        return this.wrongReference(type.name);
      default:
        return [];
    }
  }

  private wrongReference(name: string): Make[] {
    if (name === 'Duration') {
      return [() => Duration.millis(1500)];
    }
    if (name === 'Size') {
      return [() => Size.kibibytes(1)];
    }
    if (this.declarations.enums.has(name)) {
      return [() => 'not-valid'];
    }
    // an object of another cluster
    if (!/^I[A-Z]/.test(name)) {
      return [];
    }
    const [first] = this.generator.values({ kind: 'ref', name });
    return first ? [(place) => first(place.elsewhere)] : [];
  }
}
