/**
 * How the manifests of a target are put into files.
 */
export enum OutputLayout {
  /** A file a kind, `<rank>-<kind>.<group>.yaml`: few files, however many objects. */
  FILE_PER_KIND = 'file-per-kind',
  /** A file an object, `<rank>-<kind>.<group>_<namespace>_<name>.yaml`. */
  FILE_PER_OBJECT = 'file-per-object',
}
