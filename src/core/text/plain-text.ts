/**
 * A value as text in a sentence. Not by `String`, which throws for JSON such as `{"toString": 1}`.
 */
export function plainText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value) ?? 'nothing';
}

/** A text that is not empty; undefined for anything else. */
export function filledText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * What was given, for a problem: nothing where nothing was, so that no message contains `got ""`.
 */
export function given(value: unknown): { readonly value?: unknown } {
  return value === undefined || value === null || value === '' ? {} : { value };
}
