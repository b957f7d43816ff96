/**
 * What a late value must look like once it is known; a value of another form is refused before anything is written.
 */
export enum LateType {
  /** Any text that is not empty. */
  STRING = 'string',
  /** An RFC 1123 label, e.g. the id of a management cluster. */
  NAME = 'name',
  /** An https URL without `{`. */
  URL = 'url',
  /** A token: no white space. */
  TOKEN = 'token',
}
