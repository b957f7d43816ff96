import { isAbsolute, join, relative, resolve } from 'path';

/**
 * The environment variable by which `cdk8s-harvester review` synthesizes a program: the folder that
 * every output is written to, whatever its own folder is. Placeholders replace all secrets from
 * outside of the program, so nothing is encrypted, and no key or program is needed for that.
 */
export const REVIEW_ENV = 'CDK8S_HARVESTER_REVIEW';

const PREFIX = 'out-';

/** The folder for the outputs of a review; undefined in any other synthesis. */
function reviewFolder(): string | undefined {
  return process.env[REVIEW_ENV] || undefined;
}

/** Whether this synthesis is for a review. */
export function isReview(): boolean {
  return reviewFolder() !== undefined;
}

/** The output folder of an app: in a review, a folder of its own below that of the review. */
export function outdirOf(outdir: string | undefined): string | undefined {
  const folder = reviewFolder();
  if (folder === undefined) {
    return outdir;
  }
  const own = outdir ?? 'dist';
  const within = relative(folder, resolve(own));
  return within.startsWith('..') || isAbsolute(within)
    ? outdirInReview(folder, relative(process.cwd(), resolve(own)))
    : own;
}

/** The folder below that of a review for an output folder. */
export function outdirInReview(folder: string, outdir: string): string {
  return join(folder, `${PREFIX}${encodeURIComponent(outdir)}`);
}

/** The output folder, as a path from where the program ran, that a folder in a review is for. */
export function reviewedOutdir(name: string): string {
  return decodeURIComponent(name.slice(PREFIX.length));
}
