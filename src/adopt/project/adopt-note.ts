/** Something that a reader of the program must know. */
export interface AdoptNote {
  readonly target: string;
  /** As `Kind namespace/name`. */
  readonly object: string;
  readonly message: string;
}
