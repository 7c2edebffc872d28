/**
 * Counts entries by epoch, to know the oldest. Entries come with the newest epoch and go with one of the oldest,
 * except for the few that were raised, paused or removed, so both ends are looked at first.
 *
 * Invariant: from `#first` on `#epochs` ascends and `#counts` is in lock-step with it. The count at `#first` is above 0,
 * unless `#first` is behind the end because all are gone; what is before it is left over, and cut off now and then.
 */
export class Epochs {
  #epochs: number[] = [];
  #counts: number[] = [];
  #first = 0;

  /** Infinity when there is none. */
  get oldest(): number {
    return this.#first < this.#epochs.length ? (this.#epochs[this.#first] ?? Infinity) : Infinity;
  }

  add(epoch: number): void {
    const last = this.#epochs.length - 1;
    const newest = last < 0 ? -Infinity : (this.#epochs[last] ?? -Infinity);
    if (newest < epoch) {
      this.#epochs.push(epoch);
      this.#counts.push(1);
      return;
    }
    const index = newest === epoch ? last : this.#find(epoch);
    if (index <= last && this.#epochs[index] === epoch) this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    else {
      this.#epochs.splice(index, 0, epoch);
      this.#counts.splice(index, 0, 1);
    }
    // All were gone, and the newest of them is back.
    if (index < this.#first) this.#first = index;
  }

  remove(epoch: number): void {
    const index = this.#epochs[this.#first] === epoch ? this.#first : this.#find(epoch);
    this.#counts[index] = (this.#counts[index] ?? 0) - 1;
    const end = this.#epochs.length;
    while (this.#first < end && this.#counts[this.#first] === 0) this.#first += 1;
    if (this.#first <= 64 || this.#first * 2 <= end) return;
    this.#epochs = this.#epochs.slice(this.#first);
    this.#counts = this.#counts.slice(this.#first);
    this.#first = 0;
  }

  /** Where an epoch is, or would be. */
  #find(epoch: number): number {
    let low = this.#first;
    let high = this.#epochs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#epochs[middle] ?? Infinity) < epoch) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
