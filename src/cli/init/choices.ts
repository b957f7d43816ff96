/** Languages of programs that `init` writes. */
export const LANGUAGES = ['typescript', 'python'] as const;
/** What applies the output. */
export const DELIVERIES = ['apply', 'flux', 'argocd', 'fleet'] as const;
/** Systems that run pipelines. */
export const CI_SYSTEMS = ['github', 'gitlab', 'none'] as const;
/** How the output keeps secrets. */
export const SECRETS = ['none', 'sops'] as const;

/** What the user chose for a new project. */
export interface Choices {
  readonly language: typeof LANGUAGES[number];
  readonly delivery: typeof DELIVERIES[number];
  readonly ci: typeof CI_SYSTEMS[number];
  readonly secrets: typeof SECRETS[number];
  /** URL of the Git repository, for an engine. */
  readonly repository?: string;
  /** Public keys for sops. */
  readonly recipients: readonly string[];
}
