/** The answer of a matcher, as `expect.extend` expects it. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}
