/** Nothing to say, or warnings alone. */
export const EXIT_NOTHING = 0;

/** Errors were found, or machines would be lost or may be. */
export const EXIT_ERRORS = 1;

/** The command could not run: wrong options, files that are not there. */
export const EXIT_COULD_NOT_RUN = 2;

/** Ctrl-C, as shells count it. */
export const EXIT_INTERRUPTED = 130;
