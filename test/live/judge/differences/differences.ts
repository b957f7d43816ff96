/** A pattern of what differs, and the reason. */
export type DifferenceRow = readonly [pattern: RegExp, reason: string];

/** What lint and a server judge differently, and why. */
export interface Differences {
  /** What lint refuses and the server took, by `<rule> <kind>: <change>`. */
  readonly lintAlone: readonly DifferenceRow[];
  /** What the server refused and lint takes, by `<kind>/<name> <mode>: <change>`. */
  readonly serverAlone: readonly DifferenceRow[];
}
