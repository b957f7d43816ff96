/**
 * What a rule says about one object.
 */
export interface Finding {
  /** The rule's id, e.g. `import/cluster-id-taken`. */
  readonly rule: string;
  /** `error` or `warning`. */
  readonly level: string;
  /** What is wrong, with the server's own words where it has any. */
  readonly message: string;
  /** The object that is judged; none where the finding is about a file or the program. */
  readonly object?: FindingObject;
  /** Where in the object, e.g. `spec.agentEnvVars[0].value`; empty for the object as a whole. */
  readonly path: string;
  /** What was given, as short text; never a secret. */
  readonly value?: string;
  /** What is allowed and what to do. */
  readonly fix: string;
  /** Where the rule is known from. */
  readonly source: string;
  /** Path of the construct that wrote the object, where a program did. */
  readonly construct?: string;
  /** Name of the target that the object is for. */
  readonly target?: string;
  /** The file that holds the object, where it was read from one. */
  readonly file?: string;
  /** The line of the file, from 1 on: of the field, or of the object where the field is missing. Only `lint` gives it. */
  readonly line?: number;
  /** Why the finding does not count, where somebody wrote a reason. */
  readonly suppressed?: string;
}

/**
 * The object that a finding is about.
 */
export interface FindingObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}
