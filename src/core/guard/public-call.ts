import { Parameters } from './api-table';

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
  /** Whether a class of the program calls the constructor of its base class: its props may be its own and those of the base class. */
  readonly isSubclass?: boolean;
  /** The function that the program called: frames of the library are above it. */
  readonly entry: (...args: never[]) => unknown;
}

/** A call as a program writes it, e.g. `VmNetwork.fromName`. */
export function nameOfCall({ type, method }: PublicCall): string {
  return method ? `${type}.${method}` : type;
}
