/**
 * The simplest queue of keys that is correct: each key is queued once, reasons are collected, and no key is handed out twice at
 * a time. No delays, retries, priorities, fairness or pauses.
 */
export class NaiveQueue<Reason> {
  readonly #waiting = new Map<string, Reason[]>();
  readonly #running = new Set<string>();
  #order: string[] = [];
  #head = 0;

  add(key: string, reason: Reason): void {
    const reasons = this.#waiting.get(key);
    if (reasons !== undefined) {
      reasons.push(reason);
      return;
    }
    this.#waiting.set(key, [reason]);
    if (!this.#running.has(key)) this.#order.push(key);
  }

  tryTake(): { readonly key: string; readonly reasons: readonly Reason[] } | undefined {
    const key = this.#order[this.#head];
    if (key === undefined) return undefined;
    this.#head++;
    // shift() would move all elements.
    if (this.#head > 1024 && this.#head * 2 > this.#order.length) {
      this.#order = this.#order.slice(this.#head);
      this.#head = 0;
    }
    const reasons = this.#waiting.get(key) ?? [];
    this.#waiting.delete(key);
    this.#running.add(key);
    return { key, reasons };
  }

  done({ key }: { readonly key: string }): void {
    this.#running.delete(key);
    if (this.#waiting.has(key)) this.#order.push(key);
  }
}
