/** Does some things at a time, a number of them for each target; the first failure ends it. Results are in the order of the items. */
export async function inParallel<T, R>(
  items: readonly T[], targetOf: (item: T) => string, concurrency: number, act: (item: T) => Promise<R>, signal?: AbortSignal,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  const queues = new Map<string, number[]>();
  items.forEach((item, index) => {
    const queue = queues.get(targetOf(item));
    if (queue) { queue.push(index); } else { queues.set(targetOf(item), [index]); }
  });
  let failed = false;
  const work = async (queue: readonly number[], next: { at: number }): Promise<void> => {
    while (!failed && next.at < queue.length) {
      signal?.throwIfAborted();
      const index = queue[next.at++];
      try {
        results[index] = await act(items[index]);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all([...queues.values()].flatMap((queue) => {
    const next = { at: 0 };
    return Array.from({ length: Math.min(concurrency, queue.length) }, async () => work(queue, next));
  }));
  return results;
}
