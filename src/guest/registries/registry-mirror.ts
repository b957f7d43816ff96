/** The mirrors of a registry. */
export interface RegistryMirror {
  /** The URLs, in the order in which they are tried, e.g. `https://mirror.example.com`. */
  readonly endpoints: string[];
  /**
   * Replacements in repository names, by regular expression, e.g. `{'^rancher/(.*)':
   * 'mirror/rancher/$1'}`.
   * @default - no replacements
   */
  readonly rewrites?: { readonly [pattern: string]: string };
}
