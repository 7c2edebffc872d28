/** Milliseconds between two attempts. */
const interval = 20;

/** Repeats a question until its answer is neither undefined nor false; the time limit is that of the test. */
export async function until<T>(ask: () => Promise<T> | T): Promise<Exclude<T, undefined | false>> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>;
    await new Promise((resolve) => setTimeout(resolve, interval));
  }
}
