import { Parameters } from './api-table';

/** Whether a class of the program may pass on its own props with those of its base class. */
export type Subclass = 'own props' | 'no own props';

/** A call of the public API. */
export interface PublicCall {
  /** The class, e.g. `VmNetwork`. */
  readonly type: string;
  /** The method; undefined for a constructor. */
  readonly method?: string;
  /** Undefined for a constructor that programs cannot call. */
  readonly parameters: Parameters | undefined;
  /** The object of a method that is not static. */
  readonly object?: unknown;
  /** The class of the program that calls the constructor of its base class; undefined where the program creates an instance of the class itself. */
  readonly subclass?: Subclass;
  /** The function that the program called: frames of the library are above it. */
  readonly entry: (...args: never[]) => unknown;
}

/** A call as a program writes it, e.g. `VmNetwork.fromName`. */
export function nameOfCall({ type, method }: PublicCall): string {
  return method ? `${type}.${method}` : type;
}
