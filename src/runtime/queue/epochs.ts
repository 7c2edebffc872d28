import { Heap } from "./heap.js";

/**
 * Counts entries by epoch, to know the oldest. Entries come with the newest epoch and go with one of the oldest, except
 * for the few that were raised, paused or removed. Most of the time all are of one epoch, the newest.
 *
 * Invariant: all epochs of `#older` are below `#newest`.
 */
export class Epochs {
  #newest = -Infinity;
  #newestCount = 0;
  #older: OlderEpochs | undefined;

  /** Infinity when there is none. */
  get oldest(): number {
    const first = this.#older?.first;
    if (first !== undefined) return first.number;
    return this.#newestCount > 0 ? this.#newest : Infinity;
  }

  add(epoch: number): void {
    if (epoch === this.#newest) this.#newestCount += 1;
    else if (epoch > this.#newest) this.#begin(epoch);
    else this.#addOlder(epoch, 1);
  }

  remove(epoch: number): void {
    if (epoch === this.#newest) this.#newestCount -= 1;
    else this.#older?.remove(epoch);
  }

  #begin(epoch: number): void {
    if (this.#newestCount > 0) this.#addOlder(this.#newest, this.#newestCount);
    this.#newest = epoch;
    this.#newestCount = 1;
  }

  #addOlder(epoch: number, count: number): void {
    this.#older ??= new OlderEpochs();
    this.#older.add(epoch, count);
  }
}

interface OlderEpoch {
  readonly number: number;
  count: number;
  /** Its place in the heap. */
  place: number;
}

/** Invariant: the map and the heap have the same epochs, and each has a count above 0. */
class OlderEpochs {
  readonly #epochs = new Map<number, OlderEpoch>();
  readonly #heap = new Heap<OlderEpoch>(
    (a, b) => a.number < b.number,
    (epoch, place) => (epoch.place = place),
  );

  get first(): OlderEpoch | undefined {
    return this.#heap.first;
  }

  add(number: number, count: number): void {
    const known = this.#epochs.get(number);
    if (known !== undefined) {
      known.count += count;
      return;
    }
    const epoch: OlderEpoch = { number, count, place: -1 };
    this.#epochs.set(number, epoch);
    this.#heap.add(epoch);
  }

  remove(number: number): void {
    const { first } = this;
    const epoch = first?.number === number ? first : this.#epochs.get(number);
    if (epoch === undefined) throw new Error(`no entry is of epoch ${number}`);
    epoch.count -= 1;
    if (epoch.count > 0) return;
    this.#epochs.delete(number);
    this.#heap.remove(epoch.place);
  }
}
