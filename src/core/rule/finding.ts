/** How severe a finding is. */
export enum FindingLevel {
  /** A server refuses the object, or silently loses something: nothing is written. */
  ERROR = 'error',
  /** The output is written. */
  WARNING = 'warning',
}

/** A finding of a rule about one object. */
export interface Finding {
  /** ID of the rule, e.g. `cluster/id-taken`. */
  readonly rule: string;
  /** Whether it is an error or a warning. */
  readonly level: FindingLevel;
  /** The problem, with a quotation of the server if there is one. */
  readonly message: string;
  /** The object; undefined if the finding is about a file or the program. */
  readonly object?: FindingObject;
  /** Path of the field, e.g. `spec.agentEnvVars[0].value`; empty for the whole object. */
  readonly path: string;
  /**
   * Path of the prop that sets the field, e.g. `quota.limitsCpu`.
   * @default - no construct knows it
   */
  readonly prop?: string;
  /** The given value as short text; never a secret. */
  readonly value?: string;
  /** The allowed values and the action that solves it. */
  readonly fix: string;
  /** Source of the rule. */
  readonly source: string;
  /**
   * What this and other findings follow from, e.g. that a tenant is no longer declared: people's
   * reports print all findings of one cause together.
   * @default - the finding is its own cause
   */
  readonly cause?: string;
  /** Path of the construct that wrote the object, if there is one. */
  readonly construct?: string;
  /**
   * Where the program creates that construct, e.g. `main.ts:12:3`. Only a synthesis of a program in
   * TypeScript or JavaScript sets it.
   */
  readonly place?: string;
  /** Name of the object's target. */
  readonly target?: string;
  /**
   * The output folder, below the given one. Only `lint` and `review` set it.
   * @default - all paths are one environment
   */
  readonly environment?: string;
  /** The file of the object, if it was read from one. */
  readonly file?: string;
  /**
   * The line of the file, from 1 on: of the field, or of the object if the field is missing. Only
   * `lint` sets it.
   */
  readonly line?: number;
  /** Why the finding is suppressed. */
  readonly suppressed?: string;
}

/** The object that a finding is about. */
export interface FindingObject {
  /** Its API version, e.g. `v1`, `management.cattle.io/v3`. */
  readonly apiVersion: string;
  /** Its kind, e.g. `Secret`. */
  readonly kind: string;
  /** Its namespace. @default - the object is cluster-scoped */
  readonly namespace?: string;
  /** Its name (`metadata.name`). */
  readonly name: string;
}
