/**
 * Where jsii keeps the fully qualified name of a class, by which the copies of a library in one
 * program know each other's.
 */
export const RTTI = Symbol.for('jsii.rtti');

/** The fully qualified name of a class of a library; empty for a class of a program. */
export function qualifiedName(type: object): string {
  const { fqn = '' } = Object.hasOwn(type, RTTI)
    ? (type as { readonly [RTTI]: { readonly fqn?: string } })[RTTI]
    : {};
  return fqn;
}

/**
 * The name of a class as programs write it. Bundlers rename classes, `KeyPair` to `KeyPair3`; the
 * name that a class of a library has for other languages is kept.
 */
export function classNameOf(type: { readonly name: string }): string {
  const qualified = qualifiedName(type);
  return qualified === '' ? type.name : qualified.slice(qualified.lastIndexOf('.') + 1);
}
