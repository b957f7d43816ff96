import { isAbsolute, join, relative, resolve } from 'path';
import { reviewFolder } from '../value/review';

const PREFIX = 'out-';

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
