/**
 * Counts entries by epoch, to know the oldest. Entries come with the newest epoch and go with one of the oldest, except
 * for the few that were raised, paused or removed. Most of the time all are of one epoch, the newest.
 *
 * Invariant: `#older` ascends, is below `#newest`, and `#counts` is in lock-step with it. From `#first` on; the count there
 * is above 0, and what is before it is left over, and cut off now and then.
 */
export class Epochs {
  #newest = -Infinity;
  #newestCount = 0;
  #older: number[] = [];
  #counts: number[] = [];
  #first = 0;

  /** Infinity when there is none. */
  get oldest(): number {
    if (this.#first < this.#older.length) return this.#older[this.#first] as number;
    return this.#newestCount > 0 ? this.#newest : Infinity;
  }

  add(epoch: number): void {
    if (epoch === this.#newest) this.#newestCount += 1;
    else if (epoch > this.#newest) this.#begin(epoch);
    else this.#addOlder(epoch);
  }

  remove(epoch: number): void {
    if (epoch === this.#newest) this.#newestCount -= 1;
    else this.#removeOlder(epoch);
  }

  #begin(epoch: number): void {
    if (this.#newestCount > 0) {
      this.#older.push(this.#newest);
      this.#counts.push(this.#newestCount);
    }
    this.#newest = epoch;
    this.#newestCount = 1;
  }

  #addOlder(epoch: number): void {
    const index = this.#find(epoch);
    if (this.#older[index] === epoch) this.#counts[index] = (this.#counts[index] as number) + 1;
    else {
      this.#older.splice(index, 0, epoch);
      this.#counts.splice(index, 0, 1);
    }
  }

  #removeOlder(epoch: number): void {
    const index = this.#older[this.#first] === epoch ? this.#first : this.#find(epoch);
    this.#counts[index] = (this.#counts[index] as number) - 1;
    const end = this.#older.length;
    while (this.#first < end && this.#counts[this.#first] === 0) this.#first += 1;
    if (this.#first <= 64 || this.#first * 2 <= end) return;
    this.#older = this.#older.slice(this.#first);
    this.#counts = this.#counts.slice(this.#first);
    this.#first = 0;
  }

  /** Where an epoch is, or would be. */
  #find(epoch: number): number {
    let low = this.#first;
    let high = this.#older.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#older[middle] as number) < epoch) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
