/**
 * The environment variable by which `cdk8s-harvester review` synthesizes a program: the folder that
 * every output is written to, whatever its own folder is. Placeholders replace all secrets from
 * outside of the program, so nothing is encrypted, and no key or program is needed for that.
 */
export const REVIEW_ENV = 'CDK8S_HARVESTER_REVIEW';

/** The folder for the outputs of a review; undefined in any other synthesis. */
export function reviewFolder(): string | undefined {
  return process.env[REVIEW_ENV] || undefined;
}

/** Whether this synthesis is for a review. */
export function isReview(): boolean {
  return reviewFolder() !== undefined;
}
