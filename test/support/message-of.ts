/** The message of what a call throws; an error of its own where it throws nothing. */
export function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was thrown');
}
