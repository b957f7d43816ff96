/**
 * What must hold for an object so that objects in later stages can be delivered, as data: GitOps
 * engines evaluate it as CEL or Lua, the library itself.
 *
 * Paths are those of fields, e.g. `status.clusterName`. What the object does not have does not
 * hold.
 */
export type HealthExpression =
  /** The object exists. */
  | { readonly always: true }
  /** The field is a text that is not empty. */
  | { readonly text: string }
  /** The field has this value. */
  | { readonly field: string; readonly is: string | boolean }
  /** The object has the condition with this status. */
  | { readonly condition: string; readonly is: 'True' | 'False' }
  /** The object has the condition, and it has no message. */
  | { readonly condition: string; readonly is: 'without message' }
  /** The name of the object is one of these. */
  | { readonly named: readonly string[] }
  | { readonly not: { readonly named: readonly string[] } }
  | { readonly all: readonly HealthExpression[] }
  | { readonly any: readonly HealthExpression[] };

/**
 * The health of a kind for GitOps engines: when objects of later stages can be delivered, which is
 * earlier than `ready` for machines and imports.
 */
export interface HealthRule {
  readonly healthy: HealthExpression;
  /**
   * When it never becomes healthy by itself.
   * @default - it is waited for until the timeout of the engine
   */
  readonly failed?: HealthExpression;
  /**
   * Whether engines find progress in the status of an object that is not waited for, by conditions
   * that have another meaning for the kind.
   * @default false
   */
  readonly misread?: boolean;
  /**
   * Whether it takes so long that objects which are not waited for must be in a stage of their own.
   * @default false
   */
  readonly slow?: boolean;
}

/** Healthy once it exists. */
export const EXISTS: HealthExpression = { always: true };

/** Healthy once the condition is True. */
export function whenTrue(condition: string): HealthExpression {
  return { condition, is: 'True' };
}
