/**
 * Runs work for every item with limited concurrency. After a failure no further items are started, and the error is thrown when
 * those under way have ended.
 */
export async function concurrently<Item>(
  items: Iterable<Item>,
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]();
  let failed = false;
  const worker = async (): Promise<void> => {
    for (let next = left.next(); !next.done && !failed; next = left.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: width }, worker));
  for (const result of results) if (result.status === "rejected") throw result.reason;
}
