import type { Entry } from "./entry.js";

/**
 * Entries in the order in which they were appended. They are their own links, so that keeping them costs no
 * memory and any of them can leave; an entry is in one list at most.
 */
export class EntryList<Reason> {
  first: Entry<Reason> | undefined;
  #last: Entry<Reason> | undefined;

  append(entry: Entry<Reason>): void {
    entry.previous = this.#last;
    if (this.#last) this.#last.next = entry;
    else this.first = entry;
    this.#last = entry;
  }

  remove(entry: Entry<Reason>): void {
    if (entry.previous) entry.previous.next = entry.next;
    else this.first = entry.next;
    if (entry.next) entry.next.previous = entry.previous;
    else this.#last = entry.previous;
    entry.previous = undefined;
    entry.next = undefined;
  }
}
