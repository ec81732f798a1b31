const atOnce = 4;

/** Calls act for each item, a few concurrently. A failure does not stop the others. Results keep the order of items. */
export async function inTurns<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<{ item: T; error?: unknown }[]> {
  const results: { item: T; error?: unknown }[] = [];
  let next = 0;
  const work = async () => {
    while (next < items.length) {
      const index = next++;
      const item = items[index]!;
      try {
        await act(item);
        results[index] = { item };
      } catch (error) {
        results[index] = { item, error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}
