/**
 * The time that a processor worked, in milliseconds: the least of three runs, so that neither other
 * programs nor the collector of garbage count.
 */
export function cpuMs(act: () => unknown): number {
  return Math.min(
    ...[1, 2, 3].map(() => {
      const start = process.cpuUsage();
      act();
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1000;
    }),
  );
}
